//! `syr` and `her` against the definitions, bit for bit.

use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits, on_each_device};
use crate::execute::level3::tests::{LAYOUTS, TRIANGLES, for_scalars, shape, triangle};
use warpwave_core::numerics::blas::{self, ScalarArithmetic, triangular};
use warpwave_core::{Diag, Operation, ScalarValue};

fn check<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic>>() {
    let mut random = Random(1);
    for (n, uplo) in [0, 1, 2, 3, 17, 64, 65, 255, 257, 600].into_iter().flat_map(|n| TRIANGLES.map(|uplo| (n, uplo))) {
        for hermitian in [false, true].into_iter().filter(|&h| !h || T::DTYPE.is_complex()) {
            for (layout, (inc, alpha)) in LAYOUTS.into_iter().flat_map(|layout| {
                [(1, (0.7, -0.3)), (-1, (-1.0, 0.0)), (2, (1.0, 0.0)), (1, (0.0, 0.0))].map(|rest| (layout, rest))
            }) {
                let shape = shape(n, n, layout);
                let (full, real) = (T::of(alpha.0, alpha.1), <T::Magnitude as Sample>::of(alpha.0, 0.0));
                let scalar = if hermitian { ScalarValue::new(real) } else { ScalarValue::new(full) };
                let (x, a) = (random.vector(n, T::any), triangle(&mut random, n, uplo, Diag::NonUnit, T::any));
                let one = |place: usize| {
                    let (i, j) = (place % n, place / n);
                    match hermitian {
                        _ if !triangular::stored(uplo, i, j) => a[place],
                        true => triangular::her(real, x[i], x[j], a[place], i == j),
                        false => blas::ger(full, x[i], x[j], a[place]),
                    }
                };
                let expected: Vec<T> = (0..n * n).map(one).collect();
                on_each_device(|run| {
                    let (mut a, mut x) = (Guarded::matrices(&a, shape, 0), Guarded::vector(&x, inc));
                    run(Operation::Syr { hermitian, uplo, alpha: scalar, x: x.strided(inc), a: a.operand(shape) });
                    let what = format!("{uplo} hermitian {hermitian} {shape:?}, increment {inc}, alpha {full}");
                    assert_bits(&a.values(), &expected, what);
                });
            }
        }
    }
}

#[test]
fn syr_is_the_definition() {
    for_scalars!(check());
}
