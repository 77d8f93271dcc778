//! `alpha` and `beta`, and what is not read because of them.

use super::fixture::{Case, Data, LAYOUTS, PLAIN};
use super::reference::{bounded, definition};
use super::{check, for_gemm_types};
use crate::execute::gemm::gemm;
use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, assert_bits};
use crate::workers::Workers;
use warpwave_core::numerics::blas::{self, GemmArithmetic};
use warpwave_core::operation::Gemm;
use warpwave_core::{Complex32, Complex64, GemmElement, Layout, Op, Precision, ScalarValue, bf16, f16};

#[test]
fn alpha_and_beta() {
    let mut random = Random(4);
    let scalars = [(0.0, 0.0), (-0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.7, -0.3)];
    for (m, n, k) in [(3, 4, 5), (40, 33, 20), (40, 33, 0)] {
        for alpha in scalars {
            for beta in scalars {
                let layouts = [Layout::ColumnMajor, Layout::ColumnMajor, LAYOUTS[random.below(2)]];
                let case = Case { m, n, k, alpha, beta, layouts, pad: 1, ..PLAIN };
                for_gemm_types!(check(case, &mut random));
            }
        }
    }
}

/// NaN in what must not be read does not reach the result; the guards of every test above show that padding is not
/// written.
fn poisoned<T: Sample + GemmArithmetic<Compute: Sample>>(m: usize, n: usize, k: usize) {
    let mut random = Random(6);
    for layout in LAYOUTS {
        let case = Case { m, n, k, layouts: [LAYOUTS[0], LAYOUTS[0], layout], beta: (0.0, 0.0), pad: 3, ..PLAIN };
        let mut data = Data::<T>::new(&case, &mut random, T::ordinary);
        data.c.fill(T::poison());
        definition(case, &data);
        bounded(case, &data, &[Precision::Strict]);
        for (alpha, beta) in [((0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 0.0)), ((-0.0, 0.0), (0.5, 0.25))] {
            let case = Case { alpha, beta, ..case };
            let mut data = Data::<T>::new(&case, &mut random, T::any);
            data.a.fill(T::poison());
            data.b.fill(T::poison());
            // All are bit for bit: with `alpha` = 0 the precision makes no difference.
            definition(case, &data);
            let expected: Vec<T> = data.c.iter().map(|&c| blas::scale(case.scalars::<T>().1, c)).collect();
            data.results(&case, Precision::Strict, |c| assert_bits(c, &expected, format!("{case:?}")));
        }
    }
}

#[test]
fn what_must_not_be_read_is_not() {
    for (m, n, k) in [(1, 1, 1), (9, 1, 5), (1, 9, 5), (6, 5, 2), (15, 16, 17), (70, 80, 90), (130, 40, 600)] {
        for_gemm_types!(poisoned(m, n, k));
    }
}

#[test]
fn scalars_of_another_type_are_refused() {
    let workers = Workers::with_threads(1);
    let shape = Shape { rows: 1, cols: 1, layout: Layout::ColumnMajor, pad: 0 };
    let mut c = Guarded::matrices(&[1.0f64], shape, 0);
    let operand = c.operand(shape);
    let wrong = Gemm {
        op_a: Op::N,
        op_b: Op::N,
        alpha: ScalarValue::new(1.0f32),
        a: operand,
        b: operand,
        beta: ScalarValue::new(<f64 as GemmElement>::Compute::default()),
        c: operand,
        batch: 1,
        strides: [0; 3],
        precision: Precision::Strict,
    };
    // SAFETY: the call must end before it touches the operands, and they are alive.
    assert!(unsafe { gemm(&workers, &wrong) }.is_none());
    assert_bits(&c.values(), &[1.0], "refused");
}
