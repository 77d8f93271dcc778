//! The definitions against arithmetic of twice the precision, exact integers, and values known in closed form.

use super::*;
use crate::element::{Complex, Complex32, Complex64, bf16, f16};

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in −1..1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector<T>(&mut self, len: usize, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..len).map(|_| make(self)).collect()
    }
}

/// An unevaluated sum of two numbers: about 106 bits (Dekker 1971).
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let high = a + b;
        let b_part = high - a;
        Double { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    fn product(a: f64, b: f64) -> Double {
        let high = a * b;
        Double { high, low: a.mul_add(b, -high) }
    }

    fn add(self, other: Double) -> Double {
        let high = Double::sum(self.high, other.high);
        Double::sum(high.high, high.low + self.low + other.low)
    }

    /// The difference from a number, rounded.
    fn minus(self, x: f64) -> f64 {
        let d = self.add(Double { high: -x, low: 0.0 });
        d.high + d.low
    }
}

const ZERO: Double = Double { high: 0.0, low: 0.0 };
const U: f64 = f64::EPSILON / 2.0;
const SIZES: [usize; 14] = [0, 1, 2, 3, 17, 1023, 1024, 1025, 2049, 8191, 8192, 8193, 16385, 100_003];

/// `fma` for `f32` out of exact operations on `f64`: the product is exact, and rounding its sum to odd makes the second
/// rounding harmless (Boldo and Melquiond 2008).
fn fma32(a: f32, b: f32, c: f32) -> f32 {
    let Double { high, low } = Double::sum(f64::from(a) * f64::from(b), f64::from(c));
    let odd = if low != 0.0 && high.to_bits() & 1 == 0 {
        let away = (low > 0.0) == (high > 0.0);
        f64::from_bits(if away { high.to_bits() + 1 } else { high.to_bits() - 1 })
    } else {
        high
    };
    odd as f32
}

#[test]
fn complex_arithmetic_is_the_stated_chain() {
    let mut random = Random(1);
    let mut differs = false;
    for _ in 0..10_000 {
        let mut z = || Complex { re: random.unit() as f32, im: random.unit() as f32 };
        let (a, b, c): (Complex32, Complex32, Complex32) = (z(), z(), z());
        let product = <Complex32 as Numeric>::mul(a, b);
        assert_eq!(product.re, fma32(-a.im, b.im, fma32(a.re, b.re, 0.0)));
        assert_eq!(product.im, fma32(a.im, b.re, fma32(a.re, b.im, 0.0)));
        let sum = <Complex32 as ScalarArithmetic>::mul_add(a, b, c);
        assert_eq!(sum.re, fma32(-a.im, b.im, fma32(a.re, b.re, c.re)));
        assert_eq!(sum.im, fma32(a.im, b.re, fma32(a.re, b.im, c.im)));
        differs |= sum.re != fma32(a.re, b.re, fma32(-a.im, b.im, c.re));
    }
    assert!(differs, "the data must tell the order of the chain");
}

#[test]
fn real_updates_round_once() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let (a, x, y) = (random.unit() as f32, random.unit() as f32, random.unit() as f32);
        assert_eq!(axpy(a, x, y), fma32(a, x, y));
        assert_eq!(scal(a, x), fma32(a, x, 0.0));
        assert_eq!(ger(a, x, y, 0.25), fma32(x, fma32(a, y, 0.0), 0.25));
    }
}

#[test]
fn offsets_are_those_of_reference_blas() {
    for len in 1..6usize {
        for inc in [-3isize, -2, -1, 1, 2, 3] {
            for i in 0..len {
                // KX = 1, or 1 − (N − 1)·INCX; then KX + i·INCX, counted from 1.
                let start = if inc < 0 { 1 - (len as isize - 1) * inc } else { 1 };
                assert_eq!(offset(i, len, inc), (start + i as isize * inc - 1) as usize, "{len} {inc} {i}");
            }
        }
    }
}

