//! Reductions to an index.

use super::elementwise::THREADS;
use super::reduce::{Lines, nothing};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::operation::{Axis, MatrixOperand, Ptr, Span};
use warpwave_core::{ArgOp, Result, ScalarValue};

/// The least elements that a line is cut into parts of.
const PART: usize = 8192;

/// The index of an extreme element of all, or along an axis.
pub(super) fn arg(op: ArgOp, axis: Axis, x: MatrixOperand, out: Span, properties: &Properties) -> Result<Plan> {
    let lines = Lines::of(axis, &x)?;
    if lines.len == 0 {
        return Ok(nothing(ScalarValue::new(u64::MAX), out, properties));
    }
    // Blocks that take a part of as many lines as go together.
    let log_width = lines.count.next_power_of_two().min(32).trailing_zeros();
    let (name, log, beside) = if lines.contiguous {
        ("along", lines.log_group(), lines.count)
    } else {
        ("across", log_width, lines.count.div_ceil(1 << log_width))
    };
    // As many parts as keep the device busy, and no more: they are joined by one block for each line.
    let wanted = properties.blocks(usize::MAX, THREADS, 1, 2) as usize;
    let parts = lines.len.div_ceil(PART).min((wanted / beside).max(1));
    let part = lines.len.div_ceil(parts);
    let parts = lines.len.div_ceil(part);
    let units = beside.saturating_mul(parts);
    let blocks = if lines.contiguous { units.div_ceil(THREADS as usize >> log) } else { units };
    let blocks = properties.blocks(blocks.saturating_mul(THREADS as usize), THREADS, 1, 4);

    let mut plan = Plan::default();
    let (ranks, indices) = if parts == 1 {
        (Arg::Ptr(Ptr::NULL), Arg::Ptr(out.ptr))
    } else {
        let results = lines.count * parts * 8;
        (Arg::Scratch(plan.reserve(results)), Arg::Scratch(plan.reserve(results)))
    };
    let count = Arg::U64(lines.count as u64);
    let args = vec![
        Arg::U64(lines.len as u64),
        count,
        Arg::U64(lines.ld as u64),
        Arg::U64(part as u64),
        Arg::U32(log),
        Arg::Ptr(x.ptr),
        Arg::U32((op == ArgOp::Max).into()),
        ranks,
        indices,
    ];
    plan.steps.push(Step::new(Entry::of("arg", name, x.dtype), blocks, THREADS, args));
    if parts > 1 {
        let blocks = properties.blocks(lines.count.saturating_mul(THREADS as usize), THREADS, 1, 4);
        let args = vec![Arg::U64(parts as u64), count, ranks, indices, Arg::Ptr(out.ptr)];
        plan.steps.push(Step::new(Entry::plain("arg", "join"), blocks, THREADS, args));
    }
    Ok(plan)
}
