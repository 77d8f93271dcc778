//! Constants and sequences.

use super::copy::{self, Lines};
use super::elementwise::map;
use super::{Arg, Entry, Plan, Properties, bits};
use warpwave_core::ScalarValue;
use warpwave_core::operation::{MatrixOperand, Span};

/// `out[i, j] = value`.
pub(super) fn fill(value: ScalarValue, out: MatrixOperand, properties: &Properties) -> Plan {
    if let Some(out) = out.contiguous() {
        let dtype = bits::width(out.dtype.size());
        let operands = [Arg::Scalar(bits::value(value)), Arg::Ptr(out.ptr)];
        return map(Entry::of("fill", "fill", dtype), out.len, 16 / dtype.size(), properties, &operands);
    }
    let (run, runs) = out.runs();
    let size = out.dtype.size();
    // In elements as wide as the places of all lines allow.
    let dtype = bits::widest([out.ptr.addr(), run * size, out.ld * size]);
    let lines = Lines { run: run * size / dtype.size(), runs };
    let operands =
        [Arg::Scalar(bits::repeated(value, dtype)), Arg::Ptr(out.ptr), Arg::U64((out.ld * size / dtype.size()) as u64)];
    copy::lines(Entry::of("fill", "fill_lines", dtype), lines, properties, &operands)
}

/// `out[i] = start + i · step`.
pub(super) fn iota(start: ScalarValue, step: ScalarValue, out: Span, properties: &Properties) -> Plan {
    let operands = [Arg::Scalar(start), Arg::Scalar(step), Arg::Ptr(out.ptr)];
    map(Entry::of("fill", "iota", out.dtype), out.len, 16 / out.dtype.size(), properties, &operands)
}
