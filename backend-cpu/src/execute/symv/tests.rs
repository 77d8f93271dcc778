//! `symv` and `hemv` against the definition, bit for bit: for every precision, since all are computed alike.

use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits, on_each_device};
use crate::execute::level3::tests::{LAYOUTS, TRIANGLES, for_scalars, shape, triangle};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic, triangular};
use warpwave_core::operation::Symv;
use warpwave_core::{Diag, Operation, Precision, ScalarValue};

fn check<T: Sample + ScalarArithmetic + GemmArithmetic<Compute = T>>(make: fn(&mut Random) -> T, sizes: &[usize]) {
    let mut random = Random(1);
    for (&n, uplo) in sizes.iter().flat_map(|n| TRIANGLES.map(|uplo| (n, uplo))) {
        for hermitian in [false, true].into_iter().filter(|&h| !h || T::DTYPE.is_complex()) {
            for (i, (alpha, beta)) in
                [((0.7, -0.3), (1.5, 0.5)), ((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 0.0))].into_iter().enumerate()
            {
                // Times 0 there are no sums, which are what a large matrix is for.
                if n > 8000 && alpha == (0.0, 0.0) {
                    continue;
                }
                let (alpha, beta) = (T::of(alpha.0, alpha.1), T::of(beta.0, beta.1));
                let shape = shape(n, n, LAYOUTS[(i + n) % 2]);
                let (inc_x, inc_y) = [(1, 1), (-1, 2), (3, -2)][(i + n / 2) % 3];
                let mut a = triangle(&mut random, n, uplo, Diag::NonUnit, make);
                let (mut x, mut y) = (random.vector(n, make), random.vector(n, make));
                if alpha == T::default() {
                    a.fill(T::poison());
                    x.fill(T::poison());
                }
                if beta == T::default() {
                    y.fill(T::poison());
                }
                let full = |i: usize, j: usize| match hermitian {
                    true => triangular::hermitian(uplo, i, j, |i, j| a[i + j * n]),
                    false => triangular::symmetric(uplo, i, j, |i, j| a[i + j * n]),
                };
                let expected: Vec<T> =
                    (0..n).map(|i| blas::gemv(n, alpha, |k| full(i, k), |k| x[k], beta, y[i])).collect();
                on_each_device(|run| {
                    let mut a = Guarded::matrices(&a, shape, 0);
                    let (mut x, mut y) = (Guarded::vector(&x, inc_x), Guarded::vector(&y, inc_y));
                    run(Operation::Symv(Symv {
                        hermitian,
                        uplo,
                        alpha: ScalarValue::new(alpha),
                        a: a.operand(shape),
                        x: x.strided(inc_x),
                        beta: ScalarValue::new(beta),
                        y: y.strided(inc_y),
                        precision: Precision::Strict,
                    }));
                    let what = format!("{uplo} {shape:?} hermitian {hermitian} {alpha} {beta} {inc_x} {inc_y}");
                    assert_bits(&y.values(), &expected, what);
                });
            }
        }
    }
}

#[test]
fn symv_is_gemv_of_the_whole_matrix() {
    for_scalars!(check(Sample::ordinary, &[0, 1, 2, 3, 7, 31, 32, 33, 65, 130, 1030]));
    for_scalars!(check(Sample::any, &[5, 40]));
    // More than a chunk of the tree.
    check::<f32>(Sample::ordinary, &[8200]);
}
