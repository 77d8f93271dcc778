//! Scalars with their type erased.

use super::{DType, Element};
use std::fmt;

/// A scalar argument of an operation with its type erased.
#[derive(Clone, Copy, PartialEq)]
pub struct ScalarValue {
    dtype: DType,
    bytes: [u8; 16],
}

impl ScalarValue {
    /// Erases the type of `value`.
    pub fn new<T: Element>(value: T) -> Self {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        ScalarValue { dtype: T::DTYPE, bytes }
    }

    /// The type the value was made from.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The value, or `None` if it was made from another type.
    pub fn get<T: Element>(&self) -> Option<T> {
        (T::DTYPE == self.dtype).then(|| bytemuck::pod_read_unaligned(&self.bytes[..size_of::<T>()]))
    }

    /// The value's bytes, as many as [`DType::size`] says, in the order of the host.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.dtype.size()]
    }
}

impl fmt::Debug for ScalarValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02x?}", self.dtype, self.bytes())
    }
}
