//! `iamax`.

use super::{GRAIN, Vector};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use warpwave_core::numerics::blas::ScalarArithmetic;

/// Elements whose largest key is found before anything asks where it is.
const BLOCK: usize = 1024;

/// A magnitude as an integer with the same order, in which every NaN is one and the largest.
pub(super) trait Key: Copy {
    type Key: Ord + Copy + Default + Send;
    fn key(self) -> Self::Key;
}

macro_rules! key {
    ($t:ty, $bits:ty) => {
        impl Key for $t {
            type Key = $bits;
            #[inline(always)]
            fn key(self) -> $bits {
                // Of numbers without a sign, the larger has the larger bits, and those of a NaN follow those of
                // infinity.
                self.to_bits().min(<$t>::INFINITY.to_bits() + 1)
            }
        }
    };
}
key!(f32, u32);
key!(f64, u64);

/// The index of the first NaN, else of the first largest `|re| + |im|`; `u64::MAX` of nothing.
///
/// # Safety
/// `x` may be read.
pub(super) unsafe fn iamax<T: ScalarArithmetic<Magnitude: Key>>(workers: &Workers, x: Vector<T>) -> u64 {
    if x.len() == 0 {
        return u64::MAX;
    }
    if x.len() <= GRAIN {
        // SAFETY: the caller's promise.
        return unsafe { first_largest(x, 0..x.len()) }.1 as u64;
    }
    let best: Mutex<Option<(_, usize)>> = Mutex::new(None);
    workers.split(x.len(), GRAIN, |range| {
        // SAFETY: the caller's promise; no range is empty.
        let (key, index) = unsafe { first_largest(x, range) };
        let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.is_none_or(|(largest, first)| key > largest || (key == largest && index < first)) {
            *best = Some((key, index));
        }
    });
    best.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(u64::MAX, |(_, index)| index as u64)
}

/// The largest key in `range`, and the first index that has it.
///
/// # Safety
/// `range` is not empty and within the vector, which may be read.
unsafe fn first_largest<T: ScalarArithmetic<Magnitude: Key>>(
    x: Vector<T>,
    range: Range<usize>,
) -> (<T::Magnitude as Key>::Key, usize) {
    let key = |x: T| x.abs1().key();
    let largest = |block: Range<usize>| {
        simd::vectorize(
            #[inline(always)]
            || {
                // SAFETY: the caller's promise.
                unsafe {
                    match x.slice(block.clone()) {
                        Some(x) => x.iter().fold(Default::default(), |k, &x| key(x).max(k)),
                        None => block.fold(Default::default(), |k, i| key(x.get(i)).max(k)),
                    }
                }
            },
        )
    };
    let block = |start: usize| start..range.end.min(start + BLOCK);
    let (mut best, mut found) = (largest(block(range.start)), range.start);
    for start in range.clone().step_by(BLOCK).skip(1) {
        let here = largest(block(start));
        if here > best {
            (best, found) = (here, start);
        }
    }
    // SAFETY: the caller's promise. The key was found in this block.
    let index = block(found).find(|&i| unsafe { key(x.get(i)) } == best).unwrap_or(found);
    (best, index)
}
