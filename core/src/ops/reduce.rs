//! Means, and the places of extreme elements.

use crate::device::Device;
use crate::element::{Element, GemmElement, Real};
use crate::error::Result;
use crate::matrix::MatrixView;
use crate::operation::{ArgOp, Axis, Operation, OperationKind};
use crate::runtime::Checked;
use crate::stream::{Stream, same_len};
use crate::stream::{first, one};
use crate::view::{AsView, AsViewMut, View};

macro_rules! arg {
    ($($op:ident, $what:literal, $whole:ident, $into:ident, $rows:ident, $cols:ident;)*) => { $(
        #[doc = concat!("The index, from 0, of the first ", $what, " element; of the first NaN, if there is one. `None` of nothing.")]
        /// −0 is smaller than +0. Waits for the result.
        ///
        /// # Errors
        /// As said [above](Reduce), and errors of earlier work on this stream.
        fn $whole<T: Real>(&self, x: &impl AsView<T, Self::Device>) -> Result<Option<usize>> {
            let index: u64 = one(self, |out| self.$into(x, out))?;
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

/// Means, and reductions to an index, on a stream. All give the same bits on every device; what each computes is said in
/// [`crate::numerics`].
///
/// Every operation returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if lengths or shapes do not fit, naming the argument, and
/// [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and then has enqueued nothing.
pub trait Reduce: Stream {
    arg! {
        Min, "smallest", argmin, argmin_into, argmin_rows, argmin_cols;
        Max, "largest", argmax, argmax_into, argmax_rows, argmax_cols;
    }

    /// The arithmetic mean of all elements, floats or complex numbers; of nothing, NaN. Waits for the result.
    ///
    /// # Errors
    /// As said [above](Reduce), and errors of earlier work on this stream.
    fn mean<T: GemmElement>(&self, x: &impl AsView<T, Self::Device>) -> Result<T> {
        one(self, |out| self.mean_into(x, out))
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
