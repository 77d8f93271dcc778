//! Values that tell one way of adding up from another.

use super::fixture::{Case, Data, PLAIN};
use super::for_gemm_types;
use super::reference::{Double, complex_product, definition};
use crate::execute::level1::fixture::{Random, Sample, assert_bits};
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::{Complex32, Complex64, Op, Precision, bf16, f16};

/// Small integers: every precision gives the exact result, so equal bits.
fn integers<T: Sample + GemmArithmetic<Compute: Sample>>(m: usize, n: usize, k: usize) {
    let mut random = Random(7);
    let case = Case { m, n, k, ops: [Op::C, Op::T], alpha: (2.0, -1.0), beta: (-1.0, 1.0), ..PLAIN };
    let make = |random: &mut Random| T::of(random.below(3) as f64 - 1.0, random.below(3) as f64 - 1.0);
    let data = Data::<T>::new(&case, &mut random, make);
    let (alpha, beta) = case.scalars::<T>();
    let expected: Vec<T> = (0..m * n)
        .map(|e| {
            let mut sum = [Double::default(); 2];
            for l in 0..k {
                let (a, b) = data.factors(&case, 0, e % m, e / m, l);
                sum = complex_product(sum, a.parts(), b.parts());
            }
            let scaled = complex_product([Double::default(); 2], alpha.parts(), (sum[0].high, sum[1].high));
            let [re, im] = complex_product(scaled, beta.parts(), data.c[e].parts());
            T::of(re.high, im.high)
        })
        .collect();
    for precision in [Precision::Strict, Precision::Fast, Precision::Reproducible] {
        data.results(&case, precision, |c| {
            // A sum of integers that is zero may come with either sign.
            let (got, expected): (Vec<_>, Vec<_>) = (parts(c), parts(&expected));
            assert_eq!(got, expected, "{case:?}, {precision}");
        });
    }
}

fn parts<T: Sample>(values: &[T]) -> Vec<(f64, f64)> {
    values.iter().map(|value| value.parts()).collect()
}

#[test]
fn integers_are_exact() {
    for (m, n, k) in [(1, 1, 100), (33, 17, 100), (64, 130, 100)] {
        for_gemm_types!(integers(m, n, k));
    }
}

/// Chains that a wider or a narrower accumulation would get wrong: 2048 + 1 + 1 … is lost in `f16` from the first
/// step on.
#[test]
fn halves_accumulate_in_single_precision() {
    let case = Case { m: 1, n: 1, k: 3000, alpha: (1.0, 0.0), beta: (0.0, 0.0), ..PLAIN };
    let mut a = vec![f16::ONE; 3000];
    a[0] = f16::from_f32(2048.0);
    let data = Data { a, b: vec![f16::ONE; 3000], c: vec![f16::NAN] };
    let expected = [f16::from_f32(5048.0)];
    for precision in [Precision::Strict, Precision::Fast, Precision::Reproducible] {
        data.results(&case, precision, |c| assert_bits(c, &expected, precision));
    }
}

#[test]
fn a_nan_in_a_reproducible_result_is_the_canonical_one() {
    let case = Case { m: 20, n: 20, k: 20, ..PLAIN };
    fn nan<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case) {
        definition(case, &Data::<T>::new(&case, &mut Random(8), T::any));
    }
    for_gemm_types!(nan(case));
}
