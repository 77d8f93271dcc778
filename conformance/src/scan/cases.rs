//! The cases of one scan and type.

use super::reference::Scan;
use crate::case::Case;
use crate::elementwise::inside;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Image, LARGE, Random, Sample, Vector, fronts, seeds};
use crate::session::Session;
use proptest::prelude::Just;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, DType, Device, ReduceOp, Stream};

/// Around one, the runs, groups and tiles of the tree, and what a block of threads has together.
const LENGTHS: &[usize] = &[0, 1, 2, 15, 16, 17, 33, 257, 511, 512, 513, 2049, 4095, 4096, 4097];
/// Several tiles with a rest.
const TILES: &[usize] = &[3 * 4096 + 5];
/// About as many tiles as a node has, and many more.
const LONG: &[usize] = &[131_071, 131_073, LARGE];

/// Lengths with more tiles than one node has, and at the higher levels with more nodes of those than the next one has.
fn many_tiles(level: Level, dtype: DType) -> Vec<usize> {
    const LENGTHS: [usize; 2] = [35 * 4096 + 21, 33 * 32 * 4096 + 4100];
    let count = match (level, dtype) {
        (Level::Smoke, DType::F32) => 1,
        (Level::Smoke, _) => 0,
        (_, DType::F32) => 2,
        _ => 1,
    };
    LENGTHS[..count].to_vec()
}

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>, scan: &Scan<T, D>) -> Verdict {
    let large = match session.level() {
        Level::Smoke => TILES,
        Level::Full => &LONG[..2],
        Level::Exhaustive => LONG,
    };
    for &len in LENGTHS.iter().chain(large) {
        let counts = Counts { smoke: 1, full: 4, exhaustive: 16 };
        let inputs = || (Just(len), fronts(), seeds());
        session.cases(Lane::Exact, counts, inputs(), |case, (len, front, seed)| {
            let (x, want) = scan.exact(&mut Random::new(seed), len);
            let got = run(case, scan, front, &x)?;
            scan.equal(case, &got, &want)
        })?;
        session.cases(Lane::Poison, counts, inputs(), |case, (len, front, seed)| {
            let x = Random::new(seed).specials_with_nan(len);
            run(case, scan, front, &x).map(drop)
        })?;
        if scan.rounds {
            session.cases(Lane::Bounded, counts, inputs(), |case, (len, front, seed)| {
                let x = scan.numbers(&mut Random::new(seed), len);
                let got = run(case, scan, front, &x)?;
                scan.bounded(case, &x, &got)
            })?;
        }
    }
    // The other operations go through the same tree.
    let lengths = if scan.op == ReduceOp::Sum { many_tiles(session.level(), T::DTYPE) } else { Vec::new() };
    session.each(Lane::Exact, lengths, |case, len| {
        let x = scan.numbers(&mut Random::new(len as u64), len);
        run(case, scan, 1, &x).map(drop)
    })?;
    // Integers at every level, which cost least: the way from tile to tile is the same for all types.
    let wraps = (scan.op, T::DTYPE) == (ReduceOp::Sum, DType::I32);
    session.each(Lane::Exact, wraps.then_some(LARGE), |case, len| {
        let (x, want) = scan.exact(&mut Random::new(5), len);
        let stream = case.stream();
        let (mut x, mut out) = (stream.from_slice(&x)?, stream.from_slice(&vec![T::poison(); len])?);
        scan.call(stream, Some(&x.slice(..)?), &mut out.slice_mut(..)?)?;
        let got = case.read(&out)?;
        case.bits_at("out", 0, &got, &want)?;
        scan.call(stream, None, &mut x.slice_mut(..)?)?;
        let got = case.read(&x)?;
        case.bits_at("in place: out", 0, &got, &want)
    })
}

/// Scans apart and in place; compares both with the definition, and everything around the output with what was there.
fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, scan: &Scan<T, D>, front: usize, x: &[T]) -> Verdict<Vec<T>> {
    let stream = case.stream();
    let (x_at, out_at) = (Vector::dense(front, x.len()), Vector::dense(front + 1, x.len()));
    let (x_image, image) = (Image::of_vector(&x_at, x), Image::<T>::around(&out_at));
    let mut x_buffer = stream.from_slice(&x_image.elements)?;
    let mut out = stream.from_slice(&image.elements)?;
    let view = x_buffer.slice(x_at.range())?;
    scan.call(stream, Some(&view), &mut out.slice_mut(out_at.range())?)?;
    let defined = scan.defined(x);
    let got = inside(case, &out, &image, &out_at)?;
    case.bits("out", &got, &defined)?;
    case.bits("what was read,", &case.read(&x_buffer)?, &x_image.elements)?;
    scan.call(stream, None, &mut x_buffer.slice_mut(x_at.range())?)?;
    let in_place = inside(case, &x_buffer, &x_image, &x_at)?;
    case.bits("in place: out", &in_place, &defined)?;
    Ok(got)
}