#[test]
fn dot_and_asum_are_within_the_depth_of_the_tree() {
    let mut random = Random(3);
    for len in SIZES {
        let (x, y) = (random.vector(len, Random::unit), random.vector(len, Random::unit));
        let exact = (0..len).fold(ZERO, |acc, i| acc.add(Double::product(x[i], y[i])));
        let size: f64 = (0..len).map(|i| (x[i] * y[i]).abs()).sum();
        let bound = (tree::depth(len) + 1) as f64 * U * size * (1.0 + 1e-9);
        assert!(exact.minus(dot(len, |i| x[i], |i| y[i])).abs() <= bound, "dot {len}");

        let exact = x.iter().fold(ZERO, |acc, x| acc.add(Double { high: x.abs(), low: 0.0 }));
        let bound = tree::depth(len) as f64 * U * exact.high * (1.0 + 1e-9);
        assert!(exact.minus(asum(len, |i| x[i])).abs() <= bound, "asum {len}");
    }
}

#[test]
fn complex_dot_and_asum_of_integers_are_exact() {
    let mut random = Random(4);
    for len in SIZES {
        let mut small = || (random.bits() % 17) as i64 - 8;
        let data: Vec<[i64; 4]> = (0..len).map(|_| [small(), small(), small(), small()]).collect();
        let x = |i: usize| Complex { re: data[i][0] as f64, im: data[i][1] as f64 };
        let y = |i: usize| Complex { re: data[i][2] as f64, im: data[i][3] as f64 };
        let total = |f: fn(&[i64; 4]) -> i64| data.iter().map(f).sum::<i64>() as f64;
        let dotu: Complex64 = dot(len, x, y);
        assert_eq!(dotu.re, total(|[a, b, c, d]| a * c - b * d));
        assert_eq!(dotu.im, total(|[a, b, c, d]| a * d + b * c));
        let dotc: Complex64 = dot(len, |i| x(i).conj(), y);
        assert_eq!(dotc.re, total(|[a, b, c, d]| a * c + b * d));
        assert_eq!(dotc.im, total(|[a, b, c, d]| a * d - b * c));
        assert_eq!(asum(len, x), total(|[a, b, _, _]| a.abs() + b.abs()));
    }
}

#[test]
fn signs_of_zero() {
    assert_eq!(dot::<f64>(0, |_| 1.0, |_| 1.0).to_bits(), 0);
    assert_eq!(dot(1, |_| -1.0, |_| 0.0f64).to_bits(), (-0.0f64).to_bits(), "a lane starts with the product");
    assert_eq!(gemm(1, 1.0, |_| -1.0, |_| 0.0f64, 0.0, 7.0).to_bits(), 0, "the chain starts at +0");
    for a in [0.0f64, -0.0, 1.0, -1.0, 5e-324, -5e-324, f64::MAX] {
        for b in [0.0, -0.0, 1.0, -1.0, 0.25, -5e-324, f64::INFINITY] {
            let (product, fused) = (f64::mul(a, b), ScalarArithmetic::mul_add(a, b, f64::MINUS_ZERO).canonical());
            assert_eq!(fused.to_bits(), product.to_bits(), "{a} · {b}");
            let (z, w) = (Complex { re: a, im: b }, Complex { re: -b, im: a });
            let (product, fused) = (Complex64::mul(z, w), Complex64::mul_add(z, w, Complex64::MINUS_ZERO).canonical());
            assert_eq!(fused.re.to_bits(), product.re.to_bits(), "{z} · {w}");
            assert_eq!(fused.im.to_bits(), product.im.to_bits(), "{z} · {w}");
        }
    }
    assert_eq!(asum::<f32>(0, |_| 1.0).to_bits(), 0);
    assert_eq!(asum(1, |_| -0.0f32).to_bits(), 0);
    assert_eq!(nrm2(1, |_| -0.0f64).to_bits(), 0);
    assert_eq!(nrm2::<Complex32>(0, |_| Complex32::ONE).to_bits(), 0);
}

