//! Views.

use super::{check, pattern};
use crate::reference::{Image, dimensions, matrices};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use proptest::sample::Index;
use std::ops::Bound;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{AsView, AsViewMut, Buffer, Device, Layout, Stream, Vector, VectorMut};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("view.nested", nested));
    checks.push(check("view.split", split));
    checks.push(check("view.lines", lines));
    checks.push(check("view.refused", refused));
}

/// A part of a part is where it should be.
fn nested<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (prop::collection::vec((0..40_usize, 0..40_usize), 1..5), any::<u64>());
    session.cases(Lane::Exact, Counts::of(30), input, |case, (cuts, seed)| {
        let data = pattern::<u16>(seed, 100);
        let x = case.stream().from_slice(&data)?;
        let (mut view, mut want) = (x.view(), data.as_slice());
        for (front, back) in cuts {
            let front = front.min(want.len());
            let end = want.len() - back.min(want.len() - front);
            view = view.slice(front..end)?;
            want = &want[front..end];
            let got = case.read(&view)?;
            case.bits("part", &got, want)?;
        }
        Ok(())
    })
}

/// Two parts that were split can be written on two streams at once.
fn split<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (0..200_usize, 0..200_usize, any::<u64>());
    session.cases(Lane::Poison, Counts::of(20), input, |case, (left, right, seed)| {
        let other = case.device().new_stream()?;
        let want = pattern::<i8>(seed, left + right);
        let mut x = case.guarded(&vec![0_i8; left + right])?;
        let (mut a, mut b) = x.view_mut()?.split_at_mut(left)?;
        case.stream().write(&mut a, &want[..left])?;
        other.write(&mut b, &want[left..])?;
        let got = x.read(case)?;
        case.bits("x", &got, &want)
    })
}

/// Rows, columns and diagonals are where they should be, read and written, also of a matrix seen as its transpose.
fn lines<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    #[derive(Clone, Copy)]
    enum Line {
        Row(usize),
        Col(usize),
        Diagonal,
    }
    let input = (matrices(dimensions(17), dimensions(17)), any::<Index>(), any::<u64>());
    session.cases(Lane::Poison, Counts::of(40), input, |case, (at, which, seed)| {
        let stream = case.stream();
        let mut image = Image::of_matrix(&at, &pattern::<u32>(seed, at.rows * at.cols));
        let mut buffer = stream.from_slice(&image.elements)?;
        let row = (at.rows > 0).then(|| Line::Row(which.index(at.rows)));
        let col = (at.cols > 0).then(|| Line::Col(which.index(at.cols)));
        for (value, line) in [row, col, Some(Line::Diagonal)].into_iter().flatten().enumerate() {
            let places: Vec<usize> = match line {
                Line::Row(i) => (0..at.cols).map(|j| at.index(i, j)).collect(),
                Line::Col(j) => (0..at.rows).map(|i| at.index(i, j)).collect(),
                Line::Diagonal => (0..at.rows.min(at.cols)).map(|i| at.index(i, i)).collect(),
            };
            let want: Vec<u32> = places.iter().map(|&place| image.elements[place]).collect();
            let matrix = buffer.slice(at.range())?.matrix_with(at.rows, at.cols, at.ld, at.layout)?;
            let turned = matrix.transposed();
            let views = match line {
                Line::Row(i) => [matrix.row(i)?, turned.col(i)?],
                Line::Col(j) => [matrix.col(j)?, turned.row(j)?],
                Line::Diagonal => [matrix.diagonal(), turned.diagonal()],
            };
            for view in views {
                let mut out = stream.zeros::<u32>(want.len())?;
                stream.copy(&view, &mut out)?;
                let got = case.read(&out)?;
                case.bits("the line", &got, &want)?;
            }
            let value = value as u32;
            let part = buffer.slice_mut(at.range())?;
            let mut matrix = part.matrix_mut_with(at.rows, at.cols, at.ld, at.layout)?;
            match line {
                Line::Row(i) => stream.fill(&mut matrix.row_mut(i)?, value)?,
                Line::Col(j) => stream.fill(&mut matrix.transposed_mut().row_mut(j)?, value)?,
                Line::Diagonal => stream.fill(&mut matrix.diagonal_mut(), value)?,
            }
            places.iter().for_each(|&place| image.elements[place] = value);
            let got = case.read(&buffer)?;
            case.bits("all there is", &got, &image.elements)?;
        }
        let matrix = buffer.slice(at.range())?.matrix_with(at.rows, at.cols, at.ld, at.layout)?;
        case.refused(matrix.row(at.rows), "i")?;
        case.refused(matrix.col(at.cols), "j")
    })
}

/// Parts that are not inside the whole are refused, and the argument is named.
fn refused<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(20), (0..50_usize, 1..50_usize), |case, (len, beyond)| {
        let mut x = case.stream().zeros::<f64>(len)?;
        let end = len + beyond;
        case.refused(x.slice(..end), "range")?;
        case.refused(x.slice(end..), "range")?;
        case.refused(x.slice_mut((Bound::Included(len), Bound::Included(len))), "range")?;
        case.refused(x.slice((Bound::Included(beyond), Bound::Excluded(beyond - 1))), "range")?;
        case.refused(x.slice(..=usize::MAX), "range")?;
        case.refused(x.view().split_at(end), "mid")?;
        case.refused(x.split_at_mut(end), "mid")?;
        case.refused(x.matrix(end, 1), "rows and cols")?;
        case.refused(x.matrix_mut(usize::MAX, 2), "rows and cols")?;
        case.refused(x.view().matrix_with(beyond, 0, beyond - 1, Layout::ColumnMajor), "ld")?;
        case.refused(Vector::new(&x, end, 1), "len and inc")?;
        case.refused(Vector::new(&x, 2, isize::MIN), "len and inc")?;
        // Without an increment any number of elements lies inside, but not in the memory of a machine.
        let most = isize::MAX as usize / size_of::<f64>();
        case.refused(Vector::new(&x, most + 1, 0), "len")?;
        case.ensure(len == 0 || Vector::new(&x, most, 0).is_ok(), "a vector of isize::MAX bytes was refused")?;
        case.refused(VectorMut::new(&mut x, 2, 0), "inc")?;
        case.refused(x.view().batch(1, 1, 1, Layout::RowMajor, usize::MAX, 3), "stride and count")?;
        let overlapping =
            case.stream().zeros::<f64>(10)?.view_mut().batch_mut(2, 2, 2, Layout::RowMajor, 3, 2).map(drop);
        case.refused(overlapping, "stride")
    })
}
