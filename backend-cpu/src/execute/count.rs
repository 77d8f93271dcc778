//! Counting the elements of a mask.

use super::memory::{elements, elements_mut, grain};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::sync::atomic::{AtomicU64, Ordering};
use warpwave_core::DType;
use warpwave_core::operation::Span;

/// [`Operation::Count`](warpwave_core::Operation::Count); `None` if a type is another.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn count(workers: &Workers, mask: Span, out: Span) -> Option<()> {
    if (mask.dtype, out.dtype) != (DType::U8, DType::U64) {
        return None;
    }
    // The order of the parts does not show in a sum of integers.
    let total = AtomicU64::new(0);
    workers.split(mask.len, grain::<u8>(), |range| {
        // SAFETY: the range is inside the span.
        let part = unsafe { elements::<u8>(mask.ptr, range.start, range.len()) };
        total.fetch_add(count_part(part), Ordering::Relaxed);
    });
    // SAFETY: the caller's promise.
    let out = unsafe { elements_mut::<u64>(out.ptr, 0, 1) };
    out[0] = total.into_inner();
    Some(())
}

/// Counters that run side by side, as many as bytes in the largest registers.
const LANES: usize = 64;

fn count_part(mask: &[u8]) -> u64 {
    vectorize(
        #[inline(always)]
        || {
            let mut total = 0;
            // No counter of a byte passes 255.
            for piece in mask.chunks(255 * LANES) {
                let mut lanes = [0u8; LANES];
                let (rows, rest) = piece.as_chunks::<LANES>();
                for row in rows {
                    for (lane, &x) in lanes.iter_mut().zip(row) {
                        *lane += u8::from(x != 0);
                    }
                }
                total += lanes.iter().map(|&lane| u64::from(lane)).sum::<u64>();
                total += rest.iter().map(|&x| u64::from(x != 0)).sum::<u64>();
            }
            total
        },
    )
}
