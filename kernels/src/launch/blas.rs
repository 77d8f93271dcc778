//! The operations of BLAS.

use super::{Plan, Properties, gemm};
use warpwave_core::{Operation, Result};

/// The launches of an operation of BLAS; `None` if it is not one.
pub(super) fn blas(operation: &Operation, properties: &Properties) -> Option<Result<Plan>> {
    Some(Ok(match operation {
        Operation::Gemm(arguments) => gemm::gemm(arguments, None, properties),
        Operation::GemmBatched { gemm: arguments, pointers } => gemm::gemm(arguments, Some(pointers), properties),
        _ => return None,
    }))
}
