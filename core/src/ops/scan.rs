//! Prefix sums, products, minima and maxima.

use crate::element::Element;
use crate::element::Real;
use crate::error::Result;
use crate::numerics::Reducible;
use crate::operation::{Operation, OperationKind, ReduceOp};
use crate::runtime::Checked;
use crate::stream::{Stream, same_len};
use crate::view::{AsView, AsViewMut};

macro_rules! scans {
    ($($op:ident, $bound:path, $what:literal, $empty:literal, $inclusive:ident, $exclusive:ident, $inclusive_assign:ident,
        $exclusive_assign:ident;)*) => { $(
        #[doc = concat!("`out[i]` = the ", $what, " of `x[0..=i]`.")]
        ///
        /// # Errors
        /// As said [above](Scan).
        fn $inclusive<T: $bound>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            scan(self, ReduceOp::$op, false, x, out)
        }

        #[doc = concat!("`out[i]` = the ", $what, " of `x[0..i]`; `out[0]` = ", $empty, ".")]
        ///
        /// # Errors
        /// As said [above](Scan).
        fn $exclusive<T: $bound>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            scan(self, ReduceOp::$op, true, x, out)
        }

        #[doc = concat!("[`", stringify!($inclusive), "`](Scan::", stringify!($inclusive), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Scan).
        fn $inclusive_assign<T: $bound>(&self, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
            scan_assign(self, ReduceOp::$op, false, x)
        }

        #[doc = concat!("[`", stringify!($exclusive), "`](Scan::", stringify!($exclusive), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Scan).
        fn $exclusive_assign<T: $bound>(&self, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
            scan_assign(self, ReduceOp::$op, true, x)
        }
    )* };
}

/// Scans (prefix sums) on a stream. All give the same bits on every device, by the tree of [`crate::numerics::scan`].
///
/// Every operation returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if lengths differ, naming the argument, and
/// [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and then has enqueued nothing.
pub trait Scan: Stream {
    scans! {
        Sum, Reducible, "sum", "0", inclusive_sum, exclusive_sum, inclusive_sum_assign, exclusive_sum_assign;
        Prod, Reducible, "product", "1", inclusive_prod, exclusive_prod, inclusive_prod_assign, exclusive_prod_assign;
        Min, Real, "smallest", "+∞ or the largest integer", inclusive_min, exclusive_min, inclusive_min_assign,
            exclusive_min_assign;
        Max, Real, "largest", "−∞ or the smallest integer", inclusive_max, exclusive_max, inclusive_max_assign,
            exclusive_max_assign;
    }
}

impl<S: Stream> Scan for S {}

fn scan<S: Stream, T: Element>(
    stream: &S,
    op: ReduceOp,
    exclusive: bool,
    x: &impl AsView<T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let (x, out) = (x.view(), out.view_mut().into_view());
    same_len(OperationKind::scan(op, exclusive).name(), "out", x.len(), out.len())?;
    let operation = Operation::Scan { op, exclusive, x: x.span(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

fn scan_assign<S: Stream, T: Element>(
    stream: &S,
    op: ReduceOp,
    exclusive: bool,
    x: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let x = x.view_mut().into_view();
    let operation = Operation::Scan { op, exclusive, x: x.span(), out: x.span() };
    stream.submit(Checked::TYPED, operation, &[x.writes("x")])
}
