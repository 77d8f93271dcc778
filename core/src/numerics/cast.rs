//! Conversions between element types.

use super::half::{bf16_from_f32, bf16_from_f64, f16_from_f32, f16_from_f64, f32_from_bf16, f32_from_f16, f64_sticky};
use super::nan::Canonical;
use crate::element::{Complex, Element, bf16, f16};

/// The types that convert to `Self`: every type, but for complex numbers to real ones.
///
/// - To the same type: the bits.
/// - Integer to integer: modulo 2 to the width.
/// - Float to integer: truncated toward zero, clamped to the type's range; NaN gives 0.
/// - To a float: rounded once, to nearest even; past the largest number to infinity; NaN gives the canonical NaN.
/// - Real to complex: the imaginary part is +0. Complex to complex: by parts.
pub trait CastFrom<S: Element>: Element {
    /// `value`, converted.
    fn cast_from(value: S) -> Self;
}

/// `value`, converted as [`CastFrom`] says.
#[inline(always)]
pub fn cast<S: Element, D: CastFrom<S>>(value: S) -> D {
    D::cast_from(value)
}

/// `casts!(value: S => D = expression, …)` implements [`CastFrom`] for each pair.
macro_rules! casts {
    ($value:ident: $($s:ty => $d:ty = $body:expr),* $(,)?) => { $(
        impl CastFrom<$s> for $d {
            #[inline(always)]
            fn cast_from($value: $s) -> $d { $body }
        }
    )* };
}

macro_rules! to_integer {
    ($($d:ty),*) => { $(
        casts! { x:
            i8 => $d = x as $d, i16 => $d = x as $d, i32 => $d = x as $d, i64 => $d = x as $d,
            u8 => $d = x as $d, u16 => $d = x as $d, u32 => $d = x as $d, u64 => $d = x as $d,
            // `as` truncates, clamps, and takes NaN to 0.
            f32 => $d = x as $d, f64 => $d = x as $d,
            f16 => $d = f32_from_f16(x) as $d, bf16 => $d = f32_from_bf16(x) as $d,
        }
    )* };
}
to_integer!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! to_wide_float {
    ($($d:ty, $other:ty);*) => { $(
        casts! { x:
            i8 => $d = x as $d, i16 => $d = x as $d, i32 => $d = x as $d, i64 => $d = x as $d,
            u8 => $d = x as $d, u16 => $d = x as $d, u32 => $d = x as $d, u64 => $d = x as $d,
            $d => $d = x, $other => $d = (x as $d).canonical(),
            f16 => $d = <$d>::from(f32_from_f16(x)).canonical(), bf16 => $d = <$d>::from(f32_from_bf16(x)).canonical(),
        }
    )* };
}
to_wide_float!(f32, f64; f64, f32);

macro_rules! to_narrow_float {
    ($d:ident, $from_f32:ident, $from_f64:ident, $other:ty, $other_to_f32:ident) => {
        casts! { x:
            // Integers of up to 16 bits are exact in f32, those of 32 bits in f64.
            i8 => $d = $from_f32(f32::from(x)), i16 => $d = $from_f32(f32::from(x)), i32 => $d = $from_f64(f64::from(x)),
            u8 => $d = $from_f32(f32::from(x)), u16 => $d = $from_f32(f32::from(x)), u32 => $d = $from_f64(f64::from(x)),
            u64 => $d = $from_f64(f64_sticky(x)),
            i64 => $d = $d::from_bits($from_f64(f64_sticky(x.unsigned_abs())).to_bits() | if x < 0 { 0x8000 } else { 0 }),
            f32 => $d = $from_f32(x), f64 => $d = $from_f64(x),
            $d => $d = x, $other => $d = $from_f32($other_to_f32(x)),
        }
    };
}
to_narrow_float!(f16, f16_from_f32, f16_from_f64, bf16, f32_from_bf16);
to_narrow_float!(bf16, bf16_from_f32, bf16_from_f64, f16, f32_from_f16);

macro_rules! to_complex {
    ($($part:ty: $($s:ty),*);*) => { $(
        casts! { x:
            $($s => Complex<$part> = Complex::new(<$part>::cast_from(x), 0.0),)*
            Complex<f32> => Complex<$part> = Complex::new(<$part>::cast_from(x.re), <$part>::cast_from(x.im)),
            Complex<f64> => Complex<$part> = Complex::new(<$part>::cast_from(x.re), <$part>::cast_from(x.im)),
        }
    )* };
}
to_complex! {
    f32: f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64;
    f64: f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64
}
