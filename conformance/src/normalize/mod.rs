//! Softmax and layer normalization: of class R, so every result is compared bit for bit with the definition; with results that are known
//! exactly; and with values in a higher precision, within the bounds that the definitions' pages derive.

mod known;
mod layer_norm;
mod lines;
mod softmax;

use crate::check::Check;
use crate::failure::Failure;
use warpwave_core::numerics::contract;
use warpwave_core::{Axis, DType, Device, OperationKind, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows() {
        let (kind, dtype) = (row.kind, row.dtype);
        let Some(what) = what(kind) else { continue };
        checks.push(Check::of_row("normalize", kind, dtype, None, move |session| {
            let unknown = || Err(Failure::new(format_args!("the suite has no cases for {kind} of {dtype}")));
            match what {
                What::Softmax(log, axis) => {
                    match_dtype!(dtype, float T => softmax::check::<T, D>(session, log, axis), _ => unknown())
                }
                What::LayerNorm(axis) => {
                    match_dtype!(dtype, float T => layer_norm::check::<T, D>(session, axis), _ => unknown())
                }
            }
        }));
    }
    let kinds = || all().into_iter().map(|(kind, _)| kind);
    checks.push(Check::new("normalize.known", known::check).needing(DType::F32, kinds()));
    checks.push(Check::new("normalize.arguments", known::arguments).needing(DType::F32, kinds()));
}

/// An operation of the group.
#[derive(Clone, Copy)]
enum What {
    /// Whether it is the logarithm.
    Softmax(bool, Axis),
    LayerNorm(Axis),
}

fn all() -> Vec<(OperationKind, What)> {
    let of_axis = |&axis: &Axis| {
        [
            (OperationKind::softmax(false, axis), What::Softmax(false, axis)),
            (OperationKind::softmax(true, axis), What::Softmax(true, axis)),
            (OperationKind::layer_norm(axis), What::LayerNorm(axis)),
        ]
    };
    Axis::ALL.iter().flat_map(of_axis).collect()
}

fn what(kind: OperationKind) -> Option<What> {
    all().into_iter().find(|&(of, _)| of == kind).map(|(_, what)| what)
}
