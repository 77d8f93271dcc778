//! `trmv` and `trmm`: products with a triangular matrix.

use super::problem::{Problem, magnitude, stored};
use super::triangles::{CASES, Call, Diagonal, calls, inside, large, other, source, triangle};
use super::{Scalars, device_vector, unchanged, written, written_matrix};
use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Data, Image, Random, Sample, Scale, scales};
use crate::session::Session;
use proptest::prelude::Just;
use warpwave_core::numerics::blas;
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{BlasTriangle, Buffer, Device, Diag, Op, OperationKind, Precision, Side, Stream, Uplo};

/// The triangle of op(a).
pub(super) fn entering(call: &Call) -> Uplo {
    if call.op == Op::N { call.uplo } else { other(call.uplo) }
}

/// op(a), row by row: what `make` gives in the triangle, 0 elsewhere, and 1 on the diagonal if it has ones.
pub(super) fn op_of_a<T: Sample>(call: &Call, mut make: impl FnMut(usize, usize) -> T) -> Vec<T> {
    let n = call.n;
    let mut element = |place: usize| {
        let (i, j) = (place / n, place % n);
        let value = make(i, j);
        match inside(entering(call), i, j) {
            false => T::from_integer(0),
            true if i == j && call.diag == Diag::Unit => T::from_integer(1),
            true => value,
        }
    };
    (0..n * n).map(&mut element).collect()
}

/// Which of the two.
#[derive(Clone, Copy, Debug)]
struct Routine {
    vector: bool,
    precision: Precision,
}

impl Routine {
    /// The product with the triangle filled up by zeros.
    fn problem<T: Scalars>(&self, call: &Call, data: Data) -> Problem<T> {
        let mut random = Random::new(call.seed);
        let zero = T::from_integer(0);
        let [alpha, _] = match self.vector {
            true => [T::from_integer(1), zero],
            false => Problem::<T>::factors(call.scales, data, &mut random),
        };
        let (rows, cols) = if self.vector { (call.n, 1) } else { call.shape() };
        let mut problem = Problem::<T>::new([rows, cols, call.n], [alpha, zero], data, &mut random);
        if alpha != zero {
            let mut element = source::<T>(&mut random, data);
            let square = op_of_a(call, |_, _| element());
            match self.left(call) {
                true => problem.a = square,
                false => problem.b = square,
            }
            let other = if self.left(call) { &mut problem.b } else { &mut problem.a };
            other.iter_mut().for_each(|x| *x = element());
        }
        problem
    }

    fn left(&self, call: &Call) -> bool {
        self.vector || call.side == Side::Left
    }

    fn run<T: Scalars, D: Device>(&self, case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>) -> Verdict<Vec<T>> {
        let Call { n, uplo, op, diag, .. } = *call;
        let (square, factor) = if self.left(call) { (&problem.a, &problem.b) } else { (&problem.b, &problem.a) };
        let a_at = call.place(0, n, n);
        let a_image = triangle(&a_at, uplo, Diagonal::of(diag), &stored(op, square, n, n));
        let stream = case.stream().with_precision(self.precision);
        let a_buffer = stream.from_slice(&a_image.elements)?;
        let a = a_buffer.slice(a_at.range())?.matrix_with(n, n, a_at.ld, a_at.layout)?;
        let got = if self.vector {
            let x_at = call.vector(1, call.incs.1);
            let x_image = Image::of_vector(&x_at, factor);
            let mut x_buffer = stream.from_slice(&x_image.elements)?;
            {
                device_vector!(mut x = x_buffer, x_at);
                stream.trmv(uplo, op, diag, &a, &mut x)?;
            }
            written(case, &x_buffer, &x_image, &x_at)?
        } else {
            let (rows, cols) = call.shape();
            let b_at = call.place(1, rows, cols);
            let b_image = Image::of_matrix(&b_at, factor);
            let mut b_buffer = stream.from_slice(&b_image.elements)?;
            {
                let b = b_buffer.slice_mut(b_at.range())?;
                let mut b = b.matrix_mut_with(rows, cols, b_at.ld, b_at.layout)?;
                stream.trmm(call.side, uplo, op, diag, problem.alpha, &a, &mut b)?;
            }
            written_matrix(case, "b", &b_buffer, &b_image, &b_at)?
        };
        unchanged(case, "a", &a_buffer, &a_image)?;
        Ok(got)
    }

