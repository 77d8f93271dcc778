//! Elements to places that indices name.

use super::index::{OutOfRange, Position};
use super::memory::{elements, elements_mut};
use crate::simd::vectorize;
use crate::workers::Workers;
use bytemuck::Pod;
use warpwave_core::operation::Span;
use warpwave_core::{DType, Result};

/// Elements from which on it pays to hand part of the work to another thread.
const GRAIN: usize = 1 << 13;
/// Each thread looks at all indices and moves the elements whose places are its own, so that of several elements for
/// one place the last one stays whatever the threads do. With more threads than this, looking is what takes the time.
const THREADS: usize = 16;

/// [`Operation::Scatter`](warpwave_core::Operation::Scatter); `None` unless the indices are integers of 32 or 64 bits.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`DeviceFault`](warpwave_core::ErrorKind::DeviceFault) for an index out of range.
pub(super) unsafe fn scatter(workers: &Workers, x: Span, index: Span, out: Span) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    unsafe {
        match index.dtype {
            DType::I32 => by_size::<i32>(workers, x, index, out),
            DType::U32 => by_size::<u32>(workers, x, index, out),
            DType::I64 => by_size::<i64>(workers, x, index, out),
            DType::U64 => by_size::<u64>(workers, x, index, out),
            _ => Ok(None),
        }
    }
}

/// # Safety
/// As for [`scatter`], and the indices are `I`s.
unsafe fn by_size<I: Position>(workers: &Workers, x: Span, index: Span, out: Span) -> Result<Option<()>> {
    if x.dtype != out.dtype {
        return Ok(None);
    }
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match x.dtype.size() {
            1 => scatter_bits::<u8, I>(workers, x, index, out)?,
            2 => scatter_bits::<u16, I>(workers, x, index, out)?,
            4 => scatter_bits::<u32, I>(workers, x, index, out)?,
            8 => scatter_bits::<[u32; 2], I>(workers, x, index, out)?,
            16 => scatter_bits::<[u64; 2], I>(workers, x, index, out)?,
            _ => return Ok(None),
        }
    }
    Ok(Some(()))
}

/// # Safety
/// As for [`by_size`], and `T` has the size of an element and no greater alignment.
unsafe fn scatter_bits<T: Pod + Sync, I: Position>(workers: &Workers, x: Span, index: Span, out: Span) -> Result<()> {
    let bad = OutOfRange::new();
    let parts = workers.threads().min(THREADS).min(x.len.div_ceil(GRAIN)).max(1);
    let places = out.len.div_ceil(parts);
    workers.split(parts, 1, |range| {
        for part in range {
            let first = (part * places).min(out.len);
            let places = places.min(out.len - first);
            // SAFETY: the spans are as long as they say, the places are inside, and no other part writes them.
            let (x, index, mine) = unsafe {
                (
                    elements::<T>(x.ptr, 0, x.len),
                    elements::<I>(index.ptr, 0, x.len),
                    elements_mut::<T>(out.ptr, first, places),
                )
            };
            let inside = vectorize(
                #[inline(always)]
                || scatter_slice(x, index, first as u64, mine, out.len as u64),
            );
            if part == 0 && !inside {
                bad.search(index, 0, out.len);
            }
        }
    });
    // SAFETY: the caller's promise; there is an index for each element.
    unsafe { bad.report(index, out.len) }
}

/// Moves those elements of `x` whose place is in `mine`, which starts at place `first` of `len`. Returns whether all
/// indices are in range.
#[inline(always)]
fn scatter_slice<T: Pod, I: Position>(x: &[T], index: &[I], first: u64, mine: &mut [T], len: u64) -> bool {
    let mut inside = true;
    // Written instead of a place of another part: a branch would be predicted wrongly half of the time.
    let mut nowhere = T::zeroed();
    for (&x, i) in x.iter().zip(index) {
        let place = i.position();
        inside &= place < len;
        let place = usize::try_from(place.wrapping_sub(first)).ok().and_then(|place| mine.get_mut(place));
        *place.unwrap_or(&mut nowhere) = x;
    }
    inside
}
