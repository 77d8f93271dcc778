//! Reductions: the methods that a table makes, and what all of them come down to.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::matrix::MatrixView;
use crate::operation::{Axis, Operation, OperationKind, ReduceOp};
use crate::runtime::Checked;
use crate::stream::{Stream, first, same_len};
use crate::view::{AsView, AsViewMut};

/// For each reduction the methods `whole(x)`, `whole_into(x, out)`, `rows(x, out)` and `cols(x, out)`.
macro_rules! reduce_methods {
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

pub(super) use reduce_methods;

pub(super) fn reduce<S: Stream, T: Element>(
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

pub(super) fn count<S: Stream>(
    stream: &S,
    mask: &impl AsView<u8, S::Device>,
    out: &mut impl AsViewMut<u64, S::Device>,
) -> Result<()> {
    let (mask, out) = (mask.view(), first(OperationKind::Count.name(), out)?);
    let operation = Operation::Count { mask: mask.span(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[mask.reads("mask"), out.writes("out")])
}
