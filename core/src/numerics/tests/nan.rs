//! NaN as the optimiser leaves it: results as literal bit patterns, of operands that it cannot see.
//!
//! The NaN that x86 makes of `∞ − ∞` is negative, and others keep what went in, so a choice of the canonical NaN that the optimiser
//! drops, because to it one NaN is as good as another, shows here: `√a` was such a case. It may drop them in single operations or in
//! vectorised loops, for one instruction set and not for another, so each operation runs in all these ways. A build without
//! optimisation proves less.

use super::same;
use crate::element::{Complex, Complex32, Complex64, DType, Element, bf16, f16};
use crate::numerics::{CastFrom, ComplexNumeric, FloatNumeric, Negate, Numeric, blas, cast, reduction, select};
use std::hint::black_box;

/// More than a register of any type, and a tail.
const LEN: usize = 67;

#[inline(always)]
fn unary<S: Element, T: Element>(op: impl Fn(S) -> T, x: S, want: T) {
    same(op(black_box(x)), want);
    same(op(x), want);
    let x = black_box(vec![x; LEN]);
    on_every_level(
        #[inline(always)]
        || {
            let mut out = vec![T::default(); LEN];
            for (out, &x) in out.iter_mut().zip(&x) {
                *out = op(x);
            }
            black_box(out).into_iter().for_each(|out| same(out, want));
        },
    );
}

#[inline(always)]
fn binary<T: Element>(op: impl Fn(T, T) -> T, [a, b]: [T; 2], want: T) {
    same(op(black_box(a), black_box(b)), want);
    // The optimiser sees one operand only, or both.
    same(op(a, black_box(b)), want);
    same(op(black_box(a), b), want);
    same(op(a, b), want);
    let (a, b) = black_box((vec![a; LEN], vec![b; LEN]));
    on_every_level(
        #[inline(always)]
        || {
            let mut out = vec![T::default(); LEN];
            for ((out, &a), &b) in out.iter_mut().zip(&a).zip(&b) {
                *out = op(a, b);
            }
            black_box(out).into_iter().for_each(|out| same(out, want));
        },
    );
}

/// Runs `body`, compiled for each set of vector instructions that this processor has.
#[inline(always)]
fn on_every_level(body: impl Fn()) {
    body();
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn v3(body: impl Fn()) {
            body();
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
        fn v4(body: impl Fn()) {
            body();
        }
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") {
            // SAFETY: the processor has what `v3` enables.
            unsafe { v3(&body) };
            if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
                // SAFETY: the processor has what `v4` enables.
                unsafe { v4(&body) };
            }
        }
    }
}

/// The special values of a type, as bits.
struct Specials<T> {
    zero: T,
    minus_zero: T,
    one: T,
    minus_one: T,
    infinity: T,
    minus_infinity: T,
    /// The canonical NaN.
    nan: T,
    /// A quiet NaN with sign and payload.
    quiet: T,
    /// A signalling NaN.
    signalling: T,
    /// The same two with the sign flipped.
    flipped: [T; 2],
}

macro_rules! specials {
    ($t:ident: $zero:literal, $minus_zero:literal, $one:literal, $minus_one:literal, $infinity:literal, $minus_infinity:literal,
     $nan:literal, $quiet:literal, $signalling:literal, $flipped_quiet:literal, $flipped_signalling:literal) => {
        Specials {
            zero: $t::from_bits($zero),
            minus_zero: $t::from_bits($minus_zero),
            one: $t::from_bits($one),
            minus_one: $t::from_bits($minus_one),
            infinity: $t::from_bits($infinity),
            minus_infinity: $t::from_bits($minus_infinity),
            nan: $t::from_bits($nan),
            quiet: $t::from_bits($quiet),
            signalling: $t::from_bits($signalling),
            flipped: [$t::from_bits($flipped_quiet), $t::from_bits($flipped_signalling)],
        }
    };
}

const F16: Specials<f16> = specials!(f16: 0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
    0x7e00, 0xfe01, 0x7c01, 0x7e01, 0xfc01);
const BF16: Specials<bf16> = specials!(bf16: 0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80,
    0x7fc0, 0xffc1, 0x7f81, 0x7fc1, 0xff81);
const F32: Specials<f32> = specials!(f32: 0x0000_0000, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000,
    0x7fc0_0000, 0xffc1_2345, 0x7f80_0001, 0x7fc1_2345, 0xff80_0001);
const F64: Specials<f64> = specials!(f64: 0x0000_0000_0000_0000, 0x8000_0000_0000_0000, 0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000, 0xfff8_1234_5678_9abc, 0x7ff0_0000_0000_0001, 0x7ff8_1234_5678_9abc, 0xfff0_0000_0000_0001);

