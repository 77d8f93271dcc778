//! Transposition.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Image, Matrix, Random, Sample, dimensions, extras, fronts, layouts, matrices, seeds};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Layout, Ops, Stream};

/// Transposes one matrix into another, each amid poison.
fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, data: Data, x_at: Matrix, out_at: Matrix, seed: u64) -> Verdict {
    let values = Random::new(seed).vector::<T>(data, x_at.rows * x_at.cols);
    let x_image = Image::of_matrix(&x_at, &values);
    let mut out_image = Image::<T>::of_matrix(&out_at, &[]);
    let x_buffer = case.stream().from_slice(&x_image.elements)?;
    let mut out_buffer = case.stream().from_slice(&out_image.elements)?;
    {
        let x = x_buffer.slice(x_at.range())?.matrix_with(x_at.rows, x_at.cols, x_at.ld, x_at.layout)?;
        let out = out_buffer.slice_mut(out_at.range())?;
        let mut out = out.matrix_mut_with(out_at.rows, out_at.cols, out_at.ld, out_at.layout)?;
        case.stream().transpose(&x, &mut out)?;
    }
    for row in 0..x_at.rows {
        for col in 0..x_at.cols {
            out_image.elements[out_at.index(col, row)] = values[row * x_at.cols + col];
        }
    }
    let got = case.read(&out_buffer)?;
    case.bits("out with what lies around it", &got, &out_image.elements)?;
    let got = case.read(&x_buffer)?;
    case.bits("x, which is only read,", &got, &x_image.elements)
}

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let largest = if session.level() == Level::Smoke { 65 } else { 129 };
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        let x = matrices(dimensions(largest), dimensions(largest));
        let inputs = (x, fronts(), extras(), layouts(), seeds());
        session.cases(lane, Counts::of(10), inputs, |case, (x_at, front, extra, layout, seed)| {
            let out_at = Matrix::new(front, x_at.cols, x_at.rows, extra, layout);
            run::<T, D>(case, data, x_at, out_at, seed)
        })?;
    }
    // More than one block of tiles, cut at both edges.
    let mut large = vec![(515, 70), (70, 515)];
    // Tiles of narrow types are larger.
    if session.level() != Level::Smoke && T::DTYPE.size() <= 2 {
        large.push((520, 1030));
    }
    session.each(Lane::Exact, large, |case, (rows, cols)| {
        let x_at = Matrix::new(1, rows, cols, 3, Layout::ColumnMajor);
        run::<T, D>(case, Data::Bits, x_at, Matrix::new(2, cols, rows, 1, Layout::ColumnMajor), 31)
    })
}
