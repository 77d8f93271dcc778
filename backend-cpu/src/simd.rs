//! One source, several instruction sets: the vector units of this processor, found at run time.
//!
//! A program built for the baseline of its architecture must not call `fmaf` in the C library for every `mul_add`, and should
//! use the whole width of the registers. [`vectorize`] compiles the loop it is given once for each [`Level`] and runs the best
//! one the processor has:
//!
//! ```text
//! fn axpy(alpha: f32, x: &[f32], y: &mut [f32]) {
//!     simd::vectorize(
//!         #[inline(always)]
//!         || {
//!             for (y, &x) in y.iter_mut().zip(x) {
//!                 *y = alpha.mul_add(x, *y);
//!             }
//!         },
//!     );
//! }
//! ```
//!
//! The closure, and every function that its loop calls, must be `#[inline(always)]`: what is not inlined is compiled for the
//! baseline. Call it once around a loop, not inside one, and inside the body that [`Workers::split`](crate::workers::Workers::split)
//! hands out, not around it: another thread starts at the baseline again.
//!
//! The level never changes a result. Rust neither contracts nor reassociates floating-point arithmetic, `mul_add` rounds once
//! on every level, and the order of combining elements is written in the source. The one thing left open is which NaN comes
//! out, and [`warpwave_core::numerics`] makes every NaN the canonical one.

use std::sync::OnceLock;

/// A set of instructions to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// What every processor of the architecture has.
    Baseline,
    /// 256-bit registers and fused multiply-add: x86-64-v3.
    #[cfg(target_arch = "x86_64")]
    V3,
    /// 512-bit registers: x86-64-v4.
    #[cfg(target_arch = "x86_64")]
    V4,
}

impl Level {
    /// The levels that this processor has, ascending.
    pub(crate) fn supported() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2")
                && has!("fma")
                && has!("bmi1")
                && has!("bmi2")
                && has!("lzcnt")
                && has!("movbe")
                && has!("f16c")
            {
                levels.push(Level::V3);
                if has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl") {
                    levels.push(Level::V4);
                }
            }
        }
        levels
    }

    /// The best that this processor has; looked up once.
    #[inline]
    pub(crate) fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Level::supported().pop().unwrap_or(Level::Baseline))
    }
}

/// Runs `kernel`, compiled for the best [`Level`] of this processor. The module says what `kernel` must hold to.
#[inline]
pub(crate) fn vectorize<R>(kernel: impl FnOnce() -> R) -> R {
    match Level::best() {
        Level::Baseline => kernel(),
        // SAFETY: `best` is one of `supported`, which has checked each feature that `v3` enables.
        #[cfg(target_arch = "x86_64")]
        Level::V3 => unsafe { v3(kernel) },
        // SAFETY: `best` is one of `supported`, which has checked each feature that `v4` enables.
        #[cfg(all(target_arch = "x86_64", not(any(debug_assertions, warpwave_two_levels))))]
        Level::V4 => unsafe { v4(kernel) },
        // A third copy of every loop costs a third of the time that this crate takes to compile and of its size, and gives the same bits.
        // `--cfg warpwave_two_levels` is for programs that have to be small.
        // SAFETY: `best` is one of `supported`, and what has `V4` has each feature that `v3` enables.
        #[cfg(all(target_arch = "x86_64", any(debug_assertions, warpwave_two_levels)))]
        Level::V4 => unsafe { v3(kernel) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,lzcnt,movbe")]
fn v3<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

#[cfg(all(target_arch = "x86_64", any(test, not(any(debug_assertions, warpwave_two_levels)))))]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,f16c,fma,bmi1,bmi2,lzcnt,movbe")]
fn v4<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[inline(always)]
    fn fused(x: &[f32], y: &mut [f32]) {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = x.mul_add(1.000_000_1, *y);
        }
    }

    /// Every level gives the bits of a multiply-add done in f64, where the product is exact and the sum of these operands is
    /// too: so no level contracts differently, and none rounds twice.
    #[test]
    fn levels_agree_to_the_bit() {
        let x: Vec<f32> = (0..1000).map(|i| 1.0 + i as f32 * 1.1e-3).collect();
        let start: Vec<f32> = (0..1000).map(|i| -1.0 - i as f32 * 0.9e-3).collect();
        let expected: Vec<u32> = x
            .iter()
            .zip(&start)
            .map(|(&x, &y)| ((f64::from(x) * f64::from(1.000_000_1_f32) + f64::from(y)) as f32).to_bits())
            .collect();
        for level in Level::supported() {
            let mut y = start.clone();
            match level {
                Level::Baseline => fused(&x, &mut y),
                // SAFETY: the level is one of `supported`.
                #[cfg(target_arch = "x86_64")]
                Level::V3 => unsafe { v3(|| fused(&x, &mut y)) },
                // SAFETY: the level is one of `supported`.
                #[cfg(target_arch = "x86_64")]
                Level::V4 => unsafe { v4(|| fused(&x, &mut y)) },
            }
            assert_eq!(y.iter().map(|y| y.to_bits()).collect::<Vec<_>>(), expected, "{level:?}");
        }
        assert!(Level::supported().contains(&Level::best()));
    }
}
