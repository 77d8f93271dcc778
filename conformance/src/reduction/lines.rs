//! Reductions that are no [`ReduceOp`](warpwave_core::ReduceOp): where their lines lie, and how they are run.

use super::axis::shapes;
use crate::case::Case;
use crate::elementwise::inside;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Image, LARGE, Matrix, Sample, Vector, fronts, seeds};
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::{Axis, Buffer, Device, Layout, MatrixView, Result, Stream, View, ViewMut};

/// Around one, a warp, the lanes and the chunk of the tree.
const LENGTHS: &[usize] = &[0, 1, 2, 3, 7, 33, 1023, 1024, 1025, 8191, 8192, 8193, 3 * 8192 + 5];
/// Larger than what one thread or block goes through alone.
const LONG: &[usize] = &[65_537, 200_001, LARGE];

/// Matrices to reduce along an axis; one column to reduce whole. And a seed.
pub(crate) fn inputs(axis: Axis, level: Level) -> BoxedStrategy<(Matrix, u64)> {
    if axis != Axis::Whole {
        return shapes(level).boxed();
    }
    let lengths = if level == Level::Smoke { LENGTHS.to_vec() } else { [LENGTHS, LONG].concat() };
    let column = |(front, len)| Matrix::new(front, len, 1, 0, Layout::ColumnMajor);
    ((fronts(), select(lengths)).prop_map(column), seeds()).boxed()
}

/// How many lines a matrix has along an axis, and how many elements each.
pub(crate) fn lines(axis: Axis, at: &Matrix) -> (usize, usize) {
    match axis {
        Axis::Rows => (at.rows, at.cols),
        _ => (at.cols, at.rows),
    }
}

/// A reduction: of a view that is reduced whole, or of a matrix along its axis.
pub(super) type Call<'a, T, U, D> = &'a dyn Fn(Operand<'_, '_, T, D>, &mut ViewMut<'_, U, D>) -> Result<()>;

/// What is reduced.
pub(super) enum Operand<'a, 'b, T: Sample, D: Device> {
    Whole(&'a View<'b, T, D>),
    Lines(&'a MatrixView<'b, T, D>),
}

/// Reduces lines, and compares everything around the output with what was there.
pub(super) fn run<T: Sample, U: Sample, D: Device>(
    case: &mut Case<'_, D>,
    axis: Axis,
    at: &Matrix,
    lines: &[Vec<T>],
    call: Call<'_, T, U, D>,
) -> Verdict<Vec<U>> {
    let stream = case.stream();
    let element = |row: usize, col: usize| if axis == Axis::Rows { lines[row][col] } else { lines[col][row] };
    let values: Vec<T> = (0..at.rows).flat_map(|row| (0..at.cols).map(move |col| element(row, col))).collect();
    let out_at = Vector::dense(at.front + 1, lines.len());
    let image = Image::<U>::around(&out_at);
    let x_buffer = stream.from_slice(&Image::of_matrix(at, &values).elements)?;
    let mut out = stream.from_slice(&image.elements)?;
    let x = x_buffer.slice(at.range())?;
    if axis == Axis::Whole {
        // All that is behind the first element is to be left alone.
        call(Operand::Whole(&x), &mut out.slice_mut(out_at.front..)?)?;
    } else {
        let x = x.matrix_with(at.rows, at.cols, at.ld, at.layout)?;
        call(Operand::Lines(&x), &mut out.slice_mut(out_at.range())?)?;
    }
    inside(case, &out, &image, &out_at)
}
