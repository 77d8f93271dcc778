//! Results of more than 16 MiB: where implementations write past the caches, and every thread and block has several shares.
//!
//! Operands repeat a period, so that the result does, and is compared at the speed of memory. At the level `smoke` one operation
//! and type stand for all that go the same way.

use super::undefined;
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Cycle, Data, LARGE, Runs, Sample};
use crate::session::Session;
use std::ops::Range;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{CastFrom, scalar};
use warpwave_core::{
    BinaryOp, Buffer, CompareOp, DType, Device, Layout, Ops, Real, Result, ScalarValue, Stream, UnaryOp, Vector,
    VectorMut, View, ViewMut,
};

/// Elements in front of an operand, so that it is aligned to its type and to nothing more.
const FRONT: usize = 3;

/// So many elements of a type are more than 16 MiB, with an odd rest.
const fn len_of(dtype: DType) -> usize {
    (16 << 20) / dtype.size() + 77
}

/// The lengths for a result of a type; none at the level `smoke` but for what stands for the others.
fn lengths(level: Level, dtype: DType, stands: bool) -> Option<usize> {
    (stands || level != Level::Smoke).then_some(len_of(dtype))
}

/// `len` elements of a cycle on the device, behind [`FRONT`] others.
fn input<T: Sample, D: Device>(case: &Case<'_, D>, cycle: &Cycle<T>, len: usize) -> Verdict<D::Buffer<T>> {
    let mut elements = vec![T::poison(); FRONT + len];
    cycle.write(0, &mut elements[FRONT..]);
    Ok(case.stream().from_slice(&elements)?)
}

/// Where an output of `len` elements lies in its buffer.
fn place(len: usize) -> Range<usize> {
    FRONT..FRONT + len
}

/// A call with an output.
type Call<'a, T, D> = dyn Fn(&<D as Device>::Stream, &mut ViewMut<'_, T, D>) -> Result<()> + 'a;

/// Runs a call with an output of `len` elements amid poison, and compares with a cycle, and what lies around with what was
/// there.
fn output<T: Sample, D: Device>(case: &mut Case<'_, D>, len: usize, want: &Cycle<T>, call: &Call<'_, T, D>) -> Verdict {
    let mut buffer = case.stream().from_slice(&vec![T::poison(); len + 2 * FRONT])?;
    call(case.stream(), &mut buffer.slice_mut(place(len))?)?;
    let got = case.read(&buffer)?;
    case.bits("what lies in front of the output,", &got[..FRONT], &[T::poison(); FRONT])?;
    case.bits("what lies behind the output,", &got[FRONT + len..], &[T::poison(); FRONT])?;
    want.compare(case, "out", 0, &got[place(len)])
}

/// The cycle whose elements the core defines.
fn defined<T: Sample>(
    what: impl std::fmt::Display,
    values: impl Iterator<Item = Option<ScalarValue>>,
) -> Verdict<Cycle<T>> {
    let elements: Option<Vec<T>> = values.map(|value| value?.get()).collect();
    elements.map(Cycle::of).ok_or_else(|| undefined(what))
}

fn values<T: Sample>(cycle: &Cycle<T>) -> impl Iterator<Item = ScalarValue> {
    cycle.period().iter().map(|&x| ScalarValue::new(x))
}

pub(super) fn unary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: UnaryOp) -> Verdict {
    let stands = (op, T::DTYPE) == (UnaryOp::Neg, DType::F32);
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let x = Cycle::<T>::random(1, Data::Bits);
        let want = defined::<T>(op, values(&x).map(|x| scalar::unary(op, x)))?;
        let buffer = input(case, &x, len)?;
        let x = buffer.slice(FRONT..)?;
        output(case, len, &want, &|stream, out| stream.unary(op, &x, out))
    })
}

