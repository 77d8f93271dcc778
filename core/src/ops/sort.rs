//! Sorting.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::numerics::order::SortKey;
use crate::operation::{Operation, OperationKind, Sort as Arguments};
use crate::runtime::Checked;
use crate::stream::{Stream, same_len};
use crate::view::{AsViewMut, View};
use std::ops::{Bound, RangeBounds};

/// How to sort: ascending, by all bits of the key, unless said otherwise.
///
/// ```
/// # use warpwave_core::SortOptions;
/// let by_the_upper_byte = SortOptions::new().descending().bits(24..32);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortOptions {
    descending: bool,
    first_bit: u32,
    /// `None` is the width of the key.
    end_bit: Option<u32>,
}

impl SortOptions {
    /// Ascending, by all bits.
    pub fn new() -> Self {
        SortOptions::default()
    }

    /// The greatest key first. Equal keys keep their order all the same.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// By these bits of the key alone, as [`crate::numerics::order`] defines keys; keys that agree in them keep their order. An
    /// integer key of which only the lower bits are used is sorted faster so.
    #[must_use]
    pub fn bits(mut self, bits: impl RangeBounds<u32>) -> Self {
        self.first_bit = match bits.start_bound() {
            Bound::Included(&bit) => bit,
            Bound::Excluded(&bit) => bit.saturating_add(1),
            Bound::Unbounded => 0,
        };
        self.end_bit = match bits.end_bound() {
            Bound::Included(&bit) => Some(bit.saturating_add(1)),
            Bound::Excluded(&bit) => Some(bit),
            Bound::Unbounded => None,
        };
        self
    }

    fn arguments<T: SortKey, D: crate::Device>(&self, kind: OperationKind, keys: &View<'_, T, D>) -> Result<Arguments> {
        let (first_bit, end_bit) = (self.first_bit, self.end_bit.unwrap_or(T::BITS));
        if first_bit > end_bit || end_bit > T::BITS {
            let expected = format_args!("a range within 0..{} for keys of {}", T::BITS, T::DTYPE).to_string();
            return Err(Error::invalid("bits", expected, format_args!("{first_bit}..{end_bit}")).in_operation(kind));
        }
        Ok(Arguments { keys: keys.span(), values: None, descending: self.descending, first_bit, end_bit })
    }
}

/// Sorting on a stream. The order is that of [`crate::numerics::order`], stable, and the same on every device.
///
/// The indices that would sort an array are the values of a [`sort_pairs`](Sort::sort_pairs) that were
/// [`iota`](crate::Ops::iota) before.
///
/// Every operation returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if lengths differ or there are no such bits, naming
/// the argument, and [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and then has enqueued nothing.
pub trait Sort: Stream {
    /// Sorts `keys`, ascending.
    ///
    /// # Errors
    /// As said [above](Sort).
    fn sort<T: SortKey>(&self, keys: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        self.sort_with(SortOptions::new(), keys)
    }

    /// Sorts `keys` as `options` says.
    ///
    /// # Errors
    /// As said [above](Sort).
    fn sort_with<T: SortKey>(&self, options: SortOptions, keys: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
        let keys = keys.view_mut().into_view();
        let sort = options.arguments(OperationKind::Sort, &keys)?;
        self.submit(Checked::TYPED, Operation::Sort(sort), &[keys.writes("keys")])
    }

    /// Sorts `keys`, ascending, and moves `values` with them.
    ///
    /// # Errors
    /// As said [above](Sort).
    fn sort_pairs<K: SortKey, V: Element>(
        &self,
        keys: &mut impl AsViewMut<K, Self::Device>,
        values: &mut impl AsViewMut<V, Self::Device>,
    ) -> Result<()> {
        self.sort_pairs_with(SortOptions::new(), keys, values)
    }

    /// Sorts `keys` as `options` says, and moves `values` with them.
    ///
    /// # Errors
    /// As said [above](Sort).
    fn sort_pairs_with<K: SortKey, V: Element>(
        &self,
        options: SortOptions,
        keys: &mut impl AsViewMut<K, Self::Device>,
        values: &mut impl AsViewMut<V, Self::Device>,
    ) -> Result<()> {
        let (keys, values) = (keys.view_mut().into_view(), values.view_mut().into_view());
        same_len(OperationKind::SortPairs.name(), "values", keys.len(), values.len())?;
        let sort = options.arguments(OperationKind::SortPairs, &keys)?;
        let sort = Arguments { values: Some(values.span()), ..sort };
        self.submit(Checked::TYPED, Operation::Sort(sort), &[keys.writes("keys"), values.writes("values")])
    }
}

impl<S: Stream> Sort for S {}
