//! Element types: what a buffer can hold, and the bounds that operations put on it.

mod dtype;
mod scalar;
mod value;

pub use dtype::DType;
pub use half::{bf16, f16};
pub use num_complex::Complex;
pub use scalar::{GemmElement, RealScalar, Scalar};
pub use value::ScalarValue;

use bytemuck::Pod;
use std::fmt;

/// Single-precision complex number, real part first.
pub type Complex32 = Complex<f32>;
/// Double-precision complex number, real part first.
pub type Complex64 = Complex<f64>;

mod sealed {
    pub trait Sealed {}
}

/// A type that a buffer can hold. Sealed: the set is [`DType`].
pub trait Element: sealed::Sealed + Pod + PartialEq + fmt::Debug + fmt::Display + Default + Send + Sync {
    /// This type as a value.
    const DTYPE: DType;
}

/// An element with an order: everything but the complex types.
pub trait Real: Element + PartialOrd {}

/// An integer element.
pub trait Integer: Real + Eq + Ord {}

/// A real floating-point element.
pub trait Float: Real {}

macro_rules! elements {
    ($($t:ty, $d:ident);* $(;)?) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t { const DTYPE: DType = DType::$d; }
    )* };
}
elements! {
    f32, F32; f64, F64; f16, F16; bf16, Bf16; i8, I8; i16, I16; i32, I32; i64, I64;
    u8, U8; u16, U16; u32, U32; u64, U64; Complex32, C32; Complex64, C64;
}
macro_rules! mark { ($tr:ident: $($t:ty),*) => { $( impl $tr for $t {} )* }; }
mark!(Real: f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64);
mark!(Integer: i8, i16, i32, i64, u8, u16, u32, u64);
mark!(Float: f32, f64, f16, bf16);
