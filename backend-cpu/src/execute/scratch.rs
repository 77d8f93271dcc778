//! Memory that an operation works in.

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn too_much_is_an_error() {
        assert!(room::<u64>(1000).unwrap().capacity() >= 1000);
        // More than a machine has, than can be addressed, and than can be counted.
        for len in [1 << 44, isize::MAX as usize / 8, usize::MAX] {
            match room::<u64>(len).unwrap_err().kind() {
                ErrorKind::OutOfMemory { requested, .. } => assert_eq!(*requested, len.saturating_mul(8)),
                other => panic!("{other}"),
            }
        }
    }
}
