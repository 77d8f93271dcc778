//! The element-wise definitions with the type erased: one element at a time, for tests, tools and constant operands.
//!
//! Each returns `None` where the operation does not exist for the type, or where operands differ in type.

use super::arithmetic::{Absolute, ComplexNumeric, FloatNumeric, IntegerNumeric, Negate, Numeric, RealNumeric};
use super::cast::cast as convert;
use super::math::Math;
use crate::element::{DType, Element, ScalarValue};
use crate::match_dtype;
use crate::operation::{BinaryOp, CompareOp, UnaryOp};

/// `op x`.
pub fn unary(op: UnaryOp, x: ScalarValue) -> Option<ScalarValue> {
    let dtype = x.dtype();
    match op {
        UnaryOp::Neg => match_dtype!(dtype, negate T => map(x, T::negate), _ => None),
        UnaryOp::Abs => match_dtype!(dtype, absolute T => map(x, T::absolute), _ => None),
        UnaryOp::Sqrt => match_dtype!(dtype, float T => map(x, T::square_root), _ => None),
        UnaryOp::Conj => match_dtype!(dtype, complex T => map(x, T::conjugate), _ => None),
        UnaryOp::Not => match_dtype!(dtype, integer T => map(x, T::bit_not), _ => None),
        UnaryOp::Exp => match_dtype!(dtype, float T => map(x, T::exponential), _ => None),
        UnaryOp::Exp2 => match_dtype!(dtype, float T => map(x, T::exponential2), _ => None),
        UnaryOp::Expm1 => match_dtype!(dtype, float T => map(x, T::exponential_minus1), _ => None),
        UnaryOp::Log => match_dtype!(dtype, float T => map(x, T::logarithm), _ => None),
        UnaryOp::Log2 => match_dtype!(dtype, float T => map(x, T::logarithm2), _ => None),
        UnaryOp::Log1p => match_dtype!(dtype, float T => map(x, T::logarithm_plus1), _ => None),
        UnaryOp::Sin => match_dtype!(dtype, float T => map(x, T::sine), _ => None),
        UnaryOp::Cos => match_dtype!(dtype, float T => map(x, T::cosine), _ => None),
        UnaryOp::Sinpi => match_dtype!(dtype, float T => map(x, T::sine_pi), _ => None),
        UnaryOp::Cospi => match_dtype!(dtype, float T => map(x, T::cosine_pi), _ => None),
        UnaryOp::Tanh => match_dtype!(dtype, float T => map(x, T::hyperbolic_tangent), _ => None),
        UnaryOp::Sigmoid => match_dtype!(dtype, float T => map(x, T::logistic), _ => None),
        UnaryOp::Erf => match_dtype!(dtype, float T => map(x, T::error_function), _ => None),
        UnaryOp::Rsqrt => match_dtype!(dtype, float T => map(x, T::reciprocal_root), _ => None),
        UnaryOp::Cbrt => match_dtype!(dtype, float T => map(x, T::cube_root), _ => None),
    }
}

/// `a op b`.
pub fn binary(op: BinaryOp, a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    let dtype = a.dtype();
    match op {
        BinaryOp::Add => match_dtype!(dtype, any T => map2(a, b, T::add), _ => None),
        BinaryOp::Sub => match_dtype!(dtype, any T => map2(a, b, T::sub), _ => None),
        BinaryOp::Mul => match_dtype!(dtype, any T => map2(a, b, T::mul), _ => None),
        BinaryOp::Div => match_dtype!(dtype, real T => map2(a, b, T::div), _ => None),
        BinaryOp::Rem => match_dtype!(dtype, integer T => map2(a, b, T::rem), _ => None),
        BinaryOp::Minimum => match_dtype!(dtype, real T => map2(a, b, T::min_nan), _ => None),
        BinaryOp::Maximum => match_dtype!(dtype, real T => map2(a, b, T::max_nan), _ => None),
        BinaryOp::MinimumNumber => match_dtype!(dtype, real T => map2(a, b, T::min_num), _ => None),
        BinaryOp::MaximumNumber => match_dtype!(dtype, real T => map2(a, b, T::max_num), _ => None),
        BinaryOp::And => match_dtype!(dtype, integer T => map2(a, b, T::bit_and), _ => None),
        BinaryOp::Or => match_dtype!(dtype, integer T => map2(a, b, T::bit_or), _ => None),
        BinaryOp::Xor => match_dtype!(dtype, integer T => map2(a, b, T::bit_xor), _ => None),
        BinaryOp::Shl => match_dtype!(dtype, integer T => map2(a, b, T::shift_left), _ => None),
        BinaryOp::Shr => match_dtype!(dtype, integer T => map2(a, b, T::shift_right), _ => None),
        BinaryOp::Pow => match_dtype!(dtype, float T => map2(a, b, T::power), _ => None),
    }
}

/// `a op b`.
pub fn compare(op: CompareOp, a: ScalarValue, b: ScalarValue) -> Option<bool> {
    let dtype = a.dtype();
    match op {
        CompareOp::Eq => match_dtype!(dtype, any T => test(a, b, T::equal), _ => None),
        CompareOp::Ne => match_dtype!(dtype, any T => test(a, b, |a, b| !T::equal(a, b)), _ => None),
        CompareOp::Lt => match_dtype!(dtype, real T => test(a, b, T::less), _ => None),
        CompareOp::Le => match_dtype!(dtype, real T => test(a, b, T::less_equal), _ => None),
        CompareOp::Gt => match_dtype!(dtype, real T => test(a, b, |a, b| T::less(b, a)), _ => None),
        CompareOp::Ge => match_dtype!(dtype, real T => test(a, b, |a, b| T::less_equal(b, a)), _ => None),
    }
}

/// `mask ? a : b`.
pub fn select(mask: u8, a: ScalarValue, b: ScalarValue) -> Option<ScalarValue> {
    (a.dtype() == b.dtype()).then_some(if mask == 0 { b } else { a })
}

/// `x` converted to `to`.
pub fn cast(x: ScalarValue, to: DType) -> Option<ScalarValue> {
    if to.is_complex() {
        match_dtype!(to, complex D => match_dtype!(x.dtype(), any S => map(x, convert::<S, D>), _ => None), _ => None)
    } else {
        match_dtype!(to, real D => match_dtype!(x.dtype(), real S => map(x, convert::<S, D>), _ => None), _ => None)
    }
}

/// Element `i` of `start, start + step, …`.
pub fn iota(start: ScalarValue, step: ScalarValue, i: u64) -> Option<ScalarValue> {
    match_dtype!(start.dtype(), real T => map2(start, step, |start, step| T::iota(start, step, i)), _ => None)
}

fn map<S: Element, D: Element>(x: ScalarValue, f: impl Fn(S) -> D) -> Option<ScalarValue> {
    Some(ScalarValue::new(f(x.get()?)))
}

fn map2<T: Element>(a: ScalarValue, b: ScalarValue, f: impl Fn(T, T) -> T) -> Option<ScalarValue> {
    Some(ScalarValue::new(f(a.get()?, b.get()?)))
}

fn test<T: Element>(a: ScalarValue, b: ScalarValue, f: impl Fn(T, T) -> bool) -> Option<bool> {
    Some(f(a.get()?, b.get()?))
}
