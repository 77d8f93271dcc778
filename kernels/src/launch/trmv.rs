//! `trmv`.

use super::gemv::{End, blocks, levels, partial, rows_of};
use super::level1::of_size;
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::blas::triangular::transposed;
use warpwave_core::operation::{Strided, TriangularMatrix};
use warpwave_core::{Diag, Op};

/// `x = op(a) · x` with a triangular `a`.
pub(super) fn trmv(a: &TriangularMatrix, x: &Strided, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (n, dtype) = (x.len, x.dtype);
    // Every row needs the old vector.
    let old = plan.reserve(n * dtype.size());
    let args = vec![Arg::U64(n as u64), Arg::Ptr(x.first()), Arg::I64(x.inc as i64), Arg::Scratch(old), Arg::I64(1)];
    plan.steps.push(Step::new(Entry::of("level1", "copy", of_size(dtype)), properties.blocks(n, 256, 1, 8), 256, args));
    let triangle = Some(transposed(a.uplo, a.op));
    let strides = [a.matrix.row_stride(), a.matrix.col_stride()];
    let [row, col] = if a.op == Op::N { strides } else { [strides[1], strides[0]] };
    let end = End::plain(*x);
    let from = partial(&mut plan, n, n, dtype);
    let [y, incy] = end.target();
    let args = vec![
        Arg::U64(n as u64),
        Arg::Ptr(a.matrix.ptr),
        Arg::I64(row as i64),
        Arg::I64(col as i64),
        Arg::U32(u32::from(a.op == Op::C)),
        Arg::U32(u32::from(a.diag == Diag::Unit)),
        Arg::U32(rows_of(triangle)),
        Arg::Scratch(old),
        y,
        incy,
        Arg::Scratch(from),
    ];
    plan.steps.push(Step::new(Entry::of("gemv", "trmv", dtype), blocks(n, n, dtype, properties), 256, args));
    levels(&mut plan, [n, n], from, triangle, &end, properties);
    plan
}
