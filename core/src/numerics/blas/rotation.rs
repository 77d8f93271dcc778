//! Plane rotations.
//!
//! | routine | `x` becomes | `y` becomes |
//! |---|---|---|
//! | `rot`, real | `fma(c, x, s·y)` | `fma(c, y, −(s·x))` |
//! | `rot`, complex, `c` real | `c·x + t` by components, fused, `t = s·y` | `c·y − t` likewise, `t = conj(s)·x` |
//! | `rotm`, flag −1 | `fma(h11, x, h12·y)` | `fma(h21, x, h22·y)` |
//! | `rotm`, flag 0 | `fma(h12, y, x)` | `fma(h21, x, y)` |
//! | `rotm`, flag 1 | `fma(h11, x, y)` | `fma(h22, y, −x)` |
//! | `rotm`, flag −2 | the bits of `x` | the bits of `y` |

use super::ScalarArithmetic;
use crate::numerics::Numeric;
use crate::operation::RotmFlag;

/// `(x, y)` rotated by the cosine `c` and the sine `s`.
#[inline(always)]
pub fn rot<T: ScalarArithmetic>(c: T::Magnitude, s: T, x: T, y: T) -> (T, T) {
    let (sy, sx) = (Numeric::mul(s, y), Numeric::mul(s.conj(), x));
    (T::scale_add(c, x, sy).canonical(), T::scale_add(c, y, T::negate(sx)).canonical())
}

/// `(x, y)` under the modified rotation with the elements `h11`, `h21`, `h12`, `h22`.
#[inline(always)]
pub fn rotm<T: ScalarArithmetic>(flag: RotmFlag, [h11, h21, h12, h22]: [T; 4], x: T, y: T) -> (T, T) {
    let (x, y) = match flag {
        RotmFlag::Identity => return (x, y),
        RotmFlag::Full => (T::mul_add(h11, x, Numeric::mul(h12, y)), T::mul_add(h21, x, Numeric::mul(h22, y))),
        RotmFlag::UnitDiagonal => (T::mul_add(h12, y, x), T::mul_add(h21, x, y)),
        RotmFlag::UnitOffDiagonal => (T::mul_add(h11, x, y), T::mul_add(h22, y, T::negate(x))),
    };
    (x.canonical(), y.canonical())
}
