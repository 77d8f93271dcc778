//! `ger` against its definition, bit for bit.

use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, assert_bits, on_each_device};
use warpwave_core::numerics::blas::{self, ScalarArithmetic};
use warpwave_core::{Complex32, Complex64, Layout, Operation, ScalarValue};

fn check<T: Sample + ScalarArithmetic>() {
    let mut random = Random(1);
    let sizes = [
        (0, 3),
        (3, 0),
        (1, 1),
        (2, 3),
        (7, 1),
        (1, 7),
        (17, 33),
        (64, 65),
        (255, 3),
        (3, 257),
        (513, 127),
        (400, 300),
    ];
    for (rows, cols) in sizes {
        for (layout, pad) in
            [(Layout::ColumnMajor, 0), (Layout::ColumnMajor, 5), (Layout::RowMajor, 0), (Layout::RowMajor, 3)]
        {
            let shape = Shape { rows, cols, layout, pad };
            let (x, y) = (random.vector(rows, T::any), random.vector(cols, T::any));
            let a = random.vector(rows * cols, T::any);
            for ((inc_x, inc_y), alpha) in
                [((1, 1), (0.7, -0.3)), ((-1, 2), (-1.0, 0.0)), ((3, -2), (1.0, 0.0)), ((1, -1), (0.0, 0.0))]
            {
                let alpha = T::of(alpha.0, alpha.1);
                let conj = T::DTYPE.is_complex() && cols % 2 == 1;
                let of_y = |j: usize| if conj { y[j].conj() } else { y[j] };
                let expected: Vec<T> =
                    (0..rows * cols).map(|e| blas::ger(alpha, x[e % rows], of_y(e / rows), a[e])).collect();
                on_each_device(|run| {
                    let (mut x, mut y) = (Guarded::vector(&x, inc_x), Guarded::vector(&y, inc_y));
                    let mut a = Guarded::matrices(&a, shape, 0);
                    run(Operation::Ger {
                        conj,
                        alpha: ScalarValue::new(alpha),
                        x: x.strided(inc_x),
                        y: y.strided(inc_y),
                        a: a.operand(shape),
                    });
                    assert_bits(
                        &a.values(),
                        &expected,
                        format!("{shape:?}, increments {inc_x} and {inc_y}, alpha {alpha}, conj {conj}"),
                    );
                });
            }
        }
    }
}

#[test]
fn ger_is_the_definition() {
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
    check::<Complex64>();
}
