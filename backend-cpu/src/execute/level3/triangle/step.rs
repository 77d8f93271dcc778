//! What is done with the elements of one step of a slab: the real parts of all vectors, then the imaginary parts, if there are any.

use crate::execute::gemm::{Microkernel, Register};
use warpwave_core::numerics::blas::Divisor;
use warpwave_core::{Complex32, Complex64};

/// Arithmetic on steps of `H` registers `R`. For all of it the processor has to have the register, and the steps their length.
pub(super) trait Steps: Microkernel {
    /// `sums + t · x`, fused, or with `FIRST` false `sums + x · t`.
    ///
    /// # Safety
    /// As said above.
    unsafe fn accumulate<R: Register<Part = Self::Part>, const H: usize, const FIRST: bool>(
        t: Self,
        x: &[Self::Part],
        sums: &mut [Self::Part],
    );

    /// `by · x`, canonical.
    ///
    /// # Safety
    /// As said above.
    unsafe fn scale_step<R: Register<Part = Self::Part>, const H: usize>(by: Self, x: &mut [Self::Part]);

    /// `x / by`, or `x` itself, canonical.
    ///
    /// # Safety
    /// As said above.
    unsafe fn divide_step<R: Register<Part = Self::Part>, const H: usize>(by: Option<Self>, x: &mut [Self::Part]);
}

macro_rules! real {
    ($t:ty) => {
        impl Steps for $t {
            #[inline(always)]
            unsafe fn accumulate<R: Register<Part = $t>, const H: usize, const FIRST: bool>(
                t: $t,
                x: &[$t],
                sums: &mut [$t],
            ) {
                debug_assert!(x.len() >= H * R::LANES && sums.len() >= H * R::LANES);
                // SAFETY: the caller's promise.
                unsafe {
                    let t = R::splat(t);
                    for h in 0..H {
                        let sum = sums.as_mut_ptr().add(h * R::LANES);
                        R::mul_add(t, R::load(x.as_ptr().add(h * R::LANES)), R::load(sum)).store(sum);
                    }
                }
            }

            #[inline(always)]
            unsafe fn scale_step<R: Register<Part = $t>, const H: usize>(by: $t, x: &mut [$t]) {
                debug_assert!(x.len() >= H * R::LANES);
                // SAFETY: the caller's promise.
                unsafe {
                    for h in 0..H {
                        let x = x.as_mut_ptr().add(h * R::LANES);
                        R::mul(R::splat(by), R::load(x)).canonical().store(x);
                    }
                }
            }

            #[inline(always)]
            unsafe fn divide_step<R: Register<Part = $t>, const H: usize>(by: Option<$t>, x: &mut [$t]) {
                debug_assert!(x.len() >= H * R::LANES);
                // SAFETY: the caller's promise.
                unsafe {
                    for h in 0..H {
                        let x = x.as_mut_ptr().add(h * R::LANES);
                        let quotient = match by {
                            Some(by) => R::div(R::load(x), R::splat(by)),
                            None => R::load(x),
                        };
                        quotient.canonical().store(x);
                    }
                }
            }
        }
    };
}
real!(f32);
real!(f64);

macro_rules! complex {
    ($t:ty, $r:ty) => {
        impl Steps for $t {
            #[inline(always)]
            unsafe fn accumulate<R: Register<Part = $r>, const H: usize, const FIRST: bool>(
                t: $t,
                x: &[$r],
                sums: &mut [$r],
            ) {
                debug_assert!(x.len() >= 2 * H * R::LANES && sums.len() >= 2 * H * R::LANES);
                // SAFETY: the caller's promise.
                unsafe {
                    let (t_re, t_im) = (R::splat(t.re), R::splat(t.im));
                    for h in 0..H {
                        let (re, im) = (h * R::LANES, (H + h) * R::LANES);
                        let (x_re, x_im) = (R::load(x.as_ptr().add(re)), R::load(x.as_ptr().add(im)));
                        let (re, im) = (sums.as_mut_ptr().add(re), sums.as_mut_ptr().add(im));
                        R::neg_mul_add(t_im, x_im, R::mul_add(t_re, x_re, R::load(re))).store(re);
                        match FIRST {
                            true => R::mul_add(t_im, x_re, R::mul_add(t_re, x_im, R::load(im))).store(im),
                            false => R::mul_add(t_re, x_im, R::mul_add(t_im, x_re, R::load(im))).store(im),
                        }
                    }
                }
            }

            #[inline(always)]
            unsafe fn scale_step<R: Register<Part = $r>, const H: usize>(by: $t, x: &mut [$r]) {
                debug_assert!(x.len() >= 2 * H * R::LANES);
                // SAFETY: the caller's promise.
                unsafe {
                    let (by_re, by_im) = (R::splat(by.re), R::splat(by.im));
                    for h in 0..H {
                        let (re, im) = (x.as_mut_ptr().add(h * R::LANES), x.as_mut_ptr().add((H + h) * R::LANES));
                        let (x_re, x_im) = (R::load(re), R::load(im));
                        R::neg_mul_add(by_im, x_im, R::mul(by_re, x_re)).canonical().store(re);
                        R::mul_add(by_im, x_re, R::mul(by_re, x_im)).canonical().store(im);
                    }
                }
            }

            #[inline(always)]
            unsafe fn divide_step<R: Register<Part = $r>, const H: usize>(by: Option<$t>, x: &mut [$r]) {
                debug_assert!(x.len() >= 2 * H * R::LANES);
                // The quotient of the definition, with what depends on the divisor alone found once.
                let divisor = by.map(Divisor::<$r>::new);
                // SAFETY: the caller's promise.
                unsafe {
                    for h in 0..H {
                        let (re, im) = (x.as_mut_ptr().add(h * R::LANES), x.as_mut_ptr().add((H + h) * R::LANES));
                        let (x_re, x_im) = (R::load(re), R::load(im));
                        let (new_re, new_im) = match divisor {
                            None => (x_re, x_im),
                            Some(Divisor { by_real, ratio, denominator, before, after }) => {
                                let (ratio, denominator) = (R::splat(ratio), R::splat(denominator));
                                let (before, after) = (R::splat(before), R::splat(after));
                                let (x_re, x_im) = (R::mul(x_re, before), R::mul(x_im, before));
                                let (above_re, above_im) = match by_real {
                                    true => (R::mul_add(x_im, ratio, x_re), R::neg_mul_add(x_re, ratio, x_im)),
                                    false => (R::mul_add(x_re, ratio, x_im), R::mul_add(x_im, ratio, x_re.neg())),
                                };
                                (
                                    R::mul(R::div(above_re, denominator), after),
                                    R::mul(R::div(above_im, denominator), after),
                                )
                            }
                        };
                        new_re.canonical().store(re);
                        new_im.canonical().store(im);
                    }
                }
            }
        }
    };
}
complex!(Complex32, f32);
complex!(Complex64, f64);
