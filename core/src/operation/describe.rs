//! What can be asked of an operation.

use super::{LayerNorm, Operation, OperationKind, RankUpdate, Sort, Symm, Symv};
use crate::element::DType;

impl Operation {
    /// What the operation does.
    pub fn kind(&self) -> OperationKind {
        use OperationKind as K;
        match self {
            Operation::Fill { .. } => K::Fill,
            Operation::Iota { .. } => K::Iota,
            Operation::Cast { .. } => K::Cast,
            Operation::Unary { op, .. } => (*op).into(),
            Operation::Binary { op, .. } => (*op).into(),
            Operation::Compare { op, .. } => (*op).into(),
            Operation::Select { .. } => K::Select,
            Operation::Reduce { op, axis, .. } => K::reduce(*op, *axis),
            Operation::Mean { axis, .. } => K::mean(*axis),
            Operation::Softmax { log, axis, .. } => K::softmax(*log, *axis),
            Operation::LayerNorm(arguments) => K::layer_norm(arguments.axis),
            Operation::ArgReduce { op, axis, .. } => K::arg(*op, *axis),
            Operation::Scan { op, exclusive, .. } => K::scan(*op, *exclusive),
            Operation::Sort(Sort { values: None, .. }) => K::Sort,
            Operation::Sort(Sort { values: Some(_), .. }) => K::SortPairs,
            Operation::Gather { .. } => K::Gather,
            Operation::Scatter { .. } => K::Scatter,
            Operation::Compact { .. } => K::Compact,
            Operation::Histogram { .. } => K::Histogram,
            Operation::Permute { .. } => K::Permute,
            Operation::Random { .. } => K::Random,
            Operation::Normal { .. } => K::Normal,
            Operation::Count { .. } => K::Count,
            Operation::Transpose { .. } => K::Transpose,
            Operation::Copy { .. } => K::Copy,
            Operation::Swap { .. } => K::Swap,
            Operation::Scal { .. } => K::Scal,
            Operation::Axpy { .. } => K::Axpy,
            Operation::Dot { conj: false, .. } => K::Dot,
            Operation::Dot { conj: true, .. } => K::Dotc,
            Operation::Nrm2 { .. } => K::Nrm2,
            Operation::Asum { .. } => K::Asum,
            Operation::Iamax { .. } => K::Iamax,
            Operation::Iamin { .. } => K::Iamin,
            Operation::Rot { .. } => K::Rot,
            Operation::Rotm { .. } => K::Rotm,
            Operation::Gemv(_) => K::Gemv,
            Operation::Symv(Symv { hermitian: false, .. }) => K::Symv,
            Operation::Symv(Symv { hermitian: true, .. }) => K::Hemv,
            Operation::Trmv { .. } => K::Trmv,
            Operation::Trsv { .. } => K::Trsv,
            Operation::Ger { conj: false, .. } => K::Ger,
            Operation::Ger { conj: true, .. } => K::Gerc,
            Operation::Syr { hermitian: false, .. } => K::Syr,
            Operation::Syr { hermitian: true, .. } => K::Her,
            Operation::Gemm(_) => K::Gemm,
            Operation::GemmBatched { .. } => K::GemmBatched,
            Operation::Symm(Symm { hermitian: false, .. }) => K::Symm,
            Operation::Symm(Symm { hermitian: true, .. }) => K::Hemm,
            Operation::Syrk(RankUpdate { hermitian: false, .. }) => K::Syrk,
            Operation::Syrk(RankUpdate { hermitian: true, .. }) => K::Herk,
            Operation::Trmm(_) => K::Trmm,
            Operation::Trsm(_) => K::Trsm,
        }
    }

