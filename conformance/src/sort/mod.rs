//! Sorting: of class R, so every result is compared bit for bit: with a stable sort of the standard library by the
//! values of the keys, with the definition, and with orders that are written out.

mod arguments;
mod cases;
mod large;
mod literal;
mod order;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract;
use warpwave_core::{DType, Device, OperationKind, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows() {
        let (kind, dtype) = (row.kind, row.dtype);
        if matches!(kind, OperationKind::Sort | OperationKind::SortPairs) {
            checks.push(Check::of_row("sort", kind, dtype, None, move |session| one(session, kind, dtype)));
        }
    }
    literal::add(checks);
    arguments::add(checks);
}

fn one<D: Device>(session: &mut Session<'_, D>, kind: OperationKind, dtype: DType) -> Verdict {
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}")));
    match kind {
        OperationKind::Sort => match_dtype!(dtype, real T => {
            cases::keys::<T, D>(session)?;
            large::keys::<T, D>(session)
        }, _ => unknown()),
        _ => match_dtype!(dtype, real T => {
            cases::pairs::<T, D>(session)?;
            large::pairs::<T, D>(session)
        }, _ => unknown()),
    }
}
