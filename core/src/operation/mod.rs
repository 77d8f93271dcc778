//! Every operation is a value: [`Operation`] is all that a backend's [`execute`](crate::Backend::execute) has to understand.
//!
//! Operations are made by the typed methods of [`crate::Blas`], [`crate::Ops`] and [`crate::Stream`], which have checked them:
//! lengths agree, views lie inside their buffers, what is written overlaps nothing else that the operation touches (but for an
//! operation whose output *is* one of its inputs, where that is said), it writes at least one element or has indices to check, and the device
//! [supports](crate::Backend::supports) it.

mod arguments;
mod describe;
mod kind;
mod op;
mod operand;

pub use arguments::{
    Gemm, Gemv, LayerNorm, PermuteShape, RankUpdate, Sort, Symm, Symv, TriangularMatrix, TriangularProduct,
};
pub use kind::OperationKind;
pub use op::{ArgOp, Axis, BinaryOp, CompareOp, Diag, Op, Precision, ReduceOp, RotmFlag, Side, UnaryOp, Uplo};
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
    /// The mean of all elements, or along an axis.
    Mean {
        /// What it runs over. With [`Axis::Whole`] `x` is one contiguous column.
        axis: Axis,
        /// Read; floats or complex numbers.
        x: MatrixOperand,
        /// Written: 1 element, or one per row, or one per column.
        out: Span,
    },
    /// Softmax of all elements, or along an axis.
    Softmax {
        /// Whether it is the logarithm.
        log: bool,
        /// What it runs over. With [`Axis::Whole`] `x` and `out` are one contiguous column each.
        axis: Axis,
        /// Read; floats; may be `out` itself.
        x: MatrixOperand,
        /// Written; of the shape of `x`.
        out: MatrixOperand,
    },
    /// Layer normalization of all elements, or along an axis.
    LayerNorm(LayerNorm),
    /// The index of an extreme element of all, or along an axis.
    ArgReduce {
        /// Which.
        op: ArgOp,
        /// What it runs over. With [`Axis::Whole`] `x` is one contiguous column.
        axis: Axis,
        /// Read.
        x: MatrixOperand,
        /// Written, `u64`: 1 element, or one per row, or one per column.
        out: Span,
    },
    /// `out[i]` = the reduction of `x[0..=i]`, or of `x[0..i]` if exclusive.
    Scan {
        /// Which.
        op: ReduceOp,
        /// Whether `x[i]` itself is left out.
        exclusive: bool,
        /// Read; may be `out` itself.
        x: Span,
        /// Written.
        out: Span,
    },
    /// A stable sort, in place.
    Sort(Sort),
    /// `out[i] = x[index[i]]`; 0 where the index is out of range, which is a fault.
    Gather {
        /// Read.
        x: Span,
        /// Read; an integer of 32 or 64 bits.
        index: Span,
        /// Written.
        out: Span,
    },
    /// `out[index[i]] = x[i]`, the highest `i` winning; nothing where the index is out of range, which is a fault.
    Scatter {
        /// Read.
        x: Span,
        /// Read; an integer of 32 or 64 bits.
        index: Span,
        /// Written where an index says so.
        out: Span,
    },
    /// The elements `x[i]` with `mask[i] ≠ 0`, in their order, at the start of `out`.
    Compact {
        /// Read.
        x: Span,
        /// Read; `u8`.
        mask: Span,
        /// Written; as long as `x`. What lies behind the elements selected stays as it was.
        out: Span,
        /// Written; 1 `u64`, how many were selected.
        count: Span,
    },
    /// `out[j]` = how many `x[i]` equal `j`; a number past the end counts nowhere, which is a fault.
    Histogram {
        /// Read; integers.
        x: Span,
        /// Written; `u64`.
        out: Span,
    },
    /// An array with its axes in another order.
    Permute {
        /// Read.
        x: Span,
        /// Written.
        out: Span,
        /// Sizes and order of the axes.
        shape: PermuteShape,
    },
    /// Random numbers, as [`crate::numerics::philox`] defines them.
    Random {
        /// The key.
        seed: u64,
        /// The upper half of the counter.
        subsequence: u64,
        /// The first word.
        offset: u64,
        /// Written; integers or floats.
        out: Span,
    },
    /// Normal random numbers, as [`crate::numerics::normal`] defines them.
    Normal {
        /// The key.
        seed: u64,
        /// The upper half of the counter.
        subsequence: u64,
        /// The first word.
        offset: u64,
        /// In the type of [`crate::GemmElement::Compute`].
        mean: ScalarValue,
        /// Likewise.
        deviation: ScalarValue,
        /// Written; floats.
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
    /// The index of the first smallest magnitude; `u64::MAX` of nothing.
    Iamin {
        /// Read.
        x: Strided,
        /// Written; 1 `u64`.
        out: Span,
    },
    /// A plane rotation: `x = c · x + s · y`, `y = c · y − conj(s) · x`.
    Rot {
        /// The cosine, of the magnitude's type.
        c: ScalarValue,
        /// The sine, of the element type.
        s: ScalarValue,
        /// Read and written.
        x: Strided,
        /// Read and written.
        y: Strided,
    },
    /// A modified plane rotation: `x = h11 · x + h12 · y`, `y = h21 · x + h22 · y`.
    Rotm {
        /// Which elements are given.
        flag: RotmFlag,
        /// `h11`, `h21`, `h12`, `h22`, of the element type; what the flag does not give is not looked at.
        h: [ScalarValue; 4],
        /// Read and written.
        x: Strided,
        /// Read and written.
        y: Strided,
    },
    /// `y = alpha · op(a) · x + beta · y`.
    Gemv(Gemv),
    /// `y = alpha · a · x + beta · y` with a symmetric or Hermitian `a`.
    Symv(Symv),
    /// `x = op(a) · x` with a triangular `a`.
    Trmv {
        /// The matrix.
        a: TriangularMatrix,
        /// Read and written.
        x: Strided,
        /// How exact it has to be.
        precision: Precision,
    },
    /// `x` becomes the solution of `op(a) · x = b`, `b` being the old `x`.
    Trsv {
        /// The matrix.
        a: TriangularMatrix,
        /// Read and written.
        x: Strided,
        /// How exact it has to be.
        precision: Precision,
    },
    /// `a = alpha · x · xᵀ + a`, or `alpha · x · conj(x)ᵀ + a`, on one triangle.
    Syr {
        /// Whether the second `x` is conjugated.
        hermitian: bool,
        /// The triangle.
        uplo: Uplo,
        /// Of the element type; of the magnitude's type if Hermitian.
        alpha: ScalarValue,
        /// Read.
        x: Strided,
        /// Read and written in one triangle; square.
        a: MatrixOperand,
    },
    /// `a = alpha · x · yᵀ + a`, or `alpha · x · conj(y)ᵀ + a`.
    Ger {
        /// Whether `y` is conjugated.
        conj: bool,
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
    /// The same for matrices that lie anywhere.
    GemmBatched {
        /// Shapes and scalars. The pointers in `a`, `b` and `c` are those of the first matrices; strides are 0.
        gemm: Gemm,
        /// Read, `u64`: the addresses of all `a`, then of all `b`, then of all `c`.
        pointers: Span,
    },
    /// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c`, with a symmetric or Hermitian `a`.
    Symm(Symm),
    /// `c = alpha · op(a) · op(a)ᵀ + beta · c`, or with the conjugate transpose, on one triangle.
    Syrk(RankUpdate),
    /// `b = alpha · op(a) · b`, or `alpha · b · op(a)`, with a triangular `a`.
    Trmm(TriangularProduct),
    /// `b` becomes the solution of `op(a) · x = alpha · b`, or `x · op(a) = alpha · b`, for each matrix of a batch.
    Trsm(TriangularProduct),
}
