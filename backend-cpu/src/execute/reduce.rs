//! Reductions by the tree of [`warpwave_core::numerics::tree`].
//!
//! Along contiguous elements a chunk is 8 rows of 1,024 lanes, added row by row and then folded in halves. Across contiguous
//! elements a block of columns goes through the tree side by side, so that memory is read in runs in either layout. Chunks are
//! independent: how threads share them does not show in the result.

use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::tree::{CHUNK, LANES};
use warpwave_core::numerics::{Numeric, RealNumeric, Reducible, cast, reduction};
use warpwave_core::operation::{MatrixOperand, Ptr, Span};
use warpwave_core::{Axis, ReduceOp, Scalar, match_dtype};

/// [`Operation::Reduce`](warpwave_core::Operation::Reduce); `None` if there is no such reduction for the type.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn reduce(workers: &Workers, op: ReduceOp, axis: Axis, x: MatrixOperand, out: Span) -> Option<()> {
    let lines = Lines::new(axis, x)?;
    if out.dtype != x.dtype {
        return None;
    }
    macro_rules! each {
        ($family:ident, $empty:ident, $function:ident) => {
            match_dtype!(x.dtype, $family T => {
                lines.reduce::<T>(workers, out, T::$empty, <T as Reducible>::Acc::$function, T::narrow);
                Some(())
            }, _ => None)
        };
    }
    // SAFETY: the caller's promise; `lines` are those of `x`.
    unsafe {
        match op {
            ReduceOp::Sum => each!(any, ZERO, add),
            ReduceOp::Prod => each!(any, ONE, mul),
            ReduceOp::Min => each!(real, GREATEST, min_nan),
            ReduceOp::Max => each!(real, LEAST, max_nan),
            _ => None,
        }
    }
}

/// [`Operation::Mean`](warpwave_core::Operation::Mean): a sum with another ending. `None` if there is no mean for the type.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn mean(workers: &Workers, axis: Axis, x: MatrixOperand, out: Span) -> Option<()> {
    let lines = Lines::new(axis, x)?;
    if out.dtype != x.dtype {
        return None;
    }
    macro_rules! run {
        ($t:ident) => {{
            type Sum = <$t as Reducible>::Acc;
            let empty = reduction::mean(0, |_| $t::ZERO);
            let len: <Sum as Scalar>::Magnitude = cast(lines.len as u64);
            let finish = move |sum: Sum| $t::narrow(Sum::divide_real(sum, len));
            lines.reduce::<$t>(workers, out, empty, Sum::add, finish);
            Some(())
        }};
    }
    // SAFETY: the caller's promise; `lines` are those of `x`.
    unsafe {
        match_dtype!(
            x.dtype,
            float T => run!(T),
            _ => match_dtype!(x.dtype, complex T => run!(T), _ => None),
        )
    }
}

/// What is reduced: `count` lines of `len` elements each, one result a line.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) ptr: Ptr,
    pub(super) count: usize,
    pub(super) len: usize,
    /// From one element of a line to the next, in elements.
    pub(super) step: usize,
    /// From one line to the next, in elements. This or `step` is 1.
    pub(super) pitch: usize,
}

impl Lines {
    pub(super) fn new(axis: Axis, x: MatrixOperand) -> Option<Lines> {
        let (rows, cols) = (x.row_stride(), x.col_stride());
        Some(match axis {
            Axis::Whole => Lines { ptr: x.ptr, count: 1, len: x.rows * x.cols, step: 1, pitch: 1 },
            Axis::Rows => Lines { ptr: x.ptr, count: x.rows, len: x.cols, step: cols, pitch: rows },
            Axis::Cols => Lines { ptr: x.ptr, count: x.cols, len: x.rows, step: rows, pitch: cols },
            _ => return None,
        })
    }

    /// # Safety
    /// The elements are there, and are `T`s; `out` has an element for each line.
    unsafe fn reduce<T: Reducible>(
        self,
        workers: &Workers,
        out: Span,
        empty: T,
        combine: impl Fn(T::Acc, T::Acc) -> T::Acc + Copy + Sync,
        finish: impl Fn(T::Acc) -> T + Copy + Sync,
    ) {
        // SAFETY: the caller's promise, and nothing else writes the output.
        let out = unsafe { elements_mut::<T>(out.ptr, 0, self.count) };
        if self.len == 0 || self.count == 0 {
            out.fill(empty);
        } else if self.count == 1 && self.len <= SMALL && self.step == 1 {
            // The shortest way for what is over in nanoseconds.
            // SAFETY: the caller's promise.
            let line = unsafe { elements::<T>(self.ptr, 0, self.len) };
            out[0] = finish(fold(line, T::widen, combine, &mut Lanes::<_, SMALL>::new(T::Acc::ZERO)));
        } else {
            // SAFETY: the caller's promise; the vectors have an element for each chunk of each line.
            unsafe {
                if self.chunks() == 1 {
                    return self.level(workers, out, T::widen, combine, finish);
                }
                let mut partial = vec![T::Acc::ZERO; self.chunks() * self.count];
                self.level(workers, &mut partial, T::widen, combine, |acc| acc);
                let mut lines = self;
                loop {
                    lines = lines.of_chunks(&mut partial);
                    if lines.chunks() == 1 {
                        return lines.level(
                            workers,
                            out,
                            #[inline(always)]
                            |acc| acc,
                            combine,
                            finish,
                        );
                    }
                    let mut next = vec![T::Acc::ZERO; lines.chunks() * lines.count];
                    lines.level(
                        workers,
                        &mut next,
                        #[inline(always)]
                        |acc| acc,
                        combine,
                        |acc| acc,
                    );
                    partial = next;
                }
            }
        }
    }

