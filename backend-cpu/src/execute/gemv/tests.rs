//! `gemv` against its definition, bit for bit: for every precision, since all are computed alike.

use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, assert_bits, on_each_device};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::operation::Gemv;
use warpwave_core::{Complex32, Complex64, Layout, Op, Operation, Precision, ScalarValue};

struct Case<'a, T> {
    op: Op,
    shape: Shape,
    alpha: T,
    beta: T,
    a: &'a [T],
    x: &'a [T],
    y: &'a [T],
    inc: (isize, isize),
    precision: Precision,
}

fn check<T: Sample + ScalarArithmetic + GemmArithmetic<Compute = T>>(case: Case<T>) {
    let Case { op, shape, alpha, beta, a, x, y, inc: (inc_x, inc_y), precision } = case;
    let element = |i: usize, k: usize| match op {
        Op::N => a[i + k * shape.rows],
        Op::T => a[k + i * shape.rows],
        Op::C => a[k + i * shape.rows].conj(),
        _ => unreachable!(),
    };
    let expected: Vec<T> =
        (0..y.len()).map(|i| blas::gemv(x.len(), alpha, |k| element(i, k), |k| x[k], beta, y[i])).collect();
    on_each_device(|run| {
        let mut a = Guarded::matrices(a, shape, 0);
        let (mut x, mut y) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
        run(Operation::Gemv(Gemv {
            op,
            alpha: ScalarValue::new(alpha),
            a: a.operand(shape),
            x: x.strided(inc_x),
            beta: ScalarValue::new(beta),
            y: y.strided(inc_y),
            precision,
        }));
        let what = format!("{op} {shape:?}, alpha {alpha}, beta {beta}, increments {inc_x} and {inc_y}, {precision}");
        assert_bits(&y.values(), &expected, what);
    });
}

fn sizes<T: Sample + ScalarArithmetic + GemmArithmetic<Compute = T>>() {
    let mut random = Random(1);
    let scalars = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.7, -0.3)].map(|(re, im)| T::of(re, im));
    let small = [(0, 3), (3, 0), (1, 1), (2, 3), (7, 5), (17, 33), (33, 17), (64, 65), (129, 31)];
    let large = [(31, 1025), (1025, 31), (257, 2049), (3, 16_390), (16_390, 3), (300, 8193)];
    for (rows, cols) in small.into_iter().chain(large) {
        for op in [Op::N, Op::T, Op::C] {
            for (layout, pad) in [(Layout::ColumnMajor, 3), (Layout::RowMajor, 0)] {
                let shape = Shape { rows, cols, layout, pad };
                let (m, n) = if op == Op::N { (rows, cols) } else { (cols, rows) };
                let a = random.vector(rows * cols, T::ordinary);
                let (x, y) = (random.vector(n, T::ordinary), random.vector(m, T::ordinary));
                let case = |alpha, beta, inc, precision| {
                    check(Case { op, shape, alpha, beta, a: &a, x: &x, y: &y, inc, precision });
                };
                case(scalars[3], scalars[3], (1, 1), Precision::Reproducible);
                if rows * cols < 10_000 {
                    for alpha in scalars {
                        for beta in scalars {
                            case(alpha, beta, (1, 1), Precision::Strict);
                        }
                    }
                    for inc in [(-1, 1), (2, -1), (-3, 2), (1, -2)] {
                        case(scalars[3], scalars[1], inc, Precision::Fast);
                    }
                }
            }
        }
    }
}

fn poison<T: Sample + ScalarArithmetic + GemmArithmetic<Compute = T>>() {
    let (alpha, zero, one) = (T::of(0.7, -0.3), T::of(0.0, 0.0), T::of(1.0, 0.0));
    let mut random = Random(2);
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        let shape = Shape { rows: 19, cols: 40, layout, pad: 1 };
        let (a, x) = (random.vector(19 * 40, T::ordinary), random.vector(40, T::ordinary));
        let (no_a, no_x, no_y) = (vec![T::poison(); 19 * 40], vec![T::poison(); 40], vec![T::poison(); 19]);
        let y = random.vector(19, T::any);
        let case = |alpha, a: &[T], x: &[T], beta, y: &[T]| {
            let (inc, precision) = ((1, 1), Precision::Strict);
            check(Case { op: Op::N, shape, alpha, beta, a, x, y, inc, precision });
        };
        case(alpha, &a, &x, zero, &no_y);
        case(zero, &no_a, &no_x, zero, &no_y);
        case(zero, &no_a, &no_x, one, &no_y);
        case(zero, &no_a, &no_x, alpha, &y);
        case(alpha, &a, &no_x, alpha, &y);
    }
}

#[test]
fn gemv_is_the_definition() {
    sizes::<f32>();
    sizes::<f64>();
    sizes::<Complex32>();
    sizes::<Complex64>();
}

#[test]
fn what_must_not_be_read_is_not() {
    poison::<f32>();
    poison::<f64>();
    poison::<Complex32>();
    poison::<Complex64>();
}
