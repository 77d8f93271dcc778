//! Level 2 and 3 of BLAS for matrices of which one triangle is stored.

use crate::device::Device;
use crate::element::{GemmElement, Scalar, ScalarValue};
use crate::error::{Error, Result};
use crate::matrix::{Batch, BatchMut, MatrixView, MatrixViewMut};
use crate::operation::{
    Diag, Op, Operation, OperationKind, RankUpdate, Side, Symm, Symv, TriangularMatrix, TriangularProduct, Uplo,
};
use crate::runtime::Checked;
use crate::stream::{Stream, same_len};
use crate::view::{AsVector, AsVectorMut};

/// BLAS for symmetric, Hermitian and triangular matrices on a stream, under its standard names and with its standard order of
/// arguments. What each routine computes, and which elements it touches, is said in [`crate::numerics::blas::triangular`].
///
/// All but `syr` and `her`, which give the same bits on every device, obey the stream's [precision](crate::Stream::with_precision).
/// The triangle is that of the matrix as it is written down, whatever its layout. Hermitian routines are for complex types; on
/// real ones they are [`Unsupported`](crate::ErrorKind::Unsupported).
///
/// Every routine returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if shapes do not fit, naming the argument, and then has
/// enqueued nothing.
pub trait BlasTriangle: Stream {
    /// `y = alpha · a · x + beta · y` with a symmetric `a`.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn symv<T: Scalar>(
        &self,
        uplo: Uplo,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        x: &impl AsVector<T, Self::Device>,
        beta: T,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        symv(self, false, uplo, (alpha, beta), a, x, y)
    }

    /// `y = alpha · a · x + beta · y` with a Hermitian `a`.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn hemv<T: Scalar>(
        &self,
        uplo: Uplo,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        x: &impl AsVector<T, Self::Device>,
        beta: T,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        symv(self, true, uplo, (alpha, beta), a, x, y)
    }

    /// `a = alpha · x · xᵀ + a` on one triangle. With `alpha` 0 nothing is read or written.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn syr<T: Scalar>(
        &self,
        uplo: Uplo,
        alpha: T,
        x: &impl AsVector<T, Self::Device>,
        a: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        syr(self, false, uplo, ScalarValue::new(alpha), x, a)
    }

    /// `a = alpha · x · conj(x)ᵀ + a` on one triangle, with a real `alpha`. With `alpha` 0 nothing is read or written.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn her<T: Scalar>(
        &self,
        uplo: Uplo,
        alpha: T::Magnitude,
        x: &impl AsVector<T, Self::Device>,
        a: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        syr(self, true, uplo, ScalarValue::new(alpha), x, a)
    }

    /// `x = op(a) · x` with a triangular `a`.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn trmv<T: Scalar>(
        &self,
        uplo: Uplo,
        op: Op,
        diag: Diag,
        a: &MatrixView<'_, T, Self::Device>,
        x: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (a, x) = (triangular(OperationKind::Trmv, uplo, op, diag, a)?, x.vector_mut().as_vector());
        same_len(OperationKind::Trmv.name(), "x", a.0.matrix.rows, x.len())?;
        let operation = Operation::Trmv { a: a.0, x: x.operand(), precision: self.precision() };
        self.submit(Checked::TYPED, operation, &[a.1.reads("a"), x.writes("x")])
    }

    /// `x` becomes the solution of `op(a) · x = b`, `b` being the old `x`, with a triangular `a`. Nothing looks for a zero on the
    /// diagonal: it is divided by.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    fn trsv<T: Scalar>(
        &self,
        uplo: Uplo,
        op: Op,
        diag: Diag,
        a: &MatrixView<'_, T, Self::Device>,
        x: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (a, x) = (triangular(OperationKind::Trsv, uplo, op, diag, a)?, x.vector_mut().as_vector());
        same_len(OperationKind::Trsv.name(), "x", a.0.matrix.rows, x.len())?;
        let operation = Operation::Trsv { a: a.0, x: x.operand(), precision: self.precision() };
        self.submit(Checked::TYPED, operation, &[a.1.reads("a"), x.writes("x")])
    }

    /// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c` with `a` on the right, `a` being symmetric.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    #[allow(clippy::too_many_arguments)]
    fn symm<T: Scalar>(
        &self,
        side: Side,
        uplo: Uplo,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        b: &MatrixView<'_, T, Self::Device>,
        beta: T,
        c: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        symm(self, false, (side, uplo), (alpha, beta), a, b, c)
    }

    /// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c` with `a` on the right, `a` being Hermitian.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    #[allow(clippy::too_many_arguments)]
    fn hemm<T: Scalar>(
        &self,
        side: Side,
        uplo: Uplo,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        b: &MatrixView<'_, T, Self::Device>,
        beta: T,
        c: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        symm(self, true, (side, uplo), (alpha, beta), a, b, c)
    }

    /// `c = alpha · a · aᵀ + beta · c` with [`Op::N`], `alpha · aᵀ · a + beta · c` with [`Op::T`], on one triangle of `c`.
    ///
    /// # Errors
    /// As said [above](BlasTriangle), and if `op` is [`Op::C`] for a complex type.
    fn syrk<T: Scalar>(
        &self,
        uplo: Uplo,
        op: Op,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        beta: T,
        c: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        if op == Op::C && T::DTYPE.is_complex() {
            return Err(Error::invalid("op", "N or T", op).in_operation(OperationKind::Syrk));
        }
        syrk(self, false, (uplo, op), (ScalarValue::new(alpha), ScalarValue::new(beta)), a, c)
    }

    /// `c = alpha · a · aᴴ + beta · c` with [`Op::N`], `alpha · aᴴ · a + beta · c` with [`Op::C`], on one triangle of `c`, with real
    /// `alpha` and `beta`.
    ///
    /// # Errors
    /// As said [above](BlasTriangle), and if `op` is [`Op::T`].
    fn herk<T: Scalar>(
        &self,
        uplo: Uplo,
        op: Op,
        alpha: T::Magnitude,
        a: &MatrixView<'_, T, Self::Device>,
        beta: T::Magnitude,
        c: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        if op == Op::T {
            return Err(Error::invalid("op", "N or C", op).in_operation(OperationKind::Herk));
        }
        syrk(self, true, (uplo, op), (ScalarValue::new(alpha), ScalarValue::new(beta)), a, c)
    }

    /// `b = alpha · op(a) · b`, or `alpha · b · op(a)` with `a` on the right, with a triangular `a`. With `alpha` 0 neither is read.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    #[allow(clippy::too_many_arguments)]
    fn trmm<T: Scalar>(
        &self,
        side: Side,
        uplo: Uplo,
        op: Op,
        diag: Diag,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        b: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::Trmm;
        let (a, b) = (triangular(kind, uplo, op, diag, a)?, b.as_matrix());
        let product = product(kind, side, alpha, (a.0, 0), (&b, 0), 1, self.precision())?;
        self.submit(Checked::TYPED, Operation::Trmm(product), &[a.1.reads("a"), b.writes("b")])
    }

    /// `b` becomes the solution `x` of `op(a) · x = alpha · b`, or of `x · op(a) = alpha · b` with `a` on the right, with a triangular
    /// `a`. Nothing looks for a zero on the diagonal: it is divided by. With `alpha` 0 neither is read.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    #[allow(clippy::too_many_arguments)]
    fn trsm<T: Scalar>(
        &self,
        side: Side,
        uplo: Uplo,
        op: Op,
        diag: Diag,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        b: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::Trsm;
        let (a, b) = (triangular(kind, uplo, op, diag, a)?, b.as_matrix());
        let product = product(kind, side, alpha, (a.0, 0), (&b, 0), 1, self.precision())?;
        self.submit(Checked::TYPED, Operation::Trsm(product), &[a.1.reads("a"), b.writes("b")])
    }

    /// [`trsm`](BlasTriangle::trsm) of each pair of matrices of a batch.
    ///
    /// # Errors
    /// As said [above](BlasTriangle).
    #[allow(clippy::too_many_arguments)]
    fn trsm_strided_batched<T: Scalar>(
        &self,
        side: Side,
        uplo: Uplo,
        op: Op,
        diag: Diag,
        alpha: T,
        a: &Batch<'_, T, Self::Device>,
        b: &mut BatchMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let kind = OperationKind::Trsm;
        let b = &b.batch;
        if a.count != b.count {
            let (expected, got) = (format!("{} matrices", b.count), format!("{} matrices", a.count));
            return Err(Error::invalid("a", expected, got).in_operation(kind));
        }
        let matrix = triangular(kind, uplo, op, diag, &a.first)?.0;
        let product = product(kind, side, alpha, (matrix, a.stride), (&b.first, b.stride), b.count, self.precision())?;
        self.submit(Checked::TYPED, Operation::Trsm(product), &[a.first.reads("a"), b.first.writes("b")])
    }
}