fn elementwise<T: FloatNumeric>(of: &Specials<T>) {
    let &Specials { zero, minus_zero, one, minus_one, infinity, minus_infinity, nan, quiet, signalling, flipped } = of;
    let nans =
        [[quiet, one], [one, quiet], [signalling, one], [one, signalling], [quiet, signalling], [infinity, quiet]];
    for [a, b] in nans {
        binary(T::add, [a, b], nan);
        binary(T::sub, [a, b], nan);
        binary(T::mul, [a, b], nan);
        binary(T::div, [a, b], nan);
        binary(T::min_nan, [a, b], nan);
        binary(T::max_nan, [a, b], nan);
    }
    binary(T::add, [infinity, minus_infinity], nan);
    binary(T::sub, [infinity, infinity], nan);
    binary(T::mul, [zero, infinity], nan);
    binary(T::mul, [minus_infinity, minus_zero], nan);
    binary(T::div, [zero, minus_zero], nan);
    binary(T::div, [minus_infinity, infinity], nan);
    for op in [T::min_num, T::max_num] {
        binary(op, [quiet, signalling], nan);
        binary(op, [signalling, quiet], nan);
        binary(op, [quiet, one], one);
        binary(op, [minus_one, signalling], minus_one);
    }
    for x in [minus_one, minus_infinity, quiet, signalling] {
        unary(T::square_root, x, nan);
    }
    unary(T::square_root, minus_zero, minus_zero);
    binary(|start, step| T::iota(start, step, 1), [infinity, minus_infinity], nan);
    binary(|start, step| T::iota(start, step, 0), [zero, infinity], nan);
    binary(|start, step| T::iota(start, step, 3), [quiet, one], nan);
    // Bit operations leave the rest of a NaN as it is.
    for (x, flipped) in [quiet, signalling].into_iter().zip(flipped) {
        unary(T::negate, x, flipped);
        unary(T::negate, flipped, x);
        binary(|a, b| select(1, a, b), [x, one], x);
        binary(|a, b| select(0, a, b), [one, x], x);
    }
    unary(T::absolute, quiet, flipped[0]);
    unary(T::absolute, flipped[1], signalling);
}

#[test]
fn elementwise_operations_of_floats() {
    elementwise(&F16);
    elementwise(&BF16);
    elementwise(&F32);
    elementwise(&F64);
}

/// Of a NaN, to every other float type and to integers.
fn casts<T: CastFrom<T>>(of: &Specials<T>)
where
    f16: CastFrom<T>,
    bf16: CastFrom<T>,
    f32: CastFrom<T>,
    f64: CastFrom<T>,
    i8: CastFrom<T>,
    i64: CastFrom<T>,
    u32: CastFrom<T>,
    Complex32: CastFrom<T>,
    Complex64: CastFrom<T>,
{
    for x in [of.quiet, of.signalling] {
        unary(cast::<T, T>, x, x);
        if T::DTYPE != DType::F16 {
            unary(cast::<T, f16>, x, F16.nan);
        }
        if T::DTYPE != DType::Bf16 {
            unary(cast::<T, bf16>, x, BF16.nan);
        }
        if T::DTYPE != DType::F32 {
            unary(cast::<T, f32>, x, F32.nan);
            unary(cast::<T, Complex32>, x, Complex::new(F32.nan, 0.0));
        }
        if T::DTYPE != DType::F64 {
            unary(cast::<T, f64>, x, F64.nan);
            unary(cast::<T, Complex64>, x, Complex::new(F64.nan, 0.0));
        }
        unary(cast::<T, i8>, x, 0);
        unary(cast::<T, i64>, x, 0);
        unary(cast::<T, u32>, x, 0);
    }
}

#[test]
fn casts_of_nan() {
    casts(&F16);
    casts(&BF16);
    casts(&F32);
    casts(&F64);
    unary(cast::<Complex32, Complex64>, Complex::new(F32.signalling, F32.quiet), Complex::new(F64.nan, F64.nan));
    unary(cast::<Complex64, Complex32>, Complex::new(F64.quiet, 1.0), Complex::new(F32.nan, 1.0));
}

macro_rules! complex {
    ($name:ident, $t:ty, $of:ident) => {
        #[test]
        fn $name() {
            type C = Complex<$t>;
            let Specials { infinity, minus_infinity, nan, quiet, signalling, flipped, .. } = $of;
            let z = |re: $t, im: $t| C::new(re, im);
            binary(C::add, [z(infinity, 1.0), z(minus_infinity, 2.0)], z(nan, 3.0));
            binary(C::add, [z(1.0, signalling), z(2.0, 1.0)], z(3.0, nan));
            binary(C::sub, [z(quiet, infinity), z(1.0, infinity)], z(nan, nan));
            // re = fma(−0, 0, ∞ · 0), im = fma(0, 0, ∞ · 0).
            binary(C::mul, [z(infinity, 0.0), z(0.0, 0.0)], z(nan, nan));
            // re = fma(−∞, 1, ∞ · 1), im = fma(∞, 1, ∞ · 1).
            binary(C::mul, [z(infinity, infinity), z(1.0, 1.0)], z(nan, infinity));
            unary(C::negate, z(quiet, signalling), z(flipped[0], flipped[1]));
            unary(C::conjugate, z(quiet, signalling), z(quiet, flipped[1]));
        }
    };
}
complex!(complex_operations_single, f32, F32);
complex!(complex_operations_double, f64, F64);