pub(super) fn binary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: BinaryOp) -> Verdict {
    let stands = (op, T::DTYPE) == (BinaryOp::Add, DType::F64);
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let (a, b) = (Cycle::<T>::random(1, Data::Bits), Cycle::<T>::random(2, Data::Bits));
        let want = defined::<T>(op, values(&a).zip(values(&b)).map(|(a, b)| scalar::binary(op, a, b)))?;
        let (a, b) = (input(case, &a, len)?, input(case, &b, len)?);
        let (a, b) = (a.slice(FRONT..)?, b.slice(FRONT..)?);
        output(case, len, &want, &|stream, out| stream.binary(op, &a, &b, out))
    })
}

pub(super) fn comparison<T: Sample, D: Device>(session: &mut Session<'_, D>, op: CompareOp) -> Verdict {
    session.each(Lane::Exact, lengths(session.level(), DType::U8, false), |case, len| {
        // Few values, so that many are equal.
        let data = Data::Integers(1);
        let (a, b) = (Cycle::<T>::random(1, data), Cycle::<T>::random(2, data));
        let truth = |x: bool| ScalarValue::new(u8::from(x));
        let want = values(&a).zip(values(&b)).map(|(a, b)| scalar::compare(op, a, b).map(truth));
        let want = defined::<u8>(op, want)?;
        let (a, b) = (input(case, &a, len)?, input(case, &b, len)?);
        let (a, b) = (a.slice(FRONT..)?, b.slice(FRONT..)?);
        output(case, len, &want, &|stream, out| stream.compare(op, &a, &b, out))
    })
}

/// The conversion of one type to another.
pub(super) fn cast<S: Sample, T: Sample + CastFrom<S>, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let stands = (S::DTYPE, T::DTYPE) == (DType::F16, DType::F32);
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let x = Cycle::<S>::random(1, Data::Bits);
        let want = defined::<T>(T::DTYPE, values(&x).map(|x| scalar::cast(x, T::DTYPE)))?;
        let buffer = input(case, &x, len)?;
        let x = buffer.slice(FRONT..)?;
        output(case, len, &want, &|stream, out| stream.cast(&x, out))
    })
}

pub(super) fn select<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let stands = T::DTYPE == DType::I32;
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let (a, b) = (Cycle::<T>::random(1, Data::Bits), Cycle::<T>::random(2, Data::Bits));
        let mask = Cycle::<u8>::random(3, Data::Bits);
        let mask = Cycle::new(|i| if mask.period()[i].is_multiple_of(2) { 0 } else { mask.period()[i] });
        let want = Cycle::new(|i| if mask.period()[i] == 0 { b.period()[i] } else { a.period()[i] });
        let (a, b, mask) = (input(case, &a, len)?, input(case, &b, len)?, input(case, &mask, len)?);
        let (a, b, mask) = (a.slice(FRONT..)?, b.slice(FRONT..)?, mask.slice(FRONT..)?);
        output(case, len, &want, &|stream, out| stream.select(&mask, &a, &b, out))
    })
}

pub(super) fn fill<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let stands = matches!(T::DTYPE, DType::U8 | DType::F64);
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let value = T::from_integers([7, -3]);
        output(case, len, &Cycle::new(|_| value), &|stream, out| stream.fill(out, value))
    })
}

/// Multiples of 1, of which floats have no more than they hold: the last one again and again.
pub(super) fn iota<T: Sample + Real, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, false), |case, len| {
        let (start, step) = (ScalarValue::new(T::from_integer(3)), ScalarValue::new(T::from_integer(1)));
        let mut buffer = case.stream().from_slice(&vec![T::poison(); len])?;
        case.stream().iota(T::from_integer(3), T::from_integer(1), &mut buffer)?;
        let element = |i: u64| scalar::iota(start, step, i)?.get();
        let want: Option<Vec<T>> = (0..len as u64).map(element).collect();
        let got = case.read(&buffer)?;
        case.bits_at("out", 0, &got, &want.ok_or_else(|| undefined("iota"))?)
    })
}

