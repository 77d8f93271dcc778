//! Reductions: sums, products, means, extremes and their places, and the counting of masks.

use crate::device::Device;
use crate::element::{Element, GemmElement, Real};
use crate::error::{Error, Result};
use crate::matrix::MatrixView;
use crate::numerics::Reducible;
use crate::operation::{ArgOp, Axis, Operation, OperationKind, ReduceOp};
use crate::runtime::Checked;
use crate::stream::{Stream, first, one, same_len};
use crate::view::{AsView, AsViewMut, View};

/// For each reduction the methods `whole(x)`, `whole_into(x, out)`, `rows(x, out)` and `cols(x, out)`.
macro_rules! reduce_methods {
    ($($op:ident, $bound:path, $what:literal, $empty:literal, $whole:ident, $into:ident, $rows:ident, $cols:ident;)*) => { $(
        #[doc = concat!("The ", $what, " of all elements; of nothing, ", $empty, ". Waits for the result.")]
        ///
        /// # Errors
        /// As said [above](Reduce), and errors of earlier work on this stream.
        fn $whole<T: $bound>(&self, x: &impl AsView<T, Self::Device>) -> Result<T> {
            one(self, stringify!($whole), |out| self.$into(x, out))
        }

        #[doc = concat!("The ", $what, " of all elements in the first element of `out`; does not wait.")]
        ///
        /// # Errors
        /// As said [above](Reduce).
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
        /// As said [above](Reduce).
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
        /// As said [above](Reduce).
        fn $cols<T: $bound>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.reduce(ReduceOp::$op, Axis::Cols, x, out)
        }
    )* };
}

/// For each extreme the methods `whole(x)`, `whole_into(x, out)`, `rows(x, out)` and `cols(x, out)`.
macro_rules! arg {
    ($($op:ident, $what:literal, $whole:ident, $into:ident, $rows:ident, $cols:ident;)*) => { $(
        #[doc = concat!("The index, from 0, of the first ", $what, " element; of the first NaN, if there is one. `None` of nothing.")]
        /// −0 is smaller than +0. Waits for the result.
        ///
        /// # Errors
        /// As said [above](Reduce), and errors of earlier work on this stream.
        fn $whole<T: Real>(&self, x: &impl AsView<T, Self::Device>) -> Result<Option<usize>> {
            let index: u64 = one(self, stringify!($whole), |out| self.$into(x, out))?;
            Ok(usize::try_from(index).ok().filter(|_| index != u64::MAX))
        }

        #[doc = concat!("[`", stringify!($whole), "`](Reduce::", stringify!($whole), ") with its result in the first element of")]
        /// `out`, `u64::MAX` of nothing; does not wait.
        ///
        /// # Errors
        /// As said [above](Reduce).
        fn $into<T: Real>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<u64, Self::Device>,
        ) -> Result<()> {
            arg_reduce(self, ArgOp::$op, Axis::Whole, &MatrixView::column(x.view()), out)
        }

        #[doc = concat!("`out[i]` = the index of the first ", $what, " element of row `i`, as for")]
        #[doc = concat!("[`", stringify!($into), "`](Reduce::", stringify!($into), ").")]
        ///
        /// # Errors
        /// As said [above](Reduce).
        fn $rows<T: Real>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut impl AsViewMut<u64, Self::Device>,
        ) -> Result<()> {
            arg_reduce(self, ArgOp::$op, Axis::Rows, x, out)
        }

        #[doc = concat!("`out[j]` = the index of the first ", $what, " element of column `j`, as for")]
        #[doc = concat!("[`", stringify!($into), "`](Reduce::", stringify!($into), ").")]
        ///
        /// # Errors
        /// As said [above](Reduce).
        fn $cols<T: Real>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut impl AsViewMut<u64, Self::Device>,
        ) -> Result<()> {
            arg_reduce(self, ArgOp::$op, Axis::Cols, x, out)
        }
    )* };
}

/// Reductions on a stream, part of [`Ops`](crate::Ops). All give the same bits on every device; what each computes is said in
/// [`crate::numerics`].
///
/// # Errors
/// Those of [`Ops`](crate::Ops).
pub trait Reduce: Stream {
    reduce_methods! {
        Sum, Reducible, "sum", "+0", sum, sum_into, sum_rows, sum_cols;
        Prod, Reducible, "product", "1", prod, prod_into, prod_rows, prod_cols;
        Min, Real, "smallest", "+∞ or the largest integer", min, min_into, min_rows, min_cols;
        Max, Real, "largest", "−∞ or the smallest integer", max, max_into, max_rows, max_cols;
    }

    /// How many elements of `mask` are not 0. Waits for the result.
    ///
    /// # Errors
    /// As said [above](Reduce), and errors of earlier work on this stream.
    fn count(&self, mask: &impl AsView<u8, Self::Device>) -> Result<u64> {
        one(self, "count", |out| self.count_into(mask, out))
    }

