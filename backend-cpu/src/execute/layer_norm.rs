//! Layer normalization: the definition of [`warpwave_core::numerics::layer_norm`].

use super::memory::elements;
use super::normalize::{Job, reduce_chunk, widen};
use super::reduce::Lines;
use super::tree::Fold;
use crate::simd::vectorize;
use crate::workers::Workers;
use std::marker::PhantomData;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::layer_norm::{End, add_square};
use warpwave_core::numerics::{Numeric, Wide, WideFloat, cast};
use warpwave_core::operation::{LayerNorm, Span};
use warpwave_core::{Result, match_dtype};

/// [`Operation::LayerNorm`](warpwave_core::Operation::LayerNorm); `None` if there is none for the type.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn layer_norm(workers: &Workers, arguments: &LayerNorm) -> Option<Result<()>> {
    let &LayerNorm { axis, x, gamma, beta, epsilon, out } = arguments;
    if [gamma, beta].iter().flatten().any(|span| span.dtype != x.dtype) || x.dtype != out.dtype {
        return None;
    }
    let (from, to) = (Lines::new(axis, x)?, Lines::new(axis, out)?);
    match_dtype!(x.dtype, float T => {
        let affine = Affine { gamma, beta, item: PhantomData::<T> };
        // SAFETY: the caller's promise.
        Some(unsafe { lines::<T>(workers, from, to, affine, epsilon.get()?) })
    }, _ => None)
}

/// # Safety
/// Those of [`Job::new`], and the elements of `affine` are there.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
unsafe fn lines<T: WideFloat>(
    workers: &Workers,
    x: Lines,
    out: Lines,
    affine: Affine<T>,
    epsilon: T::Acc,
) -> Result<()> {
    if x.len == 0 || x.count == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let mut job = unsafe { Job::<T>::new(workers, x, out)? };
    let (zero, n) = (<T::Acc as Numeric>::ZERO, cast::<u64, T::Acc>(x.len as u64));
    if job.is_short() {
        job.replace(0..x.count, |_, _, line| {
            let mean = reduce_chunk(Sum(PhantomData), line, zero) / n;
            let squares = reduce_chunk(Squares(PhantomData), line, mean);
            // SAFETY: the caller's promise.
            unsafe { affine.finish(End::new(mean, squares, n, epsilon), 0, line) };
        });
        return Ok(());
    }
    let (mut sums, mut squares) = (job.partial::<T::Acc>()?, job.partial::<T::Acc>()?);
    for first in (0..x.count).step_by(job.group()) {
        let group = first..x.count.min(first + job.group());
        job.reduce(group.clone(), Sum(PhantomData), &mut sums, |_, piece| reduce_chunk(Sum(PhantomData), piece, zero));
        let mean = |line: usize| sums[line - first] / n;
        job.reduce(group.clone(), Squares(PhantomData), &mut squares, |line, piece| {
            reduce_chunk(Squares(PhantomData), piece, mean(line))
        });
        job.replace(group, |line, at, piece| {
            let end = End::new(mean(line), squares[line - first], n, epsilon);
            // SAFETY: the caller's promise.
            unsafe { affine.finish(end, at, piece) };
        });
    }
    Ok(())
}

/// Factors and summands for the elements of a line.
#[derive(Clone, Copy)]
struct Affine<T> {
    gamma: Option<Span>,
    beta: Option<Span>,
    item: PhantomData<T>,
}

/// Elements whose factors and summands are converted at a time.
const PIECE: usize = 256;

impl<T: WideFloat> Affine<T> {
    /// Replaces elements of a line, from element `first` on, by what they become.
    ///
    /// # Safety
    /// The factors and summands are there, as `T`s.
    unsafe fn finish(self, end: End<T::Acc>, first: usize, line: &mut [T::Acc]) {
        let (mut gamma, mut beta) = ([T::Acc::ONE; PIECE], [T::Acc::MINUS_ZERO; PIECE]);
        for (piece, start) in line.chunks_mut(PIECE).zip((first..).step_by(PIECE)) {
            for (span, held) in [(self.gamma, &mut gamma), (self.beta, &mut beta)] {
                if let Some(span) = span {
                    // SAFETY: the caller's promise: there are as many as a line has elements.
                    widen(unsafe { elements::<T>(span.ptr, start, piece.len()) }, held);
                }
            }
            apply(end, piece, &gamma, &beta);
        }
    }
}

#[inline(never)]
fn apply<C: Wide>(end: End<C>, piece: &mut [C], gamma: &[C; PIECE], beta: &[C; PIECE]) {
    vectorize(
        #[inline(always)]
        || {
            for ((x, &gamma), &beta) in piece.iter_mut().zip(gamma).zip(beta) {
                *x = end.value(*x, gamma, beta);
            }
        },
    );
}

/// The sum of the elements.
#[derive(Clone, Copy)]
struct Sum<C>(PhantomData<C>);

impl<C: Wide> Fold for Sum<C> {
    type Item = C;
    type Acc = C;

    #[inline(always)]
    fn first(self, x: C) -> C {
        x
    }

    #[inline(always)]
    fn next(self, sum: C, x: C) -> C {
        sum + x
    }

    #[inline(always)]
    fn join(self, low: C, high: C) -> C {
        low + high
    }
}

/// The sum of the squares of differences.
#[derive(Clone, Copy)]
struct Squares<C>(PhantomData<C>);

impl<C: Wide> Fold for Squares<C> {
    type Item = C;
    type Acc = C;

    #[inline(always)]
    fn first(self, d: C) -> C {
        add_square(None, d)
    }

    #[inline(always)]
    fn next(self, sum: C, d: C) -> C {
        add_square(Some(sum), d)
    }

    #[inline(always)]
    fn join(self, low: C, high: C) -> C {
        low + high
    }
}
