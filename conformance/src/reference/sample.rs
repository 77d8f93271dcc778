//! Element types, seen as bits and as numbers.

use warpwave_core::numerics::cast;
use warpwave_core::{Complex, Element, bf16, f16};

/// What the groups need of an element type beyond what the core offers: generic access to its bits and its value.
///
/// A complex number has two components; the second of a real one is ignored, and 0 where it is returned.
pub(crate) trait Sample: Element {
    /// The unit roundoff; 0 for integers.
    const UNIT: f64;
    /// The smallest positive number; 0 for integers, whose arithmetic cannot underflow.
    const TINY: f64;
    /// The largest magnitude up to which all integers are elements.
    const EXACT: u64;

    /// The components' bits; what is above their width is ignored.
    fn from_patterns(bits: [u64; 2]) -> Self;
    fn patterns(self) -> [u64; 2];
    /// Integers, modulo 2 to the width for integer types; for floats up to [`EXACT`](Sample::EXACT).
    fn from_integers(value: [i64; 2]) -> Self;
    /// Rounded once.
    fn from_values(value: [f64; 2]) -> Self;
    /// Exact but for integers of more than 53 bits.
    fn values(self) -> [f64; 2];
    /// Bit patterns of a component at which arithmetic goes wrong.
    fn specials() -> &'static [u64];
    /// What lies in memory that must not be read: a NaN with a payload in each component, or a conspicuous integer.
    fn poison() -> Self;

    /// Whether a component is a NaN.
    fn has_nan(self) -> bool {
        self.values().iter().any(|x| x.is_nan())
    }

    /// The value of the first component, which is an integer.
    fn integer(self) -> i128 {
        if !Self::DTYPE.is_integer() {
            return self.values()[0] as i128;
        }
        let (pattern, width) = (i128::from(self.patterns()[0]), Self::DTYPE.size() * 8);
        let signed = Self::from_integer(-1).values()[0] < 0.0;
        if signed && pattern >> (width - 1) == 1 { pattern - (1 << width) } else { pattern }
    }

    /// An integer, times 1.
    fn from_integer(value: i64) -> Self {
        Self::from_integers([value, 0])
    }
}

/// The special patterns of a binary format with `$fraction` fraction bits and a width of `$width`.
macro_rules! specials {
    ($width:literal, $fraction:literal) => {{
        const SIGN: u64 = 1 << ($width - 1);
        const ONE: u64 = ((1 << ($width - 2 - $fraction)) - 1) << $fraction;
        const INFINITY: u64 = ((1 << ($width - 1 - $fraction)) - 1) << $fraction;
        const NORMAL: u64 = 1 << $fraction;
        const MAGNITUDES: [u64; 15] = [
            0,
            1,
            2,
            NORMAL / 2,
            NORMAL - 1,
            NORMAL,
            NORMAL + 1,
            ONE - 1,
            ONE,
            ONE + 1,
            INFINITY - 1,
            INFINITY,
            // A signalling NaN, and two quiet ones.
            INFINITY + 1,
            INFINITY + (1 << ($fraction - 1)),
            INFINITY + (1 << ($fraction - 1)) + 5,
        ];
        const ALL: [u64; 30] = {
            let mut all = [0; 30];
            let mut i = 0;
            while i < 15 {
                all[i] = MAGNITUDES[i];
                all[i + 15] = MAGNITUDES[i] | SIGN;
                i += 1;
            }
            all
        };
        &ALL
    }};
}

macro_rules! floats {
    ($($t:ty, $bits:ty, $width:literal, $fraction:literal, $emin:literal, $nan:literal);* $(;)?) => { $(
        impl Sample for $t {
            const UNIT: f64 = 1.0 / (1_u64 << ($fraction + 1)) as f64;
            const TINY: f64 = f64::from_bits(if $emin < -1022 { 1 } else { ((1023 + $emin) as u64) << 52 });
            const EXACT: u64 = 1 << ($fraction + 1);

            fn from_patterns(bits: [u64; 2]) -> Self { <$t>::from_bits(bits[0] as $bits) }
            fn patterns(self) -> [u64; 2] { [u64::from(<$t>::to_bits(self)), 0] }
            fn from_integers(value: [i64; 2]) -> Self { cast::<i64, $t>(value[0]) }
            fn from_values(value: [f64; 2]) -> Self { cast::<f64, $t>(value[0]) }
            fn values(self) -> [f64; 2] { [cast::<$t, f64>(self), 0.0] }
            fn specials() -> &'static [u64] { specials!($width, $fraction) }
            fn poison() -> Self { <$t>::from_bits($nan) }
        }
    )* };
}
floats! {
    f16, u16, 16, 10, -24, 0xfe5a;
    bf16, u16, 16, 7, -133, 0xffda;
    f32, u32, 32, 23, -149, 0xffc5_a5a5;
    f64, u64, 64, 52, -1074, 0xfff8_a5a5_a5a5_a5a5;
}

