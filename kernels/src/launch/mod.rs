//! Which kernels an operation is.
//!
//! [`plan`] makes a [`Plan`] of an [`Operation`]: the launches, in their order on one stream, and the bytes of scratch memory that they
//! share. A plan is a value and touches no device, so all that can be refused is refused, and all scratch is known, before anything is
//! enqueued.

mod blas;
mod dot;
mod gemm;
mod gemv;
mod ger;
mod iamax;
mod level1;
mod scalar;
mod step;
mod symm;
mod symv;
mod syrk;
mod tile;
mod trmm;
mod trmv;
mod trsm;
mod trsv;

pub use step::{Arg, Entry, Plan, Properties, Step};

use warpwave_core::{Error, Operation, Result};

/// The launches of an operation on a device with these properties.
///
/// # Errors
/// [`Unsupported`](warpwave_core::ErrorKind::Unsupported) if there are no kernels for it.
pub fn plan(operation: &Operation, properties: &Properties) -> Result<Plan> {
    if let Some(plan) = blas::blas(operation, properties) {
        return plan;
    }
    Err(Error::unsupported(operation.kind()))
}
