//! Level 2 against its definitions.
#![allow(clippy::unwrap_used)]

mod common;
mod operands;

use common::Host;
use operands::{Matrix, Numbers, Vector, assert_bits, run, scalars};
use warpwave_core::numerics::blas::triangular::{self, stored, transposed};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::operation::{Gemv, Layout, Symv, TriangularMatrix};
use warpwave_core::{Diag, Op, Operation, Precision, ScalarValue, Uplo};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const ORDERS: [usize; 16] = [1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 65, 127, 129, 200, 301];
const INCREMENTS: [isize; 6] = [1, 1, 1, -1, 2, -2];

trait Tested: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic {}
impl<T: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic> Tested for T {}

fn vector<T: Tested>(numbers: &mut Numbers, len: usize) -> Vector<T> {
    let (inc, first) = (numbers.choose(&INCREMENTS), numbers.choose(&[0, 0, 1, 4]));
    Vector::new(numbers, len, inc, first)
}

fn matrix<T: Tested>(numbers: &mut Numbers, rows: usize, cols: usize) -> Matrix<T> {
    let (layout, pad, first) = (numbers.choose(&LAYOUTS), numbers.choose(&[0, 0, 1, 4]), numbers.choose(&[0, 0, 3]));
    Matrix::new(numbers, rows, cols, layout, [pad, first, 1])
}

fn compare_vector<T: Tested>(y: &Vector<T>, operation: &Operation, f: impl Fn(usize) -> T) {
    let mut expected = y.old.clone();
    (0..y.len).for_each(|i| expected[y.at(i)] = f(i));
    for host in Host::both() {
        y.reset();
        run(&host, operation, y.len as u64);
        assert_bits(&y.array.to_vec(), &expected, format!("warp {} {operation:?}", host.warp));
    }
}

fn compare_matrix<T: Tested>(a: &Matrix<T>, operation: &Operation, f: impl Fn(usize, usize, T) -> T) {
    let mut expected = a.old.clone();
    for i in 0..a.rows {
        (0..a.cols).for_each(|j| expected[a.at(0, i, j)] = f(i, j, a.get(0, i, j)));
    }
    for host in Host::both() {
        a.reset();
        run(&host, operation, a.rows as u64);
        assert_bits(&a.array.to_vec(), &expected, format!("warp {} {operation:?}", host.warp));
    }
}

fn gemv<T: Tested>() {
    let mut numbers = Numbers::new(3);
    let sizes =
        [[1, 1], [3, 2], [5, 0], [7, 15], [16, 17], [33, 31], [64, 65], [65, 129], [200, 3], [2, 1023], [3, 1025]];
    let long = [[2, 5000], [3, 8191], [2, 8192], [5, 8193], [1, 17000], [33, 1024]];
    for (case, [m, n]) in sizes.into_iter().chain(sizes).chain(long).chain(long).enumerate() {
        let op = numbers.choose(&[Op::N, Op::T, Op::C]);
        let (rows, cols) = if op == Op::N { (m, n) } else { (n, m) };
        let (mut a, mut x, mut y) =
            (matrix::<T>(&mut numbers, rows, cols), vector(&mut numbers, n), vector(&mut numbers, m));
        let scalars = scalars::<T>();
        let alpha = if case < 9 { numbers.choose(&scalars) } else { scalars[3] };
        let beta = numbers.choose(&scalars);
        if alpha == scalars[0] {
            a.poison(|_, _| true);
            x.poison();
        }
        if beta == scalars[0] {
            y.poison();
        }
        let operation = Operation::Gemv(Gemv {
            op,
            alpha: ScalarValue::new(alpha),
            a: a.operand(),
            x: x.operand(),
            beta: ScalarValue::new(beta),
            y: y.operand(),
            precision: Precision::Reproducible,
        });
        compare_vector(&y, &operation, |i| {
            let at = |k| match op {
                Op::N => a.get(0, i, k),
                Op::T => a.get(0, k, i),
                _ => a.get(0, k, i).conj(),
            };
            blas::gemv(n, alpha, at, |k| x.get(k), beta, y.get(i))
        });
    }
}

