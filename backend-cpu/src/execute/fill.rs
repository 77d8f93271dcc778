//! Constants and arithmetic sequences.

use super::memory::{GRAIN_BYTES, bits, elements_mut, grain};
use crate::simd::vectorize;
use crate::workers::Workers;
use warpwave_core::numerics::RealNumeric;
use warpwave_core::operation::{MatrixOperand, Span};
use warpwave_core::{ScalarValue, match_dtype};

/// [`Operation::Fill`](warpwave_core::Operation::Fill); `None` if the types differ.
///
/// # Safety
/// `out` is as the operation says.
pub(super) unsafe fn fill(workers: &Workers, value: ScalarValue, out: MatrixOperand) -> Option<()> {
    if value.dtype() != out.dtype {
        return None;
    }
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match value.dtype().size() {
            1 => fill_bits::<u8>(workers, bits(value), out),
            2 => fill_bits::<u16>(workers, bits(value), out),
            4 => fill_bits::<u32>(workers, bits(value), out),
            8 => fill_bits::<[u32; 2]>(workers, bits(value), out),
            16 => fill_bits::<[u64; 2]>(workers, bits(value), out),
            _ => return None,
        }
    }
    Some(())
}

/// # Safety
/// As for [`fill`], and `T` has the size of an element and no greater alignment.
unsafe fn fill_bits<T: Copy + Sync>(workers: &Workers, value: T, out: MatrixOperand) {
    let Some(out) = out.contiguous() else {
        let (run, runs) = out.runs();
        workers.split(runs, GRAIN_BYTES.div_ceil(run * size_of::<T>()), |range| {
            for index in range {
                // SAFETY: the run is inside the matrix, and no other part has it.
                unsafe { elements_mut::<T>(out.ptr, index * out.ld, run) }.fill(value);
            }
        });
        return;
    };
    workers.split(out.len, grain::<T>(), |range| {
        // SAFETY: the range is inside the span, and no other part has it.
        let out = unsafe { elements_mut::<T>(out.ptr, range.start, range.len()) };
        vectorize(
            #[inline(always)]
            || out.fill(value),
        );
    });
}

/// [`Operation::Iota`](warpwave_core::Operation::Iota); `None` if the types differ or have no sequence.
///
/// # Safety
/// `out` is as the operation says.
pub(super) unsafe fn iota(workers: &Workers, start: ScalarValue, step: ScalarValue, out: Span) -> Option<()> {
    match_dtype!(out.dtype, real T => {
        let (start, step) = (start.get::<T>()?, step.get::<T>()?);
        workers.split(out.len, grain::<T>(), |range| {
            // SAFETY: the range is inside the span, and no other part has it.
            let out = unsafe { elements_mut::<T>(out.ptr, range.start, range.len()) };
            vectorize(
                #[inline(always)]
                || {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = T::iota(start, step, (range.start + i) as u64);
                    }
                },
            );
        });
        Some(())
    }, _ => None)
}
