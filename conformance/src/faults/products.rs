//! Faults in the results of `gemv` and `gemm`.

use super::elements::{Elements, outputs};
use super::rework::{Rework, typed};
use crate::reference::Sample;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic};
use warpwave_core::operation::Gemm;
use warpwave_core::{DType, Operation, Precision, ScalarValue, bf16, f16, match_dtype};

fn is_zero(value: ScalarValue) -> bool {
    match_dtype!(value.dtype(), any T => value.get::<T>() == Some(T::default()), _ => false)
}

fn which_are_nan(c: &Elements) -> Vec<bool> {
    match_dtype!(c.dtype, any T => c.read::<T>().into_iter().map(Sample::has_nan).collect(), _ => Vec::new())
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn beta_zero_reads_c(operation: &Operation) -> Rework {
    let beta = match operation {
        Operation::Gemv(gemv) => gemv.beta,
        Operation::Gemm(gemm) => gemm.beta,
        _ => return Rework::default(),
    };
    if !is_zero(beta) {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let written = unsafe { outputs(operation) };
    let read = written.clone();
    let nans = move || -> Vec<Vec<bool>> { read.iter().map(which_are_nan).collect() };
    Rework::around(nans, move |nans| {
        for (c, nans) in written.iter().zip(nans) {
            for ((row, col), _) in c.places().zip(nans).filter(|&(_, nan)| nan) {
                typed!(c.dtype, any T => c.set(row, col, T::poison()));
            }
        }
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn alpha_zero_reads_a(operation: &Operation) -> Rework {
    let (alpha, a) = match operation {
        Operation::Gemv(gemv) => (gemv.alpha, gemv.a),
        Operation::Gemm(gemm) => (gemm.alpha, gemm.a),
        _ => return Rework::default(),
    };
    if !is_zero(alpha) || a.is_empty() {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (a, written) = unsafe { (Elements::matrix(a), outputs(operation)) };
    Rework::after(move || {
        typed!(a.dtype, any T => {
            if a.read::<T>().into_iter().any(Sample::has_nan) {
                written.iter().for_each(|c| c.map(|_| T::poison()));
            }
        });
    })
}

/// A product of real matrices, element by element.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn product<T: Sample + GemmArithmetic>(
    gemm: &Gemm,
    element: impl Fn(&[T], &[T], T::Compute, T::Compute, T) -> T + Send + 'static,
) -> Rework {
    let (Some(alpha), Some(beta)) = (gemm.alpha.get::<T::Compute>(), gemm.beta.get::<T::Compute>()) else {
        return Rework::default();
    };
    // Without a product there is nothing that could be wrong with it.
    if alpha == T::Compute::ZERO || gemm.k() == 0 || gemm.a.dtype != T::DTYPE {
        return Rework::default();
    }
    let Gemm { batch, strides, op_a, op_b, .. } = *gemm;
    // SAFETY: the caller's.
    let (a, b, c) = unsafe { (Elements::matrix(gemm.a), Elements::matrix(gemm.b), Elements::matrix(gemm.c)) };
    Rework::instead(move || {
        for i in 0..batch {
            let (a, b) = (a.moved(i * strides[0]).entering(op_a), b.moved(i * strides[1]).entering(op_b));
            let c = c.moved(i * strides[2]);
            for (row, col) in c.places() {
                let of_a: Vec<T> = (0..a.cols).map(|k| a.get(row, k)).collect();
                let of_b: Vec<T> = (0..a.cols).map(|k| b.get(k, col)).collect();
                c.set(row, col, element(&of_a, &of_b, alpha, beta, c.get(row, col)));
            }
        }
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn narrow_accumulation(operation: &Operation) -> Rework {
    fn element<T: GemmArithmetic>(a: &[T], b: &[T], alpha: T::Compute, beta: T::Compute, c: T) -> T {
        let sum = a.iter().zip(b).fold(T::ZERO, |sum, (&a, &b)| T::add(sum, T::mul(a, b)));
        T::narrow(blas::update(alpha, sum.widen(), beta, c.widen()))
    }
    let Operation::Gemm(gemm) = operation else { return Rework::default() };
    // SAFETY: the caller's.
    unsafe {
        match gemm.a.dtype {
            DType::F16 => product::<f16>(gemm, element),
            DType::Bf16 => product::<bf16>(gemm, element),
            _ => Rework::default(),
        }
    }
}

/// Rounds to the 11 significant bits of TF32, to nearest even.
fn tf32(x: f32) -> f32 {
    // Past the last finite number the carry makes the infinity.
    let rounded = |bits: u32| (bits + 0x0fff + (bits >> 13 & 1)) & !0x1fff;
    if x.is_finite() { f32::from_bits(rounded(x.to_bits())) } else { x }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn reduced_strict(operation: &Operation) -> Rework {
    let Operation::Gemm(gemm) = operation else { return Rework::default() };
    if gemm.precision != Precision::Strict {
        return Rework::default();
    }
    let element = |a: &[f32], b: &[f32], alpha: f32, beta: f32, c: f32| {
        blas::gemm(a.len(), alpha, |k| tf32(a[k]), |k| tf32(b[k]), beta, c)
    };
    // SAFETY: the caller's.
    unsafe { product::<f32>(gemm, element) }
}