/// The norm of `x`, with a relative error far below that of `f64`: exactly scaled, summed in twice the precision, and
/// one step of Newton's iteration on the root.
fn exact_norm(x: &[f64]) -> (f64, f64) {
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // Two steps of a power of two each, since one might not be a number; what scaling down drops is below 2⁻²⁰⁰ of
    // the norm.
    let exponent = if largest > 0.0 { largest.log2().floor() as i32 } else { 0 };
    let (half, rest) = (-exponent / 2, -exponent - -exponent / 2);
    let scaled = |x: f64| x * 2f64.powi(half) * 2f64.powi(rest);
    let sum = x.iter().fold(ZERO, |acc, &x| acc.add(Double::product(scaled(x), scaled(x))));
    let root = sum.high.sqrt();
    let correction = if root > 0.0 { sum.add(Double::product(-root, root)).high / (2.0 * root) } else { 0.0 };
    let back = |x: f64| x * 2f64.powi(-half) * 2f64.powi(-rest);
    (back(root), back(correction))
}

fn check_norm(what: &str, x: &[f64]) {
    let (high, low) = exact_norm(x);
    let got = nrm2(x.len(), |i| x[i]);
    // Half the roundings of the sum, and those of scaling, root and combination; half a denormal at the bottom.
    let bound = (tree::depth(x.len()) as f64 / 2.0 + 5.0) * U * high + f64::from_bits(1);
    assert!(((got - high) - low).abs() <= bound, "{what}: got {got:e}, norm {high:e}");
    let (pairs, odd) = x.as_chunks::<2>();
    if odd.is_empty() {
        let got = nrm2(pairs.len(), |i| Complex { re: pairs[i][0], im: pairs[i][1] });
        assert!(((got - high) - low).abs() <= bound, "{what}, complex: got {got:e}, norm {high:e}");
    }
}

#[test]
fn nrm2_of_ordinary_numbers() {
    let mut random = Random(5);
    for len in SIZES {
        check_norm("unit", &random.vector(len, Random::unit));
    }
}

#[test]
fn nrm2_at_the_ends_of_the_range() {
    let mut random = Random(6);
    let tiny = f64::from_bits(1);
    for len in [1, 2, 3, 17, 1024, 8194, 20_000] {
        check_norm("1e300", &random.vector(len, |r| r.unit() * 1e300));
        check_norm("1e-300", &random.vector(len, |r| r.unit() * 1e-300));
        check_norm("denormal", &random.vector(len, |r| f64::from_bits(r.bits() >> 13)));
        check_norm("fewest bits", &vec![tiny; len]);
        check_norm("all", &random.vector(len, |r| r.unit() * 2f64.powi((r.bits() % 1900) as i32 - 950)));
        check_norm("small, mid", &random.vector(len, |r| r.unit() * 2f64.powi((r.bits() % 8) as i32 - 515)));
        check_norm("mid, big", &random.vector(len, |r| r.unit() * 2f64.powi((r.bits() % 8) as i32 + 482)));
    }
    assert_eq!(nrm2(1, |_| f64::MAX), f64::MAX);
    assert_eq!(nrm2(4, |_| f64::MAX / 2.0), f64::MAX);
    assert_eq!(nrm2(2, |_| f64::MAX), f64::INFINITY);
    assert_eq!(nrm2(1, |_| tiny), tiny);
    assert_eq!(nrm2(2, |i| [3.0 * tiny, 4.0 * tiny][i]), 5.0 * tiny);
    let large = 2f64.powi(660);
    assert_eq!(nrm2(2, |i| [3.0 * large, 4.0 * large][i]), 5.0 * large);
}

#[test]
fn nrm2_of_single_precision() {
    let mut random = Random(7);
    let tiny = f32::from_bits(1);
    for scale in [1.0f64, 1e38, 1e-38, 1e-44] {
        for len in [1usize, 2, 1025, 9000] {
            let x = random.vector(len, |r| (r.unit() * scale) as f32);
            let exact = exact_norm(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()).0;
            let got = nrm2(len, |i| x[i]);
            let expected = exact as f32;
            assert!(
                got.to_bits().abs_diff(expected.to_bits()) <= u32::from(len > 1),
                "{len} × {scale}: {got} {expected}"
            );
        }
    }
    assert_eq!(nrm2(4, |_| f32::MAX / 2.0), f32::MAX);
    assert_eq!(nrm2(2, |_| f32::MAX), f32::INFINITY);
    assert_eq!(nrm2(1, |_| Complex { re: 3.0 * tiny, im: 4.0 * tiny }), 5.0 * tiny);
    // √(MAX² + 1) rounds to MAX.
    assert_eq!(nrm2(2, |i| [f32::MAX, 1.0][i]), f32::MAX);
}

