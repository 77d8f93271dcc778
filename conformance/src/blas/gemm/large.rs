//! Products that several threads and blocks share.
//!
//! The rows of the left matrix repeat, and so do the columns of the right one and both in `c`: so few elements of the result are
//! different that integer arithmetic gives them all at once. The periods are primes, so that no tile that is moved lands on its
//! like.

use super::{Batch, Call};
use crate::blas::Factors;
use crate::blas::problem::{Problem, magnitude};
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Data, Random, Sample, Scale, equal_numbers};
use crate::session::Session;
use warpwave_core::numerics::contract::{Lane, Row};
use warpwave_core::{Device, Layout, Op, Precision};

/// Rows and columns that are different.
const ROWS: usize = 13;
const COLS: usize = 11;

/// Sizes and ways of entering. The first has more than 2²⁰ products of elements.
fn calls(level: Level, listed: bool) -> Vec<([usize; 3], [Op; 2])> {
    let mut calls = vec![([131, 127, 67], [Op::N, Op::T])];
    match level {
        Level::Smoke if listed => calls.clear(),
        Level::Smoke => {}
        // Past every block of rows, of columns and of the sum.
        _ => calls.extend([
            ([131, 127, 67], [Op::C, Op::N]),
            ([257, 501, 530], [Op::N, Op::N]),
            ([1031, 37, 523], [Op::T, Op::C]),
            ([37, 1031, 523], [Op::N, Op::T]),
        ]),
    }
    calls
}

pub(super) fn check<T: Factors, D: Device>(
    session: &mut Session<'_, D>,
    row: &Row,
    precision: Precision,
    listed: bool,
) -> Verdict {
    session.each(Lane::Exact, calls(session.level(), listed), |case, (size, ops)| {
        let call = Call {
            size,
            ops,
            scales: [Scale::Generic; 2],
            fronts: [1, 2, 3],
            extras: [1, 0, 3],
            layouts: [Layout::ColumnMajor, Layout::RowMajor, Layout::ColumnMajor],
            batch: if listed { Batch::Listed } else { Batch::Single },
            count: 1,
            seed: 0,
        };
        let [m, n, k] = size;
        let factors = [[2, 1], [-3, 2]].map(T::Compute::from_integers);
        let few = Problem::<T>::new([ROWS, COLS, k], factors, Data::Integers(magnitude(row)), &mut Random::new(23));
        let got = call.run(case, precision, &[repeated(&few, m, n)])?.concat();
        equal_numbers(case, "c", &got, &spread(&few.integers(), m, n))
    })
}

/// The product with `m` rows and `n` columns, of which each is one of the few.
fn repeated<T: Factors>(few: &Problem<T>, m: usize, n: usize) -> Problem<T> {
    let k = few.k;
    Problem {
        m,
        n,
        a: (0..m).flat_map(|i| few.a[i % ROWS * k..][..k].iter().copied()).collect(),
        b: (0..k * n).map(|at| few.b[at / n * COLS + at % n % COLS]).collect(),
        c: spread(&few.c, m, n),
        ..*few
    }
}

/// An `m × n` matrix that repeats one of [`ROWS`] × [`COLS`], row by row.
fn spread<T: Copy>(few: &[T], m: usize, n: usize) -> Vec<T> {
    (0..m * n).map(|at| few[at / n % ROWS * COLS + at % n % COLS]).collect()
}
