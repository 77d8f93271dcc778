//! Conversion of many `f16`s, by the processor's own instruction where it has one.

use crate::simd::Level;
use std::mem::MaybeUninit;
use warpwave_core::f16;
use warpwave_core::numerics::cast;

/// `x` as `f32`, in the first elements of `room`, which has as many at least. A NaN stays one; which one, is not said.
pub(super) fn widen<'a>(x: &[f16], room: &'a mut [MaybeUninit<f32>]) -> &'a [f32] {
    let room = &mut room[..x.len()];
    match Level::best() {
        // SAFETY: the level has AVX-512.
        #[cfg(target_arch = "x86_64")]
        Level::V4 => unsafe { x86::widen_v4(x, room) },
        // SAFETY: the level has F16C.
        #[cfg(target_arch = "x86_64")]
        Level::V3 => unsafe { x86::widen_v3(x, room) },
        Level::Baseline => widen_each(x, room),
    }
    // SAFETY: each has been written.
    unsafe { &*(std::ptr::from_ref(room) as *const [f32]) }
}

fn widen_each(x: &[f16], room: &mut [MaybeUninit<f32>]) {
    for (room, &x) in room.iter_mut().zip(x) {
        room.write(cast(x));
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::widen_each;
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_cvtph_ps, _mm256_loadu_si256, _mm256_storeu_ps, _mm512_cvtph_ps, _mm512_storeu_ps,
    };
    use std::mem::MaybeUninit;
    use warpwave_core::f16;

    macro_rules! widen {
        ($name:ident, $features:literal, $count:literal, $load:ident, $convert:ident, $store:ident) => {
            /// `room` is as long as `x`.
            #[target_feature(enable = $features)]
            pub(super) fn $name(x: &[f16], room: &mut [MaybeUninit<f32>]) {
                let (whole, rest) = x.as_chunks::<$count>();
                let (to, to_rest) = room.as_chunks_mut::<$count>();
                for (x, to) in whole.iter().zip(to) {
                    // SAFETY: both are as long as the registers, which ask for no alignment.
                    unsafe { $store(to.as_mut_ptr().cast(), $convert($load(x.as_ptr().cast()))) };
                }
                widen_each(rest, to_rest);
            }
        };
    }
    widen!(widen_v3, "avx,f16c", 8, _mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps);
    widen!(widen_v4, "avx512f", 16, _mm256_loadu_si256, _mm512_cvtph_ps, _mm512_storeu_ps);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `f16`, at lengths and offsets that leave a rest.
    #[test]
    fn every_value_is_exact() {
        let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        for (start, len) in [(0, 1 << 16), (1, 7), (3, 8), (5, 15), (31, 33), (7, 0), (9, 65_500)] {
            let x = &all[start..start + len];
            let mut room = vec![MaybeUninit::new(7.0); len + 1];
            let wide = widen(x, &mut room);
            assert_eq!(wide.len(), len);
            for (&x, &wide) in x.iter().zip(wide) {
                // The crate's own conversion, of one element.
                let expected = x.to_f32();
                assert!(wide.to_bits() == expected.to_bits() || (wide.is_nan() && expected.is_nan()), "{x}: {wide}");
            }
            // SAFETY: all were initialised above.
            assert_eq!(unsafe { room[len].assume_init() }, 7.0);
        }
    }
}
