//! Lines whose elements follow each other.

use super::{Fold, Results, add, ascend, fill, initialised};
use crate::execute::memory::GRAIN_BYTES;
use crate::execute::scratch;
use crate::workers::Workers;
use std::mem::MaybeUninit;
use std::ops::Range;
use warpwave_core::Result;
use warpwave_core::numerics::tree::{CHUNK, LANES};

/// Reduces `lines` lines of `len` elements, of `item` bytes each, and calls `finish(line, result)` for each line, unless there
/// are no elements.
///
/// `chunk(line, range, lanes)` is the result of one chunk of a line, made by [`chunk`] or by several calls of it; `fold` joins
/// those.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is called.
pub(in crate::execute) fn along<F: Fold>(
    workers: &Workers,
    (lines, len): (usize, usize),
    item: usize,
    fold: F,
    chunk: impl Fn(usize, Range<usize>, &mut Lanes<F::Acc>) -> F::Acc + Sync,
    finish: impl Fn(usize, F::Acc) + Sync,
) -> Result<()> {
    if lines == 0 || len == 0 {
        return Ok(());
    }
    let chunks = len.div_ceil(CHUNK);
    let grain = GRAIN_BYTES.div_ceil(len.min(CHUNK) * item);
    if chunks == 1 {
        workers.split(lines, grain, |range| {
            let mut lanes = Lanes::new();
            range.for_each(|line| finish(line, chunk(line, 0..len, &mut lanes)));
        });
        return Ok(());
    }
    let mut partial = scratch::zeroed(chunks * lines)?;
    let results = Results::new(&mut partial);
    workers.split(chunks * lines, grain, |range| {
        let mut lanes = Lanes::new();
        for job in range {
            let (line, index) = (job / chunks, job % chunks);
            let range = index * CHUNK..len.min((index + 1) * CHUNK);
            // SAFETY: `partial` has a place for each chunk of each line, outlives the call, and no two ranges have the same.
            unsafe { results.set(index * lines + line, chunk(line, range, &mut lanes)) };
        }
    });
    ascend(fold, &mut partial, lines);
    partial[..lines].iter().enumerate().for_each(|(line, &result)| finish(line, result));
    Ok(())
}

/// Room for the lanes of a chunk, and for half as many. It has no content between calls, so making one costs nothing.
///
/// On the boundary of a cache line no vector is in two of them.
#[repr(align(64))]
pub(in crate::execute) struct Lanes<A> {
    lanes: [MaybeUninit<A>; LANES],
    halved: [MaybeUninit<A>; LANES / 2],
}

impl<A> Lanes<A> {
    #[inline(always)]
    pub(in crate::execute) fn new() -> Self {
        Lanes { lanes: [const { MaybeUninit::uninit() }; LANES], halved: [const { MaybeUninit::uninit() }; LANES / 2] }
    }
}

/// Lanes that are filled at a time, and how far ahead of them memory is asked for: a full chunk is read in eight places at once, which
/// is more than the processor's own prefetching follows.
const BLOCK: usize = 64;
const AHEAD: usize = 2 * BLOCK;

/// Asks for the block that comes so many lanes after the first of a full chunk. Past the last lane come the first ones of the next.
#[inline(always)]
fn fetch(lane: usize, ahead: &impl Fn(Range<usize>)) {
    let first = if lane < LANES { lane } else { lane + CHUNK - LANES };
    for row in 0..CHUNK / LANES {
        ahead(first + row * LANES..first + row * LANES + BLOCK);
    }
}

/// Reduces one chunk of `len` items, at least one: `items(range)` are those of `range`, and `ahead(range)` asks the processor to fetch
/// those of `range`, which need not be there. To be called inside [`vectorize`](crate::simd::vectorize).
///
/// # Safety
/// `items(range)` gives as many items as `range` is long.
#[inline(always)]
pub(in crate::execute) unsafe fn chunk<F: Fold, S: Iterator<Item = F::Item>>(
    fold: F,
    len: usize,
    mut items: impl FnMut(Range<usize>) -> S,
    ahead: impl Fn(Range<usize>),
    Lanes { lanes: room, halved: other }: &mut Lanes<F::Acc>,
) -> F::Acc {
    // SAFETY: the caller's promise; a row is as long as the lanes it is for.
    let mut lanes: &[F::Acc] = unsafe {
        if len == CHUNK {
            for first in (0..LANES).step_by(BLOCK) {
                fetch(first + AHEAD, &ahead);
                fill(
                    fold,
                    &mut room[first..first + BLOCK],
                    CHUNK / LANES,
                    #[inline(always)]
                    |row| items(row * LANES + first..row * LANES + first + BLOCK),
                );
            }
            initialised(room)
        } else if len < LANES {
            fill(fold, &mut room[..len], 1, |_| items(0..len))
        } else {
            let lanes = fill(
                fold,
                room,
                len / LANES,
                #[inline(always)]
                |row| items(row * LANES..(row + 1) * LANES),
            );
            if !len.is_multiple_of(LANES) {
                add(fold, lanes, items(len / LANES * LANES..len));
            }
            lanes
        }
    };
    if lanes.len() == LANES {
        // With lengths that the compiler knows: it makes vector instructions of the last, short ones too.
        const PARTS: usize = 4;
        const PART: usize = LANES / PARTS;
        for part in 0..PARTS {
            // Memory would have nothing to do meanwhile.
            if len == CHUNK {
                fetch(LANES + AHEAD + part * BLOCK, &ahead);
            }
            halve(fold, &lanes[part * PART..][..PART], &mut other[part * PART / 2..][..PART / 2]);
        }
        // SAFETY: all of them have been written.
        let halved = unsafe { initialised(other) };
        lanes = halve(fold, halved, &mut room[..LANES / 4]);
        macro_rules! halve {
            ($($count:literal, $half:literal);*) => { $(
                let halved = halve(fold, &lanes[..$count], other);
                lanes = halve(fold, &halved[..$half], room);
            )* };
        }
        halve!(256, 128; 64, 32; 16, 8; 4, 2);
    }
    while lanes.len() > 1 {
        let halved = halve(fold, lanes, other);
        lanes = halve(fold, halved, room);
    }
    lanes[0]
}

/// Combines neighbours, `2i` with `2i + 1`; the last stays as it is if it has none.
#[inline(always)]
fn halve<'a, F: Fold>(fold: F, from: &[F::Acc], to: &'a mut [MaybeUninit<F::Acc>]) -> &'a [F::Acc] {
    let (pairs, rest) = from.as_chunks::<2>();
    for (to, &[low, high]) in to.iter_mut().zip(pairs) {
        to.write(fold.join(low, high));
    }
    if let [last] = *rest {
        to[pairs.len()].write(last);
    }
    // SAFETY: these have been written.
    unsafe { initialised(&mut to[..from.len().div_ceil(2)]) }
}
