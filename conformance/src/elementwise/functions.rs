//! Elementary functions: the bits that the core defines, and errors in units in the last place against arithmetic of twice the
//! precision of `f64`.

use super::arithmetic::{binary_as_defined, defined_binary, defined_unary, unary_as_defined};
use super::operands::{Call, calls, every_tail};
use super::{binary, large, specials, unary};
use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::level::{Counts, Level};
use crate::reference::{Double, Random, Sample, functions};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{BinaryOp, DType, Device, OperationKind, UnaryOp};

/// Elements of a case that are compared with the slow reference.
const REFERRED: usize = 100;

/// The check of an elementary function, whose error the contract says to be `ulp` at most.
pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>, kind: OperationKind, ulp: f64) -> Verdict {
    // The table is rounded to hundredths; and for f64 it has what was found among samples.
    let allowed = if T::DTYPE == DType::F64 { 2.0 } else { ulp + 0.005 };
    if let Some(op) = unary(kind) {
        specials::unary::<T, D>(session, op)?;
        one_argument::<T, D>(session, op, allowed)?;
        return large::unary::<T, D>(session, op);
    }
    match binary(kind) {
        Some(op) => {
            specials::binary::<T, D>(session, op)?;
            two_arguments::<T, D>(session, op, allowed)?;
            large::binary::<T, D>(session, op)
        }
        None => Err(Failure::new(format_args!("{kind} has no argument"))),
    }
}

fn one_argument<T: Sample, D: Device>(session: &mut Session<'_, D>, op: UnaryOp, allowed: f64) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(4), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let (x, want): (Vec<T>, Vec<T>) =
            (0..call.len).map(|_| exact(op, &mut random)).map(|[x, y]| (value::<T>(x), value::<T>(y))).unzip();
        let got = call.unary(case, op, &x)?;
        case.bits("an exact result: out", &got, &want)
    })?;
    session.each(Lane::Exact, every_tail::<T>(), |case, call| {
        let mut random = Random::new(call.seed);
        let x: Vec<T> = (0..call.len).map(|_| value(argument::<T>(op, &mut random))).collect();
        let got = call.unary(case, op, &x)?;
        case.bits("out", &got, &defined_unary(op, &x)?)
    })?;
    unary_as_defined::<T, D>(session, op)?;
    session.cases(Lane::Bounded, Counts::of(6), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let x: Vec<T> = (0..call.len).map(|_| value(argument::<T>(op, &mut random))).collect();
        let got = call.unary(case, op, &x)?;
        case.bits("out", &got, &defined_unary(op, &x)?)?;
        for i in (0..call.len).step_by(call.len.div_ceil(REFERRED).max(1)) {
            let want = functions::unary(op, x[i].values()[0]).ok_or_else(|| no_reference(op))?;
            ulps(case, i, got[i], want, allowed)?;
        }
        Ok(())
    })?;
    if matches!(op, UnaryOp::Sin | UnaryOp::Cos) {
        session.once(Lane::Bounded, |case| huge_angles::<T, D>(case, op, allowed))?;
    }
    if T::DTYPE.size() > 2 || level == Level::Smoke {
        return Ok(());
    }
    // All numbers that the reference has a result for.
    session.once(Lane::Bounded, |case| {
        let x: Vec<T> = (0..1 << 16).map(|bits| T::from_patterns([bits, 0])).collect();
        let got = Call::of_views(x.len()).unary(case, op, &x)?;
        case.bits("out", &got, &defined_unary(op, &x)?)?;
        for (i, (x, got)) in x.iter().zip(&got).enumerate() {
            let x = x.values()[0];
            let within_reach = !matches!(op, UnaryOp::Sin | UnaryOp::Cos) || x.abs() < 1e6;
            if within_reach && got.values()[0].is_finite() && got.values()[0] != 0.0 {
                let want = functions::unary(op, x).ok_or_else(|| no_reference(op))?;
                ulps(case, i, *got, want, allowed)?;
            }
        }
        Ok(())
    })
}

