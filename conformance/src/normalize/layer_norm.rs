//! Layer normalization.

use super::lines::{Operands, run};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reduction::{inputs, lines};
use crate::reference::{Data, Double, Matrix, Random, Sample, accumulation_unit, output_unit};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{Reducible, WideFloat, layer_norm, tree};
use warpwave_core::{Axis, Device, GemmElement, LayerNormOptions, Normalize, Scalar, Stream};

/// What elements are multiplied by, what is added, and to the variance.
struct Affine<T> {
    gamma: Option<Vec<T>>,
    beta: Option<Vec<T>>,
    epsilon: f64,
}

impl<T: Sample> Affine<T> {
    fn new(random: &mut Random, data: Data, len: usize, epsilon: f64) -> Self {
        let mut one = || (random.below(3) > 0).then(|| random.vector(data, len));
        Affine { gamma: one(), beta: one(), epsilon }
    }

    fn of(&self, i: usize) -> (f64, f64) {
        let value = |x: &Vec<T>| x[i].values()[0];
        (self.gamma.as_ref().map_or(1.0, value), self.beta.as_ref().map_or(0.0, value))
    }
}

pub(super) fn check<T, D: Device>(session: &mut Session<'_, D>, axis: Axis) -> Verdict
where
    T: Sample + WideFloat + GemmElement<Compute = <T as Reducible>::Acc>,
{
    let (counts, level) = (Counts::of(4), session.level());
    session.cases(Lane::Exact, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let affine = Affine::new(&mut random, Data::Integers(8), len, if len % 2 == 0 { 0.0 } else { 0.25 });
        let (lines, want): (Vec<_>, Vec<_>) = (0..count).map(|_| exact::<T>(&mut random, len, &affine)).unzip();
        let got = call(case, axis, &at, seed, &lines, &affine)?;
        crate::reference::equal_numbers(case, "out", &got.concat(), &want.concat())
    })?;
    session.cases(Lane::Poison, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let affine = Affine::new(&mut random, Data::Special, len, 0.5);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.specials_with_nan(len)).collect();
        call(case, axis, &at, seed, &lines, &affine).map(drop)
    })?;
    session.cases(Lane::Bounded, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let affine = Affine::new(&mut random, Data::Numbers, len, 0.125);
        // Far from 0, next to what their differences are: but for one time in two.
        let shift = [0.0, 100.0][random.below(2)];
        let number = |random: &mut Random| T::from_values([shift + random.number(), 0.0]);
        let lines: Vec<Vec<T>> = (0..count).map(|_| (0..len).map(|_| number(&mut random)).collect()).collect();
        let got = call(case, axis, &at, seed, &lines, &affine)?;
        lines.iter().zip(got).try_for_each(|(line, got)| bounded(case, line, &affine, &got))
    })
}

fn call<T, D: Device>(
    case: &mut Case<'_, D>,
    axis: Axis,
    at: &Matrix,
    seed: u64,
    lines: &[Vec<T>],
    affine: &Affine<T>,
) -> Verdict<Vec<Vec<T>>>
where
    T: Sample + WideFloat + GemmElement<Compute = <T as Reducible>::Acc>,
{
    let stream = case.stream();
    let epsilon: T::Acc = Scalar::from_f64(affine.epsilon);
    let upload = |x: &Option<Vec<T>>| x.as_ref().map(|x| stream.from_slice(x)).transpose();
    let (gamma, beta) = (upload(&affine.gamma)?, upload(&affine.beta)?);
    let call = |operands: Operands<'_, '_, T, D>| {
        let mut options = LayerNormOptions::new(epsilon);
        if let Some(gamma) = &gamma {
            options = options.gamma(gamma);
        }
        if let Some(beta) = &beta {
            options = options.beta(beta);
        }
        match (operands, axis) {
            (Operands::Whole(Some(x), out), _) => stream.layer_norm(x, &options, out),
            (Operands::Whole(None, out), _) => stream.layer_norm_assign(out, &options),
            (Operands::Lines(Some(x), out), Axis::Rows) => stream.layer_norm_rows(x, &options, out),
            (Operands::Lines(None, out), Axis::Rows) => stream.layer_norm_rows_assign(out, &options),
            (Operands::Lines(Some(x), out), _) => stream.layer_norm_cols(x, &options, out),
            (Operands::Lines(None, out), _) => stream.layer_norm_cols_assign(out, &options),
        }
    };
    let define = |line: &[T]| {
        let of = |x: &Option<Vec<T>>, i: usize| x.as_ref().map(|x| x[i]);
        layer_norm::layer_norm(line.len(), epsilon, |i| line[i], |i| of(&affine.gamma, i), |i| of(&affine.beta, i))
    };
    run(case, (axis, at, seed), lines, &call, &define)
}

/// Of an even number of elements half lie as far above the mean as the others below it, by a power of two, which is then the standard
/// deviation; of an odd number all are equal.
fn exact<T: Sample>(random: &mut Random, len: usize, affine: &Affine<T>) -> (Vec<T>, Vec<T>) {
    let (mean, distance) = (random.integer(8), 1 << random.below(4));
    let mut sign = 1;
    let element = |i: usize| {
        if len % 2 == 1 {
            sign = 0;
        } else if i.is_multiple_of(2) {
            sign = [1, -1][random.below(2)];
        } else {
            sign = -sign;
        }
        let (gamma, beta) = affine.of(i);
        (T::from_integer(mean + sign * distance), T::from_values([sign as f64 * gamma + beta, 0.0]))
    };
    (0..len).map(element).unzip()
}

/// Holds results to the bound of [`layer_norm`]'s page.
fn bounded<T: Sample, D: Device>(case: &mut Case<'_, D>, x: &[T], affine: &Affine<T>, got: &[T]) -> Verdict {
    let (n, unit, k) = (x.len() as f64, accumulation_unit::<T>(), tree::depth(x.len()) as f64);
    let share = Double::quotient(1.0, n);
    let x: Vec<Double> = x.iter().map(|x| Double::from(x.values()[0])).collect();
    let mean = x.iter().fold(Double::ZERO, |a, &b| a + b) * share;
    let size = x.iter().map(|x| x.abs().value()).sum::<f64>() / n;
    let variance = x.iter().fold(Double::ZERO, |sum, &x| sum + (x - mean) * (x - mean)) * share;
    let root = (variance + Double::from(affine.epsilon)).sqrt().value();
    let scale = Double::quotient(1.0, root);
    let of_mean = (k + 1.0) * unit * size;
    // The reference's root is rounded to `f64` once.
    let of_scale = (k + 4.0) / 2.0 * unit + of_mean * of_mean / (2.0 * root * root) + 2.5 * unit + f64::UNIT;
    for (i, (&x, got)) in x.iter().zip(got).enumerate() {
        let (gamma, beta) = affine.of(i);
        let d = x - mean;
        let exact = d * scale * Double::from(gamma) + Double::from(beta);
        let rest = scale.value() * (of_mean + d.abs().value() * (of_scale + 2.0 * unit));
        let error = gamma.abs() * rest + exact.abs().value() * (unit + output_unit::<T>());
        let distance = (Double::from(got.values()[0]) - exact).abs().value();
        // Terms of second order.
        case.error("out", i, distance, error * 1.01 + T::TINY)?;
    }
    Ok(())
}
