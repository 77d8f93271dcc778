//! The types of BLAS, and the arithmetic that programs do with them on the host.

use super::{Complex, Complex32, Complex64, Element, Float, bf16, f16};
use crate::numerics::{Negate, Reducible};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// The types of the BLAS routines named `s`, `d`, `c` and `z`: `f32`, `f64`, [`Complex32`] and [`Complex64`].
///
/// This is the bound of numerics code that serves all four. The operators are those of the host, where a program decides and sets up;
/// what the methods of [`Blas`](crate::Blas) and [`Ops`](crate::Ops) compute is said in [`crate::numerics`]. `ZERO` and `ONE` are
/// those of [`Numeric`](crate::numerics::Numeric).
///
/// ```
/// use warpwave_core::numerics::Numeric;
/// use warpwave_core::{
///     Blas, Buffer, Complex64, Device, ManagedDevice, Numerics, Op, RealScalar, Result, Scalar, Stream,
/// };
/// # use warpwave_cpu::CpuBackend;
///
/// /// The largest eigenvalue of a Hermitian positive semidefinite matrix, by power iteration, until it moves by no more than a few
/// /// units in the last place.
/// fn largest_eigenvalue<T: Scalar, D: Numerics>(device: &D, a: &[T], n: usize) -> Result<T::Magnitude> {
///     let stream = device.default_stream();
///     let a = stream.from_slice(a)?;
///     let mut x = stream.from_slice(&vec![T::ONE; n])?;
///     let mut y = stream.zeros(n)?;
///     let tolerance = T::Magnitude::from_f64(4.0) * T::Magnitude::EPSILON;
///     let mut value = T::Magnitude::ZERO;
///     for _ in 0..1000 {
///         let norm = stream.nrm2(&x)?;
///         stream.scal(T::ONE / T::from_real(norm), &mut x)?;
///         stream.gemv(Op::N, T::ONE, &a.matrix(n, n)?, &x, T::ZERO, &mut y)?;
///         let last = value;
///         value = stream.dotc(&x, &y)?.re(); // the Rayleigh quotient
///         if (value - last).abs() <= tolerance * value {
///             break;
///         }
///         std::mem::swap(&mut x, &mut y);
///     }
///     Ok(value)
/// }
///
/// let device = ManagedDevice::new(CpuBackend::inline())?;
/// let real = largest_eigenvalue(&device, &[2.0_f32, 1.0, 1.0, 2.0], 2)?;
/// assert!((real - 3.0).abs() < 1e-6);
/// // The same matrix turned by a phase.
/// let i = Complex64::I;
/// let complex = largest_eigenvalue(&device, &[2.0.into(), i, -i, 2.0.into()], 2)?;
/// assert!((complex - 3.0).abs() < 1e-14);
/// # Ok::<(), warpwave_core::Error>(())
/// ```
pub trait Scalar:
    GemmElement<Compute = Self>
    + crate::blas::givens::Rotate
    + Negate
    + Reducible
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// The type of a magnitude: `f32` for `f32` and [`Complex32`], `f64` for the others.
    type Magnitude: RealScalar;

    /// A real number as this type.
    fn from_real(x: Self::Magnitude) -> Self;

    /// A number from the text of a program, rounded to this type.
    fn from_f64(x: f64) -> Self;

    /// The real part.
    fn re(self) -> Self::Magnitude;

    /// The imaginary part; of a real number, +0.
    fn im(self) -> Self::Magnitude;

    /// The complex conjugate; of a real number, itself.
    #[must_use]
    fn conj(self) -> Self;

    /// The absolute value: of a complex number `√(re² + im²)` by the host's `hypot`, without needless overflow.
    fn abs(self) -> Self::Magnitude;
}

/// The real types among [`Scalar`], `f32` and `f64`: what magnitudes and norms are.
pub trait RealScalar: Scalar<Magnitude = Self> + Float {
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;

    /// The square root, rounded once.
    #[must_use]
    fn sqrt(self) -> Self;

    /// As an `f64`, exactly.
    fn to_f64(self) -> f64;
}

/// The types that `gemm` takes: those of [`Scalar`], and `f16` and `bf16`, which accumulate in `f32`.
pub trait GemmElement: Element {
    /// The type of `alpha`, `beta` and the accumulation.
    type Compute: Scalar;
}

macro_rules! gemm_elements {
    ($($t:ty => $c:ty),* $(,)?) => { $( impl GemmElement for $t { type Compute = $c; } )* };
}
gemm_elements!(f32 => f32, f64 => f64, Complex32 => Complex32, Complex64 => Complex64, f16 => f32, bf16 => f32);

macro_rules! scalars {
    ($($real:ident),*) => { $(
        impl Scalar for $real {
            type Magnitude = $real;

            #[inline(always)]
            fn from_real(x: $real) -> Self { x }
            #[inline(always)]
            fn from_f64(x: f64) -> Self { x as $real }
            #[inline(always)]
            fn re(self) -> $real { self }
            #[inline(always)]
            fn im(self) -> $real { 0.0 }
            #[inline(always)]
            fn conj(self) -> Self { self }
            #[inline(always)]
            fn abs(self) -> $real { self.abs() }
        }

        impl RealScalar for $real {
            const EPSILON: Self = $real::EPSILON;

            #[inline(always)]
            fn sqrt(self) -> Self { self.sqrt() }
            #[inline(always)]
            fn to_f64(self) -> f64 { self.into() }
        }

        impl Scalar for Complex<$real> {
            type Magnitude = $real;

            #[inline(always)]
            fn from_real(x: $real) -> Self { Complex::new(x, 0.0) }
            #[inline(always)]
            fn from_f64(x: f64) -> Self { Complex::new(x as $real, 0.0) }
            #[inline(always)]
            fn re(self) -> $real { self.re }
            #[inline(always)]
            fn im(self) -> $real { self.im }
            #[inline(always)]
            fn conj(self) -> Self { Complex::new(self.re, -self.im) }
            #[inline(always)]
            fn abs(self) -> $real { self.re.hypot(self.im) }
        }
    )* };
}
scalars!(f32, f64);
