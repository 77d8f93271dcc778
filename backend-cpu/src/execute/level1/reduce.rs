//! `dot` and `asum`.

use super::Vector;
use crate::execute::memory::prefetch_of;
use crate::execute::tree::{self, Fold, Lanes};
use crate::simd;
use crate::workers::Workers;
use std::marker::PhantomData;
use std::ops::Range;
use warpwave_core::Result;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::{Canonical, Numeric};

/// The sum of products of pairs; with `CONJ`, that of the first is conjugated.
#[derive(Clone, Copy)]
pub(in crate::execute) struct Products<T, const CONJ: bool>(PhantomData<T>);

impl<T, const CONJ: bool> Products<T, CONJ> {
    pub(in crate::execute) const NEW: Self = Products(PhantomData);
}

impl<T: ScalarArithmetic, const CONJ: bool> Fold for Products<T, CONJ> {
    type Item = (T, T);
    type Acc = T;

    #[inline(always)]
    fn first(self, item: (T, T)) -> T {
        self.next(T::MINUS_ZERO, item)
    }

    #[inline(always)]
    fn next(self, acc: T, (x, y): (T, T)) -> T {
        T::mul_add(if CONJ { x.conj() } else { x }, y, acc)
    }

    #[inline(always)]
    fn join(self, low: T, high: T) -> T {
        low + high
    }
}

/// Sets `out` to `Σ x · y`, or with `x` conjugated.
///
/// # Safety
/// The vectors have the same length and may be read; `out` may be written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(in crate::execute) unsafe fn dot<T: ScalarArithmetic>(
    workers: &Workers,
    conj: bool,
    x: Vector<T>,
    y: Vector<T>,
    out: Vector<T>,
) -> Result<()> {
    // SAFETY: `along` asks for ranges within the vectors.
    let chunk = |_: usize, range: Range<usize>, lanes: &mut Lanes<T>| unsafe { dot_chunk(conj, x, y, range, lanes) };
    let size = (1, x.len());
    // SAFETY: the caller's promise.
    unsafe {
        if x.len() == 0 {
            out.set(0, T::ZERO);
        }
        let finish = |line: usize, sum: T| out.set(line, sum.canonical());
        tree::along(workers, size, 2 * size_of::<T>(), Products::<T, false>::NEW, chunk, finish)
    }
}

/// The part of a dot product in one chunk of the tree.
///
/// # Safety
/// `range` is not empty, within the length of both vectors and no longer than a chunk; the vectors may be read.
pub(in crate::execute) unsafe fn dot_chunk<T: ScalarArithmetic>(
    conj: bool,
    x: Vector<T>,
    y: Vector<T>,
    range: Range<usize>,
    lanes: &mut Lanes<T>,
) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        if conj { dot_chunk_of::<T, true>(x, y, range, lanes) } else { dot_chunk_of::<T, false>(x, y, range, lanes) }
    }
}

/// # Safety
/// As for [`dot_chunk`].
unsafe fn dot_chunk_of<T: ScalarArithmetic, const CONJ: bool>(
    x: Vector<T>,
    y: Vector<T>,
    range: Range<usize>,
    lanes: &mut Lanes<T>,
) -> T {
    let fold = Products::<T, CONJ>::NEW;
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            match unsafe { (x.slice(range.clone()), y.slice(range.clone())) } {
                // SAFETY: a part has as many items as it is long.
                (Some(x), Some(y)) => unsafe {
                    tree::chunk(
                        fold,
                        range.len(),
                        #[inline(always)]
                        |part| x[part.clone()].iter().copied().zip(y[part].iter().copied()),
                        #[inline(always)]
                        |part| {
                            prefetch_of(x, part.clone());
                            prefetch_of(y, part);
                        },
                        lanes,
                    )
                },
                _ => {
                    let items = |part: Range<usize>| {
                        // SAFETY: the caller's promise.
                        (range.start + part.start..range.start + part.end).map(|i| unsafe { (x.get(i), y.get(i)) })
                    };
                    // SAFETY: a part has as many items as it is long.
                    unsafe { tree::chunk(fold, range.len(), items, |_| {}, lanes) }
                }
            }
        },
    )
}

/// The sum of `|re x| + |im x|`.
#[derive(Clone, Copy)]
struct Magnitudes<T>(PhantomData<T>);

impl<T: ScalarArithmetic<Magnitude: ScalarArithmetic>> Fold for Magnitudes<T> {
    type Item = T;
    type Acc = T::Magnitude;

    #[inline(always)]
    fn first(self, item: T) -> T::Magnitude {
        self.next(T::Magnitude::ZERO, item)
    }

    #[inline(always)]
    fn next(self, acc: T::Magnitude, item: T) -> T::Magnitude {
        item.add_abs1(acc)
    }

    #[inline(always)]
    fn join(self, low: T::Magnitude, high: T::Magnitude) -> T::Magnitude {
        low + high
    }
}

/// Sets `out` to `Σ |re x| + |im x|`.
///
/// # Safety
/// `x` may be read, and `out` written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn asum<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    workers: &Workers,
    x: Vector<T>,
    out: Vector<T::Magnitude>,
) -> Result<()> {
    let fold = Magnitudes(PhantomData::<T>);
    // SAFETY: `along` asks for ranges within the vector, which the caller lets us read.
    let chunk = |_: usize, range, lanes: &mut Lanes<_>| unsafe { chunk_of(x, range, fold, lanes) };
    // SAFETY: the caller's promise.
    unsafe {
        if x.len() == 0 {
            out.set(0, T::Magnitude::ZERO);
        }
        let finish = |line: usize, sum: T::Magnitude| out.set(line, sum.canonical());
        tree::along(workers, (1, x.len()), size_of::<T>(), fold, chunk, finish)
    }
}

/// Reduces the elements of one chunk.
///
/// # Safety
/// `range` is not empty, within the vector and no longer than a chunk; the vector may be read.
pub(super) unsafe fn chunk_of<T: Copy, F: Fold<Item = T>>(
    x: Vector<T>,
    range: Range<usize>,
    fold: F,
    lanes: &mut Lanes<F::Acc>,
) -> F::Acc {
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            match unsafe { x.slice(range.clone()) } {
                // SAFETY: a slice has as many elements as it is long.
                Some(x) => unsafe {
                    tree::chunk(
                        fold,
                        x.len(),
                        #[inline(always)]
                        |part| x[part].iter().copied(),
                        #[inline(always)]
                        |part| prefetch_of(x, part),
                        lanes,
                    )
                },
                None => {
                    let items = |part: Range<usize>| {
                        // SAFETY: the caller's promise.
                        (range.start + part.start..range.start + part.end).map(|i| unsafe { x.get(i) })
                    };
                    // SAFETY: a part has as many items as it is long.
                    unsafe { tree::chunk(fold, range.len(), items, |_| {}, lanes) }
                }
            }
        },
    )
}
