//! `swap`, `scal` and `axpy`.

use super::{LONG, Scalars, complex_factor, device_vector, seen, unchanged, written};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{
    Data, Image, Pair, Random, Scale, Vector, equal_numbers, fronts, increments, lengths, read_increments, scales,
    seeds, vectors, within,
};
use crate::session::Session;
use proptest::prelude::Just;
use warpwave_core::numerics::blas;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Device, Stream};

pub(super) fn swap<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let one = |case: &mut Case<'_, D>, (x_at, front, inc, seed): (Vector, usize, isize, u64), data: Data| {
        let y_at = Vector { front, len: x_at.len, inc };
        let mut random = Random::new(seed);
        let (x, y) = (random.vector::<T>(data, x_at.len), random.vector::<T>(data, x_at.len));
        let (x_image, y_image) = (Image::of_vector(&x_at, &x), Image::of_vector(&y_at, &y));
        let stream = case.stream();
        let mut x_buffer = stream.from_slice(&x_image.elements)?;
        let mut y_buffer = stream.from_slice(&y_image.elements)?;
        {
            device_vector!(mut x = x_buffer, x_at);
            device_vector!(mut y = y_buffer, y_at);
            stream.swap(&mut x, &mut y)?;
        }
        let got = written(case, &x_buffer, &x_image, &x_at)?;
        case.bits("x", &got, &y)?;
        let got = written(case, &y_buffer, &y_image, &y_at)?;
        case.bits("y", &got, &x)
    };
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        let inputs = (vectors(lengths(level), increments()), fronts(), increments(), seeds());
        session.cases(lane, Counts::of(20), inputs, |case, input| one(case, input, data))?;
    }
    session.each(Lane::Exact, long(), |case, (at, inc)| one(case, (at, 2, inc, 3), Data::Bits))
}

/// Long vectors: without gaps, and from the end with some.
fn long() -> [(Vector, isize); 2] {
    [(Vector::dense(1, LONG), 1), (Vector { front: 1, len: LONG, inc: -2 }, 3)]
}

pub(super) fn scal<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let run = |case: &mut Case<'_, D>, at: &Vector, alpha: T, x: &[T]| -> Verdict<Vec<T>> {
        let image = Image::of_vector(at, x);
        let mut buffer = case.stream().from_slice(&image.elements)?;
        {
            device_vector!(mut x = buffer, at);
            case.stream().scal(alpha, &mut x)?;
        }
        let got = written(case, &buffer, &image, at)?;
        let want: Vec<T> = x.iter().map(|&x| blas::scal(alpha, x)).collect();
        case.bits("x", &got, &want)?;
        Ok(got)
    };
    let inputs = || (vectors(lengths(level), increments()), scales(), seeds());
    session.cases(Lane::Exact, Counts::of(16), inputs(), |case, (at, alpha, seed)| {
        let mut random = Random::new(seed);
        let alpha: T = alpha.value(&mut random, Data::Integers(9));
        let x: Vec<T> = random.vector(Data::Integers(100), at.len);
        let got = run(case, &at, alpha, &x)?;
        let want: Vec<T> = x.iter().map(|&x| integers(alpha, x, T::ZERO)).collect();
        equal_numbers(case, "x", &got, &want)
    })?;
    // 0 · NaN is NaN: nothing is left unread.
    session.cases(Lane::Poison, Counts::of(12), inputs(), |case, (at, alpha, seed)| {
        let mut random = Random::new(seed);
        let alpha: T = alpha.value(&mut random, Data::Special);
        let x: Vec<T> = random.vector(Data::Special, at.len);
        run(case, &at, alpha, &x).map(drop)
    })?;
    session.each(Lane::Exact, long(), |case, (at, _)| {
        let x: Vec<T> = Random::new(3).vector(Data::Integers(100), at.len);
        run(case, &at, T::from_integers([3, -2]), &x).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(12), inputs(), |case, (at, alpha, seed)| {
        let mut random = Random::new(seed);
        let alpha: T = alpha.value(&mut random, Data::Numbers);
        let x: Vec<T> = random.vector(Data::Numbers, at.len);
        let got = run(case, &at, alpha, &x)?;
        for (i, (&got, &x)) in got.iter().zip(&x).enumerate() {
            let exact = Pair::new(alpha.values()) * Pair::new(x.values());
            within(case, "x", i, got, exact, complex_factor::<T>() * T::UNIT * exact.modulus() + T::TINY)?;
        }
        Ok(())
    })
}

