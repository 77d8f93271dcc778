//! The registers that this processor has and does not choose.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::{Multiply, Routine, Solve, Steps, System, share};
use crate::execute::gemm::{Matrix, with_registers};
use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits};
use crate::execute::level3::tests::{LAYOUTS, TRIANGLES, for_scalars, shape, triangle};
use crate::simd::Level;
use crate::workers::Workers;
use warpwave_core::{Diag, Op};

/// They give the bits of those that it chooses, which are compared with the definitions.
fn registers<T: Sample + Steps, K: Routine>() {
    let workers = Workers::with_threads(1);
    let mut random = Random(9);
    for (n, count, uplo) in [(1, 1, TRIANGLES[0]), (29, 37, TRIANGLES[0]), (40, 18, TRIANGLES[1])] {
        let shapes = [shape(n, n, LAYOUTS[0]), shape(count, n, LAYOUTS[1])];
        let matrix = triangle(&mut random, n, uplo, Diag::NonUnit, T::ordinary);
        let vectors = random.vector(count * n, T::any);
        let results: Vec<Vec<T>> = Level::supported()
            .into_iter()
            .map(|level| {
                let mut matrix = Guarded::matrices(&matrix, shapes[0], 0);
                let mut vectors = Guarded::matrices(&vectors, shapes[1], 0);
                let system = System {
                    alpha: T::of(0.7, -0.3),
                    matrix: Matrix::new(&matrix.operand(shapes[0]), Op::N),
                    uplo,
                    diag: Diag::NonUnit,
                    vectors: Matrix::new(&vectors.operand(shapes[1]), Op::N),
                };
                // SAFETY: the operands are alive and as large as they say, and the level is supported.
                unsafe { with_registers!(level, T, share::<T, K>(&workers, system, 1, [0; 2])) }.unwrap();
                vectors.values()
            })
            .collect();
        for result in &results {
            assert_bits(result, &results[results.len() - 1], format!("order {n}, {count} vectors"));
        }
    }
}

fn solve<T: Sample + Steps>() {
    registers::<T, Solve>();
}

fn multiply<T: Sample + Steps>() {
    registers::<T, Multiply<true>>();
    registers::<T, Multiply<false>>();
}

#[test]
fn every_register_gives_the_same_bits() {
    for_scalars!(solve());
    for_scalars!(multiply());
}
