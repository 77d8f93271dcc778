//! The operations, on the host: what [`warpwave_core::numerics`] defines, vectorised and shared among the device's threads.

mod cast;
mod count;
mod elementwise;
mod fill;
mod gemm;
mod gemv;
mod ger;
mod halves;
mod level1;
mod memory;
mod reduce;
mod scratch;
mod stream;
mod transpose;
mod tree;

use crate::workers::Workers;
use warpwave_core::numerics::contract;
use warpwave_core::{Error, Operation, Result};

/// Executes one operation with the device's threads, in the floating-point mode of the calling thread, which is IEEE.
///
/// # Safety
/// As for [`warpwave_core::Backend::execute`], for the time of the call.
///
/// # Errors
/// [`Unsupported`](warpwave_core::ErrorKind::Unsupported) if the operation does not exist for the type, and
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory) if there is none for what it needs beyond its operands; nothing is
/// written then.
pub(crate) unsafe fn execute(workers: &Workers, operation: &Operation) -> Result<()> {
    let (kind, dtype) = (operation.kind(), operation.dtype());
    let unsupported = || Error::unsupported(format_args!("{kind} of {dtype}"));
    if !contract::supports(kind, dtype) {
        return Err(unsupported());
    }
    // SAFETY: the operands are as the caller promises; each function is called with the fields of its own operation, and leaves
    // alone what it has no definition for.
    let done = unsafe {
        match *operation {
            Operation::Fill { value, out } => fill::fill(workers, value, out).map(Ok),
            Operation::Iota { start, step, out } => fill::iota(workers, start, step, out).map(Ok),
            Operation::Cast { x, out } => cast::cast(workers, x, out).map(Ok),
            Operation::Unary { op, x, out } => elementwise::unary(workers, op, x, out).map(Ok),
            Operation::Binary { op, a, b, out } => elementwise::binary(workers, op, a, b, out).map(Ok),
            Operation::Compare { op, a, b, out } => elementwise::compare(workers, op, a, b, out).map(Ok),
            Operation::Select { mask, a, b, out } => elementwise::select(workers, mask, a, b, out).map(Ok),
            Operation::Reduce { op, axis, x, out } => reduce::reduce(workers, op, axis, x, out),
            Operation::Count { mask, out } => count::count(workers, mask, out).map(Ok),
            Operation::Transpose { x, out } => transpose::transpose(workers, x, out).map(Ok),
            Operation::Copy { x, y } => level1::copy(workers, x, y).map(Ok),
            Operation::Swap { x, y } => level1::swap(workers, x, y).map(Ok),
            Operation::Scal { alpha, x } => level1::scal(workers, alpha, x).map(Ok),
            Operation::Axpy { alpha, x, y } => level1::axpy(workers, alpha, x, y).map(Ok),
            Operation::Dot { conj, x, y, out } => level1::dot(workers, conj, x, y, out),
            Operation::Nrm2 { x, out } => level1::nrm2(workers, x, out),
            Operation::Asum { x, out } => level1::asum(workers, x, out),
            Operation::Iamax { x, out } => level1::iamax(workers, x, out).map(Ok),
            Operation::Gemv(ref arguments) => gemv::gemv(workers, arguments),
            Operation::Ger { alpha, x, y, a } => ger::ger(workers, alpha, x, y, a).map(Ok),
            Operation::Gemm(ref arguments) => gemm::gemm(workers, arguments),
            _ => None,
        }
    };
    done.unwrap_or_else(|| Err(unsupported()))
}

#[cfg(test)]
mod tests;
