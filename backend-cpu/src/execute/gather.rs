//! Elements from places that indices name.

use super::index::{OutOfRange, Position};
use super::memory::{elements, elements_mut};
use crate::simd::vectorize;
use crate::workers::Workers;
use bytemuck::Pod;
use warpwave_core::operation::Span;
use warpwave_core::{DType, Result};

/// Elements from which on it pays to hand part of the work to another thread: every one may come from memory.
const GRAIN: usize = 1 << 12;

/// [`Operation::Gather`](warpwave_core::Operation::Gather); `None` unless the indices are integers of 32 or 64 bits.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`DeviceFault`](warpwave_core::ErrorKind::DeviceFault) for an index out of range.
pub(super) unsafe fn gather(workers: &Workers, x: Span, index: Span, out: Span) -> Result<Option<()>> {
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
/// As for [`gather`], and the indices are `I`s.
unsafe fn by_size<I: Position>(workers: &Workers, x: Span, index: Span, out: Span) -> Result<Option<()>> {
    if x.dtype != out.dtype {
        return Ok(None);
    }
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match x.dtype.size() {
            1 => gather_bits::<u8, I>(workers, x, index, out)?,
            2 => gather_bits::<u16, I>(workers, x, index, out)?,
            4 => gather_bits::<u32, I>(workers, x, index, out)?,
            8 => gather_bits::<[u32; 2], I>(workers, x, index, out)?,
            16 => gather_bits::<[u64; 2], I>(workers, x, index, out)?,
            _ => return Ok(None),
        }
    }
    Ok(Some(()))
}

/// # Safety
/// As for [`by_size`], and `T` has the size of an element and no greater alignment.
unsafe fn gather_bits<T: Pod + Sync, I: Position>(workers: &Workers, x: Span, index: Span, out: Span) -> Result<()> {
    let bad = OutOfRange::new();
    workers.split(out.len, GRAIN, |range| {
        // SAFETY: the spans are as long as they say, the range is inside, and no other part writes it.
        let (x, index, out) = unsafe {
            (
                elements::<T>(x.ptr, 0, x.len),
                elements::<I>(index.ptr, range.start, range.len()),
                elements_mut::<T>(out.ptr, range.start, range.len()),
            )
        };
        if !vectorize(
            #[inline(always)]
            || gather_slice(x, index, out),
        ) {
            bad.search(index, range.start, x.len());
        }
    });
    // SAFETY: the caller's promise.
    unsafe { bad.report(index, x.len) }
}

/// Returns whether all indices are in range.
#[inline(always)]
fn gather_slice<T: Pod, I: Position>(x: &[T], index: &[I], out: &mut [T]) -> bool {
    let mut inside = true;
    for (out, i) in out.iter_mut().zip(index) {
        let found = usize::try_from(i.position()).ok().and_then(|i| x.get(i));
        inside &= found.is_some();
        *out = found.copied().unwrap_or(T::zeroed());
    }
    inside
}
