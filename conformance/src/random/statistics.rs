//! What the sequence is like. Results are those of a fixed seed, so a check never fails by chance; the thresholds are
//! what a good generator passes with any seed but one in a million.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Level;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::philox::RandomElement;
use warpwave_core::{Device, Philox, Random as _, Stream};

/// Any number but 0.
const SEED: u64 = 0x5eed_0f57;
/// Standard deviations of a normal distribution that are left in one case of a million, on either side.
const DEVIATIONS: f64 = 4.9;

pub(super) fn check<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let len = if session.level() == Level::Smoke { 1 << 14 } else { 1 << 22 };
    session.once(Lane::Exact, |case| bytes(case, len))?;
    session.once(Lane::Exact, |case| bits(case, len))?;
    session.once(Lane::Exact, |case| uniform::<f32, D>(case, len, f64::from))?;
    session.once(Lane::Exact, |case| uniform::<f64, D>(case, len, |x| x))
}

/// Normal numbers.
pub(super) fn normals<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let len = if session.level() == Level::Smoke { 1 << 14 } else { 1 << 22 };
    session.once(Lane::Exact, |case| super::normal::statistics::<f32, D>(case, len))?;
    session.once(Lane::Exact, |case| super::normal::statistics::<f64, D>(case, len))
}

fn numbers<T: RandomElement, D: Device>(case: &Case<'_, D>, len: usize) -> Verdict<Vec<T>> {
    let mut out = case.stream().zeros::<T>(len)?;
    case.stream().random(&mut Philox::new(SEED), &mut out)?;
    case.read(&out)
}

/// χ² of the bytes of the words, each place in a word by itself: 255 degrees of freedom.
fn bytes<D: Device>(case: &mut Case<'_, D>, len: usize) -> Verdict {
    let words: Vec<u32> = numbers(case, len)?;
    let expected = len as f64 / 256.0;
    for place in 0..4 {
        let mut counts = [0_u32; 256];
        words.iter().for_each(|word| counts[usize::from(word.to_le_bytes()[place])] += 1);
        let chi: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // Wilson and Hilferty: the cube root of χ² / n is nearly normal.
        let (n, unit) = (255.0_f64, 2.0 / (9.0 * 255.0));
        let deviation = ((chi / n).cbrt() - (1.0 - unit)) / unit.sqrt();
        let text =
            format!("byte {place} of the words: χ² is {chi:.1}, {deviation:.2} standard deviations from its mean");
        case.ensure(deviation.abs() < DEVIATIONS, text)?;
    }
    Ok(())
}

/// Each bit is 1 half of the time, and so is its difference from the same bit of the next word.
fn bits<D: Device>(case: &mut Case<'_, D>, len: usize) -> Verdict {
    let words: Vec<u32> = numbers(case, len)?;
    let differences: Vec<u32> = words.windows(2).map(|pair| pair[0] ^ pair[1]).collect();
    for (name, words) in [("", &words), (", against the next word", &differences)] {
        let n = words.len() as f64;
        for bit in 0..32 {
            let ones = words.iter().filter(|&word| word >> bit & 1 == 1).count() as f64;
            let deviation = (ones - n / 2.0) / (n / 4.0).sqrt();
            let text = format!("bit {bit}{name}: {ones} of {n} are 1, {deviation:.2} standard deviations from half");
            case.ensure(deviation.abs() < DEVIATIONS, text)?;
        }
    }
    Ok(())
}

/// The test of Kolmogorov and Smirnov for the uniform distribution on [0, 1): `D·√n` above 2.69 has a probability of
/// 10⁻⁶ (`2·exp(−2·x²)`).
fn uniform<T: RandomElement, D: Device>(case: &mut Case<'_, D>, len: usize, value: impl Fn(T) -> f64) -> Verdict {
    let mut x: Vec<f64> = numbers::<T, D>(case, len)?.into_iter().map(value).collect();
    case.ensure(x.iter().all(|x| (0.0..1.0).contains(x)), "a number is outside of [0, 1)")?;
    x.sort_by(f64::total_cmp);
    let n = len as f64;
    let distance = |(i, &x): (usize, &f64)| (x - i as f64 / n).max((i + 1) as f64 / n - x);
    let largest = x.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt();
    case.ensure(largest < 2.69, format_args!("{} numbers: D·√n is {largest:.3}", T::DTYPE))
}
