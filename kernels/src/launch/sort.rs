//! The radix sort: eight bits of the keys at a time.

use super::elementwise::THREADS;
use super::{Arg, Entry, Plan, Properties, Step, bits, copy};
use warpwave_core::DType;
use warpwave_core::operation::Sort;

/// Bits that a pass looks at.
const DIGIT: u32 = 8;
/// Values of a digit.
const BINS: usize = 1 << DIGIT;
/// Elements of a tile, as in the kernel.
const TILE: usize = 4096;

/// A stable sort, in place.
pub(super) fn sort(sort: &Sort, properties: &Properties) -> Plan {
    let (len, size) = (sort.keys.len, sort.keys.dtype.size());
    let (first, end) = (sort.first_bit, sort.end_bit.min(size as u32 * 8));
    let mut plan = Plan::default();
    if len < 2 || first >= end {
        return plan;
    }
    let passes = (end - first).div_ceil(DIGIT) as usize;
    let tiles = len.div_ceil(TILE);
    // What is zero before comes first: how often each digit occurs, the tickets, and what tiles tell each other.
    let counts = plan.reserve(passes * BINS * 8);
    let tickets = plan.reserve(passes * 4);
    let states = plan.reserve(passes * tiles * BINS * 8);
    plan.zeroed = plan.scratch;

    let width = bits::width(size);
    let order = order(sort.keys.dtype, sort.descending);
    let mut args = vec![Arg::U64(len as u64), Arg::Ptr(sort.keys.ptr)];
    args.extend(order);
    args.extend([Arg::U32(first), Arg::U32(end), Arg::Scratch(counts)]);
    let blocks = properties.blocks(len, THREADS, 16, 1);
    plan.steps.push(Step::new(Entry::of("sort", "count", width), blocks, THREADS, args));

    let mut keys = [Arg::Ptr(sort.keys.ptr), Arg::Scratch(plan.reserve(len * size))];
    let mut values = sort.values.map(|span| [Arg::Ptr(span.ptr), Arg::Scratch(plan.reserve(len * span.dtype.size()))]);
    let entry = match sort.values {
        None => Entry::of("sort", "keys", width),
        Some(span) => Entry::of_two("sort", "pairs", width, bits::width(span.dtype.size())),
    };
    let blocks = properties.blocks(tiles.saturating_mul(THREADS as usize), THREADS, 1, 1);
    for pass in 0..passes {
        let mut args = vec![Arg::U64(len as u64)];
        args.extend(order);
        args.extend([Arg::U32(first + pass as u32 * DIGIT), Arg::U32(end)]);
        args.extend(keys);
        args.push(Arg::Scratch(counts + pass * BINS * 8));
        args.push(Arg::Scratch(tickets + pass * 4));
        args.push(Arg::Scratch(states + pass * tiles * BINS * 8));
        args.extend(values.iter().flatten());
        plan.steps.push(Step::new(entry, blocks, THREADS, args));
        keys.reverse();
        values = values.map(|[from, to]| [to, from]);
    }
    // After an odd number of passes the result is in scratch memory.
    if passes % 2 == 1 {
        plan.steps.extend(copy::moved(size, len, keys[0], keys[1], properties).steps);
        if let (Some([from, to]), Some(span)) = (values, sort.values) {
            plan.steps.extend(copy::moved(span.dtype.size(), len, from, to, properties).steps);
        }
    }
    plan
}

/// How a kernel makes keys of elements: the kind of the type, infinity, and the direction.
fn order(dtype: DType, descending: bool) -> [Arg; 3] {
    let (kind, infinity) = match dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => (0, 0),
        DType::F16 => (2, 0x7c00),
        DType::Bf16 => (2, 0x7f80),
        DType::F32 => (2, 0x7f80_0000),
        DType::F64 => (2, 0x7ff0_0000_0000_0000),
        _ => (1, 0),
    };
    [Arg::U32(kind), Arg::U64(infinity), Arg::U32(descending.into())]
}
