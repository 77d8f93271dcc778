//! What has to be refused: operands that do not fit, by name; and what has to be accepted although there is nothing to
//! do.

use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Buffer, DType, Device, Layout, Op, OperationKind, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use OperationKind as K;
    let arguments = Check::new("blas.arguments", |session| {
        session.once(Lane::Exact, vectors)?;
        session.once(Lane::Exact, products)?;
        session.once(Lane::Exact, batches)?;
        session.once(Lane::Exact, nothing)
    });
    let doubles = [K::Swap, K::Axpy, K::Dot, K::Dotc, K::Nrm2, K::Asum, K::Iamax, K::Ger, K::Gemv];
    let floats = [K::Swap, K::Scal, K::Axpy, K::Ger, K::Gemv, K::Gemm];
    checks.push(arguments.needing(DType::F64, doubles).needing(DType::F32, floats));
}

const LEFT_ALONE: &str = "what refused calls must leave alone";

fn vectors<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let mut three = stream.from_slice(&[1.0_f64; 3])?;
    let mut four = stream.from_slice(&[2.0_f64; 4])?;
    let mut none = stream.zeros::<f64>(0)?;
    let mut indices = stream.zeros::<u64>(0)?;
    let mut a = stream.from_slice(&[3.0_f64; 12])?;
    case.refused(stream.swap(&mut three, &mut four), "y")?;
    case.refused(stream.axpy(1.0, &three, &mut four), "y")?;
    case.refused(stream.dot(&three, &four), "y")?;
    case.refused(stream.dotc(&three, &four), "y")?;
    case.refused(stream.dot_into(&three, &three, &mut none), "out")?;
    case.refused(stream.nrm2_into::<f64>(&three, &mut none), "out")?;
    case.refused(stream.asum_into::<f64>(&three, &mut none), "out")?;
    case.refused(stream.iamax_into::<f64>(&three, &mut indices), "out")?;
    case.refused(stream.ger(1.0, &three, &four, &mut a.matrix_mut(4, 3)?), "x")?;
    case.refused(stream.ger(1.0, &three, &three, &mut a.matrix_mut(3, 4)?), "y")?;
    // 3 × 4: its transpose takes 3 elements and gives 4.
    let matrix = stream.from_slice(&[1.0_f64; 12])?;
    let matrix = matrix.matrix(3, 4)?;
    let mut y = stream.from_slice(&[4.0_f64; 4])?;
    case.refused(stream.gemv(Op::N, 1.0, &matrix, &three, 0.0, &mut y), "x")?;
    case.refused(stream.gemv(Op::N, 1.0, &matrix, &four, 0.0, &mut y), "y")?;
    case.refused(stream.gemv(Op::T, 1.0, &matrix, &four, 0.0, &mut y), "x")?;
    case.refused(stream.gemv(Op::C, 1.0, &matrix, &four, 0.0, &mut three), "x")?;
    case.refused(stream.gemv(Op::C, 1.0, &matrix, &three.slice(..)?, 0.0, &mut y.slice_mut(..3)?), "y")?;
    case.bits(LEFT_ALONE, &case.read(&y)?, &[4.0; 4])?;
    case.bits(LEFT_ALONE, &case.read(&three)?, &[1.0; 3])?;
    case.bits(LEFT_ALONE, &case.read(&four)?, &[2.0; 4])?;
    case.bits(LEFT_ALONE, &case.read(&a)?, &[3.0; 12])
}

fn products<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let a = stream.from_slice(&[1.0_f32; 12])?;
    let mut c = stream.from_slice(&[9.0_f32; 12])?;
    let (wide, tall) = (a.matrix(2, 3)?, a.matrix(3, 2)?);
    // Each of the three dimensions, in each of the places where it may be wrong.
    for (ops, x, y, shape, argument) in [
        ([Op::N, Op::N], &wide, &wide, (2, 3), "b"),
        ([Op::T, Op::T], &wide, &wide, (3, 2), "b"),
        ([Op::N, Op::C], &wide, &tall, (2, 3), "b"),
        ([Op::N, Op::N], &wide, &tall, (3, 2), "c"),
        ([Op::T, Op::N], &wide, &wide, (2, 3), "c"),
        ([Op::N, Op::N], &wide, &tall, (2, 3), "c"),
        ([Op::N, Op::T], &tall, &tall, (3, 2), "c"),
    ] {
        let mut c = c.matrix_mut(shape.0, shape.1)?;
        case.refused(stream.gemm(ops[0], ops[1], 1.0, x, y, 0.0, &mut c), argument)?;
    }
    case.bits(LEFT_ALONE, &case.read(&c)?, &[9.0; 12])
}

fn batches<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    const COLUMNS: Layout = Layout::ColumnMajor;
    let stream = case.stream();
    let a = stream.from_slice(&[1.0_f32; 12])?;
    let mut c = stream.from_slice(&[9.0_f32; 12])?;
    let all = || a.slice(..);
    let (three, two) = (all()?.batch(2, 2, 2, COLUMNS, 4, 3)?, all()?.batch(2, 2, 2, COLUMNS, 4, 2)?);
    {
        let mut c = c.slice_mut(..)?.batch_mut(2, 2, 2, COLUMNS, 4, 3)?;
        case.refused(stream.gemm_strided_batched(Op::N, Op::N, 1.0, &two, &three, 0.0, &mut c), "a")?;
        case.refused(stream.gemm_strided_batched(Op::N, Op::N, 1.0, &three, &two, 0.0, &mut c), "b")?;
    }
    case.refused(all()?.batch(2, 2, 2, COLUMNS, 4, 4), "stride and count")?;
    case.refused(all()?.batch(2, 2, 2, COLUMNS, usize::MAX, 3), "stride and count")?;
    case.refused(all()?.batch(2, 2, 1, COLUMNS, 4, 3), "ld")?;
    // What is written must not overlap; what is read may.
    case.refused(c.slice_mut(..)?.batch_mut(2, 2, 2, COLUMNS, 3, 3), "stride")?;
    case.refused(c.slice_mut(..)?.batch_mut(2, 2, 2, COLUMNS, 0, 2), "stride")?;
    case.ensure(all()?.batch(2, 2, 2, COLUMNS, 0, 100).is_ok(), "a batch that reads one matrix again was refused")?;
    case.bits(LEFT_ALONE, &case.read(&c)?, &[9.0; 12])
}

/// No dimension is too small.
fn nothing<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let mut none = stream.zeros::<f32>(0)?;
    let mut other = stream.zeros::<f32>(0)?;
    let mut x = stream.from_slice(&[5.0_f32; 3])?;
    stream.swap(&mut none, &mut other)?;
    stream.scal(f32::NAN, &mut none)?;
    stream.axpy(f32::NAN, &other, &mut none)?;
    stream.ger(1.0, &x, &other, &mut none.matrix_mut(3, 0)?)?;
    stream.gemv(Op::N, 1.0, &other.matrix(0, 3)?, &x, 0.0, &mut none)?;
    stream.gemm(Op::N, Op::N, 1.0, &other.matrix(0, 3)?, &x.matrix(3, 1)?, 0.0, &mut none.matrix_mut(0, 1)?)?;
    // Nothing to sum over: y = 2y.
    stream.gemv(Op::N, f32::NAN, &other.matrix(3, 0)?, &none, 2.0, &mut x)?;
    case.bits("y", &case.read(&x)?, &[10.0; 3])
}