fn symv<T: Tested>() {
    let mut numbers = Numbers::new(4);
    for n in ORDERS.into_iter().chain([1030]).chain(ORDERS) {
        for hermitian in [false, true] {
            let uplo = numbers.choose(&[Uplo::Lower, Uplo::Upper]);
            let (mut a, x, mut y) = (matrix::<T>(&mut numbers, n, n), vector(&mut numbers, n), vector(&mut numbers, n));
            a.poison(|i, j| !stored(uplo, i, j));
            let scalars = scalars::<T>();
            let (alpha, beta) = (numbers.choose(&scalars), numbers.choose(&scalars));
            if beta == scalars[0] {
                y.poison();
            }
            let operation = Operation::Symv(Symv {
                hermitian,
                uplo,
                alpha: ScalarValue::new(alpha),
                a: a.operand(),
                x: x.operand(),
                beta: ScalarValue::new(beta),
                y: y.operand(),
                precision: Precision::Reproducible,
            });
            compare_vector(&y, &operation, |i| {
                let stored = |i, j| a.get(0, i, j);
                let at = |k| match hermitian {
                    true => triangular::hermitian(uplo, i, k, stored),
                    false => triangular::symmetric(uplo, i, k, stored),
                };
                blas::gemv(n, alpha, at, |k| x.get(k), beta, y.get(i))
            });
        }
    }
}

fn trmv<T: Tested>(orders: &[usize]) {
    let mut numbers = Numbers::new(6);
    for &n in orders {
        for _ in 0..3 {
            let (uplo, diag) =
                (numbers.choose(&[Uplo::Lower, Uplo::Upper]), numbers.choose(&[Diag::Unit, Diag::NonUnit]));
            let op = numbers.choose(&[Op::N, Op::T, Op::C]);
            let (mut a, x) = (matrix::<T>(&mut numbers, n, n), vector::<T>(&mut numbers, n));
            a.poison(|i, j| !stored(uplo, i, j) || (i == j && diag == Diag::Unit));
            let operation = Operation::Trmv {
                a: TriangularMatrix { uplo, op, diag, matrix: a.operand() },
                x: x.operand(),
                precision: Precision::Reproducible,
            };
            compare_vector(&x, &operation, |i| {
                let row = if transposed(uplo, op) == Uplo::Lower { 0..i + 1 } else { i..n };
                let at = |k| triangular::triangular(diag, op, i, row.start + k, |i, j| a.get(0, i, j));
                blas::dot(row.len(), at, |k| x.get(row.start + k))
            });
        }
    }
}

/// Rows of more than one chunk beside rows of one: partial results that not every row has.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn trmv_of_several_chunks() {
    let mut numbers = Numbers::new(12);
    let n = 8195;
    for (warp, uplo) in [(32, Uplo::Lower), (64, Uplo::Upper)] {
        // Every row is the same.
        let (row, x) = (vector_of(&mut numbers, n), Vector::<f32>::new(&mut numbers, n, 1, 0));
        let mut elements = vec![0.0; n * n];
        elements.chunks_mut(n).for_each(|to| to.copy_from_slice(&row));
        let array = common::Array::from(&elements);
        let matrix = array.matrix(0, n, n, n, Layout::RowMajor);
        let operation = Operation::Trmv {
            a: TriangularMatrix { uplo, op: Op::N, diag: Diag::NonUnit, matrix },
            x: x.operand(),
            precision: Precision::Reproducible,
        };
        run(&Host::new(warp).checked(false), &operation, 1);
        let expected: Vec<f32> = (0..n)
            .map(|i| {
                let part = if uplo == Uplo::Lower { 0..i + 1 } else { i..n };
                blas::dot(part.len(), |k| row[part.start + k], |k| x.get(part.start + k))
            })
            .collect();
        assert_bits(&x.array.to_vec(), &expected, uplo);
    }
}