macro_rules! integers {
    ($($t:ty, $unsigned:ty);* $(;)?) => { $(
        impl Sample for $t {
            const UNIT: f64 = 0.0;
            const TINY: f64 = 0.0;
            const EXACT: u64 = <$t>::MAX as u64;

            fn from_patterns(bits: [u64; 2]) -> Self { bits[0] as $t }
            fn patterns(self) -> [u64; 2] { [self as $unsigned as u64, 0] }
            fn from_integers(value: [i64; 2]) -> Self { value[0] as $t }
            fn from_values(value: [f64; 2]) -> Self { value[0] as i64 as $t }
            fn values(self) -> [f64; 2] { [self as f64, 0.0] }
            fn specials() -> &'static [u64] {
                const WIDTH: u64 = <$t>::BITS as u64;
                const ALL: [u64; 14] = [
                    0, 1, 2, 3, 7, WIDTH - 1, WIDTH, WIDTH + 1,
                    <$t>::MAX as $unsigned as u64, <$t>::MAX as $unsigned as u64 - 1,
                    <$t>::MIN as $unsigned as u64, (<$t>::MIN as $unsigned).wrapping_add(1) as u64,
                    <$unsigned>::MAX as u64, <$unsigned>::MAX as u64 - 1,
                ];
                &ALL
            }
            fn poison() -> Self { 0xa5a5_a5a5_a5a5_a5a5_u64 as $t }
        }
    )* };
}
integers! { i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64 }

macro_rules! complex {
    ($($t:ty),*) => { $(
        impl Sample for Complex<$t> {
            const UNIT: f64 = <$t>::UNIT;
            const TINY: f64 = <$t>::TINY;
            const EXACT: u64 = <$t>::EXACT;

            fn from_patterns([re, im]: [u64; 2]) -> Self {
                Complex::new(Sample::from_patterns([re, 0]), Sample::from_patterns([im, 0]))
            }
            fn patterns(self) -> [u64; 2] { [Sample::patterns(self.re)[0], Sample::patterns(self.im)[0]] }
            fn from_integers([re, im]: [i64; 2]) -> Self { Complex::new(re as $t, im as $t) }
            fn from_values([re, im]: [f64; 2]) -> Self { Complex::new(re as $t, im as $t) }
            fn values(self) -> [f64; 2] { [f64::from(self.re), f64::from(self.im)] }
            fn specials() -> &'static [u64] { <$t>::specials() }
            fn poison() -> Self { Complex::new(<$t>::poison(), <$t>::poison()) }
        }
    )* };
}
complex!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Sample>(unit: f64, tiny: f64) {
        assert_eq!((T::UNIT, T::TINY), (unit, tiny), "{}", T::DTYPE);
        assert!(T::poison().has_nan());
        let values: Vec<f64> = T::specials().iter().map(|&bits| T::from_patterns([bits, 0]).values()[0]).collect();
        assert_eq!(values.iter().filter(|x| x.is_nan()).count(), 6, "{}", T::DTYPE);
        assert_eq!(values.iter().filter(|x| x.is_infinite()).count(), 2);
        assert!(values.contains(&tiny) && values.contains(&-1.0) && values.contains(&(1.0 + 2.0 * unit)));
        // 1 − u and 1 + 2u are neighbours of 1.
        assert!(values.contains(&(1.0 - unit)));
    }

    #[test]
    fn formats() {
        check::<f16>(2f64.powi(-11), 2f64.powi(-24));
        check::<bf16>(2f64.powi(-8), 2f64.powi(-133));
        check::<f32>(2f64.powi(-24), f64::from(f32::from_bits(1)));
        check::<f64>(2f64.powi(-53), f64::from_bits(1));
    }

    #[test]
    fn bits_go_through() {
        assert_eq!(<i16 as Sample>::from_patterns([0xfff0, 0]), -16);
        assert_eq!(Sample::patterns(-16_i16), [0xfff0, 0]);
        assert_eq!(<i8 as Sample>::specials()[8..], [127, 126, 128, 129, 255, 254]);
        assert_eq!(<u8 as Sample>::from_integer(-1), 255);
        assert_eq!((u64::MAX.integer(), i64::MIN.integer()), (i128::from(u64::MAX), i128::from(i64::MIN)));
        assert_eq!((-3.0_f32.integer(), 7_i8.integer()), (-3, 7));
        let z = <Complex<f32> as Sample>::from_patterns([0x7fc0_0001, 0x8000_0000]);
        assert_eq!(Sample::patterns(z), [0x7fc0_0001, 0x8000_0000]);
    }
}