fn two_arguments<T: Sample, D: Device>(session: &mut Session<'_, D>, op: BinaryOp, allowed: f64) -> Verdict {
    let level = session.level();
    // Powers of small integers.
    session.cases(Lane::Exact, Counts::of(4), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let mut integers =
            |low, high| (0..call.len).map(|_| T::from_integer(low + random.below(high) as i64)).collect::<Vec<T>>();
        let (mut a, mut b) = (integers(-15, 31), integers(0, 3));
        call.seen(&mut a, &mut b);
        let got = call.binary(case, op, &a, &b)?;
        let power = |(a, b): (&T, &T)| T::from_integer(a.integer().pow(b.integer() as u32) as i64);
        let want: Vec<T> = a.iter().zip(&b).map(power).collect();
        case.bits("an exact result: out", &got, &want)
    })?;
    session.each(Lane::Exact, every_tail::<T>(), |case, call| {
        let mut random = Random::new(call.seed);
        let (a, b): (Vec<T>, Vec<T>) = (0..call.len).map(|_| pair::<T>(&mut random)).unzip();
        let got = call.binary(case, op, &a, &b)?;
        case.bits("out", &got, &defined_binary(op, &a, &b)?)
    })?;
    binary_as_defined::<T, D>(session, op)?;
    session.cases(Lane::Bounded, Counts::of(12), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let (mut a, mut b): (Vec<T>, Vec<T>) = (0..call.len).map(|_| pair::<T>(&mut random)).unzip();
        call.seen(&mut a, &mut b);
        let got = call.binary(case, op, &a, &b)?;
        case.bits("out", &got, &defined_binary(op, &a, &b)?)?;
        let (lowest, highest) = exponents::<T>();
        for i in (0..call.len).step_by(call.len.div_ceil(REFERRED).max(1)) {
            let (a, b) = (a[i].values()[0], b[i].values()[0]);
            // With one number for all, some powers are out of range.
            let size = b * a.log2();
            if lowest < size && size < highest {
                let want = functions::binary(op, a, b).ok_or_else(|| no_reference(op))?;
                ulps(case, i, got[i], want, allowed)?;
            }
        }
        Ok(())
    })
}

fn no_reference(op: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("the suite has no reference for {op}"))
}

fn value<T: Sample>(x: f64) -> T {
    T::from_values([x, 0.0])
}