#[test]
fn nrm2_of_infinity_and_nan() {
    let norm = |x: &[f64]| (nrm2(x.len(), |i| x[i]), nrm2(x.len(), |i| x[i] as f32));
    let (inf, nan) = (f64::INFINITY, f64::from_bits(0xfff0_0000_0000_0001));
    for x in [[inf, 1.0, 1e-300], [-inf, 1e300, inf]] {
        assert_eq!(norm(&x), (inf, f32::INFINITY), "{x:?}");
    }
    for x in [[nan, 1.0, 2.0], [inf, nan, 1.0], [1e300, 1e-300, nan], [1e-300, nan, 1e-300]] {
        let (double, single) = norm(&x);
        assert_eq!(double.to_bits(), 0x7ff8_0000_0000_0000, "{x:?}");
        assert_eq!(single.to_bits(), 0x7fc0_0000, "{x:?}");
    }
}

#[test]
fn iamax_takes_the_first() {
    let of = |x: &[f32]| iamax(x.len(), |i| x[i]);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[-0.0, 0.0]), Some(0));
    assert_eq!(of(&[1.0, -3.0, 3.0, 2.0]), Some(1));
    assert_eq!(of(&[1.0, f32::INFINITY, f32::NAN, f32::NAN]), Some(2));
    let z = |re, im| Complex::<f32> { re, im };
    let complex = [z(3.0, 0.0), z(2.0, -2.0), z(-2.0, 2.0)];
    assert_eq!(iamax(3, |i| complex[i]), Some(1), "|re| + |im|, not the modulus");
    let overflow = [z(f32::MAX, f32::MAX), z(f32::INFINITY, 0.0), z(0.0, f32::NAN)];
    assert_eq!(iamax(2, |i| overflow[i]), Some(0));
    assert_eq!(iamax(3, |i| overflow[i]), Some(2));
}

#[test]
fn alpha_zero_leaves_the_bits() {
    let payload = f64::from_bits(0xfff0_0000_0000_0042);
    for alpha in [0.0, -0.0] {
        assert_eq!(axpy(alpha, f64::NAN, payload).to_bits(), payload.to_bits());
        assert_eq!(ger(alpha, f64::NAN, f64::NAN, payload).to_bits(), payload.to_bits());
    }
    assert_eq!(scal(0.0, payload).to_bits(), 0x7ff8_0000_0000_0000);
    assert_eq!(axpy(1.0, payload, 1.0).to_bits(), 0x7ff8_0000_0000_0000);
    let z = scal(Complex64::ONE, Complex { re: payload, im: 1.0 });
    assert_eq!(z.re.to_bits(), 0x7ff8_0000_0000_0000);
    let unread = |_: usize| -> f64 { panic!("read with alpha = 0") };
    assert_eq!(gemm(3, 0.0, unread, unread, 1.0, payload).to_bits(), payload.to_bits());
    assert_eq!(gemm(3, -0.0, unread, unread, 0.0, payload).to_bits(), 0);
    assert_eq!(gemm(3, 0.0, unread, unread, -2.0, 3.0), -6.0);
    assert_eq!(gemv(3, 0.0, unread, unread, 0.0, payload).to_bits(), 0);
    assert_eq!(gemv(0, -1.0, unread, unread, 0.0, payload).to_bits(), 0);
    assert_eq!(gemv(0, 1.0, unread, unread, 1.0, payload).to_bits(), payload.to_bits());
}

#[test]
fn beta_zero_does_not_take_a_nan() {
    let (a, b) = ([1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]);
    assert_eq!(gemm(3, 2.0, |k| a[k], |k| b[k], 0.0, f32::NAN), 64.0);
    assert_eq!(gemv(3, 2.0, |k| a[k], |k| b[k], -0.0, f32::NAN), 64.0);
    assert_eq!(gemm(3, 2.0, |k| a[k], |k| b[k], 1.0, -f32::NAN).to_bits(), 0x7fc0_0000);
    assert_eq!(gemm(3, 2.0, |k| a[k], |k| b[k], -1.0, 4.0), 60.0);
}

