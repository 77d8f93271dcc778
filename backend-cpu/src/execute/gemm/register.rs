//! Vector registers, for the one loop in which the compiler's own vectorisation is not to be relied on.

use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::{Negate, Numeric};

/// A register of several real numbers.
///
/// Its functions compile to one instruction each where they are inlined into code that is compiled for those
/// instructions.
pub(in crate::execute) trait Register: Copy {
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

    /// `a · b` in every lane.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn mul(a: Self, b: Self) -> Self;

    /// `a / b` in every lane.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn div(a: Self, b: Self) -> Self;

    /// The sign of every lane flipped.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn neg(self) -> Self;

    /// The canonical NaN in every lane that is NaN.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn canonical(self) -> Self;
}

/// Four numbers: what any processor can do.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Four<R>([R; 4]);

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

    #[inline(always)]
    unsafe fn mul(a: Self, b: Self) -> Self {
        Four(std::array::from_fn(|i| <R as Numeric>::mul(a.0[i], b.0[i])))
    }

    #[inline(always)]
    unsafe fn div(a: Self, b: Self) -> Self {
        Four(std::array::from_fn(|i| R::divide(a.0[i], b.0[i])))
    }

    #[inline(always)]
    unsafe fn neg(self) -> Self {
        Four(self.0.map(R::negate))
    }

    #[inline(always)]
    unsafe fn canonical(self) -> Self {
        Four(self.0.map(R::canonical))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Register;
    use std::arch::x86_64::*;
    use warpwave_core::numerics::Canonical;

    macro_rules! register {
        ($v:ty, $r:ty, $lanes:literal, $load:ident, $store:ident, $splat:ident, $mul_add:ident, $neg_mul_add:ident,
         $mul:ident, $div:ident, $xor:ident, |$x:ident, $nan:ident| $canonical:expr) => {
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

                #[inline(always)]
                unsafe fn mul(a: Self, b: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $mul(a, b) }
                }

                #[inline(always)]
                unsafe fn div(a: Self, b: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $div(a, b) }
                }

                #[inline(always)]
                unsafe fn neg(self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $xor(self, $splat(-0.0)) }
                }

                #[inline(always)]
                unsafe fn canonical(self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let ($x, $nan) = (self, $splat(<$r>::NAN.canonical()));
                        $canonical
                    }
                }
            }
        };
    }
    register!(
        __m256,
        f32,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_fnmadd_ps,
        _mm256_mul_ps,
        _mm256_div_ps,
        _mm256_xor_ps,
        |x, nan| _mm256_blendv_ps(x, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
    );
    register!(
        __m256d,
        f64,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_fmadd_pd,
        _mm256_fnmadd_pd,
        _mm256_mul_pd,
        _mm256_div_pd,
        _mm256_xor_pd,
        |x, nan| _mm256_blendv_pd(x, nan, _mm256_cmp_pd::<_CMP_UNORD_Q>(x, x))
    );
    register!(
        __m512,
        f32,
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_fnmadd_ps,
        _mm512_mul_ps,
        _mm512_div_ps,
        _mm512_xor_ps,
        |x, nan| _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x), x, nan)
    );
    register!(
        __m512d,
        f64,
        8,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_fmadd_pd,
        _mm512_fnmadd_pd,
        _mm512_mul_pd,
        _mm512_div_pd,
        _mm512_xor_pd,
        |x, nan| _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x), x, nan)
    );
}
