//! Gather, scatter, compaction, histograms and permutations: all move bits or count, so every result is compared bit
//! for bit with plain loops; and what an index out of range does, and does not do.

mod arguments;
mod compact;
mod fault;
mod histogram;
mod index;
mod large;
mod permute;
mod places;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract;
use warpwave_core::{DType, Device, OperationKind, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use OperationKind as K;
    for row in contract::rows() {
        let (kind, dtype) = (row.kind, row.dtype);
        if matches!(kind, K::Gather | K::Scatter | K::Compact | K::Histogram | K::Permute) {
            checks.push(Check::of_row("indexing", kind, dtype, None, move |session| one(session, kind, dtype)));
        }
    }
    checks.push(Check::new("indexing.fault", fault::check));
    checks.push(Check::new("indexing.arguments", arguments::check));
}

fn one<D: Device>(session: &mut Session<'_, D>, kind: OperationKind, dtype: DType) -> Verdict {
    use OperationKind as K;
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}")));
    match kind {
        K::Gather => match_dtype!(dtype, any T => {
            places::gather::<T, D>(session)?;
            large::gather::<T, D>(session)
        }, _ => unknown()),
        K::Scatter => match_dtype!(dtype, any T => {
            places::scatter::<T, D>(session)?;
            large::scatter::<T, D>(session)
        }, _ => unknown()),
        K::Compact => match_dtype!(dtype, any T => {
            compact::check::<T, D>(session)?;
            large::compact::<T, D>(session)
        }, _ => unknown()),
        K::Histogram => match_dtype!(dtype, integer T => {
            histogram::check::<T, D>(session)?;
            large::histogram::<T, D>(session)
        }, _ => unknown()),
        _ => match_dtype!(dtype, any T => {
            permute::check::<T, D>(session)?;
            large::permute::<T, D>(session)
        }, _ => unknown()),
    }
}
