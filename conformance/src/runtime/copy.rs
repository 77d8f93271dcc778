//! Copies.

use super::{check, pattern, pause, typed};
use crate::reference::{Cycle, Data, Runs, Sample};
use crate::{Check, Counts, Level, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Complex64, DType, Device, Layout, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("copy.odd", odd));
    checks.push(check("copy.lengths", lengths));
    checks.push(check("copy.host_slices", host_slices));
    checks.push(typed("copy.matrix", DType::U8, matrix::<D, u8>));
    checks.push(typed("copy.matrix", DType::F32, matrix::<D, f32>));
    checks.push(typed("copy.matrix", DType::C64, matrix::<D, Complex64>));
}

/// Copies between devices' memory at every combination of offsets, where no vector of bytes is aligned.
fn odd<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (0..40_usize, 0..40_usize, 0..300_usize, any::<u64>());
    session.cases(Lane::Poison, Counts::of(60), input, |case, (from, to, len, seed)| {
        let source = pattern::<u8>(seed, from + len + 3);
        let mut want = pattern::<u8>(!seed, to + len + 3);
        let x = case.guarded(&source)?;
        let mut y = case.guarded(&want)?;
        case.stream().copy(&x.view()?.slice(from..from + len)?, &mut y.view_mut()?.slice_mut(to..to + len)?)?;
        want[to..to + len].copy_from_slice(&source[from..from + len]);
        let (x, y) = (x.read(case)?, y.read(case)?);
        case.bits("source", &x, &source)?;
        case.bits("target", &y, &want)
    })
}

/// Lengths that differ are refused, the argument is named, and nothing has changed.
fn lengths<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let lengths = (0..50_usize, 0..50_usize).prop_filter("lengths that differ", |(a, b)| a != b);
    session.cases(Lane::Exact, Counts::of(20), lengths, |case, (a, b)| {
        let stream = case.stream();
        let (from, to) = (pattern::<i32>(1, a), pattern::<i32>(2, b));
        let x = stream.from_slice(&from)?;
        let mut y = stream.from_slice(&to)?;
        let mut host = vec![7; a];
        case.refused(stream.write(&mut y, &from), "data")?;
        case.refused(stream.read(&y, &mut host), "data")?;
        case.refused(stream.copy(&x, &mut y), "y")?;
        let mut pinned = stream.pinned::<i32>(a)?;
        pinned.write()?.fill(9);
        case.refused(stream.upload(&mut y, &pinned), "x")?;
        case.refused(stream.download(&y, &mut pinned), "data")?;
        case.refused(stream.copy_matrix(&x.matrix(a, 1)?, &mut y.matrix_mut(b, 1)?), "y")?;
        case.refused(stream.copy_matrix(&x.matrix(1, a)?, &mut y.matrix_mut(1, b)?), "y")?;
        let (x, y) = (case.read(&x)?, case.read(&y)?);
        case.bits("x", &x, &from)?;
        case.bits("y", &y, &to)?;
        case.bits("host", &host, &vec![7; a])?;
        let pinned = pinned.read()?.to_vec();
        case.bits("pinned", &pinned, &vec![9; a])
    })
}

/// A slice of the host's may be changed when `write` has returned, and has arrived when `read` has.
fn host_slices<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let sizes = prop_oneof![1..200_usize, 60_000..140_000_usize];
    session.cases(Lane::Exact, Counts::of(10), (sizes, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let want = pattern::<u8>(seed, len);
        let mut x = stream.zeros::<u8>(len)?;
        let mut host = want.clone();
        pause(stream)?;
        stream.write(&mut x, &host)?;
        host.fill(0xee);
        pause(stream)?;
        stream.read(&x, &mut host)?;
        case.bits("read", &host, &want)?;
        // The same from and to another stream than the one that is late.
        let other = case.device().new_stream()?;
        pause(stream)?;
        stream.fill(&mut x, 0x55)?;
        other.read(&x, &mut host)?;
        case.bits("read on another stream", &host, &vec![0x55; len])
    })
}

/// Matrices are copied whatever their leading dimensions and layouts, and what lies between their columns or rows is left alone.
fn matrix<D: Device, T: Sample>(session: &mut Session<'_, D>) -> Verdict {
    let layout = || prop_oneof![Just(Layout::ColumnMajor), Just(Layout::RowMajor)];
    let input = (0..20_usize, 0..20_usize, [0..6_usize, 0..6], [layout(), layout()], any::<u64>());
    session.cases(Lane::Poison, Counts::of(40), input, |case, (rows, cols, extra, layouts, seed)| {
        let run = |layout| if layout == Layout::ColumnMajor { rows } else { cols };
        let [ld_x, ld_y] = [0, 1].map(|i| run(layouts[i]) + extra[i]);
        let at = |layout, ld: usize, row: usize, col: usize| match layout {
            Layout::ColumnMajor => row + col * ld,
            Layout::RowMajor => row * ld + col,
        };
        let room = |ld: usize| ld * rows.max(cols);
        let source = pattern::<T>(seed, room(ld_x));
        let mut want = pattern::<T>(!seed, room(ld_y));
        let x = case.guarded(&source)?;
        let mut y = case.guarded(&want)?;
        let from = x.view()?.matrix_with(rows, cols, ld_x, layouts[0])?;
        let mut to = y.view_mut()?.matrix_mut_with(rows, cols, ld_y, layouts[1])?;
        case.stream().copy_matrix(&from, &mut to)?;
        for row in 0..rows {
            for col in 0..cols {
                want[at(layouts[1], ld_y, row, col)] = source[at(layouts[0], ld_x, row, col)];
            }
        }
        let (x, y) = (x.read(case)?, y.read(case)?);
        case.bits("source", &x, &source)?;
        case.bits("target", &y, &want)
    })?;
    // So many rows that threads share them, with gaps on both sides.
    let side = if session.level() == Level::Smoke && T::DTYPE != DType::U8 { None } else { Some(2000) };
    session.each(Lane::Exact, side, |case, side| {
        let x_at = Runs { len: side, runs: side, ld: side + 3, front: 3 };
        let y_at = Runs { ld: side + 5, ..x_at };
        let source = Cycle::<T>::random(1, Data::Bits);
        let x = case.stream().from_slice(&x_at.image(&source))?;
        let mut y = case.stream().from_slice(&y_at.poison::<T>())?;
        {
            let (x, y) = (x.slice(x_at.range())?, y.slice_mut(y_at.range())?);
            let x = x.matrix_with(side, side, x_at.ld, Layout::ColumnMajor)?;
            let mut y = y.matrix_mut_with(side, side, y_at.ld, Layout::ColumnMajor)?;
            case.stream().copy_matrix(&x, &mut y)?;
        }
        let got = case.read(&y)?;
        y_at.compare(case, "target", &source, &got)
    })
}
