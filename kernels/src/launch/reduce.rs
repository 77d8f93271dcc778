//! Reductions by the tree of [`numerics::tree`](warpwave_core::numerics::tree), a launch for each level of chunks.

use super::elementwise::THREADS;
use super::{Arg, Entry, Plan, Properties, Step, fill};
use warpwave_core::numerics::reduction;
use warpwave_core::numerics::tree::{CHUNK, LANES};
use warpwave_core::operation::{Axis, Layout, MatrixOperand, Span};
use warpwave_core::{DType, Error, ReduceOp, Result, ScalarValue, match_dtype};

/// What becomes of the last result.
#[derive(Clone, Copy)]
enum Ending {
    Round,
    /// It is divided by the number of elements before.
    Mean,
    /// It stays as it is, in the type in which sums are kept.
    Keep,
}

/// Lines that are reduced, each to one element.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// Elements of each.
    pub(super) len: usize,
    /// How many.
    pub(super) count: usize,
    /// Whether the elements of a line lie one after the other; else the lines begin side by side.
    pub(super) contiguous: bool,
    /// The distance between lines, or else between the elements of one.
    pub(super) ld: usize,
}

impl Lines {
    /// The lines of `x` that `axis` names.
    pub(super) fn of(axis: Axis, x: &MatrixOperand) -> Result<Self> {
        let (len, count, layout) = match axis {
            Axis::Whole => return Ok(Lines { len: x.rows * x.cols, count: 1, contiguous: true, ld: 1 }),
            Axis::Rows => (x.cols, x.rows, Layout::RowMajor),
            Axis::Cols => (x.rows, x.cols, Layout::ColumnMajor),
            _ => return Err(Error::unsupported(axis)),
        };
        // With a distance of one, elements lie one after the other too: then there is but one line.
        Ok(Lines { len, count, contiguous: x.layout == layout || x.ld == 1, ld: x.ld })
    }

    /// Two to this power threads, with four lanes each, take a chunk of a contiguous line.
    pub(super) fn log_group(&self) -> u32 {
        self.len.min(LANES).div_ceil(4).next_power_of_two().trailing_zeros()
    }
}

/// A reduction of all elements, or along an axis.
pub(super) fn reduce(op: ReduceOp, axis: Axis, x: MatrixOperand, out: Span, properties: &Properties) -> Result<Plan> {
    let lines = Lines::of(axis, &x)?;
    if lines.len == 0 {
        return Ok(nothing(of_nothing(op, out.dtype), out, properties));
    }
    levels(op, lines, &x, out, Ending::Round, properties)
}

/// The mean of all elements, or along an axis.
pub(super) fn mean(axis: Axis, x: MatrixOperand, out: Span, properties: &Properties) -> Result<Plan> {
    let lines = Lines::of(axis, &x)?;
    if lines.len == 0 {
        let nan = match_dtype!(out.dtype, float T => ScalarValue::new(reduction::mean::<T>(0, |_| T::default())),
            _ => match_dtype!(out.dtype, complex T => ScalarValue::new(reduction::mean::<T>(0, |_| T::default())),
                _ => return Err(Error::unsupported(format_args!("mean of {}", out.dtype)))));
        return Ok(nothing(nan, out, properties));
    }
    levels(ReduceOp::Sum, lines, &x, out, Ending::Mean, properties)
}

/// How many elements of `mask` are not 0.
pub(super) fn count(mask: Span, out: Span, properties: &Properties) -> Result<Plan> {
    let blocks = properties.blocks(mask.len.div_ceil(16), THREADS, 4, 2);
    let mut plan = Plan::default();
    let counted = if blocks == 1 { Arg::Ptr(out.ptr) } else { Arg::Scratch(plan.reserve(blocks as usize * 8)) };
    let args = vec![Arg::U64(mask.len as u64), Arg::Ptr(mask.ptr), counted];
    plan.steps.push(Step::new(Entry::plain("reduce", "count"), blocks, THREADS, args));
    if blocks > 1 {
        let lines = Lines { len: blocks as usize, count: 1, contiguous: true, ld: 1 };
        let to = Arg::Ptr(out.ptr);
        descend(&mut plan, ReduceOp::Sum, DType::U64, lines, (counted, true), to, Ending::Round, properties)?;
    }
    Ok(plan)
}

/// Every result is `value`: there is nothing to reduce.
pub(super) fn nothing(value: ScalarValue, out: Span, properties: &Properties) -> Plan {
    let Span { ptr, dtype, len } = out;
    let column = MatrixOperand { ptr, dtype, rows: len, cols: 1, ld: len, layout: Layout::ColumnMajor };
    fill::fill(value, column, properties)
}

