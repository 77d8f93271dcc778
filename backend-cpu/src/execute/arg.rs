//! The place of the smallest or the largest element, of all, or of each row or column.
//!
//! Elements compare by [ranks](rank): integers in whose order a NaN comes first. Along contiguous elements the best rank of a block
//! is found before anything asks where it is. Across them a block of lines is gone through side by side, so that memory is read in
//! runs in either layout. The first of equals is the one with the lowest index, however threads share the work.

use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch};
use super::reduce::Lines;
use super::scratch::room;
use crate::simd::vectorize;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::operation::{MatrixOperand, Ptr, Span};
use warpwave_core::{ArgOp, Axis, DType, Result, match_dtype};

/// Elements of a line that one thread goes through at once; their numbers fit 32 bits.
const CHUNK: usize = 1 << 16;
/// Contiguous elements whose best rank is found before anything asks where it is.
const BLOCK: usize = 1024;
/// Contiguous elements that are not worth a block.
const SHORT: usize = 16;
/// Lines that are gone through together: interleaved ones side by side, short ones one after the other.
const WIDTH: usize = 256;

/// [`Operation::ArgReduce`](warpwave_core::Operation::ArgReduce); `None` if there is no such reduction for the type.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory): long lines need room for what was found in parts of them.
pub(super) unsafe fn arg_reduce(
    workers: &Workers,
    op: ArgOp,
    axis: Axis,
    x: MatrixOperand,
    out: Span,
) -> Result<Option<()>> {
    let Some(lines) = Lines::new(axis, x) else { return Ok(None) };
    if out.dtype != DType::U64 {
        return Ok(None);
    }
    macro_rules! each {
        ($largest:literal) => {
            match_dtype!(x.dtype, real T => lines.find::<T, $largest>(workers, out).map(Some), _ => Ok(None))
        };
    }
    // SAFETY: the caller's promise; `lines` are those of `x`.
    unsafe {
        match op {
            ArgOp::Min => each!(false),
            ArgOp::Max => each!(true),
            _ => Ok(None),
        }
    }
}

/// What has ranks: the real types.
trait Ranked: SortKey<Key: Default + Send + Sync> + Numeric {}
impl<T: SortKey<Key: Default + Send + Sync> + Numeric> Ranked for T {}

/// The rank of an element: its key, and for a NaN one that is better than those of all numbers. The key of a NaN is the largest.
#[inline(always)]
fn rank<T: Ranked, const LARGEST: bool>(x: T) -> T::Key {
    // No float but a NaN gets the key 0; and no integer is a NaN.
    if LARGEST || T::equal(x, x) { x.key() } else { T::Key::default() }
}

#[inline(always)]
fn better<K: Ord, const LARGEST: bool>(a: K, b: K) -> bool {
    if LARGEST { a > b } else { a < b }
}

/// Takes what was found in a chunk of several lines: the lines, where the chunk starts, the best ranks and their places.
type Found<'a, K> = dyn Fn(Range<usize>, usize, &[K], &[u32]) + Sync + 'a;

