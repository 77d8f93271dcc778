//! What has to be refused: operands that do not fit, by name, and operations that do not exist for a type.

use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{
    BinaryOp, Buffer, CompareOp, Complex32, DType, Device, Element, ErrorKind, Layout, OperationKind, Ops, Result,
    Stream, UnaryOp, Vector, VectorMut,
};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use OperationKind as K;
    let arguments = Check::new("elementwise.arguments", |session| {
        session.once(Lane::Exact, lengths)?;
        session.once(Lane::Exact, matrices)?;
        session.once(Lane::Exact, vectors)
    });
    let kinds = [K::Neg, K::Add, K::Sub, K::Mul, K::Div, K::Lt, K::Eq, K::Select, K::Copy];
    let arguments = arguments.needing(DType::F32, kinds).needing(DType::I32, [K::Transpose, K::Copy]);
    checks.push(arguments.needing(DType::U8, [K::Cast]));
    checks.push(Check::new("elementwise.unsupported", |session| session.once(Lane::Exact, unsupported)));
}

fn lengths<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let four = stream.from_slice(&[1.0_f32, 2.0, 3.0, 4.0])?;
    let three = stream.from_slice(&[1.0_f32, 2.0, 3.0])?;
    let flags = stream.from_slice(&[1_u8, 0, 1])?;
    let mut out = stream.from_slice(&[9.0_f32; 4])?;
    let mut truths = stream.from_slice(&[9_u8; 4])?;
    case.refused(stream.neg(&three, &mut out), "out")?;
    case.refused(stream.add(&three, &four, &mut out), "a")?;
    case.refused(stream.add(&four, &three, &mut out), "b")?;
    case.refused(stream.sub(&1.0, &three, &mut out), "b")?;
    case.refused(stream.div(&three, &1.0, &mut out), "a")?;
    case.refused(stream.mul_assign(&mut out, &three), "b")?;
    case.refused(stream.lt(&three, &four, &mut truths), "a")?;
    case.refused(stream.eq(&four, &three, &mut truths), "b")?;
    case.refused(stream.cast(&flags, &mut out), "out")?;
    case.refused(stream.select(&flags, &four, &four, &mut out), "mask")?;
    let flags = stream.from_slice(&[1_u8; 4])?;
    case.refused(stream.select(&flags, &three, &four, &mut out), "a")?;
    case.refused(stream.select(&flags, &four, &three, &mut out), "b")?;
    case.refused(stream.copy(&three, &mut out), "y")?;
    case.refused(out.slice(3..5), "range")?;
    // The wrong way round, which a range pattern in the source would not be.
    let (start, end) = (3, 2);
    case.refused(out.slice(start..end), "range")?;
    case.bits("what refused calls must leave alone", &case.read(&out)?, &[9.0; 4])?;
    case.bits("what refused calls must leave alone", &case.read(&truths)?, &[9; 4])
}

fn matrices<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let x = stream.from_slice(&[1_i32, 2, 3, 4, 5, 6])?;
    let mut out = stream.from_slice(&[9_i32; 6])?;
    let all = || x.slice(..);
    let matrix = all()?.matrix(2, 3)?;
    case.refused(stream.transpose(&matrix, &mut out.slice_mut(..)?.matrix_mut(2, 3)?), "out")?;
    case.refused(stream.copy_matrix(&matrix, &mut out.slice_mut(..)?.matrix_mut(3, 2)?), "y")?;
    case.refused(all()?.matrix(2, 4), "rows and cols")?;
    case.refused(all()?.matrix_with(2, 3, 1, Layout::ColumnMajor), "ld")?;
    case.refused(all()?.matrix_with(2, 3, 2, Layout::RowMajor), "ld")?;
    // 3 columns 3 apart: the last one ends behind the view.
    case.refused(all()?.matrix_with(2, 3, 3, Layout::ColumnMajor), "rows and cols")?;
    case.refused(all()?.matrix_with(usize::MAX, 2, usize::MAX, Layout::ColumnMajor), "rows and cols")?;
    case.refused(matrix.block(1, 0, 2, 1), "row and rows")?;
    case.refused(matrix.block(0, usize::MAX, 1, 1), "col and cols")?;
    case.bits("what refused calls must leave alone", &case.read(&out)?, &[9; 6])
}

fn vectors<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let mut x = case.stream().from_slice(&[1_u64, 2, 3, 4, 5])?;
    for (len, inc) in [(6, 1), (3, 3), (4, -2), (usize::MAX, 2), (2, isize::MIN)] {
        case.refused(Vector::<u64, D>::new(&x, len, inc), "len and inc")?;
    }
    case.refused(VectorMut::<u64, D>::new(&mut x, 2, 0), "inc")?;
    let accepted = Vector::<u64, D>::new(&x, 3, -2).is_ok() && VectorMut::<u64, D>::new(&mut x, 1, 0).is_ok();
    case.ensure(accepted, "a vector that fits was refused")
}

fn unsupported<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let floats = stream.from_slice(&[4.0_f32; 3])?;
    let integers = stream.from_slice(&[4_i32; 3])?;
    let complex = stream.from_slice(&[Complex32 { re: 1.0, im: 2.0 }; 3])?;
    fn unary<T: Element, D: Device>(case: &mut Case<'_, D>, op: UnaryOp, x: &D::Buffer<T>) -> Verdict {
        let mut out = case.stream().zeros::<T>(3)?;
        let result = case.stream().unary(op, x, &mut out);
        refused(case, op, result)
    }
    fn binary<T: Element, D: Device>(case: &mut Case<'_, D>, op: BinaryOp, x: &D::Buffer<T>) -> Verdict {
        let mut out = case.stream().zeros::<T>(3)?;
        let result = case.stream().binary(op, x, x, &mut out);
        refused(case, op, result)
    }
    unary(case, UnaryOp::Sqrt, &integers)?;
    unary(case, UnaryOp::Exp, &integers)?;
    unary(case, UnaryOp::Sin, &complex)?;
    unary(case, UnaryOp::Not, &floats)?;
    unary(case, UnaryOp::Conj, &floats)?;
    unary(case, UnaryOp::Abs, &complex)?;
    binary(case, BinaryOp::And, &floats)?;
    binary(case, BinaryOp::Rem, &floats)?;
    binary(case, BinaryOp::Pow, &integers)?;
    binary(case, BinaryOp::Div, &complex)?;
    let mut out = stream.zeros::<u8>(3)?;
    let result = stream.compare(CompareOp::Lt, &complex, &complex, &mut out);
    refused(case, CompareOp::Lt, result)
}

/// A call that has to be refused because the operation does not exist for the type.
fn refused<D: Device>(case: &mut Case<'_, D>, op: impl std::fmt::Display, result: Result<()>) -> Verdict {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => {
            case.ensure(error.to_string().contains(&op.to_string()), format_args!("{op} is not named: {error}"))
        }
        other => case.ensure(false, format_args!("{op} of this type: expected it to be unsupported, got {other:?}")),
    }
}
