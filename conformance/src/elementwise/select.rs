//! Selection by a mask.

use super::operands::{Call, Form, calls, every_tail, inside, unchanged};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{Data, Image, Random, Sample, Vector};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Ops, Stream};

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let one = |case: &mut Case<'_, D>, call: Call, data: Data| {
        let mut random = Random::new(call.seed);
        // Any number but 0 is true.
        let mut flag = || [0_u8, 0, 1, 2, 128, 255][random.below(6)];
        let mask: Vec<u8> = (0..call.len).map(|_| flag()).collect();
        let (mut a, mut b) = (random.vector::<T>(data, call.len), random.vector::<T>(data, call.len));
        call.seen(&mut a, &mut b);
        let got = run(case, &call, &mask, &a, &b)?;
        let want: Vec<T> = (0..call.len).map(|i| if mask[i] == 0 { b[i] } else { a[i] }).collect();
        case.bits("out", &got, &want)
    };
    for (lane, data) in [(Lane::Exact, Data::Integers(100)), (Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(6), calls(level), |case, call| one(case, call, data))?;
    }
    session.each(Lane::Exact, every_tail::<T>(), |case, call| one(case, call, Data::Bits))
}

fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, call: &Call, mask: &[u8], a: &[T], b: &[T]) -> Verdict<Vec<T>> {
    let stream = case.stream();
    let [out_at, a_at, b_at] = call.fronts.map(|front| Vector::dense(front, call.len));
    let mask_at = Vector::dense(call.fronts[0] + 1, call.len);
    let (a_image, b_image) = (Image::of_vector(&a_at, a), Image::of_vector(&b_at, b));
    let (mask_image, out_image) = (Image::of_vector(&mask_at, mask), Image::<T>::around(&out_at));
    let (a_buffer, b_buffer) = (stream.from_slice(&a_image.elements)?, stream.from_slice(&b_image.elements)?);
    let mask_buffer = stream.from_slice(&mask_image.elements)?;
    let mut out_buffer = stream.from_slice(&out_image.elements)?;
    let (a_view, b_view) = (a_buffer.slice(a_at.range())?, b_buffer.slice(b_at.range())?);
    let (mask, mut out) = (mask_buffer.slice(mask_at.range())?, out_buffer.slice_mut(out_at.range())?);
    let number = |x: &[T]| x.first().copied().unwrap_or_default();
    match call.form {
        Form::Views | Form::Assign => stream.select(&mask, &a_view, &b_view, &mut out)?,
        Form::ScalarLeft => stream.select(&mask, &number(a), &b_view, &mut out)?,
        Form::ScalarRight | Form::AssignScalar => stream.select(&mask, &a_view, &number(b), &mut out)?,
    }
    unchanged(case, "mask", &mask_buffer, &mask_image)?;
    unchanged(case, "a", &a_buffer, &a_image)?;
    unchanged(case, "b", &b_buffer, &b_image)?;
    inside(case, &out_buffer, &out_image, &out_at)
}
