//! The errors of the elementary functions, in units in the last place: measures again what the contract table has.
//!
//! What is measured is the definition, [`Math`]; that a device has the same bits is what the suite's checks are for. The unit is that of
//! the exact result, and no smaller than the smallest denormal. References are the standard library's functions of `f64` for the narrower
//! types, and for `f64` arithmetic of twice its precision, which takes angles up to 2³⁰. Special values and larger angles are not for this: the
//! suite has them literally.

use crate::level::Level;
use crate::reference::{Double, functions};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use warpwave_core::numerics::contract;
use warpwave_core::numerics::math::Math;
use warpwave_core::numerics::{CastFrom, cast};
use warpwave_core::{BinaryOp, DType, Element, OperationKind, UnaryOp, bf16, f16};

/// The largest error of a function that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// The function.
    pub kind: OperationKind,
    /// The type.
    pub dtype: DType,
    /// How many arguments were tried: all of them for the 16-bit floats.
    pub tried: u64,
    /// The largest error; infinite if a result is NaN, infinite, finite or of a sign where it must not be.
    pub error: f64,
    /// The argument that has it, and the second one of a function of two.
    pub at: (f64, f64),
}

impl Measured {
    /// What the contract table allows: [`contract::max_ulp`], which is rounded to hundredths. For `f64` and for functions of two arguments,
    /// of which only samples can be tried, two units.
    pub fn allowed(&self) -> f64 {
        let sampled = self.dtype == DType::F64 || self.kind == OperationKind::Pow;
        contract::max_ulp(self.kind, self.dtype)
            .map_or(0.0, |error| if sampled { error.max(2.0) } else { (error + 0.005).min(1.0) })
    }

    /// Whether the error is no larger.
    pub fn is_allowed(&self) -> bool {
        self.error <= self.allowed()
    }
}

/// Measures each function in each type, on all processors, and hands over each result as it comes.
///
/// [`Level::Exhaustive`] tries all 2³² arguments of `f32`, which takes about an hour on two processors; the other levels a part of
/// them. `f64` and functions of two arguments have samples: half of them of uniform logarithm.
pub fn measure(level: Level, report: &mut dyn FnMut(Measured)) {
    let (stride, samples) = match level {
        Level::Smoke => (8191, 20_000),
        Level::Full => (61, 400_000),
        Level::Exhaustive => (1, 10_000_000),
    };
    for one in FUNCTIONS {
        report(one.narrow::<f32>(stride, 32));
        report(one.double(samples));
        report(one.narrow::<f16>(1, 16));
        report(one.narrow::<bf16>(1, 16));
    }
    let pairs = if level == Level::Exhaustive { 100_000_000 } else { samples };
    report(powers::<f32>(pairs, -149.0..=127.9));
    report(powers::<f64>(pairs, -1074.0..=1023.9));
}

/// A function of one argument.
struct Function {
    op: UnaryOp,
    /// Of `f64`, by the standard library.
    reference: fn(f64) -> f64,
    f32: fn(f32) -> f32,
    f64: fn(f64) -> f64,
    f16: fn(f16) -> f16,
    bf16: fn(bf16) -> bf16,
    /// Arguments of `f64`: a third of the samples is uniform here,
    uniform: RangeInclusive<f64>,
    /// and for the others this is the exponent of 2.
    exponents: RangeInclusive<f64>,
    /// Whether there are negative arguments as well.
    negative: bool,
}

