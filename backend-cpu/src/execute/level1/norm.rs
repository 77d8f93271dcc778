//! `nrm2`.

use super::Vector;
use super::reduce::chunk_of;
use crate::execute::memory::prefetch_of;
use crate::execute::tree::{self, Fold, Lanes};
use crate::simd;
use crate::workers::Workers;
use std::marker::PhantomData;
use std::ops::Range;
use warpwave_core::numerics::Canonical;
use warpwave_core::numerics::blas::{Blue, ScalarArithmetic, SumOfSquares, WideSquares};
use warpwave_core::{Complex32, Complex64, Result};

/// Sets `out` to `√Σ|x|²`.
///
/// # Safety
/// `x` may be read, and `out` written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn nrm2<T: Norm>(workers: &Workers, x: Vector<T>, out: Vector<T::Magnitude>) -> Result<()> {
    // SAFETY: `along` asks for ranges within the vector, which the caller lets us read.
    let chunk = |_: usize, range, lanes: &mut Lanes<_>| unsafe { T::chunk(x, range, lanes) };
    // SAFETY: the caller's promise.
    unsafe {
        if x.len() == 0 {
            out.set(0, T::Squares::default().norm().canonical());
        }
        let finish = |line: usize, sum: T::Squares| out.set(line, sum.norm().canonical());
        tree::along(workers, (1, x.len()), size_of::<T>(), Squares(PhantomData::<T>), chunk, finish)
    }
}

/// The sum of squares.
#[derive(Clone, Copy)]
struct Squares<T>(PhantomData<T>);

impl<T: ScalarArithmetic> Fold for Squares<T> {
    type Item = T;
    type Acc = T::Squares;

    #[inline(always)]
    fn first(self, item: T) -> T::Squares {
        self.next(T::Squares::default(), item)
    }

    #[inline(always)]
    fn next(self, acc: T::Squares, item: T) -> T::Squares {
        item.add_squares(acc)
    }

    #[inline(always)]
    fn join(self, low: T::Squares, high: T::Squares) -> T::Squares {
        low.combine(high)
    }
}

/// How the squares of one chunk are summed.
pub(super) trait Norm: ScalarArithmetic<Magnitude: Canonical> {
    /// The sum for the elements of `range`.
    ///
    /// # Safety
    /// `range` is not empty, within the vector and no longer than a chunk; the vector may be read.
    unsafe fn chunk(x: Vector<Self>, range: Range<usize>, lanes: &mut Lanes<Self::Squares>) -> Self::Squares;
}

macro_rules! wide {
    ($($t:ty),*) => { $(
        impl Norm for $t {
            unsafe fn chunk(x: Vector<Self>, range: Range<usize>, lanes: &mut Lanes<WideSquares>) -> WideSquares {
                // SAFETY: the caller's promise.
                unsafe { chunk_of(x, range, Squares(PhantomData::<$t>), lanes) }
            }
        }
    )* };
}
wide!(f32, Complex32);

/// An element as its components.
trait Parts: Copy + Sync {
    /// Folds the real and then the imaginary part into `acc`.
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A;
}

impl Parts for f64 {
    #[inline(always)]
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A {
        f(acc, self)
    }
}

impl Parts for Complex64 {
    #[inline(always)]
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A {
        f(f(acc, self.re), self.im)
    }
}

macro_rules! blue {
    ($($t:ty),*) => { $(
        impl Norm for $t {
            unsafe fn chunk(x: Vector<Self>, range: Range<usize>, _: &mut Lanes<Blue>) -> Blue {
                // SAFETY: the caller's promise.
                unsafe { blue(x, range) }
            }
        }
    )* };
}
blue!(f64, Complex64);

/// Blue's three sums. Each is a pass of its own over the chunk, with selects instead of branches; nearly always the
/// second is the only one needed, which the first pass finds out.
///
/// # Safety
/// As for [`Norm::chunk`].
unsafe fn blue<T: Parts>(x: Vector<T>, range: Range<usize>) -> Blue {
    let mut lanes = Lanes::new();
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(x) = x.slice(range.clone())
            && let Some(mid) = all_mid(x, &mut lanes)
        {
            return Blue { mid, ..Blue::default() };
        }
        let mut pass = |of: fn(f64) -> f64| chunk_of(x, range.clone(), Pass { of, item: PhantomData }, &mut lanes);
        Blue { small: pass(small), mid: pass(mid), big: pass(big) }
    }
}

/// The sum of squares, if no component belongs to another sum.
fn all_mid<T: Parts>(x: &[T], lanes: &mut Lanes<f64>) -> Option<f64> {
    simd::vectorize(
        #[inline(always)]
        || {
            let mut all = true;
            let fold = Pass { of: std::convert::identity::<f64>, item: PhantomData };
            let items = |part: Range<usize>| {
                // While they are on their way into the first-level cache.
                all &= x[part.clone()].iter().fold(true, |all, x| x.fold(all, |all, x| all & is_mid(x)));
                x[part].iter().copied()
            };
            // SAFETY: a slice has as many elements as it is long.
            let sum = unsafe {
                tree::chunk(
                    fold,
                    x.len(),
                    items,
                    #[inline(always)]
                    |part| prefetch_of(x, part),
                    lanes,
                )
            };
            all.then_some(sum)
        },
    )
}

/// The sum of the squares of `of(component)`.
#[derive(Clone, Copy)]
struct Pass<T, F> {
    of: F,
    item: PhantomData<T>,
}

impl<T: Parts, F: Fn(f64) -> f64 + Copy + Sync> Fold for Pass<T, F> {
    type Item = T;
    type Acc = f64;

    #[inline(always)]
    fn first(self, item: T) -> f64 {
        self.next(0.0, item)
    }

    #[inline(always)]
    fn next(self, acc: f64, item: T) -> f64 {
        item.fold(acc, |sum, x| (self.of)(x).mul_add((self.of)(x), sum))
    }

    #[inline(always)]
    fn join(self, low: f64, high: f64) -> f64 {
        low + high
    }
}

/// Whether a component adds to the middle sum alone: NaN does, and 0 adds nothing to any.
#[inline(always)]
fn is_mid(x: f64) -> bool {
    let outside = (x.abs() > Blue::BIG) | (x.abs() < Blue::SMALL);
    !outside | (x == 0.0)
}

/// What a component adds the square of to the middle sum.
#[inline(always)]
fn mid(x: f64) -> f64 {
    if is_mid(x) { x } else { 0.0 }
}

/// What a component adds the square of to the sum of the small.
#[inline(always)]
fn small(x: f64) -> f64 {
    if x.abs() < Blue::SMALL { x * Blue::SMALL_SCALE } else { 0.0 }
}

/// What a component adds the square of to the sum of the big.
#[inline(always)]
fn big(x: f64) -> f64 {
    if x.abs() > Blue::BIG { x * Blue::BIG_SCALE } else { 0.0 }
}
