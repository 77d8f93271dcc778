//! The operations, on the host: what [`warpwave_core::numerics`] defines, vectorised and shared among the device's threads.

mod arg;
mod axes;
mod cast;
mod compact;
mod count;
mod elementwise;
mod fill;
mod gather;
mod gemm;
mod gemv;
mod ger;
mod halves;
mod histogram;
mod index;
mod level1;
mod level3;
mod math;
mod memory;
mod permute;
mod random;
mod reduce;
mod scan;
mod scatter;
mod scratch;
mod sort;
mod stream;
mod symv;
mod syr;
mod transpose;
mod tree;
mod trmv;
mod trsv;

use crate::workers::Workers;
use warpwave_core::numerics::contract;
use warpwave_core::{Error, Operation, Result};

/// Executes one operation with the device's threads, in the floating-point mode of the calling thread, which is IEEE.
///
/// # Safety
/// As for [`warpwave_core::Backend::execute`], for the time of the call.
///
/// # Errors
/// - [`Unsupported`](warpwave_core::ErrorKind::Unsupported) if the operation does not exist for the type; nothing is written then.
/// - [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory) if there is not enough to work in; nothing is written then.
/// - [`DeviceFault`](warpwave_core::ErrorKind::DeviceFault) if an index in the data is out of range; what is written is as defined.
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
            Operation::Mean { axis, x, out } => reduce::mean(workers, axis, x, out),
            Operation::ArgReduce { op, axis, x, out } => arg::arg_reduce(workers, op, axis, x, out).transpose(),
            Operation::Scan { op, exclusive, x, out } => scan::scan(workers, op, exclusive, x, out).map(Ok),
            Operation::Sort(ref arguments) => sort::sort(workers, arguments).transpose(),
            Operation::Gather { x, index, out } => gather::gather(workers, x, index, out).transpose(),
            Operation::Scatter { x, index, out } => scatter::scatter(workers, x, index, out).transpose(),
            Operation::Compact { x, mask, out, count } => compact::compact(workers, x, mask, out, count).map(Ok),
            Operation::Histogram { x, out } => histogram::histogram(workers, x, out).transpose(),
            Operation::Permute { x, out, shape } => permute::permute(workers, x, out, shape).map(Ok),
            Operation::Random { seed, subsequence, offset, out } => {
                random::random(workers, seed, subsequence, offset, out).map(Ok)
            }
            Operation::Transpose { x, out } => transpose::transpose(workers, x, out).map(Ok),
            Operation::Copy { x, y } => level1::copy(workers, x, y).map(Ok),
            Operation::Swap { x, y } => level1::swap(workers, x, y).map(Ok),
            Operation::Scal { alpha, x } => level1::scal(workers, alpha, x).map(Ok),
            Operation::Axpy { alpha, x, y } => level1::axpy(workers, alpha, x, y).map(Ok),
            Operation::Dot { conj, x, y, out } => level1::dot(workers, conj, x, y, out),
            Operation::Nrm2 { x, out } => level1::nrm2(workers, x, out),
            Operation::Asum { x, out } => level1::asum(workers, x, out),
            Operation::Iamax { x, out } => level1::iamax(workers, x, out).map(Ok),
            Operation::Iamin { x, out } => level1::iamin(workers, x, out).map(Ok),
            Operation::Rot { c, s, x, y } => level1::rot(workers, c, s, x, y).map(Ok),
            Operation::Rotm { flag, h, x, y } => level1::rotm(workers, flag, h, x, y).map(Ok),
            Operation::Gemv(ref arguments) => gemv::gemv(workers, arguments),
            Operation::Symv(ref arguments) => symv::symv(workers, arguments).transpose(),
            Operation::Trmv { a, x, .. } => trmv::trmv(workers, a, x).transpose(),
            Operation::Trsv { a, x, .. } => trsv::trsv(workers, a, x).transpose(),
            Operation::Ger { conj, alpha, x, y, a } => ger::ger(workers, conj, alpha, x, y, a).map(Ok),
            Operation::Syr { hermitian, uplo, alpha, x, a } => syr::syr(workers, hermitian, uplo, alpha, x, a).map(Ok),
            Operation::Gemm(ref arguments) => gemm::gemm(workers, arguments),
            Operation::Symm(ref arguments) => level3::symm(workers, arguments).transpose(),
            Operation::Syrk(ref arguments) => level3::syrk(workers, arguments).transpose(),
            Operation::Trmm(ref arguments) => level3::trmm(workers, arguments).transpose(),
            Operation::Trsm(ref arguments) => level3::trsm(workers, arguments).transpose(),
            Operation::GemmBatched { ref gemm, pointers } => gemm::gemm_batched(workers, gemm, pointers),
            _ => None,
        }
    };
    done.unwrap_or_else(|| Err(unsupported()))
}

#[cfg(test)]
mod tests;
