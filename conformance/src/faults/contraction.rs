//! The fault of fusing a product with the difference that follows it.

use super::elements::{Elements, Input};
use super::rework::Rework;
use crate::reference::Sample;
use std::sync::{Arc, Mutex, PoisonError};
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::operation::Span;
use warpwave_core::{DType, Element, HostFn, match_dtype};

/// The operands of a product, taken when it was executed.
pub(super) type Factors = Arc<Mutex<Option<(Vec<f64>, Vec<f64>)>>>;

/// Takes the factors of a product, for a difference that may follow.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn keep_factors(a: Input, b: Input, out: Span, kept: Factors) -> HostFn {
    Box::new(move || {
        let of = |x: &Input| -> Vec<f64> {
            let all = 0..out.len;
            match_dtype!(out.dtype, float T => all.map(|i| x.get::<T>(i).values()[0]).collect(), _ => Vec::new())
        };
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some((of(&a), of(&b)));
    })
}

/// `out = fma(factors) − b`, for the difference `product − b`.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn fused_difference(factors: Factors, b: Input, out: Elements) -> Rework {
    fn run<T: Sample + ScalarArithmetic>((x, y): &(Vec<f64>, Vec<f64>), b: Input, out: Elements) {
        for i in 0..out.rows {
            // The factors were elements: the conversion back is exact.
            let of = |x: f64| T::from_values([x, 0.0]);
            out.set(i, 0, T::mul_add(of(x[i]), of(y[i]), Numeric::sub(T::ZERO, b.get(i))).canonical());
        }
    }
    Rework::instead(move || {
        let factors = factors.lock().unwrap_or_else(PoisonError::into_inner);
        match (factors.as_ref(), out.dtype) {
            (Some(factors), DType::F32) => run::<f32>(factors, b, out),
            (Some(factors), DType::F64) => run::<f64>(factors, b, out),
            _ => {}
        }
    })
}

/// Whether an operation is a product of floats whose factors are worth keeping.
pub(super) fn fusable(dtype: DType) -> bool {
    matches!(dtype, f32::DTYPE | f64::DTYPE)
}
