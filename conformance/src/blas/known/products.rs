//! Known answers of `gemm` and `gemv`.

use super::{number, numbers, same_lane, square};
use crate::blas::{Factors, Scalars};
use crate::case::Case;
use crate::failure::Verdict;
use crate::reduction::orders;
use crate::reference::Sample;
use crate::session::Session;
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{Blas, Buffer, Device, Layout, Op, Precision, Stream};

/// The known answers of `gemm`, for a row of the contract.
pub(in crate::blas) fn gemm<T: Factors, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let precision = row.precision.unwrap_or(Precision::Strict);
    session.once(Lane::Exact, |case| gemm_operands::<T, D>(case, precision))?;
    session.once(Lane::Poison, |case| gemm_without_product::<T, D>(case, precision))?;
    if precision != Precision::Fast {
        session.once(Lane::Exact, |case| gemm_precision::<T, D>(case, precision))?;
    }
    if row.class == Class::Reproducible {
        session.once(Lane::Exact, |case| gemm_fused::<T, D>(case))?;
        session.once(Lane::Exact, |case| gemm_order::<T, D>(case))?;
    }
    Ok(())
}

/// `alpha · a · b + beta · c` of `1 × len` and `len × 1` elements.
fn inner<T: Factors, D: Device>(
    case: &mut Case<'_, D>,
    precision: Precision,
    [alpha, beta]: [f64; 2],
    a: &[T],
    b: &[T],
    c: T,
) -> Verdict<T> {
    let stream = case.stream().with_precision(precision);
    let (x, y) = (stream.from_slice(a)?, stream.from_slice(b)?);
    let mut z = stream.from_slice(&[c])?;
    let (x, y) = (x.matrix(1, a.len())?, y.matrix(b.len(), 1)?);
    stream.gemm(Op::N, Op::N, number(alpha), &x, &y, number(beta), &mut z.matrix_mut(1, 1)?)?;
    Ok(case.read(&z)?[0])
}

/// Leading dimension, batch, sum and conjugation. With a leading dimension of 3 two columns of 2 have 77 between them.
fn gemm_operands<T: Factors, D: Device>(case: &mut Case<'_, D>, precision: Precision) -> Verdict {
    const COLUMNS: Layout = Layout::ColumnMajor;
    let stream = case.stream().with_precision(precision);
    let of = |values: &[f64]| stream.from_slice(&numbers::<T>(values));
    let (gaps, one) = (of(&[1.0, 2.0, 77.0, 3.0, 4.0])?, of(&[1.0, 0.0, 0.0, 1.0])?);
    let (gaps, one) = (gaps.slice(..)?.matrix_with(2, 2, 3, COLUMNS)?, one.matrix(2, 2)?);
    for (name, a, b) in [("a with a gap: c", &gaps, &one), ("b with a gap: c", &one, &gaps)] {
        let mut c = of(&[9.0; 4])?;
        stream.gemm(Op::N, Op::N, number(1.0), a, b, number(0.0), &mut c.matrix_mut(2, 2)?)?;
        case.bits(name, &case.read(&c)?, &numbers(&[1.0, 2.0, 3.0, 4.0]))?;
    }
    let (a, b, mut c) = (of(&[1.0, 1.0])?, of(&[2.0, 3.0])?, of(&[9.0, 9.0])?);
    {
        let (a, b) = (a.slice(..)?, b.slice(..)?);
        let (a, b) = (a.batch(1, 1, 1, COLUMNS, 1, 2)?, b.batch(1, 1, 1, COLUMNS, 1, 2)?);
        let mut c = c.slice_mut(..)?.batch_mut(1, 1, 1, COLUMNS, 1, 2)?;
        stream.gemm_strided_batched(Op::N, Op::N, number(1.0), &a, &b, number(0.0), &mut c)?;
    }
    case.bits("a batch of two: c", &case.read(&c)?, &numbers(&[2.0, 3.0]))?;
    let sum = inner::<T, D>(case, precision, [1.0, 0.0], &numbers(&[1.0, 2.0, 4.0]), &numbers(&[1.0; 3]), number(0.0))?;
    case.bits("1 + 2 + 4: c", &[sum], &numbers(&[7.0]))?;
    // Of a real type this is 0, and so is every product.
    let i = T::from_values([0.0, 1.0]);
    let of_i = |x: f64| if T::DTYPE.is_complex() { x } else { 0.0 };
    let stored = stream.from_slice(&[i])?;
    for (op, want) in [(Op::N, -1.0), (Op::T, -1.0), (Op::C, 1.0)] {
        let mut c = of(&[9.0])?;
        let stored = stored.matrix(1, 1)?;
        stream.gemm(op, Op::N, number(1.0), &stored, &stored, number(0.0), &mut c.matrix_mut(1, 1)?)?;
        case.bits(format_args!("op {op} of i, times i: c"), &case.read(&c)?, &numbers(&[of_i(want)]))?;
    }
    Ok(())
}

