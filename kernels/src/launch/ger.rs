//! `ger`, `gerc`, `syr` and `her`.

use super::scalar::is_zero;
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::operation::{Layout, MatrixOperand, Strided};
use warpwave_core::{ScalarValue, Uplo};

const CONJ: u32 = 1;
const BY_ROW: u32 = 2;
const HERMITIAN: u32 = 4;

/// `a = alpha · x · yᵀ + a`, or with the conjugate of `y`.
pub(super) fn ger(
    conj: bool,
    alpha: ScalarValue,
    x: &Strided,
    y: &Strided,
    a: &MatrixOperand,
    properties: &Properties,
) -> Plan {
    update("ger", if conj { CONJ } else { 0 }, alpha, [x, y], a, None, properties)
}

/// `a = alpha · x · xᵀ + a` on one triangle, or with the conjugate of the second `x`, and then a real `alpha`.
pub(super) fn syr(
    hermitian: bool,
    uplo: Uplo,
    alpha: ScalarValue,
    x: &Strided,
    a: &MatrixOperand,
    properties: &Properties,
) -> Plan {
    match hermitian && a.dtype.is_complex() {
        true => update("her", CONJ | HERMITIAN, alpha, [x, x], a, Some(uplo), properties),
        false => update("ger", 0, alpha, [x, x], a, Some(uplo), properties),
    }
}

fn update(
    name: &'static str,
    flags: u32,
    alpha: ScalarValue,
    [x, y]: [&Strided; 2],
    a: &MatrixOperand,
    uplo: Option<Uplo>,
    properties: &Properties,
) -> Plan {
    if is_zero(&alpha) {
        return Plan::default();
    }
    let (run, runs) = a.runs();
    let by_row = a.layout == Layout::RowMajor;
    // Below the diagonal the number of the row is the larger one.
    let triangle = uplo.map_or(0, |uplo| if (uplo == Uplo::Lower) != by_row { 1 } else { 2 });
    let args = vec![
        Arg::U64(run as u64),
        Arg::U64(runs as u64),
        Arg::Scalar(alpha),
        Arg::Ptr(x.first()),
        Arg::I64(x.inc as i64),
        Arg::Ptr(y.first()),
        Arg::I64(y.inc as i64),
        Arg::Ptr(a.ptr),
        Arg::I64(a.ld as i64),
        Arg::U32(triangle),
        Arg::U32(flags | if by_row { BY_ROW } else { 0 }),
    ];
    // Four times 16 bytes for each thread.
    let items = run.div_ceil(16 / a.dtype.size()).saturating_mul(runs.div_ceil(4));
    let blocks = properties.blocks(items, 256, 1, 16);
    Plan::one(Step::new(Entry::of("ger", name, a.dtype), blocks, 256, args))
}
