//! The elements that a mask selects, closed up.

use super::memory::{GRAIN_BYTES, elements, elements_mut};
use crate::simd::vectorize;
use crate::workers::Workers;
use bytemuck::Pod;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwave_core::DType;
use warpwave_core::operation::Span;

/// Pieces that the elements are cut into at most: each is counted, and then moved to where those in front of it end.
const PIECES: usize = 256;
/// Elements closed up in the first-level cache, and written out together.
const BATCH: usize = 512;

/// [`Operation::Compact`](warpwave_core::Operation::Compact); `None` if the types do not fit.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn compact(workers: &Workers, x: Span, mask: Span, out: Span, count: Span) -> Option<()> {
    if mask.dtype != DType::U8 || x.dtype != out.dtype || count.dtype != DType::U64 {
        return None;
    }
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match x.dtype.size() {
            1 => compact_bits::<u8>(workers, x, mask, out, count),
            2 => compact_bits::<u16>(workers, x, mask, out, count),
            4 => compact_bits::<u32>(workers, x, mask, out, count),
            8 => compact_bits::<[u32; 2]>(workers, x, mask, out, count),
            16 => compact_bits::<[u64; 2]>(workers, x, mask, out, count),
            _ => return None,
        }
    }
    Some(())
}

/// # Safety
/// As for [`compact`], and `T` has the size of an element and no greater alignment.
unsafe fn compact_bits<T: Pod + Sync>(workers: &Workers, x: Span, mask: Span, out: Span, count: Span) {
    let grain = GRAIN_BYTES / (1 + size_of::<T>());
    let piece = x.len.div_ceil(PIECES).max(grain);
    let pieces = x.len.div_ceil(piece);
    // SAFETY: the mask is as long as `x`, and nothing writes it.
    let mask = unsafe { elements::<u8>(mask.ptr, 0, x.len) };
    let masked = |i: usize| &mask[i * piece..x.len.min((i + 1) * piece)];
    // First how many each piece selects, then how many those in front of it do.
    let starts = [const { AtomicUsize::new(0) }; PIECES];
    workers.split(pieces, 1, |range| {
        for i in range {
            starts[i].store(selected(masked(i)), Ordering::Relaxed);
        }
    });
    let mut total = 0;
    for start in &starts[..pieces] {
        total += start.swap(total, Ordering::Relaxed);
    }
    workers.split(pieces, 1, |range| {
        for i in range {
            let mask = masked(i);
            // SAFETY: the piece is inside of `x`; its selected elements go between those of the pieces beside it.
            unsafe {
                let x = elements::<T>(x.ptr, i * piece, mask.len());
                close_up(x, mask, |at, batch| {
                    let at = starts[i].load(Ordering::Relaxed) + at;
                    elements_mut::<T>(out.ptr, at, batch.len()).copy_from_slice(batch);
                });
            }
        }
    });
    // SAFETY: the count is one `u64`, and nothing else writes it.
    unsafe { elements_mut::<u64>(count.ptr, 0, 1).fill(total as u64) };
}

/// How many elements a mask selects.
fn selected(mask: &[u8]) -> usize {
    vectorize(
        #[inline(always)]
        || {
            // Counted in bytes as far as those reach.
            let batch = |mask: &[u8]| mask.iter().map(|&m| u8::from(m != 0)).sum::<u8>();
            mask.chunks(usize::from(u8::MAX)).map(|mask| usize::from(batch(mask))).sum()
        },
    )
}

/// Calls `write` with the selected elements, batch by batch, and how many came before.
#[inline(always)]
fn close_up<T: Pod>(x: &[T], mask: &[u8], mut write: impl FnMut(usize, &[T])) {
    let mut batch = [T::zeroed(); BATCH];
    let mut before = 0;
    for (x, mask) in x.chunks(BATCH).zip(mask.chunks(BATCH)) {
        let mut len = 0;
        for (&x, &mask) in x.iter().zip(mask) {
            // An element that is not selected is written too, and then over: without a branch.
            batch[len] = x;
            len += usize::from(mask != 0);
        }
        write(before, &batch[..len]);
        before += len;
    }
}
