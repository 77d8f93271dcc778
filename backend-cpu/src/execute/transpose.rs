//! Transposition.

use super::axes::Axes;
use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch};
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
        // SAFETY: the caller's promise, and the level has the registers.
        unsafe {
            match Level::best() {
                #[cfg(target_arch = "x86_64")]
                Level::V4 => self.with_registers::<register::Full>(workers, size, batch),
                #[cfg(target_arch = "x86_64")]
                Level::V3 => self.with_registers::<register::Half>(workers, size, batch),
                Level::Baseline => self.with_registers::<register::Any>(workers, size, batch),
            }
        }
    }

    /// # Safety
    /// As for [`transpose`](Self::transpose), and the processor has the register.
    unsafe fn with_registers<R: Register>(self, workers: &Workers, size: usize, batch: &Axes) -> Option<()> {
        // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
        unsafe {
            match size {
                1 => self.by_tiles::<u8, R, { LINE }>(workers, batch),
                2 => self.by_tiles::<u16, R, { LINE / 2 }>(workers, batch),
                4 => self.by_tiles::<u32, R, { LINE / 4 }>(workers, batch),
                8 => self.by_tiles::<[u32; 2], R, { LINE / 8 }>(workers, batch),
                16 => self.by_tiles::<[u64; 2], R, { LINE / 16 }>(workers, batch),
                _ => return None,
            }
        }
        Some(())
    }

    /// Goes by tiles, which are turned in registers, and in the first-level cache where a processor has short ones. A row of
    /// a tile is a whole line of the output, where its rows allow: that can be written without being read first.
    ///
    /// # Safety
    /// As for [`with_registers`](Self::with_registers), and `T` has the size of an element and no greater alignment.
    unsafe fn by_tiles<T: Turn, R: Register, const W: usize>(self, workers: &Workers, batch: &Axes) {
        let Matrices { from, to, len, runs } = self;
        let size = size_of::<T>();
        let whole_lines = |elements: usize| elements.wrapping_mul(size).is_multiple_of(LINE);
        // Elements of a line in front of the first of a row, if all rows begin at the same place in a line.
        let front = to.ptr.addr() % LINE;
        let aligned = whole_lines(to.ld)
            && batch.as_slice().iter().all(|axis| whole_lines(axis.to))
            && front.is_multiple_of(size);
        let front = if aligned { front / size } else { 0 };
        let past = aligned && stream::is_large(batch.count() * len * runs * size);
        let (across, high) = ((front + runs).div_ceil(W), RUN / size);
        let blocks = len.div_ceil(high) * across;
        let block_bytes = W.min(runs) * high.min(len) * size;
        workers.split(batch.count() * blocks, GRAIN_BYTES.div_ceil(block_bytes), |range| {
            let mut tile = Tile([[T::zeroed(); W]; W]);
            let mut place = batch.at(range.start / blocks);
            let mut index = range.start % blocks;
            for _ in range {
                let (from, to) = (from.moved::<T>(place.from), to.moved::<T>(place.to));
                let (top, line) = (index / across * high, index % across * W);
                let columns = line.saturating_sub(front)..(line + W - front).min(runs);
                vectorize(
                    #[inline(always)]
                    || {
                        for i in (top..len.min(top + high)).step_by(W) {
                            let rows = i..len.min(i + W);
                            for run in 0..W {
                                from.prefetch::<T>(columns.end + run, i, W);
                            }
                            // SAFETY: the tile is inside both matrices, which do not overlap, and no other part has it;
                            // the processor has the register.
                            unsafe { transpose_tile::<T, R, W>(from, to, rows, columns.clone(), past, &mut tile) };
                        }
                    },
                );
                index += 1;
                if index == blocks {
                    index = 0;
                    place.step();
                }
            }
            if past {
                stream::fence();
            }
        });
    }
}

/// A tile on its way: a line of the cache on each side.
#[repr(align(64))]
struct Tile<T, const W: usize>([[T; W]; W]);

/// Bytes of an input's run that are read before the next tile's runs: enough for the processor to see that there is more to come,
/// and not so many that the lines of the output, which are as many, are forgotten before their neighbours are written.
const RUN: usize = 1024;

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
pub(super) struct Runs {
    pub(super) ptr: Ptr,
    /// From one run to the next, in elements.
    pub(super) ld: usize,
}

impl Runs {
    /// Asks for `len` elements of a run from element `first` on, which need not be there.
    #[inline(always)]
    fn prefetch<T>(self, run: usize, first: usize, len: usize) {
        prefetch::<T>(self.ptr, run.wrapping_mul(self.ld).wrapping_add(first), len);
    }

    fn moved<T>(self, elements: usize) -> Self {
        Runs { ptr: self.ptr.byte_add(elements * size_of::<T>()), ..self }
    }

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
