//! Keys, by the definition of [`warpwave_core::numerics::order`]. All else that sorting does goes by the size of
//! elements alone.

use super::super::memory::elements;
use crate::simd::vectorize;
use std::ops::{BitAnd, BitOr, BitXor, Range, Shr};
use warpwave_core::numerics::order::SortKey;
use warpwave_core::operation::Ptr;
use warpwave_core::{DType, match_dtype};

/// The bits of keys that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u32,
    pub(super) end: u32,
    /// Whether the greatest key comes first: then keys are compared by the complement of their bits.
    pub(super) descending: bool,
}

impl Window {
    pub(super) fn width(self) -> u32 {
        self.end - self.first
    }

    pub(super) fn mask(self) -> u64 {
        let below = |bit: u32| 1_u64.checked_shl(bit).map_or(u64::MAX, |next| next - 1);
        below(self.end) & !below(self.first)
    }

    fn flip(self) -> u64 {
        if self.descending { u64::MAX } else { 0 }
    }

    /// The window from the first to the last of `bits`, of which there is at least one, all in the window.
    pub(super) fn around(self, bits: u64) -> Self {
        Window { first: bits.trailing_zeros(), end: u64::BITS - bits.leading_zeros(), ..self }
    }

    /// The uppermost `width` bits, and those below.
    pub(super) fn split(self, width: u32) -> (Self, Self) {
        let middle = self.end - width.min(self.width());
        (Window { first: middle, ..self }, Window { end: middle, ..self })
    }
}

/// What a look at some keys has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    /// The bits in the window in which the keys are not all the same.
    pub(super) varying: u64,
    /// Whether no key is less than the one before it.
    pub(super) sorted: bool,
}

/// The functions of a type of keys.
///
/// # Safety
/// All are called with an address at which there are elements of the type as [`elements`] asks, in the range given.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    /// Looks at keys in a window: at which bits are not as in the element whose number comes third, and at the order.
    pub(super) survey: unsafe fn(Ptr, Range<usize>, usize, Window) -> Survey,
    /// The bits of a window of at most 8 bits, for as many elements as there is room for.
    pub(super) digits: unsafe fn(Ptr, usize, Window, &mut [u8]),
    /// The bits of a window, for as many elements as there is room for.
    pub(super) values: unsafe fn(Ptr, usize, Window, &mut [u64]),
}

impl Keys {
    /// `None` for complex numbers.
    pub(super) fn of(dtype: DType) -> Option<Self> {
        match_dtype!(
            dtype,
            real T => Some(Keys { survey: survey::<T>, digits: digits::<T>, values: values::<T> }),
            _ => None
        )
    }
}

/// The unsigned integer that a key is, for arithmetic in its own width.
trait Bits: Copy + Ord + Into<u64>
where
    Self: BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + Shr<u32, Output = Self>,
{
    const ZERO: Self;
    /// The lower bits.
    fn cut(bits: u64) -> Self;
    /// The lowest 8 bits.
    fn low(self) -> u8;
}

macro_rules! bits {
    ($($t:ty),*) => { $(
        impl Bits for $t {
            const ZERO: Self = 0;
            #[inline(always)]
            fn cut(bits: u64) -> Self { bits as $t }
            #[inline(always)]
            fn low(self) -> u8 { self as u8 }
        }
    )* };
}
bits!(u8, u16, u32, u64);

/// What of a key is compared.
#[inline(always)]
fn looked_at<T: SortKey<Key: Bits>>(x: T, flip: T::Key, mask: T::Key) -> T::Key {
    (x.key() ^ flip) & mask
}

/// # Safety
/// As for [`Keys`].
unsafe fn survey<T: SortKey<Key: Bits>>(ptr: Ptr, range: Range<usize>, reference: usize, window: Window) -> Survey {
    // SAFETY: the caller's promise.
    let x = unsafe { elements::<T>(ptr, range.start, range.len()) };
    // SAFETY: as before.
    let reference = unsafe { elements::<T>(ptr, reference, 1) }[0];
    vectorize(
        #[inline(always)]
        || {
            let (flip, mask) = (T::Key::cut(window.flip()), T::Key::cut(window.mask()));
            let reference = looked_at(reference, flip, mask);
            let (mut varying, mut sorted) = (T::Key::ZERO, true);
            for (&x, &next) in x.iter().zip(x.get(1..).unwrap_or_default()) {
                let (x, next) = (looked_at(x, flip, mask), looked_at(next, flip, mask));
                varying = varying | (next ^ reference);
                sorted &= x <= next;
            }
            if let Some(&first) = x.first() {
                varying = varying | (looked_at(first, flip, mask) ^ reference);
            }
            Survey { varying: varying.into(), sorted }
        },
    )
}

/// # Safety
/// As for [`Keys`].
unsafe fn digits<T: SortKey<Key: Bits>>(ptr: Ptr, start: usize, window: Window, out: &mut [u8]) {
    // SAFETY: the caller's promise.
    let x = unsafe { elements::<T>(ptr, start, out.len()) };
    let (flip, mask) = (T::Key::cut(window.flip()), (window.mask() >> window.first) as u8);
    vectorize(
        #[inline(always)]
        || {
            for (digit, &x) in out.iter_mut().zip(x) {
                *digit = ((x.key() ^ flip) >> window.first).low() & mask;
            }
        },
    );
}

/// # Safety
/// As for [`Keys`].
unsafe fn values<T: SortKey<Key: Bits>>(ptr: Ptr, start: usize, window: Window, out: &mut [u64]) {
    // SAFETY: the caller's promise.
    let x = unsafe { elements::<T>(ptr, start, out.len()) };
    let (flip, mask) = (T::Key::cut(window.flip()), T::Key::cut(window.mask()));
    for (value, &x) in out.iter_mut().zip(x) {
        *value = looked_at(x, flip, mask).into();
    }
}
