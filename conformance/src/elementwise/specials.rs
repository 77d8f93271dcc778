//! Special values, against bit patterns that are written out.
//!
//! The other cases compare special values with the definitions of the core, which the CPU runs: were a definition wrong,
//! both sides would be. What is here is computed by nobody. The results follow from IEEE 754-2019 and from the contract:
//! a NaN result is the canonical NaN, `minimum` and `maximum` propagate NaN, `minimum_number` and `maximum_number` leave it
//! out, −0 < +0, a negation changes one bit, integers wrap, nothing is undefined.
//!
//! An element is a pair of patterns: the parts of a complex number, or that of a real one and 0. Every operation on one
//! or two elements and every type has a table, and each is part of the check of its operation and type: a device that
//! lacks one is tested in all others.

mod casts;
mod complex;
mod floats;
mod functions;
mod integers;

pub(super) use casts::known as casts;

use super::compare;
use super::operands::Call;
use crate::failure::{Failure, Verdict};
use crate::reference::{Patterns, Sample};
use crate::session::Session;
use integers::Integers;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{BinaryOp, CompareOp, DType, Device, UnaryOp};

/// An element's patterns.
type Parts = [u64; 2];

/// The results of `==`, `!=`, `<`, `<=`, `>` and `>=`.
type Compared = [u8; 6];
const LESS: Compared = [0, 1, 1, 1, 0, 0];
const EQUAL: Compared = [1, 0, 0, 1, 0, 1];
const GREATER: Compared = [0, 1, 0, 0, 1, 1];
const UNORDERED: Compared = [0, 1, 0, 0, 0, 0];

/// In the order of [`Compared`].
const COMPARISONS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// Real elements.
fn real<const N: usize>(patterns: impl IntoIterator<Item = [u64; N]>) -> Vec<[Parts; N]> {
    patterns.into_iter().map(|row| row.map(|pattern| [pattern, 0])).collect()
}

/// Operands and results of `op`.
fn of_unary(op: UnaryOp, dtype: DType) -> Vec<[Parts; 2]> {
    match (Patterns::of(dtype), dtype.is_complex()) {
        (Some(patterns), true) => complex::unary(op, patterns),
        (Some(patterns), false) => real(floats::unary(op, patterns)),
        (None, _) => real(Integers::of(dtype).unary(op)),
    }
}

/// First and second operands, and results of `op`.
fn of_binary(op: BinaryOp, dtype: DType) -> Vec<[Parts; 3]> {
    match (Patterns::of(dtype), dtype.is_complex()) {
        (Some(patterns), true) => complex::binary(op, patterns, dtype),
        (Some(patterns), false) => real(floats::binary(op, patterns)),
        (None, _) => real(Integers::of(dtype).binary(op)),
    }
}

/// Operands of comparisons, and their results.
fn of_comparisons(dtype: DType) -> Vec<([Parts; 2], Compared)> {
    let all = match (Patterns::of(dtype), dtype.is_complex()) {
        (Some(patterns), true) => return complex::comparisons(patterns),
        (Some(patterns), false) => floats::comparisons(patterns),
        (None, _) => Integers::of(dtype).comparisons(),
    };
    all.into_iter().map(|(operands, results)| (operands.map(|pattern| [pattern, 0]), results)).collect()
}

/// The `i`th elements of the rows of a table.
fn column<T: Sample, const N: usize>(table: &[[Parts; N]], i: usize) -> Vec<T> {
    table.iter().map(|row| T::from_patterns(row[i])).collect()
}

/// Without a table nothing would be compared, and nobody would notice.
fn filled<R>(table: Vec<R>, op: impl std::fmt::Display, dtype: DType) -> Verdict<Vec<R>> {
    match table.is_empty() {
        true => Err(Failure::new(format_args!("no result of {op} of {dtype} is written out"))),
        false => Ok(table),
    }
}

pub(super) fn unary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: UnaryOp) -> Verdict {
    session.once(Lane::Exact, |case| {
        let table = filled(of_unary(op, T::DTYPE), op, T::DTYPE)?;
        let got = Call::of_views(table.len()).unary(case, op, &column::<T, _>(&table, 0))?;
        case.bits(WRITTEN_OUT, &got, &column(&table, 1))
    })
}

pub(super) fn binary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: BinaryOp) -> Verdict {
    session.once(Lane::Exact, |case| {
        let table = filled(of_binary(op, T::DTYPE), op, T::DTYPE)?;
        let got = Call::of_views(table.len()).binary(case, op, &column::<T, _>(&table, 0), &column(&table, 1))?;
        case.bits(WRITTEN_OUT, &got, &column(&table, 2))
    })
}

pub(super) fn comparison<T: Sample, D: Device>(session: &mut Session<'_, D>, op: CompareOp) -> Verdict {
    session.once(Lane::Exact, |case| {
        let table = filled(of_comparisons(T::DTYPE), op, T::DTYPE)?;
        let place = COMPARISONS.iter().position(|&other| other == op);
        let place = place.ok_or_else(|| Failure::new(format_args!("no result of {op} is written out")))?;
        let (operands, results): (Vec<[Parts; 2]>, Vec<Compared>) = table.into_iter().unzip();
        let want: Vec<u8> = results.iter().map(|results| results[place]).collect();
        let call = Call::of_views(operands.len());
        let got = compare::run(case, op, &call, &column::<T, _>(&operands, 0), &column(&operands, 1))?;
        case.bits(WRITTEN_OUT, &got, &want)
    })
}

const WRITTEN_OUT: &str = "a result that is written out: out";
