//! Faults in BLAS routines for triangles, rotations and lists of matrices.

use super::Fault;
use super::elements::Elements;
use super::rework::{Rework, typed};
use crate::reference::Sample;
use warpwave_core::numerics::Numeric;
use warpwave_core::operation::{RankUpdate, RotmFlag, Symm, Symv, TriangularMatrix, TriangularProduct};
use warpwave_core::{DType, Diag, Op, Operation, ScalarValue, Side, Uplo, match_dtype};

/// The operation that a backend with the fault executes. It touches no memory but that of the original's operands.
pub(super) fn alter(fault: Fault, operation: &Operation) -> Operation {
    match (fault, *operation) {
        (Fault::TriangleMistaken, operation) => mistaken(operation),
        (Fault::DiagonalOfOnesRead, operation) => {
            with_triangular(operation, |a| TriangularMatrix { diag: Diag::NonUnit, ..a })
        }
        (Fault::DiagonalAssumed, Operation::Trsm(product)) => {
            Operation::Trsm(TriangularProduct { a: TriangularMatrix { diag: Diag::Unit, ..product.a }, ..product })
        }
        (Fault::SolveUnconjugated, Operation::Trsm(product)) if product.a.op == Op::C => {
            Operation::Trsm(TriangularProduct { a: TriangularMatrix { op: Op::T, ..product.a }, ..product })
        }
        (Fault::SideSwapped, Operation::Symm(symm)) if symm.b.rows == symm.b.cols => {
            let side = if symm.side == Side::Left { Side::Right } else { Side::Left };
            Operation::Symm(Symm { side, ..symm })
        }
        (Fault::GercUnconjugated, Operation::Ger { alpha, x, y, a, .. }) => {
            Operation::Ger { conj: false, alpha, x, y, a }
        }
        (Fault::SineNegated, Operation::Rot { c, s, x, y }) => Operation::Rot { c, s: product(s, -1), x, y },
        (Fault::RotmFlagMistaken, Operation::Rotm { flag: RotmFlag::UnitDiagonal, h, x, y }) => {
            Operation::Rotm { flag: RotmFlag::Full, h, x, y }
        }
        (Fault::AlphaTwice, Operation::Trmm(product)) => {
            Operation::Trmm(TriangularProduct { alpha: square(product.alpha), ..product })
        }
        (_, operation) => operation,
    }
}

/// Reads or writes the other triangle.
fn mistaken(operation: Operation) -> Operation {
    let other = |uplo| if uplo == Uplo::Lower { Uplo::Upper } else { Uplo::Lower };
    match operation {
        Operation::Symv(symv) => Operation::Symv(Symv { uplo: other(symv.uplo), ..symv }),
        Operation::Symm(symm) => Operation::Symm(Symm { uplo: other(symm.uplo), ..symm }),
        Operation::Syrk(update) => Operation::Syrk(RankUpdate { uplo: other(update.uplo), ..update }),
        Operation::Syr { hermitian, uplo, alpha, x, a } => Operation::Syr { hermitian, uplo: other(uplo), alpha, x, a },
        operation => with_triangular(operation, |a| TriangularMatrix { uplo: other(a.uplo), ..a }),
    }
}

fn with_triangular(operation: Operation, change: impl Fn(TriangularMatrix) -> TriangularMatrix) -> Operation {
    match operation {
        Operation::Trmv { a, x, precision } => Operation::Trmv { a: change(a), x, precision },
        Operation::Trsv { a, x, precision } => Operation::Trsv { a: change(a), x, precision },
        Operation::Trmm(product) => Operation::Trmm(TriangularProduct { a: change(product.a), ..product }),
        Operation::Trsm(product) => Operation::Trsm(TriangularProduct { a: change(product.a), ..product }),
        operation => operation,
    }
}

fn product(value: ScalarValue, by: i64) -> ScalarValue {
    let of = |by: ScalarValue| match_dtype!(value.dtype(), any T => times::<T>(value, by), _ => value);
    match_dtype!(value.dtype(), any T => of(ScalarValue::new(T::from_integer(by))), _ => value)
}

fn square(value: ScalarValue) -> ScalarValue {
    match_dtype!(value.dtype(), any T => times::<T>(value, value), _ => value)
}

fn times<T: Sample + Numeric>(a: ScalarValue, b: ScalarValue) -> ScalarValue {
    match (a.get::<T>(), b.get::<T>()) {
        (Some(x), Some(y)) => ScalarValue::new(T::mul(x, y)),
        _ => a,
    }
}

/// `iamin` of the last of equal magnitudes.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn last_smallest(operation: &Operation) -> Rework {
    let Operation::Iamin { x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::strided(x), Elements::span(out)) };
    Rework::after(move || {
        let sizes: Vec<f64> = match x.dtype {
            DType::F32 => x.read::<f32>().into_iter().map(|x| f64::from(x.abs())).collect(),
            DType::F64 => x.read::<f64>().into_iter().map(f64::abs).collect(),
            _ => return,
        };
        let nan = sizes.iter().position(|x| x.is_nan());
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let index = nan.or_else(|| sizes.iter().rposition(|&x| x == smallest));
        out.set(0, 0, index.map_or(u64::MAX, |i| i as u64));
    })
}

/// The imaginary parts on the diagonal of what `her` and `herk` update stay as they were.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn diagonal_kept(operation: &Operation) -> Rework {
    let matrix = match *operation {
        Operation::Syr { hermitian: true, a, .. } => a,
        Operation::Syrk(RankUpdate { hermitian: true, c, .. }) => c,
        _ => return Rework::default(),
    };
    // SAFETY: the caller's.
    let c = unsafe { Elements::matrix(matrix) };
    fn parts<T: Sample>(c: &Elements) -> Vec<u64> {
        (0..c.rows).map(|i| c.get::<T>(i, i).patterns()[1]).collect()
    }
    let look = move || match_dtype!(c.dtype, complex T => parts::<T>(&c), _ => Vec::new());
    Rework::around(look, move |parts: Vec<u64>| {
        typed!(c.dtype, complex T => {
            for (i, im) in parts.into_iter().enumerate() {
                c.set(i, i, T::from_patterns([c.get::<T>(i, i).patterns()[0], im]));
            }
        });
    })
}

/// `syrk` and `herk` write the other triangle as well.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn both_triangles(operation: &Operation) -> Rework {
    let Operation::Syrk(RankUpdate { uplo, c, .. }) = *operation else { return Rework::default() };
    // SAFETY: the caller's: a square matrix, all of which lies in the operand.
    let c = unsafe { Elements::matrix(c) };
    Rework::after(move || {
        typed!(c.dtype, any T => {
            for (i, j) in c.places().filter(|&(i, j)| (i < j) == (uplo == Uplo::Lower) && i != j) {
                c.set(i, j, c.get::<T>(j, i));
            }
        });
    })
}

/// Every product of a list takes the first left matrix.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn first_of_list(operation: &Operation) -> Rework {
    let Operation::GemmBatched { gemm, pointers } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let table = unsafe { Elements::span(pointers) };
    let overwrite = move || {
        for i in 1..gemm.batch {
            table.set(i, 0, table.get::<u64>(0, 0));
        }
    };
    Rework { before: Some(Box::new(overwrite)), ..Rework::default() }
}
