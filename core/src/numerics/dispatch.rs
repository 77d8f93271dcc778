//! From an element type as a value to the type itself.

/// Runs code that is generic over the element type, for the type that a [`DType`](crate::DType) names:
///
/// ```
/// use warpwave_core::{DType, match_dtype};
/// let bytes = |dtype: DType| match_dtype!(dtype, real T => Some(size_of::<T>()), _ => None);
/// assert_eq!(bytes(DType::Bf16), Some(2));
/// assert_eq!(bytes(DType::C64), None);
/// ```
///
/// The word before the type's name says which types there are arms for: `any`, `real` (integers and floats), `integer`, `float`,
/// `complex`, `absolute` (signed integers and floats), `negate` (those and complex). The arm `_` takes the others.
#[macro_export]
macro_rules! match_dtype {
    ($dtype:expr, any $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, F32 f32, F64 f64, F16 $crate::f16, Bf16 $crate::bf16, I8 i8, I16 i16,
            I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, C32 $crate::Complex32, C64 $crate::Complex64)
    };
    ($dtype:expr, real $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, F32 f32, F64 f64, F16 $crate::f16, Bf16 $crate::bf16, I8 i8, I16 i16,
            I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64)
    };
    ($dtype:expr, integer $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64)
    };
    ($dtype:expr, float $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, F32 f32, F64 f64, F16 $crate::f16, Bf16 $crate::bf16)
    };
    ($dtype:expr, complex $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, C32 $crate::Complex32, C64 $crate::Complex64)
    };
    ($dtype:expr, absolute $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, F32 f32, F64 f64, F16 $crate::f16, Bf16 $crate::bf16, I8 i8, I16 i16,
            I32 i32, I64 i64)
    };
    ($dtype:expr, negate $t:ident => $body:expr, _ => $other:expr $(,)?) => {
        $crate::match_dtype!(@ $dtype, $t, $body, $other, F32 f32, F64 f64, F16 $crate::f16, Bf16 $crate::bf16, I8 i8, I16 i16,
            I32 i32, I64 i64, C32 $crate::Complex32, C64 $crate::Complex64)
    };
    (@ $dtype:expr, $t:ident, $body:expr, $other:expr, $($variant:ident $type:ty),*) => {
        match $dtype {
            $($crate::DType::$variant => {
                #[allow(dead_code)]
                type $t = $type;
                $body
            })*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
}
