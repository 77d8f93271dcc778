//! Element-wise operations, copies and transposition: all of class R, so every result is compared bit for bit with the
//! definitions of [`warpwave_core::numerics`], and with references that do not use those: integers, arithmetic of higher
//! precision, and written-out bit patterns.

mod arguments;
mod arithmetic;
mod cast;
mod compare;
mod copy;
mod fill;
mod functions;
mod large;
mod names;
mod operands;
mod probes;
mod select;
mod specials;
mod transpose;

pub(crate) use operands::inside;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract;
use warpwave_core::{BinaryOp, CompareOp, DType, Device, OperationKind, UnaryOp, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows().filter(|row| belongs(row.kind)) {
        let (kind, dtype) = (row.kind, row.dtype);
        checks.push(Check::of_row("elementwise", kind, dtype, None, move |session| one(session, kind, dtype)));
    }
    names::add(checks);
    arguments::add(checks);
    probes::add(checks);
}

fn belongs(kind: OperationKind) -> bool {
    use OperationKind as K;
    matches!(kind, K::Fill | K::Iota | K::Cast | K::Select | K::Transpose | K::Copy)
        || unary(kind).is_some()
        || binary(kind).is_some()
        || comparison(kind).is_some()
}

fn unary(kind: OperationKind) -> Option<UnaryOp> {
    UnaryOp::ALL.iter().copied().find(|&op| kind == op.into())
}

fn binary(kind: OperationKind) -> Option<BinaryOp> {
    BinaryOp::ALL.iter().copied().find(|&op| kind == op.into())
}

fn comparison(kind: OperationKind) -> Option<CompareOp> {
    CompareOp::ALL.iter().copied().find(|&op| kind == op.into())
}

/// The check of one operation and type.
fn one<D: Device>(session: &mut Session<'_, D>, kind: OperationKind, dtype: DType) -> Verdict {
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}")));
    if let Some(ulp) = contract::max_ulp(kind, dtype) {
        return match_dtype!(dtype, float T => functions::check::<T, D>(session, kind, ulp), _ => unknown());
    }
    if let Some(op) = unary(kind) {
        return match_dtype!(dtype, any T => {
            specials::unary::<T, D>(session, op)?;
            arithmetic::unary::<T, D>(session, op)?;
            large::unary::<T, D>(session, op)
        }, _ => unknown());
    }
    if let Some(op) = binary(kind) {
        return match_dtype!(dtype, any T => {
            specials::binary::<T, D>(session, op)?;
            arithmetic::binary::<T, D>(session, op)?;
            large::binary::<T, D>(session, op)
        }, _ => unknown());
    }
    if let Some(op) = comparison(kind) {
        return match_dtype!(dtype, any T => {
            specials::comparison::<T, D>(session, op)?;
            compare::check::<T, D>(session, op)?;
            large::comparison::<T, D>(session, op)
        }, _ => unknown());
    }
    match kind {
        OperationKind::Fill => match_dtype!(dtype, any T => {
            fill::fill::<T, D>(session)?;
            large::fill::<T, D>(session)
        }, _ => unknown()),
        OperationKind::Iota => match_dtype!(dtype, real T => {
            fill::iota::<T, D>(session)?;
            large::iota::<T, D>(session)
        }, _ => unknown()),
        OperationKind::Cast => cast::check(session, dtype),
        OperationKind::Select => match_dtype!(dtype, any T => {
            select::check::<T, D>(session)?;
            large::select::<T, D>(session)
        }, _ => unknown()),
        OperationKind::Transpose => match_dtype!(dtype, any T => {
            transpose::check::<T, D>(session)?;
            large::transpose::<T, D>(session)
        }, _ => unknown()),
        OperationKind::Copy => match_dtype!(dtype, any T => {
            copy::check::<T, D>(session)?;
            large::copy::<T, D>(session)
        }, _ => unknown()),
        _ => unknown(),
    }
}

fn undefined(what: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("the core does not define {what} for this type"))
}
