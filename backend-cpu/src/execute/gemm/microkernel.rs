//! The innermost loops of the reproducible `gemm`: many chains side by side, each in its own order.

use super::register::{Four, Register};
use warpwave_core::numerics::Negate;
use warpwave_core::numerics::blas::{GemmArithmetic, ScalarArithmetic};
use warpwave_core::{Complex32, Complex64};

/// A scalar as one or two real numbers, and a product of packed panels.
///
/// A panel of `a` holds `M` rows: for each `k`, the real parts of the `M` elements, then the imaginary parts if there
/// are any. A panel of `b` holds `N` columns in the same way. A tile of sums is `N` columns of `M` rows, all real
/// parts first. `M` is that of `H` registers `R`.
pub(in crate::execute) trait Microkernel: ScalarArithmetic + GemmArithmetic<Compute = Self> {
    /// The type of the parts.
    type Part: ScalarArithmetic + Negate;
    /// How many.
    const PARTS: usize;
    /// A register of parts that every processor has.
    type Any: Register<Part = Self::Part>;
    /// A register of 256 bits.
    type Half: Register<Part = Self::Part>;
    /// A register of 512 bits.
    type Full: Register<Part = Self::Part>;

    /// Part `index`.
    fn part(self, index: usize) -> Self::Part;

    /// The scalar that has these parts.
    fn from_parts(parts: impl Fn(usize) -> Self::Part) -> Self;

    /// Continues the chains in `sums` by the panels, in ascending order: by `a · b`, or with `B_FIRST` by `b · a`, which for
    /// complex numbers is rounded in another order.
    ///
    /// # Safety
    /// The processor has the register. `a`, `b` and `sums` have the lengths of panels of one depth and of a tile.
    unsafe fn multiply<R: Register<Part = Self::Part>, const H: usize, const N: usize, const B_FIRST: bool>(
        a: &[Self::Part],
        b: &[Self::Part],
        sums: &mut [Self::Part],
    );
}

macro_rules! registers {
    ($r:ty, $half:ident, $full:ident) => {
        type Any = Four<$r>;
        #[cfg(target_arch = "x86_64")]
        type Half = std::arch::x86_64::$half;
        #[cfg(target_arch = "x86_64")]
        type Full = std::arch::x86_64::$full;
        #[cfg(not(target_arch = "x86_64"))]
        type Half = Four<$r>;
        #[cfg(not(target_arch = "x86_64"))]
        type Full = Four<$r>;
    };
}

macro_rules! real {
    ($t:ty, $half:ident, $full:ident) => {
        impl Microkernel for $t {
            type Part = $t;
            const PARTS: usize = 1;
            registers!($t, $half, $full);

            #[inline(always)]
            fn part(self, _: usize) -> $t {
                self
            }

            #[inline(always)]
            fn from_parts(parts: impl Fn(usize) -> $t) -> $t {
                parts(0)
            }

            #[inline(always)]
            unsafe fn multiply<R: Register<Part = $t>, const H: usize, const N: usize, const B_FIRST: bool>(
                a: &[$t],
                b: &[$t],
                sums: &mut [$t],
            ) {
                // SAFETY: the caller's promise.
                unsafe {
                    let mut acc = load::<R, H, N>(sums);
                    for (a, b) in a.chunks_exact(H * R::LANES).zip(b.as_chunks::<N>().0) {
                        let [a] = load::<R, H, 1>(a);
                        for j in 0..N {
                            let b = R::splat(b[j]);
                            for h in 0..H {
                                acc[j][h] = R::mul_add(a[h], b, acc[j][h]);
                            }
                        }
                    }
                    store(&acc, sums);
                }
            }
        }
    };
}
real!(f32, __m256, __m512);
real!(f64, __m256d, __m512d);