macro_rules! functions {
    ($($op:ident $name:ident: $reference:expr, $uniform:expr, $exponents:expr, $negative:expr;)*) => {
        const FUNCTIONS: &[Function] = &[$(Function {
            op: UnaryOp::$op,
            reference: $reference,
            f32: <f32 as Math>::$name,
            f64: <f64 as Math>::$name,
            f16: <f16 as Math>::$name,
            bf16: <bf16 as Math>::$name,
            uniform: $uniform,
            exponents: $exponents,
            negative: $negative,
        }),*];
    };
}
functions! {
    Exp exponential: f64::exp, -745.0..=709.7, -60.0..=9.4, true;
    Exp2 exponential2: f64::exp2, -1074.0..=1023.9, -60.0..=9.9, true;
    Expm1 exponential_minus1: f64::exp_m1, -2.0..=2.0, -60.0..=9.4, true;
    Log logarithm: |x| real(x >= 0.0, x.ln()), 0.5..=2.0, -1074.0..=1023.9, false;
    Log2 logarithm2: |x| real(x >= 0.0, x.log2()), 0.5..=2.0, -1074.0..=1023.9, false;
    Log1p logarithm_plus1: |x| real(x >= -1.0, x.ln_1p()), -0.9999..=2.0, -900.0..=1023.0, false;
    Sin sine: f64::sin, -100.0..=100.0, -900.0..=30.0, true;
    Cos cosine: f64::cos, -100.0..=100.0, -900.0..=30.0, true;
    Sinpi sine_pi: |x| pi(x, 0), -4.0..=4.0, -900.0..=52.0, true;
    Cospi cosine_pi: |x| pi(x, 1), -4.0..=4.0, -900.0..=52.0, true;
    Tanh hyperbolic_tangent: f64::tanh, -2.0..=22.0, -900.0..=5.0, true;
    Sigmoid logistic: |x| 1.0 / (1.0 + (-x).exp()), -745.0..=40.0, -60.0..=9.5, true;
    // The standard library has none: our own of `f64`, which its own row measures.
    Erf error_function: <f64 as Math>::error_function, -1.5..=6.0, -900.0..=3.0, true;
    Rsqrt reciprocal_root: |x| real(x >= 0.0, 1.0 / x.sqrt()), 0.5..=2.0, -600.0..=600.0, false;
    Cbrt cube_root: f64::cbrt, -8.0..=8.0, -600.0..=600.0, true;
}

/// NaN where the function is not real.
fn real(is: bool, value: f64) -> f64 {
    if is { value } else { f64::NAN }
}

/// The sine of πx + `quarters` · π/2, with the signs of zeros that IEEE 754-2019 gives.
fn pi(x: f64, quarters: i64) -> f64 {
    let y = x - 2.0 * (x / 2.0).round();
    let n = (2.0 * y).round();
    let r = (y - n / 2.0) * std::f64::consts::PI;
    let value = match (n as i64 + quarters).rem_euclid(4) {
        0 => r.sin(),
        1 => r.cos(),
        2 => -r.sin(),
        _ => -r.cos(),
    };
    match (value == 0.0, quarters) {
        (true, 0) => 0f64.copysign(x),
        (true, _) => 0.0,
        _ => value,
    }
}

/// A type that an error is measured in.
trait Measurable: Math + Element + CastFrom<f64> {
    /// Bits of precision, with the leading one.
    const PRECISION: i32;
    /// The exponents of the smallest normal number, and of the largest.
    const EXPONENTS: RangeInclusive<i32>;
    fn of_bits(bits: u64) -> Self;
    fn wide(self) -> f64;
    /// The function of this type.
    fn pick(function: &Function) -> fn(Self) -> Self;
}

macro_rules! measurable {
    ($($t:ident, $precision:literal, $exponents:expr, $bits:ty, |$x:ident| $wide:expr;)*) => { $(
        impl Measurable for $t {
            const PRECISION: i32 = $precision;
            const EXPONENTS: RangeInclusive<i32> = $exponents;
            fn of_bits(bits: u64) -> Self { $t::from_bits(bits as $bits) }
            fn wide(self) -> f64 { let $x = self; $wide }
            fn pick(function: &Function) -> fn(Self) -> Self { function.$t }
        }
    )* };
}
measurable! {
    f32, 24, -126..=127, u32, |x| f64::from(x);
    f64, 53, -1022..=1023, u64, |x| x;
    f16, 11, -14..=15, u16, |x| x.to_f64();
    bf16, 8, -126..=127, u16, |x| x.to_f64();
}

