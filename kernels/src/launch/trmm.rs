//! `trmm`.

use super::scalar::{is_zero, zero};
use super::tile::{Part, Product, Scale, TRMM, TRMM_SWAPPED, flag};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::blas::triangular::transposed;
use warpwave_core::operation::{Ptr, TriangularProduct};
use warpwave_core::{Diag, Op, Side, Uplo};

/// `b = alpha · op(a) · b`, or `alpha · b · op(a)`, with a triangular `a`.
pub(super) fn trmm(product: &TriangularProduct, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (dtype, batch, pointers) = (product.b.dtype, product.batch, Ptr::NULL);
    let (rows, cols) = (product.b.rows, product.b.cols);
    let b = Part::new(&product.b, Op::N, product.strides[1]);
    if is_zero(&product.alpha) {
        Scale { name: "gemm_scale", dtype, size: [rows, cols], beta: zero(dtype), c: b, pointers, batch, uplo: None }
            .push(&mut plan, properties);
        return plan;
    }
    // Every element needs the old matrix. Runs that start at multiples of 16 bytes are read as such.
    let (run, runs) = product.b.runs();
    let ld = run.next_multiple_of(16 / dtype.size());
    let stride = ld.saturating_mul(runs);
    let bytes = stride.saturating_mul(batch).saturating_mul(dtype.size());
    let old = Part { ptr: Arg::Scratch(plan.reserve(bytes)), ld, stride, ..b };
    let args = vec![
        Arg::U64(run as u64),
        Arg::U64(runs as u64),
        b.ptr,
        Arg::I64(b.ld as i64),
        Arg::I64(b.stride as i64),
        old.ptr,
        Arg::I64(ld as i64),
        Arg::I64(stride as i64),
        Arg::U64(batch as u64),
    ];
    let blocks = properties.blocks(run.saturating_mul(runs).saturating_mul(batch), 256, 4, 8);
    plan.steps.push(Step::new(Entry::of("gemm", "gemm_copy", dtype), blocks, 256, args));

    let a = Part::new(&product.a.matrix, product.a.op, product.strides[0]);
    let upper = transposed(product.a.uplo, product.a.op) == Uplo::Upper;
    let unit = if product.a.diag == Diag::Unit { flag::A_UNIT } else { 0 };
    // A triangle on the right is one on the left of the transposed product.
    let swapped = if dtype.is_complex() { TRMM_SWAPPED } else { TRMM };
    let (family, a, b, c, upper, size) = match product.side == Side::Left {
        true => (TRMM, a, old, b, upper, [rows, cols, rows]),
        false => (swapped, a.transposed(), old.transposed(), b.transposed(), !upper, [cols, rows, cols]),
    };
    Product {
        family,
        dtype,
        size,
        alpha: product.alpha,
        a,
        b,
        beta: zero(dtype),
        c,
        pointers,
        batch,
        flags: unit | if upper { flag::A_UPPER } else { 0 },
    }
    .push(&mut plan, properties);
    plan
}
