//! Softmax: the definition of [`warpwave_core::numerics::softmax`].

use super::normalize::{Job, reduce_chunk};
use super::reduce::Lines;
use super::tree::Fold;
use crate::simd::vectorize;
use crate::workers::Workers;
use std::marker::PhantomData;
use warpwave_core::numerics::softmax::{End, State};
use warpwave_core::numerics::{Numeric, Wide, WideFloat};
use warpwave_core::operation::MatrixOperand;
use warpwave_core::{Axis, Result, match_dtype};

/// [`Operation::Softmax`](warpwave_core::Operation::Softmax); `None` if there is no softmax for the type.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn softmax(
    workers: &Workers,
    log: bool,
    axis: Axis,
    x: MatrixOperand,
    out: MatrixOperand,
) -> Option<Result<()>> {
    if x.dtype != out.dtype {
        return None;
    }
    let (from, to) = (Lines::new(axis, x)?, Lines::new(axis, out)?);
    // SAFETY: the caller's promise.
    match_dtype!(x.dtype, float T => Some(unsafe { lines::<T>(workers, log, from, to) }), _ => None)
}

/// # Safety
/// Those of [`Job::new`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
unsafe fn lines<T: WideFloat>(workers: &Workers, log: bool, x: Lines, out: Lines) -> Result<()> {
    if x.len == 0 || x.count == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let mut job = unsafe { Job::<T>::new(workers, x, out)? };
    let zero = <T::Acc as Numeric>::ZERO;
    if job.is_short() {
        job.replace(0..x.count, |_, _, line| finish(log, reduce_chunk(Online(PhantomData), line, zero).end(), line));
        return Ok(());
    }
    let mut states = job.partial::<State<T::Acc>>()?;
    for first in (0..x.count).step_by(job.group()) {
        let group = first..x.count.min(first + job.group());
        job.reduce(group.clone(), Online(PhantomData), &mut states, |_, piece| {
            reduce_chunk(Online(PhantomData), piece, zero)
        });
        job.replace(group, |line, _, piece| finish(log, states[line - first].end(), piece));
    }
    Ok(())
}

/// Replaces elements of a line by what they become.
#[inline(never)]
fn finish<C: Wide>(log: bool, end: End<C>, line: &mut [C]) {
    vectorize(
        #[inline(always)]
        || {
            if log {
                line.iter_mut().for_each(|x| *x = end.value(true, *x));
            } else {
                line.iter_mut().for_each(|x| *x = end.value(false, *x));
            }
        },
    );
}

/// The largest element and the sum of the exponentials.
#[derive(Clone, Copy)]
struct Online<C>(PhantomData<C>);

impl<C: Wide> Fold for Online<C> {
    type Item = C;
    type Acc = State<C>;

    #[inline(always)]
    fn first(self, x: C) -> State<C> {
        State::of(x)
    }

    #[inline(always)]
    fn next(self, state: State<C>, x: C) -> State<C> {
        state.with(x)
    }

    #[inline(always)]
    fn join(self, low: State<C>, high: State<C>) -> State<C> {
        low.join(high)
    }
}
