//! What goes by indices and masks: gather, scatter, compaction, histograms.

use super::elementwise::{THREADS, map};
use super::{Arg, Entry, Plan, Properties, Step, bits, fill};
use warpwave_core::DType;
use warpwave_core::ScalarValue;
use warpwave_core::operation::{Layout, MatrixOperand, Span};

/// Elements of a tile of a compaction, as in the kernel.
const TILE: usize = 4096;
/// Elements that a scatter does at a time: their numbers, and one, are the owners of places.
const SLICE: usize = u32::MAX as usize - 1;
/// Bytes of shared memory that every device gives to a block.
const SHARED: usize = 48 << 10;

/// An index that is not less than this is out of range: negative ones, taken as unsigned, are not less.
fn limit(index: DType, len: usize) -> Arg {
    Arg::U64(if index == DType::I32 { len.min(1 << 31) as u64 } else { len as u64 })
}

/// Sets a word aside that kernels set where an index is out of range.
fn fault(plan: &mut Plan) -> Arg {
    let at = plan.reserve(4);
    plan.fault = Some(at);
    plan.zeroed = plan.scratch;
    Arg::Scratch(at)
}

/// `out[i] = x[index[i]]`.
pub(super) fn gather(x: Span, index: Span, out: Span, properties: &Properties) -> Plan {
    let (width, by) = (bits::width(x.dtype.size()), bits::width(index.dtype.size()));
    let mut plan = Plan::default();
    let fault = fault(&mut plan);
    let operands = [Arg::Ptr(x.ptr), Arg::Ptr(index.ptr), Arg::Ptr(out.ptr), limit(index.dtype, x.len), fault];
    let pack = 16 / width.size().max(by.size());
    plan.steps = map(Entry::of_two("gather", "gather", width, by), out.len, pack, properties, &operands).steps;
    plan
}

/// `out[index[i]] = x[i]`, the highest `i` winning.
pub(super) fn scatter(x: Span, index: Span, out: Span, properties: &Properties) -> Plan {
    let (width, by) = (bits::width(x.dtype.size()), bits::width(index.dtype.size()));
    let mut plan = Plan::default();
    let fault = fault(&mut plan);
    let owners = Arg::Scratch(plan.reserve(out.len * 4));
    let limit = limit(index.dtype, out.len);
    // A later slice overwrites an earlier one.
    for start in (0..x.len).step_by(SLICE) {
        let len = SLICE.min(x.len - start);
        let from = Arg::Ptr(x.ptr.byte_add(start * x.dtype.size()));
        let index = Arg::Ptr(index.ptr.byte_add(start * index.dtype.size()));
        let count = Arg::U64(len as u64);
        let mut step = |entry, per_thread, args| {
            let blocks = properties.blocks(len, THREADS, per_thread, 8);
            plan.steps.push(Step::new(entry, blocks, THREADS, args));
        };
        step(Entry::of("scatter", "clear", by), 1, vec![count, index, limit, owners]);
        step(Entry::of("scatter", "claim", by), 1, vec![count, index, limit, owners, fault]);
        let place = vec![count, from, index, Arg::Ptr(out.ptr), limit, owners];
        step(Entry::of_two("scatter", "place", width, by), 4, place);
    }
    plan
}

/// The elements that a mask selects, closed up, and how many they are.
pub(super) fn compact(x: Span, mask: Span, out: Span, count: Span, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let tiles = x.len.div_ceil(TILE).max(1);
    let ticket = Arg::Scratch(plan.reserve(4));
    let state = Arg::Scratch(plan.reserve(tiles * 8));
    plan.zeroed = plan.scratch;
    let [x_at, mask, out, count] = [x, mask, out, count].map(|span| Arg::Ptr(span.ptr));
    let args = vec![Arg::U64(x.len as u64), x_at, mask, out, count, ticket, state];
    let entry = Entry::of("compact", "compact", bits::width(x.dtype.size()));
    let blocks = properties.blocks(tiles.saturating_mul(THREADS as usize), THREADS, 1, 1);
    plan.steps.push(Step::new(entry, blocks, THREADS, args));
    plan
}

/// `out[j]` = how many `x[i]` equal `j`.
pub(super) fn histogram(x: Span, out: Span, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let fault = fault(&mut plan);
    if out.len > 0 {
        let Span { ptr, dtype, len } = out;
        let column = MatrixOperand { ptr, dtype, rows: len, cols: 1, ld: len, layout: Layout::ColumnMajor };
        plan.steps = fill::fill(ScalarValue::new(0_u64), column, properties).steps;
    }
    if x.len > 0 {
        let in_block = out.len > 0 && out.len * 4 <= SHARED;
        // A block counts in 32 bits.
        let blocks = properties.blocks(x.len, THREADS, 16, 1).max(u32::try_from(x.len >> 31).unwrap_or(u32::MAX));
        let (x_at, out_at) = (Arg::Ptr(x.ptr), Arg::Ptr(out.ptr));
        let args =
            vec![Arg::U64(x.len as u64), x_at, Arg::U64(out.len as u64), out_at, fault, Arg::U32(in_block.into())];
        let mut step = Step::new(Entry::of("histogram", "histogram", x.dtype), blocks, THREADS, args);
        step.shared = if in_block { out.len as u32 * 4 } else { 0 };
        plan.steps.push(step);
    }
    plan
}
