//! Views.

use super::{check, pattern};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use std::ops::Bound;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{AsView, AsViewMut, Buffer, Device, Layout, Stream, Vector, VectorMut};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("view.nested", nested));
    checks.push(check("view.split", split));
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
        case.refused(x.matrix(end, 1), "matrix")?;
        case.refused(x.matrix_mut(usize::MAX, 2), "matrix")?;
        case.refused(x.view().matrix_with(beyond, 0, beyond - 1, Layout::ColumnMajor), "leading dimension")?;
        case.refused(Vector::new(&x, end, 1), "vector")?;
        case.refused(Vector::new(&x, 2, isize::MIN), "vector")?;
        case.refused(VectorMut::new(&mut x, 2, 0), "inc")?;
        case.refused(x.view().batch(1, 1, 1, Layout::RowMajor, usize::MAX, 3), "batch")?;
        let overlapping =
            case.stream().zeros::<f64>(10)?.view_mut().batch_mut(2, 2, 2, Layout::RowMajor, 3, 2).map(drop);
        case.refused(overlapping, "stride")
    })
}
