//! Random numbers.

use super::elementwise::map;
use super::{Arg, Entry, Plan, Properties};
use warpwave_core::ScalarValue;
use warpwave_core::operation::Span;

/// Random numbers from word `offset` of a subsequence on.
pub(super) fn random(seed: u64, subsequence: u64, offset: u64, out: Span, properties: &Properties) -> Plan {
    let operands = [Arg::U64(seed), Arg::U64(subsequence), Arg::U64(offset), Arg::Ptr(out.ptr)];
    map(Entry::of("random", "random", out.dtype), out.len, 16 / out.dtype.size(), properties, &operands)
}

/// Normal random numbers of a seed and a subsequence from a word on.
pub(super) fn normal(
    [seed, subsequence, offset]: [u64; 3],
    mean: ScalarValue,
    deviation: ScalarValue,
    out: Span,
    properties: &Properties,
) -> Plan {
    let sequence = [Arg::U64(seed), Arg::U64(subsequence), Arg::U64(offset)];
    let operands = [&sequence[..], &[Arg::Scalar(mean), Arg::Scalar(deviation), Arg::Ptr(out.ptr)]].concat();
    map(Entry::of("random", "normal", out.dtype), out.len, 16 / out.dtype.size(), properties, &operands)
}
