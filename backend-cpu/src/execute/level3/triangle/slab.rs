//! What the kernels work on: vectors side by side, and rows of the triangular matrix.
//!
//! A slab has some vectors, `width` of them, and is packed as the microkernel wants its left factor: for each step the real parts
//! of all, then the imaginary parts, if there are any.

use super::System;
use crate::execute::gemm::{Matrix, Microkernel};
use crate::execute::scratch::zeroed;
use warpwave_core::Result;
use warpwave_core::numerics::Numeric;

/// Steps after which packing begins again at the next vector: so many lines of memory stay in the first-level cache.
const STEPS: usize = 64;

/// Room for one thread.
#[derive(Debug)]
pub(super) struct Scratch<T: Microkernel> {
    /// The slabs, one after the other.
    pub(super) slabs: Vec<T::Part>,
    /// A group of rows of the matrix beside the diagonal, as the microkernel wants its right factor.
    pub(super) rows: Vec<T::Part>,
    /// The part of the group at the diagonal, row by row.
    pub(super) corner: Vec<T>,
    /// The sums of a group as a tile of the microkernel, and as steps of a slab.
    pub(super) tile: Vec<T::Part>,
    pub(super) sums: Vec<T::Part>,
}

impl<T: Microkernel> Scratch<T> {
    /// For a matrix of order `order` and `vectors` vectors in slabs of `width`, and groups of `group` rows.
    pub(super) fn new(order: usize, vectors: usize, width: usize, group: usize) -> Result<Self> {
        let room = |elements: usize| zeroed::<T::Part>(elements.saturating_mul(T::PARTS));
        Ok(Scratch {
            slabs: room(order.saturating_mul(vectors))?,
            rows: room(order.saturating_mul(group))?,
            corner: zeroed(group * group)?,
            tile: room(group * width)?,
            sums: room(group * width)?,
        })
    }
}

/// Indices in a row, the other way round if `back`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) back: bool,
}

impl Places {
    /// Index `i`.
    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> usize {
        if self.back { self.first - i } else { self.first + i }
    }
}

/// Packs vectors, the rows of `vectors`, into a slab for `width` of them: step `k` is column `steps.at(k)`. Vectors that the slab
/// has too many are 0.
///
/// # Safety
/// `vectors` has at most `width` rows and may be read; the slab has room for all steps.
#[inline(always)]
pub(super) unsafe fn pack<T: Microkernel>(width: usize, vectors: Matrix<T>, steps: Places, slab: &mut [T::Part]) {
    debug_assert!(slab.len() >= steps.count * width * T::PARTS);
    if vectors.rows < width {
        slab.fill(Numeric::ZERO);
    }
    let slab = slab.as_mut_ptr();
    each(
        vectors,
        steps,
        #[inline(always)]
        |lane, k, element| {
            // SAFETY: the caller's promise: an element of `vectors`, and a place in the slab.
            unsafe {
                let value: T = element.read();
                for part in 0..T::PARTS {
                    slab.add((k * T::PARTS + part) * width + lane).write(value.part(part));
                }
            }
        },
    );
}

/// Puts the vectors of a slab back.
///
/// # Safety
/// As for [`pack`], and `vectors` may be written.
#[inline(always)]
pub(super) unsafe fn unpack<T: Microkernel>(width: usize, vectors: Matrix<T>, steps: Places, slab: &[T::Part]) {
    debug_assert!(slab.len() >= steps.count * width * T::PARTS);
    let slab = slab.as_ptr();
    each(
        vectors,
        steps,
        #[inline(always)]
        |lane, k, element| {
            // SAFETY: the caller's promise: an element of `vectors`, and a place in the slab.
            unsafe { element.write(T::from_parts(|part| slab.add((k * T::PARTS + part) * width + lane).read())) };
        },
    );
}

/// Calls `f` with every vector, step, and the address of the element, along what is contiguous.
#[inline(always)]
fn each<T: Copy>(vectors: Matrix<T>, steps: Places, mut f: impl FnMut(usize, usize, *mut T)) {
    if vectors.row_stride == 1 {
        for k in 0..steps.count {
            let elements = vectors.at(0, steps.at(k));
            for lane in 0..vectors.rows {
                f(lane, k, elements.wrapping_add(lane));
            }
        }
    } else {
        for start in (0..steps.count).step_by(STEPS) {
            for lane in 0..vectors.rows {
                for k in start..steps.count.min(start + STEPS) {
                    f(lane, k, vectors.at(lane, steps.at(k)));
                }
            }
        }
    }
}

/// Packs some rows and columns of the matrix, beside the diagonal, for groups of `group` rows; with `NEGATE` their negatives. Rows
/// that the group has too many are 0.
///
/// # Safety
/// They lie in the triangle, which may be read; the panel has room for all columns.
#[inline(always)]
pub(super) unsafe fn pack_rows<T: Microkernel, const NEGATE: bool>(
    system: &System<T>,
    group: usize,
    rows: Places,
    cols: Places,
    panel: &mut [T::Part],
) {
    debug_assert!(panel.len() >= cols.count * group * T::PARTS);
    if rows.count < group {
        panel.fill(Numeric::ZERO);
    }
    let panel = panel.as_mut_ptr();
    // Along what is contiguous.
    let by_cols = system.matrix.row_stride == 1;
    let (outer, inner) = if by_cols { (cols.count, rows.count) } else { (rows.count, cols.count) };
    for outer in 0..outer {
        for inner in 0..inner {
            let (q, k) = if by_cols { (inner, outer) } else { (outer, inner) };
            // SAFETY: the caller's promise: an element of the triangle, and a place in the panel.
            unsafe {
                let value = system.matrix.entering(rows.at(q), cols.at(k));
                let value = if NEGATE { T::negate(value) } else { value };
                for part in 0..T::PARTS {
                    panel.add((k * T::PARTS + part) * group + q).write(value.part(part));
                }
            }
        }
    }
}

/// Steps of a slab as the rows of a tile of `rows`; those that it has too many keep what they were.
#[inline(always)]
pub(super) fn gather<T: Microkernel>(width: usize, rows: usize, steps: &[T::Part], tile: &mut [T::Part]) {
    for (q, step) in steps.chunks_exact(width * T::PARTS).enumerate() {
        for part in 0..T::PARTS {
            tile[(part * rows + q) * width..][..width].copy_from_slice(&step[part * width..][..width]);
        }
    }
}

/// The rows of a tile of `rows` as steps of a slab.
#[inline(always)]
pub(super) fn scatter<T: Microkernel>(width: usize, rows: usize, tile: &[T::Part], steps: &mut [T::Part]) {
    for (q, step) in steps.chunks_exact_mut(width * T::PARTS).enumerate() {
        for part in 0..T::PARTS {
            step[part * width..][..width].copy_from_slice(&tile[(part * rows + q) * width..][..width]);
        }
    }
}
