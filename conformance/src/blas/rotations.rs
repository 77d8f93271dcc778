//! `rot` and `rotm`.

use super::{Scalars, complex_factor, device_vector, written};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{
    Data, Image, Pair, Random, Sample, Vector, equal_numbers, fronts, increments, lengths, seeds, vectors, within,
};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::blas::rotation;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::operation::RotmFlag;
use warpwave_core::{Blas, Device, Float, Rotm, Scalar, Stream};

/// Two vectors, before or after.
type Points<T> = [Vec<T>; 2];
/// Where they lie, and the seed of their data.
type Input = (Vector, usize, isize, u64);

fn inputs(level: crate::level::Level) -> impl Strategy<Value = Input> {
    (vectors(lengths(level), increments()), fronts(), increments(), seeds())
        .prop_map(|(at, front, inc, seed)| (at, front, inc, seed))
}

/// Runs a rotation; compares what lies around the vectors with what was there.
fn run<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    (x_at, front, inc): (Vector, usize, isize),
    [x, y]: &Points<T>,
    rotate: impl FnOnce(
        &D::Stream,
        &mut warpwave_core::VectorMut<'_, T, D>,
        &mut warpwave_core::VectorMut<'_, T, D>,
    ) -> warpwave_core::Result<()>,
) -> Verdict<Points<T>> {
    let y_at = Vector { front, len: x_at.len, inc };
    let (x_image, y_image) = (Image::of_vector(&x_at, x), Image::of_vector(&y_at, y));
    let stream = case.stream();
    let (mut x_buffer, mut y_buffer) = (stream.from_slice(&x_image.elements)?, stream.from_slice(&y_image.elements)?);
    {
        device_vector!(mut x = x_buffer, x_at);
        device_vector!(mut y = y_buffer, y_at);
        rotate(stream, &mut x, &mut y)?;
    }
    Ok([written(case, &x_buffer, &x_image, &x_at)?, written(case, &y_buffer, &y_image, &y_at)?])
}

fn compare<T: Scalars, D: Device>(case: &mut Case<'_, D>, got: &Points<T>, want: &Points<T>) -> Verdict {
    case.bits("x", &got[0], &want[0])?;
    case.bits("y", &got[1], &want[1])
}

fn points<T: Scalars>(random: &mut Random, data: Data, len: usize) -> Points<T> {
    [random.vector(data, len), random.vector(data, len)]
}

/// `a·x + b·y` of small integers.
fn integers<T: Scalars>(a: T, x: T, b: T, y: T) -> T {
    let parts = |x: T| x.values().map(|x| x as i64);
    let product = |[a, b]: [i64; 2], [c, d]: [i64; 2]| [a * c - b * d, a * d + b * c];
    let ([re, im], [more_re, more_im]) = (product(parts(a), parts(x)), product(parts(b), parts(y)));
    T::from_integers([re + more_re, im + more_im])
}

/// Holds `got` to `a·x + b·y`: one product is rounded, and then the sum.
fn bounded<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    what: &str,
    index: usize,
    got: T,
    [a, x, b, y]: [T; 4],
) -> Verdict {
    let [a, x, b, y] = [a, x, b, y].map(|x| Pair::new(x.values()));
    let size = a.modulus() * x.modulus() + b.modulus() * y.modulus();
    within(case, what, index, got, a * x + b * y, complex_factor::<T>() * 2.0 * T::UNIT * size + 2.0 * T::TINY)
}

/// The coefficients of a rotation: `x = c·x + s·y`, `y = c·y + t·x`, with `t = −conj(s)`.
fn coefficients<T: Scalars>(c: T::Magnitude, s: T) -> [T; 3] {
    let [re, im] = s.values();
    [T::from_values([c.values()[0], 0.0]), s, T::from_values([-re, im])]
}

