//! Stores that go past the caches.
//!
//! An ordinary store first fetches what is in memory, only to overwrite it. For an output that is too large to be found in a cache
//! later, that is a third of all the bytes that a scan moves. A store of a whole line of memory need not.

use super::tile::BLOCK;
use warpwave_core::Element;
use warpwave_core::operation::Ptr;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m512i, _mm_sfence, _mm512_loadu_si512, _mm512_stream_si512};

/// That the processor has such stores, and that they pay. Who has written with them calls [`fence`](Self::fence) before others look.
#[derive(Clone, Copy)]
pub(super) struct PastCaches(());

impl PastCaches {
    /// For an output of `bytes`; `None` if ordinary stores are better or the only ones.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn new(out: Ptr, bytes: usize) -> Option<Self> {
        use crate::simd::Level;
        /// Bytes from which on the next operation will hardly find the first of them in a cache.
        const LARGE: usize = 32 << 20;
        let pays = bytes >= LARGE && out.addr().is_multiple_of(size_of::<__m512i>()) && Level::best() == Level::V4;
        pays.then_some(PastCaches(()))
    }

    /// For an output of `bytes`; `None` if ordinary stores are better or the only ones.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn new(_out: Ptr, _bytes: usize) -> Option<Self> {
        None
    }

    /// `out = block`.
    #[inline(always)]
    pub(super) fn store<T: Element>(self, block: &[T; BLOCK], out: &mut [T; BLOCK]) {
        #[cfg(target_arch = "x86_64")]
        if out.as_ptr().addr().is_multiple_of(size_of::<__m512i>()) {
            let (from, to) = (block.as_ptr().cast::<__m512i>(), out.as_mut_ptr().cast::<__m512i>());
            for i in 0..size_of_val(block) / size_of::<__m512i>() {
                // SAFETY: a block is a multiple of 256 bytes, so these are inside; `out` is aligned; and where there is a
                // `PastCaches` the processor has AVX-512.
                unsafe { _mm512_stream_si512(to.add(i), _mm512_loadu_si512(from.add(i))) };
            }
            return;
        }
        *out = *block;
    }

    /// Orders what this thread has stored before all that it stores from here on.
    pub(super) fn fence(self) {
        // SAFETY: every x86-64 processor has SSE.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            _mm_sfence();
        }
    }
}
