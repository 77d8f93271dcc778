//! Scalars of which the type is known at run time only.

use warpwave_core::numerics::Numeric;
use warpwave_core::{Complex32, Complex64, DType, Element, ScalarValue};

fn is<T: Element + Numeric>(value: &ScalarValue, number: T) -> bool {
    value.get::<T>().is_some_and(|value| value == number)
}

/// Whether a scalar of BLAS is 0, of either sign.
pub(crate) fn is_zero(value: &ScalarValue) -> bool {
    is(value, 0.0_f32) || is(value, 0.0_f64) || is(value, Complex32::ZERO) || is(value, Complex64::ZERO)
}

/// Whether a scalar of BLAS is 1.
pub(super) fn is_one(value: &ScalarValue) -> bool {
    is(value, 1.0_f32) || is(value, 1.0_f64) || is(value, Complex32::ONE) || is(value, Complex64::ONE)
}

/// The type of a magnitude.
pub(super) fn magnitude(dtype: DType) -> DType {
    match dtype {
        DType::C32 => DType::F32,
        DType::C64 => DType::F64,
        other => other,
    }
}

/// 0 of a type that BLAS computes in.
pub(super) fn zero(dtype: DType) -> ScalarValue {
    match dtype {
        DType::F64 => ScalarValue::new(0.0_f64),
        DType::C32 => ScalarValue::new(Complex32::ZERO),
        DType::C64 => ScalarValue::new(Complex64::ZERO),
        _ => ScalarValue::new(0.0_f32),
    }
}

/// 1 of a type that BLAS computes in.
pub(super) fn one(dtype: DType) -> ScalarValue {
    match dtype {
        DType::F64 => ScalarValue::new(1.0_f64),
        DType::C32 => ScalarValue::new(Complex32::ONE),
        DType::C64 => ScalarValue::new(Complex64::ONE),
        _ => ScalarValue::new(1.0_f32),
    }
}
