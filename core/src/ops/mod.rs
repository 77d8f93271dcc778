//! Element-wise operations, reductions and transposition.

mod index;
mod random;
mod reduce;
mod scan;
mod sort;

pub use index::{Index, Indexing};
pub use random::{Philox, Random};
pub use reduce::Reduce;
pub use scan::Scan;
pub use sort::{Sort, SortOptions};

use crate::blas::{first, one};
use crate::device::Device;
use crate::element::{Element, Float, Integer, Real, ScalarValue};
use crate::error::{Error, Result};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::numerics::{Absolute, CastFrom, ComplexNumeric, Negate, Numeric, Reducible};
use crate::operation::{Axis, BinaryOp, CompareOp, Operation, OperationKind, ReduceOp, Source, UnaryOp};
use crate::runtime::{Access, Checked};
use crate::stream::{Stream, same_len};
use crate::view::{AsView, AsViewMut, View, ViewMut};

/// An input of an element-wise operation: a buffer or a view, one element each; or a number, the same each time.
pub trait AsOperand<T: Element, D: Device> {
    /// What it is.
    fn operand(&self) -> Operand<'_, T, D>;
}

/// An input of an element-wise operation.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a, T: Element, D: Device> {
    /// One element each.
    View(View<'a, T, D>),
    /// The same value each time.
    Scalar(T),
}

impl<T: Element, D: Device> AsOperand<T, D> for T {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::Scalar(*self)
    }
}

impl<T: Element, D: Device> AsOperand<T, D> for View<'_, T, D> {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::View(*self)
    }
}

impl<T: Element, D: Device> AsOperand<T, D> for ViewMut<'_, T, D> {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::View(self.view())
    }
}

impl<'a, T: Element, D: Device> Operand<'a, T, D> {
    fn check(&self, operation: OperationKind, what: &str, len: usize) -> Result<()> {
        match self {
            Operand::View(view) => same_len(operation.name(), what, len, view.len()),
            Operand::Scalar(_) => Ok(()),
        }
    }

    fn source(&self) -> Source {
        match self {
            Operand::View(view) => Source::Span(view.span()),
            Operand::Scalar(value) => Source::Scalar(ScalarValue::new(*value)),
        }
    }

    /// The access, or one to nothing of `other`.
    fn access(&self, other: &View<'a, T, D>) -> Access<'a> {
        match self {
            Operand::View(view) => view.part.access(false),
            Operand::Scalar(_) => other.sub(0, 0).part.access(false),
        }
    }
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.unary(UnaryOp::$op, x, out)
        }
    )* };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            a: &impl AsOperand<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.binary(BinaryOp::$op, a, b, out)
        }
    )* };
}

macro_rules! assign {
    ($($(#[$doc:meta])* $name:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            x: &mut impl AsViewMut<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
        ) -> Result<()> {
            self.binary_assign(BinaryOp::$op, x, b)
        }
    )* };
}

macro_rules! compare {
    ($($(#[$doc:meta])* $name:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            a: &impl AsOperand<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
            out: &mut impl AsViewMut<u8, Self::Device>,
        ) -> Result<()> {
            self.compare(CompareOp::$op, a, b, out)
        }
    )* };
}

macro_rules! reduce {
    ($($op:ident, $bound:path, $what:literal, $empty:literal, $whole:ident, $into:ident, $rows:ident, $cols:ident;)*) => { $(
        #[doc = concat!("The ", $what, " of all elements; of nothing, ", $empty, ". Waits for the result.")]
        ///
        /// # Errors
        /// As said [above](Ops), and errors of earlier work on this stream.
        fn $whole<T: $bound>(&self, x: &impl AsView<T, Self::Device>) -> Result<T> {
            one(self, |out| self.$into(x, out))
        }

        #[doc = concat!("The ", $what, " of all elements in the first element of `out`; does not wait.")]
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $into<T: $bound>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.reduce(ReduceOp::$op, Axis::Whole, &MatrixView::column(x.view()), out)
        }

        #[doc = concat!("`out[i]` = the ", $what, " of row `i`; of nothing, ", $empty, ".")]
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $rows<T: $bound>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.reduce(ReduceOp::$op, Axis::Rows, x, out)
        }

        #[doc = concat!("`out[j]` = the ", $what, " of column `j`; of nothing, ", $empty, ".")]
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $cols<T: $bound>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.reduce(ReduceOp::$op, Axis::Cols, x, out)
        }
    )* };
}

