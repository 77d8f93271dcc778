//! The BLAS routines of class R, to the bit.
//!
//! Every function here defines one element of a result, in terms of the elements it is made from; where those lie is
//! the caller's business. Devices compute the same bits in other ways.
//!
//! # Arithmetic
//! Rounding is to nearest even, denormals are kept, and a fused multiply-add is used where `fma` is written and
//! nowhere else. A result that is NaN is the canonical NaN, in each component of a complex number by itself; inside a
//! chain the bits of a NaN do not matter. The product of two complex numbers is
//! [`Numeric::mul`], and `a·b + c` is [`ScalarArithmetic::mul_add`]:
//!
//! | | real part | imaginary part |
//! |---|---|---|
//! | `a·b` | `fma(−a.im, b.im, a.re·b.re)` | `fma(a.im, b.re, a.re·b.im)` |
//! | `a·b + c` | `fma(−a.im, b.im, fma(a.re, b.re, c.re))` | `fma(a.im, b.re, fma(a.re, b.im, c.im))` |
//! | `a/b`, `\|b.re\| ≥ \|b.im\|` | `fma(a.im, q, a.re) / d` | `fma(−a.re, q, a.im) / d`, with `q = b.im / b.re`, `d = fma(b.im, q, b.re)` |
//! | `a/b` otherwise | `fma(a.re, q, a.im) / d` | `fma(a.im, q, −a.re) / d`, with `q = b.re / b.im`, `d = fma(b.re, q, b.im)` |
//!
//! The quotient is R. L. Smith's, *Algorithm 116: Complex division*, CACM 5 (1962), with fused products. Two kinds of
//! divisors would take `d` out of the range in which it is exact to the last place; `M` is the larger of `|b.re|` and
//! `|b.im|`, and `ε` the distance from 1 to the next number:
//!
//! * `M` is below the smallest normal number: `b` is multiplied by `1/ε` before `d` is made of it, and the quotient by
//!   `1/ε` at the end.
//! * `M` is above half of the largest number: `a` and `b` are halved before anything is made of them.
//!
//! # Vectors
//! A vector of `len` elements with increment `inc` has element `i` at [`offset`]`(i, len, inc)` from its lowest
//! address, as in reference BLAS: with a negative increment, element 0 is the one at the highest address.
//!
//! # Level 1 and `ger`: always class R
//! | routine | result |
//! |---|---|
//! | `copy`, `swap` | the bits of the elements |
//! | `scal` | [`scal`]: `alpha·x`, always multiplied, so that `0·NaN` is NaN |
//! | `axpy` | [`axpy`]: `alpha·x + y`, fused; `alpha = 0` leaves the bits of `y`, and `x` unread |
//! | `dot`, `dotc` | [`dot`]: products and fused sums by the [reduction tree](super::tree); of nothing, +0 |
//! | `asum` | [`asum`]: the sum of `\|re\| + \|im\|` by the reduction tree; of nothing, +0 |
//! | `nrm2` | [`nrm2`]: by the reduction tree, without needless overflow or underflow; see below |
//! | `iamax` | [`iamax`]: the first NaN, else the first of the largest `\|re\| + \|im\|`; of nothing, none |
//! | `iamin` | [`iamin`]: the first NaN, else the first of the smallest `\|re\| + \|im\|`; of nothing, none |
//! | `rot`, `rotm` | [`rotation`] |
//! | `ger`, `gerc` | [`ger`]: `fma(x, alpha·y, a)`, `gerc` with `conj(y)`; `alpha = 0` leaves the bits of `a`, and `x` and `y` unread |
//! | `syr` | [`ger`] with `x` for both vectors, on one triangle |
//! | `her` | [`triangular::her`]: `fma(x, alpha·conj(x), a)` with a real `alpha`, on one triangle; `alpha = 0` as for `ger` |
//!
//! # `gemv` and `gemm` with `Precision::Reproducible`
//! [`gemm`] is one chain of fused multiply-adds in ascending `k` from +0; [`gemv`] is [`dot`]. Both end in [`update`].
//! `f16` and `bf16` are converted to `f32`, and so stay until one rounding at the very end.
//!
//! # Triangular and symmetric matrices
//! [`triangular`] says which elements a routine reads, and what each result is with `Precision::Reproducible`.
//!
//! # `gemv` and `gemm` with any precision
//! * `beta = 0` never reads what is updated, and so takes no NaN from it.
//! * `alpha = 0`, or nothing to sum over, never reads `A`, `B` or `x`; the result is [`scale`]: +0 with `beta = 0`,
//!   the bits as they are with `beta = 1`, else `beta·c`.
//! * No dimension is too small: a result without elements is left alone. What lies between the rows or columns of a
//!   matrix is not touched.
//! * [`Op::C`](crate::Op::C) on a real type is [`Op::T`](crate::Op::T).
//!
//! With [`Strict`](crate::Precision::Strict) and [`Fast`](crate::Precision::Fast), which are of class B, a result that
//! is NaN may have any payload and sign. An infinity, be it a scalar, an element that is read, or what a product or a
//! sum on the way overflows to, leaves it open which parts of the complex results that it enters are NaN and which are
//! not: a multiplication by 1 may be made or left out, and sums have no order. For real types that holds where a sum
//! overflows.
//!
//! # The scheme of `nrm2`
//! `f32` and [`Complex32`](crate::Complex32): squares are exact in `f64`, and neither they nor their sum overflows or
//! vanishes. A lane starts at +0 and takes each component `x` by `fma(x, x, acc)` in `f64`, real part first; lanes
//! and chunks are added; the square root is taken in `f64` and rounded to `f32`. The result is +∞ only where the norm
//! rounds to it.
//!
//! `f64` and [`Complex64`](crate::Complex64): three sums, after J. L. Blue, *A Portable Fortran Program to Find the
//! Euclidean Norm of a Vector*, ACM TOMS 4 (1978), with the constants and the combination of E. Anderson, *Algorithm
//! 978: Safe Scaling in the Level 1 BLAS*, ACM TOMS 44 (2017). Each lane starts with three sums of +0, and every
//! component `x`, real part first, enters one:
//!
//! * `|x| > 2⁴⁸⁶`: `big = fma(s, s, big)` with `s = x · 2⁻⁵³⁸`,
//! * `|x| < 2⁻⁵¹¹`: `small = fma(s, s, small)` with `s = x · 2⁵³⁷`,
//! * else, and if NaN: `mid = fma(x, x, mid)`.
//!
//! Lanes and chunks add each of the three by itself. At the end, with every operation rounded:
//!
//! * `big > 0`: `√(big + (mid · 2⁻⁵³⁸) · 2⁻⁵³⁸) · 2⁵³⁸`; `small` is below the last place and is dropped;
//! * else, `small > 0` and `mid` not 0: with `s = √small · 2⁻⁵³⁷` and `m = √mid`, the larger of the two as `h` and
//!   the other as `l` (`m` is `h` if it is NaN): `√((h · h) · (1 + (l / h) · (l / h)))`;
//! * else, `small > 0`: `√small · 2⁻⁵³⁷`;
//! * else `√mid`.
//!
//! A NaN gives NaN, whatever else there is; else an infinity gives +∞.