fn vector_of(numbers: &mut Numbers, n: usize) -> Vec<f32> {
    (0..n).map(|_| numbers.element()).collect()
}

fn trsv<T: Tested>() {
    let mut numbers = Numbers::new(11);
    for n in ORDERS.into_iter().chain(ORDERS) {
        let (uplo, diag) = (numbers.choose(&[Uplo::Lower, Uplo::Upper]), numbers.choose(&[Diag::Unit, Diag::NonUnit]));
        let op = numbers.choose(&[Op::N, Op::T, Op::C]);
        let (mut a, x) = (matrix::<T>(&mut numbers, n, n), vector::<T>(&mut numbers, n));
        a.poison(|i, j| !stored(uplo, i, j) || (i == j && diag == Diag::Unit));
        let operation = Operation::Trsv {
            a: TriangularMatrix { uplo, op, diag, matrix: a.operand() },
            x: x.operand(),
            precision: Precision::Reproducible,
        };
        let mut solution: Vec<T> = (0..n).map(|i| x.get(i)).collect();
        let at = |i, j| triangular::triangular(diag, op, i, j, |i, j| a.get(0, i, j));
        triangular::solve(transposed(uplo, op), diag, warpwave_core::numerics::Numeric::ONE, at, &mut solution);
        compare_vector(&x, &operation, |i| solution[i]);
    }
}

fn ger<T: Tested>() {
    let mut numbers = Numbers::new(7);
    let sizes =
        [[1, 1], [3, 2], [7, 15], [16, 16], [17, 5], [33, 31], [64, 65], [65, 129], [200, 3], [2, 300], [128, 64]];
    for [m, n] in sizes.into_iter().chain(sizes) {
        for alpha in scalars::<T>() {
            for conj in [false, true] {
                let (a, x, y) =
                    (matrix::<T>(&mut numbers, m, n), vector::<T>(&mut numbers, m), vector::<T>(&mut numbers, n));
                let value = ScalarValue::new(alpha);
                let operation = Operation::Ger { conj, alpha: value, x: x.operand(), y: y.operand(), a: a.operand() };
                compare_matrix(&a, &operation, |i, j, old| {
                    blas::ger(alpha, x.get(i), if conj { y.get(j).conj() } else { y.get(j) }, old)
                });
            }
        }
    }
}

fn syr<T: Tested>() {
    let mut numbers = Numbers::new(8);
    for n in ORDERS.into_iter().chain(ORDERS) {
        let (alpha, real) = (numbers.choose(&scalars::<T>()), numbers.choose(&scalars::<T::Magnitude>()));
        for hermitian in [false, true] {
            let uplo = numbers.choose(&[Uplo::Lower, Uplo::Upper]);
            let (a, x) = (matrix::<T>(&mut numbers, n, n), vector::<T>(&mut numbers, n));
            let value = if hermitian { ScalarValue::new(real) } else { ScalarValue::new(alpha) };
            let operation = Operation::Syr { hermitian, uplo, alpha: value, x: x.operand(), a: a.operand() };
            compare_matrix(&a, &operation, |i, j, old| match hermitian {
                _ if !stored(uplo, i, j) => old,
                true => triangular::her(real, x.get(i), x.get(j), old, i == j),
                false => blas::ger(alpha, x.get(i), x.get(j), old),
            });
        }
    }
}

macro_rules! tests {
    ($($name:ident $t:ty),*) => { $(
        mod $name {
            #[allow(unused_imports)]
            use warpwave_core::{Complex32, Complex64};


            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn gemv() {
                super::gemv::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn symv() {
                super::symv::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn trmv() {
                super::trmv::<$t>(&super::ORDERS);
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn trsv() {
                super::trsv::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn ger() {
                super::ger::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn syr() {
                super::syr::<$t>();
            }
        }
    )* };
}
tests!(of_f32 f32, of_f64 f64, of_c32 Complex32, of_c64 Complex64);
