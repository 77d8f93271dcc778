//! Prefix sums, products, minima and maxima.

use super::elementwise::THREADS;
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::ReduceOp;
use warpwave_core::numerics::scan::{FAN, TILE};
use warpwave_core::operation::Span;

/// `out[i]` = the reduction of `x[0..=i]`, or of `x[0..i]`.
pub(super) fn scan(op: ReduceOp, exclusive: bool, x: Span, out: Span, properties: &Properties) -> Plan {
    let tiles = x.len.div_ceil(TILE);
    // Totals of tiles, of their nodes, and so on, up to the last level that has more than one.
    let (mut levels, mut totals, mut nodes) = (0, 0, tiles);
    while nodes > 1 {
        levels += 1;
        totals += nodes;
        nodes = nodes.div_ceil(FAN);
    }
    let wide = if x.dtype.is_float() { x.dtype.size().max(4) } else { x.dtype.size() };
    let mut plan = Plan::default();
    let ticket = plan.reserve(4);
    let words = plan.reserve(totals * 8);
    plan.zeroed = plan.scratch;
    // Up to 4 bytes are in the words.
    let values = plan.reserve(if wide > 4 { totals * wide } else { 0 });
    let args = vec![
        Arg::U64(x.len as u64),
        Arg::U32(levels),
        Arg::U32(exclusive.into()),
        Arg::Ptr(x.ptr),
        Arg::Ptr(out.ptr),
        Arg::Scratch(ticket),
        Arg::Scratch(words),
        Arg::Scratch(values),
    ];
    let blocks = properties.blocks(tiles.saturating_mul(THREADS as usize), THREADS, 1, 1);
    plan.steps.push(Step::new(Entry::of("scan", op.name(), x.dtype), blocks, THREADS, args));
    plan
}
