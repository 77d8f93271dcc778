//! One call of each operation, on memory that all of them share.

use crate::case::Case;
use crate::failure::Verdict;
use crate::seed::Words;
use std::fmt::Display;
use warpwave_core::{
    Blas, BlasTriangle, Buffer, Complex32, DType, Device, Diag, Element, Indexing, Layout, Op, OperationKind, Ops,
    Philox, Precision, Random, Reduce, Result, Rotm, Scan, Side, Sort, Stream, Uplo, Vector, VectorMut, View,
};

/// Elements of each buffer: an 8 × 8 matrix.
const LEN: usize = 64;
const N: usize = 8;

/// Buffers of every kind of type that the operations need.
pub(super) struct Memory<D: Device> {
    pub(super) x: D::Buffer<f32>,
    pub(super) y: D::Buffer<f32>,
    pub(super) z: D::Buffer<f32>,
    double: D::Buffer<f64>,
    i: D::Buffer<i32>,
    j: D::Buffer<i32>,
    /// Below [`LEN`].
    index: D::Buffer<u32>,
    pub(super) mask: D::Buffer<u8>,
    count: D::Buffer<u64>,
    c: D::Buffer<Complex32>,
    e: D::Buffer<Complex32>,
    g: D::Buffer<Complex32>,
}

impl<D: Device> Memory<D> {
    /// Small integers, which depend on the seed alone.
    pub(super) fn new(stream: &D::Stream, seed: u64) -> Verdict<Self> {
        let mut words = Words::new(seed);
        let mut small = |below: u64| words.word() % below;
        fn all<T>(mut element: impl FnMut() -> T) -> Vec<T> {
            (0..LEN).map(|_| element()).collect()
        }
        let mut signed = || small(17) as i32 - 8;
        let mut float = || signed() as f32;
        let [x, y, z] = [(); 3].map(|()| all(&mut float));
        let mut complex = || Complex32::new(float(), float());
        let [c, e, g] = [(); 3].map(|()| all(&mut complex));
        let double = all(|| f64::from(float()));
        let [i, j] = [(); 2].map(|()| all(&mut signed));
        let index = all(|| small(LEN as u64) as u32);
        let mask = all(|| small(2) as u8);
        let count = all(|| small(100));
        Ok(Memory {
            x: stream.from_slice(&x)?,
            y: stream.from_slice(&y)?,
            z: stream.from_slice(&z)?,
            double: stream.from_slice(&double)?,
            i: stream.from_slice(&i)?,
            j: stream.from_slice(&j)?,
            index: stream.from_slice(&index)?,
            mask: stream.from_slice(&mask)?,
            count: stream.from_slice(&count)?,
            c: stream.from_slice(&c)?,
            e: stream.from_slice(&e)?,
            g: stream.from_slice(&g)?,
        })
    }

    /// Compares every byte with that of `want`.
    pub(super) fn same(&self, case: &mut Case<'_, D>, want: &Memory<D>, what: impl Display) -> Verdict {
        fn of<T: Element, D: Device>(
            case: &mut Case<'_, D>,
            what: &dyn Display,
            name: &str,
            [got, want]: [&D::Buffer<T>; 2],
        ) -> Verdict {
            let (got, want) = (case.read(got)?, case.read(want)?);
            case.bits(format_args!("{what}: {name}"), &got, &want)
        }
        let what = &what;
        of(case, what, "x", [&self.x, &want.x])?;
        of(case, what, "y", [&self.y, &want.y])?;
        of(case, what, "z", [&self.z, &want.z])?;
        of(case, what, "double", [&self.double, &want.double])?;
        of(case, what, "i", [&self.i, &want.i])?;
        of(case, what, "j", [&self.j, &want.j])?;
        of(case, what, "index", [&self.index, &want.index])?;
        of(case, what, "mask", [&self.mask, &want.mask])?;
        of(case, what, "count", [&self.count, &want.count])?;
        of(case, what, "c", [&self.c, &want.c])?;
        of(case, what, "e", [&self.e, &want.e])?;
        of(case, what, "g", [&self.g, &want.g])
    }
}

/// A call of an operation.
pub(super) struct Entry<D: Device> {
    pub(super) kind: OperationKind,
    pub(super) dtype: DType,
    pub(super) call: fn(&D::Stream, &mut Memory<D>) -> Result<()>,
}

impl<D: Device> Entry<D> {
    /// Whether the device has the operation.
    pub(super) fn is_offered(&self, device: &D) -> bool {
        device.supports(self.kind, self.dtype)
    }
}

/// What `gemv` and level 3 are called with: class R, so that the bits do not depend on where operands lie.
fn exact<S: Stream>(stream: &S) -> S {
    stream.with_precision(Precision::Reproducible)
}