pub(super) fn rot<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    /// Runs a case with its data, and compares with the definition.
    fn case_of<T: Scalars, D: Device>(
        case: &mut Case<'_, D>,
        (at, front, inc, seed): Input,
        data: Data,
    ) -> Verdict<([T; 3], Points<T>, Points<T>)> {
        let mut random = Random::new(seed);
        let c: T::Magnitude = random.element(data);
        let s: T = random.element(data);
        let old = points::<T>(&mut random, data, at.len);
        let got = run(case, (at, front, inc), &old, |stream, x, y| stream.rot(x, y, c, s))?;
        let new = old[0].iter().zip(&old[1]).map(|(&x, &y)| rotation::rot(c, s, x, y));
        let (x, y): (Vec<T>, Vec<T>) = new.unzip();
        compare(case, &got, &[x, y])?;
        Ok((coefficients(c, s), old, got))
    }
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(20), inputs(level), |case, input| {
        let ([c, s, t], [x, y], [new_x, new_y]) = case_of::<T, D>(case, input, Data::Integers(30))?;
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| integers(c, x, s, y)).collect();
        equal_numbers(case, "x", &new_x, &want)?;
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| integers(c, y, t, x)).collect();
        equal_numbers(case, "y", &new_y, &want)
    })?;
    session.cases(Lane::Poison, Counts::of(16), inputs(level), |case, input| {
        case_of::<T, D>(case, input, Data::Special).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(16), inputs(level), |case, input| {
        let ([c, s, t], [x, y], [new_x, new_y]) = case_of::<T, D>(case, input, Data::Numbers)?;
        for i in 0..x.len() {
            bounded(case, "x", i, new_x[i], [c, x[i], s, y[i]])?;
            bounded(case, "y", i, new_y[i], [c, y[i], t, x[i]])?;
        }
        Ok(())
    })?;
    // Every length of a tail, and one that threads share.
    session.each(Lane::Exact, (0..=70_usize).chain([100_003]), |case, len| {
        case_of::<T, D>(case, (Vector::dense(len % 4, len), len % 3, 1, len as u64), Data::Numbers).map(drop)
    })
}

/// The flag and the four elements of a rotation, with those that are understood.
fn matrix<T: Scalars + Float>(rotation: Rotm<T>) -> (RotmFlag, [T; 4]) {
    let (zero, one) = (T::from_integer(0), T::from_integer(1));
    match rotation {
        Rotm::Full { h11, h21, h12, h22 } => (RotmFlag::Full, [h11, h21, h12, h22]),
        Rotm::UnitDiagonal { h21, h12 } => (RotmFlag::UnitDiagonal, [one, h21, h12, one]),
        Rotm::UnitOffDiagonal { h11, h22 } => (RotmFlag::UnitOffDiagonal, [h11, T::from_integer(-1), one, h22]),
        Rotm::Identity => (RotmFlag::Identity, [one, zero, zero, one]),
    }
}

pub(super) fn rotm<T: Scalars + Float + Scalar<Magnitude = T>, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    /// Runs a case with its data, and compares with the definition.
    fn case_of<T: Scalars + Float, D: Device>(
        case: &mut Case<'_, D>,
        ((at, front, inc, seed), flag): (Input, RotmFlag),
        data: Data,
    ) -> Verdict<([T; 4], Points<T>, Points<T>)> {
        let mut random = Random::new(seed);
        let [h11, h21, h12, h22] = [0; 4].map(|_| random.element::<T>(data));
        let rotation = match flag {
            RotmFlag::Full => Rotm::Full { h11, h21, h12, h22 },
            RotmFlag::UnitDiagonal => Rotm::UnitDiagonal { h21, h12 },
            RotmFlag::UnitOffDiagonal => Rotm::UnitOffDiagonal { h11, h22 },
            _ => Rotm::Identity,
        };
        let old = points::<T>(&mut random, data, at.len);
        let got = run(case, (at, front, inc), &old, |stream, x, y| stream.rotm(x, y, rotation))?;
        let (flag, h) = matrix(rotation);
        let new = old[0].iter().zip(&old[1]).map(|(&x, &y)| rotation::rotm(flag, h, x, y));
        let (x, y): (Vec<T>, Vec<T>) = new.unzip();
        compare(case, &got, &[x, y])?;
        Ok((h, old, got))
    }
    let level = session.level();
    let all = || (inputs(level), select(RotmFlag::ALL));
    session.cases(Lane::Exact, Counts::of(24), all(), |case, input| {
        let ([h11, h21, h12, h22], [x, y], [new_x, new_y]) = case_of::<T, D>(case, input, Data::Integers(30))?;
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| integers(h11, x, h12, y)).collect();
        equal_numbers(case, "x", &new_x, &want)?;
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| integers(h21, x, h22, y)).collect();
        equal_numbers(case, "y", &new_y, &want)
    })?;
    session.cases(Lane::Poison, Counts::of(24), all(), |case, input| {
        case_of::<T, D>(case, input, Data::Special).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(24), all(), |case, input| {
        let ([h11, h21, h12, h22], [x, y], [new_x, new_y]) = case_of::<T, D>(case, input, Data::Numbers)?;
        for i in 0..x.len() {
            bounded(case, "x", i, new_x[i], [h11, x[i], h12, y[i]])?;
            bounded(case, "y", i, new_y[i], [h21, x[i], h22, y[i]])?;
        }
        Ok(())
    })?;
    let long = RotmFlag::ALL.iter().flat_map(|&flag| [67, 100_003].map(|len| (len, flag)));
    session.each(Lane::Exact, long, |case, (len, flag)| {
        case_of::<T, D>(case, ((Vector::dense(1, len), 2, 1, len as u64), flag), Data::Numbers).map(drop)
    })
}
