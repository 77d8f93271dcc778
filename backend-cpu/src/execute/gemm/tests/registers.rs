//! Every set of instructions.

use super::fixture::{Case, Data, LAYOUTS, PLAIN};
use super::for_gemm_types;
use crate::execute::gemm::ending::Update;
use crate::execute::gemm::microkernel::Microkernel;
use crate::execute::gemm::{Matrix, Places, Problem, reproducible};
use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits};
use crate::simd::Level;
use crate::workers::Workers;
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::{Complex32, Complex64, Op, Precision, bf16, f16};

/// The registers that this processor has and does not choose give the same bits as those it does.
fn registers<T: Sample + GemmArithmetic<Compute: Sample + Microkernel>>() {
    let workers = Workers::with_threads(1);
    let mut random = Random(9);
    for (m, n, k) in [(1, 1, 1), (37, 29, 300), (130, 250, 3)] {
        let case =
            Case { m, n, k, pad: 1, layouts: [LAYOUTS[0], LAYOUTS[1], LAYOUTS[1]], ops: [Op::C, Op::N], ..PLAIN };
        let data = Data::<T>::new(&case, &mut random, T::ordinary);
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        let results: Vec<Vec<T>> = Level::supported()
            .into_iter()
            .map(|level| {
                let mut a = Guarded::matrices(&data.a, shapes[0], 0);
                let mut b = Guarded::matrices(&data.b, shapes[1], 0);
                let mut c = Guarded::matrices(&data.c, shapes[2], 0);
                let problem = Problem::<T> {
                    alpha,
                    beta,
                    a: Matrix::new(&a.operand(shapes[0]), case.ops[0]),
                    b: Matrix::new(&b.operand(shapes[1]), case.ops[1]),
                    c: Matrix::new(&c.operand(shapes[2]), Op::N),
                    batch: 1,
                    places: Places::Strided([0; 3]),
                };
                // SAFETY: the operands are alive and as large as they say, and the level is supported.
                unsafe { reproducible::tiled(&workers, problem, Update { alpha, beta }, level) }.unwrap();
                c.values()
            })
            .collect();
        for result in &results {
            data.results(&case, Precision::Reproducible, |c| assert_bits(c, result, format!("{case:?}")));
        }
    }
}

#[test]
fn every_register_gives_the_same_bits() {
    for_gemm_types!(registers());
}
