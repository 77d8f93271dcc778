//! Transposition.

use super::memory::{GRAIN_BYTES, elements, elements_mut};
use super::stream::{self, LINE};
use crate::simd::{Level, vectorize};
use crate::workers::Workers;
use register::Register;
use std::ops::Range;
use turn::Turn;
use warpwave_core::operation::{MatrixOperand, Ptr};

mod register;
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
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned, and the level has the registers.
    unsafe {
        match Level::best() {
            #[cfg(target_arch = "x86_64")]
            Level::V4 => with_registers::<register::Full>(workers, x, out),
            #[cfg(target_arch = "x86_64")]
            Level::V3 => with_registers::<register::Half>(workers, x, out),
            Level::Baseline => with_registers::<register::Any>(workers, x, out),
        }
    }
}

/// # Safety
/// As for [`transpose`], the matrices are not empty, and the processor has the register.
unsafe fn with_registers<R: Register>(workers: &Workers, x: MatrixOperand, out: MatrixOperand) -> Option<()> {
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match x.dtype.size() {
            1 => transpose_bits::<u8, R, { LINE }>(workers, x, out),
            2 => transpose_bits::<u16, R, { LINE / 2 }>(workers, x, out),
            4 => transpose_bits::<u32, R, { LINE / 4 }>(workers, x, out),
            8 => transpose_bits::<[u32; 2], R, { LINE / 8 }>(workers, x, out),
            16 => transpose_bits::<[u64; 2], R, { LINE / 16 }>(workers, x, out),
            _ => return None,
        }
    }
    Some(())
}

/// A tile on its way: a line of the cache on each side.
#[repr(align(64))]
struct Tile<T, const W: usize>([[T; W]; W]);

/// Bytes of an input's run that are read before the next tile's runs: enough for the processor to see that there is more to come,
/// and not so many that the lines of the output, which are as many, are forgotten before their neighbours are written.
const RUN: usize = 1024;

/// Goes by tiles, which are turned in registers, and in the first-level cache where a processor has short ones. A row of a tile is
/// a whole line of the output, where its rows allow: that can be written without being read first.
///
/// # Safety
/// As for [`with_registers`], and `T` has the size of an element and no greater alignment.
unsafe fn transpose_bits<T: Turn, R: Register, const W: usize>(
    workers: &Workers,
    x: MatrixOperand,
    out: MatrixOperand,
) {
    let (len, runs) = x.runs();
    let (from, to) = (Runs { ptr: x.ptr, ld: x.ld }, Runs { ptr: out.ptr, ld: out.ld });
    let size = size_of::<T>();
    if x.layout != out.layout {
        // Run by run the same elements.
        workers.split(runs, GRAIN_BYTES.div_ceil(len * size), |range| {
            for run in range {
                // SAFETY: the runs are inside the matrices, which do not overlap, and no other part has them.
                unsafe { to.write::<T>(run, 0, len).copy_from_slice(from.read::<T>(run, 0, len)) };
            }
        });
        return;
    }
    // Elements of a line in front of the first of a row, if all rows begin at the same place in a line.
    let front = out.ptr.addr() % LINE;
    let aligned = (out.ld * size).is_multiple_of(LINE) && front.is_multiple_of(size);
    let front = if aligned { front / size } else { 0 };
    let past = aligned && stream::is_large(len * runs * size);
    let (across, high) = ((front + runs).div_ceil(W), RUN / size);
    workers.split(len.div_ceil(high) * across, GRAIN_BYTES.div_ceil(W * RUN), |range| {
        let mut tile = Tile([[T::zeroed(); W]; W]);
        for index in range {
            let (top, line) = (index / across * high, index % across * W);
            let columns = line.saturating_sub(front)..(line + W - front).min(runs);
            vectorize(
                #[inline(always)]
                || {
                    for i in (top..len.min(top + high)).step_by(W) {
                        let rows = i..len.min(i + W);
                        // SAFETY: the tile is inside both matrices, which do not overlap, and no other part has it; the
                        // processor has the register.
                        unsafe { transpose_tile::<T, R, W>(from, to, rows, columns.clone(), past, &mut tile) };
                    }
                },
            );
        }
        if past {
            stream::fence();
        }
    });
}

/// Makes `columns` of the rows `rows` of the output; with `past`, whole lines of it are written past the caches.
///
/// # Safety
/// No range is longer than `W`. The tile is inside both matrices, which do not overlap; nobody else touches that of the output.
/// The processor has the register.
#[inline(always)]
unsafe fn transpose_tile<T: Turn, R: Register, const W: usize>(
    from: Runs,
    to: Runs,
    rows: Range<usize>,
    columns: Range<usize>,
    past: bool,
    Tile(tile): &mut Tile<T, W>,
) {
    let (height, width) = (rows.len(), columns.len());
    // SAFETY: the caller's promise.
    unsafe {
        if height == W && width == W {
            // The same with lengths that the compiler knows.
            if size_of::<R>() == LINE {
                turn::turn_registers::<T, R, W>(
                    #[inline(always)]
                    |run| from.read::<T>(columns.start + run, rows.start, W),
                    #[inline(always)]
                    |row, line: R| {
                        let out = to.write::<T>(rows.start + row, columns.start, W).as_mut_ptr().cast();
                        if past { line.stream(out) } else { line.store_all(out) }
                    },
                );
                return;
            }
            turn::turn::<T, R, W>(
                #[inline(always)]
                |run| from.read::<T>(columns.start + run, rows.start, W),
                tile,
                W,
                W,
            );
            for (row, tile) in tile.iter().enumerate() {
                let out = to.write::<T>(rows.start + row, columns.start, W);
                if past { stream::copy(tile, out) } else { out.copy_from_slice(tile) }
            }
        } else {
            turn::turn::<T, R, W>(
                #[inline(always)]
                |run| from.read::<T>(columns.start + run, rows.start, height),
                tile,
                height,
                width,
            );
            for (row, tile) in tile[..height].iter().enumerate() {
                to.write::<T>(rows.start + row, columns.start, width).copy_from_slice(&tile[..width]);
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
    #[inline(always)]
    unsafe fn read<'a, T>(self, run: usize, start: usize, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { elements(self.ptr, run * self.ld + start, len) }
    }

    /// # Safety
    /// As for [`elements_mut`].
    #[inline(always)]
    unsafe fn write<'a, T>(self, run: usize, start: usize, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { elements_mut(self.ptr, run * self.ld + start, len) }
    }
}
