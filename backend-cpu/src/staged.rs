//! Bytes that were copied aside, so that the caller of an upload need not wait for the stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest upload that is copied aside.
const LARGEST: usize = 1 << 16;
/// Bytes that a device holds aside at a time, at most: a stream that stands still must not take all memory.
const ALL: usize = 64 << 20;

/// How many bytes a device holds aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Staging(Arc<AtomicUsize>);

/// A copy of the caller's bytes.
#[derive(Debug)]
pub(crate) struct Staged {
    bytes: Vec<u8>,
    staging: Staging,
}

impl Staging {
    /// A copy of `bytes`; `None` if they are too many, or too many are held, or there is no memory.
    pub(crate) fn copy(&self, bytes: &[u8]) -> Option<Staged> {
        let grow = |held: usize| held.checked_add(bytes.len()).filter(|&sum| sum <= ALL);
        if bytes.len() > LARGEST {
            return None;
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(bytes.len()).ok()?;
        // Relaxed: the count orders no other memory.
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow).ok()?;
        copy.extend_from_slice(bytes);
        Some(Staged { bytes: copy, staging: self.clone() })
    }
}

impl Staged {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.staging.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn no_more_is_held_than_the_cap() {
        let staging = Staging::default();
        assert!(staging.copy(&[0; LARGEST + 1]).is_none());
        let held: Vec<_> = std::iter::from_fn(|| staging.copy(&[7; LARGEST])).collect();
        assert_eq!(held.len(), ALL / LARGEST);
        assert!(staging.copy(&[7]).is_none());
        assert!(held.iter().all(|staged| staged.bytes() == [7; LARGEST]));
        drop(held);
        assert_eq!(staging.0.load(Ordering::Relaxed), 0);
        assert_eq!(staging.copy(&[7]).unwrap().bytes(), [7]);
    }
}
