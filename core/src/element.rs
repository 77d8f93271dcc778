//! Element types: what a buffer can hold, and the bounds that operations put on it.

use bytemuck::Pod;
pub use half::{bf16, f16};
pub use num_complex::Complex;
use std::fmt;

/// Single-precision complex number, real part first.
pub type Complex32 = Complex<f32>;
/// Double-precision complex number, real part first.
pub type Complex64 = Complex<f64>;

/// The type of an element, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// IEEE binary16.
    F16,
    /// bfloat16: the upper half of a binary32.
    Bf16,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// A pair of binary32: real, imaginary.
    C32,
    /// A pair of binary64: real, imaginary.
    C64,
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: [DType; 14] = [
        DType::F32,
        DType::F64,
        DType::F16,
        DType::Bf16,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::C32,
        DType::C64,
    ];

    /// The size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::I8 | DType::U8 => 1,
            DType::F16 | DType::Bf16 | DType::I16 | DType::U16 => 2,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F64 | DType::I64 | DType::U64 | DType::C32 => 8,
            DType::C64 => 16,
        }
    }

    /// The short name used in reports and messages: `f32`, `bf16`, `c64` …
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::F16 => "f16",
            DType::Bf16 => "bf16",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::C32 => "c32",
            DType::C64 => "c64",
        }
    }

    /// Whether this is one of the four real floating-point types.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64 | DType::F16 | DType::Bf16)
    }

    /// Whether this is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C32 | DType::C64)
    }

    /// Whether this is an integer type.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex()
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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

/// The types of the BLAS routines named `s`, `d`, `c` and `z`.
pub trait Scalar: GemmElement<Compute = Self> + crate::blas::givens::Rotate {
    /// The type of a magnitude: `f32` for `f32` and [`Complex32`], `f64` for the others.
    type Magnitude: Scalar<Magnitude = Self::Magnitude> + Float;
}

/// The types that `gemm` takes: those of [`Scalar`], and `f16` and `bf16`, which accumulate in `f32`.
pub trait GemmElement: Element {
    /// The type of `alpha`, `beta` and the accumulation.
    type Compute: Scalar;
}

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

macro_rules! gemm_elements {
    ($($t:ty => $c:ty),* $(,)?) => { $( impl GemmElement for $t { type Compute = $c; } )* };
}
gemm_elements!(f32 => f32, f64 => f64, Complex32 => Complex32, Complex64 => Complex64, f16 => f32, bf16 => f32);

macro_rules! scalars {
    ($($t:ty => $m:ty),* $(,)?) => { $( impl Scalar for $t { type Magnitude = $m; } )* };
}
scalars!(f32 => f32, f64 => f64, Complex32 => f32, Complex64 => f64);

/// A scalar argument of an operation with its type erased.
#[derive(Clone, Copy, PartialEq)]
pub struct ScalarValue {
    dtype: DType,
    bytes: [u8; 16],
}

impl ScalarValue {
    /// Erases the type of `value`.
    pub fn new<T: Element>(value: T) -> Self {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        ScalarValue { dtype: T::DTYPE, bytes }
    }

    /// The type the value was made from.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The value, or `None` if it was made from another type.
    pub fn get<T: Element>(&self) -> Option<T> {
        (T::DTYPE == self.dtype).then(|| bytemuck::pod_read_unaligned(&self.bytes[..size_of::<T>()]))
    }

    /// The value's bytes, as many as [`DType::size`] says, in the order of the host.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.dtype.size()]
    }
}

impl fmt::Debug for ScalarValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02x?}", self.dtype, self.bytes())
    }
}
