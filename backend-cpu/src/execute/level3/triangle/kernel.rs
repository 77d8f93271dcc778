//! The two routines, for the vectors of one piece.
//!
//! Loops are written out: what an iterator calls is a function by itself, which may not be compiled for the registers.

use super::System;
use super::slab::{Places, Scratch, gather, pack, pack_rows, scatter, unpack};
use super::step::Steps;
use crate::execute::gemm::Register;
use warpwave_core::numerics::Numeric;
use warpwave_core::{Diag, Uplo};

/// What is done with a system.
pub(super) trait Routine {
    /// Does it for vectors that fit the scratch.
    ///
    /// # Safety
    /// The vectors may be written, and the triangle read; nobody else touches the vectors. The processor has the register.
    unsafe fn run<T, R, const H: usize, const N: usize>(system: &System<T>, scratch: &mut Scratch<T>)
    where
        T: Steps,
        R: Register<Part = T::Part>;
}

/// `alpha · matrix · vector`; with `FIRST` the matrix is the first factor of each product, else the vector is.
pub(super) enum Multiply<const FIRST: bool> {}

/// The solution of `matrix · x = alpha · vector`.
pub(super) enum Solve {}

impl Routine for Solve {
    #[inline(always)]
    unsafe fn run<T, R, const H: usize, const N: usize>(system: &System<T>, scratch: &mut Scratch<T>)
    where
        T: Steps,
        R: Register<Part = T::Part>,
    {
        let (order, width) = (system.order(), H * R::LANES);
        let step = width * T::PARTS;
        // Steps go from the first row down, or from the last row up.
        let back = system.uplo != Uplo::Lower;
        let places =
            |first: usize, count: usize| Places { first: if back { order - 1 - first } else { first }, count, back };
        let Scratch { slabs, rows, corner, tile, .. } = scratch;
        // SAFETY: the caller's promise: blocks of the vectors, elements of the triangle, and steps of the slabs.
        unsafe {
            for (vectors, slab) in system.slabs(width).zip(slabs.chunks_exact_mut(order * step)) {
                pack(width, vectors, places(0, order), slab);
                if system.alpha != T::ONE {
                    for x in slab.chunks_exact_mut(step) {
                        T::scale_step::<R, H>(system.alpha, x);
                    }
                }
            }
            for first in (0..order).step_by(N) {
                let group = places(first, N.min(order - first));
                let rows = &mut rows[..first * N * T::PARTS];
                pack_rows::<T, true>(system, N, group, places(0, first), rows);
                for q in 0..group.count {
                    for k in 0..q {
                        corner[q * N + k] = T::negate(system.matrix.entering(group.at(q), group.at(k)));
                    }
                    corner[q * N + q] = system.element(group.at(q), group.at(q));
                }
                for (_, slab) in system.slabs(width).zip(slabs.chunks_exact_mut(order * step)) {
                    let (before, steps) = slab.split_at_mut(first * step);
                    let steps = &mut steps[..group.count * step];
                    if first > 0 {
                        gather::<T>(width, N, steps, tile);
                        T::multiply::<R, H, N, true>(before, rows, tile);
                        scatter::<T>(width, N, tile, steps);
                    }
                    for k in 0..group.count {
                        let (x, others) = steps[k * step..].split_at_mut(step);
                        let by = Some(corner[k * N + k]).filter(|_| system.diag != Diag::Unit);
                        T::divide_step::<R, H>(by, x);
                        for (q, sums) in (k + 1..).zip(others.chunks_exact_mut(step)) {
                            T::accumulate::<R, H, true>(corner[q * N + k], x, sums);
                        }
                    }
                }
            }
            for (vectors, slab) in system.slabs(width).zip(slabs.chunks_exact(order * step)) {
                unpack(width, vectors, places(0, order), slab);
            }
        }
    }
}

impl<const FIRST: bool> Routine for Multiply<FIRST> {
    #[inline(always)]
    unsafe fn run<T, R, const H: usize, const N: usize>(system: &System<T>, scratch: &mut Scratch<T>)
    where
        T: Steps,
        R: Register<Part = T::Part>,
    {
        let (order, width) = (system.order(), H * R::LANES);
        let step = width * T::PARTS;
        let lower = system.uplo == Uplo::Lower;
        let places = |first: usize, count: usize| Places { first, count, back: false };
        let Scratch { slabs, rows, corner, tile, sums } = scratch;
        // SAFETY: the caller's promise: blocks of the vectors, elements of the triangle, and steps of the slabs.
        unsafe {
            for (vectors, slab) in system.slabs(width).zip(slabs.chunks_exact_mut(order * step)) {
                pack(width, vectors, places(0, order), slab);
            }
            // A group is overwritten once no other needs it: from the last row up, or from the first row down.
            for index in 0..order.div_ceil(N) {
                let first = if lower { order.div_ceil(N) - 1 - index } else { index } * N;
                let group = places(first, N.min(order - first));
                let beside =
                    if lower { places(0, first) } else { places(first + group.count, order - first - group.count) };
                let rows = &mut rows[..beside.count * N * T::PARTS];
                pack_rows::<T, false>(system, N, group, beside, rows);
                // The rows that step `k` of the group has a part in.
                let affected = |k: usize| if lower { k..group.count } else { 0..k + 1 };
                for k in 0..group.count {
                    for q in affected(k) {
                        corner[q * N + k] = system.element(first + q, first + k);
                    }
                }
                for (_, slab) in system.slabs(width).zip(slabs.chunks_exact_mut(order * step)) {
                    let others = &slab[beside.first * step..][..beside.count * step];
                    let sums = &mut sums[..group.count * step];
                    // Chains are in ascending order: in a lower triangle the diagonal comes last, in an upper one first.
                    if lower {
                        tile.fill(Numeric::ZERO);
                        T::multiply::<R, H, N, FIRST>(others, rows, tile);
                        scatter::<T>(width, N, tile, sums);
                    } else {
                        sums.fill(Numeric::ZERO);
                    }
                    for (k, x) in slab[first * step..].chunks_exact(step).take(group.count).enumerate() {
                        for q in affected(k) {
                            T::accumulate::<R, H, FIRST>(corner[q * N + k], x, &mut sums[q * step..][..step]);
                        }
                    }
                    if !lower {
                        gather::<T>(width, N, sums, tile);
                        T::multiply::<R, H, N, FIRST>(others, rows, tile);
                        scatter::<T>(width, N, tile, sums);
                    }
                    for sum in sums.chunks_exact_mut(step) {
                        T::scale_step::<R, H>(system.alpha, sum);
                    }
                    slab[first * step..][..sums.len()].copy_from_slice(sums);
                }
            }
            for (vectors, slab) in system.slabs(width).zip(slabs.chunks_exact(order * step)) {
                unpack(width, vectors, places(0, order), slab);
            }
        }
    }
}
