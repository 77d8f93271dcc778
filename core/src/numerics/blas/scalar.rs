//! What the definitions of BLAS are made of, for the four scalar types and for those that only `gemm` takes.

use super::norm::{Blue, SumOfSquares, WideSquares};
use crate::element::{Complex, Complex32, Complex64, GemmElement, Scalar, bf16, f16};
use crate::numerics::Reducible;

/// The operations on [`Scalar`] types beyond those of [`Numeric`](crate::numerics::Numeric). Their results are not canonical: they
/// are steps of a chain, whose end is. So is `+`, which adds by components.
pub trait ScalarArithmetic: Scalar {
    /// The state of a sum of squares.
    type Squares: SumOfSquares<Component = Self::Magnitude>;

    /// −0, in both components: `mul_add(a, b, MINUS_ZERO)` is the product, to the sign of its zeros.
    const MINUS_ZERO: Self;

    /// `a · b + c`, fused; complex: as the [module](super) says.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;

    /// `by · x` with a real `by`, each component rounded.
    fn scale(by: Self::Magnitude, x: Self) -> Self;

    /// `by · x + c` with a real `by`, each component fused.
    fn scale_add(by: Self::Magnitude, x: Self, c: Self) -> Self;

    /// `a / b`: rounded once for real numbers; for complex ones as the [module](super) says.
    fn divide(a: Self, b: Self) -> Self;

    /// `a / by` with a real `by`, each component rounded.
    fn divide_real(a: Self, by: Self::Magnitude) -> Self;

    /// The number without its imaginary part, which becomes +0; of a real number, itself.
    #[must_use]
    fn real(self) -> Self;

    /// `|re| + |im|`.
    fn abs1(self) -> Self::Magnitude;

    /// `(sum + |re|) + |im|`.
    fn add_abs1(self, sum: Self::Magnitude) -> Self::Magnitude;

    /// `sum` with the squares of the real and then of the imaginary part.
    fn add_squares(self, sum: Self::Squares) -> Self::Squares;
}

macro_rules! real {
    ($t:ty, $squares:ty) => {
        impl ScalarArithmetic for $t {
            type Squares = $squares;

            const MINUS_ZERO: Self = -0.0;

            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c)
            }

            #[inline(always)]
            fn scale(by: Self, x: Self) -> Self {
                by * x
            }

            #[inline(always)]
            fn scale_add(by: Self, x: Self, c: Self) -> Self {
                by.mul_add(x, c)
            }

            #[inline(always)]
            fn divide(a: Self, b: Self) -> Self {
                a / b
            }

            #[inline(always)]
            fn divide_real(a: Self, by: Self) -> Self {
                a / by
            }

            #[inline(always)]
            fn real(self) -> Self {
                self
            }

            #[inline(always)]
            fn abs1(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn add_abs1(self, sum: Self) -> Self {
                sum + self.abs()
            }

            #[inline(always)]
            fn add_squares(self, sum: $squares) -> $squares {
                sum.accumulate(self)
            }
        }
    };
}
real!(f32, WideSquares);
real!(f64, Blue);

/// What of a complex quotient depends on the divisor alone, as the [module](super) says: what is found once where many
/// numbers are divided by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divisor<R> {
    /// Whether the imaginary part of the divisor is no larger than the real one.
    pub by_real: bool,
    /// The smaller part over the larger one: `q`.
    pub ratio: R,
    /// What is divided by: `d`.
    pub denominator: R,
    /// What the number to divide is multiplied by first.
    pub before: R,
    /// What the quotient is multiplied by at the end.
    pub after: R,
}

macro_rules! complex {
    ($t:ty, $r:ty) => {
        impl ScalarArithmetic for $t {
            type Squares = <$r as ScalarArithmetic>::Squares;

            const MINUS_ZERO: Self = Complex { re: -0.0, im: -0.0 };

            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self {
                let re = (-a.im).mul_add(b.im, a.re.mul_add(b.re, c.re));
                let im = a.im.mul_add(b.re, a.re.mul_add(b.im, c.im));
                Complex { re, im }
            }

            #[inline(always)]
            fn scale(by: $r, x: Self) -> Self {
                Complex { re: by * x.re, im: by * x.im }
            }

            #[inline(always)]
            fn scale_add(by: $r, x: Self, c: Self) -> Self {
                Complex { re: by.mul_add(x.re, c.re), im: by.mul_add(x.im, c.im) }
            }

            #[inline(always)]
            fn divide(a: Self, b: Self) -> Self {
                let Divisor { by_real, ratio, denominator, before, after } = Divisor::<$r>::new(b);
                let (re, im) = (a.re * before, a.im * before);
                let (re, im) = match by_real {
                    true => (im.mul_add(ratio, re), (-re).mul_add(ratio, im)),
                    false => (re.mul_add(ratio, im), im.mul_add(ratio, -re)),
                };
                Complex { re: re / denominator * after, im: im / denominator * after }
            }

            #[inline(always)]
            fn divide_real(a: Self, by: $r) -> Self {
                Complex { re: a.re / by, im: a.im / by }
            }

            #[inline(always)]
            fn real(self) -> Self {
                Complex { re: self.re, im: 0.0 }
            }

            #[inline(always)]
            fn abs1(self) -> $r {
                self.re.abs() + self.im.abs()
            }

            #[inline(always)]
            fn add_abs1(self, sum: $r) -> $r {
                (sum + self.re.abs()) + self.im.abs()
            }

            #[inline(always)]
            fn add_squares(self, sum: Self::Squares) -> Self::Squares {
                sum.accumulate(self.re).accumulate(self.im)
            }
        }

        impl Divisor<$r> {
            /// That of `b`.
            #[inline(always)]
            pub fn new(b: $t) -> Self {
                let by_real = b.re.abs() >= b.im.abs();
                let (large, small) = if by_real { (b.re, b.im) } else { (b.im, b.re) };
                let (before, scale, after) = match large.abs() {
                    size if size < <$r>::MIN_POSITIVE => (1.0, 1.0 / <$r>::EPSILON, 1.0 / <$r>::EPSILON),
                    size if size > <$r>::MAX / 2.0 => (0.5, 0.5, 1.0),
                    _ => (1.0, 1.0, 1.0),
                };
                let ratio = small / large;
                let denominator = (small * scale).mul_add(ratio, large * scale);
                Divisor { by_real, ratio, denominator, before, after }
            }
        }
    };
}
complex!(Complex32, f32);
complex!(Complex64, f64);

/// What `gemm` takes: [`Reducible::widen`] is how an element enters the accumulation, [`Reducible::narrow`] how a
/// result leaves it.
pub trait GemmArithmetic:
    GemmElement<Compute: ScalarArithmetic> + Reducible<Acc = <Self as GemmElement>::Compute>
{
}

macro_rules! gemm {
    ($($t:ty),*) => { $( impl GemmArithmetic for $t {} )* };
}
gemm!(f32, f64, Complex32, Complex64, f16, bf16);
