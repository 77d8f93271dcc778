//! Every operation is a value: [`Operation`] is all that a backend's [`execute`](crate::Backend::execute) has to understand.
//!
//! Operations are made by the typed methods of [`crate::Blas`], [`crate::Ops`] and [`crate::Stream`], which have checked them:
//! lengths agree, views lie inside their buffers, what is written overlaps nothing else that the operation touches (but for an
//! element-wise operation whose output *is* one of its inputs), it writes at least one element, and the device
//! [supports](crate::Backend::supports) it.

mod kind;
mod operand;

pub use kind::{Axis, BinaryOp, CompareOp, Op, OperationKind, Precision, ReduceOp, UnaryOp};
pub use operand::{Layout, MatrixOperand, Ptr, Span, Strided};

use crate::element::{DType, ScalarValue};

/// An input of an element-wise operation: a span, or one value for every element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// One element each.
    Span(Span),
    /// The same value each time.
    Scalar(ScalarValue),
}

impl Source {
    /// The element type.
    pub fn dtype(&self) -> DType {
        match self {
            Source::Span(span) => span.dtype,
            Source::Scalar(value) => value.dtype(),
        }
    }
}

/// The arguments of [`Operation::Gemm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// How `a` enters.
    pub op_a: Op,
    /// How `b` enters.
    pub op_b: Op,
    /// In the type of [`crate::GemmElement::Compute`].
    pub alpha: ScalarValue,
    /// The first matrix of the batch.
    pub a: MatrixOperand,
    /// The first matrix of the batch.
    pub b: MatrixOperand,
    /// In the type of [`crate::GemmElement::Compute`].
    pub beta: ScalarValue,
    /// The first matrix of the batch; `m × n`.
    pub c: MatrixOperand,
    /// Matrices in the batch; 1 for a plain `gemm`.
    pub batch: usize,
    /// The distances from one matrix of the batch to the next in `a`, `b` and `c`, in elements. Zero re-reads an input.
    pub strides: [usize; 3],
    /// How exact it has to be.
    pub precision: Precision,
}

impl Gemm {
    /// The dimension that is summed over.
    pub fn k(&self) -> usize {
        if self.op_a == Op::N { self.a.cols } else { self.a.rows }
    }
}

/// The arguments of [`Operation::Gemv`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemv {
    /// How `a` enters.
    pub op: Op,
    /// Of the element type.
    pub alpha: ScalarValue,
    /// The matrix.
    pub a: MatrixOperand,
    /// The vector multiplied.
    pub x: Strided,
    /// Of the element type.
    pub beta: ScalarValue,
    /// The vector updated.
    pub y: Strided,
    /// How exact it has to be.
    pub precision: Precision,
}

