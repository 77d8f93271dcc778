//! Faults that nothing small shows: in what is done in another way from some size on.

use super::elements::Elements;
use super::rework::Rework;
use warpwave_core::numerics::{reduction, tree};
use warpwave_core::operation::{Gemm, MatrixOperand, Sort, Span, Strided};
use warpwave_core::{Axis, DType, Operation, Precision, ReduceOp, ScalarValue, match_dtype};

/// Bytes of a result from which on it may be written past the caches.
const PAST_CACHES: usize = 16 << 20;

/// Whether an element-wise operation has a result of so many bytes.
pub(super) fn is_large(operation: &Operation) -> bool {
    match *operation {
        Operation::Cast { out, .. }
        | Operation::Unary { out, .. }
        | Operation::Binary { out, .. }
        | Operation::Compare { out, .. }
        | Operation::Select { out, .. } => out.len * out.dtype.size() >= PAST_CACHES,
        _ => false,
    }
}

/// A large transposition without the rows of the result that fill no tile.
pub(super) fn whole_tiles(x: MatrixOperand, out: MatrixOperand) -> Operation {
    let rows = match out.rows * out.cols * out.dtype.size() >= PAST_CACHES {
        true => out.rows - out.rows % 64,
        false => out.rows,
    };
    Operation::Transpose { x: MatrixOperand { cols: rows, ..x }, out: MatrixOperand { rows, ..out } }
}

/// How many of the rows of a copy are copied: all but the last one of many bytes.
pub(super) fn rows_copied(row_bytes: usize, rows: usize) -> usize {
    if rows > 1 && rows * row_bytes >= 1 << 20 { rows - 1 } else { rows }
}

/// A large product with full precision without what it is added to.
pub(super) fn without_beta(gemm: Gemm) -> Gemm {
    let products = gemm.c.rows * gemm.c.cols * gemm.k();
    if gemm.precision != Precision::Strict || products < 1 << 20 {
        return gemm;
    }
    let beta = match_dtype!(gemm.beta.dtype(), any T => ScalarValue::new(T::default()), _ => gemm.beta);
    Gemm { beta, ..gemm }
}

/// The first of the ranges that threads share.
pub(super) fn first_range(x: Strided) -> Strided {
    Strided { len: if x.inc < 0 { x.len } else { x.len.min(1 << 15) }, ..x }
}

/// A sort of no more keys than one pass takes.
pub(super) fn first_keys(sort: Sort) -> Sort {
    let first = |x: Span| Span { len: x.len.min(1 << 20), ..x };
    Sort { keys: first(sort.keys), values: sort.values.map(first), ..sort }
}

/// Sums of more chunks than the second level of the tree has lanes join them as neighbours all the way.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn flat_reduction(operation: &Operation) -> Rework {
    let Operation::Reduce { op: ReduceOp::Sum, axis: Axis::Whole, x, out } = *operation else {
        return Rework::default();
    };
    if x.dtype != DType::F32 || x.rows * x.cols <= tree::LANES * tree::CHUNK {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::matrix(x), Elements::span(out)) };
    Rework::after(move || {
        let x = x.read::<f32>();
        let chunks = x.chunks(tree::CHUNK).map(|x| reduction::sum(x.len(), |i| x[i])).collect();
        out.set(0, 0, tree::neighbours(chunks, |a: f32, b| a + b).unwrap_or_default());
    })
}