fn of_nothing(op: ReduceOp, dtype: DType) -> ScalarValue {
    let sum_or_product = match_dtype!(dtype, any T => match op {
        ReduceOp::Prod => ScalarValue::new(reduction::prod::<T>(0, |_| T::default())),
        _ => ScalarValue::new(reduction::sum::<T>(0, |_| T::default())),
    }, _ => super::bits::zero(dtype));
    match_dtype!(dtype, real T => match op {
        ReduceOp::Min => ScalarValue::new(reduction::min::<T>(0, |_| T::default())),
        ReduceOp::Max => ScalarValue::new(reduction::max::<T>(0, |_| T::default())),
        _ => sum_or_product,
    }, _ => sum_or_product)
}

fn levels(
    op: ReduceOp,
    lines: Lines,
    x: &MatrixOperand,
    out: Span,
    ending: Ending,
    properties: &Properties,
) -> Result<Plan> {
    let mut plan = Plan::default();
    descend(&mut plan, op, x.dtype, lines, (Arg::Ptr(x.ptr), false), Arg::Ptr(out.ptr), ending, properties)?;
    Ok(plan)
}

/// Adds the launches that sum up `lines`, which are elements of the type or partial sums of it, to sums in the type in which sums are kept.
pub(super) fn sums(
    plan: &mut Plan,
    dtype: DType,
    lines: Lines,
    from: (Arg, bool),
    to: Arg,
    properties: &Properties,
) -> Result<()> {
    descend(plan, ReduceOp::Sum, dtype, lines, from, to, Ending::Keep, properties)
}

/// Adds the launches that reduce `lines`, which are elements of the type or partial results of it.
#[allow(clippy::too_many_arguments)]
fn descend(
    plan: &mut Plan,
    op: ReduceOp,
    dtype: DType,
    mut lines: Lines,
    (mut from, mut partial): (Arg, bool),
    result: Arg,
    ending: Ending,
    properties: &Properties,
) -> Result<()> {
    let entry = Entry::of("reduce", name(op, lines.contiguous)?, dtype);
    // 16-bit floats are summed in `f32`.
    let wide = if dtype.is_float() { dtype.size().max(4) } else { dtype.size() };
    let count = lines.len as u64;
    loop {
        let chunks = lines.len.div_ceil(CHUNK);
        let last = chunks == 1;
        let (to, how) = match ending {
            _ if !last => (Arg::Scratch(plan.reserve(lines.count * chunks * wide)), 0),
            Ending::Keep => (result, 0),
            Ending::Round => (result, 1),
            Ending::Mean => (result, 2),
        };
        let (blocks, log) = if lines.contiguous {
            let log = lines.log_group();
            (lines.count.saturating_mul(chunks).div_ceil(THREADS as usize >> log), log)
        } else {
            let each = if partial { 1 } else { (4 / dtype.size()).max(1) };
            let width = lines.count.div_ceil(each).next_power_of_two().min(32);
            (lines.count.div_ceil(width).saturating_mul(chunks), width.trailing_zeros())
        };
        let blocks = properties.blocks(blocks.saturating_mul(THREADS as usize), THREADS, 1, 4);
        let args = vec![
            Arg::U64(lines.len as u64),
            Arg::U64(lines.count as u64),
            Arg::U64(lines.ld as u64),
            Arg::U32(log),
            from,
            Arg::U32(partial.into()),
            to,
            Arg::U32(how),
            Arg::U64(count),
        ];
        plan.steps.push(Step::new(entry, blocks, THREADS, args));
        if last {
            return Ok(());
        }
        (from, partial) = (to, true);
        lines = Lines { len: chunks, ld: if lines.contiguous { chunks } else { lines.count }, ..lines };
    }
}

fn name(op: ReduceOp, contiguous: bool) -> Result<&'static str> {
    Ok(match (op, contiguous) {
        (ReduceOp::Sum, true) => "sum_along",
        (ReduceOp::Sum, false) => "sum_across",
        (ReduceOp::Prod, true) => "prod_along",
        (ReduceOp::Prod, false) => "prod_across",
        (ReduceOp::Min, true) => "min_along",
        (ReduceOp::Min, false) => "min_across",
        (ReduceOp::Max, true) => "max_along",
        (ReduceOp::Max, false) => "max_across",
        _ => return Err(Error::unsupported(op)),
    })
}
