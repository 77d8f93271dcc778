//! The [reduction tree](warpwave_core::numerics::tree), as loops that compile to vector instructions.
//!
//! This is the only engine for it: sums and products, extremes, `dot`, `asum`, `nrm2` and `gemv` differ in their [`Fold`] and in
//! where the elements come from. There are two ways to go through the tree, by how the elements lie in memory:
//!
//! - [`along`]: the elements of a line follow each other. The 1,024 lanes of a chunk lie side by side in vector registers.
//! - [`across`]: the lines lie side by side, and the elements of a line are far apart. Lanes come one after the other, each for
//!   many lines at once.
//!
//! Chunks are independent of each other, so it does not show in a result how threads share them.

mod across;
mod along;
#[cfg(test)]
mod tests;

pub(super) use across::{Rows, across};
pub(super) use along::{Lanes, along, chunk};

use std::mem::MaybeUninit;
use warpwave_core::numerics::tree::{CHUNK, LANES};

/// What a reduction does at the nodes of the tree.
pub(super) trait Fold: Copy + Sync {
    /// What a lane takes.
    type Item;
    /// A partial result.
    type Acc: Copy + Default + Send + Sync;

    /// A lane with its first item.
    fn first(self, item: Self::Item) -> Self::Acc;

    /// A lane with one more item.
    fn next(self, acc: Self::Acc, item: Self::Item) -> Self::Acc;

    /// Two partial results as one, that of the lower lane or chunk first.
    fn join(self, low: Self::Acc, high: Self::Acc) -> Self::Acc;
}

/// Where threads put results.
pub(super) struct Results<A>(*mut A);

// SAFETY: an address; only an unsafe function follows it, and its callers answer for races.
unsafe impl<A: Send> Sync for Results<A> {}

impl<A> Results<A> {
    /// Into a slice that nobody touches meanwhile.
    pub(super) fn new(results: &mut [A]) -> Self {
        Results(results.as_mut_ptr())
    }

    /// # Safety
    /// There is a result `index`, and nobody else touches it during the call.
    pub(super) unsafe fn set(&self, index: usize, value: A) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(index).write(value) }
    }
}

/// Reduces the results of chunks by the same tree, level by level, until the first `lines` of them are left: `results` are those
/// of the first chunk of each line, then those of the second, and so on.
///
/// There is one for every 8,192 elements: this takes no time.
pub(super) fn ascend<F: Fold>(fold: F, results: &mut [F::Acc], lines: usize) {
    let mut count = results.len() / lines;
    while count > 1 {
        for (index, start) in (0..count).step_by(CHUNK).enumerate() {
            let chunk = &mut results[start * lines..count.min(start + CHUNK) * lines];
            for i in LANES..chunk.len() / lines {
                join_rows(fold, chunk, lines, i % LANES, (i % LANES, i));
            }
            let mut lanes = LANES.min(chunk.len() / lines);
            while lanes > 1 {
                for pair in 0..lanes / 2 {
                    join_rows(fold, chunk, lines, pair, (2 * pair, 2 * pair + 1));
                }
                // The last stays as it is if it has no neighbour.
                if !lanes.is_multiple_of(2) {
                    chunk.copy_within((lanes - 1) * lines..lanes * lines, lanes / 2 * lines);
                }
                lanes = lanes.div_ceil(2);
            }
            results.copy_within(start * lines..(start + 1) * lines, index * lines);
        }
        count = count.div_ceil(CHUNK);
    }
}

/// Row `to` of `lines` results becomes row `low` joined with row `high`.
fn join_rows<F: Fold>(fold: F, rows: &mut [F::Acc], lines: usize, to: usize, (low, high): (usize, usize)) {
    for line in 0..lines {
        rows[to * lines + line] = fold.join(rows[low * lines + line], rows[high * lines + line]);
    }
}

/// Sets `lanes`, which are side by side, to what `rows` rows of items make of them: `row(r)` is the `r`-th item of each.
/// There is at least one row.
///
/// As many rows as a chunk has are taken at once, so that the lanes stay in registers: storing and loading them between rows
/// would hold up the elements on their way from memory.
///
/// # Safety
/// `row(r)` gives an item for each lane.
#[inline(always)]
unsafe fn fill<F: Fold, S: Iterator<Item = F::Item>>(
    fold: F,
    lanes: &mut [MaybeUninit<F::Acc>],
    rows: usize,
    mut row: impl FnMut(usize) -> S,
) -> &mut [F::Acc] {
    if rows == CHUNK / LANES {
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        let (e, f, g, h) = (row(4), row(5), row(6), row(7));
        let rows = a.zip(b).zip(c).zip(d).zip(e).zip(f).zip(g).zip(h);
        for (lane, (((((((a, b), c), d), e), f), g), h)) in lanes.iter_mut().zip(rows) {
            let low = fold.next(fold.next(fold.next(fold.first(a), b), c), d);
            lane.write(fold.next(fold.next(fold.next(fold.next(low, e), f), g), h));
        }
        // SAFETY: the caller's promise: each has been written.
        return unsafe { initialised(lanes) };
    }
    for (lane, item) in lanes.iter_mut().zip(row(0)) {
        lane.write(fold.first(item));
    }
    // SAFETY: as above.
    let lanes = unsafe { initialised(lanes) };
    (1..rows).for_each(
        #[inline(always)]
        |r| add(fold, lanes, row(r)),
    );
    lanes
}

/// `slice` as what it holds.
///
/// # Safety
/// All of it has been written.
#[inline(always)]
unsafe fn initialised<A>(slice: &mut [MaybeUninit<A>]) -> &mut [A] {
    // SAFETY: the caller's promise; the types have the same layout.
    unsafe { &mut *(std::ptr::from_mut(slice) as *mut [A]) }
}

const _: () = assert!(CHUNK / LANES == 8, "`fill` takes eight rows");

/// Adds an item to each of `lanes`.
#[inline(always)]
fn add<F: Fold>(fold: F, lanes: &mut [F::Acc], row: impl Iterator<Item = F::Item>) {
    for (lane, item) in lanes.iter_mut().zip(row) {
        *lane = fold.next(*lane, item);
    }
}
