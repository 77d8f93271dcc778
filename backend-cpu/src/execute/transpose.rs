//! Transposition.

use super::memory::{GRAIN_BYTES, elements, elements_mut};
use crate::workers::Workers;
use warpwave_core::operation::{MatrixOperand, Ptr};

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
            1 => transpose_bits::<u8>(workers, x, out),
            2 => transpose_bits::<u16>(workers, x, out),
            4 => transpose_bits::<u32>(workers, x, out),
            8 => transpose_bits::<[u32; 2]>(workers, x, out),
            16 => transpose_bits::<[u64; 2]>(workers, x, out),
            _ => return None,
        }
    }
    Some(())
}

/// # Safety
/// As for [`transpose`], the matrices are not empty, and `T` has the size of an element and no greater alignment.
unsafe fn transpose_bits<T: bytemuck::Pod + Sync>(workers: &Workers, x: MatrixOperand, out: MatrixOperand) {
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
            let (i, j) = (index / across * BLOCK, index % across * BLOCK);
            let (height, width) = (BLOCK.min(len - i), BLOCK.min(runs - j));
            for (i, j) in tiles(height).flat_map(|y| tiles(width).map(move |x| (i + y, j + x))) {
                let (height, width) = (TILE.min(len - i), TILE.min(runs - j));
                // SAFETY: the tile is inside both matrices, which do not overlap, and no other part has its block.
                unsafe {
                    for column in 0..width {
                        let x = from.read::<T>(j + column, i, height);
                        for (row, &x) in tile.iter_mut().zip(x) {
                            row[column] = x;
                        }
                    }
                    for (row, tile) in tile[..height].iter().enumerate() {
                        to.write::<T>(i + row, j, width).copy_from_slice(&tile[..width]);
                    }
                }
            }
        }
    });
}

fn tiles(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(TILE)
}

/// Elements on each side of a tile. Memory is read and written in runs of this length, and turned in the first-level cache in
/// between, so that matrices whose runs all fall on the same cache lines are as fast as others.
const TILE: usize = 32;

/// Elements on each side of a block of tiles, which touches few enough pages of memory for their addresses to stay at hand.
const BLOCK: usize = 8 * TILE;

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

    /// # Safety
    /// As for [`elements_mut`].
    unsafe fn write<'a, T>(self, run: usize, start: usize, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { elements_mut(self.ptr, run * self.ld + start, len) }
    }
}
