//! What operations with indices share: reading an index, and telling of one that is out of range.

use super::memory::elements;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwave_core::operation::Span;
use warpwave_core::{Error, ErrorKind, Result, match_dtype};

/// An integer as a position.
pub(super) trait Position: Copy + Sync {
    /// A negative number is past the end of everything.
    fn position(self) -> u64;
}

macro_rules! positions {
    ($($t:ty),*) => { $(
        impl Position for $t {
            #[inline(always)]
            fn position(self) -> u64 {
                // Extends the sign of a signed integer.
                self as u64
            }
        }
    )* };
}
positions!(i8, i16, i32, i64, u8, u16, u32, u64);

/// The first place with an index out of range, found by any number of threads.
pub(super) struct OutOfRange(AtomicUsize);

impl OutOfRange {
    pub(super) fn new() -> Self {
        OutOfRange(AtomicUsize::new(usize::MAX))
    }

    /// Looks for the first of `index`, which starts at place `start`, that is not below `len`.
    pub(super) fn search<I: Position>(&self, index: &[I], start: usize, len: usize) {
        if let Some(place) = index.iter().position(|i| i.position() >= len as u64) {
            // Relaxed: read after the threads have ended.
            self.0.fetch_min(start + place, Ordering::Relaxed);
        }
    }

    /// The fault, if a place was found; `index` are all indices, and `len` is what they have to be below.
    ///
    /// # Safety
    /// As for [`elements`], for all of `index`.
    pub(super) unsafe fn report(self, index: Span, len: usize) -> Result<()> {
        let place = self.0.into_inner();
        if place >= index.len {
            return Ok(());
        }
        let value = match_dtype!(index.dtype, integer I => {
            // SAFETY: the caller's promise; the place is inside.
            let found = unsafe { elements::<I>(index.ptr, place, 1) };
            found.first().map_or_else(String::new, ToString::to_string)
        }, _ => String::new());
        Err(Error::new(ErrorKind::DeviceFault {
            what: format!("the index at position {place} is {value}, which is outside of 0..{len}"),
        }))
    }
}