pub(super) fn axpy<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    /// Makes the data and runs the case; gives what it made and got.
    fn run<T: Scalars, D: Device>(
        case: &mut Case<'_, D>,
        (x_at, front, inc, scale, seed): (Vector, usize, isize, Scale, u64),
        data: Data,
    ) -> Verdict<(T, [Vec<T>; 3])> {
        let y_at = Vector { front, len: x_at.len, inc };
        let mut random = Random::new(seed);
        let alpha: T = scale.value(&mut random, data);
        let x = match alpha == T::ZERO {
            true => vec![T::poison(); x_at.len],
            false => seen(&x_at, random.vector(data, x_at.len)),
        };
        let y: Vec<T> = random.vector(data, x_at.len);
        let (x_image, y_image) = (Image::of_vector(&x_at, &x), Image::of_vector(&y_at, &y));
        let stream = case.stream();
        let (x_buffer, mut y_buffer) = (stream.from_slice(&x_image.elements)?, stream.from_slice(&y_image.elements)?);
        {
            device_vector!(x = x_buffer, x_at);
            device_vector!(mut y = y_buffer, y_at);
            stream.axpy(alpha, &x, &mut y)?;
        }
        unchanged(case, "x", &x_buffer, &x_image)?;
        let got = written(case, &y_buffer, &y_image, &y_at)?;
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| blas::axpy(alpha, x, y)).collect();
        case.bits("y", &got, &want)?;
        Ok((alpha, [x, y, got]))
    }
    let inputs = || (vectors(lengths(level), read_increments()), fronts(), increments(), scales(), seeds());
    session.cases(Lane::Exact, Counts::of(16), inputs(), |case, input| {
        let (alpha, [x, y, got]) = run::<T, D>(case, input, Data::Integers(30))?;
        if alpha == T::ZERO {
            return case.bits("y", &got, &y);
        }
        let want: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| integers(alpha, x, y)).collect();
        equal_numbers(case, "y", &got, &want)
    })?;
    let zero = (vectors(lengths(level), read_increments()), fronts(), increments(), Just(Scale::Zero), seeds());
    session.cases(Lane::Poison, Counts::of(6), zero, |case, input| {
        let (_, [_, y, got]) = run::<T, D>(case, input, Data::Special)?;
        case.bits("y, with alpha = 0,", &got, &y)
    })?;
    session.cases(Lane::Poison, Counts::of(8), inputs(), |case, input| {
        run::<T, D>(case, input, Data::Special).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(16), inputs(), |case, input| {
        let (alpha, [x, y, got]) = run::<T, D>(case, input, Data::Numbers)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        for (i, &got) in got.iter().enumerate() {
            let (product, y) = (Pair::new(alpha.values()) * Pair::new(x[i].values()), Pair::new(y[i].values()));
            let exact = product + y;
            // One rounding; two in each part of a complex number, the first of which may be of something larger.
            let bound = match T::DTYPE.is_complex() {
                true => complex_factor::<T>() * T::UNIT * (product.modulus() + y.modulus()),
                false => T::UNIT * exact.modulus(),
            };
            within(case, "y", i, got, exact, bound + T::TINY)?;
        }
        Ok(())
    })?;
    session.each(Lane::Exact, long(), |case, (at, inc)| {
        run::<T, D>(case, (at, 2, inc, Scale::MinusOne, 3), Data::Integers(30)).map(drop)
    })?;
    // Every length of a tail.
    session.each(Lane::Exact, 0..=130_usize, |case, len| {
        let at = Vector::dense(len % 4, len);
        run::<T, D>(case, (at, len % 3, 1, Scale::Generic, len as u64), Data::Numbers).map(drop)
    })
}

/// `alpha · x + y`, of integers.
fn integers<T: Scalars>(alpha: T, x: T, y: T) -> T {
    let ([a, b], [c, d], [re, im]) = (parts(alpha), parts(x), parts(y));
    T::from_integers([a * c - b * d + re, a * d + b * c + im])
}

fn parts<T: Scalars>(x: T) -> [i64; 2] {
    x.values().map(|x| x as i64)
}
