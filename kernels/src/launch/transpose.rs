//! Transpositions and permutations of axes, whose kernels are in one file.

use super::copy::{self, Lines};
use super::elementwise::THREADS;
use super::{Arg, Entry, Plan, Properties, Step, bits};
use warpwave_core::operation::{MatrixOperand, PermuteShape, Ptr, Span};

/// An axis of the output: its size, and its distances in elements of the input and of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    size: usize,
    from: usize,
    to: usize,
}

/// Shorter axes leave most of a tile of the transposition empty.
const WORTH_A_TILE: usize = 16;

/// `out[j, i] = x[i, j]`.
pub(super) fn transpose(x: MatrixOperand, out: MatrixOperand, properties: &Properties) -> Plan {
    let (run, runs) = x.runs();
    let lines = Lines { run, runs };
    let size = x.dtype.size();
    if x.layout != out.layout {
        return match (x.contiguous(), out.contiguous()) {
            (Some(x), Some(out)) => copy::contiguous(x, out, properties),
            _ => copy::matrix(size, lines, (x.ptr, x.ld), (out.ptr, out.ld), properties),
        };
    }
    // A line turned, where the elements lie one after the other on both sides.
    if (runs == 1 && (run == 1 || out.ld == 1)) || (run == 1 && x.ld == 1) {
        let span = |ptr| Span { ptr, dtype: x.dtype, len: run * runs };
        return copy::contiguous(span(x.ptr), span(out.ptr), properties);
    }
    turn(size, lines, (x.ptr, x.ld), (out.ptr, out.ld), &[], properties)
}

/// An array with its axes in another order.
pub(super) fn permute(x: Span, out: Span, shape: &PermuteShape, properties: &Properties) -> Plan {
    let axes = axes(shape);
    let size = x.dtype.size();
    let (Some(&last), Some(&fastest)) = (axes.last(), axes.iter().find(|axis| axis.from == 1)) else {
        return copy::contiguous(x, out, properties);
    };
    if axes.len() == 1 {
        return copy::contiguous(x, out, properties);
    }
    if last.from != 1 && last.size >= WORTH_A_TILE && fastest.size >= WORTH_A_TILE {
        let others: Vec<Axis> = axes.iter().copied().filter(|&axis| axis != last && axis != fastest).collect();
        let lines = Lines { run: fastest.size, runs: last.size };
        return turn(size, lines, (x.ptr, last.from), (out.ptr, fastest.to), &others, properties);
    }
    // Where the fastest axis stays, in elements as wide as its runs allow.
    let run = if last.from == 1 { last.size * size } else { size };
    let dtype = bits::widest([x.ptr.addr(), out.ptr.addr(), run]);
    let wider = dtype.size() / size;
    let mut wide: Vec<Axis> = axes.iter().rev().map(|axis| Axis { from: axis.from / wider, ..*axis }).collect();
    if let Some(first) = wide.first_mut().filter(|_| wider > 1) {
        *first = Axis { size: first.size / wider, from: 1, to: 1 };
    }
    let len = out.len / wider;
    let mut args = vec![Arg::U64(len as u64), Arg::Ptr(x.ptr), Arg::Ptr(out.ptr), Arg::U32(wide.len() as u32)];
    args.extend(padded(&wide, PermuteShape::MAX_RANK, |axis| axis.size, 1));
    args.extend(padded(&wide, PermuteShape::MAX_RANK, |axis| axis.from, 0));
    let blocks = properties.blocks(len, THREADS, 4, 8);
    Plan::one(Step::new(Entry::of("transpose", "permute", dtype), blocks, THREADS, args))
}

/// The axes of the output, the slowest first, as few as there can be: those of one element left out, and neighbours that stay
/// neighbours joined.
fn axes(shape: &PermuteShape) -> Vec<Axis> {
    let sizes = shape.sizes();
    let from = |axis: usize| sizes[axis + 1..].iter().product();
    let mut axes: Vec<Axis> = Vec::new();
    for &axis in shape.axes() {
        let next = Axis { size: sizes[axis], from: from(axis), to: 0 };
        match axes.last_mut() {
            _ if next.size == 1 => {}
            Some(last) if last.from == next.from * next.size => *last = Axis { size: last.size * next.size, ..next },
            _ => axes.push(next),
        }
    }
    let mut to = 1;
    for axis in axes.iter_mut().rev() {
        axis.to = to;
        to *= axis.size;
    }
    axes
}

/// `x` is a matrix of `lines.runs` lines, and `out` its transpose, for each matrix of a batch.
fn turn(
    size: usize,
    lines: Lines,
    x: (Ptr, usize),
    out: (Ptr, usize),
    batch: &[Axis],
    properties: &Properties,
) -> Plan {
    let dtype = bits::width(size);
    // As in the kernel.
    let edge = match size {
        1 => 128,
        2 | 4 => 64,
        _ => 32,
    };
    let count: usize = batch.iter().map(|axis| axis.size).product();
    let tiles = lines.run.div_ceil(edge).saturating_mul(lines.runs.div_ceil(edge)).saturating_mul(count);
    let mut args = vec![
        Arg::U64(lines.runs as u64),
        Arg::U64(lines.run as u64),
        Arg::Ptr(x.0),
        Arg::U64(x.1 as u64),
        Arg::Ptr(out.0),
        Arg::U64(out.1 as u64),
        Arg::U64(count as u64),
    ];
    args.extend(padded(batch, 6, |axis| axis.size, 1));
    args.extend(padded(batch, 6, |axis| axis.from, 0));
    args.extend(padded(batch, 6, |axis| axis.to, 0));
    let blocks = properties.blocks(tiles.saturating_mul(THREADS as usize), THREADS, 1, 8);
    Plan::one(Step::new(Entry::of("transpose", "transpose", dtype), blocks, THREADS, args))
}

fn padded(axes: &[Axis], len: usize, field: impl Fn(&Axis) -> usize, filler: u64) -> Vec<Arg> {
    let mut args: Vec<Arg> = axes.iter().map(|axis| Arg::U64(field(axis) as u64)).collect();
    args.resize(len, Arg::U64(filler));
    args
}
