//! Means.

use super::large;
use super::lines::{Operand, inputs, lines, run};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{Double, Matrix, Pair, Random, Sample, accumulation_unit, equal_numbers, output_unit, within};
use crate::session::Session;
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{CastFrom, reduction, tree};
use warpwave_core::{Axis, Device, Layout, Reduce, Scalar};

pub(super) fn check<T: Sample + GemmArithmetic, D: Device>(session: &mut Session<'_, D>, axis: Axis) -> Verdict
where
    <T::Compute as Scalar>::Magnitude: CastFrom<u64>,
{
    let (counts, level) = (Counts::of(9), session.level());
    let integers = |case: &mut Case<'_, D>, (at, seed): (Matrix, u64)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let (lines, want): (Vec<_>, Vec<_>) = (0..count).map(|_| exact::<T>(&mut random, len)).unzip();
        let got = mean(case, axis, &at, &lines)?;
        equal_numbers(case, "out", &got, &want)
    };
    session.cases(Lane::Exact, counts, inputs(axis, level), integers)?;
    session.each(Lane::Exact, large::shapes(level, T::DTYPE, axis), |case, (rows, cols)| {
        let layout = if axis == Axis::Whole { Layout::ColumnMajor } else { Layout::RowMajor };
        integers(case, (Matrix::new(1, rows, cols, 1, layout), 5))
    })?;
    session.cases(Lane::Poison, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.specials_with_nan(len)).collect();
        mean(case, axis, &at, &lines).map(drop)
    })?;
    session.cases(Lane::Bounded, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.vector(crate::reference::Data::Numbers, len)).collect();
        let got = mean(case, axis, &at, &lines)?;
        lines.iter().zip(got).enumerate().try_for_each(|(i, (line, got))| bounded(case, i, line, got))
    })
}

/// The means of lines, which have to be those of the definition.
fn mean<T: Sample + GemmArithmetic, D: Device>(
    case: &mut Case<'_, D>,
    axis: Axis,
    at: &Matrix,
    lines: &[Vec<T>],
) -> Verdict<Vec<T>>
where
    <T::Compute as Scalar>::Magnitude: CastFrom<u64>,
{
    let stream = case.stream();
    let got = run::<T, T, D>(case, axis, at, lines, &|x, out| match (x, axis) {
        (Operand::Whole(x), _) => stream.mean_into(x, out),
        (Operand::Lines(x), Axis::Rows) => stream.mean_rows(x, out),
        (Operand::Lines(x), _) => stream.mean_cols(x, out),
    })?;
    let defined: Vec<T> = lines.iter().map(|line| reduction::mean(line.len(), |i| line[i])).collect();
    case.bits("out", &got, &defined)?;
    Ok(got)
}

/// Integers whose mean is one, and that: pairs that lie equally far from it on either side. NaN of nothing.
fn exact<T: Sample>(random: &mut Random, len: usize) -> (Vec<T>, T) {
    let mean = [random.integer(8), random.integer(8)];
    let mut distance = [0; 2];
    let element = |i: usize| {
        if i.is_multiple_of(2) {
            distance = if i + 1 == len { [0; 2] } else { [random.integer(8), random.integer(8)] };
        } else {
            distance = distance.map(|d| -d);
        }
        T::from_integers([mean[0] + distance[0], mean[1] + distance[1]])
    };
    let elements = (0..len).map(element).collect();
    (elements, if len == 0 { T::from_values([f64::NAN; 2]) } else { T::from_integers(mean) })
}

/// Holds a mean to the bound: every element passes through as many roundings as the tree is deep, and then the division.
fn bounded<T: Sample, D: Device>(case: &mut Case<'_, D>, index: usize, x: &[T], got: T) -> Verdict {
    if x.is_empty() {
        return case.ensure(got.has_nan(), format_args!("out[{index}]: the mean of nothing is {got:?}"));
    }
    let pairs = x.iter().map(|x| Pair::new(x.values()));
    let size = pairs.clone().map(Pair::modulus).sum::<f64>() / x.len() as f64;
    let share = Pair { re: Double::quotient(1.0, x.len() as f64), im: Double::ZERO };
    let exact = pairs.fold(Pair::ZERO, |a, b| a + b) * share;
    let factor = if T::DTYPE.is_complex() { std::f64::consts::SQRT_2 } else { 1.0 };
    let bound = factor * (tree::depth(x.len()) + 1) as f64 * accumulation_unit::<T>() * size;
    let output = output_unit::<T>() * (exact.modulus() + bound);
    // Sums in `f64` of the reference's sizes are themselves off by a little.
    within(case, "out", index, got, exact, (bound + output) * (1.0 + 1e-9) + T::TINY)
}