macro_rules! complex {
    ($t:ty, $r:ty, $half:ident, $full:ident) => {
        impl Microkernel for $t {
            type Part = $r;
            const PARTS: usize = 2;
            registers!($r, $half, $full);

            #[inline(always)]
            fn part(self, index: usize) -> $r {
                if index == 0 { self.re } else { self.im }
            }

            #[inline(always)]
            fn from_parts(parts: impl Fn(usize) -> $r) -> $t {
                <$t>::new(parts(0), parts(1))
            }

            #[inline(always)]
            unsafe fn multiply<R: Register<Part = $r>, const H: usize, const N: usize, const B_FIRST: bool>(
                a: &[$r],
                b: &[$r],
                sums: &mut [$r],
            ) {
                let (sums_re, sums_im) = sums.split_at_mut(H * R::LANES * N);
                // SAFETY: the caller's promise.
                unsafe {
                    let (mut re, mut im) = (load::<R, H, N>(sums_re), load::<R, H, N>(sums_im));
                    for (a, [b_re, b_im]) in
                        a.chunks_exact(2 * H * R::LANES).zip(b.as_chunks::<N>().0.as_chunks::<2>().0)
                    {
                        let [a_re, a_im] = load::<R, H, 2>(a);
                        for j in 0..N {
                            let (b_re, b_im) = (R::splat(b_re[j]), R::splat(b_im[j]));
                            for h in 0..H {
                                re[j][h] = R::neg_mul_add(a_im[h], b_im, R::mul_add(a_re[h], b_re, re[j][h]));
                                im[j][h] = match B_FIRST {
                                    false => R::mul_add(a_im[h], b_re, R::mul_add(a_re[h], b_im, im[j][h])),
                                    true => R::mul_add(a_re[h], b_im, R::mul_add(a_im[h], b_re, im[j][h])),
                                };
                            }
                        }
                    }
                    store(&re, sums_re);
                    store(&im, sums_im);
                }
            }
        }
    };
}
complex!(Complex32, f32, __m256, __m512);
complex!(Complex64, f64, __m256d, __m512d);

/// Calls a function that is generic over the type, the register, and the tile's registers and columns, with those for a level:
/// as many accumulators as leave registers for the operands, 24 of 32, or 12 of 16.
macro_rules! with_registers {
    ($level:expr, $scalar:ty, $f:ident::<$($t:ty),*>($($argument:expr),*)) => {{
        use $crate::execute::gemm::Microkernel as M;
        match ($level, <$scalar as M>::PARTS) {
            #[cfg(target_arch = "x86_64")]
            ($crate::simd::Level::V4, 1) => $f::<$($t,)* <$scalar as M>::Full, 2, 12>($($argument),*),
            #[cfg(target_arch = "x86_64")]
            ($crate::simd::Level::V4, _) => $f::<$($t,)* <$scalar as M>::Full, 2, 6>($($argument),*),
            #[cfg(target_arch = "x86_64")]
            ($crate::simd::Level::V3, 1) => $f::<$($t,)* <$scalar as M>::Half, 2, 6>($($argument),*),
            #[cfg(target_arch = "x86_64")]
            ($crate::simd::Level::V3, _) => $f::<$($t,)* <$scalar as M>::Half, 1, 6>($($argument),*),
            (_, 1) => $f::<$($t,)* <$scalar as M>::Any, 2, 6>($($argument),*),
            (_, _) => $f::<$($t,)* <$scalar as M>::Any, 1, 6>($($argument),*),
        }
    }};
}
pub(in crate::execute) use with_registers;

/// `N` columns of `H` registers.
///
/// # Safety
/// `from` is that long or longer, and the processor has the register.
#[inline(always)]
unsafe fn load<R: Register, const H: usize, const N: usize>(from: &[R::Part]) -> [[R; H]; N] {
    debug_assert!(from.len() >= N * H * R::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        // Loops, not `array::from_fn`, whose closure is a function that may not be compiled for the register.
        let mut registers = [[R::load(from.as_ptr()); H]; N];
        for (j, column) in registers.iter_mut().enumerate() {
            for (h, register) in column.iter_mut().enumerate() {
                *register = R::load(from.as_ptr().add((j * H + h) * R::LANES));
            }
        }
        registers
    }
}

/// Puts `N` columns of `H` registers where they came from.
///
/// # Safety
/// `to` is that long or longer, and the processor has the register.
#[inline(always)]
unsafe fn store<R: Register, const H: usize, const N: usize>(registers: &[[R; H]; N], to: &mut [R::Part]) {
    debug_assert!(to.len() >= N * H * R::LANES);
    for (j, column) in registers.iter().enumerate() {
        for (h, register) in column.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { register.store(to.as_mut_ptr().add((j * H + h) * R::LANES)) };
        }
    }
}