mod norm;
pub mod rotation;
mod scalar;
#[cfg(test)]
mod tests;
pub mod triangular;

pub use norm::{Blue, SumOfSquares, WideSquares};
pub use scalar::{Divisor, GemmArithmetic, ScalarArithmetic};

use super::{Canonical, Numeric, tree};

/// Where element `i` of a vector lies, in elements from its lowest address.
///
/// `i < len`; the distance fits the address space because the vector does.
pub fn offset(i: usize, len: usize, inc: isize) -> usize {
    let steps = if inc < 0 { len - 1 - i } else { i };
    steps * inc.unsigned_abs()
}

/// `alpha · x`.
pub fn scal<T: ScalarArithmetic>(alpha: T, x: T) -> T {
    Numeric::mul(alpha, x)
}

/// `alpha · x + y`, fused; `y` itself with `alpha = 0`.
pub fn axpy<T: ScalarArithmetic>(alpha: T, x: T, y: T) -> T {
    if alpha == T::ZERO { y } else { T::mul_add(alpha, x, y).canonical() }
}

/// One element of `a + alpha · x · yᵀ`: `alpha · y` is rounded, then multiplied by `x` and added to `a`, fused. `a`
/// itself with `alpha = 0`. An element of `y` that is 0 is multiplied like any other.
pub fn ger<T: ScalarArithmetic>(alpha: T, x: T, y: T, a: T) -> T {
    if alpha == T::ZERO { a } else { T::mul_add(Numeric::mul(alpha, y), x, a).canonical() }
}

/// `Σ x · y`, with `x` as it is: `dotc` conjugates it first.
///
/// A lane of the [tree] starts with the product of its first elements, rounded, and takes the others by
/// [`ScalarArithmetic::mul_add`]; lanes and chunks are added. Of nothing, +0.
pub fn dot<T: ScalarArithmetic>(len: usize, x: impl Fn(usize) -> T, y: impl Fn(usize) -> T) -> T {
    let lane = |acc: Option<T>, i| match acc {
        None => Numeric::mul(x(i), y(i)),
        Some(acc) => T::mul_add(x(i), y(i), acc),
    };
    tree::reduce(len, lane, |a, b| a + b).unwrap_or(T::ZERO).canonical()
}