impl Lines {
    /// # Safety
    /// The elements are there, and are `T`s; `out` has a `u64` for each line.
    unsafe fn find<T: Ranked, const LARGEST: bool>(self, workers: &Workers, out: Span) -> Result<()> {
        // SAFETY: the caller's promise, and nothing else writes the output.
        let out = unsafe { elements_mut::<u64>(out.ptr, 0, self.count) };
        if self.len == 0 || self.count == 0 {
            out.fill(u64::MAX);
            return Ok(());
        }
        let chunks = self.len.div_ceil(CHUNK);
        if chunks == 1 {
            let out = Ptr::new(out.as_mut_ptr().cast());
            // SAFETY: the caller's promise; each line is found in once.
            unsafe {
                self.find_in_chunks::<T, LARGEST>(workers, &|lines, _, _, places| {
                    for (out, &place) in elements_mut::<u64>(out, lines.start, lines.len()).iter_mut().zip(places) {
                        *out = u64::from(place);
                    }
                });
            }
            return Ok(());
        }
        let mut found: Vec<(T::Key, u64)> = room(chunks * self.count)?;
        found.resize(chunks * self.count, Default::default());
        let places = Ptr::new(found.as_mut_ptr().cast());
        // SAFETY: the caller's promise; each chunk of each line is found in once, and has a place of its own.
        unsafe {
            self.find_in_chunks::<T, LARGEST>(workers, &|lines, start, keys, indices| {
                let place = start / CHUNK * self.count + lines.start;
                let found = elements_mut::<(T::Key, u64)>(places, place, lines.len());
                for ((found, &key), &index) in found.iter_mut().zip(keys).zip(indices) {
                    *found = (key, start as u64 + u64::from(index));
                }
            });
        }
        let (first, rest) = found.split_at_mut(self.count);
        for row in rest.chunks(self.count) {
            for (best, &later) in first.iter_mut().zip(row) {
                if better::<_, LARGEST>(later.0, best.0) {
                    *best = later;
                }
            }
        }
        for (out, &(_, index)) in out.iter_mut().zip(&*first) {
            *out = index;
        }
        Ok(())
    }

    /// Calls `found` for each chunk of each line, and for several lines at once: with the lines, the index at which the
    /// chunk starts, the best ranks, and for each its first index in the chunk.
    ///
    /// # Safety
    /// The elements are there, and are `T`s.
    unsafe fn find_in_chunks<T: Ranked, const LARGEST: bool>(self, workers: &Workers, found: &Found<'_, T::Key>) {
        let chunks = self.len.div_ceil(CHUNK);
        let chunk = |chunk: usize| chunk * CHUNK..self.len.min((chunk + 1) * CHUNK);
        let bytes = self.len.min(CHUNK) * size_of::<T>();
        if self.step == 1 && self.len <= SHORT {
            workers.split(self.count, GRAIN_BYTES.div_ceil(bytes), |range| {
                let mut best = Best { keys: [T::Key::default(); WIDTH], places: [0; WIDTH] };
                for start in range.clone().step_by(WIDTH) {
                    let lines = start..range.end.min(start + WIDTH);
                    // SAFETY: the caller's promise: so many whole lines.
                    unsafe { self.find_short::<T, LARGEST>(lines.clone(), &mut best) };
                    found(lines.clone(), 0, &best.keys[..lines.len()], &best.places[..lines.len()]);
                }
            });
            return;
        }
        if self.step == 1 {
            workers.split(chunks * self.count, GRAIN_BYTES.div_ceil(bytes), |items| {
                for item in items {
                    let (line, range) = (item / chunks, chunk(item % chunks));
                    // SAFETY: the chunk is inside the line.
                    let x = unsafe { elements::<T>(self.ptr, line * self.pitch + range.start, range.len()) };
                    let (key, index) = along::<T, LARGEST>(x);
                    // A chunk is not longer than these numbers reach.
                    found(line..line + 1, range.start, &[key], &[index as u32]);
                }
            });
            return;
        }
        // Narrower blocks than there is room for, if there would not be one for each thread.
        let width = self.count.div_ceil(workers.threads()).next_multiple_of(16).min(WIDTH);
        let blocks = self.count.div_ceil(width);
        workers.split(chunks * blocks, GRAIN_BYTES.div_ceil(bytes * width), |items| {
            let mut best = Best { keys: [T::Key::default(); WIDTH], places: [0; WIDTH] };
            for item in items {
                let (range, block) = (chunk(item / blocks), item % blocks);
                let lines = block * width..self.count.min((block + 1) * width);
                // SAFETY: the block is inside the matrix.
                unsafe { self.find_across::<T, LARGEST>(range.clone(), lines.clone(), &mut best) };
                found(lines.clone(), range.start, &best.keys[..lines.len()], &best.places[..lines.len()]);
            }
        });
    }