/// Without a product: +0 with beta = 0, the bits of `c` with beta = 1, else beta · c. What is not read is NaN.
fn gemm_without_product<T: Factors, D: Device>(case: &mut Case<'_, D>, precision: Precision) -> Verdict {
    let a = [T::poison(); 2];
    let payload = T::poison();
    for (len, alpha) in [(2, 0.0), (0, 1.0)] {
        // First what cannot become NaN by `c`.
        for (beta, c, want) in [
            (-1.0, T::from_values([3.0; 2]), T::from_values([-3.0; 2])),
            (0.0, payload, number(0.0)),
            (1.0, payload, payload),
        ] {
            let got = inner::<T, D>(case, precision, [alpha, beta], &a[..len], &a[..len], c)?;
            case.bits(format_args!("beta = {beta}, with alpha = {alpha} and k = {len}: c"), &[got], &[want])?;
        }
    }
    Ok(())
}

/// How many digits the factors and the sum have.
fn gemm_precision<T: Factors, D: Device>(case: &mut Case<'_, D>, precision: Precision) -> Verdict {
    let next = numbers::<T>(&[1.0 + 2.0 * T::UNIT]);
    let one = numbers::<T>(&[1.0]);
    let zero = number(0.0);
    let got = [
        inner::<T, D>(case, precision, [1.0, 0.0], &next, &one, zero)?,
        inner::<T, D>(case, precision, [1.0, 0.0], &one, &next, zero)?,
    ];
    case.bits("all digits of a factor: c", &got, &[next[0]; 2])?;
    // In f16 a sum of ones ends at 2048, in bf16 at 256.
    let ones = vec![one[0]; 4096];
    let got = inner::<T, D>(case, precision, [1.0, 0.0], &ones, &ones, zero)?;
    case.bits("a sum of 4096 ones: c", &[got], &numbers(&[4096.0]))
}

/// Which products are rounded before a sum, and which are not.
fn gemm_fused<T: Factors, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let [x, y, error] = square(T::Compute::UNIT);
    let precision = Precision::Reproducible;
    if T::UNIT == T::Compute::UNIT {
        let got = inner::<T, D>(case, precision, [1.0, 0.0], &numbers(&[-y, x]), &numbers(&[1.0, x]), number(0.0))?;
        case.bits("a chain of fused products: c", &[got], &numbers(&[error]))?;
    }
    // 2²⁰(1 + 2u)(1 + 2⁻⁷) rounds to 2²⁰(1 + 2⁻⁷ + 2u), and is off by 2¹⁴u.
    let ulp = 2.0 * T::Compute::UNIT;
    let (large, rounded) = (2f64.powi(20) * (1.0 + ulp), 2f64.powi(20) * (1.0 + 2f64.powi(-7) + ulp));
    let (a, one) = (numbers::<T>(&[1.0 + 2f64.powi(-7)]), numbers::<T>(&[1.0]));
    let got = inner::<T, D>(case, precision, [large, -rounded], &a, &one, one[0])?;
    case.bits("alpha · acc, which is not rounded: c", &[got], &numbers(&[2f64.powi(13) * ulp]))?;
    let got = inner::<T, D>(case, precision, [-rounded, large], &one, &one, a[0])?;
    case.bits("beta · c, which is rounded: c", &[got], &numbers(&[0.0]))
}

