//! The numerics contract: what every operation computes, to the bit where it has to be.
//!
//! This page is the law, and the code below it is its definition: the CPU device runs it, kernels mirror it line for line, and
//! the conformance suite compares with it. [`contract`] is the same as a table for programs.
//!
//! # Classes
//! - **R, reproducible**: the same bits on every device. All operations but those below.
//! - **B, bounded**: `gemv`, and [levels 2 and 3](blas) but for `ger`, `gerc`, `syr` and `her`, with
//!   [`Precision::Strict`](crate::Precision::Strict) or `Fast`, which a vendor's library may serve: within the error
//!   bound of [`contract::Bound::Dot`], and for solutions that of [`contract::Bound::Backward`].
//! - **U, ulp**: a vendor's or a platform's function under a name of its own, within a number of units in the last place.
//!
//! # Floating point
//! IEEE 754 arithmetic, rounded to nearest even, denormals kept, division and square root correctly rounded. Nothing is
//! contracted: a fused multiply-add is where this page says `fma`, and nowhere else.
//!
//! `f16` and `bf16` are computed in `f32` and rounded once to the type. For `+ − · / √` that is the correctly rounded result,
//! because `f32` is precise enough for the first rounding never to mislead the second.
//!
//! # NaN
//! A result of arithmetic that is NaN is the canonical NaN: positive, quiet, without payload ([`Canonical`]). In a complex number
//! that holds for each part by itself. Which NaN went in makes no difference.
//!
//! `neg`, `abs`, `conj`, `select`, `fill`, `copy`, `swap` and `transpose` are operations on bits: payloads pass through, `neg` flips and
//! `abs` clears the sign bit, a NaN's too.
//!
//! # Element-wise operations
//! | operation | types | definition |
//! |---|---|---|
//! | `add` `sub` `mul` | all | [`Numeric`] |
//! | `div` | real | [`RealNumeric::div`] |
//! | `sqrt` | floats | [`FloatNumeric::square_root`] |
//! | `exp` `exp2` `expm1` `log` `log2` `log1p` | floats | [`math`] |
//! | `sin` `cos` `sinpi` `cospi` `tanh` `sigmoid` `erf` | floats | [`math`] |
//! | `rsqrt` `cbrt` `pow` | floats | [`math`] |
//! | `neg` | signed, floats, complex | [`Negate`] |
//! | `abs` | signed, floats | [`Absolute`] |
//! | `conj` | complex | [`ComplexNumeric`] |
//! | `minimum` `maximum` | real | NaN if either is NaN; −0 is smaller than +0: IEEE 754-2019's operations of these names |
//! | `minimum_number` `maximum_number` | real | a NaN loses against a number; −0 is smaller than +0: likewise |
//! | `rem` `not` `and` `or` `xor` `shl` `shr` | integers | [`IntegerNumeric`] |
//! | `eq` `ne` | all | [`Numeric::equal`]; as IEEE 754: of a NaN only `ne` is true, −0 equals +0 |
//! | `lt` `le` `gt` `ge` | real | [`RealNumeric::less`], [`RealNumeric::less_equal`]; `gt` and `ge` are those with the operands swapped |
//! | `select` | all | [`select`] |
//! | `iota` | real | [`RealNumeric::iota`] |
//!
//! A comparison gives the `u8` 1 or 0; a `select` and a [`count`](reduction::count) take any `u8` but 0 as true.
//!
//! # Integers
//! Addition, subtraction, multiplication, negation and absolute value wrap. Division truncates toward zero; `x / 0` is 0 and
//! `x rem 0` is `x`; `MIN / −1` is `MIN`, and its remainder 0. The count of a shift is taken as unsigned; from the width of the type
//! on, `shl` and an unsigned `shr` give 0, and a signed `shr` gives 0 or −1 by the sign.
//!
//! # Complex numbers
//! Addition and subtraction go by parts. The product `a · b` has the real part `fma(−a.im, b.im, a.re · b.re)` and the imaginary
//! part `fma(a.im, b.re, a.re · b.im)`. There is no order, and no element-wise division, square root or absolute value.
//!
//! # Conversions
//! [`CastFrom`]. Each rounds once, from any type, 64-bit integers and `f64` to the 16-bit floats included. A float converts to an
//! integer by truncation, clamped to the range, NaN to 0; integers convert to each other modulo 2 to the width. A complex number
//! does not convert to a real one.
//!
//! # Reductions
//! [`sum`](reduction::sum) and [`prod`](reduction::prod) take all types, [`min`](reduction::min) and [`max`](reduction::max) the real
//! ones. All combine by the [`tree`] over the indices of the view, and a row or column by the same tree along it, in whichever
//! layout it lies. A lane starts with its first element: there is no +0 in front, and a sum of negative zeros is −0. `f16` and
//! `bf16` are converted to `f32` and stay that until one rounding at the very end. Of nothing, the sum is +0, the product 1, the
//! smallest +∞ or the largest integer, and the largest −∞ or the smallest integer.
//!
//! [`mean`](reduction::mean) divides the sum before that last rounding. [`argmin`](reduction::argmin) and
//! [`argmax`](reduction::argmax) give the first of equals, −0 being smaller than +0, and the first NaN before any
//! number; of nothing, `u64::MAX`.
//!
//! # Softmax and layer normalization
//! [`softmax`] and its logarithm, and [`layer_norm`]: of real floats, along a row or column or of a whole vector, by the same tree.
//!
//! # Gather, scatter, histograms
//! An index that is negative or past the end touches nothing: what it would have gathered is 0, what it would have scattered or
//! counted is dropped, and the stream's next synchronizing call fails. Of several elements scattered to one place the last in the
//! order of the source stays. A histogram counts in `u64`.
//!
//! # Scans
//! [`scan`]: prefix sums and products of all types, prefix minima and maxima of the real ones, by one tree. The exclusive result of the
//! first element is what a reduction of nothing gives.
//!
//! # Sorting
//! [`order`]: stable, −0 before +0, every NaN one key after +∞.
//!
//! # Mathematics
//! [`math`]: exponentials, logarithms, sines and the like, to the bit, with a table of their errors, which
//! [`contract::max_ulp`] has for programs.
//!
//! # Random numbers
//! [`philox`]: a function of a seed, a subsequence and a count of words. [`normal`]: normally distributed ones, made of the same words.
//!
//! # BLAS
//! [`blas`].

mod arithmetic;
pub mod blas;
mod cast;
pub mod contract;
mod dispatch;
mod half;
pub mod layer_norm;
pub mod math;
mod nan;
pub mod normal;
pub mod order;
pub mod philox;
pub mod reduction;
pub mod scalar;
pub mod scan;
pub mod softmax;
pub mod tree;
mod wide;

pub use arithmetic::{Absolute, ComplexNumeric, FloatNumeric, IntegerNumeric, Negate, Numeric, RealNumeric, select};
pub use cast::{CastFrom, cast};
pub use nan::Canonical;
pub use reduction::Reducible;
pub use wide::{Wide, WideFloat};

#[cfg(test)]
mod tests;
