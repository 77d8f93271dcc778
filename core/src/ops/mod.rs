//! What is computed with arrays: [`Ops`], element by element, and the families that it includes.
//!
//! Each family of operations is a file: it checks the arguments, builds the operation and submits it, and where its methods are all of
//! one form it has the macro that makes them of a table.

mod elementwise;
mod index;
mod normalize;
mod operand;
mod random;
mod reduction;
mod scan;
mod sort;
mod transpose;

pub use index::{Index, Indexing};
pub use normalize::{LayerNormOptions, Normalize};
pub use operand::{AsOperand, Operand};
pub use random::{Philox, Random};
pub use reduction::Reduce;
pub use scan::Scan;
pub use sort::{Sort, SortOptions};

use crate::element::{Element, Float, Integer, Real};
use crate::error::Result;
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::numerics::{Absolute, CastFrom, ComplexNumeric, Negate, Numeric};
use crate::operation::{BinaryOp, CompareOp, UnaryOp};
use crate::stream::Stream;
use crate::view::{AsView, AsViewMut};
use elementwise::{binary_methods, compare_methods, unary_methods};

/// Operations on arrays: here those that go element by element and transposition; [`Reduce`], [`Normalize`], [`Scan`], [`Sort`],
/// [`Indexing`] and [`Random`] are part of it. All give the same bits on every device; what each computes is said in [`crate::numerics`].
///
/// Inputs of element-wise operations are buffers, views, or numbers: `stream.sub(&1.0, &x, &mut out)`.
///
/// # Names
/// | | |
/// |---|---|
/// | `add(a, b, out)` | element by element |
/// | `add_assign(x, b)` | in place: `x` is the first input and the output |
/// | `sum(x)` | of all elements; waits for the result |
/// | `sum_into(x, out)` | the same, left in the first element of `out`; does not wait |
/// | `sum_rows(x, out)`, `sum_cols(x, out)` | one result for each row, for each column |
/// | `binary(op, a, b, out)` … | for an operation chosen at run time |
///
/// [`min`](Reduce::min) and [`max`](Reduce::max) reduce, as `sum` does. Of two operands it is [`minimum`](Ops::minimum) and
/// [`maximum`](Ops::maximum), which propagate NaN, and [`minimum_number`](Ops::minimum_number) and
/// [`maximum_number`](Ops::maximum_number), which ignore it: so these operations are called in IEEE 754-2019 and, but for the
/// last two (`fmin` and `fmax` there), in NumPy.
///
/// The elementary functions, from [`exp`](Ops::exp) to [`pow`](Ops::pow), are those of [`crate::numerics::math`], where their errors are.
///
/// A comparison writes 1 or 0 to a mask of `u8`; [`select`](Ops::select), [`count`](Reduce::count), [`any`](Reduce::any),
/// [`all`](Reduce::all) and [`compact`](Indexing::compact) read one.
///
/// # Errors
/// Every operation, here and in the traits that this one includes, returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if
/// lengths or shapes do not fit, naming the argument, and [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer
/// it, and then has enqueued nothing. That holds without any elements too.
pub trait Ops: Reduce + Normalize + Scan + Sort + Indexing + Random {
    /// `out[i] = start + i · step`.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn iota<T: Real>(&self, start: T, step: T, out: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        elementwise::iota(self, start, step, out)
    }

    /// `out[i] = x[i]`, converted.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn cast<S: Element, T: CastFrom<S>>(
        &self,
        x: &impl AsView<S, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        elementwise::cast(self, x, out)
    }

    unary_methods! {
        /// `out[i] = −x[i]`.
        neg, neg_assign, Neg, Negate;
        /// `out[i] = |x[i]|`.
        abs, abs_assign, Abs, Absolute;
        /// `out[i] = √x[i]`.
        sqrt, sqrt_assign, Sqrt, Float;
        /// `out[i]` = the conjugate of `x[i]`.
        conj, conj_assign, Conj, ComplexNumeric;
        /// `out[i] = !x[i]`, bit by bit.
        not, not_assign, Not, Integer;
        /// `out[i]` = e to the power of `x[i]`.
        exp, exp_assign, Exp, Float;
        /// `out[i]` = 2 to the power of `x[i]`.
        exp2, exp2_assign, Exp2, Float;
        /// `out[i]` = e to the power of `x[i]`, minus 1: precise near 0.
        expm1, expm1_assign, Expm1, Float;
        /// `out[i]` = the natural logarithm of `x[i]`.
        log, log_assign, Log, Float;
        /// `out[i]` = the logarithm of `x[i]` to base 2.
        log2, log2_assign, Log2, Float;
        /// `out[i] = log(1 + x[i])`: precise near 0.
        log1p, log1p_assign, Log1p, Float;
        /// `out[i] = sin x[i]`, however large `x[i]` is.
        sin, sin_assign, Sin, Float;
        /// `out[i] = cos x[i]`, however large `x[i]` is.
        cos, cos_assign, Cos, Float;
        /// `out[i] = sin(π · x[i])`.
        sinpi, sinpi_assign, Sinpi, Float;
        /// `out[i] = cos(π · x[i])`.
        cospi, cospi_assign, Cospi, Float;
        /// `out[i] = tanh x[i]`.
        tanh, tanh_assign, Tanh, Float;
        /// `out[i]` = 1 / (1 + e⁻ˣ) for x = `x[i]`, the logistic function.
        sigmoid, sigmoid_assign, Sigmoid, Float;
        /// `out[i]` = the error function of `x[i]`.
        erf, erf_assign, Erf, Float;
        /// `out[i] = 1 / √x[i]`.
        rsqrt, rsqrt_assign, Rsqrt, Float;
        /// `out[i]` = the real cube root of `x[i]`.
        cbrt, cbrt_assign, Cbrt, Float;
    }

    binary_methods! {
        /// `out[i] = a[i] + b[i]`.
        add, add_assign, Add, Numeric;
        /// `out[i] = a[i] − b[i]`.
        sub, sub_assign, Sub, Numeric;
        /// `out[i] = a[i] · b[i]`.
        mul, mul_assign, Mul, Numeric;
        /// `out[i] = a[i] / b[i]`.
        div, div_assign, Div, Real;
        /// `out[i]` = the remainder of `a[i] / b[i]`.
        rem, rem_assign, Rem, Integer;
        /// `out[i]` = the smaller of `a[i]` and `b[i]`; NaN if either is.
        minimum, minimum_assign, Minimum, Real;
        /// `out[i]` = the larger of `a[i]` and `b[i]`; NaN if either is.
        maximum, maximum_assign, Maximum, Real;
        /// `out[i]` = the smaller of `a[i]` and `b[i]`; a NaN loses.
        minimum_number, minimum_number_assign, MinimumNumber, Real;
        /// `out[i]` = the larger of `a[i]` and `b[i]`; a NaN loses.
        maximum_number, maximum_number_assign, MaximumNumber, Real;
        /// `out[i] = a[i] & b[i]`.
        and, and_assign, And, Integer;
        /// `out[i] = a[i] | b[i]`.
        or, or_assign, Or, Integer;
        /// `out[i] = a[i] ^ b[i]`.
        xor, xor_assign, Xor, Integer;
        /// `out[i] = a[i] << b[i]`.
        shl, shl_assign, Shl, Integer;
        /// `out[i] = a[i] >> b[i]`, by the sign for signed types.
        shr, shr_assign, Shr, Integer;
        /// `out[i]` = `a[i]` to the power of `b[i]`.
        pow, pow_assign, Pow, Float;
    }

    compare_methods! {
        /// `out[i]` = whether `a[i] = b[i]`, as 1 or 0.
        eq, Eq, Element;
        /// `out[i]` = whether `a[i] ≠ b[i]`, as 1 or 0.
        ne, Ne, Element;
        /// `out[i]` = whether `a[i] < b[i]`, as 1 or 0.
        lt, Lt, Real;
        /// `out[i]` = whether `a[i] ≤ b[i]`, as 1 or 0.
        le, Le, Real;
        /// `out[i]` = whether `a[i] > b[i]`, as 1 or 0.
        gt, Gt, Real;
        /// `out[i]` = whether `a[i] ≥ b[i]`, as 1 or 0.
        ge, Ge, Real;
    }

    /// `out[i] = a[i]` where `mask[i]` is not 0, else `b[i]`.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn select<T: Element>(
        &self,
        mask: &impl AsView<u8, Self::Device>,
        a: &impl AsOperand<T, Self::Device>,
        b: &impl AsOperand<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        elementwise::select(self, mask, a, b, out)
    }

    /// `x[i] = a[i]` where `mask[i]` is not 0; else `x[i]` stays.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn select_assign<T: Element>(
        &self,
        x: &mut impl AsViewMut<T, Self::Device>,
        mask: &impl AsView<u8, Self::Device>,
        a: &impl AsOperand<T, Self::Device>,
    ) -> Result<()> {
        elementwise::select_assign(self, x, mask, a)
    }

    /// `out[j, i] = x[i, j]`.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn transpose<T: Element>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        out: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        transpose::transpose(self, x, out)
    }

    /// `out[i] = op x[i]`, for an operation chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn unary<T: Element>(
        &self,
        op: UnaryOp,
        x: &impl AsView<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        elementwise::unary(self, op, x, out)
    }

    /// `x[i] = op x[i]`, for an operation chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn unary_assign<T: Element>(&self, op: UnaryOp, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        elementwise::unary_assign(self, op, x)
    }

    /// `out[i] = a[i] op b[i]`, for an operation chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn binary<T: Element>(
        &self,
        op: BinaryOp,
        a: &impl AsOperand<T, Self::Device>,
        b: &impl AsOperand<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        elementwise::binary(self, op, a, b, out)
    }

    /// `x[i] = x[i] op b[i]`, for an operation chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn binary_assign<T: Element>(
        &self,
        op: BinaryOp,
        x: &mut impl AsViewMut<T, Self::Device>,
        b: &impl AsOperand<T, Self::Device>,
    ) -> Result<()> {
        elementwise::binary_assign(self, op, x, b)
    }

    /// `out[i]` = whether `a[i] op b[i]`, as 1 or 0, for a comparison chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn compare<T: Element>(
        &self,
        op: CompareOp,
        a: &impl AsOperand<T, Self::Device>,
        b: &impl AsOperand<T, Self::Device>,
        out: &mut impl AsViewMut<u8, Self::Device>,
    ) -> Result<()> {
        elementwise::compare(self, op, a, b, out)
    }
}

impl<S: Stream> Ops for S {}
