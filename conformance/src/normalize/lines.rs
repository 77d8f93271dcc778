//! Where lines lie, and how they are replaced.

use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Image, Matrix, Random, Sample};
use warpwave_core::{Axis, Buffer, Device, Layout, MatrixView, MatrixViewMut, Result, Stream, View, ViewMut};

/// What is read and what is written; nothing is read but the output itself if it is in place.
pub(super) enum Operands<'a, 'b, T: Sample, D: Device> {
    Whole(Option<&'a View<'b, T, D>>, &'a mut ViewMut<'b, T, D>),
    Lines(Option<&'a MatrixView<'b, T, D>>, &'a mut MatrixViewMut<'b, T, D>),
}

/// A call, and what it should make of a line.
pub(super) type Call<'a, T, D> = &'a dyn Fn(Operands<'_, '_, T, D>) -> Result<()>;
pub(super) type Definition<'a, T> = &'a dyn Fn(&[T]) -> Vec<T>;

/// Replaces lines, in place every third time and else in a layout that the seed chooses; compares with the definition, and all that lies
/// around with what was there. Gives the lines that came of it.
pub(super) fn run<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    (axis, at, seed): (Axis, &Matrix, u64),
    lines: &[Vec<T>],
    call: Call<'_, T, D>,
    define: Definition<'_, T>,
) -> Verdict<Vec<Vec<T>>> {
    let mut random = Random::new(!seed);
    let in_place = random.below(3) == 0;
    let out_at = match axis {
        _ if in_place => *at,
        Axis::Whole => Matrix::new(random.below(4), at.rows, at.cols, 0, at.layout),
        _ => {
            let layout = [Layout::ColumnMajor, Layout::RowMajor][random.below(2)];
            Matrix::new(random.below(4), at.rows, at.cols, random.below(3), layout)
        }
    };
    let place = |line: usize, i: usize| if axis == Axis::Rows { (line, i) } else { (i, line) };
    let element = |row: usize, col: usize| if axis == Axis::Rows { lines[row][col] } else { lines[col][row] };
    let values: Vec<T> = (0..at.rows).flat_map(|row| (0..at.cols).map(move |col| element(row, col))).collect();
    let x_image = Image::of_matrix(at, &values);
    let mut out_image = if in_place { x_image.clone() } else { Image::of_matrix(&out_at, &[]) };
    let stream = case.stream();
    let x_buffer = stream.from_slice(&x_image.elements)?;
    let mut out_buffer = stream.from_slice(&out_image.elements)?;
    {
        let x = x_buffer.slice(at.range())?;
        let mut out = out_buffer.slice_mut(out_at.range())?;
        if axis == Axis::Whole {
            call(Operands::Whole((!in_place).then_some(&x), &mut out))?;
        } else {
            let x = x.matrix_with(at.rows, at.cols, at.ld, at.layout)?;
            let mut out = out.matrix_mut_with(out_at.rows, out_at.cols, out_at.ld, out_at.layout)?;
            call(Operands::Lines((!in_place).then_some(&x), &mut out))?;
        }
    }
    for (line, elements) in lines.iter().enumerate() {
        for (i, value) in define(elements).into_iter().enumerate() {
            let (row, col) = place(line, i);
            out_image.elements[out_at.index(row, col)] = value;
        }
    }
    let got = case.read(&out_buffer)?;
    case.bits("out with what lies around it", &got, &out_image.elements)?;
    let x = case.read(&x_buffer)?;
    case.bits("x, which is only read,", &x, &x_image.elements)?;
    let element = |line: usize, i: usize| {
        let (row, col) = place(line, i);
        got[out_at.index(row, col)]
    };
    let line = |(line, elements): (usize, &Vec<T>)| (0..elements.len()).map(|i| element(line, i)).collect();
    Ok(lines.iter().enumerate().map(line).collect())
}
