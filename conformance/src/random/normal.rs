//! Normal random numbers: of class R, so every result is compared bit for bit with the definition; with the transform of Box and Muller in
//! `f64`, of words from the paper; and for what their distribution is like.

use super::{Call, calls};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Random, Sample, accumulation_unit, output_unit, philox, seeds};
use crate::session::Session;
use warpwave_core::numerics::Reducible;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::math::Math;
use warpwave_core::numerics::normal::{NormalElement, element};
use warpwave_core::{Buffer, Device, Float, GemmElement, Philox, Random as _, Scalar, Stream};

/// What normal numbers can be had of, as the call and the definition ask for it.
pub(super) trait Normal:
    Sample + NormalElement + Float + GemmElement<Compute = <Self as Reducible>::Acc>
{
}
impl<T: Sample + NormalElement + Float + GemmElement<Compute = <T as Reducible>::Acc>> Normal for T {}

pub(super) fn check<T: Normal, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(8), (calls(level), seeds()), exact::<T, D>)?;
    let large: &[usize] = if level == Level::Smoke { &[40_003] } else { &[40_003, 1_000_003] };
    let of_length = |&len: &usize| (Call { seed: 1, subsequence: 2, offset: 3, len }, 7);
    session.each(Lane::Exact, large.iter().map(of_length), exact::<T, D>)?;
    session.cases(Lane::Exact, Counts::of(6), (calls(level), seeds()), in_pieces::<T, D>)?;
    session.cases(Lane::Poison, Counts::of(8), (calls(level), seeds()), |case, (call, seed)| {
        let (mean, deviation) = scale(seed);
        let mut out = case.guarded(&vec![T::poison(); call.len])?;
        let (of_mean, of_deviation) = (Scalar::from_f64(mean), Scalar::from_f64(deviation));
        case.stream().normal(&mut call.generator(), of_mean, of_deviation, &mut out.view_mut()?)?;
        let got = out.read(case)?;
        case.bits("out", &got, &defined::<T>(&call, mean, deviation))
    })?;
    session.cases(Lane::Bounded, Counts::of(8), (calls(level), seeds()), |case, (call, seed)| {
        let (mean, deviation) = scale(seed);
        let got: Vec<T> = made(case, &call, mean, deviation)?;
        bounded(case, &call, (mean, deviation), &got)
    })
}

/// A mean and a deviation that `f32` holds.
fn scale(seed: u64) -> (f64, f64) {
    let mut random = Random::new(seed);
    (random.integer(16) as f64 / 4.0, random.integer(8).unsigned_abs() as f64 / 4.0)
}

fn defined<T: Normal>(call: &Call, mean: f64, deviation: f64) -> Vec<T> {
    let (mean, deviation) = (Scalar::from_f64(mean), Scalar::from_f64(deviation));
    (0..call.len as u64).map(|i| element((call.seed, call.subsequence, call.offset), i, mean, deviation)).collect()
}

fn made<T: Normal, D: Device>(case: &mut Case<'_, D>, call: &Call, mean: f64, deviation: f64) -> Verdict<Vec<T>> {
    let mut out = case.stream().from_slice(&vec![T::poison(); call.len])?;
    let mut generator = call.generator();
    case.stream().normal(&mut generator, Scalar::from_f64(mean), Scalar::from_f64(deviation), &mut out)?;
    let after = call.offset.wrapping_add((call.len * philox::words_of::<T>()) as u64);
    case.bits("the generator's place", &[generator.offset()], &[after])?;
    case.read(&out)
}

fn exact<T: Normal, D: Device>(case: &mut Case<'_, D>, (call, seed): (Call, u64)) -> Verdict {
    let (mean, deviation) = scale(seed);
    let got: Vec<T> = made(case, &call, mean, deviation)?;
    case.bits("out", &got, &defined(&call, mean, deviation))
}

/// The numbers are the same however many calls make them, wherever those cut a pair.
fn in_pieces<T: Normal, D: Device>(case: &mut Case<'_, D>, (call, seed): (Call, u64)) -> Verdict {
    let mut out = case.stream().from_slice(&vec![T::poison(); call.len])?;
    let (mut generator, mut random) = (call.generator(), Random::new(seed));
    let (mean, deviation) = (Scalar::from_f64(0.5), Scalar::from_f64(2.0));
    let mut start = 0;
    while start < call.len {
        let end = call.len.min(start + 1 + random.below(call.len / 3 + 1));
        case.stream().normal(&mut generator, mean, deviation, &mut out.slice_mut(start..end)?)?;
        start = end;
    }
    let got = case.read(&out)?;
    case.bits("out, in pieces,", &got, &defined::<T>(&call, 0.5, 2.0))
}

