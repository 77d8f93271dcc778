//! Comparisons.

use super::operands::{Call, Form, calls, every_tail, inside, unchanged};
use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::level::Counts;
use crate::reference::{Data, Image, Random, Sample, Vector};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::scalar;
use warpwave_core::{Buffer, CompareOp, Device, Ops, ScalarValue, Stream};

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>, op: CompareOp) -> Verdict {
    let level = session.level();
    // Few values, so that many are equal; integers of one byte hold them too.
    let few = |case: &mut Case<'_, D>, call: Call| {
        let mut random = Random::new(call.seed);
        let mut integers =
            || -> Vec<[i64; 2]> { (0..call.len).map(|_| [random.below(4) as i64, random.below(2) as i64]).collect() };
        let (mut x, mut y) = (integers(), integers());
        let scalar = match call.form {
            Form::ScalarLeft => Some(&mut x),
            Form::ScalarRight | Form::AssignScalar => Some(&mut y),
            Form::Views | Form::Assign => None,
        };
        if let Some((scalar, first)) = scalar.and_then(|x| x.first().copied().map(|first| (x, first))) {
            scalar.fill(first);
        }
        let elements = |x: &[[i64; 2]]| x.iter().map(|&x| T::from_integers(x)).collect::<Vec<T>>();
        let got = run(case, op, &call, &elements(&x), &elements(&y))?;
        let want: Vec<u8> = x.iter().zip(&y).map(|(&x, &y)| u8::from(of_integers::<T>(op, x, y))).collect();
        case.bits("out", &got, &want)
    };
    session.cases(Lane::Exact, Counts::of(6), calls(level), few)?;
    session.each(Lane::Exact, every_tail::<T>(), few)?;
    session.once(Lane::Exact, |case| {
        let special = T::specials();
        let mut random = Random::new(0);
        let mut element = |pattern: u64| T::from_patterns([pattern, special[random.below(2)]]);
        let (a, b): (Vec<T>, Vec<T>) = special
            .iter()
            .flat_map(|&a| special.iter().map(move |&b| (a, b)))
            .map(|(a, b)| (element(a), element(b)))
            .unzip();
        let got = run(case, op, &Call::of_views(a.len()), &a, &b)?;
        case.bits("out", &got, &define(op, &a, &b)?)
    })?;
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(4), calls(level), |case, call| {
            let mut random = Random::new(call.seed);
            let (mut a, mut b) = (random.vector::<T>(data, call.len), random.vector::<T>(data, call.len));
            call.seen(&mut a, &mut b);
            let got = run(case, op, &call, &a, &b)?;
            case.bits("out", &got, &define(op, &a, &b)?)
        })?;
    }
    Ok(())
}

fn define<T: Sample>(op: CompareOp, a: &[T], b: &[T]) -> Verdict<Vec<u8>> {
    let one = |(&a, &b): (&T, &T)| scalar::compare(op, ScalarValue::new(a), ScalarValue::new(b)).map(u8::from);
    let undefined = || Failure::new(format_args!("the core does not define {op} for {}", T::DTYPE));
    a.iter().zip(b).map(one).collect::<Option<_>>().ok_or_else(undefined)
}

fn of_integers<T: Sample>(op: CompareOp, x: [i64; 2], y: [i64; 2]) -> bool {
    let equal = x[0] == y[0] && (x[1] == y[1] || !T::DTYPE.is_complex());
    match op {
        CompareOp::Eq => equal,
        CompareOp::Ne => !equal,
        CompareOp::Lt => x[0] < y[0],
        CompareOp::Le => x[0] <= y[0],
        CompareOp::Gt => x[0] > y[0],
        _ => x[0] >= y[0],
    }
}

/// `a op b`. The output is of another type than the inputs, so that it cannot be one of them.
pub(super) fn run<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    op: CompareOp,
    call: &Call,
    a: &[T],
    b: &[T],
) -> Verdict<Vec<u8>> {
    let stream = case.stream();
    let [out_at, a_at, b_at] = call.fronts.map(|front| Vector::dense(front, call.len));
    let (a_image, b_image) = (Image::of_vector(&a_at, a), Image::of_vector(&b_at, b));
    let out_image = Image::<u8>::around(&out_at);
    let (a_buffer, b_buffer) = (stream.from_slice(&a_image.elements)?, stream.from_slice(&b_image.elements)?);
    let mut out_buffer = stream.from_slice(&out_image.elements)?;
    let (a_view, b_view) = (a_buffer.slice(a_at.range())?, b_buffer.slice(b_at.range())?);
    let mut out = out_buffer.slice_mut(out_at.range())?;
    let number = |x: &[T]| x.first().copied().unwrap_or_default();
    match call.form {
        Form::Views | Form::Assign => stream.compare(op, &a_view, &b_view, &mut out)?,
        Form::ScalarLeft => stream.compare(op, &number(a), &b_view, &mut out)?,
        Form::ScalarRight | Form::AssignScalar => stream.compare(op, &a_view, &number(b), &mut out)?,
    }
    unchanged(case, "a", &a_buffer, &a_image)?;
    unchanged(case, "b", &b_buffer, &b_image)?;
    inside(case, &out_buffer, &out_image, &out_at)
}