impl<S: Stream> BlasTriangle for S {}

fn square<T: GemmElement, D: Device>(kind: OperationKind, what: &str, a: &MatrixView<'_, T, D>) -> Result<usize> {
    if a.rows() != a.cols() {
        let got = format!("{} × {}", a.rows(), a.cols());
        return Err(Error::invalid(what, "a square matrix", got).in_operation(kind));
    }
    Ok(a.rows())
}

fn shape<T: GemmElement, D: Device>(
    kind: OperationKind,
    what: &str,
    expected: (usize, usize),
    a: &MatrixView<'_, T, D>,
) -> Result<()> {
    let got = (a.rows(), a.cols());
    if got != expected {
        let text = |(rows, cols)| format!("{rows} × {cols}");
        return Err(Error::invalid(what, text(expected), text(got)).in_operation(kind));
    }
    Ok(())
}

type Triangular<'a, T, D> = (TriangularMatrix, MatrixView<'a, T, D>);

fn triangular<'a, T: Scalar, D: Device>(
    kind: OperationKind,
    uplo: Uplo,
    op: Op,
    diag: Diag,
    a: &MatrixView<'a, T, D>,
) -> Result<Triangular<'a, T, D>> {
    square(kind, "a", a)?;
    Ok((TriangularMatrix { uplo, op, diag, matrix: a.operand() }, *a))
}