/// Each number of a pair by the formula. The logarithm is within 2u of the exact one, the root within 1.5u and half of that, sine and
/// cosine within 2u, of which u₁ of `f32` adds u to the argument of the logarithm; and all of it twice for `f64`, whose reference is no better.
fn bounded<T: Normal, D: Device>(
    case: &mut Case<'_, D>,
    call: &Call,
    (mean, deviation): (f64, f64),
    got: &[T],
) -> Verdict {
    let wide = philox::words_of::<T>() == 2;
    let (per, unit) = (philox::words_of::<T>() as u64, accumulation_unit::<T>());
    let (mut want, mut bound) = (Vec::new(), Vec::new());
    for i in 0..got.len() as u64 {
        let first = call.offset.wrapping_add(i * per);
        let second = first / per % 2 == 1;
        let start = if second { first.wrapping_sub(per) } else { first };
        let words = philox::words(philox::ROUNDS, call.seed, call.subsequence, start, 2 * per as usize);
        let upper = |low: u32, high: u32| (u64::from(high) << 32 | u64::from(low)) >> 11;
        let (u, v) = if wide {
            ((upper(words[0], words[1]) + 1) as f64 / 2_f64.powi(53), upper(words[2], words[3]) as f64 / 2_f64.powi(52))
        } else {
            (
                f64::from((f64::from(words[0]) as f32).mul_add(2_f32.powi(-32), 2_f32.powi(-33))),
                f64::from(words[1] >> 8) / 2_f64.powi(23),
            )
        };
        let r = (-2.0 * u.ln()).sqrt();
        // Exact multiples of a half turn: the reference's own function would be off near its zeros by what π is rounded by.
        let (sine, cosine) = f64::sine_cosine_pi(v);
        let z = r * if second { sine } else { cosine };
        let exact = z.mul_add(deviation, mean);
        want.push(exact);
        let of_z = 8.0 * unit * z.abs() * deviation;
        bound.push(of_z + exact.abs() * (2.0 * unit + output_unit::<T>()) + T::TINY * 2.0);
    }
    let got: Vec<f64> = got.iter().map(|x| x.values()[0]).collect();
    case.bounded("out", &got, &want, &bound)
}

/// What the authors' first vector becomes, worked out in Python.
pub(super) fn known<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let within = |case: &mut Case<'_, D>, got: &[f64], want: &[f64], unit: f64| {
        let bound: Vec<f64> = want.iter().map(|x| x.abs() * 16.0 * unit).collect();
        case.bounded("numbers that are written out", got, want, &bound)
    };
    let mut out = case.stream().zeros::<f32>(4)?;
    case.stream().normal(&mut Philox::new(0), 0.0, 1.0, &mut out)?;
    let got: Vec<f64> = case.read(&out)?.into_iter().map(f64::from).collect();
    let want = [0.9911374751458971, -0.9246627803544332, -0.6176091364997016, -0.4820684108900655];
    within(case, &got, &want, 2_f64.powi(-24))?;
    let mut out = case.stream().zeros::<f64>(2)?;
    case.stream().normal(&mut Philox::new(0), 0.0, 1.0, &mut out)?;
    let got = case.read(&out)?;
    within(case, &got, &[-0.39766753844418223, -0.310395478801738], 2_f64.powi(-53))?;
    // A deviation of 0 leaves the mean; one that is negative or NaN is refused, and moves nothing.
    let mut generator = Philox::new(9);
    case.stream().normal(&mut generator, 2.5, 0.0, &mut out)?;
    let got = case.read(&out)?;
    case.bits("no deviation", &got, &[2.5; 2])?;
    for deviation in [-1.0, f64::NAN] {
        case.refused(case.stream().normal(&mut generator, 0.0, deviation, &mut out), "deviation")?;
    }
    case.bits("the generator's place", &[generator.offset()], &[4])
}

/// The sample of a fixed seed: moments within 4.9 standard deviations of their estimates, and Kolmogorov and Smirnov's distance.
pub(super) fn statistics<T: Normal, D: Device>(case: &mut Case<'_, D>, len: usize) -> Verdict {
    let call = Call { seed: 0x5eed_0f58, subsequence: 0, offset: 1, len };
    let mut x: Vec<f64> = made::<T, D>(case, &call, 0.0, 1.0)?.into_iter().map(|x| x.values()[0]).collect();
    let n = len as f64;
    for (name, power, exact, variance) in
        [("mean", 1, 0.0, 1.0), ("variance", 2, 1.0, 2.0), ("skewness", 3, 0.0, 15.0), ("kurtosis", 4, 3.0, 96.0)]
    {
        let moment = x.iter().map(|x| x.powi(power)).sum::<f64>() / n;
        let deviation = (moment - exact) / (variance / n).sqrt();
        case.ensure(deviation.abs() < 4.9, format_args!("{}: {name} {moment}", T::DTYPE))?;
    }
    for lag in 1..4 {
        let together = x.windows(lag + 1).map(|x| x[0] * x[lag]).sum::<f64>() / n.sqrt();
        case.ensure(together.abs() < 4.9, format_args!("{}: {together} at a distance of {lag}", T::DTYPE))?;
    }
    x.sort_by(f64::total_cmp);
    let below = |x: f64| 0.5 + 0.5 * f64::error_function(x / std::f64::consts::SQRT_2);
    let distance = |(i, &x): (usize, &f64)| (below(x) - i as f64 / n).max((i + 1) as f64 / n - below(x));
    let largest = x.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt();
    case.ensure(largest < 2.69, format_args!("{} normal numbers: D·√n is {largest:.3}", T::DTYPE))
}
