//! BLAS. Level 1 and `ger` are of class R, and so is everything with `Precision::Reproducible`: compared bit for bit
//! with the definitions of [`warpwave_core::numerics::blas`]. All routines are compared with products and sums of exact
//! integers, and with sums in twice the precision, within a bound for each element.
//!
//! Operands lie amid NaN, with any increment, leading dimension and layout. What a routine must not read (`c` with beta
//! = 0, `a` and `b` with alpha = 0) is NaN in every lane.

mod arguments;
mod gemm;
mod gemv;
mod ger;
mod iamax;
mod known;
mod problem;
mod rank;
mod refused;
mod rotations;
mod solve;
mod sums;
mod symmetric;
mod triangles;
mod trmm;
mod updates;

use crate::case::Case;
use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::reference::{Image, Matrix, Sample, Vector};
use crate::session::Session;
use warpwave_core::numerics::blas::{GemmArithmetic, ScalarArithmetic};
use warpwave_core::numerics::contract::{self, Row};
use warpwave_core::{Complex32, Complex64, DType, Device, OperationKind, bf16, f16};

/// A length of vectors that is past what threads and blocks share, and no multiple of anything.
const LONG: usize = (1 << 16) + 77;

/// The types of the routines named `s`, `d`, `c` and `z`.
trait Scalars: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic> + GemmArithmetic<Compute = Self> {}

impl<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic> + GemmArithmetic<Compute = Self>> Scalars
    for T
{
}

/// The types of `gemm`.
trait Factors: Sample + GemmArithmetic<Compute: Scalars> {}

impl<T: Sample + GemmArithmetic<Compute: Scalars>> Factors for T {}

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use OperationKind as K;
    // From `swap` to `trsm`, in the order of their declaration; `copy` belongs to all types.
    for row in contract::rows().filter(|row| (K::Swap..=K::Trsm).contains(&row.kind)) {
        let body = move |session: &mut Session<'_, D>| one(session, &row);
        checks.push(Check::of_row("blas", row.kind, row.dtype, row.precision, body));
    }
    arguments::add(checks);
    refused::add(checks);
    sums::add(checks);
}

fn one<D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    match (row.kind, row.dtype) {
        (_, DType::F16) => gemm::check::<f16, D>(session, row),
        (_, DType::Bf16) => gemm::check::<bf16, D>(session, row),
        (OperationKind::Rotm, DType::F32) => rotations::rotm::<f32, D>(session),
        (OperationKind::Rotm, DType::F64) => rotations::rotm::<f64, D>(session),
        (_, DType::F32) => of_scalars::<f32, D>(session, row),
        (_, DType::F64) => of_scalars::<f64, D>(session, row),
        (_, DType::C32) => of_scalars::<Complex32, D>(session, row),
        (_, DType::C64) => of_scalars::<Complex64, D>(session, row),
        (kind, dtype) => Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}"))),
    }
}

fn of_scalars<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    use OperationKind as K;
    if matches!(row.kind, K::Swap | K::Scal | K::Axpy | K::Dot | K::Dotc | K::Nrm2 | K::Asum | K::Iamax | K::Ger) {
        known::vectors::<T, D>(session, row.kind)?;
    }
    match row.kind {
        K::Swap => updates::swap::<T, D>(session),
        K::Scal => updates::scal::<T, D>(session),
        K::Axpy => updates::axpy::<T, D>(session),
        K::Dot => sums::dot::<T, D>(session, false),
        K::Dotc => sums::dot::<T, D>(session, true),
        K::Nrm2 => sums::nrm2::<T, D>(session),
        K::Asum => sums::asum::<T, D>(session),
        K::Iamax => iamax::check::<T, D>(session, false),
        K::Iamin => iamax::check::<T, D>(session, true),
        K::Rot => rotations::rot::<T, D>(session),
        K::Gemv => gemv::check::<T, D>(session, row),
        K::Symv | K::Hemv | K::Symm | K::Hemm => symmetric::check::<T, D>(session, row),
        K::Trmv | K::Trmm => trmm::check::<T, D>(session, row),
        K::Trsv | K::Trsm => solve::check::<T, D>(session, row),
        K::Ger => ger::check::<T, D>(session, false),
        K::Gerc => ger::check::<T, D>(session, true),
        K::Syr => rank::vectors::<T, D>(session, false),
        K::Her => rank::vectors::<T, D>(session, true),
        K::Gemm | K::GemmBatched => gemm::check::<T, D>(session, row),
        K::Syrk | K::Herk => rank::products::<T, D>(session, row),
        kind => Err(Failure::new(format_args!("the suite has no cases for {kind}"))),
    }
}

/// 2√2 for complex types, whose products have two roundings in each part; else 1.
fn complex_factor<T: Sample>() -> f64 {
    if T::DTYPE.is_complex() { 2.0 * std::f64::consts::SQRT_2 } else { 1.0 }
}

/// Names a device's vector that lies in a buffer.
macro_rules! device_vector {
    ($name:ident = $buffer:expr, $at:expr) => {
        let view = warpwave_core::Buffer::slice(&$buffer, $at.range())?;
        let $name = warpwave_core::Vector::new(&view, $at.len, $at.inc)?;
    };
    (mut $name:ident = $buffer:expr, $at:expr) => {
        let mut view = warpwave_core::Buffer::slice_mut(&mut $buffer, $at.range())?;
        let mut $name = warpwave_core::VectorMut::new(&mut view, $at.len, $at.inc)?;
    };
}
use device_vector;

/// The elements of a vector that was written, after all others of its buffer were compared with what they were.
fn written<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
    at: &Vector,
) -> Verdict<Vec<T>> {
    let got = case.read(buffer)?;
    let mut want = image.elements.clone();
    (0..at.len).for_each(|i| want[at.index(i)] = got[at.index(i)]);
    case.bits("what lies around and between the elements", &got, &want)?;
    Ok((0..at.len).map(|i| got[at.index(i)]).collect())
}

/// The elements at some places of a buffer that was written, after all others were compared with what they were.
fn written_places<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    name: &str,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
    places: impl Iterator<Item = usize>,
) -> Verdict<Vec<T>> {
    let got = case.read(buffer)?;
    let mut want = image.elements.clone();
    let places: Vec<usize> = places.collect();
    places.iter().for_each(|&place| want[place] = got[place]);
    case.bits(format_args!("what lies around and between the elements of {name}"), &got, &want)?;
    Ok(places.into_iter().map(|place| got[place]).collect())
}

/// The elements of a matrix that was written, row by row, after all others of its buffer were compared with what they were.
fn written_matrix<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    name: &str,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
    at: &Matrix,
) -> Verdict<Vec<T>> {
    written_places(case, name, buffer, image, at.places())
}

/// Compares an operand that is only read with what it was.
fn unchanged<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    name: &str,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
) -> Verdict {
    let got = case.read(buffer)?;
    case.bits(format_args!("{name}, which is only read,"), &got, &image.elements)
}

/// The elements of a vector as an increment of 0 makes them: all the first.
fn seen<T: Sample>(at: &Vector, mut values: Vec<T>) -> Vec<T> {
    if let (0, Some(&first)) = (at.inc, values.first()) {
        values.fill(first);
    }
    values
}