/// One chain, from the first to the last: 2¹⁵u, with the unit roundoff of the accumulation, is lost beside 2¹⁵ in front of it.
fn gemm_order<T: Factors, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let (large, small) = (2f64.powi(15), 2f64.powi(15) * T::Compute::UNIT);
    for len in [3, 4, 7, 8, 16, 33, 257, 1025] {
        let (middle, last) = (len / 2, len - 1);
        for (name, places, want) in [
            ("ascending", [0, last, middle], 0.0),
            ("what is not lost", [last, 0, middle], small),
            ("what comes last", [0, middle, last], small),
        ] {
            let mut a = vec![0.0; len];
            places.into_iter().zip([large, -large, small]).for_each(|(at, value)| a[at] = value);
            let ones = vec![number(1.0); len];
            let got = inner::<T, D>(case, Precision::Reproducible, [1.0, 0.0], &numbers(&a), &ones, number(0.0))?;
            case.bits(format_args!("a chain of {len}, {name}: c"), &[got], &[number(want)])?;
        }
    }
    Ok(())
}

/// The known answers of `gemv`, for a row of the contract.
pub(in crate::blas) fn gemv<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let precision = row.precision.unwrap_or(Precision::Strict);
    session.once(Lane::Exact, |case| {
        let stream = case.stream().with_precision(precision);
        let gaps = stream.from_slice(&numbers::<T>(&[1.0, 2.0, 77.0, 3.0, 4.0]))?;
        let gaps = gaps.slice(..)?;
        let a = gaps.matrix_with(2, 2, 3, Layout::ColumnMajor)?;
        let x = stream.from_slice(&numbers::<T>(&[0.0, 1.0]))?;
        for (op, want) in [(Op::N, [3.0, 4.0]), (Op::T, [2.0, 4.0])] {
            let mut y = stream.from_slice(&numbers::<T>(&[9.0; 2]))?;
            stream.gemv(op, number(1.0), &a, &x, number(0.0), &mut y)?;
            case.bits(format_args!("a with a gap, op {op}: y"), &case.read(&y)?, &numbers(&want))?;
        }
        Ok(())
    })?;
    let run = |case: &mut Case<'_, D>, [alpha, beta]: [f64; 2], a: &[T], x: &[T], y: T| -> Verdict<T> {
        let stream = case.stream().with_precision(precision);
        let (matrix, vector) = (stream.from_slice(a)?, stream.from_slice(x)?);
        let mut out = stream.from_slice(&[y])?;
        stream.gemv(Op::N, number(alpha), &matrix.matrix(1, a.len())?, &vector, number(beta), &mut out)?;
        Ok(case.read(&out)?[0])
    };
    session.once(Lane::Poison, |case| {
        let (a, payload) = ([T::poison(); 2], T::poison());
        for (len, alpha) in [(2, 0.0), (0, 1.0)] {
            let three = T::from_values([3.0; 2]);
            let rows = [(-1.0, three, T::from_values([-3.0; 2])), (0.0, payload, number(0.0)), (1.0, payload, payload)];
            for (beta, y, want) in rows {
                let got = run(case, [alpha, beta], &a[..len], &a[..len], y)?;
                case.bits(format_args!("beta = {beta}, with alpha = {alpha} and n = {len}: y"), &[got], &[want])?;
            }
        }
        Ok(())
    })?;
    if row.class != Class::Reproducible {
        return Ok(());
    }
    session.once(Lane::Exact, |case| {
        let [x, y, error] = square(T::UNIT);
        let one = numbers::<T>(&[1.0]);
        let got = run(case, [x, -y], &numbers(&[x]), &one, one[0])?;
        case.bits("alpha · sum, which is not rounded: y", &[got], &numbers(&[error]))?;
        let got = run(case, [-y, x], &one, &one, number(x))?;
        case.bits("beta · y, which is rounded: y", &[got], &numbers(&[0.0]))?;
        let (a, x) = same_lane(-y, x);
        let got = run(case, [1.0, 0.0], &numbers(&a), &numbers(&x), number(0.0))?;
        case.bits("fused products in a lane: y", &[got], &numbers(&[error]))?;
        for (name, a, want) in orders::<T>() {
            let ones = vec![one[0]; a.len()];
            let got = run(case, [1.0, 0.0], &a, &ones, number(0.0))?;
            case.bits(format_args!("{name}: y"), &[got], &[want])?;
        }
        Ok(())
    })
}
