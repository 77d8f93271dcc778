//! Copies of lines that lie apart.

use super::elementwise::{THREADS, map};
use super::{Arg, Entry, Plan, Properties, Step, bits};
use warpwave_core::operation::{Ptr, Span};

/// Contiguous runs of elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Elements of each.
    pub(super) run: usize,
    /// How many.
    pub(super) runs: usize,
}

/// `out = x`, both being contiguous and of one width.
pub(super) fn contiguous(x: Span, out: Span, properties: &Properties) -> Plan {
    moved(out.dtype.size(), out.len, Arg::Ptr(x.ptr), Arg::Ptr(out.ptr), properties)
}

/// The same for `len` elements of `size` bytes that may be in scratch memory.
pub(super) fn moved(size: usize, len: usize, x: Arg, out: Arg, properties: &Properties) -> Plan {
    map(Entry::of("copy", "copy", bits::width(size)), len, 16 / size, properties, &[x, out])
}

/// `out = x`: lines of elements of `size` bytes, `ld` elements apart.
pub(super) fn matrix(size: usize, lines: Lines, x: (Ptr, usize), out: (Ptr, usize), properties: &Properties) -> Plan {
    let run = lines.run * size;
    let places = [x.0.addr(), out.0.addr(), x.1 * size, out.1 * size];
    let dtype = bits::widest(places.into_iter().chain([run]));
    let lines = Lines { run: run / dtype.size(), ..lines };
    let ld = |ld: usize| Arg::U64((ld * size / dtype.size()) as u64);
    let operands = [Arg::Ptr(x.0), ld(x.1), Arg::Ptr(out.0), ld(out.1)];
    self::lines(Entry::of("copy", "copy_lines", dtype), lines, properties, &operands)
}

/// The launch of a kernel over lines.
pub(super) fn lines(entry: Entry, lines: Lines, properties: &Properties, operands: &[Arg]) -> Plan {
    let width = lines.run.next_power_of_two().min(THREADS as usize);
    let height = THREADS as usize / width;
    let tiles = lines.run.div_ceil(width * 4).saturating_mul(lines.runs.div_ceil(height));
    let blocks = properties.blocks(tiles.saturating_mul(THREADS as usize), THREADS, 1, 8);
    let shape = [Arg::U64(lines.run as u64), Arg::U64(lines.runs as u64), Arg::U32(width.trailing_zeros())];
    Plan::one(Step::new(entry, blocks, THREADS, shape.iter().chain(operands).copied().collect()))
}
