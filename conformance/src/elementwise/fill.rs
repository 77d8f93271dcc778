//! Constants and sequences.

use super::operands::inside;
use crate::failure::{Failure, Verdict};
use crate::level::Counts;
use crate::reference::{
    Data, Double, Image, Pair, Random, Sample, Vector, dimensions, fronts, increments, lengths, matrices, seeds, tails,
    vectors, within,
};
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::scalar;
use warpwave_core::{Buffer, Device, Ops, Real, ScalarValue, Stream, VectorMut};

pub(super) fn fill<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    // Both lanes look at what lies around the span; small odd spans are where a fill by words goes wrong.
    for (lane, data) in [(Lane::Exact, Data::Integers(100)), (Lane::Exact, Data::Special), (Lane::Poison, Data::Bits)] {
        session.cases(lane, Counts::of(8), (fronts(), lengths(level), seeds()), |case, (front, len, seed)| {
            let at = Vector::dense(front, len);
            let value: T = Random::new(seed).element(data);
            let image = Image::<T>::around(&at);
            let mut buffer = case.stream().from_slice(&image.elements)?;
            case.stream().fill(&mut buffer.slice_mut(at.range())?, value)?;
            let got = inside(case, &buffer, &image, &at)?;
            case.bits("out", &got, &vec![value; len])
        })?;
    }
    // Every length of a tail, and one that several threads or blocks share.
    session.each(Lane::Exact, tails::<T>(), |case, len| {
        let at = Vector::dense(len % 5, len);
        let image = Image::<T>::around(&at);
        let mut buffer = case.stream().from_slice(&image.elements)?;
        let value = T::from_integers([7, -3]);
        case.stream().fill(&mut buffer.slice_mut(at.range())?, value)?;
        let got = inside(case, &buffer, &image, &at)?;
        case.bits("out", &got, &vec![value; len])
    })?;
    // With an increment, and matrices of either layout: what lies between the elements stays.
    let vector = vectors(lengths(level), increments());
    session.cases(Lane::Poison, Counts::of(8), (vector, seeds()), |case, (at, seed)| {
        let value: T = Random::new(seed).element(Data::Bits);
        let mut buffer = case.stream().from_slice(&Image::<T>::around(&at).elements)?;
        let mut part = buffer.slice_mut(at.range())?;
        case.stream().fill(&mut VectorMut::new(&mut part, at.len, at.inc)?, value)?;
        let got = case.read(&buffer)?;
        case.bits("all there is", &got, &Image::of_vector(&at, &vec![value; at.len]).elements)
    })?;
    let matrix =
        prop_oneof![3 => matrices(dimensions(65), dimensions(65)), 1 => matrices(1000..1100_usize, 300..310_usize)];
    session.cases(Lane::Poison, Counts::of(8), (matrix, seeds()), |case, (at, seed)| {
        let value: T = Random::new(seed).element(Data::Bits);
        let mut buffer = case.stream().from_slice(&Image::<T>::of_matrix(&at, &[]).elements)?;
        let part = buffer.slice_mut(at.range())?;
        case.stream().fill_matrix(&mut part.matrix_mut_with(at.rows, at.cols, at.ld, at.layout)?, value)?;
        let got = case.read(&buffer)?;
        case.bits("all there is", &got, &Image::of_matrix(&at, &vec![value; at.rows * at.cols]).elements)
    })
}

pub(super) fn iota<T: Sample + Real, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let run = |case: &mut crate::case::Case<'_, D>, start: T, step: T, front: usize, len: usize| -> Verdict<Vec<T>> {
        let at = Vector::dense(front, len);
        let image = Image::<T>::around(&at);
        let mut buffer = case.stream().from_slice(&image.elements)?;
        case.stream().iota(start, step, &mut buffer.slice_mut(at.range())?)?;
        inside(case, &buffer, &image, &at)
    };
    let define = |start: T, step: T, len: usize| -> Verdict<Vec<T>> {
        let (start, step) = (ScalarValue::new(start), ScalarValue::new(step));
        let undefined = || Failure::new(format_args!("the core does not define iota for {}", T::DTYPE));
        (0..len as u64).map(|i| scalar::iota(start, step, i)?.get()).collect::<Option<_>>().ok_or_else(undefined)
    };
    let inputs = || (fronts(), lengths(level), seeds());
    // Element 10 is 10 · 0.1 rounded once, in every format 1; 0.1 added ten times is not in f32 and f64.
    if T::DTYPE.is_float() {
        session.once(Lane::Exact, |case| {
            let tenth = T::from_values([0.1, 0.0]);
            let got = run(case, T::from_integer(0), tenth, 1, 11)?;
            case.bits("0, 0.1 and 1", &[got[0], got[1], got[10]], &[T::from_integer(0), tenth, T::from_integer(1)])
        })?;
    }
    // Past the integers that floats hold: each element is rounded once, to even in the middle.
    if T::DTYPE.is_float() {
        session.once(Lane::Exact, |case| {
            let start = T::EXACT as i64 - 8;
            let got = run(case, T::from_integer(start), T::from_integer(1), 1, 100)?;
            let want: Vec<T> = (start..start + 100).map(T::from_integer).collect();
            case.bits("past the exact integers: out", &got, &want)
        })?;
    }
    session.cases(Lane::Exact, Counts::of(8), inputs(), |case, (front, len, seed)| {
        let mut random = Random::new(seed);
        // Floats stay where they hold every integer; integers wrap.
        let len = if T::DTYPE.is_integer() { len } else { len.min(T::EXACT as usize / 4) };
        let (start, step) = (random.integer(50), random.integer(3));
        let got = run(case, T::from_integer(start), T::from_integer(step), front, len)?;
        let want: Vec<T> = (0..len as i64).map(|i| T::from_integer(start + i * step)).collect();
        case.bits("out", &got, &want)
    })?;
    // By the definition from where a float does not hold every number of an element.
    session.each(Lane::Exact, tails::<T>(), |case, len| {
        let (start, step) = (T::from_integer(3), T::from_integer(2));
        let got = run(case, start, step, len % 5, len)?;
        let mut want = define(start, step, len)?;
        let exact = if T::DTYPE.is_integer() { len } else { len.min(T::EXACT as usize / 4) };
        (0..exact).for_each(|i| want[i] = T::from_integer(3 + 2 * i as i64));
        case.bits("out", &got, &want)
    })?;
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(5), inputs(), |case, (front, len, seed)| {
            let mut random = Random::new(seed);
            let (start, step) = (random.element(data), random.element(data));
            let got = run(case, start, step, front, len)?;
            case.bits("out", &got, &define(start, step, len)?)
        })?;
    }
    if T::DTYPE.is_integer() {
        return Ok(());
    }
    session.cases(Lane::Bounded, Counts::of(8), inputs(), |case, (front, len, seed)| {
        let mut random = Random::new(seed);
        // Past the largest f16 the definition has the say.
        let len = len.min(2049);
        let (start, step): (T, T) = (random.element(Data::Numbers), random.element(Data::Numbers));
        let got = run(case, start, step, front, len)?;
        case.bits("out", &got, &define(start, step, len)?)?;
        for (i, &got) in got.iter().enumerate() {
            let exact = Double::from(start.values()[0]) + Double::product(i as f64, step.values()[0]);
            // One rounding; for the 16-bit floats another before it, in `f32`.
            let bound = (T::UNIT + T::UNIT.min(f32::UNIT)) * exact.abs().value() + T::TINY;
            within(case, "out", i, got, Pair { re: exact, im: Double::ZERO }, bound)?;
        }
        Ok(())
    })
}