    /// The element type that [`crate::Backend::supports`] is asked about: that of the inputs.
    pub fn dtype(&self) -> DType {
        match self {
            Operation::Fill { out, .. } => out.dtype,
            Operation::Iota { out, .. } => out.dtype,
            Operation::Cast { x, .. } | Operation::Unary { x, .. } => x.dtype,
            Operation::Binary { a, .. } | Operation::Compare { a, .. } | Operation::Select { a, .. } => a.dtype(),
            Operation::Reduce { x, .. }
            | Operation::Mean { x, .. }
            | Operation::Softmax { x, .. }
            | Operation::LayerNorm(LayerNorm { x, .. })
            | Operation::ArgReduce { x, .. }
            | Operation::Transpose { x, .. } => x.dtype,
            Operation::Scan { x, .. }
            | Operation::Gather { x, .. }
            | Operation::Scatter { x, .. }
            | Operation::Compact { x, .. }
            | Operation::Histogram { x, .. }
            | Operation::Permute { x, .. } => x.dtype,
            Operation::Sort(sort) => sort.keys.dtype,
            Operation::Random { out, .. } | Operation::Normal { out, .. } => out.dtype,
            Operation::Count { mask, .. } => mask.dtype,
            Operation::Copy { x, .. }
            | Operation::Swap { x, .. }
            | Operation::Scal { x, .. }
            | Operation::Axpy { x, .. }
            | Operation::Dot { x, .. }
            | Operation::Nrm2 { x, .. }
            | Operation::Asum { x, .. }
            | Operation::Iamax { x, .. }
            | Operation::Iamin { x, .. }
            | Operation::Rot { x, .. }
            | Operation::Rotm { x, .. }
            | Operation::Trmv { x, .. }
            | Operation::Trsv { x, .. }
            | Operation::Syr { x, .. }
            | Operation::Ger { x, .. } => x.dtype,
            Operation::Gemv(gemv) => gemv.a.dtype,
            Operation::Symv(symv) => symv.a.dtype,
            Operation::Gemm(gemm) | Operation::GemmBatched { gemm, .. } => gemm.a.dtype,
            Operation::Symm(symm) => symm.a.dtype,
            Operation::Syrk(update) => update.a.dtype,
            Operation::Trmm(product) | Operation::Trsm(product) => product.b.dtype,
        }
    }

    /// Whether it writes no element. Such an operation is checked like any other, and never reaches a backend.
    pub fn is_empty(&self) -> bool {
        match self {
            Operation::Iota { out, .. }
            | Operation::Cast { out, .. }
            | Operation::Unary { out, .. }
            | Operation::Binary { out, .. }
            | Operation::Compare { out, .. }
            | Operation::Select { out, .. }
            | Operation::Reduce { out, .. }
            | Operation::Count { out, .. }
            | Operation::Dot { out, .. }
            | Operation::Nrm2 { out, .. }
            | Operation::Asum { out, .. }
            | Operation::Iamax { out, .. }
            | Operation::Iamin { out, .. }
            | Operation::Mean { out, .. }
            | Operation::ArgReduce { out, .. }
            | Operation::Scan { out, .. }
            | Operation::Sort(Sort { keys: out, .. })
            | Operation::Gather { out, .. }
            | Operation::Scatter { x: out, .. }
            | Operation::Permute { out, .. }
            | Operation::Normal { out, .. }
            | Operation::Random { out, .. } => out.len == 0,
            // Without elements there is still their number to write.
            Operation::Compact { .. } => false,
            // Without counters every element is out of range.
            Operation::Histogram { x, out } => x.len == 0 && out.len == 0,
            Operation::Fill { out, .. }
            | Operation::Softmax { out, .. }
            | Operation::LayerNorm(LayerNorm { out, .. })
            | Operation::Transpose { out, .. }
            | Operation::Ger { a: out, .. }
            | Operation::Syr { a: out, .. }
            | Operation::Symm(Symm { c: out, .. })
            | Operation::Syrk(RankUpdate { c: out, .. }) => out.is_empty(),
            Operation::Copy { y: out, .. }
            | Operation::Swap { y: out, .. }
            | Operation::Scal { x: out, .. }
            | Operation::Axpy { y: out, .. }
            | Operation::Rot { y: out, .. }
            | Operation::Rotm { y: out, .. }
            | Operation::Symv(Symv { y: out, .. })
            | Operation::Trmv { x: out, .. }
            | Operation::Trsv { x: out, .. } => out.len == 0,
            Operation::Gemv(gemv) => gemv.y.len == 0,
            Operation::Gemm(gemm) | Operation::GemmBatched { gemm, .. } => gemm.c.is_empty() || gemm.batch == 0,
            Operation::Trmm(product) | Operation::Trsm(product) => product.b.is_empty() || product.batch == 0,
        }
    }
}
