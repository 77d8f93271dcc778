//! Lines that lie side by side.

use super::{Fold, Results, ascend, fill};
use crate::execute::memory::GRAIN_BYTES;
use crate::execute::scratch;
use crate::simd::vectorize;
use crate::workers::Workers;
use std::mem::MaybeUninit;
use std::ops::Range;
use warpwave_core::Result;
use warpwave_core::numerics::tree::{CHUNK, LANES};

/// Where the items of interleaved lines come from.
///
/// # Safety
/// [`row`](Self::row) gives an item for each line that it is asked for.
pub(in crate::execute) unsafe trait Rows: Copy + Sync {
    /// What a lane takes.
    type Item;

    /// Item `index` of each line of `lines`.
    ///
    /// # Safety
    /// There are such items, and they may be read while the iterator lives.
    unsafe fn row(self, index: usize, lines: Range<usize>) -> impl Iterator<Item = Self::Item>;

    /// Asks the processor to fetch what [`row`](Self::row) would read; there need not be such items.
    fn prefetch(self, index: usize, lines: Range<usize>);
}

/// Bytes of partial results in a row of a block: enough that memory is read in long runs, and little enough that the results
/// that wait for their neighbours stay in the second-level cache.
const WIDTH: usize = 2048;
/// Heights of subtrees of up to [`LANES`] lanes.
const LEVELS: usize = LANES.trailing_zeros() as usize + 1;

/// Reduces `lines` interleaved lines of `len` elements, of `item` bytes each, and calls `finish(line, result)` for each line,
/// unless there are no elements.
///
/// # Safety
/// `rows` has `len` rows of `lines` items, which may be read.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is called.
pub(in crate::execute) unsafe fn across<F: Fold>(
    workers: &Workers,
    (lines, len): (usize, usize),
    item: usize,
    fold: F,
    rows: impl Rows<Item = F::Item>,
    finish: impl Fn(usize, F::Acc) + Sync,
) -> Result<()> {
    if lines == 0 || len == 0 {
        return Ok(());
    }
    let chunks = len.div_ceil(CHUNK);
    if chunks == 1 {
        // SAFETY: the caller's promise.
        return unsafe { each_chunk(workers, (lines, len), item, fold, rows, |_, line, result| finish(line, result)) };
    }
    let mut partial = scratch::zeroed(chunks * lines)?;
    let results = Results::new(&mut partial);
    // SAFETY: the caller's promise; `partial` has a place for each chunk of each line, which is finished once.
    unsafe {
        let keep = |chunk, line, result| results.set(chunk * lines + line, result);
        each_chunk(workers, (lines, len), item, fold, rows, keep)?;
    }
    ascend(fold, &mut partial, lines);
    partial[..lines].iter().enumerate().for_each(|(line, &result)| finish(line, result));
    Ok(())
}

/// Reduces each chunk of each line: `finish(chunk, line, result)`.
///
/// # Safety
/// As for [`across`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is called.
unsafe fn each_chunk<F: Fold>(
    workers: &Workers,
    (lines, len): (usize, usize),
    item: usize,
    fold: F,
    rows: impl Rows<Item = F::Item>,
    finish: impl Fn(usize, usize, F::Acc) + Sync,
) -> Result<()> {
    // Narrower blocks than there is room for, if there would not be one for each thread.
    let widest = (WIDTH / size_of::<F::Acc>()).max(1);
    let width = lines.div_ceil(workers.threads()).next_multiple_of(16).min(widest);
    let (blocks, chunks) = (lines.div_ceil(width), len.div_ceil(CHUNK));
    let grain = GRAIN_BYTES.div_ceil(len.min(CHUNK) * width * item);
    let count = workers.rooms(chunks * blocks, grain);
    let mut rooms = scratch::rooms(count, || scratch::zeroed::<F::Acc>(width * (LEVELS + 1)))?;
    workers.split_in(&mut rooms, chunks * blocks, grain, |room, range| {
        for job in range {
            let (chunk, block) = (job / blocks, job % blocks);
            let columns = block * width..lines.min((block + 1) * width);
            let elements = chunk * CHUNK..len.min((chunk + 1) * CHUNK);
            // SAFETY: the block is inside what the caller lets us read.
            let results = vectorize(
                #[inline(always)]
                || unsafe { block_of(fold, rows, elements, columns.clone(), room) },
            );
            for (line, &result) in columns.zip(results) {
                finish(chunk, line, result);
            }
        }
    });
    Ok(())
}

/// One chunk of a block of lines, all of them side by side. `room` is that of `LEVELS + 1` blocks.
///
/// Lanes come in ascending order. Block `k` of the room holds finished subtrees of `2^k` lanes, which wait for their neighbours,
/// as the digits of a binary counter do; the last block holds the lane in progress.
///
/// # Safety
/// `rows` has these items, which may be read.
#[inline(always)]
unsafe fn block_of<F: Fold>(
    fold: F,
    rows: impl Rows<Item = F::Item>,
    elements: Range<usize>,
    columns: Range<usize>,
    room: &mut [F::Acc],
) -> &[F::Acc] {
    let width = columns.len();
    let (waiting, acc) = room.split_at_mut(LEVELS * width);
    let acc = &mut acc[..width];
    let lanes = elements.len().min(LANES);
    for lane in 0..lanes {
        let first = elements.start + lane;
        let depth = (elements.end - first).div_ceil(LANES);
        // Rows are too far apart for the processor to see which comes next.
        (0..depth).for_each(|row| rows.prefetch(first + row * LANES + 1, columns.clone()));
        // SAFETY: `fill` leaves nothing in it that is not initialised.
        let uninit = unsafe { &mut *(std::ptr::from_mut(acc) as *mut [MaybeUninit<F::Acc>]) };
        // SAFETY: the caller's promise, and that of `Rows`.
        unsafe { fill(fold, uninit, depth, |row| rows.row(first + row * LANES, columns.clone())) };
        let level = lane.trailing_ones() as usize;
        for left in waiting[..level * width].chunks_exact(width) {
            join(fold, left, acc);
        }
        waiting[level * width..(level + 1) * width].copy_from_slice(acc);
    }
    // What never got a neighbour moves up and joins the next that waits.
    let first = lanes.trailing_zeros() as usize;
    acc.copy_from_slice(&waiting[first * width..(first + 1) * width]);
    for level in (first + 1..LEVELS).filter(|level| lanes >> level & 1 == 1) {
        join(fold, &waiting[level * width..(level + 1) * width], acc);
    }
    acc
}

/// `right = left ∘ right`, line by line.
#[inline(always)]
fn join<F: Fold>(fold: F, left: &[F::Acc], right: &mut [F::Acc]) {
    for (right, &left) in right.iter_mut().zip(left) {
        *right = fold.join(left, *right);
    }
}