    /// Whether any element of `mask` is not 0; of nothing, false. Waits for the result.
    ///
    /// # Errors
    /// As said [above](Reduce), and errors of earlier work on this stream.
    fn any(&self, mask: &impl AsView<u8, Self::Device>) -> Result<bool> {
        Ok(self.count(mask)? > 0)
    }

    /// Whether no element of `mask` is 0; of nothing, true. Waits for the result.
    ///
    /// # Errors
    /// As said [above](Reduce), and errors of earlier work on this stream.
    fn all(&self, mask: &impl AsView<u8, Self::Device>) -> Result<bool> {
        Ok(self.count(mask)? == mask.view().len() as u64)
    }

    /// How many elements of `mask` are not 0, in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Reduce).
    fn count_into(
        &self,
        mask: &impl AsView<u8, Self::Device>,
        out: &mut impl AsViewMut<u64, Self::Device>,
    ) -> Result<()> {
        count(self, mask, out)
    }

    arg! {
        Min, "smallest", argmin, argmin_into, argmin_rows, argmin_cols;
        Max, "largest", argmax, argmax_into, argmax_rows, argmax_cols;
    }

    /// The arithmetic mean of all elements, floats or complex numbers; of nothing, NaN. Waits for the result.
    ///
    /// # Errors
    /// As said [above](Reduce), and errors of earlier work on this stream.
    fn mean<T: GemmElement>(&self, x: &impl AsView<T, Self::Device>) -> Result<T> {
        one(self, "mean", |out| self.mean_into(x, out))
    }

    /// [`mean`](Reduce::mean) with its result in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Reduce).
    fn mean_into<T: GemmElement>(
        &self,
        x: &impl AsView<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        mean(self, Axis::Whole, &MatrixView::column(x.view()), out)
    }

    /// `out[i]` = the [`mean`](Reduce::mean) of row `i`.
    ///
    /// # Errors
    /// As said [above](Reduce).
    fn mean_rows<T: GemmElement>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        mean(self, Axis::Rows, x, out)
    }

    /// `out[j]` = the [`mean`](Reduce::mean) of column `j`.
    ///
    /// # Errors
    /// As said [above](Reduce).
    fn mean_cols<T: GemmElement>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        mean(self, Axis::Cols, x, out)
    }

    /// A reduction of all elements ([`Axis::Whole`], in the order of a contiguous `x`), or one result per row or per column, for a reduction
    /// chosen at run time.
    ///
    /// # Errors
    /// As said [above](Reduce). With [`Axis::Whole`] `x` has to be one contiguous column.
    fn reduce<T: Element>(
        &self,
        op: ReduceOp,
        axis: Axis,
        x: &MatrixView<'_, T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        reduce(self, op, axis, x, out)
    }
}

impl<S: Stream> Reduce for S {}

/// Where the results of a reduction of `x` go.
fn results<'a, T: Element, U: Element, D: Device>(
    kind: OperationKind,
    axis: Axis,
    x: &MatrixView<'_, T, D>,
    out: &'a mut impl AsViewMut<U, D>,
) -> Result<View<'a, U, D>> {
    let expected = match axis {
        Axis::Whole => return first(kind.name(), out),
        Axis::Rows => x.rows(),
        Axis::Cols => x.cols(),
    };
    let out = out.view_mut().into_view();
    same_len(kind.name(), "out", expected, out.len())?;
    Ok(out)
}

fn arg_reduce<S: Stream, T: Real>(
    stream: &S,
    op: ArgOp,
    axis: Axis,
    x: &MatrixView<'_, T, S::Device>,
    out: &mut impl AsViewMut<u64, S::Device>,
) -> Result<()> {
    let out = results(OperationKind::arg(op, axis), axis, x, out)?;
    let operation = Operation::ArgReduce { op, axis, x: x.operand(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

fn mean<S: Stream, T: GemmElement>(
    stream: &S,
    axis: Axis,
    x: &MatrixView<'_, T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let out = results(OperationKind::mean(axis), axis, x, out)?;
    let operation = Operation::Mean { axis, x: x.operand(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

fn reduce<S: Stream, T: Element>(
    stream: &S,
    op: ReduceOp,
    axis: Axis,
    x: &MatrixView<'_, T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let kind = OperationKind::reduce(op, axis);
    let out = match axis {
        Axis::Whole => first(kind.name(), out)?,
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
    let operation = Operation::Reduce { op, axis, x: x.operand(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

fn count<S: Stream>(
    stream: &S,
    mask: &impl AsView<u8, S::Device>,
    out: &mut impl AsViewMut<u64, S::Device>,
) -> Result<()> {
    let (mask, out) = (mask.view(), first(OperationKind::Count.name(), out)?);
    let operation = Operation::Count { mask: mask.span(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[mask.reads("mask"), out.writes("out")])
}