/// Rows and columns of which a matrix of a type has more than 16 MiB, and no whole number of tiles in either direction.
fn shape(dtype: DType) -> (usize, usize) {
    match dtype.size() {
        1 => (4099, 4111),
        2 => (2903, 2909),
        4 => (2051, 2053),
        8 => (1451, 1453),
        _ => (1027, 1031),
    }
}

/// The runs of the output begin each at the same place in a line of a cache, as they must for whole lines to be written, and
/// then each at another.
pub(super) fn transpose<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let stands = matches!(T::DTYPE, DType::U8 | DType::F32);
    let shapes = (stands || session.level() != Level::Smoke).then(|| shape(T::DTYPE));
    let aligned: &[bool] =
        if T::DTYPE == DType::F32 || session.level() != Level::Smoke { &[true, false] } else { &[true] };
    let calls = shapes.into_iter().flat_map(|(rows, cols)| aligned.iter().map(move |&aligned| (rows, cols, aligned)));
    session.each(Lane::Exact, calls, |case, (rows, cols, aligned)| {
        // Columns are the runs of both.
        let ld = if aligned { (cols + 1).next_multiple_of(256) } else { cols + 1 };
        let (x_at, out_at) = (
            Runs { len: rows, runs: cols, ld: rows + 2, front: FRONT },
            Runs { len: cols, runs: rows, ld, front: FRONT },
        );
        let x = Cycle::<T>::random(1, Data::Bits);
        let x_buffer = case.stream().from_slice(&x_at.image(&x))?;
        let mut out_buffer = case.stream().from_slice(&out_at.poison::<T>())?;
        {
            let (from, to) = (x_buffer.slice(x_at.range())?, out_buffer.slice_mut(out_at.range())?);
            let from = from.matrix_with(rows, cols, x_at.ld, Layout::ColumnMajor)?;
            case.stream().transpose(&from, &mut to.matrix_mut_with(cols, rows, ld, Layout::ColumnMajor)?)?;
        }
        let got = case.read(&out_buffer)?;
        out_at.compare_transposed(case, "out", &x, &got)
    })
}

/// Vectors without and with an increment.
pub(super) fn copy<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let stands = T::DTYPE == DType::U16;
    session.each(Lane::Exact, lengths(session.level(), T::DTYPE, stands), |case, len| {
        let x = Cycle::<T>::random(1, Data::Bits);
        let buffer = input(case, &x, len)?;
        let view: View<'_, T, D> = buffer.slice(FRONT..)?;
        output(case, len, &x, &|stream, out| stream.copy(&view, out))
    })?;
    let strided = match (session.level(), T::DTYPE) {
        (Level::Smoke, DType::F32) => Some(200_003),
        (Level::Smoke, _) => None,
        _ => Some(LARGE),
    };
    session.each(Lane::Exact, strided, |case, len| {
        // Every third element from the end of `y` to its start.
        let x = Cycle::<T>::random(1, Data::Bits);
        let x_buffer = input(case, &x, len)?;
        let mut y_buffer = case.stream().from_slice(&vec![T::poison(); 3 * len])?;
        let from = x_buffer.slice(FRONT..)?;
        {
            let mut y = y_buffer.slice_mut(..3 * len - 2)?;
            case.stream().copy(&from, &mut VectorMut::new(&mut y, len, -3)?)?;
        }
        let got = case.read(&y_buffer)?;
        let mut want = vec![T::poison(); 3 * len];
        x.elements(len).into_iter().rev().enumerate().for_each(|(i, x)| want[3 * i] = x);
        case.bits_at("y with what lies between its elements", 0, &got, &want)?;
        // And back: what was read is read again.
        let mut again = case.stream().from_slice(&vec![T::poison(); len])?;
        let y = y_buffer.slice(..3 * len - 2)?;
        case.stream().copy(&Vector::new(&y, len, -3)?, &mut again)?;
        x.compare(case, "x, copied back,", 0, &case.read(&again)?)
    })
}
