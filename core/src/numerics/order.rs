//! The order that sorting goes by.
//!
//! Keys compare by [`SortKey::key`], an unsigned integer of their width: integers by value; floats by value, with −0 before +0 and
//! every NaN, whatever its sign and payload, one and the same key after +∞. Equal keys keep their order, also in a descending sort.
//! A sort by bits `start..end` looks at those bits of the key alone. What is moved are the bits of the elements, a NaN's payload too.

use crate::element::{Real, bf16, f16};
use std::ops::Range;

/// What can be sorted by: the real types.
pub trait SortKey: Real {
    /// The unsigned integer of the same width.
    type Key: Copy + Ord + Into<u64>;
    /// Bits in a key.
    const BITS: u32;
    /// The place of this value in the order.
    fn key(self) -> Self::Key;
}

macro_rules! unsigned {
    ($($t:ty),*) => { $(
        impl SortKey for $t {
            type Key = $t;
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn key(self) -> $t { self }
        }
    )* };
}
unsigned!(u8, u16, u32, u64);

macro_rules! signed {
    ($($t:ty: $u:ty),*) => { $(
        impl SortKey for $t {
            type Key = $u;
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn key(self) -> $u { (self as $u) ^ (1 << (<$t>::BITS - 1)) }
        }
    )* };
}
signed!(i8: u8, i16: u16, i32: u32, i64: u64);

macro_rules! floats {
    ($($t:ty: $u:ty, $infinity:literal);*) => { $(
        impl SortKey for $t {
            type Key = $u;
            const BITS: u32 = <$u>::BITS;
            #[inline(always)]
            fn key(self) -> $u {
                const SIGN: $u = 1 << (<$u>::BITS - 1);
                let bits = self.to_bits();
                // A negative number is the larger the smaller its magnitude.
                let ordered = if bits & SIGN != 0 { !bits } else { bits | SIGN };
                if bits & !SIGN > $infinity { <$u>::MAX } else { ordered }
            }
        }
    )* };
}
floats! { f16: u16, 0x7c00; bf16: u16, 0x7f80; f32: u32, 0x7f80_0000; f64: u64, 0x7ff0_0000_0000_0000 }

/// The bits `bits` of a key, from 0; `bits` lies within `0..64`.
#[inline(always)]
pub fn digits(key: u64, bits: Range<u32>) -> u64 {
    let width = bits.end.saturating_sub(bits.start);
    let kept = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    if bits.start >= 64 { 0 } else { (key >> bits.start) & kept }
}

/// Where the elements of `x` come from in their sorted order: element `i` of the result is `x[order[i]]`.
///
/// This is the definition in its plainest form; devices sort in other ways.
pub fn order<T: SortKey>(x: &[T], descending: bool, bits: Range<u32>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    let key = |&i: &usize| digits(x[i].key().into(), bits.clone());
    if descending {
        order.sort_by_key(|i| std::cmp::Reverse(key(i)));
    } else {
        order.sort_by_key(key);
    }
    order
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// Every pair of neighbouring 16-bit floats in the order of IEEE 754's totalOrder, which the standard library has; NaNs alike.
    #[test]
    fn sixteen_bits_exhaustively() {
        let mut all: Vec<u16> = (0..=u16::MAX).filter(|&bits| !f16::from_bits(bits).is_nan()).collect();
        all.sort_by(|&a, &b| f16::from_bits(a).total_cmp(&f16::from_bits(b)));
        assert!(all.windows(2).all(|pair| f16::from_bits(pair[0]).key() < f16::from_bits(pair[1]).key()));
        let mut all: Vec<u16> = (0..=u16::MAX).filter(|&bits| !bf16::from_bits(bits).is_nan()).collect();
        all.sort_by(|&a, &b| bf16::from_bits(a).total_cmp(&bf16::from_bits(b)));
        assert!(all.windows(2).all(|pair| bf16::from_bits(pair[0]).key() < bf16::from_bits(pair[1]).key()));
        for bits in (0..=u16::MAX).filter(|&bits| f16::from_bits(bits).is_nan()) {
            assert_eq!(f16::from_bits(bits).key(), u16::MAX);
        }
    }

    #[test]
    fn edges_of_wide_types() {
        let ascending =
            [f64::NEG_INFINITY, f64::MIN, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY, f64::NAN];
        assert!(ascending.windows(2).all(|pair| pair[0].key() < pair[1].key()));
        assert_eq!((-f64::NAN).key(), f64::NAN.key());
        assert_eq!(
            [i32::MIN.key(), (-1_i32).key(), 0_i32.key(), i32::MAX.key()],
            [0, 0x7fff_ffff, 0x8000_0000, u32::MAX]
        );
    }

    /// Stable, both ways; a range of bits sees nothing else.
    #[test]
    fn stable_and_by_bits() {
        assert_eq!(order(&[3_u32, 1, 3, 2, 1], false, 0..32), [1, 4, 3, 0, 2]);
        assert_eq!(order(&[3_u32, 1, 3, 2, 1], true, 0..32), [0, 2, 3, 1, 4]);
        assert_eq!(order(&[0x12_u8, 0x21, 0x11, 0x22], false, 4..8), [0, 2, 1, 3]);
        assert_eq!(order(&[0x12_u8, 0x21, 0x11, 0x22], false, 3..3), [0, 1, 2, 3]);
        assert_eq!(digits(u64::MAX, 0..64), u64::MAX);
        assert_eq!(order(&[-1.0_f32, f32::NAN, 0.0, -0.0], false, 0..32), [0, 3, 2, 1]);
    }
}
