//! Scans: of class R, so every result is compared bit for bit with the tree of [`warpwave_core::numerics::scan`]; with running sums,
//! products and extremes of exact integers; and with running sums in twice the precision, within a bound that follows from the
//! depth of the tree. Every case runs apart and in place.

mod arguments;
mod cases;
mod reference;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use reference::Scan;
use warpwave_core::numerics::contract;
use warpwave_core::{DType, Device, OperationKind, ReduceOp, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows() {
        if let Some((op, exclusive)) = scan(row.kind) {
            let (kind, dtype) = (row.kind, row.dtype);
            checks.push(Check::of_row("scan", kind, dtype, None, move |session| one(session, op, exclusive, dtype)));
        }
    }
    checks.push(Check::new("scan.names", arguments::names));
    checks.push(Check::new("scan.arguments", arguments::arguments));
}

fn scan(kind: OperationKind) -> Option<(ReduceOp, bool)> {
    let all = ReduceOp::ALL.iter().flat_map(|&op| [(op, false), (op, true)]);
    all.into_iter().find(|&(op, exclusive)| OperationKind::scan(op, exclusive) == kind)
}

fn one<D: Device>(session: &mut Session<'_, D>, op: ReduceOp, exclusive: bool, dtype: DType) -> Verdict {
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for {op} of {dtype}")));
    match op {
        ReduceOp::Sum | ReduceOp::Prod => {
            match_dtype!(dtype, any T => cases::check(session, &Scan::<T, D>::accumulate(op, exclusive)), _ => unknown())
        }
        _ => match_dtype!(dtype, real T => cases::check(session, &Scan::<T, D>::choose(op, exclusive)), _ => unknown()),
    }
}
