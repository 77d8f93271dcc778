//! Softmax and layer normalization: lines of one chunk by a launch that reads them once, others by launches for each level of chunks and one
//! that replaces the elements.

use super::elementwise::THREADS;
use super::reduce::{Lines, sums};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::tree::CHUNK;
use warpwave_core::operation::{Axis, LayerNorm, MatrixOperand, Ptr};
use warpwave_core::{DType, Result};

/// Elements of a line that a thread replaces.
const MANY: usize = 8;

/// Lines that become others.
struct Pair {
    dtype: DType,
    lines: Lines,
    /// The first element, and the distances from one line to the next and from one element to the next.
    x: [Arg; 3],
    out: [Arg; 3],
}

impl Pair {
    fn new(axis: Axis, x: &MatrixOperand, out: &MatrixOperand) -> Result<Self> {
        let strided = |matrix: &MatrixOperand| {
            let (row, col) = (matrix.row_stride() as u64, matrix.col_stride() as u64);
            let (line, step) = if axis == Axis::Rows { (row, col) } else { (col, row) };
            [Arg::Ptr(matrix.ptr), Arg::U64(line), Arg::U64(step)]
        };
        Ok(Pair { dtype: x.dtype, lines: Lines::of(axis, x)?, x: strided(x), out: strided(out) })
    }

    /// Whether a line is read once and stays in registers, of which there are enough for so many elements.
    fn is_held(&self, most: usize) -> bool {
        self.lines.contiguous && self.lines.len <= most
    }

    /// The launch that does it all: `more` are the kernel's last arguments.
    fn rows(&self, name: &'static str, more: Vec<Arg>, properties: &Properties) -> Plan {
        let Lines { len, count, .. } = self.lines;
        let log = self.lines.log_group();
        let mut args = vec![Arg::U64(len as u64), Arg::U64(count as u64), Arg::U32(log), self.x[0], self.x[1]];
        args.extend(self.out);
        args.extend(more);
        Plan::one(Step::new(Entry::of("normalize", name, self.dtype), groups(count, log, properties), THREADS, args))
    }

