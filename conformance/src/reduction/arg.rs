//! The places of the smallest and the largest elements.

use super::large;
use super::lines::{Operand, inputs, lines, run};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Matrix, Random, Sample, seeds};
use crate::session::Session;
use proptest::prelude::*;
use std::cmp::Ordering;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::numerics::{Numeric, reduction};
use warpwave_core::{ArgOp, Axis, Device, Layout, Reduce};

pub(super) fn check<T: Sample + SortKey + Numeric, D: Device>(
    session: &mut Session<'_, D>,
    op: ArgOp,
    axis: Axis,
) -> Verdict {
    let (counts, level) = (Counts::of(7), session.level());
    // Few values, so that most are there several times; or any.
    for data in [Data::Integers(3), Data::Numbers] {
        session.cases(Lane::Exact, counts, inputs(axis, level), |case, (at, seed)| {
            let mut random = Random::new(seed);
            let (count, len) = lines(axis, &at);
            let lines: Vec<Vec<T>> = (0..count).map(|_| random.vector(data, len)).collect();
            places(case, op, axis, &at, &lines)
        })?;
    }
    session.cases(Lane::Exact, Counts::of(2), (inputs(axis, level), 0..4_u8), |case, ((at, _), value)| {
        let (count, len) = lines(axis, &at);
        places(case, op, axis, &at, &vec![vec![T::from_integer(value.into()); len]; count])
    })?;
    // Few values once more: every thread and block finds the extreme, and the first of all has to win.
    session.each(Lane::Exact, large::shapes(level, T::DTYPE, axis), |case, (rows, cols)| {
        let at = Matrix::new(1, rows, cols, 1, Layout::ColumnMajor);
        let mut random = Random::new(5);
        let (count, len) = lines(axis, &at);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.vector(Data::Integers(3), len)).collect();
        places(case, op, axis, &at, &lines)
    })?;
    session.cases(Lane::Poison, counts, inputs(axis, level), |case, (at, seed)| {
        let mut random = Random::new(seed);
        let (count, len) = lines(axis, &at);
        let lines: Vec<Vec<T>> = (0..count).map(|_| random.specials_with_nan(len)).collect();
        places(case, op, axis, &at, &lines)
    })?;
    // Every bit pattern alike: among 8- and 16-bit elements the extremes are there often.
    session.cases(Lane::Poison, Counts::of(1), (long(level), seeds()), |case, (at, seed)| {
        let line: Vec<T> = Random::new(seed).vector(Data::Bits, at.rows);
        places(case, op, Axis::Cols, &at, &[line])
    })
}

/// One line that is longer than what one thread or block goes through alone.
fn long(level: Level) -> impl Strategy<Value = Matrix> {
    let len = if level == Level::Smoke { 9000 } else { 150_001 };
    (0..4_usize).prop_map(move |front| Matrix::new(front, len, 1, 1, Layout::ColumnMajor))
}

/// The places in lines, which have to be those of the definition and of a plain search.
fn places<T: Sample + SortKey + Numeric, D: Device>(
    case: &mut Case<'_, D>,
    op: ArgOp,
    axis: Axis,
    at: &Matrix,
    lines: &[Vec<T>],
) -> Verdict {
    let stream = case.stream();
    let got = run::<T, u64, D>(case, axis, at, lines, &|x, out| match (op, x, axis) {
        (ArgOp::Min, Operand::Whole(x), _) => stream.argmin_into(x, out),
        (ArgOp::Min, Operand::Lines(x), Axis::Rows) => stream.argmin_rows(x, out),
        (ArgOp::Min, Operand::Lines(x), _) => stream.argmin_cols(x, out),
        (_, Operand::Whole(x), _) => stream.argmax_into(x, out),
        (_, Operand::Lines(x), Axis::Rows) => stream.argmax_rows(x, out),
        (_, Operand::Lines(x), _) => stream.argmax_cols(x, out),
    })?;
    let place = |index: Option<usize>| index.map_or(u64::MAX, |index| index as u64);
    let defined = |line: &Vec<T>| match op {
        ArgOp::Min => reduction::argmin(line.len(), |i| line[i]),
        _ => reduction::argmax(line.len(), |i| line[i]),
    };
    case.bits("out", &got, &lines.iter().map(|line| place(defined(line))).collect::<Vec<u64>>())?;
    case.bits("out", &got, &lines.iter().map(|line| place(search(op, line))).collect::<Vec<u64>>())
}

/// The first NaN, else the first element that no other is smaller, or larger, than: integers by value, floats as the standard
/// library's total order has them.
fn search<T: Sample>(op: ArgOp, x: &[T]) -> Option<usize> {
    let order = |a: T, b: T| match T::DTYPE.is_integer() {
        true => a.integer().cmp(&b.integer()),
        false => a.values()[0].total_cmp(&b.values()[0]),
    };
    let wanted = if op == ArgOp::Min { Ordering::Less } else { Ordering::Greater };
    let nan = x.iter().position(|x| x.has_nan());
    nan.or_else(|| (0..x.len()).reduce(|best, i| if order(x[i], x[best]) == wanted { i } else { best }))
}
