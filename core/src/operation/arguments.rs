//! The arguments of operations that have many.

use super::op::{Axis, Diag, Op, Precision, Side, Uplo};
use super::operand::{MatrixOperand, Span, Strided};
use crate::element::ScalarValue;

/// The arguments of [`Operation::Gemm`](super::Operation::Gemm).
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

/// The arguments of [`Operation::Gemv`](super::Operation::Gemv).
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

/// The arguments of [`Operation::Symv`](super::Operation::Symv).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symv {
    /// Whether the missing triangle is the conjugate of the stored one.
    pub hermitian: bool,
    /// The triangle that is stored.
    pub uplo: Uplo,
    /// Of the element type.
    pub alpha: ScalarValue,
    /// The matrix; square, read in one triangle.
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

/// The arguments of [`Operation::Symm`](super::Operation::Symm).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symm {
    /// Whether the missing triangle is the conjugate of the stored one.
    pub hermitian: bool,
    /// Where `a` stands.
    pub side: Side,
    /// The triangle that is stored.
    pub uplo: Uplo,
    /// Of the element type.
    pub alpha: ScalarValue,
    /// The symmetric matrix; square, read in one triangle.
    pub a: MatrixOperand,
    /// The other matrix.
    pub b: MatrixOperand,
    /// Of the element type.
    pub beta: ScalarValue,
    /// Updated; of the shape of `b`.
    pub c: MatrixOperand,
    /// How exact it has to be.
    pub precision: Precision,
}

/// The arguments of [`Operation::Syrk`](super::Operation::Syrk).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankUpdate {
    /// Whether the second factor is the conjugate transpose, and `alpha` and `beta` are real.
    pub hermitian: bool,
    /// The triangle that is updated.
    pub uplo: Uplo,
    /// How `a` enters as the left factor: [`Op::N`], or [`Op::T`] if not Hermitian and [`Op::C`] if so. On real types `C` is `T`.
    pub op: Op,
    /// Of the element type; of the magnitude's type if Hermitian.
    pub alpha: ScalarValue,
    /// Read.
    pub a: MatrixOperand,
    /// Of the type of `alpha`.
    pub beta: ScalarValue,
    /// Read and written in one triangle; square.
    pub c: MatrixOperand,
    /// How exact it has to be.
    pub precision: Precision,
}

impl RankUpdate {
    /// The dimension that is summed over.
    pub fn k(&self) -> usize {
        if self.op == Op::N { self.a.cols } else { self.a.rows }
    }
}

/// A triangular matrix as it enters a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangularMatrix {
    /// The triangle that is stored: of the matrix itself, not of `op` of it.
    pub uplo: Uplo,
    /// How it enters.
    pub op: Op,
    /// Whether the diagonal is read.
    pub diag: Diag,
    /// The matrix; square, read in one triangle.
    pub matrix: MatrixOperand,
}

/// The arguments of [`Operation::Trmm`](super::Operation::Trmm) and [`Operation::Trsm`](super::Operation::Trsm).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangularProduct {
    /// Where `a` stands.
    pub side: Side,
    /// Of the element type.
    pub alpha: ScalarValue,
    /// The triangular matrix; the first of the batch.
    pub a: TriangularMatrix,
    /// Read and written; the first of the batch.
    pub b: MatrixOperand,
    /// Matrices in the batch; 1 for a plain call.
    pub batch: usize,
    /// The distances from one matrix of the batch to the next in `a` and `b`, in elements. Zero re-reads `a`.
    pub strides: [usize; 2],
    /// How exact it has to be.
    pub precision: Precision,
}

/// The arguments of [`Operation::LayerNorm`](super::Operation::LayerNorm).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// What it runs over. With [`Axis::Whole`] `x` and `out` are one contiguous column each.
    pub axis: Axis,
    /// Read; floats; may be `out` itself.
    pub x: MatrixOperand,
    /// Read; an element for each of a line.
    pub gamma: Option<Span>,
    /// Read; an element for each of a line.
    pub beta: Option<Span>,
    /// What is added to the variance, in the type of [`crate::GemmElement::Compute`].
    pub epsilon: ScalarValue,
    /// Written; of the shape of `x`.
    pub out: MatrixOperand,
}

/// The arguments of [`Operation::Sort`](super::Operation::Sort).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sort {
    /// Read and written.
    pub keys: Span,
    /// Read and written; moved like the keys. Of any type.
    pub values: Option<Span>,
    /// Whether the greatest key comes first.
    pub descending: bool,
    /// The first bit of the key that is looked at, as [`crate::numerics::order`] defines keys.
    pub first_bit: u32,
    /// One past the last bit that is looked at.
    pub end_bit: u32,
}

/// The sizes and the order of the axes of a [`Permute`](super::Operation::Permute).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermuteShape {
    rank: usize,
    sizes: [usize; PermuteShape::MAX_RANK],
    axes: [usize; PermuteShape::MAX_RANK],
}

impl PermuteShape {
    /// The largest number of axes.
    pub const MAX_RANK: usize = 8;

    /// `None` unless `axes` is a permutation of `0..sizes.len()`, of at most [`MAX_RANK`](Self::MAX_RANK) axes.
    pub fn new(sizes: &[usize], axes: &[usize]) -> Option<Self> {
        let rank = sizes.len();
        if rank > Self::MAX_RANK || axes.len() != rank || (0..rank).any(|axis| !axes.contains(&axis)) {
            return None;
        }
        let mut shape = PermuteShape { rank, sizes: [1; Self::MAX_RANK], axes: [0; Self::MAX_RANK] };
        shape.sizes[..rank].copy_from_slice(sizes);
        shape.axes[..rank].copy_from_slice(axes);
        Some(shape)
    }

    /// The sizes of the axes of the input, the last of which runs fastest in memory.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.rank]
    }

    /// For each axis of the output the axis of the input that it is.
    pub fn axes(&self) -> &[usize] {
        &self.axes[..self.rank]
    }

    /// Elements of the array, 1 for one without axes; `None` if the number does not fit the address space.
    pub fn elements(&self) -> Option<usize> {
        // An axis of no element makes the array empty, however large the others are.
        if self.sizes().contains(&0) {
            return Some(0);
        }
        self.sizes().iter().try_fold(1_usize, |len, &size| len.checked_mul(size))
    }
}
