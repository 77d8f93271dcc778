//! `ger` and `gerc`.

use super::problem::conjugate;
use super::{Scalars, complex_factor, device_vector, seen, unchanged};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{
    Data, Image, Matrix, Pair, Random, Scale, Vector, dimensions, equal_numbers, fronts, matrices, read_increments,
    scales, seeds, within,
};
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::blas;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Buffer, Device, Layout, Stream};

type Input = (Matrix, [usize; 2], [isize; 2], Scale, u64);

/// What a case was made of, and what it gave; matrices row by row.
struct Outcome<T> {
    alpha: T,
    x: Vec<T>,
    /// As it enters: conjugated already.
    y: Vec<T>,
    a: Vec<T>,
    got: Vec<T>,
}

/// Makes the data and runs the case, and compares with the definition.
fn run<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    (at, fronts, incs, scale, seed): Input,
    data: Data,
    conj: bool,
) -> Verdict<Outcome<T>> {
    let x_at = Vector { front: fronts[0], len: at.rows, inc: incs[0] };
    let y_at = Vector { front: fronts[1], len: at.cols, inc: incs[1] };
    let mut random = Random::new(seed);
    let alpha: T = scale.value(&mut random, data);
    let mut vector = |at: &Vector| match alpha == T::ZERO {
        true => vec![T::poison(); at.len],
        false => seen(at, random.vector(data, at.len)),
    };
    let (x, y) = (vector(&x_at), vector(&y_at));
    let a: Vec<T> = random.vector(data, at.rows * at.cols);
    let (x_image, y_image) = (Image::of_vector(&x_at, &x), Image::of_vector(&y_at, &y));
    let stream = case.stream();
    let (x_buffer, y_buffer) = (stream.from_slice(&x_image.elements)?, stream.from_slice(&y_image.elements)?);
    let mut a_buffer = stream.from_slice(&Image::of_matrix(&at, &a).elements)?;
    {
        device_vector!(x = x_buffer, x_at);
        device_vector!(y = y_buffer, y_at);
        let a = a_buffer.slice_mut(at.range())?;
        let mut a = a.matrix_mut_with(at.rows, at.cols, at.ld, at.layout)?;
        match conj {
            true => stream.gerc(alpha, &x, &y, &mut a)?,
            false => stream.ger(alpha, &x, &y, &mut a)?,
        }
    }
    unchanged(case, "x", &x_buffer, &x_image)?;
    unchanged(case, "y", &y_buffer, &y_image)?;
    let y: Vec<T> = if conj { y.into_iter().map(conjugate).collect() } else { y };
    let one = |i: usize| blas::ger(alpha, x[i / at.cols], y[i % at.cols], a[i]);
    let want: Vec<T> = (0..a.len()).map(one).collect();
    let got = case.read(&a_buffer)?;
    case.bits("a with what lies around it", &got, &Image::of_matrix(&at, &want).elements)?;
    Ok(Outcome { alpha, x, y, a, got: at.places().map(|place| got[place]).collect() })
}

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, conj: bool) -> Verdict {
    let largest = if session.level() == Level::Smoke { 65 } else { 129 };
    let inputs = |scales: BoxedStrategy<Scale>| {
        let incs = [read_increments(), read_increments()];
        (matrices(dimensions(largest), dimensions(largest)), [fronts(), fronts()], incs, scales, seeds())
    };
    session.cases(Lane::Exact, Counts::of(25), inputs(scales().boxed()), |case, input| {
        let Outcome { alpha, x, y, a, got } = run::<T, D>(case, input, Data::Integers(30), conj)?;
        if alpha == T::ZERO {
            return case.bits("a", &got, &a);
        }
        let parts = |x: T| x.values().map(|x| x as i64);
        let product = |[a, b]: [i64; 2], [c, d]: [i64; 2]| [a * c - b * d, a * d + b * c];
        let one = |(i, &a): (usize, &T)| {
            let [re, im] = product(product(parts(alpha), parts(y[i % y.len()])), parts(x[i / y.len()]));
            T::from_integers([re + parts(a)[0], im + parts(a)[1]])
        };
        let want: Vec<T> = a.iter().enumerate().map(one).collect();
        equal_numbers(case, "a", &got, &want)
    })?;
    session.cases(Lane::Poison, Counts::of(15), inputs(scales().boxed()), |case, input| {
        run::<T, D>(case, input, Data::Special, conj).map(drop)
    })?;
    session.cases(Lane::Poison, Counts::of(10), inputs(Just(Scale::Zero).boxed()), |case, input| {
        let Outcome { a, got, .. } = run::<T, D>(case, input, Data::Special, conj)?;
        case.bits("a, with alpha = 0,", &got, &a)
    })?;
    // More than one block of rows or columns.
    session.each(Lane::Exact, [(3, 257), (257, 3), (300, 513)], |case, (rows, cols)| {
        let at = Matrix::new(1, rows, cols, 3, Layout::ColumnMajor);
        run::<T, D>(case, (at, [2, 1], [1, -2], Scale::Generic, 29), Data::Numbers, conj).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(20), inputs(scales().boxed()), |case, input| {
        let Outcome { alpha, x, y, a, got } = run::<T, D>(case, input, Data::Numbers, conj)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        for (i, &got) in got.iter().enumerate() {
            let factors = [alpha, y[i % y.len()], x[i / y.len()]].map(|x| Pair::new(x.values()));
            let product = factors[0] * factors[1] * factors[2];
            let exact = product + Pair::new(a[i].values());
            // alpha · y is rounded, and then the rest.
            let size = product.modulus() + Pair::new(a[i].values()).modulus();
            within(case, "a", i, got, exact, complex_factor::<T>() * 3.0 * T::UNIT * size + T::TINY)?;
        }
        Ok(())
    })
}
