//! Counting.

use super::index::{OutOfRange, Position};
use super::memory::{elements, elements_mut, grain};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::sync::atomic::{AtomicU64, Ordering};
use warpwave_core::operation::Span;
use warpwave_core::{DType, Result, match_dtype};

/// Counters that a thread has of its own, in the first-level cache.
const TABLE: usize = 4096;
/// Counters for each number, where there is room: the same number many times in a row would otherwise wait each time
/// for the count before it.
const WAYS: usize = 4;
/// With more threads than this, looking at all numbers is what takes the time.
const THREADS: usize = 16;
/// Elements from which on it pays to hand part of the work with many counters to another thread.
const GRAIN: usize = 1 << 13;

/// [`Operation::Histogram`](warpwave_core::Operation::Histogram); `None` unless integers are counted in `u64`.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`DeviceFault`](warpwave_core::ErrorKind::DeviceFault) for a number out of range.
pub(super) unsafe fn histogram(workers: &Workers, x: Span, out: Span) -> Result<Option<()>> {
    if out.dtype != DType::U64 {
        return Ok(None);
    }
    let bad = OutOfRange::new();
    match_dtype!(x.dtype, integer T => {
        // SAFETY: the caller's promise.
        unsafe {
            if out.len <= TABLE {
                tables::<T>(workers, x, out, &bad);
            } else {
                ranges::<T>(workers, x, out, &bad);
            }
        }
    }, _ => return Ok(None));
    // SAFETY: the caller's promise.
    unsafe { bad.report(x, out.len)? };
    Ok(Some(()))
}

/// Each thread counts a part of the elements in a table of its own. Sums of integers do not depend on their order.
///
/// # Safety
/// As for [`histogram`], the elements are `T`s, and there are at most [`TABLE`] counters.
unsafe fn tables<T: Position>(workers: &Workers, x: Span, out: Span, bad: &OutOfRange) {
    // SAFETY: nothing else touches the counts.
    unsafe { elements_mut::<u64>(out.ptr, 0, out.len) }.fill(0);
    // SAFETY: as before; and atomics may be written while they are shared. A `u64` of this device is aligned as one is.
    let counts = unsafe { elements::<AtomicU64>(out.ptr, 0, out.len) };
    workers.split(x.len, grain::<T>(), |range| {
        // SAFETY: the range is inside the span.
        let x = unsafe { elements::<T>(x.ptr, range.start, range.len()) };
        let mut table = [0; TABLE + 1];
        let ways = if counts.len() <= TABLE / WAYS { WAYS } else { 1 };
        match ways {
            WAYS => count_in_table::<T, WAYS>(x, counts.len(), &mut table),
            _ => count_in_table::<T, 1>(x, counts.len(), &mut table),
        }
        for way in table[..ways * counts.len()].chunks_exact(counts.len().max(1)) {
            for (count, &more) in counts.iter().zip(way).filter(|&(_, &more)| more > 0) {
                count.fetch_add(more, Ordering::Relaxed);
            }
        }
        if table[TABLE] > 0 {
            bad.search(x, range.start, counts.len());
        }
    });
}

/// Counts in `WAYS` tables of `len` counters by turns, which follow each other; the last counter is for what is out of
/// range.
fn count_in_table<T: Position, const WAYS: usize>(x: &[T], len: usize, table: &mut [u64; TABLE + 1]) {
    for x in x.chunks(WAYS) {
        for (way, x) in x.iter().enumerate() {
            let number = x.position();
            let counter = if number < len as u64 { number as usize + way * len } else { TABLE };
            table[counter] += 1;
        }
    }
}

/// Each thread looks at all elements, and counts those whose counters are its own.
///
/// # Safety
/// As for [`histogram`], and the elements are `T`s.
unsafe fn ranges<T: Position>(workers: &Workers, x: Span, out: Span, bad: &OutOfRange) {
    // SAFETY: the span is as long as it says.
    let x = unsafe { elements::<T>(x.ptr, 0, x.len) };
    let parts = workers.threads().min(THREADS).min((x.len() + out.len).div_ceil(GRAIN)).max(1);
    let counters = out.len.div_ceil(parts);
    workers.split(parts, 1, |range| {
        for part in range {
            let first = (part * counters).min(out.len);
            // SAFETY: the counters are inside the span, and no other part has them.
            let mine = unsafe { elements_mut::<u64>(out.ptr, first, counters.min(out.len - first)) };
            mine.fill(0);
            let inside = vectorize(
                #[inline(always)]
                || count(x, first as u64, mine, out.len as u64),
            );
            if part == 0 && !inside {
                bad.search(x, 0, out.len);
            }
        }
    });
}

/// Counts the elements whose counter is in `mine`, which starts with number `first` of `len`. Returns whether all are
/// in range.
#[inline(always)]
fn count<T: Position>(x: &[T], first: u64, mine: &mut [u64], len: u64) -> bool {
    let mut inside = true;
    // Counted instead of what belongs to others, without a branch, and by turns, so that no count waits for the one
    // before it.
    let mut nowhere = [0_u64; 8];
    for (i, x) in x.iter().enumerate() {
        let number = x.position();
        inside &= number < len;
        let counter = usize::try_from(number.wrapping_sub(first)).ok().and_then(|counter| mine.get_mut(counter));
        *counter.unwrap_or(&mut nowhere[i % 8]) += 1;
    }
    inside
}
