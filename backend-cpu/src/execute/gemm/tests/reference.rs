//! What results are compared with.

use super::fixture::{Case, Data};
use crate::execute::level1::fixture::{Sample, assert_bits};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::{DType, Element, Precision};

/// The definition, bit for bit.
pub(super) fn definition<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case, data: &Data<T>) {
    let (alpha, beta) = case.scalars::<T>();
    let expected: Vec<T> = (0..data.c.len())
        .map(|e| {
            let (p, i, j) = (e / (case.m * case.n), e % case.m, e / case.m % case.n);
            if case.k == 0 || alpha == T::Compute::of(0.0, 0.0) {
                return blas::scale(beta, data.c[e]);
            }
            let chain = (0..case.k).fold(T::Compute::of(0.0, 0.0), |sum, k| {
                let (a, b) = data.factors(&case, p, i, j, k);
                ScalarArithmetic::mul_add(a, b, sum)
            });
            T::narrow(blas::update(alpha, chain, beta, data.c[e].widen()))
        })
        .collect();
    data.results(&case, Precision::Reproducible, |c| assert_bits(c, &expected, format!("{case:?}")));
}

/// An unevaluated sum of two numbers: about 106 bits (Dekker 1971).
#[derive(Clone, Copy, Default)]
pub(super) struct Double {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let high = a + b;
        let part = high - a;
        Double { high, low: (a - (high - part)) + (b - part) }
    }

    /// `self + a · b`.
    fn add_product(self, a: f64, b: f64) -> Double {
        let high = a * b;
        let sum = Double::sum(self.high, high);
        Double::sum(sum.high, sum.low + self.low + a.mul_add(b, -high))
    }
}

/// `sum + x · y`, for complex numbers.
pub(super) fn complex_product(sum: [Double; 2], x: (f64, f64), y: (f64, f64)) -> [Double; 2] {
    [sum[0].add_product(x.0, y.0).add_product(-x.1, y.1), sum[1].add_product(x.0, y.1).add_product(x.1, y.0)]
}

/// The bound of the contract for each element: (k + 2) · u · (|α||A||B| + |β||C|), for complex numbers times 2√2, and
/// the rounding of the result where it is of a narrower type.
pub(super) fn bounded<T: Sample + GemmArithmetic<Compute: Sample>>(
    case: Case,
    data: &Data<T>,
    precisions: &[Precision],
) {
    let modulus = |(re, im): (f64, f64)| re.hypot(im);
    let complex = T::DTYPE.is_complex();
    let single = T::Compute::DTYPE == DType::F32 || T::Compute::DTYPE == DType::C32;
    let u = if single { 2f64.powi(-24) } else { 2f64.powi(-53) } * if complex { 8f64.sqrt() } else { 1.0 };
    // Of the result: the relative error, and half the smallest denormal.
    let (u_out, underflow) = match T::DTYPE {
        DType::F16 => (2f64.powi(-11), 2f64.powi(-25)),
        DType::Bf16 => (2f64.powi(-8), 2f64.powi(-134)),
        _ => (0.0, 0.0),
    };
    let (alpha, beta) = case.scalars::<T>();
    let (alpha, beta) = (alpha.parts(), beta.parts());
    let exact: Vec<([Double; 2], f64)> = (0..data.c.len())
        .map(|e| {
            let (p, i, j) = (e / (case.m * case.n), e % case.m, e / case.m % case.n);
            let (mut sum, mut size) = ([Double::default(); 2], 0.0);
            if alpha != (0.0, 0.0) {
                for k in 0..case.k {
                    let (a, b) = data.factors(&case, p, i, j, k);
                    sum = complex_product(sum, a.parts(), b.parts());
                    size += modulus(a.parts()) * modulus(b.parts());
                }
            }
            let high = complex_product([Double::default(); 2], alpha, (sum[0].high, sum[1].high));
            let mut exact = complex_product(high, alpha, (sum[0].low, sum[1].low));
            size *= modulus(alpha);
            if beta != (0.0, 0.0) {
                exact = complex_product(exact, beta, data.c[e].parts());
                size += modulus(beta) * modulus(data.c[e].parts());
            }
            let rounding = u_out * modulus((exact[0].high, exact[1].high)) * (1.0 + 1e-3) + underflow;
            (exact, (case.k + 2) as f64 * u * size + rounding)
        })
        .collect();
    for &precision in precisions {
        data.results(&case, precision, |c| {
            for (e, (&got, ([re, im], bound))) in c.iter().zip(&exact).enumerate() {
                let (got_re, got_im) = got.parts();
                let error = ((re.high - got_re) + re.low).hypot((im.high - got_im) + im.low);
                let what = format_args!("{case:?}, {}, {precision}: element {e} is {got}", T::DTYPE);
                assert!(error <= *bound, "{what}, {error:e} > {bound:e}");
            }
        });
    }
}