/// The error of `got`, where `value` · 2ⁿ is right.
fn error<T: Measurable>(got: T, value: Double, n: i32) -> f64 {
    let (got, high) = (got.wide(), value.high);
    if high.is_nan() || got.is_nan() {
        return if high.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if (high == 0.0 || got == 0.0) && high.is_sign_negative() != got.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = ((high.to_bits() >> 52) & 2047) as i32 - 1023;
    let (least, most) = (*T::EXPONENTS.start(), *T::EXPONENTS.end());
    if high.is_infinite() || exponent + n > most {
        return if got.is_infinite() && (got > 0.0) == (high > 0.0) { 0.0 } else { f64::INFINITY };
    }
    if got.is_infinite() {
        // What was rounded up to infinity: as if the exponents went on.
        let beyond = 2f64.powi(exponent + 1).copysign(got);
        let short = ((beyond - high) - value.low).abs();
        return if exponent + n == most { short / 2f64.powi(exponent - T::PRECISION + 1) } else { f64::INFINITY };
    }
    // Both times 2^−n, in two steps, lest it overflow.
    let scaled = got * 2f64.powi(-n / 2) * 2f64.powi(-n - -n / 2);
    let unit = (exponent + n).max(least) - n - T::PRECISION + 1;
    ((scaled - high) - value.low).abs() / 2f64.powi(unit / 2) / 2f64.powi(unit - unit / 2)
}

/// The larger error, and where it is.
type Worst = (f64, f64, f64);

/// Takes note of an error. A NaN would be the largest.
fn keep(worst: &mut Worst, error: f64, at: f64, second: f64) {
    if error.is_nan() || error > worst.0 {
        *worst = (if error.is_nan() { f64::INFINITY } else { error }, at, second);
    }
}

/// The worst of `count` things that `one` measures, in blocks on all processors. The same whatever their number.
fn on_all_processors(count: u64, one: impl Fn(u64, &mut Worst) + Sync) -> Worst {
    const BLOCK: u64 = 1 << 12;
    let (next, all) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut worst = (-1.0, 0.0, 0.0);
                loop {
                    let start = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if start >= count {
                        break;
                    }
                    (start..count.min(start + BLOCK)).for_each(|i| one(i, &mut worst));
                }
                all.lock().unwrap_or_else(PoisonError::into_inner).push(worst);
            });
        }
    });
    let mut found = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Of equal errors the one at the smallest argument, whoever found it.
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    found.first().copied().unwrap_or((f64::INFINITY, f64::NAN, f64::NAN))
}

impl Function {
    fn measured<T: Element>(&self, tried: u64, (error, at, second): Worst) -> Measured {
        Measured { kind: self.op.into(), dtype: T::DTYPE, tried, error, at: (at, second) }
    }

    /// Every `stride`th pattern of `bits` bits.
    fn narrow<T: Measurable>(&self, stride: u64, bits: u32) -> Measured {
        let (count, function) = ((1_u64 << bits).div_ceil(stride), T::pick(self));
        let worst = on_all_processors(count, |i, worst| {
            let x = T::of_bits(i * stride);
            let exact = Double::from((self.reference)(x.wide()));
            keep(worst, error(function(x), exact, 0), x.wide(), 0.0);
        });
        self.measured::<T>(count, worst)
    }

    fn double(&self, samples: u64) -> Measured {
        let worst = on_all_processors(samples, |i, worst| {
            let mut random = Sample::new(i);
            let magnitude = random.magnitude(&self.exponents);
            let x = match i % 3 {
                0 => random.between(&self.uniform),
                1 if self.negative => -magnitude,
                _ => magnitude,
            };
            let error = match functions::unary_scaled(self.op, x) {
                Some((value, n)) => error((self.f64)(x), value, n),
                None => f64::INFINITY,
            };
            keep(worst, error, x, 0.0);
        });
        self.measured::<f64>(samples, worst)
    }
}

