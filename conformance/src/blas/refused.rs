//! What the routines for triangles, rotations and lists of matrices have to refuse: operands that do not fit, by name, and
//! Hermitian matrices of real numbers.

use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{
    Blas, BlasTriangle, Buffer, Complex64, Device, Diag, ErrorKind, Layout, Op, Rotm, Side, Stream, Uplo,
};

const LEFT_ALONE: &str = "what refused calls must leave alone";
const LOWER: Uplo = Uplo::Lower;
const WHOLE: Diag = Diag::NonUnit;

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(Check::new("blas.triangle_arguments", |session| {
        session.once(Lane::Exact, vectors)?;
        session.once(Lane::Exact, matrices)?;
        session.once(Lane::Exact, transpositions)?;
        session.once(Lane::Exact, lists)?;
        session.once(Lane::Exact, real_types)
    }));
}

fn vectors<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let mut three = stream.from_slice(&[1.0_f64; 3])?;
    let mut four = stream.from_slice(&[2.0_f64; 4])?;
    let mut indices = stream.zeros::<u64>(0)?;
    case.refused(stream.rot(&mut three, &mut four, 1.0, 0.0), "y")?;
    case.refused(stream.rotm(&mut three, &mut four, Rotm::Identity), "y")?;
    case.refused(stream.iamin_into::<f64>(&three, &mut indices), "out")?;
    let mut storage = stream.from_slice(&[3.0_f64; 12])?;
    let matrix = stream.from_slice(&[1.0_f64; 12])?;
    let (wide, square) = (matrix.matrix(3, 4)?, matrix.matrix(3, 3)?);
    case.refused(stream.symv(LOWER, 1.0, &wide, &four, 0.0, &mut three), "a")?;
    case.refused(stream.symv(LOWER, 1.0, &square, &four, 0.0, &mut three), "x")?;
    case.refused(stream.symv(LOWER, 1.0, &square, &storage.slice(..3)?, 0.0, &mut four), "y")?;
    case.refused(stream.trmv(LOWER, Op::N, WHOLE, &wide, &mut four), "a")?;
    case.refused(stream.trmv(LOWER, Op::T, WHOLE, &square, &mut four), "x")?;
    case.refused(stream.trsv(LOWER, Op::T, WHOLE, &wide, &mut three), "a")?;
    case.refused(stream.trsv(LOWER, Op::N, WHOLE, &square, &mut four), "x")?;
    case.refused(stream.syr(LOWER, 1.0, &three, &mut storage.matrix_mut(3, 4)?), "a")?;
    case.refused(stream.syr(LOWER, 1.0, &four, &mut storage.matrix_mut(3, 3)?), "x")?;
    case.bits(LEFT_ALONE, &case.read(&three)?, &[1.0; 3])?;
    case.bits(LEFT_ALONE, &case.read(&four)?, &[2.0; 4])?;
    case.bits(LEFT_ALONE, &case.read(&storage)?, &[3.0; 12])
}

fn matrices<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let x = stream.from_slice(&[1.0_f32; 16])?;
    let mut storage = stream.from_slice(&[9.0_f32; 16])?;
    let (two, three, wide) = (x.matrix(2, 2)?, x.matrix(3, 3)?, x.matrix(2, 3)?);
    {
        let mut c = storage.matrix_mut(2, 3)?;
        case.refused(stream.symm(Side::Left, LOWER, 1.0, &wide, &wide, 0.0, &mut c), "a")?;
        case.refused(stream.symm(Side::Left, LOWER, 1.0, &three, &wide, 0.0, &mut c), "a")?;
        case.refused(stream.symm(Side::Right, LOWER, 1.0, &two, &wide, 0.0, &mut c), "a")?;
        case.refused(stream.symm(Side::Left, LOWER, 1.0, &two, &three, 0.0, &mut c), "b")?;
        case.refused(stream.symm(Side::Right, LOWER, 1.0, &three, &three, 0.0, &mut c), "b")?;
        case.refused(stream.syrk(LOWER, Op::N, 1.0, &wide, 0.0, &mut c), "c")?;
        for solve in [false, true] {
            for (side, a) in [(Side::Left, &wide), (Side::Left, &three), (Side::Right, &two)] {
                case.refused(
                    match solve {
                        true => stream.trsm(side, LOWER, Op::N, WHOLE, 1.0, a, &mut c),
                        false => stream.trmm(side, LOWER, Op::N, WHOLE, 1.0, a, &mut c),
                    },
                    "a",
                )?;
            }
        }
    }
    {
        let mut c = storage.matrix_mut(3, 3)?;
        case.refused(stream.syrk(LOWER, Op::N, 1.0, &wide, 0.0, &mut c), "a")?;
        let mut c = storage.matrix_mut(2, 2)?;
        case.refused(stream.syrk(LOWER, Op::T, 1.0, &wide, 0.0, &mut c), "a")?;
    }
    {
        const COLUMNS: Layout = Layout::ColumnMajor;
        let a = x.slice(..)?.batch(2, 2, 2, COLUMNS, 4, 3)?;
        let mut b = storage.slice_mut(..)?.batch_mut(2, 2, 2, COLUMNS, 4, 4)?;
        case.refused(stream.trsm_strided_batched(Side::Left, LOWER, Op::N, WHOLE, 1.0, &a, &mut b), "a")?;
        let a = x.slice(..)?.batch(2, 2, 2, COLUMNS, 4, 2)?;
        let mut b = storage.slice_mut(..)?.batch_mut(3, 2, 3, COLUMNS, 6, 2)?;
        case.refused(stream.trsm_strided_batched(Side::Left, LOWER, Op::N, WHOLE, 1.0, &a, &mut b), "a")?;
    }
    case.bits(LEFT_ALONE, &case.read(&storage)?, &[9.0; 16])
}

