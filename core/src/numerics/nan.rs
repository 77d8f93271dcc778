//! The canonical NaN.

use crate::element::{Complex, Element, bf16, f16};

/// Replaces every NaN by the one that warpwave's arithmetic returns.
///
/// IEEE 754 leaves sign and payload of a NaN result to the implementation, and x86, NVIDIA's and AMD's processors differ. The
/// canonical NaN is positive and quiet, with no payload: `7e00` (`f16`), `7fc0` (`bf16`), `7fc00000` (`f32`) and
/// `7ff8000000000000` (`f64`).
pub trait Canonical: Element {
    /// The value itself, or the canonical NaN if it is a NaN; each part of a complex number by itself. Integers have none.
    #[must_use]
    fn canonical(self) -> Self;
}

// One comparison and one select each, which vectorise; on the bits where there is no arithmetic.
macro_rules! narrow_floats {
    ($($t:ty, $nan:literal, $infinity:literal);*) => { $(
        impl Canonical for $t {
            #[inline(always)]
            fn canonical(self) -> Self {
                let bits = self.to_bits();
                <$t>::from_bits(if bits & 0x7fff > $infinity { $nan } else { bits })
            }
        }
    )* };
}
narrow_floats!(f16, 0x7e00, 0x7c00; bf16, 0x7fc0, 0x7f80);

macro_rules! wide_floats {
    ($($t:ty, $nan:literal);*) => { $(
        impl Canonical for $t {
            #[inline(always)]
            fn canonical(self) -> Self {
                if self.is_nan() { <$t>::from_bits($nan) } else { self }
            }
        }
    )* };
}
wide_floats!(f32, 0x7fc0_0000; f64, 0x7ff8_0000_0000_0000);

macro_rules! integers {
    ($($t:ty),*) => { $(
        impl Canonical for $t {
            #[inline(always)]
            fn canonical(self) -> Self { self }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! complex {
    ($($t:ty),*) => { $(
        impl Canonical for Complex<$t> {
            #[inline(always)]
            fn canonical(self) -> Self {
                Complex::new(self.re.canonical(), self.im.canonical())
            }
        }
    )* };
}
complex!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 16-bit pattern: a NaN becomes the canonical one, everything else keeps its bits.
    #[test]
    fn sixteen_bits_exhaustively() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            assert_eq!(x.canonical().to_bits(), if x.is_nan() { 0x7e00 } else { bits });
            let x = bf16::from_bits(bits);
            assert_eq!(x.canonical().to_bits(), if x.is_nan() { 0x7fc0 } else { bits });
        }
    }

    /// Signalling, negative and payload-carrying NaNs, and the neighbours that are none.
    #[test]
    fn wide_types_at_the_edges() {
        for bits in [0x7f80_0001_u32, 0x7fff_ffff, 0xff80_0001, 0xffc0_0000, 0xffff_ffff, 0x7fc0_0001] {
            assert_eq!(f32::from_bits(bits).canonical().to_bits(), 0x7fc0_0000);
        }
        for bits in [0, 0x8000_0000, 1, 0x8000_0001, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000] {
            assert_eq!(f32::from_bits(bits).canonical().to_bits(), bits);
        }
        for bits in [0x7ff0_0000_0000_0001_u64, 0xfff0_0000_0000_0001, 0xfff8_0000_0000_0000, u64::MAX] {
            assert_eq!(f64::from_bits(bits).canonical().to_bits(), 0x7ff8_0000_0000_0000);
        }
        for bits in [0, 1 << 63, 1, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000] {
            assert_eq!(f64::from_bits(bits).canonical().to_bits(), bits);
        }
        let z = Complex::new(f32::from_bits(0xffc1_2345), -0.0).canonical();
        assert_eq!((z.re.to_bits(), z.im.to_bits()), (0x7fc0_0000, 0x8000_0000));
    }
}