#[test]
fn gemm_is_within_its_bound() {
    let mut random = Random(8);
    for len in [1usize, 2, 3, 17, 129, 1000] {
        let (a, b) = (random.vector(len, Random::unit), random.vector(len, Random::unit));
        let (alpha, beta, c) = (random.unit(), random.unit(), random.unit());
        let sum = (0..len).fold(ZERO, |acc, k| acc.add(Double::product(a[k], b[k])));
        let exact = Double::product(alpha, sum.high)
            .add(Double { high: alpha * sum.low, low: 0.0 })
            .add(Double::product(beta, c));
        let size = alpha.abs() * (0..len).map(|k| (a[k] * b[k]).abs()).sum::<f64>() + (beta * c).abs();
        let bound = (len + 2) as f64 * U * size * (1.0 + 1e-9);
        assert!(exact.minus(gemm(len, alpha, |k| a[k], |k| b[k], beta, c)).abs() <= bound, "gemm {len}");
        assert!(exact.minus(gemv(len, alpha, |k| a[k], |k| b[k], beta, c)).abs() <= bound, "gemv {len}");
    }
}

#[test]
fn halves_round_once_at_the_end() {
    // 2048 + 1 + 1 is 2050 in f32; in f16, where the spacing is 2 up there, each single 1 would be a tie and get lost.
    let a = [2048.0, 1.0, 1.0].map(f16::from_f32);
    assert_eq!(gemm(3, 1.0, |k| a[k], |_| f16::ONE, 0.0, f16::NAN).to_f32(), 2050.0);
    let a = [256.0, 1.0, 1.0].map(bf16::from_f32);
    assert_eq!(gemm(3, 1.0, |k| a[k], |_| bf16::ONE, 0.0, bf16::NAN).to_f32(), 258.0);
    // The sum passes the largest f16 and comes back.
    let a = [65504.0, 65504.0, -65504.0].map(f16::from_f32);
    assert_eq!(gemm(3, 1.0, |k| a[k], |_| f16::ONE, 0.0, f16::ZERO).to_f32(), 65504.0);
    assert_eq!(gemm(1, 1.0, |_| f16::from_bits(0xfc01), |_| f16::ONE, 0.0, f16::ZERO).to_bits(), 0x7e00);
    assert_eq!(gemm(1, 1.0, |_| bf16::from_bits(0xff81), |_| bf16::ONE, 0.0, bf16::ZERO).to_bits(), 0x7fc0);
    let payload = f16::from_bits(0xfc01);
    assert_eq!(scale(1.0, payload).to_bits(), 0xfc01);
    assert_eq!(scale(0.5, payload).to_bits(), 0x7e00);
    assert_eq!(scale(0.0, payload).to_bits(), 0);
}

/// The ending of `gemv` and `gemm` rounds `beta · c` and then once more: against a fused multiply-add made of exact arithmetic, on data
/// that tells it from two rounded products and a rounded sum.
#[test]
fn the_ending_of_a_product_is_fused() {
    let mut differs = 0;
    for i in 0..1000_u32 {
        let at = |k: u32| 1.0 + ((i * 7919 + k * 104_729) % 65_521) as f32 / 65_521.0;
        let (alpha, sum, beta, c) = (at(1), at(2), -at(3), at(4));
        let want = fma32(alpha, sum, fma32(beta, c, 0.0));
        assert_eq!(update(alpha, sum, beta, c).to_bits(), want.to_bits(), "{alpha} {sum} {beta} {c}");
        differs += usize::from(want != alpha * sum + beta * c);

        let complex = |k: u32| Complex::new(at(k), -at(k + 1));
        let (alpha, sum, beta, c) = (complex(5), complex(7), complex(9), complex(11));
        let product = Complex::new(
            fma32(-beta.im, c.im, fma32(beta.re, c.re, 0.0)),
            fma32(beta.im, c.re, fma32(beta.re, c.im, 0.0)),
        );
        let want = Complex::new(
            fma32(-alpha.im, sum.im, fma32(alpha.re, sum.re, product.re)),
            fma32(alpha.im, sum.re, fma32(alpha.re, sum.im, product.im)),
        );
        assert_eq!(update(alpha, sum, beta, c), want);
    }
    assert!(differs > 100, "only {differs} of 1000 cases tell the two apart");
}