    /// The best of up to [`WIDTH`] short lines, one after the other.
    ///
    /// # Safety
    /// The elements are there, are `T`s, and those of a line follow each other.
    unsafe fn find_short<T: Ranked, const LARGEST: bool>(self, lines: Range<usize>, best: &mut Best<T::Key>) {
        /// With a length that the compiler knows, or any.
        #[inline(always)]
        fn line<T: Ranked, const LARGEST: bool>(x: &[T]) -> (T::Key, u32) {
            let mut best = (rank::<T, LARGEST>(x[0]), 0);
            for (&x, place) in x.iter().zip(0..).skip(1) {
                let key = rank::<T, LARGEST>(x);
                best = if better::<_, LARGEST>(key, best.0) { (key, place) } else { best };
            }
            best
        }
        let (keys, places) = (&mut best.keys[..lines.len()], &mut best.places[..lines.len()]);
        vectorize(
            #[inline(always)]
            || {
                for ((key, place), index) in keys.iter_mut().zip(places).zip(lines) {
                    // SAFETY: the caller's promise.
                    let x = unsafe { elements::<T>(self.ptr, index * self.pitch, self.len) };
                    (*key, *place) = match x.len() {
                        1 => line::<T, LARGEST>(&x[..1]),
                        2 => line::<T, LARGEST>(&x[..2]),
                        3 => line::<T, LARGEST>(&x[..3]),
                        4 => line::<T, LARGEST>(&x[..4]),
                        _ => line::<T, LARGEST>(x),
                    };
                }
            },
        );
    }

    /// The best of a chunk of up to [`WIDTH`] interleaved lines, all of them side by side.
    ///
    /// # Safety
    /// The elements are there, and are `T`s.
    unsafe fn find_across<T: Ranked, const LARGEST: bool>(
        self,
        range: Range<usize>,
        lines: Range<usize>,
        best: &mut Best<T::Key>,
    ) {
        let (keys, places) = (&mut best.keys[..lines.len()], &mut best.places[..lines.len()]);
        vectorize(
            #[inline(always)]
            || {
                // SAFETY: the caller's promise.
                let row = |i: usize| unsafe { elements::<T>(self.ptr, i * self.step + lines.start, lines.len()) };
                for (key, &x) in keys.iter_mut().zip(row(range.start)) {
                    *key = rank::<T, LARGEST>(x);
                }
                places.fill(0);
                for (place, i) in (1..).zip(range.start + 1..range.end) {
                    // Rows are too far apart for the processor to see which comes next.
                    prefetch::<T>(self.ptr, (i + 4) * self.step + lines.start, lines.len());
                    for ((key, at), &x) in keys.iter_mut().zip(&mut *places).zip(row(i)) {
                        let candidate = rank::<T, LARGEST>(x);
                        let better = better::<_, LARGEST>(candidate, *key);
                        *key = if better { candidate } else { *key };
                        *at = if better { place } else { *at };
                    }
                }
            },
        );
    }
}

/// The best ranks of lines, and where in the chunk each was first.
struct Best<K> {
    keys: [K; WIDTH],
    places: [u32; WIDTH],
}

/// The best rank of some contiguous elements, at least one, and the first index that has it.
fn along<T: Ranked, const LARGEST: bool>(x: &[T]) -> (T::Key, usize) {
    let choose = |a: T::Key, b: T::Key| if LARGEST { a.max(b) } else { a.min(b) };
    vectorize(
        #[inline(always)]
        || {
            let (mut best, mut start) = (rank::<T, LARGEST>(x[0]), 0);
            for (block, x) in x.chunks(BLOCK).enumerate() {
                let here = x.iter().fold(
                    best,
                    #[inline(always)]
                    |best, &x| choose(best, rank::<T, LARGEST>(x)),
                );
                if here != best {
                    (best, start) = (here, block * BLOCK);
                }
            }
            // The block has an element of this rank, if only the very first.
            let index = x[start..].iter().position(|&x| rank::<T, LARGEST>(x) == best).unwrap_or(0);
            (best, start + index)
        },
    )
}
