//! `symv` and `hemv`: `gemv` of the whole matrix.

use super::gemv::{End, blocks, levels, partial, scale};
use super::scalar::is_zero;
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::Uplo;
use warpwave_core::operation::Symv;

/// `y = alpha · a · x + beta · y` with a symmetric or Hermitian `a`.
pub(super) fn symv(symv: &Symv, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (n, dtype) = (symv.y.len, symv.a.dtype);
    if is_zero(&symv.alpha) {
        scale(&mut plan, symv.beta, &symv.y, properties);
        return plan;
    }
    let end = End { alpha: symv.alpha, beta: symv.beta, y: symv.y, plain: false };
    let from = partial(&mut plan, n, n, dtype);
    let [y, incy] = end.target();
    let args = vec![
        Arg::U64(n as u64),
        Arg::Scalar(symv.alpha),
        Arg::Ptr(symv.a.ptr),
        Arg::I64(symv.a.row_stride() as i64),
        Arg::I64(symv.a.col_stride() as i64),
        Arg::U32(u32::from(symv.uplo == Uplo::Upper)),
        Arg::U32(u32::from(symv.hermitian)),
        Arg::Ptr(symv.x.first()),
        Arg::I64(symv.x.inc as i64),
        Arg::Scalar(symv.beta),
        y,
        incy,
        Arg::Scratch(from),
    ];
    plan.steps.push(Step::new(Entry::of("gemv", "symv", dtype), blocks(n, n, dtype, properties), 256, args));
    levels(&mut plan, [n, n], from, None, &end, properties);
    plan
}