/// `syrk` of complex numbers has no conjugate transpose, and `herk` no plain one.
fn transpositions<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let nine = Complex64::new(9.0, 9.0);
    let x = stream.from_slice(&[nine; 4])?;
    let mut storage = stream.from_slice(&[nine; 4])?;
    let a = x.matrix(2, 2)?;
    {
        let mut c = storage.matrix_mut(2, 2)?;
        case.refused(stream.syrk(LOWER, Op::C, nine, &a, nine, &mut c), "op")?;
        case.refused(stream.herk(LOWER, Op::T, 1.0, &a, 1.0, &mut c), "op")?;
    }
    case.bits(LEFT_ALONE, &case.read(&storage)?, &[nine; 4])?;
    // Of a real matrix both are the same.
    let (x, mut storage) = (stream.from_slice(&[1.0_f32, 2.0, 3.0, 4.0])?, stream.from_slice(&[0.0_f32; 4])?);
    stream.syrk(LOWER, Op::C, 1.0, &x.matrix(2, 2)?, 0.0, &mut storage.matrix_mut(2, 2)?)?;
    case.bits("c", &case.read(&storage)?, &[5.0, 11.0, 0.0, 25.0])
}

fn lists<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let x = stream.from_slice(&[1.0_f32; 16])?;
    let mut storage = stream.from_slice(&[9.0_f32; 8])?;
    let (square, wide) = (x.matrix(2, 2)?, x.matrix(2, 3)?);
    let padded = x.slice(..)?.matrix_with(2, 2, 3, Layout::ColumnMajor)?;
    {
        let (left, right) = storage.slice_mut(..)?.split_at_mut(4)?;
        let mut c = [left.matrix_mut(2, 2)?, right.matrix_mut(2, 2)?];
        let (ops, one, two) = ((Op::N, Op::N), [square], [square, square]);
        let mut call = |a: &[_], b: &[_]| stream.gemm_batched(ops.0, ops.1, 1.0, a, b, 0.0, &mut c);
        let refused = [
            (call(&one, &two), "a"),
            (call(&two, &one), "b"),
            (call(&[], &[]), "a"),
            (call(&[square, wide], &two), "a"),
            (call(&two, &[square, padded]), "b"),
            (call(&[wide, wide], &two), "b"),
        ];
        for (result, argument) in refused {
            case.refused(result, argument)?;
        }
        let none: [warpwave_core::MatrixView<'_, f32, D>; 0] = [];
        stream.gemm_batched(Op::N, Op::N, 1.0, &none, &none, 0.0, &mut [])?;
    }
    {
        let (left, right) = storage.slice_mut(..)?.split_at_mut(4)?;
        let mut c = [left.matrix_mut(2, 2)?, right.matrix_mut(2, 1)?];
        case.refused(stream.gemm_batched(Op::N, Op::N, 1.0, &[square; 2], &[square; 2], 0.0, &mut c), "c")?;
    }
    case.bits(LEFT_ALONE, &case.read(&storage)?, &[9.0; 8])
}

/// Hermitian matrices are for complex types.
fn real_types<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let x = stream.from_slice(&[1.0_f64; 4])?;
    let mut storage = stream.from_slice(&[9.0_f64; 4])?;
    let mut y = stream.from_slice(&[9.0_f64; 2])?;
    let (a, v) = (x.matrix(2, 2)?, x.slice(..2)?);
    let mut c = storage.matrix_mut(2, 2)?;
    let refused = [
        ("hemv", stream.hemv(LOWER, 1.0, &a, &v, 0.0, &mut y)),
        ("her", stream.her(LOWER, 1.0, &v, &mut c)),
        ("gerc", stream.gerc(1.0, &v, &v, &mut c)),
        ("hemm", stream.hemm(Side::Left, LOWER, 1.0, &a, &a, 0.0, &mut c)),
        ("herk", stream.herk(LOWER, Op::C, 1.0, &a, 0.0, &mut c)),
    ];
    for (name, result) in refused {
        let unsupported = matches!(&result, Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }));
        case.ensure(unsupported, format_args!("{name} of f64: expected it to be unsupported, got {result:?}"))?;
    }
    case.bits(LEFT_ALONE, &case.read(&storage)?, &[9.0; 4])?;
    case.bits(LEFT_ALONE, &case.read(&y)?, &[9.0; 2])
}
