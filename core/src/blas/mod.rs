//! BLAS.

mod batched;
pub(crate) mod givens;
mod rotation;
mod triangle;

pub use givens::{Givens, ModifiedGivens, rotg, rotmg};
pub use rotation::Rotm;
pub use triangle::BlasTriangle;

use crate::device::Device;
use crate::element::{Float, GemmElement, Scalar, ScalarValue};
use crate::error::{Error, Result};
use crate::matrix::{Batch, BatchMut, MatrixView, MatrixViewMut};
use crate::operation::{Gemm, Gemv, Op, Operation, OperationKind, Precision};
use crate::runtime::Checked;
use crate::stream::{Stream, first, one, same_len};
use crate::view::{AsVector, AsVectorMut, AsViewMut};

/// BLAS on a stream, under its standard names and with its standard order of arguments; lengths and leading dimensions are in
/// the views. What each routine computes, to the bit where it has to be, is said in [`crate::numerics`].
///
/// Level 1 and `ger` give the same bits on every device. `gemv` and level 3 obey the stream's
/// [precision](crate::Stream::with_precision). `copy` is [`Stream::copy`], for all element types.
///
/// Every routine returns [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if shapes do not fit, naming the argument, and then has
/// enqueued nothing.
pub trait Blas: BlasTriangle {
    /// `x ↔ y`.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn swap<T: Scalar>(
        &self,
        x: &mut impl AsVectorMut<T, Self::Device>,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, y) = (x.vector_mut().as_vector(), y.vector_mut().as_vector());
        same_len("swap", "y", x.len(), y.len())?;
        self.submit(Checked::TYPED, Operation::Swap { x: x.operand(), y: y.operand() }, &[x.writes("x"), y.writes("y")])
    }

    /// `x = alpha · x`, also for `alpha` 0, where a NaN stays one.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn scal<T: Scalar>(&self, alpha: T, x: &mut impl AsVectorMut<T, Self::Device>) -> Result<()> {
        let x = x.vector_mut().as_vector();
        self.submit(
            Checked::TYPED,
            Operation::Scal { alpha: ScalarValue::new(alpha), x: x.operand() },
            &[x.writes("x")],
        )
    }

    /// `y = alpha · x + y`. With `alpha` 0 nothing is read or written.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn axpy<T: Scalar>(
        &self,
        alpha: T,
        x: &impl AsVector<T, Self::Device>,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, y) = (x.vector(), y.vector_mut().as_vector());
        same_len("axpy", "y", x.len(), y.len())?;
        self.submit(
            Checked::TYPED,
            Operation::Axpy { alpha: ScalarValue::new(alpha), x: x.operand(), y: y.operand() },
            &[x.reads("x"), y.writes("y")],
        )
    }

    /// `Σ x · y`, not conjugated (`dotu` for complex types). Waits for the result.
    ///
    /// # Errors
    /// As said [above](Blas), and errors of earlier work on this stream.
    fn dot<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>, y: &impl AsVector<T, Self::Device>) -> Result<T> {
        one(self, "dot", |out| self.dot_into(x, y, out))
    }

    /// [`dot`](Blas::dot) under its name for complex types.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn dotu<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>, y: &impl AsVector<T, Self::Device>) -> Result<T> {
        self.dot(x, y)
    }

    /// `Σ conj(x) · y`. Waits for the result.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn dotc<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>, y: &impl AsVector<T, Self::Device>) -> Result<T> {
        one(self, "dotc", |out| self.dotc_into(x, y, out))
    }

    /// [`dot`](Blas::dot) with its result in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn dot_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        y: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        dot(self, false, x, y, out)
    }

    /// [`dotc`](Blas::dotc) with its result in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn dotc_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        y: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        dot(self, true, x, y, out)
    }

    /// `√Σ|x|²`, without needless overflow or underflow. Waits for the result.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn nrm2<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>) -> Result<T::Magnitude> {
        one(self, "nrm2", |out| self.nrm2_into(x, out))
    }

    /// [`nrm2`](Blas::nrm2) with its result in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn nrm2_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<T::Magnitude, Self::Device>,
    ) -> Result<()> {
        let (x, out) = (x.vector(), first("nrm2", out)?);
        self.submit(
            Checked::TYPED,
            Operation::Nrm2 { x: x.operand(), out: out.span() },
            &[x.reads("x"), out.writes("out")],
        )
    }

    /// `Σ |re x| + |im x|`. Waits for the result.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn asum<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>) -> Result<T::Magnitude> {
        one(self, "asum", |out| self.asum_into(x, out))
    }

    /// [`asum`](Blas::asum) with its result in the first element of `out`; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn asum_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<T::Magnitude, Self::Device>,
    ) -> Result<()> {
        let (x, out) = (x.vector(), first("asum", out)?);
        self.submit(
            Checked::TYPED,
            Operation::Asum { x: x.operand(), out: out.span() },
            &[x.reads("x"), out.writes("out")],
        )
    }

    /// The index, from 0, of the first element of largest `|re x| + |im x|`; of the first NaN, if there is one. `None` of nothing.
    /// Waits for the result.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn iamax<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>) -> Result<Option<usize>> {
        let index: u64 = one(self, "iamax", |out| self.iamax_into(x, out))?;
        Ok(usize::try_from(index).ok().filter(|_| index != u64::MAX))
    }

    /// [`iamax`](Blas::iamax) with its result in the first element of `out`, `u64::MAX` of nothing; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn iamax_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<u64, Self::Device>,
    ) -> Result<()> {
        let (x, out) = (x.vector(), first("iamax", out)?);
        self.submit(
            Checked::TYPED,
            Operation::Iamax { x: x.operand(), out: out.span() },
            &[x.reads("x"), out.writes("out")],
        )
    }

    /// The index, from 0, of the first element of smallest `|re x| + |im x|`; of the first NaN, if there is one. `None` of nothing.
    /// Waits for the result.
    ///
    /// # Errors
    /// As for [`dot`](Blas::dot).
    fn iamin<T: Scalar>(&self, x: &impl AsVector<T, Self::Device>) -> Result<Option<usize>> {
        let index: u64 = one(self, "iamin", |out| self.iamin_into(x, out))?;
        Ok(usize::try_from(index).ok().filter(|_| index != u64::MAX))
    }

    /// [`iamin`](Blas::iamin) with its result in the first element of `out`, `u64::MAX` of nothing; does not wait.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn iamin_into<T: Scalar>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        out: &mut impl AsViewMut<u64, Self::Device>,
    ) -> Result<()> {
        let (x, out) = (x.vector(), first("iamin", out)?);
        self.submit(
            Checked::TYPED,
            Operation::Iamin { x: x.operand(), out: out.span() },
            &[x.reads("x"), out.writes("out")],
        )
    }

    /// Rotates the points (`x[i]`, `y[i]`): `x = c · x + s · y`, `y = c · y − conj(s) · x`. The cosine is real, and the sine of a real
    /// rotation of complex vectors has no imaginary part.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn rot<T: Scalar>(
        &self,
        x: &mut impl AsVectorMut<T, Self::Device>,
        y: &mut impl AsVectorMut<T, Self::Device>,
        c: T::Magnitude,
        s: T,
    ) -> Result<()> {
        let (x, y) = (x.vector_mut().as_vector(), y.vector_mut().as_vector());
        same_len("rot", "y", x.len(), y.len())?;
        let (c, s) = (ScalarValue::new(c), ScalarValue::new(s));
        self.submit(
            Checked::TYPED,
            Operation::Rot { c, s, x: x.operand(), y: y.operand() },
            &[x.writes("x"), y.writes("y")],
        )
    }

    /// Transforms the points (`x[i]`, `y[i]`) by a modified rotation: `x = h11 · x + h12 · y`, `y = h21 · x + h22 · y`.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn rotm<T: Scalar + Float>(
        &self,
        x: &mut impl AsVectorMut<T, Self::Device>,
        y: &mut impl AsVectorMut<T, Self::Device>,
        rotation: Rotm<T>,
    ) -> Result<()> {
        let (x, y) = (x.vector_mut().as_vector(), y.vector_mut().as_vector());
        same_len("rotm", "y", x.len(), y.len())?;
        let (flag, h) = rotation.arguments();
        self.submit(
            Checked::TYPED,
            Operation::Rotm { flag, h, x: x.operand(), y: y.operand() },
            &[x.writes("x"), y.writes("y")],
        )
    }

    /// `y = alpha · op(a) · x + beta · y`. With `beta` 0 the old `y` is not read, with `alpha` 0 neither `a` nor `x`.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn gemv<T: Scalar>(
        &self,
        op: Op,
        alpha: T,
        a: &MatrixView<'_, T, Self::Device>,
        x: &impl AsVector<T, Self::Device>,
        beta: T,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, y) = (x.vector(), y.vector_mut().as_vector());
        let (rows, cols) = shape_of(op, a);
        same_len("gemv", "x", cols, x.len())?;
        same_len("gemv", "y", rows, y.len())?;
        let gemv = Gemv {
            op,
            alpha: ScalarValue::new(alpha),
            a: a.operand(),
            x: x.operand(),
            beta: ScalarValue::new(beta),
            y: y.operand(),
            precision: self.precision(),
        };
        self.submit(Checked::TYPED, Operation::Gemv(gemv), &[a.reads("a"), x.reads("x"), y.writes("y")])
    }

    /// `a = alpha · x · yᵀ + a`, not conjugated (`geru` for complex types). With `alpha` 0 nothing is read or written.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn ger<T: Scalar>(
        &self,
        alpha: T,
        x: &impl AsVector<T, Self::Device>,
        y: &impl AsVector<T, Self::Device>,
        a: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        ger(self, false, alpha, x, y, a)
    }

    /// [`ger`](Blas::ger) under its name for complex types.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn geru<T: Scalar>(
        &self,
        alpha: T,
        x: &impl AsVector<T, Self::Device>,
        y: &impl AsVector<T, Self::Device>,
        a: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        ger(self, false, alpha, x, y, a)
    }

    /// `a = alpha · x · conj(y)ᵀ + a`, for complex types. With `alpha` 0 nothing is read or written.
    ///
    /// # Errors
    /// As said [above](Blas).
    fn gerc<T: Scalar>(
        &self,
        alpha: T,
        x: &impl AsVector<T, Self::Device>,
        y: &impl AsVector<T, Self::Device>,
        a: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        ger(self, true, alpha, x, y, a)
    }

    /// `c = alpha · op_a(a) · op_b(b) + beta · c`. With `beta` 0 the old `c` is not read, with `alpha` 0 neither `a` nor `b`.
    /// `f16` and `bf16` accumulate in `f32` and round once.
    ///
    /// # Errors
    /// As said [above](Blas).
    #[allow(clippy::too_many_arguments)]
    fn gemm<T: GemmElement>(
        &self,
        op_a: Op,
        op_b: Op,
        alpha: T::Compute,
        a: &MatrixView<'_, T, Self::Device>,
        b: &MatrixView<'_, T, Self::Device>,
        beta: T::Compute,
        c: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let c = c.as_matrix();
        gemm(self, "gemm", (op_a, op_b), (alpha, beta), [(*a, 0), (*b, 0), (c, 0)], 1)
    }

    /// [`gemm`](Blas::gemm) of each matrix of a batch.
    ///
    /// # Errors
    /// As said [above](Blas).
    #[allow(clippy::too_many_arguments)]
    fn gemm_strided_batched<T: GemmElement>(
        &self,
        op_a: Op,
        op_b: Op,
        alpha: T::Compute,
        a: &Batch<'_, T, Self::Device>,
        b: &Batch<'_, T, Self::Device>,
        beta: T::Compute,
        c: &mut BatchMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let c = &c.batch;
        for (what, count) in [("a", a.count), ("b", b.count)] {
            if count != c.count {
                let error = Error::invalid(what, format_args!("{} matrices, as in c", c.count), count);
                return Err(error.in_operation("gemm_strided_batched"));
            }
        }
        let operands = [(a.first, a.stride), (b.first, b.stride), (c.first, c.stride)];
        gemm(self, "gemm_strided_batched", (op_a, op_b), (alpha, beta), operands, c.count)
    }

    /// [`gemm`](Blas::gemm) of each `a[i]`, `b[i]` and `c[i]`, wherever they lie: of one shape, leading dimension and layout in each of
    /// the three lists. For matrices at equal distances [`gemm_strided_batched`](Blas::gemm_strided_batched) is cheaper, as it needs no
    /// table of addresses on the device. The table is written as by [`write`](Stream::write), which may wait for the stream.
    ///
    /// # Errors
    /// As said [above](Blas), and those of [`alloc`](Stream::alloc) and [`write`](Stream::write) for that table.
    #[allow(clippy::too_many_arguments)]
    fn gemm_batched<T: GemmElement>(
        &self,
        op_a: Op,
        op_b: Op,
        alpha: T::Compute,
        a: &[MatrixView<'_, T, Self::Device>],
        b: &[MatrixView<'_, T, Self::Device>],
        beta: T::Compute,
        c: &mut [MatrixViewMut<'_, T, Self::Device>],
    ) -> Result<()> {
        batched::gemm(self, (op_a, op_b), (alpha, beta), a, b, c)
    }
}

impl<S: Stream> Blas for S {}

/// The shape of a matrix as it enters a product.
fn shape_of<T: GemmElement, D: Device>(op: Op, a: &MatrixView<'_, T, D>) -> (usize, usize) {
    match op {
        Op::N => (a.rows(), a.cols()),
        Op::T | Op::C => (a.cols(), a.rows()),
    }
}

fn ger<S: Stream, T: Scalar>(
    stream: &S,
    conj: bool,
    alpha: T,
    x: &impl AsVector<T, S::Device>,
    y: &impl AsVector<T, S::Device>,
    a: &mut MatrixViewMut<'_, T, S::Device>,
) -> Result<()> {
    let kind = if conj { OperationKind::Gerc } else { OperationKind::Ger };
    let (x, y, a) = (x.vector(), y.vector(), a.as_matrix());
    same_len(kind.name(), "x", a.rows(), x.len())?;
    same_len(kind.name(), "y", a.cols(), y.len())?;
    let alpha = ScalarValue::new(alpha);
    stream.submit(
        Checked::TYPED,
        Operation::Ger { conj, alpha, x: x.operand(), y: y.operand(), a: a.operand() },
        &[x.reads("x"), y.reads("y"), a.writes("a")],
    )
}

/// A product, and each product of a batch. The matrices come with their stride in the batch.
fn gemm<S: Stream, T: GemmElement>(
    stream: &S,
    name: &'static str,
    (op_a, op_b): (Op, Op),
    (alpha, beta): (T::Compute, T::Compute),
    [(a, stride_a), (b, stride_b), (c, stride_c)]: [(MatrixView<'_, T, S::Device>, usize); 3],
    batch: usize,
) -> Result<()> {
    let precision = stream.precision();
    let gemm =
        arguments(name, (op_a, op_b), (alpha, beta), [a, b, c], (batch, [stride_a, stride_b, stride_c]), precision)?;
    stream.submit(Checked::TYPED, Operation::Gemm(gemm), &[a.reads("a"), b.reads("b"), c.writes("c")])
}

/// The arguments of a `gemm` of matrices whose shapes fit.
fn arguments<T: GemmElement, D: Device>(
    name: &'static str,
    (op_a, op_b): (Op, Op),
    (alpha, beta): (T::Compute, T::Compute),
    [a, b, c]: [MatrixView<'_, T, D>; 3],
    (batch, strides): (usize, [usize; 3]),
    precision: Precision,
) -> Result<Gemm> {
    let ((m, k), (k_b, n)) = (shape_of(op_a, &a), shape_of(op_b, &b));
    if k != k_b {
        let expected = format!("{k} rows, as op_a(a) has columns");
        return Err(Error::invalid("b", expected, format_args!("{k_b} rows in op_b(b)")).in_operation(name));
    }
    if (m, n) != (c.rows(), c.cols()) {
        let got = format_args!("{} × {}", c.rows(), c.cols()).to_string();
        return Err(Error::invalid("c", format_args!("{m} × {n}"), got).in_operation(name));
    }
    Ok(Gemm {
        op_a,
        op_b,
        alpha: ScalarValue::new(alpha),
        a: a.operand(),
        b: b.operand(),
        beta: ScalarValue::new(beta),
        c: c.operand(),
        batch,
        strides,
        precision,
    })
}

fn dot<S: Stream, T: Scalar>(
    stream: &S,
    conj: bool,
    x: &impl AsVector<T, S::Device>,
    y: &impl AsVector<T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let name = if conj { "dotc" } else { "dot" };
    let (x, y, out) = (x.vector(), y.vector(), first(name, out)?);
    same_len(name, "y", x.len(), y.len())?;
    stream.submit(
        Checked::TYPED,
        Operation::Dot { conj, x: x.operand(), y: y.operand(), out: out.span() },
        &[x.reads("x"), y.reads("y"), out.writes("out")],
    )
}
