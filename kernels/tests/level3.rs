//! Level 3 for symmetric, Hermitian and triangular matrices against its definitions.
#![allow(clippy::unwrap_used)]

mod common;
mod operands;

use common::Host;
use operands::{Matrix, Numbers, assert_bits, run, scalars};
use warpwave_core::numerics::blas::triangular::{self, stored, transposed};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::operation::{Layout, RankUpdate, Symm, TriangularMatrix, TriangularProduct};
use warpwave_core::{Diag, Op, Operation, Precision, ScalarValue, Side, Uplo};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const UPLOS: [Uplo; 2] = [Uplo::Lower, Uplo::Upper];
const SIDES: [Side; 2] = [Side::Left, Side::Right];
const DIAGS: [Diag; 2] = [Diag::Unit, Diag::NonUnit];
const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
/// Order of the matrix of which one triangle is there, and the other dimension.
const SIZES: [[usize; 2]; 16] = [
    [1, 1],
    [2, 3],
    [7, 5],
    [15, 17],
    [16, 16],
    [17, 2],
    [31, 33],
    [32, 32],
    [33, 65],
    [64, 64],
    [65, 31],
    [96, 129],
    [129, 40],
    [128, 128],
    [161, 130],
    [260, 70],
];

trait Tested: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic<Compute = Self> {}
impl<T: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic<Compute = T>> Tested for T {}

fn matrix<T: Tested>(numbers: &mut Numbers, rows: usize, cols: usize, batch: usize) -> Matrix<T> {
    let (layout, pad, first) = (numbers.choose(&LAYOUTS), numbers.choose(&[0, 0, 1, 4]), numbers.choose(&[0, 0, 3]));
    Matrix::new(numbers, rows, cols, layout, [pad, first, batch])
}

fn compare<T: Tested>(c: &Matrix<T>, operation: &Operation, expected: &[T]) {
    for host in Host::both() {
        c.reset();
        run(&host, operation, c.rows as u64);
        assert_bits(&c.array.to_vec(), expected, format!("warp {} {operation:?}", host.warp));
    }
}

fn symm<T: Tested>() {
    let mut numbers = Numbers::new(21);
    for [n, other] in SIZES {
        for hermitian in [false, true] {
            let (side, uplo) = (numbers.choose(&SIDES), numbers.choose(&UPLOS));
            let (rows, cols) = if side == Side::Left { (n, other) } else { (other, n) };
            let mut a = matrix::<T>(&mut numbers, n, n, 1);
            a.poison(|i, j| !stored(uplo, i, j));
            let (b, mut c) = (matrix::<T>(&mut numbers, rows, cols, 1), matrix::<T>(&mut numbers, rows, cols, 1));
            let scalars = scalars::<T>();
            let (alpha, beta) = (numbers.choose(&[scalars[0], scalars[3], scalars[3]]), numbers.choose(&scalars));
            if beta == scalars[0] {
                c.poison(|_, _| true);
            }
            let operation = Operation::Symm(Symm {
                hermitian,
                side,
                uplo,
                alpha: ScalarValue::new(alpha),
                a: a.operand(),
                b: b.operand(),
                beta: ScalarValue::new(beta),
                c: c.operand(),
                precision: Precision::Reproducible,
            });
            let full = |i, j| {
                let at = |i, j| a.get(0, i, j);
                if hermitian { triangular::hermitian(uplo, i, j, at) } else { triangular::symmetric(uplo, i, j, at) }
            };
            let mut expected = c.old.clone();
            for i in 0..rows {
                for j in 0..cols {
                    let old = c.get(0, i, j);
                    expected[c.at(0, i, j)] = match side {
                        Side::Left => blas::gemm(n, alpha, |k| full(i, k), |k| b.get(0, k, j), beta, old),
                        _ => blas::gemm(n, alpha, |k| b.get(0, i, k), |k| full(k, j), beta, old),
                    };
                }
            }
            compare(&c, &operation, &expected);
        }
    }
}