    /// Appends the launch that reduces chunks: results of those of a line together, or of contiguous lines, else chunk after chunk.
    fn chunks(&self, names: [&'static str; 2], more: &[Arg], plan: &mut Plan, properties: &Properties) {
        let Lines { len, count, contiguous, ld } = self.lines;
        let chunks = len.div_ceil(CHUNK);
        let (name, log, blocks) = if contiguous {
            let log = self.lines.log_group();
            (names[0], log, groups(count.saturating_mul(chunks), log, properties))
        } else {
            let width = count.next_power_of_two().min(32);
            let units = count.div_ceil(width).saturating_mul(chunks).saturating_mul(THREADS as usize);
            (names[1], width.trailing_zeros(), properties.blocks(units, THREADS, 1, 4))
        };
        let sizes = [Arg::U64(len as u64), Arg::U64(count as u64), Arg::U64(ld as u64), Arg::U32(log), self.x[0]];
        let args = [&sizes[..], more].concat();
        plan.steps.push(Step::new(Entry::of("normalize", name, self.dtype), blocks, THREADS, args));
    }

    /// Appends the launch that replaces the elements.
    fn apply(&self, name: &'static str, more: Vec<Arg>, plan: &mut Plan, properties: &Properties) {
        let Lines { len, count, contiguous, .. } = self.lines;
        let near = if contiguous { len.div_ceil(MANY) } else { count };
        let width = near.next_power_of_two().clamp(1, THREADS as usize);
        let sizes = [len as u64, count as u64].map(Arg::U64);
        let mut args = [&sizes[..], &[Arg::U32(width.trailing_zeros()), Arg::U32((!contiguous).into())]].concat();
        args.extend(self.x);
        args.extend(self.out);
        args.extend(more);
        let height = THREADS as usize / width;
        let (lines, elements) = if contiguous { (height, width) } else { (width, height) };
        let units = count.div_ceil(lines).saturating_mul(len.div_ceil(elements * MANY));
        let blocks = properties.blocks(units.saturating_mul(THREADS as usize), THREADS, 1, 8);
        plan.steps.push(Step::new(Entry::of("normalize", name, self.dtype), blocks, THREADS, args));
    }

    /// Bytes of a number in the type that is computed in.
    fn wide(&self) -> usize {
        self.dtype.size().max(4)
    }

    /// Bytes of such numbers for each chunk of each line.
    fn partial(&self) -> usize {
        self.lines.count * self.lines.len.div_ceil(CHUNK) * self.wide()
    }
}

/// Blocks that give each of `units` a group of 2^`log` threads.
fn groups(units: usize, log: u32, properties: &Properties) -> u32 {
    let blocks = units.div_ceil(THREADS as usize >> log);
    properties.blocks(blocks.saturating_mul(THREADS as usize), THREADS, 1, 4)
}

/// Softmax, or its logarithm.
pub(super) fn softmax(
    log: bool,
    axis: Axis,
    x: &MatrixOperand,
    out: &MatrixOperand,
    properties: &Properties,
) -> Result<Plan> {
    let pair = Pair::new(axis, x, out)?;
    let log = Arg::U32(log.into());
    if pair.is_held(CHUNK) {
        return Ok(pair.rows("softmax_rows", vec![log], properties));
    }
    let mut plan = Plan::default();
    // A largest element and a sum.
    let mut states = Arg::Scratch(plan.reserve(2 * pair.partial()));
    pair.chunks(["softmax_along", "softmax_across"], &[states], &mut plan, properties);
    let count = pair.lines.count;
    let mut chunks = pair.lines.len.div_ceil(CHUNK);
    let (mut line_step, mut step) = if pair.lines.contiguous { (chunks, 1) } else { (1, count) };
    while chunks > 1 {
        let lines = Lines { len: chunks, ..pair.lines };
        let left = chunks.div_ceil(CHUNK);
        let joined = Arg::Scratch(plan.reserve(2 * pair.wide() * count * left));
        let args = [chunks, count, line_step, step].map(|n| Arg::U64(n as u64));
        let args = [&args[..], &[Arg::U32(lines.log_group()), states, joined]].concat();
        let blocks = groups(count.saturating_mul(left), lines.log_group(), properties);
        plan.steps.push(Step::new(Entry::of("normalize", "softmax_join", pair.dtype), blocks, THREADS, args));
        (states, chunks, line_step, step) = (joined, left, left, 1);
    }
    pair.apply("softmax_apply", vec![states, log], &mut plan, properties);
    Ok(plan)
}

/// Layer normalization.
pub(super) fn layer_norm(arguments: &LayerNorm, properties: &Properties) -> Result<Plan> {
    let &LayerNorm { axis, ref x, gamma, beta, epsilon, ref out } = arguments;
    let pair = Pair::new(axis, x, out)?;
    let affine = [gamma, beta].map(|span| Arg::Ptr(span.map_or(Ptr::NULL, |span| span.ptr)));
    let ending = [affine[0], affine[1], Arg::Scalar(epsilon)];
    // More are more than there are registers for on some devices, with factors and summands.
    if pair.is_held(CHUNK / 2) {
        return Ok(pair.rows("layer_norm_rows", ending.to_vec(), properties));
    }
    let Lines { len, count, contiguous, .. } = pair.lines;
    let mut plan = Plan::default();
    let [of_elements, of_squares] = [(); 2].map(|()| Arg::Scratch(plan.reserve(count * pair.wide())));
    sums(&mut plan, pair.dtype, pair.lines, (Arg::Ptr(x.ptr), false), of_elements, properties)?;
    let chunks = len.div_ceil(CHUNK);
    let partial = if chunks == 1 { of_squares } else { Arg::Scratch(plan.reserve(pair.partial())) };
    pair.chunks(["squares_along", "squares_across"], &[of_elements, partial], &mut plan, properties);
    if chunks > 1 {
        let lines = Lines { len: chunks, ld: if contiguous { chunks } else { count }, ..pair.lines };
        sums(&mut plan, pair.dtype, lines, (partial, true), of_squares, properties)?;
    }
    let more = [&[of_elements, of_squares], &ending[..]].concat();
    pair.apply("layer_norm_apply", more, &mut plan, properties);
    Ok(plan)
}
