//! Transposition.

use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch};
use crate::workers::Workers;
use std::ops::Range;
use turn::Turn;
use warpwave_core::operation::{MatrixOperand, Ptr};

mod turn;

/// [`Operation::Transpose`](warpwave_core::Operation::Transpose): by the size of the elements alone. `None` if the types differ.
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
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match x.dtype.size() {
            1 => transpose_bits::<u8, 64, 512>(workers, x, out),
            2 => transpose_bits::<u16, 64, 512>(workers, x, out),
            4 => transpose_bits::<u32, 64, 256>(workers, x, out),
            8 => transpose_bits::<[u32; 2], 32, 128>(workers, x, out),
            16 => transpose_bits::<[u64; 2], 16, 128>(workers, x, out),
            _ => return None,
        }
    }
    Some(())
}

/// Goes by tiles of `TILE` elements on each side. Memory is read and written in runs of that length, and turned in the first-level
/// cache in between, so that matrices whose runs all fall on the same cache lines are as fast as others. The tiles of a block of
/// `BLOCK` elements on each side come one after the other: they touch few enough pages of memory for the addresses to stay at
/// hand, and what they read fits the second-level cache.
///
/// # Safety
/// As for [`transpose`], the matrices are not empty, and `T` has the size of an element and no greater alignment.
unsafe fn transpose_bits<T: Turn, const TILE: usize, const BLOCK: usize>(
    workers: &Workers,
    x: MatrixOperand,
    out: MatrixOperand,
) {
    let (len, runs) = x.runs();
    let (from, to) = (Runs { ptr: x.ptr, ld: x.ld }, Runs { ptr: out.ptr, ld: out.ld });
    if x.layout != out.layout {
        // Run by run the same elements.
        workers.split(runs, GRAIN_BYTES.div_ceil(len * size_of::<T>()), |range| {
            for run in range {
                // SAFETY: the runs are inside the matrices, which do not overlap, and no other part has them.
                unsafe { to.write::<T>(run, 0, len).copy_from_slice(from.read::<T>(run, 0, len)) };
            }
        });
        return;
    }
    let across = runs.div_ceil(BLOCK);
    let blocks = len.div_ceil(BLOCK) * across;
    workers.split(blocks, GRAIN_BYTES.div_ceil(BLOCK * BLOCK * size_of::<T>()), |range| {
        let mut tile = [[T::zeroed(); TILE]; TILE];
        for index in range {
            let (top, left) = (index / across * BLOCK, index % across * BLOCK);
            from.prefetch::<T>(left..runs.min(left + BLOCK), top, BLOCK.min(len - top));
            to.prefetch::<T>(top..len.min(top + BLOCK), left, BLOCK.min(runs - left));
            for i in (top..len.min(top + BLOCK)).step_by(TILE) {
                for j in (left..runs.min(left + BLOCK)).step_by(TILE) {
                    // SAFETY: the tile is inside both matrices, which do not overlap, and no other part has its block.
                    unsafe { transpose_tile(&mut tile, (from, len), (to, runs), i, j) };
                }
            }
        }
    });
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
struct Runs {
    ptr: Ptr,
    ld: usize,
}

impl Runs {
    /// # Safety
    /// As for [`elements`].
    unsafe fn read<'a, T>(self, run: usize, start: usize, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { elements(self.ptr, run * self.ld + start, len) }
    }

    /// Asks for `len` elements of each run from `start` on. A tile's share of a run is too short for the processor to see that
    /// there is more to come.
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