/// Element-wise operations, reductions and transposition on a stream. All give the same bits on every device; what each computes is
/// said in [`crate::numerics`].
///
/// Inputs are buffers, views, or numbers: `stream.sub(&1.0, &x, &mut out)`. For an output that is also the first input there are
/// [`add_assign`](Ops::add_assign), [`sub_assign`](Ops::sub_assign), [`mul_assign`](Ops::mul_assign),
/// [`div_assign`](Ops::div_assign), and for the others [`unary_assign`](Ops::unary_assign) and [`binary_assign`](Ops::binary_assign).
///
/// Comparisons write `u8`, and integers wrap: to count a mask, [`cast`](Ops::cast) it to `u32` or `u64` before the
/// [`sum`](Ops::sum).
///
/// Every operation returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if lengths or shapes do not fit, naming the argument, and
/// [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and then has enqueued nothing.
pub trait Ops: Reduce + Scan + Sort + Indexing + Random {
    /// `out[i] = start + i · step`.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn iota<T: Real>(&self, start: T, step: T, out: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        let out = out.view_mut().into_view();
        if out.is_empty() {
            return Ok(());
        }
        let (start, step) = (ScalarValue::new(start), ScalarValue::new(step));
        self.submit(Checked::TYPED, Operation::Iota { start, step, out: out.span() }, &[out.part.access(true)])
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
        let (x, out) = (x.view(), out.view_mut().into_view());
        same_len("cast", "out", x.len(), out.len())?;
        if x.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Cast { x: x.span(), out: out.span() },
            &[x.part.access(false), out.part.access(true)],
        )
    }

    unary! {
        /// `out[i] = −x[i]`.
        neg, Neg, Negate;
        /// `out[i] = |x[i]|`.
        abs, Abs, Absolute;
        /// `out[i] = √x[i]`.
        sqrt, Sqrt, Float;
        /// `out[i]` = the conjugate of `x[i]`.
        conj, Conj, ComplexNumeric;
        /// `out[i] = !x[i]`, bit by bit.
        not, Not, Integer;
    }

    binary! {
        /// `out[i] = a[i] + b[i]`.
        add, Add, Numeric;
        /// `out[i] = a[i] − b[i]`.
        sub, Sub, Numeric;
        /// `out[i] = a[i] · b[i]`.
        mul, Mul, Numeric;
        /// `out[i] = a[i] / b[i]`.
        div, Div, Real;
        /// `out[i]` = the remainder of `a[i] / b[i]`.
        rem, Rem, Integer;
        /// `out[i]` = the smaller of `a[i]` and `b[i]`; NaN if either is.
        min, Min, Real;
        /// `out[i]` = the larger of `a[i]` and `b[i]`; NaN if either is.
        max, Max, Real;
        /// `out[i]` = the smaller of `a[i]` and `b[i]`; a NaN loses.
        min_num, MinNum, Real;
        /// `out[i]` = the larger of `a[i]` and `b[i]`; a NaN loses.
        max_num, MaxNum, Real;
        /// `out[i] = a[i] & b[i]`.
        and, And, Integer;
        /// `out[i] = a[i] | b[i]`.
        or, Or, Integer;
        /// `out[i] = a[i] ^ b[i]`.
        xor, Xor, Integer;
        /// `out[i] = a[i] << b[i]`.
        shl, Shl, Integer;
        /// `out[i] = a[i] >> b[i]`, by the sign for signed types.
        shr, Shr, Integer;
    }

    assign! {
        /// `x[i] = x[i] + b[i]`.
        add_assign, Add, Numeric;
        /// `x[i] = x[i] − b[i]`.
        sub_assign, Sub, Numeric;
        /// `x[i] = x[i] · b[i]`.
        mul_assign, Mul, Numeric;
        /// `x[i] = x[i] / b[i]`.
        div_assign, Div, Real;
    }

    compare! {
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
        let kind = OperationKind::Select;
        let (mask, a, b, out) = (mask.view(), a.operand(), b.operand(), out.view_mut().into_view());
        same_len(kind.name(), "mask", out.len(), mask.len())?;
        a.check(kind, "a", out.len())?;
        b.check(kind, "b", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Select { mask: mask.span(), a: a.source(), b: b.source(), out: out.span() },
            &[mask.part.access(false), a.access(&out), b.access(&out), out.part.access(true)],
        )
    }

    reduce! {
        Sum, Reducible, "sum", "+0", sum, sum_into, sum_rows, sum_cols;
        Prod, Reducible, "product", "1", prod, prod_into, prod_rows, prod_cols;
        Min, Real, "smallest", "+∞ or the largest integer", reduce_min, reduce_min_into, min_rows, min_cols;
        Max, Real, "largest", "−∞ or the smallest integer", reduce_max, reduce_max_into, max_rows, max_cols;
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
        let out = out.as_matrix();
        if (x.rows(), x.cols()) != (out.cols(), out.rows()) {
            let expected = format_args!("{} × {}", x.cols(), x.rows()).to_string();
            let error = Error::invalid("out", expected, format_args!("{} × {}", out.rows(), out.cols()));
            return Err(error.in_operation("transpose"));
        }
        if x.operand().is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Transpose { x: x.operand(), out: out.operand() },
            &[x.access(false), out.access(true)],
        )
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
        let (x, out) = (x.view(), out.view_mut().into_view());
        same_len(op.name(), "out", x.len(), out.len())?;
        if x.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Unary { op, x: x.span(), out: out.span() },
            &[x.part.access(false), out.part.access(true)],
        )
    }

    /// `x[i] = op x[i]`, for an operation chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops).
    fn unary_assign<T: Element>(&self, op: UnaryOp, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        let x = x.view_mut().into_view();
        if x.is_empty() {
            return Ok(());
        }
        self.submit(Checked::TYPED, Operation::Unary { op, x: x.span(), out: x.span() }, &[x.part.access(true)])
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
        let (a, b, out) = (a.operand(), b.operand(), out.view_mut().into_view());
        a.check(op.into(), "a", out.len())?;
        b.check(op.into(), "b", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Binary { op, a: a.source(), b: b.source(), out: out.span() },
            &[a.access(&out), b.access(&out), out.part.access(true)],
        )
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
        let (x, b) = (x.view_mut().into_view(), b.operand());
        b.check(op.into(), "b", x.len())?;
        if x.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Binary { op, a: Source::Span(x.span()), b: b.source(), out: x.span() },
            &[b.access(&x), x.part.access(true)],
        )
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
        let (a, b, out) = (a.operand(), b.operand(), out.view_mut().into_view());
        a.check(op.into(), "a", out.len())?;
        b.check(op.into(), "b", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let mut accesses = vec![out.part.access(true)];
        accesses.extend([&a, &b].into_iter().filter_map(|x| match x {
            Operand::View(view) => Some(view.part.access(false)),
            Operand::Scalar(_) => None,
        }));
        self.submit(Checked::TYPED, Operation::Compare { op, a: a.source(), b: b.source(), out: out.span() }, &accesses)
    }

    /// A reduction of all elements ([`Axis::Whole`], in the order of a contiguous `x`), or one result per row or per column, for a reduction
    /// chosen at run time.
    ///
    /// # Errors
    /// As said [above](Ops). With [`Axis::Whole`] `x` has to be one contiguous column.
    fn reduce<T: Element>(
        &self,
        op: ReduceOp,
        axis: Axis,
        x: &MatrixView<'_, T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::reduce(op, axis);
        let out = match axis {
            Axis::Whole => first(kind.name(), "out", out)?,
            Axis::Rows | Axis::Cols => out.view_mut().into_view(),
        };
        match axis {
            Axis::Whole if x.cols() != 1 || x.operand().row_stride() != 1 => {
                let error = Error::invalid("x", "one contiguous column", format_args!("{x:?}"));
                return Err(error.in_operation(kind));
            }
            Axis::Whole => {}
            Axis::Rows => same_len(kind.name(), "out", x.rows(), out.len())?,
            Axis::Cols => same_len(kind.name(), "out", x.cols(), out.len())?,
        }
        if out.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Reduce { op, axis, x: x.operand(), out: out.span() },
            &[x.access(false), out.part.access(true)],
        )
    }
}

impl<S: Stream> Ops for S {}
