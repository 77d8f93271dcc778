//! Moving elements by index and by mask.

use crate::element::{Element, Integer};
use crate::error::{Error, Result};
use crate::operation::{Operation, OperationKind, PermuteShape};
use crate::runtime::Checked;
use crate::stream::{Stream, same_len};
use crate::stream::{first_of, one};
use crate::view::{AsView, AsViewMut};

/// What can be an index: integers of 32 and 64 bits. A negative one is out of range.
pub trait Index: Integer {}

impl Index for i32 {}
impl Index for i64 {}
impl Index for u32 {}
impl Index for u64 {}

/// Gather, scatter, compaction, counting and reordering on a stream. All move bits, and give the same on every device.
///
/// Indices are data of the device, so a call cannot check them: an index out of range is skipped as each operation says, touches no
/// memory, and the next synchronizing call on the stream returns [`DeviceFault`](crate::ErrorKind::DeviceFault). If the last handle of the
/// stream is dropped before one, nobody is told.
///
/// Every operation returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if lengths or shapes do not fit, naming the argument, and
/// [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and then has enqueued nothing.
pub trait Indexing: Stream {
    /// `out[i] = x[index[i]]`; 0 where the index is out of range.
    ///
    /// # Errors
    /// As said [above](Indexing).
    fn gather<T: Element, I: Index>(
        &self,
        x: &impl AsView<T, Self::Device>,
        index: &impl AsView<I, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, index, out) = (x.view(), index.view(), out.view_mut().into_view());
        same_len(OperationKind::Gather.name(), "index", out.len(), index.len())?;
        self.submit(
            Checked::TYPED,
            Operation::Gather { x: x.span(), index: index.span(), out: out.span() },
            &[x.reads("x"), index.reads("index"), out.writes("out")],
        )
    }

    /// `out[index[i]] = x[i]`; of several `i` with one index the highest wins. What no index names stays as it was; an index out of
    /// range writes nothing.
    ///
    /// # Errors
    /// As said [above](Indexing).
    fn scatter<T: Element, I: Index>(
        &self,
        x: &impl AsView<T, Self::Device>,
        index: &impl AsView<I, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, index, out) = (x.view(), index.view(), out.view_mut().into_view());
        same_len(OperationKind::Scatter.name(), "index", x.len(), index.len())?;
        self.submit(
            Checked::TYPED,
            Operation::Scatter { x: x.span(), index: index.span(), out: out.span() },
            &[x.reads("x"), index.reads("index"), out.writes("out")],
        )
    }

    /// The elements `x[i]` with `mask[i] ≠ 0`, in their order, at the start of `out`, which is as long as `x`; the others of `out` stay
    /// as they were. Returns how many they are, and waits for that.
    ///
    /// # Errors
    /// As said [above](Indexing), and errors of earlier work on this stream.
    fn compact<T: Element>(
        &self,
        x: &impl AsView<T, Self::Device>,
        mask: &impl AsView<u8, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<usize> {
        let count: u64 = one(self, "compact", |count| self.compact_into(x, mask, out, count))?;
        // There are no more than `x` has.
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// [`compact`](Indexing::compact) with the number of elements in the first element of `count`; does not wait.
    ///
    /// # Errors
    /// As said [above](Indexing).
    fn compact_into<T: Element>(
        &self,
        x: &impl AsView<T, Self::Device>,
        mask: &impl AsView<u8, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
        count: &mut impl AsViewMut<u64, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::Compact.name();
        let (x, mask, out) = (x.view(), mask.view(), out.view_mut().into_view());
        same_len(kind, "mask", x.len(), mask.len())?;
        same_len(kind, "out", x.len(), out.len())?;
        let count = first_of(kind, "count", count)?;
        self.submit(
            Checked::TYPED,
            Operation::Compact { x: x.span(), mask: mask.span(), out: out.span(), count: count.span() },
            &[x.reads("x"), mask.reads("mask"), out.writes("out"), count.writes("count")],
        )
    }

    /// `counts[j]` = how many `x[i]` equal `j`. A number that is negative or past the end of `counts` is out of range, and is counted
    /// nowhere.
    ///
    /// For bins of equal width over floats, scale and shift them, and [`cast`](crate::Ops::cast) to `u32`.
    ///
    /// # Errors
    /// As said [above](Indexing).
    fn histogram<T: Integer>(
        &self,
        x: &impl AsView<T, Self::Device>,
        counts: &mut impl AsViewMut<u64, Self::Device>,
    ) -> Result<()> {
        let (x, counts) = (x.view(), counts.view_mut().into_view());
        self.submit(
            Checked::TYPED,
            Operation::Histogram { x: x.span(), out: counts.span() },
            &[x.reads("x"), counts.writes("counts")],
        )
    }

    /// `x`, an array with axes of these `sizes`, the last running fastest, with its axes in another order: axis `k` of `out` is axis
    /// `axes[k]` of `x`. At most 8 axes.
    ///
    /// ```
    /// # use warpwave_core::{Stream, Indexing, Result};
    /// # fn example<S: Stream>(stream: &S) -> Result<()> {
    /// // Images of 2 × 3 pixels of 3 colours become three planes.
    /// let pixels = stream.from_slice(&[1_u8, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])?;
    /// let mut planes = stream.zeros::<u8>(18)?;
    /// stream.permute(&pixels, &[2, 3, 3], &[2, 0, 1], &mut planes)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As said [above](Indexing).
    fn permute<T: Element>(
        &self,
        x: &impl AsView<T, Self::Device>,
        sizes: &[usize],
        axes: &[usize],
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::Permute;
        let (x, out) = (x.view(), out.view_mut().into_view());
        if sizes.len() > PermuteShape::MAX_RANK {
            let expected = format_args!("at most {} axes", PermuteShape::MAX_RANK).to_string();
            return Err(Error::invalid("sizes", expected, format_args!("{} axes", sizes.len())).in_operation(kind));
        }
        let Some(shape) = PermuteShape::new(sizes, axes) else {
            let expected = format_args!("each of 0..{} once", sizes.len()).to_string();
            return Err(Error::invalid("axes", expected, format_args!("{axes:?}")).in_operation(kind));
        };
        if shape.elements() != Some(x.len()) {
            let expected = format_args!("sizes of {} elements", x.len()).to_string();
            return Err(Error::invalid("sizes", expected, format_args!("{sizes:?}")).in_operation(kind));
        }
        same_len(kind.name(), "out", x.len(), out.len())?;
        self.submit(
            Checked::TYPED,
            Operation::Permute { x: x.span(), out: out.span(), shape },
            &[x.reads("x"), out.writes("out")],
        )
    }
}

impl<S: Stream> Indexing for S {}
