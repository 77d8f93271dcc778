//! `trsv`.

use super::{Arg, Entry, Plan, Step};
use warpwave_core::numerics::blas::triangular::transposed;
use warpwave_core::operation::{Strided, TriangularMatrix};
use warpwave_core::{Diag, Op, Uplo};

const CONJ: u32 = 1;
const UNIT: u32 = 2;
const UPPER: u32 = 4;
/// Rows that a block solves.
const ROWS: usize = 32;

/// `x` becomes the solution of `op(a) · x = b`, `b` being the old `x`.
pub(super) fn trsv(a: &TriangularMatrix, x: &Strided) -> Plan {
    let mut plan = Plan::default();
    let (n, dtype) = (x.len, x.dtype);
    let blocks = n.div_ceil(ROWS);
    // A ticket, and whether each block is solved.
    let state = plan.reserve(4 * (1 + blocks));
    plan.zeroed = plan.scratch;
    let strides = [a.matrix.row_stride(), a.matrix.col_stride()];
    let [row, col] = if a.op == Op::N { strides } else { [strides[1], strides[0]] };
    let mut flags = 0;
    let upper = transposed(a.uplo, a.op) == Uplo::Upper;
    for (condition, bit) in [(a.op == Op::C, CONJ), (a.diag == Diag::Unit, UNIT), (upper, UPPER)] {
        flags |= if condition { bit } else { 0 };
    }
    let args = vec![
        Arg::U64(n as u64),
        Arg::Ptr(a.matrix.ptr),
        Arg::I64(row as i64),
        Arg::I64(col as i64),
        Arg::Ptr(x.first()),
        Arg::I64(x.inc as i64),
        Arg::U32(flags),
        Arg::Scratch(state),
    ];
    plan.steps.push(Step::new(Entry::of("trsv", "trsv", dtype), blocks as u32, 32, args));
    plan
}
