//! Floats to integers, in a form that compiles to vector instructions.
//!
//! `as` says what is computed, but the compiler takes the elements one by one.

use warpwave_core::numerics::cast;
use warpwave_core::{bf16, f16};

/// The conversion to `D` that [`warpwave_core::numerics::CastFrom`] defines: truncated, clamped to the range, NaN to 0.
pub(super) trait Truncate<D> {
    /// `self`, converted.
    fn truncate(self) -> D;
}

macro_rules! truncate {
    ($s:ty: $($d:ty, $via:ty);*) => { $(
        impl Truncate<$d> for $s {
            #[inline(always)]
            fn truncate(self) -> $d {
                /// A power of two or 0: exact.
                const LOW: $s = <$d>::MIN as $s;
                /// The largest that is in the range. Converted, the largest integer may have been rounded up, out of it.
                const HIGH: $s = {
                    let high = <$d>::MAX as $s;
                    if high as u128 > <$d>::MAX as u128 { high.next_down() } else { high }
                };
                let number = if self.is_nan() { 0.0 } else { self };
                let clamped = if number < LOW { LOW } else { number };
                let clamped = if clamped > HIGH { HIGH } else { clamped };
                // SAFETY: it is no NaN, and truncated it is in the range of `$d` and so of `$via`.
                let truncated = unsafe { clamped.to_int_unchecked::<$via>() } as $d;
                if self > HIGH { <$d>::MAX } else { truncated }
            }
        }
    )* };
}
macro_rules! to_integers {
    ($($s:ty),*) => { $(
        // Through a type for which there are instructions.
        truncate!($s: i8, i32; i16, i32; i32, i32; i64, i64; u8, i32; u16, i32; u32, u32; u64, u64);
    )* };
}
to_integers!(f32, f64);

macro_rules! halves {
    ($($d:ty),*) => { $(
        impl Truncate<$d> for f16 {
            #[inline(always)]
            fn truncate(self) -> $d { cast::<f16, f32>(self).truncate() }
        }
        impl Truncate<$d> for bf16 {
            #[inline(always)]
            fn truncate(self) -> $d { cast::<bf16, f32>(self).truncate() }
        }
    )* };
}
halves!(i8, i16, i32, i64, u8, u16, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;

    fn edges_of_f64() -> Vec<f64> {
        let mut values = vec![f64::NAN, -f64::NAN, f64::INFINITY, f64::MAX, 5e-324, 0.5, 0.9999999999999999, 0.0];
        for exponent in 0..70 {
            let power = 2f64.powi(exponent);
            for step in [0.0, 0.5, 1.0, 1.5] {
                values.extend([power - step, power + step]);
            }
            values.extend([power.next_down(), power.next_up()]);
        }
        values.iter().flat_map(|&x| [x, -x]).collect()
    }

    macro_rules! same {
        ($x:expr => $($d:ty),*) => { $( assert_eq!(Truncate::<$d>::truncate($x), cast::<_, $d>($x), "{} to {}", $x, stringify!($d)); )* };
    }

    /// Around every power of two up to past the largest integer, with halves in between.
    #[test]
    fn wide_floats_as_defined() {
        for x in edges_of_f64() {
            same!(x => i8, i16, i32, i64, u8, u16, u32, u64);
            let x = x as f32;
            for x in [x, x.next_up(), x.next_down()] {
                same!(x => i8, i16, i32, i64, u8, u16, u32, u64);
            }
        }
    }

    #[test]
    fn every_half_as_defined() {
        for bits in 0..=u16::MAX {
            same!(f16::from_bits(bits) => i8, i16, i32, i64, u8, u16, u32, u64);
            same!(bf16::from_bits(bits) => i8, i16, i32, i64, u8, u16, u32, u64);
        }
    }
}