/// `Σ |re x| + |im x|`.
///
/// A lane of the [tree] starts at +0 and takes the real and then the imaginary part of each of its
/// elements; lanes and chunks are added. Of nothing, +0.
pub fn asum<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(len: usize, x: impl Fn(usize) -> T) -> T::Magnitude {
    let zero = T::Magnitude::ZERO;
    let lane = |acc: Option<T::Magnitude>, i| x(i).add_abs1(acc.unwrap_or(zero));
    tree::reduce(len, lane, |a, b| a + b).unwrap_or(zero).canonical()
}

/// `√Σ|x|²`, by the scheme that the [module](self) describes. Of nothing, +0.
pub fn nrm2<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(len: usize, x: impl Fn(usize) -> T) -> T::Magnitude {
    let lane = |acc: Option<T::Squares>, i| x(i).add_squares(acc.unwrap_or_default());
    tree::reduce(len, lane, T::Squares::combine).unwrap_or_default().norm().canonical()
}

/// The index of the first element that is NaN in a component, else of the first whose `|re| + |im|` is largest.
/// `None` of nothing, for which a device's result is `u64::MAX`.
///
/// `|re| + |im|` is rounded, and is +∞ where it overflows: such elements are equal.
pub fn iamax<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(len: usize, x: impl Fn(usize) -> T) -> Option<usize> {
    extreme(len, x, |magnitude, best| magnitude > best)
}

/// The index of the first element that is NaN in a component, else of the first whose `|re| + |im|` is smallest. As for [`iamax`]
/// otherwise.
pub fn iamin<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(len: usize, x: impl Fn(usize) -> T) -> Option<usize> {
    extreme(len, x, |magnitude, best| magnitude < best)
}

fn extreme<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    len: usize,
    x: impl Fn(usize) -> T,
    beats: impl Fn(T::Magnitude, T::Magnitude) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, T::Magnitude)> = None;
    for i in 0..len {
        let magnitude = x(i).abs1();
        if magnitude.partial_cmp(&magnitude).is_none() {
            return Some(i);
        }
        if best.is_none_or(|(_, extreme)| beats(magnitude, extreme)) {
            best = Some((i, magnitude));
        }
    }
    best.map(|(i, _)| i)
}

/// How `gemv` and `gemm` end, before any rounding to a narrower type: `alpha · sum` with `beta = 0`, else
/// `alpha · sum + beta · c` with the second product rounded and the first fused.
pub fn update<T: ScalarArithmetic>(alpha: T, sum: T, beta: T, c: T) -> T {
    if beta == T::ZERO { Numeric::mul(alpha, sum) } else { T::mul_add(alpha, sum, Numeric::mul(beta, c)) }
}

/// The result of `gemv` and `gemm` with `alpha = 0`, or with nothing to sum over.
pub fn scale<T: GemmArithmetic>(beta: T::Compute, c: T) -> T {
    if beta == T::Compute::ZERO {
        T::ZERO
    } else if beta == T::Compute::ONE {
        c
    } else {
        T::narrow(Numeric::mul(beta, c.widen()))
    }
}

/// One element of `alpha · op(A) · x + beta · y`: `a(k)` is element `k` of its row of `op(A)`, `len` the length of `x`.
///
/// `a` and `x` are not called with `alpha = 0`.
pub fn gemv<T: ScalarArithmetic + GemmArithmetic>(
    len: usize,
    alpha: T,
    a: impl Fn(usize) -> T,
    x: impl Fn(usize) -> T,
    beta: T,
    y: T,
) -> T {
    if len == 0 || alpha == T::ZERO { scale(beta, y) } else { update(alpha, dot(len, a, x), beta, y).canonical() }
}

/// One element of `alpha · op(A) · op(B) + beta · C`: `a(k)` is element `k` of its row of `op(A)`, `b(k)` of its
/// column of `op(B)`, `len` the dimension that is summed over.
///
/// `a` and `b` are not called with `alpha = 0`.
pub fn gemm<T: GemmArithmetic>(
    len: usize,
    alpha: T::Compute,
    a: impl Fn(usize) -> T,
    b: impl Fn(usize) -> T,
    beta: T::Compute,
    c: T,
) -> T {
    if len == 0 || alpha == T::Compute::ZERO {
        return scale(beta, c);
    }
    let sum = (0..len).fold(T::Compute::ZERO, |acc, k| T::Compute::mul_add(a(k).widen(), b(k).widen(), acc));
    T::narrow(update(alpha, sum, beta, c.widen()))
}
