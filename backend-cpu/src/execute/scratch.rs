//! Memory that an operation needs for itself.
//!
//! The standard library's collections end the process when there is none. Here it is an error of the operation, which is why
//! everything is obtained before the operation writes anything.

use crate::info;
use warpwave_core::{ErrorKind, Result};

/// `len` elements of the default value.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`].
pub(super) fn zeroed<T: Copy + Default>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| ErrorKind::OutOfMemory {
        requested: len.saturating_mul(size_of::<T>()),
        free: info::available_memory(),
    })?;
    vec.resize(len, T::default());
    Ok(vec)
}

/// `count` rooms for [`Workers::split_in`](crate::workers::Workers::split_in).
///
/// # Errors
/// Those of `make`.
pub(super) fn rooms<S>(count: usize, make: impl Fn() -> Result<S>) -> Result<Vec<S>> {
    (0..count).map(|_| make()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// Both what the address space cannot hold and what no machine has.
    #[test]
    fn an_absurd_request_is_an_error() {
        for len in [usize::MAX, isize::MAX as usize / 8, 1 << 60] {
            let error = zeroed::<f64>(len).unwrap_err();
            let ErrorKind::OutOfMemory { requested, .. } = *error.kind() else { panic!("{error}") };
            assert_eq!(requested, len.saturating_mul(8));
            assert!(rooms(2, || zeroed::<f64>(len)).is_err());
        }
    }

    #[test]
    fn what_can_be_had_is_zero() {
        assert_eq!(zeroed::<f32>(0).unwrap(), []);
        assert_eq!(zeroed::<u8>(1000).unwrap(), vec![0; 1000]);
        assert_eq!(rooms(3, || zeroed::<u16>(2)).unwrap(), vec![vec![0; 2]; 3]);
    }
}
