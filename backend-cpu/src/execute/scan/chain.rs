//! Combining inside a run, where it may be left to the end to make a NaN canonical.

use warpwave_core::numerics::Numeric;
use warpwave_core::{Complex32, Complex64};

/// Steps of a chain, whose end is made canonical. A NaN stays one, in its part of a complex number, and a number has the bits that
/// [`Numeric`] gives it. But a chain is only as fast as its steps, one of which waits for the other.
pub(super) trait Chain: Numeric {
    /// [`Numeric::add`], to the payload of a NaN.
    fn plus(a: Self, b: Self) -> Self;
    /// [`Numeric::mul`], to the payload of a NaN.
    fn times(a: Self, b: Self) -> Self;
}

macro_rules! chain {
    ($($t:ty: $plus:expr, $times:expr;)*) => { $(
        impl Chain for $t {
            #[inline(always)]
            fn plus(a: Self, b: Self) -> Self {
                $plus(a, b)
            }

            #[inline(always)]
            fn times(a: Self, b: Self) -> Self {
                $times(a, b)
            }
        }
    )* };
}
chain! {
    f32: std::ops::Add::add, std::ops::Mul::mul;
    f64: std::ops::Add::add, std::ops::Mul::mul;
    Complex32: std::ops::Add::add, Numeric::mul;
    Complex64: std::ops::Add::add, Numeric::mul;
    i8: Numeric::add, Numeric::mul;
    i16: Numeric::add, Numeric::mul;
    i32: Numeric::add, Numeric::mul;
    i64: Numeric::add, Numeric::mul;
    u8: Numeric::add, Numeric::mul;
    u16: Numeric::add, Numeric::mul;
    u32: Numeric::add, Numeric::mul;
    u64: Numeric::add, Numeric::mul;
}
