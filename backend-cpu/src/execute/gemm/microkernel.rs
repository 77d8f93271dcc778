//! The innermost loops of the reproducible `gemm`: many chains side by side, each in its own order.

use warpwave_core::numerics::blas::{GemmArithmetic, ScalarArithmetic};
use warpwave_core::{Complex32, Complex64};

/// A scalar as one or two real numbers, and a product of packed panels.
///
/// A panel of `a` holds `M` rows: for each `k`, the real parts of the `M` elements, then the imaginary parts if there are any. A
/// panel of `b` holds `N` columns in the same way. A tile of sums is `N` columns of `M` rows, all real parts first.
pub(super) trait Microkernel: ScalarArithmetic + GemmArithmetic<Compute = Self> {
    /// The type of the parts.
    type Part: ScalarArithmetic;
    /// How many.
    const PARTS: usize;

    /// Part `index`.
    fn part(self, index: usize) -> Self::Part;

    /// The scalar that has these parts.
    fn from_parts(parts: impl Fn(usize) -> Self::Part) -> Self;

    /// Continues the chains in `sums` by the panels, in ascending order.
    fn multiply<const M: usize, const N: usize>(a: &[Self::Part], b: &[Self::Part], sums: &mut [Self::Part]);
}

macro_rules! real {
    ($($t:ty),*) => { $(
        impl Microkernel for $t {
            type Part = $t;
            const PARTS: usize = 1;

            #[inline(always)]
            fn part(self, _: usize) -> $t {
                self
            }

            #[inline(always)]
            fn from_parts(parts: impl Fn(usize) -> $t) -> $t {
                parts(0)
            }

            #[inline(always)]
            fn multiply<const M: usize, const N: usize>(a: &[$t], b: &[$t], sums: &mut [$t]) {
                let mut acc = load::<$t, M, N>(sums);
                for (a, b) in a.as_chunks::<M>().0.iter().zip(b.as_chunks::<N>().0) {
                    for j in 0..N {
                        for i in 0..M {
                            acc[j][i] = <$t>::mul_add(a[i], b[j], acc[j][i]);
                        }
                    }
                }
                store(&acc, sums);
            }
        }
    )* };
}
real!(f32, f64);

macro_rules! complex {
    ($t:ty, $r:ty) => {
        impl Microkernel for $t {
            type Part = $r;
            const PARTS: usize = 2;

            #[inline(always)]
            fn part(self, index: usize) -> $r {
                if index == 0 { self.re } else { self.im }
            }

            #[inline(always)]
            fn from_parts(parts: impl Fn(usize) -> $r) -> $t {
                <$t>::new(parts(0), parts(1))
            }

            #[inline(always)]
            fn multiply<const M: usize, const N: usize>(a: &[$r], b: &[$r], sums: &mut [$r]) {
                let (re, im) = sums.split_at_mut(M * N);
                let (mut acc_re, mut acc_im) = (load::<$r, M, N>(re), load::<$r, M, N>(im));
                let a = a.as_chunks::<M>().0.as_chunks::<2>().0;
                let b = b.as_chunks::<N>().0.as_chunks::<2>().0;
                for ([a_re, a_im], [b_re, b_im]) in a.iter().zip(b) {
                    for j in 0..N {
                        for i in 0..M {
                            acc_re[j][i] = <$r>::mul_add(a_re[i], b_re[j], acc_re[j][i]);
                            acc_im[j][i] = <$r>::mul_add(a_re[i], b_im[j], acc_im[j][i]);
                        }
                        for i in 0..M {
                            acc_re[j][i] = <$r>::mul_add(-a_im[i], b_im[j], acc_re[j][i]);
                            acc_im[j][i] = <$r>::mul_add(a_im[i], b_re[j], acc_im[j][i]);
                        }
                    }
                }
                store(&acc_re, re);
                store(&acc_im, im);
            }
        }
    };
}
complex!(Complex32, f32);
complex!(Complex64, f64);

#[inline(always)]
fn load<R: ScalarArithmetic, const M: usize, const N: usize>(sums: &[R]) -> [[R; M]; N] {
    let mut acc = [[R::ZERO; M]; N];
    for (acc, sums) in acc.iter_mut().zip(sums.as_chunks::<M>().0) {
        *acc = *sums;
    }
    acc
}

#[inline(always)]
fn store<R: Copy, const M: usize, const N: usize>(acc: &[[R; M]; N], sums: &mut [R]) {
    for (acc, sums) in acc.iter().zip(sums.as_chunks_mut::<M>().0) {
        *sums = *acc;
    }
}