fn syrk<T: Tested>() {
    let mut numbers = Numbers::new(22);
    for (case, [n, k]) in SIZES.into_iter().chain([[5, 0], [33, 0], [70, 0]]).chain(SIZES).enumerate() {
        for hermitian in [false, true] {
            let (uplo, transpose) = (numbers.choose(&UPLOS), numbers.below(2) == 1);
            let op = match transpose {
                false => Op::N,
                true if hermitian => Op::C,
                true => Op::T,
            };
            let mut a = if transpose { matrix::<T>(&mut numbers, k, n, 1) } else { matrix::<T>(&mut numbers, n, k, 1) };
            let mut c = matrix::<T>(&mut numbers, n, n, 1);
            let (scalars, reals) = (scalars::<T>(), scalars::<T::Magnitude>());
            let (mut alpha, beta) = (numbers.below(4), case % 4);
            if case > 10 && alpha == 0 {
                alpha = 3;
            }
            if alpha == 0 {
                a.poison(|_, _| true);
            }
            c.poison(|i, j| beta == 0 || !stored(uplo, i, j));
            let value = |i: usize| if hermitian { ScalarValue::new(reals[i]) } else { ScalarValue::new(scalars[i]) };
            let operation = Operation::Syrk(RankUpdate {
                hermitian,
                uplo,
                op,
                alpha: value(alpha),
                a: a.operand(),
                beta: value(beta),
                c: c.operand(),
                precision: Precision::Reproducible,
            });
            let left = |i, k| match op {
                Op::N => a.get(0, i, k),
                Op::T => a.get(0, k, i),
                _ => a.get(0, k, i).conj(),
            };
            let mut expected = c.old.clone();
            for i in 0..n {
                for j in 0..n {
                    if !stored(uplo, i, j) {
                        continue;
                    }
                    let (row, old) = (|k| left(i, k), c.get(0, i, j));
                    expected[c.at(0, i, j)] = match hermitian {
                        true => triangular::herk(k, reals[alpha], row, |k| left(j, k).conj(), reals[beta], old, i == j),
                        false => blas::gemm(k, scalars[alpha], row, |k| left(j, k), scalars[beta], old),
                    };
                }
            }
            compare(&c, &operation, &expected);
        }
    }
}

fn products<T: Tested>(solve: bool) {
    let mut numbers = Numbers::new(23);
    for (case, [n, other]) in SIZES.into_iter().chain(SIZES).chain(SIZES).enumerate() {
        let (side, uplo, diag) = (numbers.choose(&SIDES), numbers.choose(&UPLOS), numbers.choose(&DIAGS));
        let op = numbers.choose(&OPS);
        let (rows, cols) = if side == Side::Left { (n, other) } else { (other, n) };
        let batch = if n * other < 1000 { numbers.choose(&[1, 3]) } else { 1 };
        let (mut a, mut b) = (matrix::<T>(&mut numbers, n, n, batch), matrix::<T>(&mut numbers, rows, cols, batch));
        let alpha = if case % 8 == 7 { scalars::<T>()[0] } else { numbers.choose(&scalars::<T>()[1..]) };
        a.poison(|i, j| alpha == T::ZERO || !stored(uplo, i, j) || (i == j && diag == Diag::Unit));
        if alpha == T::ZERO {
            b.poison(|_, _| true);
        }
        let product = TriangularProduct {
            side,
            alpha: ScalarValue::new(alpha),
            a: TriangularMatrix { uplo, op, diag, matrix: a.operand() },
            b: b.operand(),
            batch,
            strides: [a.stride, b.stride],
            precision: Precision::Reproducible,
        };
        let effective = transposed(uplo, op);
        let mut expected = b.old.clone();
        for z in 0..batch {
            let at = |i, j| triangular::triangular(diag, op, i, j, |i, j| a.get(z, i, j));
            if solve {
                let mut solve =
                    |uplo, t: &dyn Fn(usize, usize) -> T, sides: usize, place: &dyn Fn(usize, usize) -> usize| {
                        for side in 0..sides {
                            let mut x: Vec<T> = (0..n).map(|i| b.old[place(i, side)]).collect();
                            triangular::solve(uplo, diag, alpha, t, &mut x);
                            (0..n).for_each(|i| expected[place(i, side)] = x[i]);
                        }
                    };
                match side {
                    Side::Left => solve(effective, &at, cols, &|i, side| b.at(z, i, side)),
                    _ => solve(transposed(effective, Op::T), &|i, j| at(j, i), rows, &|i, side| b.at(z, side, i)),
                }
                continue;
            }
            let lower = effective == Uplo::Lower;
            for i in 0..rows {
                for j in 0..cols {
                    let range = match (side, lower) {
                        (Side::Left, true) => 0..i + 1,
                        (Side::Left, false) => i..n,
                        (_, true) => j..n,
                        (_, false) => 0..j + 1,
                    };
                    let start = range.start;
                    let (t, other) = (
                        |k| if side == Side::Left { at(i, start + k) } else { at(start + k, j) },
                        |k| if side == Side::Left { b.get(z, start + k, j) } else { b.get(z, i, start + k) },
                    );
                    expected[b.at(z, i, j)] = match side {
                        Side::Left => blas::gemm(range.len(), alpha, t, other, T::ZERO, T::ZERO),
                        _ => blas::gemm(range.len(), alpha, other, t, T::ZERO, T::ZERO),
                    };
                }
            }
        }
        compare(&b, &if solve { Operation::Trsm(product) } else { Operation::Trmm(product) }, &expected);
    }
}

macro_rules! tests {
    ($($name:ident $t:ty),*) => { $(
        mod $name {
            #[allow(unused_imports)]
            use warpwave_core::{Complex32, Complex64};

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn symm() {
                super::symm::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn syrk() {
                super::syrk::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn trmm() {
                super::products::<$t>(false);
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn trsm() {
                super::products::<$t>(true);
            }
        }
    )* };
}
tests!(of_f32 f32, of_f64 f64, of_c32 Complex32, of_c64 Complex64);