macro_rules! reductions {
    ($name:ident, $of:ident) => {
        #[test]
        fn $name() {
            let Specials { zero, one, infinity, minus_infinity, nan, quiet, signalling, .. } = $of;
            // The second value lies in the same lane as the first, in its neighbour, and in another chunk.
            for at in [1, 1024, 8192] {
                let line = |first, second| {
                    let mut line = vec![one; at + 1];
                    (line[0], line[at]) = (first, second);
                    black_box(line)
                };
                let x = line(infinity, minus_infinity);
                same(reduction::sum(x.len(), |i| x[i]), nan);
                let x = line(zero, infinity);
                same(reduction::prod(x.len(), |i| x[i]), nan);
                for other in [quiet, signalling] {
                    let x = line(one, other);
                    same(reduction::sum(x.len(), |i| x[i]), nan);
                    same(reduction::prod(x.len(), |i| x[i]), nan);
                    same(reduction::min(x.len(), |i| x[i]), nan);
                    same(reduction::max(x.len(), |i| x[i]), nan);
                }
            }
            // One element alone passes through no operation but the last.
            for other in black_box([quiet, signalling]) {
                same(reduction::sum(1, |_| other), nan);
                same(reduction::prod(1, |_| other), nan);
                same(reduction::min(1, |_| other), nan);
                same(reduction::max(1, |_| other), nan);
            }
        }
    };
}
reductions!(reductions_of_f16, F16);
reductions!(reductions_of_bf16, BF16);
reductions!(reductions_of_f32, F32);
reductions!(reductions_of_f64, F64);

macro_rules! routines {
    ($name:ident, $t:ty, $of:ident) => {
        #[test]
        fn $name() {
            let Specials { infinity, minus_infinity, nan, quiet, signalling, .. } = $of;
            binary(blas::scal, [0.0, infinity], nan);
            binary(blas::scal, [2.0, signalling], nan);
            binary(|x, y| blas::axpy(black_box(1.0), x, y), [infinity, minus_infinity], nan);
            binary(|x, y| blas::axpy(black_box(1.0), x, y), [1.0, quiet], nan);
            binary(|x, a| blas::ger(black_box(1.0), x, black_box(1.0), a), [infinity, minus_infinity], nan);
            binary(|x, a| blas::ger(black_box(1.0), x, black_box(0.0), a), [infinity, 1.0], nan);
            binary(|x, y| blas::dot(2, |i| [x, 1.0][i], |i| [y, 1.0][i]), [infinity, 0.0], nan);
            binary(|x, y| blas::dot(1, |_| x, |_| y), [quiet, 1.0], nan);
            unary(|x| blas::asum(2, |i| [1.0, x][i]), signalling, nan);
            unary(|x| blas::asum(1, |_| x), quiet, nan);
            unary(|x| blas::nrm2(2, |i| [infinity, x][i]), quiet, nan);
            unary(|x| blas::nrm2(1, |_| x), signalling, nan);
            // The ending of a product, with and without the old value.
            for beta in [0.0, 1.0] {
                let gemv = |x, y| blas::gemv(1, black_box(1.0), |_| x, |_| y, black_box(beta), black_box(1.0));
                binary(gemv, [infinity, 0.0], nan);
                let gemm = |x, y| blas::gemm(1, black_box(1.0), |_| x, |_| y, black_box(beta), black_box(1.0));
                binary(gemm, [signalling, 0.0], nan);
            }
            // Scaled alone, and handed on.
            binary(|beta, c| blas::gemm(0, 1.0, |_| 1.0, |_| 1.0, beta, c), [2.0, quiet], nan);
            binary(|beta, c| blas::gemm(0, 1.0, |_| 1.0, |_| 1.0, beta, c), [1.0, quiet], quiet);
            type C = Complex<$t>;
            let z = |re: $t, im: $t| C::new(re, im);
            binary(blas::scal, [z(0.0, 0.0), z(infinity, 1.0)], z(nan, nan));
            binary(|x, y| blas::axpy(black_box(z(1.0, 0.0)), x, y), [z(1.0, 1.0), z(quiet, 1.0)], z(nan, 2.0));
            binary(|x, y| blas::dot(1, |_| x, |_| y), [z(signalling, 0.0), z(1.0, 0.0)], z(nan, nan));
        }
    };
}
routines!(blas_single, f32, F32);
routines!(blas_double, f64, F64);

#[test]
fn products_of_halves() {
    let gemm = |x: f16, y: f16| blas::gemm(1, black_box(1.0), |_| x, |_| y, black_box(0.0), F16.one);
    binary(gemm, [F16.infinity, F16.zero], F16.nan);
    binary(gemm, [F16.quiet, F16.one], F16.nan);
    let gemm = |x: bf16, y: bf16| blas::gemm(1, black_box(1.0), |_| x, |_| y, black_box(0.0), BF16.one);
    binary(gemm, [BF16.infinity, BF16.zero], BF16.nan);
    binary(gemm, [BF16.signalling, BF16.one], BF16.nan);
}
