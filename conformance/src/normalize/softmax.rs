//! Softmax and its logarithm.

use super::lines::{Operands, run};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reduction::{inputs, lines};
use crate::reference::{Data, Double, Matrix, Random, Sample, accumulation_unit, output_unit};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{WideFloat, softmax, tree};
use warpwave_core::{Axis, DType, Device, Normalize};

pub(super) fn check<T: Sample + WideFloat, D: Device>(session: &mut Session<'_, D>, log: bool, axis: Axis) -> Verdict {
    let (counts, level) = (Counts::of(4), session.level());
    session.cases(Lane::Exact, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let (lines, want): (Vec<_>, Vec<_>) = (0..count).map(|_| exact::<T>(&mut random, log, len)).unzip();
        let got = call(case, log, axis, &at, seed, &lines)?;
        case.bits("out", &got.concat(), &want.concat())
    })?;
    session.cases(Lane::Poison, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.specials_with_nan(len)).collect();
        let got = call(case, log, axis, &at, seed, &lines)?;
        lines.iter().zip(got).try_for_each(|(line, got)| {
            let value = |x: &T| x.values()[0];
            let none = line.iter().any(|x| value(x).is_nan() || value(x) == f64::INFINITY)
                || line.iter().all(|x| value(x) == f64::NEG_INFINITY);
            case.ensure(got.iter().all(|y| y.has_nan() == none), format_args!("{line:?} became {got:?}"))
        })
    })?;
    session.cases(Lane::Bounded, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        // Some ascend, so that the largest changes with every element.
        let ascending = random.below(2) == 0;
        let mut line = || {
            let mut line = random.vector::<T>(Data::Numbers, len);
            if ascending {
                line.sort_by(|a, b| a.values()[0].total_cmp(&b.values()[0]));
            }
            line
        };
        let lines: Vec<Vec<T>> = (0..count).map(|_| line()).collect();
        let got = call(case, log, axis, &at, seed, &lines)?;
        lines.iter().zip(got).try_for_each(|(line, got)| bounded(case, log, line, &got))
    })
}

fn call<T: Sample + WideFloat, D: Device>(
    case: &mut Case<'_, D>,
    log: bool,
    axis: Axis,
    at: &Matrix,
    seed: u64,
    lines: &[Vec<T>],
) -> Verdict<Vec<Vec<T>>> {
    let stream = case.stream();
    let call = |operands: Operands<'_, '_, T, D>| match (operands, log, axis) {
        (Operands::Whole(Some(x), out), false, _) => stream.softmax(x, out),
        (Operands::Whole(Some(x), out), true, _) => stream.log_softmax(x, out),
        (Operands::Whole(None, out), false, _) => stream.softmax_assign(out),
        (Operands::Whole(None, out), true, _) => stream.log_softmax_assign(out),
        (Operands::Lines(Some(x), out), false, Axis::Rows) => stream.softmax_rows(x, out),
        (Operands::Lines(Some(x), out), true, Axis::Rows) => stream.log_softmax_rows(x, out),
        (Operands::Lines(None, out), false, Axis::Rows) => stream.softmax_rows_assign(out),
        (Operands::Lines(None, out), true, Axis::Rows) => stream.log_softmax_rows_assign(out),
        (Operands::Lines(Some(x), out), false, _) => stream.softmax_cols(x, out),
        (Operands::Lines(Some(x), out), true, _) => stream.log_softmax_cols(x, out),
        (Operands::Lines(None, out), false, _) => stream.softmax_cols_assign(out),
        (Operands::Lines(None, out), true, _) => stream.log_softmax_cols_assign(out),
    };
    run(case, (axis, at, seed), lines, &call, &|line| softmax::softmax(log, line.len(), |i| line[i]))
}

/// Equal elements, as many as a power of two, among masked ones: each of them has an equal share. Of the logarithm but one.
fn exact<T: Sample>(random: &mut Random, log: bool, len: usize) -> (Vec<T>, Vec<T>) {
    let (masked, level) = (f64::NEG_INFINITY, random.integer(100) as f64);
    let most = if log || len == 0 { 0 } else { len.min(256).ilog2() as usize };
    let shown = 1 << random.below(most + 1);
    let (mut x, mut p) = (vec![masked; len], vec![if log { masked } else { 0.0 }; len]);
    let first = random.below(len + 1);
    for i in (0..len).map(|i| (first + i * 7919) % len).take(shown.min(len)) {
        x[i] = level;
    }
    // Of a length that 7919 divides, places repeat.
    let shown = x.iter().filter(|&&x| x == level).count();
    p.iter_mut().zip(&x).filter(|(_, x)| **x == level).for_each(|(p, _)| {
        *p = if log { 0.0 } else { 1.0 / shown as f64 };
    });
    let all = |values: Vec<f64>| values.into_iter().map(|x| T::from_values([x, 0.0])).collect();
    (all(x), all(p))
}

/// Holds results to the bound of [`softmax`]'s page. The reference's differences and exponentials are in `f64`: for results in `f64` they
/// are as far off themselves.
fn bounded<T: Sample, D: Device>(case: &mut Case<'_, D>, log: bool, x: &[T], got: &[T]) -> Verdict {
    let x: Vec<f64> = x.iter().map(|x| x.values()[0]).collect();
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let terms = || x.iter().map(|x| Double::from((x - max).exp()));
    let sum = terms().fold(Double::ZERO, |a, b| a + b).value();
    let spread: f64 = x.iter().map(|x| (x - max).exp() / sum * (max - x)).sum();
    let unit = accumulation_unit::<T>() * if T::DTYPE == DType::F64 { 2.0 } else { 1.0 };
    let of_sum = (spread + 3.0 * tree::depth(x.len()) as f64 + 1.0) * unit;
    // For each e^x and each result that becomes a denormal.
    let tiny = T::TINY;
    let (mut want, mut bound) = (Vec::new(), Vec::new());
    for &x in &x {
        let below = max - x;
        let (value, error) = if log {
            let value = -below - sum.ln();
            (value, of_sum + (below + 2.0 * sum.ln().abs() + value.abs()) * unit)
        } else {
            let value = (-below).exp() / sum;
            (value, value * (of_sum + (below + 3.0) * unit) + tiny * (1.0 + value * got.len() as f64))
        };
        want.push(value);
        // Terms of second order.
        bound.push((error + output_unit::<T>() * value.abs()) * 1.01 + tiny);
    }
    let got: Vec<f64> = got.iter().map(|y| y.values()[0]).collect();
    case.bounded("out", &got, &want, &bound)
}
