//! Faults in softmax, layer normalization and normal random numbers.

use super::elements::Elements;
use super::rework::{Rework, typed};
use super::scans::lines;
use crate::reference::{Sample, philox};
use warpwave_core::numerics::normal::{BoxMuller, scaled};
use warpwave_core::numerics::softmax::State;
use warpwave_core::numerics::{Numeric, Reducible, Wide, WideFloat, tree};
use warpwave_core::operation::LayerNorm;
use warpwave_core::{Operation, RealScalar, Scalar};

/// Makes each line of a softmax of what it was.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn softmax_of<F>(operation: &Operation, f: F) -> Rework
where
    F: SoftmaxFault + Send + 'static,
{
    let Operation::Softmax { log: false, axis, x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (lines(axis, x), lines(axis, out)) };
    Rework::instead(move || {
        typed!(x.dtype, float T => {
            for line in 0..x.rows {
                let elements: Vec<_> = (0..x.cols).map(|i| x.get::<T>(line, i).widen()).collect();
                let results = f.line(&elements);
                results.into_iter().enumerate().for_each(|(i, y)| out.set(line, i, T::narrow(y)));
            }
        });
    })
}

trait SoftmaxFault {
    fn line<C: Wide>(&self, x: &[C]) -> Vec<C>;
}

struct WithoutMaximum;
impl SoftmaxFault for WithoutMaximum {
    fn line<C: Wide>(&self, x: &[C]) -> Vec<C> {
        let sum = x.iter().fold(C::ZERO, |sum, &x| sum + C::exponential(x));
        x.iter().map(|&x| C::exponential(x) / sum).collect()
    }
}

struct PlainOrder;
impl SoftmaxFault for PlainOrder {
    fn line<C: Wide>(&self, x: &[C]) -> Vec<C> {
        let Some(state) = x.iter().map(|&x| State::of(x)).reduce(State::join) else { return Vec::new() };
        x.iter().map(|&x| state.end().value(false, x)).collect()
    }
}

struct MasksSubtracted;
impl SoftmaxFault for MasksSubtracted {
    fn line<C: Wide>(&self, x: &[C]) -> Vec<C> {
        // Two masked elements that meet differ by no number.
        let masked = x.windows(2).any(|x| x[0] == x[1] && x[0].to_f64() == f64::NEG_INFINITY);
        let state = tree::reduce(
            x.len(),
            |acc: Option<State<C>>, i| acc.map_or(State::of(x[i]), |acc| acc.with(x[i])),
            State::join,
        );
        let Some(state) = state else { return Vec::new() };
        let spoil = if masked { C::from_f64(f64::NAN) } else { C::ZERO };
        x.iter().map(|&x| state.end().value(false, x) + spoil).collect()
    }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn without_maximum(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { softmax_of(operation, WithoutMaximum) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn plain_order(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { softmax_of(operation, PlainOrder) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn masks_subtracted(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { softmax_of(operation, MasksSubtracted) }
}

/// A layer normalization with another variance, of the mean of the squares, the mean and the number of elements, and of that of the
/// squares of the differences.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn variance(operation: &Operation, f: fn(f64, f64, f64, f64) -> f64) -> Rework {
    fn line<T: Sample + WideFloat>(x: &[T], epsilon: T::Acc, f: fn(f64, f64, f64, f64) -> f64) -> Vec<T::Acc> {
        let n = x.len() as f64;
        let narrow = |x: f64| -> T::Acc { Scalar::from_f64(x) };
        let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a, b| narrow(a + b).to_f64());
        let mean = narrow(sum(&mut x.iter().map(|x| x.values()[0])) / n).to_f64();
        let squares = narrow(sum(&mut x.iter().map(|x| narrow(x.values()[0] * x.values()[0]).to_f64())) / n).to_f64();
        let differences = sum(&mut x.iter().map(|x| (x.values()[0] - mean) * (x.values()[0] - mean))) / n;
        let scale = T::Acc::ONE / (narrow(f(squares, mean, n, differences)) + epsilon).sqrt();
        x.iter().map(|x| (x.widen() - narrow(mean)) * scale).collect()
    }
    let Operation::LayerNorm(LayerNorm { axis, x, gamma: None, beta: None, epsilon, out }) = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (lines(axis, x), lines(axis, out)) };
    Rework::instead(move || {
        typed!(x.dtype, float T => {
            let Some(epsilon) = epsilon.get() else { return };
            for number in 0..x.rows {
                let elements: Vec<T> = (0..x.cols).map(|i| x.get(number, i)).collect();
                let results = line(&elements, epsilon, f);
                results.into_iter().enumerate().for_each(|(i, y)| out.set(number, i, T::narrow(y)));
            }
        });
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn variance_of_squares(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { variance(operation, |squares, mean, _, _| squares - mean * mean) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn variance_of_one_fewer(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe {
        variance(operation, |_, _, n, differences| if n > 1.0 { differences * n / (n - 1.0) } else { differences })
    }
}

/// Normal numbers of pairs made in another way: of their words, and of the two numbers.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn pairs(operation: &Operation, swapped: bool) -> Rework {
    fn of<C: BoxMuller>(words: [u32; 4], swapped: bool) -> (C, C) {
        if swapped {
            let (cosine, sine) = C::pair(words);
            return (sine, cosine);
        }
        // Without what keeps it from 0.
        let (first, angle) = C::uniform(words);
        let lowest = C::uniform([0; 4]).0;
        let log = C::logarithm(first - lowest);
        let (r, (sine, cosine)) = ((-(log + log)).sqrt(), C::sine_cosine_pi(angle));
        (r * cosine, r * sine)
    }
    let Operation::Normal { seed, subsequence, offset, mean, deviation, out } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::instead(move || {
        typed!(out.dtype, float T => {
            let (Some(mean), Some(deviation)) = (mean.get(), deviation.get()) else { return };
            let per = philox::words_of::<T>() as u64;
            for i in 0..out.rows {
                let first = offset.wrapping_add(i as u64 * per);
                let start = first & !per;
                let words = philox::words(philox::ROUNDS, seed, subsequence, start, 4);
                let (cosine, sine) = of::<<T as Reducible>::Acc>([words[0], words[1], words[2], words[3]], swapped);
                out.set::<T>(i, 0, scaled(if first == start { cosine } else { sine }, mean, deviation));
            }
        });
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn zero_uniform(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { pairs(operation, false) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn sine_for_cosine(operation: &Operation) -> Rework {
    // SAFETY: the caller's.
    unsafe { pairs(operation, true) }
}
