//! `trmv` against the definition, bit for bit: for every precision, since all are computed alike.

use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits, on_each_device};
use crate::execute::level3::tests::{DIAGONALS, LAYOUTS, OPS, TRIANGLES, for_scalars, shape, triangle};
use warpwave_core::numerics::blas::{self, ScalarArithmetic, triangular};
use warpwave_core::operation::TriangularMatrix;
use warpwave_core::{Diag, Op, Operation, Precision, Uplo};

fn check<T: Sample + ScalarArithmetic>(make: fn(&mut Random) -> T, sizes: &[usize]) {
    let mut random = Random(1);
    let mut count = 0;
    for (&n, uplo) in sizes.iter().flat_map(|n| TRIANGLES.map(|uplo| (n, uplo))) {
        for (op, diag) in OPS.into_iter().flat_map(|op| DIAGONALS.map(|diag| (op, diag))) {
            for layout in LAYOUTS {
                count += 1;
                let shape = shape(n, n, layout);
                let inc = [1, -1, 2, -3][count % 4];
                let a = triangle(&mut random, n, uplo, diag, make);
                let x = random.vector(n, make);
                let expected = define(uplo, op, diag, &a, &x);
                on_each_device(|run| {
                    let (mut a, mut x) = (Guarded::matrices(&a, shape, 0), Guarded::vector(&x, inc));
                    let a = TriangularMatrix { uplo, op, diag, matrix: a.operand(shape) };
                    run(Operation::Trmv { a, x: x.strided(inc), precision: Precision::Strict });
                    assert_bits(&x.values(), &expected, format!("{uplo} {op} {diag} {shape:?}, increment {inc}"));
                });
            }
        }
    }
}

fn define<T: ScalarArithmetic>(uplo: Uplo, op: Op, diag: Diag, a: &[T], x: &[T]) -> Vec<T> {
    let n = x.len();
    let one = |i: usize| {
        let inside: Vec<usize> =
            (0..n).filter(|&j| triangular::stored(triangular::transposed(uplo, op), i, j)).collect();
        let element = |k: usize| triangular::triangular(diag, op, i, inside[k], |i, j| a[i + j * n]);
        blas::dot(inside.len(), element, |k| x[inside[k]])
    };
    (0..n).map(one).collect()
}

#[test]
fn trmv_is_the_definition() {
    for_scalars!(check(Sample::ordinary, &[0, 1, 2, 3, 7, 31, 32, 33, 65, 130, 400]));
    for_scalars!(check(Sample::any, &[5, 40]));
    // More than the lanes of the tree.
    check::<f64>(Sample::ordinary, &[1100]);
}