fn product<T: Scalar, D: Device>(
    kind: OperationKind,
    side: Side,
    alpha: T,
    (a, stride_a): (TriangularMatrix, usize),
    (b, stride_b): (&MatrixView<'_, T, D>, usize),
    batch: usize,
    precision: crate::Precision,
) -> Result<TriangularProduct> {
    let (expected, what) = match side {
        Side::Left => (b.rows(), "rows"),
        Side::Right => (b.cols(), "columns"),
    };
    let order = a.matrix.rows;
    if order != expected {
        let expected = format!("{expected} × {expected}, from the {what} of b");
        return Err(Error::invalid("a", expected, format_args!("{order} × {order}")).in_operation(kind));
    }
    let (alpha, b) = (ScalarValue::new(alpha), b.operand());
    Ok(TriangularProduct { side, alpha, a, b, batch, strides: [stride_a, stride_b], precision })
}

fn symv<S: Stream, T: Scalar>(
    stream: &S,
    hermitian: bool,
    uplo: Uplo,
    (alpha, beta): (T, T),
    a: &MatrixView<'_, T, S::Device>,
    x: &impl AsVector<T, S::Device>,
    y: &mut impl AsVectorMut<T, S::Device>,
) -> Result<()> {
    let kind = if hermitian { OperationKind::Hemv } else { OperationKind::Symv };
    let (x, y) = (x.vector(), y.vector_mut().as_vector());
    let order = square(kind, "a", a)?;
    same_len(kind.name(), "x", order, x.len())?;
    same_len(kind.name(), "y", order, y.len())?;
    let symv = Symv {
        hermitian,
        uplo,
        alpha: ScalarValue::new(alpha),
        a: a.operand(),
        x: x.operand(),
        beta: ScalarValue::new(beta),
        y: y.operand(),
        precision: stream.precision(),
    };
    stream.submit(Checked::TYPED, Operation::Symv(symv), &[a.reads("a"), x.reads("x"), y.writes("y")])
}

fn syr<S: Stream, T: Scalar>(
    stream: &S,
    hermitian: bool,
    uplo: Uplo,
    alpha: ScalarValue,
    x: &impl AsVector<T, S::Device>,
    a: &mut MatrixViewMut<'_, T, S::Device>,
) -> Result<()> {
    let kind = if hermitian { OperationKind::Her } else { OperationKind::Syr };
    let (x, a) = (x.vector(), a.as_matrix());
    let order = square(kind, "a", &a)?;
    same_len(kind.name(), "x", order, x.len())?;
    let operation = Operation::Syr { hermitian, uplo, alpha, x: x.operand(), a: a.operand() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), a.writes("a")])
}

fn symm<S: Stream, T: Scalar>(
    stream: &S,
    hermitian: bool,
    (side, uplo): (Side, Uplo),
    (alpha, beta): (T, T),
    a: &MatrixView<'_, T, S::Device>,
    b: &MatrixView<'_, T, S::Device>,
    c: &mut MatrixViewMut<'_, T, S::Device>,
) -> Result<()> {
    let kind = if hermitian { OperationKind::Hemm } else { OperationKind::Symm };
    let c = c.as_matrix();
    square(kind, "a", a)?;
    let order = if side == Side::Left { c.rows() } else { c.cols() };
    shape(kind, "a", (order, order), a)?;
    shape(kind, "b", (c.rows(), c.cols()), b)?;
    let symm = Symm {
        hermitian,
        side,
        uplo,
        alpha: ScalarValue::new(alpha),
        a: a.operand(),
        b: b.operand(),
        beta: ScalarValue::new(beta),
        c: c.operand(),
        precision: stream.precision(),
    };
    stream.submit(Checked::TYPED, Operation::Symm(symm), &[a.reads("a"), b.reads("b"), c.writes("c")])
}

fn syrk<S: Stream, T: Scalar>(
    stream: &S,
    hermitian: bool,
    (uplo, op): (Uplo, Op),
    (alpha, beta): (ScalarValue, ScalarValue),
    a: &MatrixView<'_, T, S::Device>,
    c: &mut MatrixViewMut<'_, T, S::Device>,
) -> Result<()> {
    let kind = if hermitian { OperationKind::Herk } else { OperationKind::Syrk };
    let c = c.as_matrix();
    let order = square(kind, "c", &c)?;
    let rows = if op == Op::N { a.rows() } else { a.cols() };
    if rows != order {
        let (expected, got) = (format!("{order} rows of op(a)"), format!("{rows}"));
        return Err(Error::invalid("a", expected, got).in_operation(kind));
    }
    let update =
        RankUpdate { hermitian, uplo, op, alpha, a: a.operand(), beta, c: c.operand(), precision: stream.precision() };
    stream.submit(Checked::TYPED, Operation::Syrk(update), &[a.reads("a"), c.writes("c")])
}