/// One operation with its arguments. What each means, to the bit where it has to be, is said in [`crate::numerics`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// `out[i, j] = value`.
    Fill {
        /// Of the type of `out`.
        value: ScalarValue,
        /// Written. A vector is a matrix of one column, or with an increment a column-major one of one row.
        out: MatrixOperand,
    },
    /// `out[i] = start + i · step`, as [`crate::numerics`] defines it.
    Iota {
        /// Of the type of `out`.
        start: ScalarValue,
        /// Of the type of `out`.
        step: ScalarValue,
        /// Written.
        out: Span,
    },
    /// `out[i] = x[i]`, converted.
    Cast {
        /// Read.
        x: Span,
        /// Written; another type.
        out: Span,
    },
    /// `out[i] = op x[i]`.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Read; may be `out` itself.
        x: Span,
        /// Written.
        out: Span,
    },
    /// `out[i] = a[i] op b[i]`.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Read; may be `out` itself.
        a: Source,
        /// Read; may be `out` itself.
        b: Source,
        /// Written.
        out: Span,
    },
    /// `out[i] = a[i] op b[i]`, as 1 or 0.
    Compare {
        /// Which.
        op: CompareOp,
        /// Read.
        a: Source,
        /// Read.
        b: Source,
        /// Written; `u8`.
        out: Span,
    },
    /// `out[i] = mask[i] ≠ 0 ? a[i] : b[i]`.
    Select {
        /// Read; `u8`.
        mask: Span,
        /// Read; may be `out` itself.
        a: Source,
        /// Read; may be `out` itself.
        b: Source,
        /// Written.
        out: Span,
    },
    /// A reduction of all elements, or along an axis.
    Reduce {
        /// Which.
        op: ReduceOp,
        /// What it runs over. With [`Axis::Whole`] `x` is one contiguous column.
        axis: Axis,
        /// Read.
        x: MatrixOperand,
        /// Written: 1 element, or one per row, or one per column.
        out: Span,
    },
    /// `out` = how many elements of `mask` are not 0.
    Count {
        /// Read; `u8`.
        mask: Span,
        /// Written; 1 `u64`.
        out: Span,
    },
    /// `out[j, i] = x[i, j]`. With the two layouts different, the bytes of a plain copy.
    Transpose {
        /// Read.
        x: MatrixOperand,
        /// Written; `x.cols × x.rows`.
        out: MatrixOperand,
    },
    /// `y = x`.
    Copy {
        /// Read.
        x: Strided,
        /// Written.
        y: Strided,
    },
    /// `x ↔ y`.
    Swap {
        /// Read and written.
        x: Strided,
        /// Read and written.
        y: Strided,
    },
    /// `x = alpha · x`.
    Scal {
        /// Of the element type.
        alpha: ScalarValue,
        /// Read and written.
        x: Strided,
    },
    /// `y = alpha · x + y`.
    Axpy {
        /// Of the element type.
        alpha: ScalarValue,
        /// Read.
        x: Strided,
        /// Read and written.
        y: Strided,
    },
    /// `out = Σ x · y`.
    Dot {
        /// Whether `x` is conjugated.
        conj: bool,
        /// Read.
        x: Strided,
        /// Read.
        y: Strided,
        /// Written; 1 element.
        out: Span,
    },
    /// `out = √Σ|x|²`.
    Nrm2 {
        /// Read.
        x: Strided,
        /// Written; 1 element of the magnitude's type.
        out: Span,
    },
    /// `out = Σ |re x| + |im x|`.
    Asum {
        /// Read.
        x: Strided,
        /// Written; 1 element of the magnitude's type.
        out: Span,
    },
    /// The index of the first largest magnitude; `u64::MAX` of nothing.
    Iamax {
        /// Read.
        x: Strided,
        /// Written; 1 `u64`.
        out: Span,
    },
    /// `y = alpha · op(a) · x + beta · y`.
    Gemv(Gemv),
    /// `a = alpha · x · yᵀ + a`.
    Ger {
        /// Of the element type.
        alpha: ScalarValue,
        /// Read; `a.rows` elements.
        x: Strided,
        /// Read; `a.cols` elements.
        y: Strided,
        /// Read and written.
        a: MatrixOperand,
    },
    /// `c = alpha · op(a) · op(b) + beta · c`, for each matrix of a batch.
    Gemm(Gemm),
}

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
            Operation::Gemv(_) => K::Gemv,
            Operation::Ger { .. } => K::Ger,
            Operation::Gemm(_) => K::Gemm,
        }
    }

    /// The element type that [`crate::Backend::supports`] is asked about: that of the inputs.
    pub fn dtype(&self) -> DType {
        match self {
            Operation::Fill { out, .. } => out.dtype,
            Operation::Iota { out, .. } => out.dtype,
            Operation::Cast { x, .. } | Operation::Unary { x, .. } => x.dtype,
            Operation::Binary { a, .. } | Operation::Compare { a, .. } | Operation::Select { a, .. } => a.dtype(),
            Operation::Count { mask, .. } => mask.dtype,
            Operation::Reduce { x, .. } | Operation::Transpose { x, .. } => x.dtype,
            Operation::Copy { x, .. }
            | Operation::Swap { x, .. }
            | Operation::Scal { x, .. }
            | Operation::Axpy { x, .. }
            | Operation::Dot { x, .. }
            | Operation::Nrm2 { x, .. }
            | Operation::Asum { x, .. }
            | Operation::Iamax { x, .. }
            | Operation::Ger { x, .. } => x.dtype,
            Operation::Gemv(gemv) => gemv.a.dtype,
            Operation::Gemm(gemm) => gemm.a.dtype,
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
            | Operation::Iamax { out, .. } => out.len == 0,
            Operation::Fill { out, .. } | Operation::Transpose { out, .. } | Operation::Ger { a: out, .. } => {
                out.is_empty()
            }
            Operation::Copy { y: out, .. }
            | Operation::Swap { y: out, .. }
            | Operation::Scal { x: out, .. }
            | Operation::Axpy { y: out, .. } => out.len == 0,
            Operation::Gemv(gemv) => gemv.y.len == 0,
            Operation::Gemm(gemm) => gemm.c.is_empty() || gemm.batch == 0,
        }
    }
}
