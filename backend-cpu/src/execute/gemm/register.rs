//! Vector registers, for the one loop in which the compiler's own vectorisation is not to be relied on.

use warpwave_core::numerics::Negate;
use warpwave_core::numerics::blas::ScalarArithmetic;

/// A register of several real numbers.
///
/// Its functions compile to one instruction each where they are inlined into code that is compiled for those
/// instructions.
pub(super) trait Register: Copy {
    /// What it holds.
    type Part: ScalarArithmetic + Negate;
    /// How many.
    const LANES: usize;

    /// The numbers at `from`.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) numbers can be read there, at any alignment, and the processor has the register.
    unsafe fn load(from: *const Self::Part) -> Self;

    /// Puts the numbers at `to`.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) numbers can be written there, at any alignment, and the processor has the register.
    unsafe fn store(self, to: *mut Self::Part);

    /// `x` in every lane.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn splat(x: Self::Part) -> Self;

    /// `a · b + c` in every lane, fused.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn mul_add(a: Self, b: Self, c: Self) -> Self;

    /// `−a · b + c` in every lane, fused.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn neg_mul_add(a: Self, b: Self, c: Self) -> Self;
}

/// Four numbers: what any processor can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four<R>([R; 4]);

impl<R: ScalarArithmetic + Negate> Register for Four<R> {
    type Part = R;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const R) -> Self {
        // SAFETY: the caller's promise; an array has no more alignment than its elements.
        Four(unsafe { from.cast::<[R; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut R) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[R; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn splat(x: R) -> Self {
        Four([x; 4])
    }

    #[inline(always)]
    unsafe fn mul_add(a: Self, b: Self, c: Self) -> Self {
        Four(std::array::from_fn(|i| R::mul_add(a.0[i], b.0[i], c.0[i])))
    }

    #[inline(always)]
    unsafe fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
        Four(std::array::from_fn(|i| R::mul_add(R::negate(a.0[i]), b.0[i], c.0[i])))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Register;
    use std::arch::x86_64::*;

    macro_rules! register {
        ($v:ty, $r:ty, $lanes:literal, $load:ident, $store:ident, $splat:ident, $mul_add:ident, $neg_mul_add:ident) => {
            impl Register for $v {
                type Part = $r;
                const LANES: usize = $lanes;

                #[inline(always)]
                unsafe fn load(from: *const $r) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $load(from) }
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut $r) {
                    // SAFETY: the caller's promise.
                    unsafe { $store(to, self) }
                }

                #[inline(always)]
                unsafe fn splat(x: $r) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $splat(x) }
                }

                #[inline(always)]
                unsafe fn mul_add(a: Self, b: Self, c: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $mul_add(a, b, c) }
                }

                #[inline(always)]
                unsafe fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $neg_mul_add(a, b, c) }
                }
            }
        };
    }
    register!(__m256, f32, 8, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps);
    register!(__m256d, f64, 4, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd);
    register!(__m512, f32, 16, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_fnmadd_ps);
    register!(__m512d, f64, 8, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd);
}
