//! Outputs too large for the caches, written past them.
//!
//! An ordinary store of a line that is not in the cache reads it from memory first. A non-temporal store does not, so that
//! memory moves a third less for a conversion or a transposition.

use bytemuck::Pod;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Whether to write an output of so many bytes past the caches: it would not be found there afterwards in any case.
pub(super) const fn is_large(bytes: usize) -> bool {
    bytes >= 16 << 20
}

/// Copies `from`, which is as long as `to`, past the caches. [`fence`] has to follow.
#[inline(always)]
pub(super) fn copy<T: Pod>(from: &[T], to: &mut [T]) {
    let (from, to) = (bytemuck::cast_slice::<T, u8>(from), bytemuck::cast_slice_mut::<T, u8>(to));
    // What is not a whole line goes the ordinary way.
    let head = to.as_ptr().align_offset(LINE).min(to.len());
    let (from_head, from) = from.split_at(head);
    let (to_head, to) = to.split_at_mut(head);
    if head > 0 {
        to_head.copy_from_slice(from_head);
    }
    let (from, from_tail) = from.as_chunks::<LINE>();
    let (to, to_tail) = to.as_chunks_mut::<LINE>();
    for (from, to) in from.iter().zip(to) {
        line(from, to);
    }
    if !to_tail.is_empty() {
        to_tail.copy_from_slice(from_tail);
    }
}

/// Copies a line, to where one begins.
#[inline(always)]
fn line(from: &[u8; LINE], to: &mut [u8; LINE]) {
    #[cfg(target_arch = "x86_64")]
    for part in 0..LINE / size_of::<__m128i>() {
        // SAFETY: both have so many parts, and the parts of `to` are aligned. Every x86-64 processor has SSE2.
        unsafe {
            let value = _mm_loadu_si128(from.as_ptr().cast::<__m128i>().add(part));
            _mm_stream_si128(to.as_mut_ptr().cast::<__m128i>().add(part), value);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        *to = *from;
    }
}

/// Orders what [`copy`] has written before all that this thread writes afterwards, so that whoever sees that sees it too.
#[inline(always)]
pub(super) fn fence() {
    // SAFETY: every x86-64 processor has SSE.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        _mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At every offset from a line, for lengths below, at and above whole lines, with nothing else touched.
    #[test]
    fn every_offset_and_length() {
        fn check<T: Pod + PartialEq + std::fmt::Debug>(make: impl Fn(usize) -> T) {
            let source: Vec<T> = (0..1000).map(&make).collect();
            for offset in 0..70 {
                for len in [0, 1, 3, 15, 16, 17, 63, 64, 65, 200, 500] {
                    let mut target = [make(7777); 700];
                    copy(&source[5..5 + len], &mut target[offset..offset + len]);
                    fence();
                    assert_eq!(target[offset..offset + len], source[5..5 + len], "{offset} {len}");
                    let around = target[..offset].iter().chain(&target[offset + len..]);
                    assert!(around.into_iter().all(|&x| x == make(7777)), "{offset} {len}");
                }
            }
        }
        check(|i| i as u8);
        check(|i| i as u16);
        check(|i| i as f32);
        check(|i| [i as u32; 2]);
        check(|i| [i as u64; 2]);
    }
}