/// The call of an operation; `None` of one that this table does not know.
pub(super) fn entry<D: Device>(kind: OperationKind) -> Option<Entry<D>> {
    use DType::{C32, F32, I32, U8, U32};
    macro_rules! table {
        ($($kind:ident $dtype:ident |$s:ident, $m:ident| $call:expr;)*) => {
            match kind {
                $( OperationKind::$kind => Some(Entry {
                    kind,
                    dtype: $dtype,
                    call: |$s: &D::Stream, $m: &mut Memory<D>| $call,
                }), )*
                _ => None,
            }
        };
    }
    table! {
        Fill F32 |s, m| s.fill(&mut m.x, 3.0);
        Iota F32 |s, m| s.iota(1.0, 2.0, &mut m.x);
        Cast F32 |s, m| s.cast(&m.x, &mut m.double);
        Neg F32 |s, m| s.neg_assign(&mut m.x);
        Abs F32 |s, m| s.abs(&m.x, &mut m.y);
        Sqrt F32 |s, m| s.sqrt_assign(&mut m.x);
        Conj C32 |s, m| s.conj(&m.c, &mut m.e);
        Not I32 |s, m| s.not_assign(&mut m.i);
        Exp F32 |s, m| s.exp(&m.x, &mut m.z);
        Exp2 F32 |s, m| s.exp2(&m.x, &mut m.z);
        Expm1 F32 |s, m| s.expm1_assign(&mut m.x);
        Log F32 |s, m| s.log(&m.x, &mut m.z);
        Log2 F32 |s, m| s.log2(&m.x, &mut m.z);
        Log1p F32 |s, m| s.log1p_assign(&mut m.x);
        Sin F32 |s, m| s.sin(&m.x, &mut m.z);
        Cos F32 |s, m| s.cos(&m.x, &mut m.z);
        Sinpi F32 |s, m| s.sinpi_assign(&mut m.x);
        Cospi F32 |s, m| s.cospi(&m.x, &mut m.z);
        Tanh F32 |s, m| s.tanh(&m.x, &mut m.z);
        Sigmoid F32 |s, m| s.sigmoid_assign(&mut m.x);
        Erf F32 |s, m| s.erf(&m.x, &mut m.z);
        Rsqrt F32 |s, m| s.rsqrt(&m.x, &mut m.z);
        Cbrt F32 |s, m| s.cbrt_assign(&mut m.x);
        Add F32 |s, m| s.add(&m.x, &m.y, &mut m.z);
        Sub F32 |s, m| s.sub(&1.0, &m.x, &mut m.z);
        Mul F32 |s, m| s.mul_assign(&mut m.x, &2.0);
        Div F32 |s, m| s.div(&m.x, &m.y, &mut m.z);
        Rem I32 |s, m| s.rem_assign(&mut m.i, &m.j);
        Minimum F32 |s, m| s.minimum(&m.x, &m.y, &mut m.z);
        Maximum F32 |s, m| s.maximum(&m.x, &m.y, &mut m.z);
        MinimumNumber F32 |s, m| s.minimum_number(&m.x, &m.y, &mut m.z);
        MaximumNumber F32 |s, m| s.maximum_number(&m.x, &m.y, &mut m.z);
        And I32 |s, m| s.and_assign(&mut m.i, &m.j);
        Or I32 |s, m| s.or_assign(&mut m.i, &m.j);
        Xor I32 |s, m| s.xor_assign(&mut m.i, &m.j);
        Shl I32 |s, m| s.shl_assign(&mut m.i, &1);
        Shr I32 |s, m| s.shr_assign(&mut m.i, &1);
        Pow F32 |s, m| s.pow(&m.x, &2.0, &mut m.z);
        Eq F32 |s, m| s.eq(&m.x, &m.y, &mut m.mask);
        Ne F32 |s, m| s.ne(&m.x, &m.y, &mut m.mask);
        Lt F32 |s, m| s.lt(&m.x, &m.y, &mut m.mask);
        Le F32 |s, m| s.le(&m.x, &m.y, &mut m.mask);
        Gt F32 |s, m| s.gt(&m.x, &0.0, &mut m.mask);
        Ge F32 |s, m| s.ge(&m.x, &m.y, &mut m.mask);
        Select F32 |s, m| s.select(&m.mask, &m.x, &m.y, &mut m.z);
        Sum F32 |s, m| s.sum_into(&m.x, &mut m.z);
        Prod F32 |s, m| s.prod_into(&m.x, &mut m.z);
        Min F32 |s, m| s.min_into(&m.x, &mut m.z);
        Max F32 |s, m| s.max_into(&m.x, &mut m.z);
        Count U8 |s, m| s.count_into(&m.mask, &mut m.count);
        SumRows F32 |s, m| s.sum_rows(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        ProdRows F32 |s, m| s.prod_rows(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        MinRows F32 |s, m| s.min_rows(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        MaxRows F32 |s, m| s.max_rows(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        SumCols F32 |s, m| s.sum_cols(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        ProdCols F32 |s, m| s.prod_cols(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        MinCols F32 |s, m| s.min_cols(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        MaxCols F32 |s, m| s.max_cols(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        Mean F32 |s, m| s.mean_into(&m.x, &mut m.z);
        MeanRows F32 |s, m| s.mean_rows(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        MeanCols F32 |s, m| s.mean_cols(&m.x.matrix(N, N)?, &mut m.z.slice_mut(..N)?);
        Argmin F32 |s, m| s.argmin_into(&m.x, &mut m.count);
        Argmax F32 |s, m| s.argmax_into(&m.x, &mut m.count);
        ArgminRows F32 |s, m| s.argmin_rows(&m.x.matrix(N, N)?, &mut m.count.slice_mut(..N)?);
        ArgmaxRows F32 |s, m| s.argmax_rows(&m.x.matrix(N, N)?, &mut m.count.slice_mut(..N)?);
        ArgminCols F32 |s, m| s.argmin_cols(&m.x.matrix(N, N)?, &mut m.count.slice_mut(..N)?);
        ArgmaxCols F32 |s, m| s.argmax_cols(&m.x.matrix(N, N)?, &mut m.count.slice_mut(..N)?);
        InclusiveSum F32 |s, m| s.inclusive_sum(&m.x, &mut m.z);
        InclusiveProd F32 |s, m| s.inclusive_prod(&m.x, &mut m.z);
        InclusiveMin F32 |s, m| s.inclusive_min(&m.x, &mut m.z);
        InclusiveMax F32 |s, m| s.inclusive_max(&m.x, &mut m.z);
        ExclusiveSum F32 |s, m| s.exclusive_sum(&m.x, &mut m.z);
        ExclusiveProd F32 |s, m| s.exclusive_prod(&m.x, &mut m.z);
        ExclusiveMin F32 |s, m| s.exclusive_min(&m.x, &mut m.z);
        ExclusiveMax F32 |s, m| s.exclusive_max(&m.x, &mut m.z);
        Sort F32 |s, m| s.sort(&mut m.x);
        SortPairs I32 |s, m| s.sort_pairs(&mut m.i, &mut m.j);
        Gather F32 |s, m| s.gather(&m.x, &m.index, &mut m.z);
        Scatter F32 |s, m| s.scatter(&m.x, &m.index, &mut m.z);
        Compact F32 |s, m| s.compact_into(&m.x, &m.mask, &mut m.z, &mut m.count);
        Histogram U32 |s, m| s.histogram(&m.index, &mut m.count);
        Permute F32 |s, m| s.permute(&m.x, &[2, 4, N], &[2, 0, 1], &mut m.z);
        Random F32 |s, m| s.random(&mut Philox::new(3), &mut m.x);
        Transpose F32 |s, m| s.transpose(&m.x.matrix(N, N)?, &mut m.z.matrix_mut(N, N)?);
        Copy F32 |s, m| s.copy(&Vector::new(&m.x, LEN / 2, 2)?, &mut VectorMut::new(&mut m.y, LEN / 2, -2)?);
        Swap F32 |s, m| s.swap(&mut m.x, &mut m.y);
        Scal F32 |s, m| s.scal(2.0, &mut m.x);
        Axpy F32 |s, m| s.axpy(2.0, &m.x, &mut m.y);
        Dot F32 |s, m| s.dot_into(&m.x, &m.y, &mut m.z);
        Dotc C32 |s, m| s.dotc_into(&m.c, &m.e, &mut m.g);
        Nrm2 F32 |s, m| s.nrm2_into(&m.x, &mut m.z);
        Asum F32 |s, m| s.asum_into(&m.x, &mut m.z);
        Iamax F32 |s, m| s.iamax_into(&m.x, &mut m.count);
        Iamin F32 |s, m| s.iamin_into(&m.x, &mut m.count);
        Rot F32 |s, m| s.rot(&mut m.x, &mut m.y, 0.6, 0.8);
        Rotm F32 |s, m| s.rotm(&mut m.x, &mut m.y, Rotm::UnitDiagonal { h21: -0.5, h12: 0.5 });
        Gemv F32 |s, m| exact(s).gemv(Op::T, 2.0, &m.x.matrix(N, N)?, &head(&m.y)?, 1.0, &mut m.z.slice_mut(..N)?);
        Symv F32 |s, m| {
            exact(s).symv(Uplo::Lower, 2.0, &m.x.matrix(N, N)?, &head(&m.y)?, 1.0, &mut m.z.slice_mut(..N)?)
        };
        Hemv C32 |s, m| {
            let (alpha, beta) = (Complex32::new(0.0, 1.0), Complex32::new(2.0, 0.0));
            let mut y = m.g.slice_mut(..N)?;
            exact(s).hemv(Uplo::Upper, alpha, &m.c.matrix(N, N)?, &m.e.slice(..N)?, beta, &mut y)
        };
        Trmv F32 |s, m| {
            exact(s).trmv(Uplo::Lower, Op::N, Diag::NonUnit, &m.x.matrix(N, N)?, &mut m.y.slice_mut(..N)?)
        };
        Trsv F32 |s, m| {
            exact(s).trsv(Uplo::Lower, Op::N, Diag::Unit, &m.x.matrix(N, N)?, &mut m.y.slice_mut(..N)?)
        };
        Ger F32 |s, m| s.ger(2.0, &head(&m.x)?, &head(&m.y)?, &mut m.z.matrix_mut(N, N)?);
        Gerc C32 |s, m| {
            let mut a = m.g.matrix_mut(N, N)?;
            s.gerc(Complex32::new(2.0, 1.0), &m.c.slice(..N)?, &m.e.slice(..N)?, &mut a)
        };
        Syr F32 |s, m| s.syr(Uplo::Upper, 2.0, &head(&m.x)?, &mut m.z.matrix_mut(N, N)?);
        Her C32 |s, m| s.her(Uplo::Upper, 2.0, &m.c.slice(..N)?, &mut m.g.matrix_mut(N, N)?);
        Gemm F32 |s, m| {
            let batch = |x| -> Result<_> { View::batch(x, 4, 4, 4, Layout::ColumnMajor, 16, 2) };
            let (a, b) = (batch(m.x.slice(..)?)?, batch(m.y.slice(..)?)?);
            let mut c = m.z.slice_mut(..)?.batch_mut(4, 4, 4, Layout::ColumnMajor, 16, 2)?;
            exact(s).gemm_strided_batched(Op::N, Op::T, 2.0, &a, &b, 1.0, &mut c)?;
            let mut c = m.z.slice_mut(32..)?.matrix_mut_with(4, 4, 6, Layout::RowMajor)?;
            exact(s).gemm(Op::N, Op::N, 1.0, &m.x.matrix(4, 3)?, &m.y.matrix(3, 4)?, 0.0, &mut c)
        };
        GemmBatched F32 |s, m| {
            let (a, b) = ([m.x.matrix(4, 4)?; 2], [m.y.matrix(4, 4)?, m.y.slice(32..)?.matrix(4, 4)?]);
            let (low, high) = m.z.split_at_mut(32)?;
            let mut c = [high.matrix_mut(4, 4)?, low.matrix_mut(4, 4)?];
            exact(s).gemm_batched(Op::N, Op::N, 2.0, &a, &b, 1.0, &mut c)
        };
        Symm F32 |s, m| {
            let (a, b) = (m.x.matrix(N, N)?, m.y.matrix(N, N)?);
            exact(s).symm(Side::Left, Uplo::Lower, 2.0, &a, &b, 1.0, &mut m.z.matrix_mut(N, N)?)
        };
        Hemm C32 |s, m| {
            let (a, b, one) = (m.c.matrix(N, N)?, m.e.matrix(N, N)?, Complex32::new(1.0, 0.0));
            exact(s).hemm(Side::Right, Uplo::Upper, one, &a, &b, one, &mut m.g.matrix_mut(N, N)?)
        };
        Syrk F32 |s, m| {
            exact(s).syrk(Uplo::Lower, Op::N, 2.0, &m.x.matrix(N, N)?, 1.0, &mut m.z.matrix_mut(N, N)?)
        };
        Herk C32 |s, m| {
            exact(s).herk(Uplo::Lower, Op::C, 2.0, &m.c.matrix(N, N)?, 1.0, &mut m.g.matrix_mut(N, N)?)
        };
        Trmm F32 |s, m| {
            let a = m.x.matrix(N, N)?;
            let mut b = m.z.matrix_mut(N, N)?;
            exact(s).trmm(Side::Left, Uplo::Lower, Op::N, Diag::NonUnit, 1.0, &a, &mut b)
        };
        Trsm F32 |s, m| {
            let a = m.x.matrix(N, N)?;
            let mut b = m.z.matrix_mut(N, N)?;
            exact(s).trsm(Side::Right, Uplo::Upper, Op::T, Diag::Unit, 1.0, &a, &mut b)
        };
    }
}

/// The first elements of a buffer, as many as a matrix has rows.
fn head<T: Element, B: Buffer<T>>(x: &B) -> Result<View<'_, T, B::Device>> {
    x.slice(..N)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwave_cpu::CpuDevice;

    /// An operation that is added is noticed here, and then in every check of this group.
    #[test]
    fn every_operation_has_a_call() {
        for &kind in OperationKind::ALL {
            assert!(entry::<CpuDevice>(kind).is_some(), "{kind}");
        }
    }
}
