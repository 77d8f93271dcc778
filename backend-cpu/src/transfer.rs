//! Copies of bytes, shared by the device's threads when they are large.

use crate::workers::Workers;
use warpwave_core::Transfer;
use warpwave_core::operation::Ptr;

/// Bytes below which one thread copies: about what the hand-over to the others costs.
const GRAIN: usize = 1 << 18;

/// Copies `bytes` bytes.
///
/// # Safety
/// For the time of the call `src` is readable and `dst` writable for `bytes`, and nothing else writes either or reads
/// `dst`. They do not overlap.
pub(crate) unsafe fn copy_bytes(workers: &Workers, src: Ptr, dst: Ptr, bytes: usize) {
    workers.split(bytes, GRAIN, |part| {
        let (src, dst) = (src.byte_add(part.start), dst.byte_add(part.start));
        // SAFETY: `part` lies in `0..bytes`, so both runs lie inside what the caller vouches for, and parts are
        // disjoint.
        unsafe { src.as_ptr().cast_const().copy_to_nonoverlapping(dst.as_ptr(), part.len()) };
    });
}

/// Executes a [`Transfer`].
///
/// # Safety
/// As for [`Backend::copy`](warpwave_core::Backend::copy), for the time of the call.
pub(crate) unsafe fn transfer(workers: &Workers, transfer: &Transfer) {
    let Transfer { src, dst, row_bytes, rows, src_pitch, dst_pitch, .. } = *transfer;
    if rows == 0 || row_bytes == 0 {
        return;
    }
    if rows == 1 || (src_pitch == row_bytes && dst_pitch == row_bytes) {
        // SAFETY: the rows follow each other without gaps on both sides, so they are one run of `rows * row_bytes`
        // bytes inside live allocations (the product cannot overflow); the caller vouches for the rest.
        return unsafe { copy_bytes(workers, src, dst, rows * row_bytes) };
    }
    workers.split(rows, GRAIN.div_ceil(row_bytes), |part| {
        for row in part {
            let (src, dst) = (src.byte_add(row * src_pitch), dst.byte_add(row * dst_pitch));
            // SAFETY: row `row` of `rows` lies inside the operands, source and destination do not overlap, and the
            // destination's rows are disjoint, because the pitch is at least their length.
            unsafe { src.as_ptr().cast_const().copy_to_nonoverlapping(dst.as_ptr(), row_bytes) };
        }
    });
}
