//! The operations of BLAS.

use super::{Plan, Properties, dot, gemm, gemv, ger, iamax, level1, symm, symv, syrk, trmm, trmv, trsm, trsv};
use warpwave_core::{DType, Error, Operation, Result};

/// The launches of an operation of BLAS; `None` if it is not one.
pub(super) fn blas(operation: &Operation, properties: &Properties) -> Option<Result<Plan>> {
    let plan = match operation {
        Operation::Copy { x, y } => level1::copy(x, y),
        Operation::Swap { x, y } => level1::swap(x, y),
        Operation::Scal { alpha, x } => level1::scal(*alpha, x),
        Operation::Axpy { alpha, x, y } => level1::axpy(*alpha, x, y),
        Operation::Rot { c, s, x, y } => level1::rot(*c, *s, x, y),
        Operation::Rotm { flag, h, x, y } => level1::rotm(*flag, *h, x, y),
        Operation::Dot { conj, x, y, out } => dot::dot(*conj, x, y, out),
        Operation::Asum { x, out } => dot::asum(x, out),
        Operation::Nrm2 { x, out } => dot::nrm2(x, out),
        Operation::Iamax { x, out } => iamax::iamax(false, x, out, properties),
        Operation::Iamin { x, out } => iamax::iamax(true, x, out, properties),
        Operation::Gemv(arguments) => gemv::gemv(arguments, properties),
        Operation::Symv(arguments) => symv::symv(arguments, properties),
        Operation::Trmv { a, x, .. } => trmv::trmv(a, x, properties),
        Operation::Trsv { a, x, .. } => trsv::trsv(a, x),
        Operation::Ger { conj, alpha, x, y, a } => ger::ger(*conj, *alpha, x, y, a, properties),
        Operation::Syr { hermitian, uplo, alpha, x, a } => ger::syr(*hermitian, *uplo, *alpha, x, a, properties),
        Operation::Gemm(arguments) => gemm::gemm(arguments, None, properties),
        Operation::GemmBatched { gemm: arguments, pointers } => gemm::gemm(arguments, Some(pointers), properties),
        Operation::Symm(arguments) => symm::symm(arguments, properties),
        Operation::Syrk(arguments) => syrk::syrk(arguments, properties),
        Operation::Trmm(arguments) => trmm::trmm(arguments, properties),
        Operation::Trsm(arguments) => trsm::trsm(arguments, properties),
        _ => return None,
    };
    let any = matches!(operation, Operation::Copy { .. });
    let narrow = matches!(operation, Operation::Gemm(_) | Operation::GemmBatched { .. });
    Some(match operation.dtype() {
        DType::F32 | DType::F64 | DType::C32 | DType::C64 => Ok(plan),
        DType::F16 | DType::Bf16 if narrow => Ok(plan),
        _ if any => Ok(plan),
        _ => Err(Error::unsupported(operation.kind())),
    })
}