fn powers<T: Measurable>(samples: u64, exponents: RangeInclusive<f64>) -> Measured {
    let worst = on_all_processors(samples, |i, worst| {
        let mut random = Sample::new(i);
        // The base of any size or near 1, the exponent such that the result is a number.
        let near = 1.0 + random.between(&(-1.0..=1.0)) * random.between(&(-20.0..=-1.0)).exp2();
        let a: T = cast(if i % 2 == 0 { random.magnitude(&exponents) } else { near });
        let results = exponents.start() - 1.0..=exponents.end() + 0.2;
        let b: T = cast(random.between(&results) / a.wide().log2());
        let (x, y) = (a.wide(), b.wide());
        if y.is_finite() && x != 1.0 {
            let error = match functions::binary_scaled(BinaryOp::Pow, x, y) {
                Some((value, n)) => error(T::power(a, b), value, n),
                None => f64::INFINITY,
            };
            keep(worst, error, x, y);
        }
    });
    Measured { kind: OperationKind::Pow, dtype: T::DTYPE, tried: samples, error: worst.0, at: (worst.1, worst.2) }
}

/// Random numbers of one sample, so that samples are the same whoever makes them.
struct Sample(u64);

impl Sample {
    fn new(index: u64) -> Self {
        Sample(index.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// From 0 to 1: S. Vigna's SplitMix64.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, range: &RangeInclusive<f64>) -> f64 {
        range.start() + (range.end() - range.start()) * self.next()
    }

    /// A magnitude of uniform logarithm, with random low bits.
    fn magnitude(&mut self, exponents: &RangeInclusive<f64>) -> f64 {
        self.between(exponents).exp2() * (1.0 + self.next() * 1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a unit is half a unit, in every type and at the ends of its range.
    #[test]
    fn units() {
        let of = |got: f32, high, low, n| error(got, Double { high, low }, n);
        assert_eq!(of(1.0, 1.0, 0.0, 0), 0.0);
        assert_eq!(of(1.0, 1.0 + 2f64.powi(-24), 0.0, 0), 0.5);
        assert_eq!(of(f32::from_bits(0x3f80_0001), 1.0, 0.0, 0), 1.0);
        // Just below a power of two the unit is half of that above it.
        assert_eq!(of(1.0, 1.0 - 2f64.powi(-25), 0.0, 0), 0.5);
        // Denormals: a unit is 2⁻¹⁴⁹.
        assert_eq!(of(0.0, 1.5 * 2f64.powi(-149), 0.0, 0), 1.5);
        assert_eq!(of(f32::from_bits(3), 1.0, 0.0, -148), 1.0);
        assert_eq!(error(5e-324, Double { high: 1.25, low: 0.0 }, -1074), 0.25);
        // The low part counts.
        assert_eq!(error(1.0_f64, Double { high: 1.0, low: 2f64.powi(-54) }, 0), 0.25);
        // Past the largest number there is infinity.
        assert_eq!(of(f32::INFINITY, 2f64.powi(128), 0.0, 0), 0.0);
        assert_eq!(of(f32::INFINITY, 2f64.powi(128) - 2f64.powi(102), 0.0, 0), 0.25);
        assert_eq!(error(f16::INFINITY, Double { high: 65_520.0, low: 0.0 }, 0), 0.5);
        for (got, exact) in
            [(f32::NAN, 1.0), (1.0, f64::NAN), (f32::INFINITY, 1.0), (1.0, f64::INFINITY), (0.0, -0.0), (-0.0, 1.0)]
        {
            assert!(of(got, exact, 0.0, 0).is_infinite(), "{got} {exact}");
        }
        assert_eq!(of(f32::NAN, f64::NAN, 0.0, 0), 0.0);
    }

    /// A part of what the command does: no error is above what the contract table says.
    #[test]
    fn errors_are_those_of_the_table() {
        let mut count = 0;
        for one in FUNCTIONS {
            for measured in [one.narrow::<f32>(2_000_003, 32), one.double(300), one.narrow::<f16>(7, 16)] {
                assert!(measured.is_allowed() && measured.error > 0.1, "{measured:?}");
                count += 1;
            }
        }
        for measured in [powers::<f32>(300, -149.0..=127.9), powers::<f64>(300, -1074.0..=1023.9)] {
            assert!(measured.is_allowed() && measured.error > 0.1, "{measured:?}");
        }
        assert_eq!(count, 45);
    }
}
