//! Reductions, means and places of extremes: of class R, so every result is compared bit for bit with the tree of [`warpwave_core::numerics::tree`];
//! with sums and products of exact integers; and with sums in twice the precision, within a bound that follows from the
//! depth of the tree.

mod arg;
mod axis;
mod count;
mod known;
mod large;
mod lines;
mod mean;
mod reference;
mod whole;

pub(crate) use known::orders;
pub(crate) use lines::{inputs, lines};
pub(crate) use whole::many_chunks;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract;
use warpwave_core::{ArgOp, Axis, DType, Device, OperationKind, ReduceOp, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows() {
        if row.kind == OperationKind::Count {
            checks.push(Check::of_row("reduction", row.kind, row.dtype, None, count::check));
        }
        if let Some((op, axis)) = reduction(row.kind) {
            let (kind, dtype) = (row.kind, row.dtype);
            checks.push(Check::of_row("reduction", kind, dtype, None, move |session| one(session, op, axis, dtype)));
        } else if let Some(other) = other(row.kind) {
            let (kind, dtype) = (row.kind, row.dtype);
            checks.push(Check::of_row("reduction", kind, dtype, None, move |session| {
                let unknown = || Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}")));
                match other {
                    Other::Mean(axis) => match_dtype!(
                        dtype,
                        float T => mean::check::<T, D>(session, axis),
                        _ => match_dtype!(dtype, complex T => mean::check::<T, D>(session, axis), _ => unknown())
                    ),
                    Other::Arg(op, axis) => {
                        match_dtype!(dtype, real T => arg::check::<T, D>(session, op, axis), _ => unknown())
                    }
                }
            }));
        }
    }
    let all =
        || ReduceOp::ALL.iter().flat_map(|&op| Axis::ALL.iter().map(move |&axis| OperationKind::reduce(op, axis)));
    checks.push(Check::new("reduction.names", whole::names).needing(DType::I32, all()));
    checks.push(Check::new("reduction.arguments", axis::arguments).needing(DType::F32, all()));
}

fn reduction(kind: OperationKind) -> Option<(ReduceOp, Axis)> {
    let all = ReduceOp::ALL.iter().flat_map(|&op| Axis::ALL.iter().map(move |&axis| (op, axis)));
    all.into_iter().find(|&(op, axis)| OperationKind::reduce(op, axis) == kind)
}

/// A reduction that is no [`ReduceOp`].
#[derive(Clone, Copy)]
enum Other {
    Mean(Axis),
    Arg(ArgOp, Axis),
}

fn other(kind: OperationKind) -> Option<Other> {
    let means = Axis::ALL.iter().map(|&axis| (OperationKind::mean(axis), Other::Mean(axis)));
    let args = ArgOp::ALL
        .iter()
        .flat_map(|&op| Axis::ALL.iter().map(move |&axis| (OperationKind::arg(op, axis), Other::Arg(op, axis))));
    means.chain(args).find(|&(of, _)| of == kind).map(|(_, other)| other)
}

fn one<D: Device>(session: &mut Session<'_, D>, op: ReduceOp, axis: Axis, dtype: DType) -> Verdict {
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for {op} of {dtype}")));
    match (op, axis) {
        (ReduceOp::Sum, Axis::Whole) => match_dtype!(dtype, any T => {
            whole::check(session, &reference::accumulate::<T>(op))?;
            large::sum::<T, D>(session)
        }, _ => unknown()),
        (ReduceOp::Prod, Axis::Whole) => {
            match_dtype!(dtype, any T => whole::check(session, &reference::accumulate::<T>(op)), _ => unknown())
        }
        (_, Axis::Whole) => {
            match_dtype!(dtype, real T => whole::check(session, &reference::choose::<T>(op)), _ => unknown())
        }
        (ReduceOp::Sum | ReduceOp::Prod, _) => {
            match_dtype!(dtype, any T => axis::check(session, axis, &reference::accumulate::<T>(op)), _ => unknown())
        }
        _ => match_dtype!(dtype, real T => axis::check(session, axis, &reference::choose::<T>(op)), _ => unknown()),
    }
}