/// Holds the error of one element to so many units in the last place of the exact result.
fn ulps<T: Sample, D: Device>(case: &mut Case<'_, D>, i: usize, got: T, want: Double, allowed: f64) -> Verdict {
    let exponent = ((want.high.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = (2.0 * T::UNIT * 2f64.powi(exponent)).max(T::TINY);
    let error = (Double::from(got.values()[0]) - want).value().abs();
    case.ulps("out", i, error / unit, allowed)
}

/// Powers of two between which results are numbers of the type, and of the reference.
fn exponents<T: Sample>() -> (f64, f64) {
    match T::DTYPE {
        DType::F16 => (-24.0, 15.9),
        DType::F64 => (-900.0, 1000.0),
        _ => (T::TINY.log2(), 127.9),
    }
}

/// An argument from where the function does not yet overflow or become a constant: of any magnitude, and of those that are common.
fn argument<T: Sample>(op: UnaryOp, random: &mut Random) -> f64 {
    let (lowest, highest) = exponents::<T>();
    let ln_2 = std::f64::consts::LN_2;
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    // From a negative number to a positive one, or from there toward 0 by powers of two.
    let mut between = |low: f64, high: f64| match random.below(2) {
        0 => low + (high - low) * random.unit(),
        _ => (if sign < 0.0 { low } else { high }) * (-20.0 * random.unit()).exp2(),
    };
    match op {
        UnaryOp::Exp | UnaryOp::Sigmoid => between(lowest * ln_2, highest * ln_2),
        UnaryOp::Exp2 => between(lowest, highest),
        UnaryOp::Expm1 | UnaryOp::Tanh => between(-40.0, highest.min(1000.0) * ln_2),
        UnaryOp::Erf => between(-7.0, 7.0),
        UnaryOp::Sin | UnaryOp::Cos => between(-60_000.0, 60_000.0),
        UnaryOp::Sinpi | UnaryOp::Cospi => between(-300.0, 300.0),
        // From 0.1, past which the argument is still no 1 in any type.
        UnaryOp::Log1p => match random.below(2) {
            0 => -0.9 * random.unit(),
            _ => ((highest + 20.0) * random.unit() - 20.0).exp2(),
        },
        UnaryOp::Cbrt => sign * (lowest + (highest - lowest) * random.unit()).exp2(),
        _ => match random.below(2) {
            0 => 1.0 + sign * 0.5 * (-52.0 * random.unit()).exp2(),
            _ => (lowest + (highest - lowest) * random.unit()).exp2(),
        },
    }
}

/// Base and exponent of a power that is a number: the bases of any size, or near 1.
fn pair<T: Sample>(random: &mut Random) -> (T, T) {
    let (lowest, highest) = exponents::<T>();
    let a: T = value(argument::<T>(UnaryOp::Log, random));
    let size = a.values()[0].log2();
    let result = lowest + 1.0 + (highest - lowest - 2.0) * random.unit();
    (a, value(if size == 0.0 { result } else { result / size }))
}

/// An argument and the result, both of them numbers of every type.
fn exact(op: UnaryOp, random: &mut Random) -> [f64; 2] {
    let one_of = |pairs: &[[f64; 2]], random: &mut Random| pairs[random.below(pairs.len())];
    let infinity = f64::INFINITY;
    let power = random.integer(14) as f64;
    let whole = random.integer(100) as f64;
    match op {
        UnaryOp::Exp => one_of(&[[0.0, 1.0], [-1000.0, 0.0], [1000.0, infinity]], random),
        UnaryOp::Exp2 => [power, power.exp2()],
        UnaryOp::Expm1 => one_of(&[[0.0, 0.0], [-1000.0, -1.0], [1000.0, infinity]], random),
        UnaryOp::Log => one_of(&[[1.0, 0.0], [0.0, -infinity], [infinity, infinity]], random),
        UnaryOp::Log2 => [power.exp2(), power],
        UnaryOp::Log1p => one_of(&[[0.0, 0.0], [-1.0, -infinity], [infinity, infinity]], random),
        UnaryOp::Sin => [0.0, 0.0],
        UnaryOp::Cos => [0.0, 1.0],
        // Whole numbers, whose zeros have their signs, and halves.
        UnaryOp::Sinpi => match random.below(2) {
            0 => [whole, 0f64.copysign(whole)],
            _ => [whole + 0.5, if whole % 2.0 == 0.0 { 1.0 } else { -1.0 }],
        },
        UnaryOp::Cospi => match random.below(2) {
            0 => [whole, if whole % 2.0 == 0.0 { 1.0 } else { -1.0 }],
            _ => [whole + 0.5, 0.0],
        },
        UnaryOp::Tanh | UnaryOp::Erf => one_of(&[[0.0, 0.0], [-60.0, -1.0], [60.0, 1.0]], random),
        UnaryOp::Sigmoid => one_of(&[[0.0, 0.5], [-1000.0, 0.0], [60.0, 1.0]], random),
        UnaryOp::Rsqrt => [(2.0 * (power / 2.0).trunc()).exp2(), (-(power / 2.0).trunc()).exp2()],
        _ => one_of(&[[0.0, 0.0], [8.0, 2.0], [-27.0, -3.0], [0.125, 0.5], [64.0, 4.0]], random),
    }
}

/// Angles that are numbers of every type but `f16`, which has none of that size, and some of `f64` alone; their sines and cosines
/// are of mpmath 1.4.1.
#[rustfmt::skip]
const HUGE: [(f64, [f64; 2], [f64; 2]); 9] = [
    (131_072.0, [-0.9991137889507709, 2.6470621144498033e-17], [0.04209081525029623, 2.7058575188393827e-19]),
    (3_298_534_883_328.0, [-0.9500044433762096, -1.391733261115972e-19], [-0.31223638091269595, -2.2643407463191207e-17]),
    (1.2676506002282294e30, [-0.8721836054182673, 2.833560288403131e-17], [0.48917865697472146, -9.78792195863999e-18]),
    (6.646139978924579e36, [0.9336204376320104, 2.0890379279139954e-17], [0.35826369957869486, -1.3724930435268642e-17]),
    (3.3895313892515355e38, [-0.986781452744555, 3.1116696183549264e-17], [0.16205667070301571, 9.591626033091088e-18]),
    (1e22, [-0.8522008497671888, -6.7806825896773284e-18], [0.523214785395139, -4.7143201076575164e-17]),
    // The number that comes nearest to a multiple of π/2 (J.-M. Muller, "Elementary Functions").
    (5.319372648326541e255, [1.0, -1.098476220074687e-37], [-4.687165924254628e-19, 4.3720557429382733e-36]),
    (f64::MAX, [0.004961954789184062, -2.5049377676494104e-19], [-0.9999876894265599, -2.6032890267216748e-17]),
    (1.607262910779401e301, [0.23753068171491185, -7.673927638474298e-18], [-0.9713800364656715, 2.7279800510978783e-17]),
];

fn huge_angles<T: Sample, D: Device>(case: &mut Case<'_, D>, op: UnaryOp, allowed: f64) -> Verdict {
    let angles: Vec<_> = HUGE.into_iter().filter(|&(x, ..)| value::<T>(x).values()[0] == x).collect();
    // Among small ones, and with either sign.
    let x: Vec<T> = angles.iter().flat_map(|&(x, ..)| [x, 1.0, -x]).map(value).collect();
    let got = Call::of_views(x.len()).unary(case, op, &x)?;
    case.bits("out of what is large", &got, &defined_unary(op, &x)?)?;
    for (i, (_, [sine, sine_low], [cosine, cosine_low])) in angles.into_iter().enumerate() {
        let (want, mirrored) = match op {
            UnaryOp::Sin => (Double { high: sine, low: sine_low }, Double { high: -sine, low: -sine_low }),
            _ => (Double { high: cosine, low: cosine_low }, Double { high: cosine, low: cosine_low }),
        };
        ulps(case, 3 * i, got[3 * i], want, allowed)?;
        ulps(case, 3 * i + 2, got[3 * i + 2], mirrored, allowed)?;
    }
    Ok(())
}
