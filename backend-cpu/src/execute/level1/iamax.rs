//! `iamax` and `iamin`.

use super::{GRAIN, Vector};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use warpwave_core::numerics::blas::ScalarArithmetic;

/// Elements whose largest key is found before anything asks where it is.
const BLOCK: usize = 1024;

/// A magnitude as an integer, the largest of which is looked for: every NaN is one and the largest.
pub(super) trait Key: Copy {
    type Key: Ord + Copy + Default + Send;
    /// Numbers in their order, or with `SMALLEST` in the opposite one.
    fn key<const SMALLEST: bool>(self) -> Self::Key;
}

macro_rules! key {
    ($t:ty, $bits:ty) => {
        impl Key for $t {
            type Key = $bits;
            #[inline(always)]
            fn key<const SMALLEST: bool>(self) -> $bits {
                const INFINITY: $bits = <$t>::INFINITY.to_bits();
                // Of numbers without a sign, the larger has the larger bits, and those of a NaN follow those of
                // infinity.
                let bits = self.to_bits();
                match SMALLEST {
                    true if bits <= INFINITY => INFINITY - bits,
                    _ => bits.min(INFINITY + 1),
                }
            }
        }
    };
}
key!(f32, u32);
key!(f64, u64);

/// The index of the first NaN, else of the first largest `|re| + |im|`, or with `SMALLEST` of the first smallest; `u64::MAX` of
/// nothing.
///
/// # Safety
/// `x` may be read.
pub(super) unsafe fn extreme<T: ScalarArithmetic<Magnitude: Key>, const SMALLEST: bool>(
    workers: &Workers,
    x: Vector<T>,
) -> u64 {
    if x.len() == 0 {
        return u64::MAX;
    }
    if x.len() <= GRAIN {
        // SAFETY: the caller's promise.
        return unsafe { first_largest::<T, SMALLEST>(x, 0..x.len()) }.1 as u64;
    }
    let best: Mutex<Option<(_, usize)>> = Mutex::new(None);
    workers.split(x.len(), GRAIN, |range| {
        // SAFETY: the caller's promise; no range is empty.
        let (key, index) = unsafe { first_largest::<T, SMALLEST>(x, range) };
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
unsafe fn first_largest<T: ScalarArithmetic<Magnitude: Key>, const SMALLEST: bool>(
    x: Vector<T>,
    range: Range<usize>,
) -> (<T::Magnitude as Key>::Key, usize) {
    let key = |x: T| x.abs1().key::<SMALLEST>();
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
