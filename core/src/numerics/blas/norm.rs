//! Sums of squares that neither overflow nor underflow: the accumulators of `nrm2`.

use crate::numerics::FloatNumeric;
use std::fmt::Debug;

/// The sum of the squares of real components. The default is the sum of nothing.
pub trait SumOfSquares: Copy + Debug + Default + PartialEq + Send + Sync {
    /// What is squared.
    type Component;

    /// The sum with the square of `x`.
    #[must_use]
    fn accumulate(self, x: Self::Component) -> Self;

    /// The sum of both.
    #[must_use]
    fn combine(self, other: Self) -> Self;

    /// The square root of the sum, by [`FloatNumeric::square_root`]: the compiler drops a choice of the canonical NaN that follows
    /// a bare root.
    fn norm(self) -> Self::Component;
}

/// Squares of `f32`, summed in `f64`, where each is exact and none can overflow or vanish.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WideSquares(pub f64);

impl SumOfSquares for WideSquares {
    type Component = f32;

    #[inline(always)]
    fn accumulate(self, x: f32) -> Self {
        let x = f64::from(x);
        WideSquares(x.mul_add(x, self.0))
    }

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        WideSquares(self.0 + other.0)
    }

    #[inline(always)]
    fn norm(self) -> f32 {
        f64::square_root(self.0) as f32
    }
}

/// Squares of `f64`, in three sums by magnitude: those of small and of big components are scaled by powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blue {
    /// Of components below [`Blue::SMALL`], each times [`Blue::SMALL_SCALE`].
    pub small: f64,
    /// Of the components between, NaN among them.
    pub mid: f64,
    /// Of components above [`Blue::BIG`], each times [`Blue::BIG_SCALE`].
    pub big: f64,
}

/// 2 to the power of `exponent`, which is that of a normal number.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Blue {
    /// 2⁻⁵¹¹: squares of smaller numbers may lose bits to underflow.
    pub const SMALL: f64 = power_of_two(-511);
    /// 2⁴⁸⁶: fewer than 2⁵² squares of larger numbers may overflow.
    pub const BIG: f64 = power_of_two(486);
    /// 2⁵³⁷.
    pub const SMALL_SCALE: f64 = power_of_two(537);
    /// 2⁻⁵³⁸.
    pub const BIG_SCALE: f64 = power_of_two(-538);
}

impl SumOfSquares for Blue {
    type Component = f64;

    #[inline(always)]
    fn accumulate(mut self, x: f64) -> Self {
        if x.abs() > Blue::BIG {
            let scaled = x * Blue::BIG_SCALE;
            self.big = scaled.mul_add(scaled, self.big);
        } else if x.abs() < Blue::SMALL {
            let scaled = x * Blue::SMALL_SCALE;
            self.small = scaled.mul_add(scaled, self.small);
        } else {
            self.mid = x.mul_add(x, self.mid);
        }
        self
    }

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        Blue { small: self.small + other.small, mid: self.mid + other.mid, big: self.big + other.big }
    }

    fn norm(self) -> f64 {
        let Blue { small, mid, big } = self;
        if big > 0.0 {
            f64::square_root(big + (mid * Blue::BIG_SCALE) * Blue::BIG_SCALE) * (1.0 / Blue::BIG_SCALE)
        } else if small > 0.0 {
            let small = f64::square_root(small) * (1.0 / Blue::SMALL_SCALE);
            if mid == 0.0 {
                return small;
            }
            let mid = f64::square_root(mid);
            let (low, high) = if small > mid { (mid, small) } else { (small, mid) };
            let ratio = low / high;
            f64::square_root((high * high) * (1.0 + ratio * ratio))
        } else {
            f64::square_root(mid)
        }
    }
}
