//! Transposition.

use super::axes::Axes;
use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch};
use crate::workers::Workers;
use std::ops::Range;
use turn::Turn;
use warpwave_core::operation::{MatrixOperand, Ptr};

mod turn;

/// [`Operation::Transpose`](warpwave_core::Operation::Transpose): by the size of the elements alone. `None` if the
/// types differ.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn transpose(workers: &Workers, x: MatrixOperand, out: MatrixOperand) -> Option<()> {
    if x.dtype != out.dtype {
        return None;
    }
    if x.is_empty() {
        return Some(());
    }
    let ((len, runs), size) = (x.runs(), x.dtype.size());
    if x.layout != out.layout {
        // Run by run the same elements, as bytes.
        let bytes = len * size;
        workers.split(runs, GRAIN_BYTES.div_ceil(bytes), |range| {
            for run in range {
                // SAFETY: the runs are inside the matrices, which do not overlap, and no other part has them.
                unsafe {
                    let x = elements::<u8>(x.ptr, run * x.ld * size, bytes);
                    elements_mut::<u8>(out.ptr, run * out.ld * size, bytes).copy_from_slice(x);
                }
            }
        });
        return Some(());
    }
    let matrices = Matrices { from: Runs { ptr: x.ptr, ld: x.ld }, to: Runs { ptr: out.ptr, ld: out.ld }, len, runs };
    // SAFETY: the caller's promise.
    unsafe { matrices.transpose(workers, size, &Axes::default()) }
}

/// Matrices to transpose, all of one shape and none of them empty.
#[derive(Clone, Copy)]
pub(super) struct Matrices {
    /// What is read of the first one: `runs` runs of `len` elements.
    pub(super) from: Runs,
    /// What is written: `len` runs of `runs` elements.
    pub(super) to: Runs,
    pub(super) len: usize,
    pub(super) runs: usize,
}

impl Matrices {
    /// Transposes the matrices that begin at the places of `batch`, of elements of `size` bytes. `None` if there are no
    /// such.
    ///
    /// # Safety
    /// The matrices are inside live memory of the device and do not overlap, and nothing else touches what is
    /// written. Elements are aligned as the types of [`Operation`](warpwave_core::Operation) of their size are.
    pub(super) unsafe fn transpose(self, workers: &Workers, size: usize, batch: &Axes) -> Option<()> {
        // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
        unsafe {
            match size {
                1 => self.by_blocks::<u8, 64, 512>(workers, batch),
                2 => self.by_blocks::<u16, 64, 512>(workers, batch),
                4 => self.by_blocks::<u32, 64, 256>(workers, batch),
                8 => self.by_blocks::<[u32; 2], 32, 128>(workers, batch),
                16 => self.by_blocks::<[u64; 2], 16, 128>(workers, batch),
                _ => return None,
            }
        }
        Some(())
    }

    /// Goes by tiles of `TILE` elements on each side. Memory is read and written in runs of that length, and turned in
    /// the first-level cache in between, so that matrices whose runs all fall on the same cache lines are as fast as
    /// others. The tiles of a block of `BLOCK` elements on each side come one after the other: they touch few enough
    /// pages of memory for the addresses to stay at hand, and what they read fits the second-level cache.
    ///
    /// # Safety
    /// As for [`transpose`](Self::transpose), and `T` has the size of an element and no greater alignment.
    unsafe fn by_blocks<T: Turn, const TILE: usize, const BLOCK: usize>(self, workers: &Workers, batch: &Axes) {
        let Matrices { from, to, len, runs } = self;
        let across = runs.div_ceil(BLOCK);
        let blocks = len.div_ceil(BLOCK) * across;
        let block_bytes = BLOCK.min(len) * BLOCK.min(runs) * size_of::<T>();
        workers.split(batch.count() * blocks, GRAIN_BYTES.div_ceil(block_bytes), |range| {
            let mut tile = [[T::zeroed(); TILE]; TILE];
            let mut place = batch.at(range.start / blocks);
            let mut index = range.start % blocks;
            for _ in range {
                let (from, to) = (from.moved::<T>(place.from), to.moved::<T>(place.to));
                let (top, left) = (index / across * BLOCK, index % across * BLOCK);
                from.prefetch::<T>(left..runs.min(left + BLOCK), top, BLOCK.min(len - top));
                to.prefetch::<T>(top..len.min(top + BLOCK), left, BLOCK.min(runs - left));
                for i in (top..len.min(top + BLOCK)).step_by(TILE) {
                    for j in (left..runs.min(left + BLOCK)).step_by(TILE) {
                        // SAFETY: the tile is inside both matrices, which do not overlap, and no other part has its
                        // block.
                        unsafe { transpose_tile(&mut tile, (from, len), (to, runs), i, j) };
                    }
                }
                index += 1;
                if index == blocks {
                    index = 0;
                    place.step();
                }
            }
        });
    }
}

/// Transposes the tile at element `i` of run `j`, or what of it is inside the matrix.
///
/// # Safety
/// The matrices, each with the length of its runs, do not overlap; `i` and `j` are inside.
unsafe fn transpose_tile<T: Turn, const TILE: usize>(
    tile: &mut [[T; TILE]; TILE],
    (from, len): (Runs, usize),
    (to, runs): (Runs, usize),
    i: usize,
    j: usize,
) {
    let (height, width) = (TILE.min(len - i), TILE.min(runs - j));
    // SAFETY: the caller's promise, and the tile has been cut to what is inside.
    unsafe {
        if height == TILE && width == TILE {
            turn::turn(
                #[inline(always)]
                |run| from.read::<T>(j + run, i, TILE),
                tile,
            );
            for (row, tile) in tile.iter().enumerate() {
                // Of a length known to the compiler.
                to.write::<T>(i + row, j, TILE)[..TILE].copy_from_slice(tile);
            }
        } else {
            for run in 0..width {
                for (row, &x) in tile.iter_mut().zip(from.read::<T>(j + run, i, height)) {
                    row[run] = x;
                }
            }
            for (row, tile) in tile[..height].iter().enumerate() {
                to.write::<T>(i + row, j, width).copy_from_slice(&tile[..width]);
            }
        }
    }
}

/// The contiguous runs of a matrix.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) ptr: Ptr,
    /// From one run to the next, in elements.
    pub(super) ld: usize,
}

impl Runs {
    fn moved<T>(self, elements: usize) -> Self {
        Runs { ptr: self.ptr.byte_add(elements * size_of::<T>()), ..self }
    }

    /// # Safety
    /// As for [`elements`].
    unsafe fn read<'a, T>(self, run: usize, start: usize, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { elements(self.ptr, run * self.ld + start, len) }
    }

    /// Asks for `len` elements of each run from `start` on. A tile's share of a run is too short for the processor to
    /// see that there is more to come.
    fn prefetch<T>(self, runs: Range<usize>, start: usize, len: usize) {
        for run in runs {
            prefetch::<T>(self.ptr, run * self.ld + start, len);
        }
    }

    /// # Safety
    /// As for [`elements_mut`].
    unsafe fn write<'a, T>(self, run: usize, start: usize, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { elements_mut(self.ptr, run * self.ld + start, len) }
    }
}
