//! Memory that an operation needs for itself.
//!
//! The standard library's collections end the process when there is none. Here it is an error of the operation, which is why
//! everything is obtained before the operation writes anything.

use crate::info::available_memory;
use warpwave_core::{ErrorKind, Result};

/// Bytes from which on it is worth asking the system what it has: its allocator promises more, and the process would be
/// killed when it uses that.
const LARGE: usize = 64 << 20;

/// An empty vector with room for `len` elements.
///
/// # Errors
/// [`OutOfMemory`](ErrorKind::OutOfMemory).
pub(super) fn room<T>(len: usize) -> Result<Vec<T>> {
    let requested = len.saturating_mul(size_of::<T>());
    let exhausted = || ErrorKind::OutOfMemory { requested, free: available_memory() };
    // 0 is unknown.
    if requested >= LARGE && (1..requested).contains(&available_memory()) {
        return Err(exhausted().into());
    }
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| exhausted())?;
    Ok(room)
}

/// `len` elements of the default value, which is 0.
///
/// # Errors
/// [`OutOfMemory`](ErrorKind::OutOfMemory).
pub(super) fn zeroed<T: Copy + Default>(len: usize) -> Result<Vec<T>> {
    let mut zeroed = room(len)?;
    zeroed.resize(len, T::default());
    Ok(zeroed)
}

/// `count` rooms for [`Workers::split_in`](crate::workers::Workers::split_in).
///
/// # Errors
/// Those of `make`, and [`OutOfMemory`](ErrorKind::OutOfMemory).
pub(super) fn rooms<S>(count: usize, make: impl Fn() -> Result<S>) -> Result<Vec<S>> {
    let mut rooms = room(count)?;
    for _ in 0..count {
        rooms.push(make()?);
    }
    Ok(rooms)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// More than a machine has, than can be addressed, and than can be counted.
    #[test]
    fn an_absurd_request_is_an_error() {
        for len in [1 << 44, 1 << 60, isize::MAX as usize / 8, usize::MAX] {
            let error = zeroed::<f64>(len).unwrap_err();
            let ErrorKind::OutOfMemory { requested, .. } = *error.kind() else { panic!("{error}") };
            assert_eq!(requested, len.saturating_mul(8));
            assert!(rooms(2, || zeroed::<f64>(len)).is_err());
        }
    }

    #[test]
    fn what_can_be_had_is_zero() {
        assert!(room::<u64>(1000).unwrap().capacity() >= 1000);
        assert_eq!(zeroed::<f32>(0).unwrap(), []);
        assert_eq!(zeroed::<u8>(1000).unwrap(), vec![0; 1000]);
        assert_eq!(rooms(3, || zeroed::<u16>(2)).unwrap(), vec![vec![0; 2]; 3]);
    }
}
