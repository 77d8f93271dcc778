//! What softmax and layer normalization share: lines that are held, reduced by the [tree](super::tree) and replaced.
//!
//! Lines are converted to what is computed in and brought to a room of a thread's own, a chunk at a time: one line if elements follow
//! each other, some neighbours if lines lie side by side, so that whole cache lines are used. In the room all is contiguous, whatever the
//! layouts of input and output and whether they are the same matrix; loops over it are compiled once for `f32` and once for `f64`. A line
//! of one chunk is read from memory once; longer ones are taken in groups that stay in the outer caches while they are read again.

use super::memory::{GRAIN_BYTES, elements, elements_mut};
use super::reduce::Lines;
use super::scratch;
use super::tree::{self, Fold, Lanes, Results};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::marker::PhantomData;
use std::ops::Range;
use warpwave_core::Result;
use warpwave_core::numerics::WideFloat;
use warpwave_core::numerics::tree::CHUNK;

/// Bytes of long lines that are taken at a time.
const GROUP_BYTES: usize = 2 << 20;
/// Elements between the lines of a room beyond what they need: else all of them would share few sets of a cache.
const GAP: usize = 16;

/// Lines of `T` that are replaced by others.
pub(super) struct Job<'a, T: WideFloat> {
    workers: &'a Workers,
    x: Lines,
    out: Lines,
    /// Lines in a block.
    width: usize,
    /// From one line of a room to the next.
    stride: usize,
    /// Blocks that are worth handing to another thread.
    grain: usize,
    /// A block for each thread.
    rooms: Vec<Vec<T::Acc>>,
    item: PhantomData<T>,
}

impl<'a, T: WideFloat> Job<'a, T> {
    /// `x` and `out` have as many lines of as many elements, and not 0.
    ///
    /// # Safety
    /// As long as this lives, the elements of `x` are there to be read and those of `out` to be written, all are `T`s, and they are either
    /// the same elements or have none in common.
    ///
    /// # Errors
    /// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory).
    pub(super) unsafe fn new(workers: &'a Workers, x: Lines, out: Lines) -> Result<Self> {
        let contiguous = x.step == 1 && out.step == 1;
        let width = if contiguous { 1 } else { (64 / size_of::<T>()).min(16).min(x.count) };
        let held = x.len.min(CHUNK);
        let stride = held + GAP;
        let grain = GRAIN_BYTES.div_ceil(held * width * size_of::<T>());
        let blocks = x.count.div_ceil(width).saturating_mul(x.len.div_ceil(CHUNK));
        let rooms = scratch::rooms(workers.rooms(blocks, grain), || scratch::zeroed(width * stride))?;
        Ok(Job { workers, x, out, width, stride, grain, rooms, item: PhantomData })
    }

    /// Whether a line is a single chunk.
    pub(super) fn is_short(&self) -> bool {
        self.x.len <= CHUNK
    }

    /// How many lines to take at a time if they are read more than once.
    pub(super) fn group(&self) -> usize {
        let lines = (GROUP_BYTES / (self.x.len * size_of::<T>())).next_multiple_of(self.width);
        lines.max(self.width).min(self.x.count)
    }

    /// Room for the partial results of a group.
    ///
    /// # Errors
    /// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory).
    pub(super) fn partial<A: Copy + Default>(&self) -> Result<Vec<A>> {
        scratch::zeroed(self.group() * self.x.len.div_ceil(CHUNK))
    }

    /// Reduces each line of a group: `chunk(line, piece)` is the result of a chunk, and `fold` joins those. The results are the first
    /// elements of `partial`.
    pub(super) fn reduce<F: Fold>(
        &mut self,
        group: Range<usize>,
        fold: F,
        partial: &mut [F::Acc],
        chunk: impl Fn(usize, &[T::Acc]) -> F::Acc + Sync,
    ) {
        let (start, count, chunks) = (group.start, group.len(), self.x.len.div_ceil(CHUNK));
        let partial = &mut partial[..count * chunks];
        let results = Results::new(partial);
        self.blocks(group, false, |line, first, piece| {
            let place = first / CHUNK * count + line - start;
            // SAFETY: `partial` has a place for each chunk of each line, and each chunk is visited once.
            unsafe { results.set(place, chunk(line, piece)) };
        });
        tree::ascend(fold, partial, count);
    }

    /// Replaces the elements of a group of lines: `each(line, first, piece)` has a chunk of a line, from element `first` on.
    pub(super) fn replace(&mut self, group: Range<usize>, each: impl Fn(usize, usize, &mut [T::Acc]) + Sync) {
        self.blocks(group, true, each);
    }

