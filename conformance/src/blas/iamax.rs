//! `iamax` and `iamin`.

use super::{Scalars, device_vector, seen, written};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{Data, Image, Random, Vector, lengths, read_increments, seeds, vectors};
use crate::session::Session;
use warpwave_core::numerics::blas;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Device, Stream};

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, smallest: bool) -> Verdict {
    let level = session.level();
    let define = |x: &[T]| match smallest {
        true => blas::iamin(x.len(), |i| x[i]),
        false => blas::iamax(x.len(), |i| x[i]),
    };
    let inputs = || (vectors(lengths(level), read_increments()), seeds());
    // Few magnitudes, so that the extreme is there more than once; the place found by a search of its own.
    session.cases(Lane::Exact, Counts::of(24), inputs(), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let x = seen(&at, random.vector::<T>(Data::Integers(3), at.len));
        let sizes: Vec<i64> = x.iter().map(|x| x.values().iter().map(|x| x.abs() as i64).sum()).collect();
        let extreme = if smallest { sizes.iter().min() } else { sizes.iter().max() };
        let want = sizes.iter().position(|size| Some(size) == extreme);
        run(case, smallest, &at, &x, want)
    })?;
    // The first NaN wins, wherever there are others, and infinities.
    session.cases(Lane::Exact, Counts::of(12), inputs(), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let mut x = random.vector::<T>(Data::Numbers, at.len);
        let nan = [f64::NAN, 0.0];
        for _ in 0..random.below(4) {
            if at.len > 0 {
                let value =
                    [T::from_values(nan), T::from_values([0.0, f64::NAN]), T::from_values([f64::INFINITY, 0.0])];
                x[random.below(at.len)] = value[random.below(3)];
            }
        }
        let x = seen(&at, x);
        let nan = x.iter().position(|x| x.has_nan());
        run(case, smallest, &at, &x, nan.or_else(|| define(&x)))
    })?;
    session.cases(Lane::Poison, Counts::of(16), inputs(), |case, (at, seed)| {
        let mut random = Random::new(seed);
        // Mostly denormals and the ends of the range: a NaN in every vector would hide the rest.
        let finite = |x: T| if x.has_nan() { T::from_integer(0) } else { x };
        let x: Vec<T> = seen(&at, random.vector::<T>(Data::Special, at.len).into_iter().map(finite).collect());
        run(case, smallest, &at, &x, define(&x))
    })?;
    // Equal extremes, which different blocks and threads find: the first wins.
    const LEN: usize = 100_003;
    session.each(Lane::Exact, [0, LEN / 2, LEN - 1], |case, first| {
        let mut x = Random::new(41).vector::<T>(Data::Integers(2), LEN);
        if smallest {
            x.iter_mut().for_each(|x| *x = T::from_integer(3 + x.values()[0] as i64));
        }
        let extreme = if smallest { 0 } else { 9 };
        x[LEN - 1] = T::from_integer(extreme);
        x[first] = T::from_integer(-extreme);
        run(case, smallest, &Vector::dense(1, LEN), &x, Some(first))
    })
}

fn run<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    smallest: bool,
    at: &Vector,
    x: &[T],
    want: Option<usize>,
) -> Verdict {
    let buffer = case.stream().from_slice(&Image::of_vector(at, x).elements)?;
    let out_at = Vector::dense(at.front, 1);
    let image = Image::<u64>::around(&out_at);
    let mut out = case.stream().from_slice(&image.elements)?;
    {
        device_vector!(x = buffer, at);
        let mut out = warpwave_core::Buffer::slice_mut(&mut out, out_at.front..)?;
        match smallest {
            true => case.stream().iamin_into::<T>(&x, &mut out)?,
            false => case.stream().iamax_into::<T>(&x, &mut out)?,
        }
    }
    let got = written(case, &out, &image, &out_at)?;
    case.bits("out", &got, &[want.map_or(u64::MAX, |i| i as u64)])
}
