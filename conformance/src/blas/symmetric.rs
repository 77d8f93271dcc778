//! `symv`, `hemv`, `symm` and `hemm`: products with a matrix of which one triangle is stored.

use super::gemv;
use super::problem::{Problem, magnitude};
use super::triangles::{CASES, Call, Diagonal, calls, large, mirrored, source, triangle};
use super::{Scalars, device_vector, seen, unchanged, written};
use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Data, Image, Random, Scale, scales, zero_scales};
use crate::session::Session;
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{BlasTriangle, Buffer, Device, OperationKind, Precision, Side, Stream};

/// Which of the four.
#[derive(Clone, Copy, Debug)]
struct Routine {
    vector: bool,
    hermitian: bool,
    precision: Precision,
}

impl Routine {
    /// The product with the whole matrix.
    fn problem<T: Scalars>(&self, call: &Call, data: Data) -> Problem<T> {
        let mut random = Random::new(call.seed);
        let factors = Problem::<T>::factors(call.scales, data, &mut random);
        let (rows, cols) = if self.vector { (call.n, 1) } else { call.shape() };
        let mut problem = Problem::<T>::new([rows, cols, call.n], factors, Data::Numbers, &mut random);
        let mut element = source::<T>(&mut random, data);
        let square = mirrored(call.n, self.hermitian, call.uplo, &mut element);
        let mut refill = |x: &mut Vec<T>| x.iter_mut().filter(|x| !x.has_nan()).for_each(|x| *x = element());
        if self.vector || call.side == Side::Left {
            refill(&mut problem.b);
            if problem.alpha != T::ZERO {
                problem.a = square;
            }
        } else {
            refill(&mut problem.a);
            if problem.alpha != T::ZERO {
                problem.b = square;
            }
        }
        refill(&mut problem.c);
        if self.vector {
            problem.b = seen(&call.vector(1, call.incs.0), problem.b);
        }
        problem
    }

    fn run<T: Scalars, D: Device>(&self, case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>) -> Verdict<Vec<T>> {
        let (n, uplo) = (call.n, call.uplo);
        let left = self.vector || call.side == Side::Left;
        let (square, factor) = if left { (&problem.a, &problem.b) } else { (&problem.b, &problem.a) };
        let a_at = call.place(0, n, n);
        let a_image = triangle(&a_at, uplo, Diagonal::hermitian(self.hermitian), square);
        let stream = case.stream().with_precision(self.precision);
        let a_buffer = stream.from_slice(&a_image.elements)?;
        let a = a_buffer.slice(a_at.range())?.matrix_with(n, n, a_at.ld, a_at.layout)?;
        let (alpha, beta) = (problem.alpha, problem.beta);
        let got = if self.vector {
            let (x_at, y_at) = (call.vector(1, call.incs.0), call.vector(2, call.incs.1));
            let (x_image, y_image) = (Image::of_vector(&x_at, factor), Image::of_vector(&y_at, &problem.c));
            let x_buffer = stream.from_slice(&x_image.elements)?;
            let mut y_buffer = stream.from_slice(&y_image.elements)?;
            {
                device_vector!(x = x_buffer, x_at);
                device_vector!(mut y = y_buffer, y_at);
                match self.hermitian {
                    true => stream.hemv(uplo, alpha, &a, &x, beta, &mut y)?,
                    false => stream.symv(uplo, alpha, &a, &x, beta, &mut y)?,
                }
            }
            unchanged(case, "x", &x_buffer, &x_image)?;
            written(case, &y_buffer, &y_image, &y_at)?
        } else {
            let (rows, cols) = call.shape();
            let (b_at, c_at) = (call.place(1, rows, cols), call.place(2, rows, cols));
            let (b_image, c_image) = (Image::of_matrix(&b_at, factor), Image::of_matrix(&c_at, &problem.c));
            let b_buffer = stream.from_slice(&b_image.elements)?;
            let mut c_buffer = stream.from_slice(&c_image.elements)?;
            {
                let b = b_buffer.slice(b_at.range())?.matrix_with(rows, cols, b_at.ld, b_at.layout)?;
                let c = c_buffer.slice_mut(c_at.range())?;
                let mut c = c.matrix_mut_with(rows, cols, c_at.ld, c_at.layout)?;
                match self.hermitian {
                    true => stream.hemm(call.side, uplo, alpha, &a, &b, beta, &mut c)?,
                    false => stream.symm(call.side, uplo, alpha, &a, &b, beta, &mut c)?,
                }
            }
            unchanged(case, "b", &b_buffer, &b_image)?;
            super::written_matrix(case, "c", &c_buffer, &c_image, &c_at)?
        };
        unchanged(case, "a", &a_buffer, &a_image)?;
        Ok(got)
    }

    fn define<T: Scalars>(&self, problem: &Problem<T>) -> Vec<T> {
        if self.vector { gemv::define(problem) } else { problem.gemm() }
    }
}

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    use OperationKind as K;
    let level = session.level();
    let routine = Routine {
        vector: matches!(row.kind, K::Symv | K::Hemv),
        hermitian: matches!(row.kind, K::Hemv | K::Hemm),
        precision: row.precision.unwrap_or(Precision::Strict),
    };
    let reproducible = row.class == Class::Reproducible;
    let defined = |case: &mut Case<'_, D>, problem: &Problem<T>, got: &[T]| match reproducible {
        true => case.bits("c", got, &routine.define(problem)),
        false => Ok(()),
    };
    session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Integers(magnitude(row)));
        let got = routine.run(case, &call, &problem)?;
        defined(case, &problem, &got)?;
        problem.compare_integers(case, &got)
    })?;
    if reproducible {
        session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
            let problem = routine.problem::<T>(&call, Data::Special);
            let got = routine.run(case, &call, &problem)?;
            defined(case, &problem, &got)
        })?;
    }
    session.cases(Lane::Poison, CASES, calls(level, zero_scales()), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        defined(case, &problem, &got)?;
        if problem.alpha == T::ZERO && call.scales[1] != Scale::Generic {
            // +0, or `c`, or its negative: the same for every precision.
            case.bits("c, with alpha = 0,", &got, &routine.define(&problem))?;
        }
        problem.compare_bounded(case, row, &got)
    })?;
    session.cases(Lane::Bounded, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        defined(case, &problem, &got)?;
        problem.compare_bounded(case, row, &got)
    })?;
    // More than one block of the matrix.
    session.each(Lane::Bounded, [(261, Side::Left), (259, Side::Right)], |case, (n, side)| {
        let call = large(n, 1, side);
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        defined(case, &problem, &got)?;
        problem.compare_bounded(case, row, &got)
    })
}