    /// Shows `each(line, first, piece)` every chunk of every line of a group, and if asked to writes back what it leaves.
    fn blocks(&mut self, group: Range<usize>, write: bool, each: impl Fn(usize, usize, &mut [T::Acc]) + Sync) {
        let Job { workers, x, out, width, stride, grain, ref mut rooms, .. } = *self;
        let chunks = x.len.div_ceil(CHUNK);
        workers.split_in(rooms, group.len().div_ceil(width) * chunks, grain, |room, range| {
            for job in range {
                let (block, chunk) = (job / chunks, job % chunks);
                let first = group.start + block * width;
                let lines = first..group.end.min(first + width);
                let elements = chunk * CHUNK..x.len.min((chunk + 1) * CHUNK);
                // SAFETY: the promise of `new`: they are there, and no other job has these lines and elements.
                unsafe { load::<T>(x, lines.clone(), elements.clone(), room, stride) };
                for (line, piece) in lines.clone().zip(room.chunks_exact_mut(stride)) {
                    each(line, elements.start, &mut piece[..elements.len()]);
                }
                if write {
                    // SAFETY: as above.
                    unsafe { store::<T>(out, lines, elements, room, stride) };
                }
            }
        });
    }
}

/// Brings elements of lines to a room, one line after the other.
///
/// # Safety
/// They are there, and are not written meanwhile.
unsafe fn load<T: WideFloat>(
    x: Lines,
    lines: Range<usize>,
    elements_of: Range<usize>,
    room: &mut [T::Acc],
    stride: usize,
) {
    if x.step == 1 {
        for (line, held) in lines.zip(room.chunks_exact_mut(stride)) {
            // SAFETY: the caller's promise.
            widen(unsafe { elements::<T>(x.ptr, line * x.pitch + elements_of.start, elements_of.len()) }, held);
        }
    } else {
        for (at, index) in elements_of.enumerate() {
            // SAFETY: the caller's promise; lines lie side by side.
            let row = unsafe { elements::<T>(x.ptr, index * x.step + lines.start, lines.len()) };
            for (held, &x) in room.chunks_exact_mut(stride).zip(row) {
                held[at] = x.widen();
            }
        }
    }
}

/// Brings them back.
///
/// # Safety
/// They are there, and nothing else reads or writes them meanwhile.
unsafe fn store<T: WideFloat>(
    out: Lines,
    lines: Range<usize>,
    elements_of: Range<usize>,
    room: &[T::Acc],
    stride: usize,
) {
    if out.step == 1 {
        for (line, held) in lines.zip(room.chunks_exact(stride)) {
            // SAFETY: the caller's promise.
            let line = unsafe { elements_mut::<T>(out.ptr, line * out.pitch + elements_of.start, elements_of.len()) };
            vectorize(
                #[inline(always)]
                || line.iter_mut().zip(held).for_each(|(y, &value)| *y = T::narrow(value)),
            );
        }
    } else {
        for (at, index) in elements_of.enumerate() {
            // SAFETY: the caller's promise; lines lie side by side.
            let row = unsafe { elements_mut::<T>(out.ptr, index * out.step + lines.start, lines.len()) };
            for (y, held) in row.iter_mut().zip(room.chunks_exact(stride)) {
                *y = T::narrow(held[at]);
            }
        }
    }
}

/// Elements as what is computed in, at the start of `held`.
pub(super) fn widen<T: WideFloat>(x: &[T], held: &mut [T::Acc]) {
    vectorize(
        #[inline(always)]
        || held.iter_mut().zip(x).for_each(|(held, &x)| *held = x.widen()),
    );
}

/// The result of a chunk, each element less `shift`. A function of its own, so that there is one for each fold and type.
#[inline(never)]
pub(super) fn reduce_chunk<F: Fold<Item: Copy + std::ops::Sub<Output = F::Item>>>(
    fold: F,
    chunk: &[F::Item],
    shift: F::Item,
) -> F::Acc {
    let mut lanes = Lanes::new();
    vectorize(
        #[inline(always)]
        // SAFETY: a slice has as many elements as it is long.
        || unsafe {
            tree::chunk(
                fold,
                chunk.len(),
                #[inline(always)]
                |range| {
                    chunk[range].iter().map(
                        #[inline(always)]
                        move |&x| x - shift,
                    )
                },
                #[inline(always)]
                |_| {},
                &mut lanes,
            )
        },
    )
}
