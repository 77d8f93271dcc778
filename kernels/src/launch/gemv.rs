//! `gemv`, and the partial results of all products of matrices and vectors.

use super::scalar::{is_one, is_zero, one, zero};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::tree::CHUNK;
use warpwave_core::operation::{Gemv, Layout, Ptr, Strided};
use warpwave_core::{DType, Op, ScalarValue, Uplo};

/// What becomes of the sums of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub alpha: ScalarValue,
    pub beta: ScalarValue,
    pub y: Strided,
    /// The sum itself is the result.
    pub plain: bool,
}

impl End {
    /// The sum itself.
    pub(super) fn plain(y: Strided) -> Self {
        End { alpha: one(y.dtype), beta: zero(y.dtype), y, plain: true }
    }

    /// The arguments `y` and `incy`.
    pub(super) fn target(&self) -> [Arg; 2] {
        [Arg::Ptr(self.y.first()), Arg::I64(self.y.inc as i64)]
    }
}

/// Reserves memory for the results of the chunks of `n` elements for each of `m` rows: none of one chunk.
pub(super) fn partial(plan: &mut Plan, m: usize, n: usize, dtype: DType) -> usize {
    let chunks = n.div_ceil(CHUNK);
    plan.reserve(if chunks > 1 { m.saturating_mul(chunks).saturating_mul(dtype.size()) } else { 0 })
}

/// Reduces the results of chunks, as often as there are more than one. Rows are the whole of `n` elements, or the part inside a triangle.
pub(super) fn levels(
    plan: &mut Plan,
    [m, n]: [usize; 2],
    mut from: usize,
    triangle: Option<Uplo>,
    end: &End,
    properties: &Properties,
) {
    let dtype = end.y.dtype;
    let (mut count, mut unit) = (n.div_ceil(CHUNK), CHUNK);
    while count > 1 {
        let to = partial(plan, m, count, dtype);
        let [y, inc] = end.target();
        let args = vec![
            Arg::U64(m as u64),
            Arg::U64(n as u64),
            Arg::U64(unit as u64),
            Arg::U32(rows_of(triangle)),
            Arg::Scratch(from),
            Arg::Scalar(end.alpha),
            Arg::Scalar(end.beta),
            y,
            inc,
            Arg::U32(u32::from(end.plain)),
            Arg::Scratch(to),
        ];
        plan.steps.push(Step::new(
            Entry::of("gemv", "gemv_level", dtype),
            blocks(m, count, dtype, properties),
            256,
            args,
        ));
        (from, count, unit) = (to, count.div_ceil(CHUNK), unit.saturating_mul(CHUNK));
    }
}

/// How the kernels name the part of a row that there is.
pub(super) fn rows_of(triangle: Option<Uplo>) -> u32 {
    triangle.map_or(0, |uplo| if uplo == Uplo::Lower { 1 } else { 2 })
}

/// Blocks whose threads have a row each.
pub(super) fn blocks(m: usize, n: usize, dtype: DType, properties: &Properties) -> u32 {
    let rows = if dtype == DType::C64 { 16 } else { 32 };
    properties.blocks(m.div_ceil(rows).saturating_mul(n.div_ceil(CHUNK)).saturating_mul(256), 256, 1, 16)
}

/// `y = beta · y`.
pub(super) fn scale(plan: &mut Plan, beta: ScalarValue, y: &Strided, properties: &Properties) {
    if is_one(&beta) {
        return;
    }
    // A matrix whose runs are elements.
    let args = vec![
        Arg::U64(1),
        Arg::U64(y.len as u64),
        Arg::Scalar(beta),
        Arg::Ptr(y.first()),
        Arg::I64(y.inc as i64),
        Arg::I64(0),
        Arg::Ptr(Ptr::NULL),
        Arg::U64(1),
        Arg::U32(0),
    ];
    let blocks = properties.blocks(y.len, 256, 4, 8);
    plan.steps.push(Step::new(Entry::of("gemm", "gemm_scale", y.dtype), blocks, 256, args));
}

/// `y = alpha · op(a) · x + beta · y`.
pub(super) fn gemv(gemv: &Gemv, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (m, n, dtype) = (gemv.y.len, gemv.x.len, gemv.a.dtype);
    if n == 0 || is_zero(&gemv.alpha) {
        scale(&mut plan, gemv.beta, &gemv.y, properties);
        return plan;
    }
    let end = End { alpha: gemv.alpha, beta: gemv.beta, y: gemv.y, plain: false };
    let from = partial(&mut plan, m, n, dtype);
    let [y, incy] = end.target();
    let args = vec![
        Arg::U64(m as u64),
        Arg::U64(n as u64),
        Arg::Scalar(gemv.alpha),
        Arg::Ptr(gemv.a.ptr),
        Arg::I64(gemv.a.ld as i64),
        Arg::U32(u32::from(gemv.op == Op::C)),
        Arg::Ptr(gemv.x.first()),
        Arg::I64(gemv.x.inc as i64),
        Arg::Scalar(gemv.beta),
        y,
        incy,
        Arg::Scratch(from),
    ];
    let rows_contiguous = (gemv.a.layout == Layout::RowMajor) == (gemv.op == Op::N);
    let (name, blocks) = match rows_contiguous {
        true => {
            let warps = m.saturating_mul(n.div_ceil(CHUNK));
            ("gemv_rows", properties.blocks(warps.saturating_mul(properties.warp as usize), 256, 1, 16))
        }
        false => ("gemv_columns", blocks(m, n, dtype, properties)),
    };
    plan.steps.push(Step::new(Entry::of("gemv", name, dtype), blocks, 256, args));
    levels(&mut plan, [m, n], from, None, &end, properties);
    plan
}