    /// The definition in class R.
    fn define<T: Scalars>(&self, call: &Call, problem: &Problem<T>) -> Vec<T> {
        let Problem { n, k, alpha, beta, .. } = *problem;
        let one = |place: usize| {
            let (i, j) = (place / n, place % n);
            let is_inside = |&l: &usize| match self.left(call) {
                true => inside(entering(call), i, l),
                false => inside(entering(call), l, j),
            };
            let part: Vec<usize> = (0..k).filter(is_inside).collect();
            let (a, b) = (|l: usize| problem.a[i * k + part[l]], |l: usize| problem.b[part[l] * n + j]);
            match self.vector {
                true => blas::dot(part.len(), a, b),
                false => blas::gemm(part.len(), alpha, a, b, beta, problem.c[place]),
            }
        };
        (0..problem.m * n).map(one).collect()
    }
}

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let level = session.level();
    let routine =
        Routine { vector: row.kind == OperationKind::Trmv, precision: row.precision.unwrap_or(Precision::Strict) };
    let reproducible = row.class == Class::Reproducible;
    let defined = |case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>, got: &[T]| match reproducible {
        true => case.bits("b", got, &routine.define(call, problem)),
        false => Ok(()),
    };
    session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Integers(magnitude(row)));
        let got = routine.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        problem.compare_integers(case, &got)
    })?;
    if reproducible {
        session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
            let problem = routine.problem::<T>(&call, Data::Special);
            let got = routine.run(case, &call, &problem)?;
            defined(case, &call, &problem, &got)
        })?;
    }
    session.cases(Lane::Exact, CASES, calls(level, Just([Scale::One; 2])), |case, call| {
        let call = Call { n: call.n.max(1), m: call.m.max(1), ..call };
        let mut problem = routine.problem::<T>(&call, Data::Integers(magnitude(row)));
        let exact = problem.integers();
        // A NaN in one vector is everywhere that the vector is, in the triangle, and nowhere else.
        let mut random = Random::new(!call.seed);
        let (n, cols) = (call.n, problem.n);
        let (vector, at) = (random.below(if routine.vector { 1 } else { call.m }), random.below(n));
        let place = if routine.left(&call) { at * cols + vector } else { vector * n + at };
        let nan = T::from_values([f64::NAN; 2]);
        if routine.left(&call) {
            problem.b[place] = nan;
        } else {
            problem.a[place] = nan;
        }
        let got = routine.run(case, &call, &problem)?;
        for (i, (got, exact)) in got.iter().zip(exact).enumerate() {
            let (row, col) = (i / cols, i % cols);
            let (of_vector, index) = if routine.left(&call) { (col, row) } else { (row, col) };
            let reached = match routine.left(&call) {
                true => inside(entering(&call), index, at),
                false => inside(entering(&call), at, index),
            };
            let right = match of_vector == vector && reached {
                true => got.values()[0].is_nan(),
                false => of_vector == vector || got.values() == exact.values(),
            };
            case.ensure(right, format_args!("b[{i}]: {got:?}, with NaN in element {at} of vector {vector}"))?;
        }
        Ok(())
    })?;
    session.cases(Lane::Poison, CASES, calls(level, Just([Scale::Zero; 2])), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        match routine.vector {
            true => problem.compare_bounded(case, row, &got),
            // Neither matrix is read.
            false => case.bits("b, with alpha = 0,", &got, &vec![T::from_integer(0); got.len()]),
        }
    })?;
    session.cases(Lane::Bounded, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        problem.compare_bounded(case, row, &got)
    })?;
    // More than one block of the matrix, and of the vectors.
    let sizes = [(201, 1, Side::Left), (139, 1, Side::Right), (5, 301, Side::Left), (7, 303, Side::Right)];
    session.each(Lane::Bounded, sizes, |case, (n, m, side)| {
        let call = large(n, m, side);
        let problem = routine.problem::<T>(&call, Data::Numbers);
        let got = routine.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        problem.compare_bounded(case, row, &got)
    })
}