    /// The lines that the results of the chunks make, which lie as the elements do: along the line if those are contiguous, else
    /// across.
    fn of_chunks<A>(self, results: &mut [A]) -> Lines {
        let len = self.chunks();
        let (step, pitch) = if self.step == 1 { (1, len) } else { (self.count, 1) };
        Lines { ptr: Ptr::new(results.as_mut_ptr().cast()), count: self.count, len, step, pitch }
    }

    fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    /// Reduces each chunk of each line.
    ///
    /// # Safety
    /// The elements are there, and are `S`s; `out` has `chunks · count` elements.
    unsafe fn level<S: Copy, A: Numeric, D>(
        self,
        workers: &Workers,
        out: &mut [D],
        widen: impl Fn(S) -> A + Copy + Sync,
        combine: impl Fn(A, A) -> A + Copy + Sync,
        finish: impl Fn(A) -> D + Sync,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.step == 1 {
                self.along(workers, out, widen, combine, finish);
            } else {
                self.across(workers, out, widen, combine, finish);
            }
        }
    }

    /// Lines that are contiguous: `out[line · chunks + chunk]`.
    ///
    /// # Safety
    /// As for [`level`](Self::level).
    unsafe fn along<S: Copy, A: Numeric, D>(
        self,
        workers: &Workers,
        out: &mut [D],
        widen: impl Fn(S) -> A + Copy + Sync,
        combine: impl Fn(A, A) -> A + Copy + Sync,
        finish: impl Fn(A) -> D + Sync,
    ) {
        let chunks = self.chunks();
        let out = Ptr::new(out.as_mut_ptr().cast());
        let grain = GRAIN_BYTES.div_ceil(self.len.min(CHUNK) * size_of::<S>());
        workers.split(chunks * self.count, grain, |range| {
            let mut lanes = Lanes::<A, LANES>::new(A::ZERO);
            for item in range {
                let (line, start) = (item / chunks, item % chunks * CHUNK);
                let len = CHUNK.min(self.len - start);
                // SAFETY: the chunk is inside the line; each item is written by one part alone.
                let (x, out) = unsafe {
                    (elements::<S>(self.ptr, line * self.pitch + start, len), elements_mut::<D>(out, item, 1))
                };
                out[0] = finish(fold(x, widen, combine, &mut lanes));
            }
        });
    }

    /// Lines that are interleaved: `out[chunk · count + line]`.
    ///
    /// # Safety
    /// As for [`level`](Self::level).
    unsafe fn across<S: Copy, A: Numeric, D>(
        self,
        workers: &Workers,
        out: &mut [D],
        widen: impl Fn(S) -> A + Copy + Sync,
        combine: impl Fn(A, A) -> A + Copy + Sync,
        finish: impl Fn(A) -> D + Sync,
    ) {
        // Narrower blocks than there is room for, if there would not be one for each thread.
        let width = self.count.div_ceil(workers.threads()).next_multiple_of(16).min(WIDTH);
        let blocks = self.count.div_ceil(width);
        let chunks = self.chunks();
        let out = Ptr::new(out.as_mut_ptr().cast());
        let grain = GRAIN_BYTES.div_ceil(self.len.min(CHUNK) * width * size_of::<S>());
        workers.split(chunks * blocks, grain, |range| {
            let mut room = Room { acc: [A::ZERO; WIDTH], stack: [[A::ZERO; WIDTH]; LEVELS] };
            for item in range {
                let (chunk, block) = (item / blocks, item % blocks);
                let columns = block * width..self.count.min((block + 1) * width);
                let rows = chunk * CHUNK..self.len.min((chunk + 1) * CHUNK);
                let first = chunk * self.count + columns.start;
                // SAFETY: the block is inside the matrix; each item is written by one part alone.
                let (acc, out) = unsafe {
                    let width = columns.len();
                    (self.columns(rows, columns, widen, combine, &mut room), elements_mut::<D>(out, first, width))
                };
                for (out, &acc) in out.iter_mut().zip(acc) {
                    *out = finish(acc);
                }
            }
        });
    }

    /// One chunk of a block of interleaved lines, all of them side by side.
    ///
    /// Lanes come in ascending order. `stack[k]` holds a finished subtree of `2^k` lanes, which waits for its neighbour, as the
    /// digits of a binary counter do.
    ///
    /// # Safety
    /// The elements are there, and are `S`s.
    unsafe fn columns<S: Copy, A: Numeric>(
        self,
        rows: Range<usize>,
        columns: Range<usize>,
        widen: impl Fn(S) -> A,
        combine: impl Fn(A, A) -> A,
        room: &mut Room<A>,
    ) -> &[A] {
        let width = columns.len();
        let Room { acc, stack } = room;
        let acc = &mut acc[..width];
        vectorize(
            #[inline(always)]
            || {
                // SAFETY: the caller's promise.
                let row = |i: usize| unsafe { elements::<S>(self.ptr, i * self.step + columns.start, width) };
                let lanes = rows.len().min(LANES);
                for lane in 0..lanes {
                    for i in (rows.start + lane..rows.end).step_by(LANES) {
                        // Rows are too far apart for the processor to see which comes next.
                        prefetch::<S>(self.ptr, (i + 1) * self.step + columns.start, width);
                    }
                    for (acc, &x) in acc.iter_mut().zip(row(rows.start + lane)) {
                        *acc = widen(x);
                    }
                    for i in (rows.start + lane + LANES..rows.end).step_by(LANES) {
                        for (acc, &x) in acc.iter_mut().zip(row(i)) {
                            *acc = combine(*acc, widen(x));
                        }
                    }
                    let waiting = lane.trailing_ones() as usize;
                    for left in &stack[..waiting] {
                        for (acc, &left) in acc.iter_mut().zip(left) {
                            *acc = combine(left, *acc);
                        }
                    }
                    stack[waiting][..width].copy_from_slice(acc);
                }
                // What never got a neighbour moves up and joins the next that waits.
                let first = lanes.trailing_zeros() as usize;
                acc.copy_from_slice(&stack[first][..width]);
                for level in (first + 1..LEVELS).filter(|level| lanes >> level & 1 == 1) {
                    for (acc, &left) in acc.iter_mut().zip(&stack[level]) {
                        *acc = combine(left, *acc);
                    }
                }
            },
        );
        acc
    }
}

