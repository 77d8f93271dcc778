//! Reductions of all elements.

use super::known;
use super::reference::Reduction;
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Image, LARGE, Random, Sample, Vector, fronts, seeds};
use crate::session::Session;
use proptest::prelude::Just;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Axis, Buffer, DType, Device, Reduce, ReduceOp, Stream};

/// Around one, a warp, the lanes and the chunk of the tree, and the second level of chunks.
const LENGTHS: &[usize] = &[0, 1, 2, 3, 7, 33, 1023, 1024, 1025, 2049, 8191, 8192, 8193, 3 * 8192 + 5];
/// Larger than the caches, and with three-figure numbers of chunks.
const LONG: &[usize] = &[65_537, LARGE];

/// Lengths with more chunks than a block has warps, and than it has threads: enough for several blocks and threads.
pub(crate) fn many_chunks(level: Level, dtype: DType) -> &'static [usize] {
    const LENGTHS: &[usize] = &[65 * 8192 + 5, 1025 * 8192 + 5];
    match (level, dtype) {
        (Level::Smoke, DType::F32) => &LENGTHS[..1],
        (Level::Smoke, _) => &[],
        _ => LENGTHS,
    }
}

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>, reduction: &Reduction<T>) -> Verdict {
    known::check::<T, D>(session, reduction.op, Axis::Whole)?;
    let large = if session.level() == Level::Smoke { &[][..] } else { LONG };
    for &len in LENGTHS.iter().chain(large) {
        let counts = Counts { smoke: 1, full: 4, exhaustive: 16 };
        let inputs = || (Just(len), fronts(), seeds());
        session.cases(Lane::Exact, counts, inputs(), |case, (len, front, seed)| {
            let (x, want) = reduction.exact(&mut Random::new(seed), len);
            let got = run(case, reduction.op, front, &x)?;
            case.bits("out", &[got], &[(reduction.define)(&x)])?;
            want.map_or(Ok(()), |want| reduction.equal(case, &[got], &[want]))
        })?;
        session.cases(Lane::Poison, counts, inputs(), |case, (len, front, seed)| {
            let x = reduction.specials(&mut Random::new(seed), len);
            let got = run(case, reduction.op, front, &x)?;
            case.bits("out", &[got], &[(reduction.define)(&x)])
        })?;
        if reduction.rounds {
            session.cases(Lane::Bounded, counts, inputs(), |case, (len, front, seed)| {
                let x = reduction.numbers(&mut Random::new(seed), len);
                let got = run(case, reduction.op, front, &x)?;
                case.bits("out", &[got], &[(reduction.define)(&x)])?;
                reduction.bounded(case, 0, &x, got)
            })?;
        }
    }
    session.each(Lane::Exact, many_chunks(session.level(), T::DTYPE).iter().copied(), |case, len| {
        let mut random = Random::new(len as u64);
        let x = match reduction.rounds {
            true => reduction.sequence(&mut random, len, true),
            false => reduction.exact(&mut random, len).0,
        };
        let got = run(case, reduction.op, 1, &x)?;
        case.bits("out", &[got], &[(reduction.define)(&x)])
    })
}

/// Reduces twice, and compares the two results, and everything around the output with what was there.
pub(super) fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, op: ReduceOp, front: usize, x: &[T]) -> Verdict<T> {
    let stream = case.stream();
    let (x_at, out_at) = (Vector::dense(front, x.len()), Vector::dense(front + 1, 1));
    let x_buffer = stream.from_slice(&Image::of_vector(&x_at, x).elements)?;
    let mut result = None;
    for _ in 0..2 {
        let mut image = Image::<T>::around(&out_at);
        let mut out = stream.from_slice(&image.elements)?;
        // All that is behind the first element of `out` is to be left alone.
        let view = x_buffer.slice(x_at.range())?;
        let column = view.matrix(x.len(), 1)?;
        stream.reduce(op, Axis::Whole, &column, &mut out.slice_mut(out_at.front..)?)?;
        let got = case.read(&out)?;
        let value = got[out_at.front];
        image.elements[out_at.front] = value;
        case.bits("what lies around the output,", &got, &image.elements)?;
        case.bits("a second time: out", &[value], &[result.unwrap_or(value)])?;
        result = Some(value);
    }
    Ok(result.unwrap_or_default())
}

/// The methods that have a name of their own: each does what its name says.
pub(super) fn names<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = stream.from_slice(&[3_i32, -7, 5, 2])?;
        let mut out = stream.zeros(1)?;
        let whole = [stream.sum(&x)?, stream.prod(&x)?, stream.min(&x)?, stream.max(&x)?];
        case.bits("sum, prod, min, max", &whole, &[3, -210, -7, 5])?;
        stream.sum_into(&x, &mut out)?;
        case.bits("sum_into", &case.read(&out)?, &[3])?;
        stream.prod_into(&x, &mut out)?;
        case.bits("prod_into", &case.read(&out)?, &[-210])?;
        stream.min_into(&x, &mut out)?;
        case.bits("min_into", &case.read(&out)?, &[-7])?;
        stream.max_into(&x, &mut out)?;
        case.bits("max_into", &case.read(&out)?, &[5])?;
        // Columns (3, −7) and (5, 2).
        let matrix = x.matrix(2, 2)?;
        let mut two = stream.zeros(2)?;
        macro_rules! axis {
            ($($method:ident $want:expr),*) => { $(
                stream.$method(&matrix, &mut two)?;
                case.bits(stringify!($method), &case.read(&two)?, &$want)?;
            )* };
        }
        axis!(sum_rows [8, -5], sum_cols [-4, 7], prod_rows [15, -14], prod_cols [-21, 10]);
        axis!(min_rows [3, -7], min_cols [-7, 2], max_rows [5, 2], max_cols [3, 5]);
        let mut two = stream.zeros(2)?;
        macro_rules! axis {
            ($($method:ident $want:expr),*) => { $(
                stream.$method(&matrix, &mut two)?;
                case.bits(stringify!($method), &case.read(&two)?, &$want)?;
            )* };
        }
        axis!(argmin_rows [0, 0], argmin_cols [1, 1], argmax_rows [1, 1], argmax_cols [0, 0]);
        case.ensure(stream.argmin(&x)? == Some(1) && stream.argmax(&x)? == Some(2), "argmin, argmax")?;
        let none = x.slice(..0)?;
        case.ensure(stream.argmin(&none)?.is_none() && stream.argmax(&none)?.is_none(), "argmin, argmax of nothing")?;
        let x = stream.from_slice(&[3.0_f32, -7.0, 5.0, 2.0])?;
        case.bits("mean", &[stream.mean(&x)?], &[0.75])
    })
}
