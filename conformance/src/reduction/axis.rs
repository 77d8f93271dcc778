//! Reductions of rows and of columns.

use super::reference::Reduction;
use super::{known, large};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Image, Matrix, Random, Sample, Vector, dimensions, matrices, seeds};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Axis, Buffer, Device, Layout, Reduce, ReduceOp, Stream};

/// Matrices of small and middling size, few lines of a great length, and many short ones; and a seed.
pub(super) fn shapes(level: Level) -> impl Strategy<Value = (Matrix, u64)> {
    let long: &[usize] = match level {
        Level::Smoke => &[1025, 8193],
        _ => &[1025, 8193, 3 * 8192 + 5, 200_001],
    };
    let matrices = prop_oneof![
        5 => matrices(dimensions(33), dimensions(33)),
        1 => matrices(select(&[63, 64, 129][..]), select(&[31, 65, 127][..])),
        1 => matrices(select(long), 1..4_usize),
        1 => matrices(1..4_usize, select(long)),
    ];
    (matrices, seeds())
}

pub(super) fn check<T: Sample, D: Device>(
    session: &mut Session<'_, D>,
    axis: Axis,
    reduction: &Reduction<T>,
) -> Verdict {
    known::check::<T, D>(session, reduction.op, axis)?;
    let level = session.level();
    let line = |len: usize, lines: usize, make: &mut dyn FnMut(usize) -> Vec<T>| -> Vec<Vec<T>> {
        (0..lines).map(|_| make(len)).collect()
    };
    let shape = move |at: &Matrix| if axis == Axis::Rows { (at.rows, at.cols) } else { (at.cols, at.rows) };
    let exact = |case: &mut Case<'_, D>, (at, seed): (Matrix, u64)| {
        let mut random = Random::new(seed);
        let (lines, len) = shape(&at);
        let (lines, want): (Vec<_>, Vec<_>) = (0..lines).map(|_| reduction.exact(&mut random, len)).unzip();
        let got = run(case, reduction.op, axis, &at, &lines)?;
        let defined: Vec<T> = lines.iter().map(|line| (reduction.define)(line)).collect();
        case.bits("out", &got, &defined)?;
        match want.into_iter().collect::<Option<Vec<T>>>() {
            Some(want) => reduction.equal(case, &got, &want),
            None => Ok(()),
        }
    };
    session.cases(Lane::Exact, Counts::of(7), shapes(level), exact)?;
    // The other operations go the same way.
    let stands = reduction.op == ReduceOp::Sum || level != Level::Smoke;
    let large = if stands { large::shapes(level, T::DTYPE, axis) } else { Vec::new() };
    session.each(Lane::Exact, large, |case, (rows, cols)| {
        exact(case, (Matrix::new(1, rows, cols, 1, Layout::ColumnMajor), 5))
    })?;
    session.cases(Lane::Poison, Counts::of(7), shapes(level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (lines, len) = shape(&at);
        let lines = line(len, lines, &mut |len| reduction.specials(&mut random, len));
        let got = run(case, reduction.op, axis, &at, &lines)?;
        let defined: Vec<T> = lines.iter().map(|line| (reduction.define)(line)).collect();
        case.bits("out", &got, &defined)
    })?;
    if !reduction.rounds {
        return Ok(());
    }
    session.cases(Lane::Bounded, Counts::of(7), shapes(level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (lines, len) = shape(&at);
        let lines = line(len, lines, &mut |len| reduction.numbers(&mut random, len));
        let got = run(case, reduction.op, axis, &at, &lines)?;
        for (i, (line, &got)) in lines.iter().zip(&got).enumerate() {
            case.bits("out", &[got], &[(reduction.define)(line)])?;
            reduction.bounded(case, i, line, got)?;
        }
        Ok(())
    })
}

/// Reduces the lines of a matrix; compares everything around the output with what was there.
pub(super) fn run<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    op: ReduceOp,
    axis: Axis,
    at: &Matrix,
    lines: &[Vec<T>],
) -> Verdict<Vec<T>> {
    let stream = case.stream();
    let element = |row: usize, col: usize| if axis == Axis::Rows { lines[row][col] } else { lines[col][row] };
    let values: Vec<T> =
        (0..at.rows).flat_map(|row| (0..at.cols).map(move |col| (row, col))).map(|(r, c)| element(r, c)).collect();
    let out_at = Vector::dense(at.front + 1, lines.len());
    let image = Image::<T>::around(&out_at);
    let x_buffer = stream.from_slice(&Image::of_matrix(at, &values).elements)?;
    let mut out = stream.from_slice(&image.elements)?;
    let x = x_buffer.slice(at.range())?.matrix_with(at.rows, at.cols, at.ld, at.layout)?;
    stream.reduce(op, axis, &x, &mut out.slice_mut(out_at.range())?)?;
    crate::elementwise::inside(case, &out, &image, &out_at)
}

/// Outputs that do not fit are refused, by name.
pub(super) fn arguments<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = stream.from_slice(&[1.0_f32; 6])?;
        let matrix = x.matrix(2, 3)?;
        let mut four = stream.from_slice(&[9.0_f32; 4])?;
        let mut none = stream.zeros::<f32>(0)?;
        case.refused(stream.sum_rows(&matrix, &mut four), "out")?;
        case.refused(stream.max_cols(&matrix, &mut four), "out")?;
        case.refused(stream.sum_into(&x, &mut none), "out")?;
        case.refused(stream.prod_cols(&matrix, &mut none), "out")?;
        case.refused(stream.mean_rows(&matrix, &mut four), "out")?;
        case.refused(stream.mean_cols(&matrix, &mut none), "out")?;
        case.refused(stream.mean_into(&x, &mut none), "out")?;
        let mut places = stream.from_slice(&[9_u64; 4])?;
        case.refused(stream.argmin_rows(&matrix, &mut places), "out")?;
        case.refused(stream.argmax_cols(&matrix, &mut places), "out")?;
        case.refused(stream.argmax_into(&x, &mut places.slice_mut(..0)?), "out")?;
        case.bits("what refused calls must leave alone", &case.read(&places)?, &[9; 4])?;
        case.refused(stream.reduce(ReduceOp::Sum, Axis::Whole, &matrix, &mut four), "x")?;
        case.bits("what refused calls must leave alone", &case.read(&four)?, &[9.0; 4])
    })
}