/// What [`Lines::columns`] works in.
struct Room<A> {
    acc: [A; WIDTH],
    stack: [[A; WIDTH]; LEVELS],
}

/// Interleaved lines in a block.
const WIDTH: usize = 256;
/// Heights of subtrees of up to [`LANES`] lanes.
const LEVELS: usize = LANES.trailing_zeros() as usize + 1;
/// Elements that need no full set of lanes.
const SMALL: usize = 64;

/// The lanes of a chunk, and room to fold them.
struct Lanes<A, const N: usize> {
    lanes: [A; N],
    folded: [A; N],
}

impl<A: Copy, const N: usize> Lanes<A, N> {
    fn new(zero: A) -> Self {
        Lanes { lanes: [zero; N], folded: [zero; N] }
    }
}

/// Reduces 1 to [`CHUNK`] contiguous elements; if more than `N`, `N` is [`LANES`].
fn fold<S: Copy, A: Copy, const N: usize>(
    x: &[S],
    widen: impl Fn(S) -> A,
    combine: impl Fn(A, A) -> A,
    room: &mut Lanes<A, N>,
) -> A {
    vectorize(
        #[inline(always)]
        || {
            let mut count = x.len().min(N);
            let Lanes { lanes, folded } = room;
            let (first, rest) = x.split_at(count);
            for (lane, &x) in lanes.iter_mut().zip(first) {
                *lane = widen(x);
            }
            for row in rest.chunks(N) {
                for (lane, &x) in lanes.iter_mut().zip(row) {
                    *lane = combine(*lane, widen(x));
                }
            }
            // Two folds a turn, there and back, so that each loop knows its two arrays apart.
            while count > 1 {
                halve(&lanes[..count], folded, &combine);
                halve(&folded[..count.div_ceil(2)], lanes, &combine);
                count = count.div_ceil(4);
            }
            lanes[0]
        },
    )
}

/// Combines neighbours; the last stays as it is if it has none.
#[inline(always)]
fn halve<A: Copy>(from: &[A], to: &mut [A], combine: impl Fn(A, A) -> A) {
    let (pairs, rest) = from.as_chunks::<2>();
    for (to, &[left, right]) in to.iter_mut().zip(pairs) {
        *to = combine(left, right);
    }
    if let [last] = rest {
        to[pairs.len()] = *last;
    }
}
