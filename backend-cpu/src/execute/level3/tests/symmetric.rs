//! `symm`, `hemm`, `syrk` and `herk`.

use super::{LAYOUTS, OPS, TRIANGLES, assert_numbers, for_scalars, integer, shape, triangle};
use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits, on_each_device};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic, triangular};
use warpwave_core::operation::{RankUpdate, Symm};
use warpwave_core::{Diag, Op, Operation, Precision, ScalarValue, Side};

trait Tested: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic> + GemmArithmetic<Compute = Self> {}
impl<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic> + GemmArithmetic<Compute = T>> Tested for T {}

/// Makes an element.
type Make<T> = fn(&mut Random) -> T;

/// How elements are made, and how results are compared.
fn data<T: Tested>(precision: Precision) -> (Make<T>, [(f64, f64); 4]) {
    match precision {
        Precision::Reproducible => (T::ordinary, [(0.7, -0.3), (1.0, 0.0), (0.0, 0.0), (-1.0, 0.0)]),
        _ => (integer, [(2.0, -1.0), (1.0, 0.0), (0.0, 0.0), (-1.0, 0.0)]),
    }
}

fn compare<T: Tested>(precision: Precision, got: &[T], expected: &[T], what: &str) {
    match precision {
        Precision::Reproducible => assert_bits(got, expected, what),
        _ => assert_numbers(got, expected, what),
    }
}

fn products<T: Tested>(precision: Precision) {
    let mut random = Random(3);
    let (make, scalars) = data::<T>(precision);
    for (n, m) in [(1, 1), (2, 3), (17, 5), (40, 33), (257, 3), (300, 2)] {
        for hermitian in [false, true].into_iter().filter(|&h| !h || T::DTYPE.is_complex()) {
            for (count, side) in [Side::Left, Side::Right, Side::Left, Side::Right].into_iter().enumerate() {
                for uplo in TRIANGLES {
                    let layouts = [LAYOUTS[count / 2], LAYOUTS[count % 2], LAYOUTS[count.div_ceil(2) % 2]];
                    let (alpha, beta) = (scalars[random.below(4)], scalars[random.below(4)]);
                    let (alpha, beta) = (T::of(alpha.0, alpha.1), T::of(beta.0, beta.1));
                    let (rows, cols) = if side == Side::Left { (n, m) } else { (m, n) };
                    let unread = |random: &mut Random, len: usize, unread: bool| match unread {
                        true => vec![T::poison(); len],
                        false => random.vector(len, make),
                    };
                    let a = match alpha == T::ZERO {
                        true => vec![T::poison(); n * n],
                        false => triangle(&mut random, n, uplo, Diag::NonUnit, make),
                    };
                    let b = unread(&mut random, n * m, alpha == T::ZERO);
                    let c = unread(&mut random, n * m, beta == T::ZERO);
                    let full = |i: usize, j: usize| match hermitian {
                        true => triangular::hermitian(uplo, i, j, |i, j| a[i + j * n]),
                        false => triangular::symmetric(uplo, i, j, |i, j| a[i + j * n]),
                    };
                    let one = |place: usize| {
                        let (i, j) = (place % rows, place / rows);
                        let of_b = |k: usize| if side == Side::Left { b[k + j * rows] } else { b[i + k * rows] };
                        match side == Side::Left {
                            true => blas::gemm(n, alpha, |k| full(i, k), of_b, beta, c[place]),
                            false => blas::gemm(n, alpha, of_b, |k| full(k, j), beta, c[place]),
                        }
                    };
                    let expected: Vec<T> = (0..n * m).map(one).collect();
                    let shapes =
                        [shape(n, n, layouts[0]), shape(rows, cols, layouts[1]), shape(rows, cols, layouts[2])];
                    on_each_device(|run| {
                        let (mut a, mut b) = (Guarded::matrices(&a, shapes[0], 0), Guarded::matrices(&b, shapes[1], 0));
                        let mut c = Guarded::matrices(&c, shapes[2], 0);
                        run(Operation::Symm(Symm {
                            hermitian,
                            side,
                            uplo,
                            alpha: ScalarValue::new(alpha),
                            a: a.operand(shapes[0]),
                            b: b.operand(shapes[1]),
                            beta: ScalarValue::new(beta),
                            c: c.operand(shapes[2]),
                            precision,
                        }));
                        let what = format!("{side} {uplo} hermitian {hermitian} {shapes:?} {alpha} {beta} {precision}");
                        compare(precision, &c.values(), &expected, &what);
                    });
                }
            }
        }
    }
}

#[test]
fn symm_is_the_product_of_the_whole_matrix() {
    for precision in [Precision::Reproducible, Precision::Strict] {
        for_scalars!(products(precision));
    }
}

fn updates<T: Tested>(precision: Precision) {
    let mut random = Random(5);
    let (make, scalars) = data::<T>(precision);
    for (n, k) in [(1, 0), (1, 1), (3, 5), (17, 300), (63, 2), (64, 3), (65, 7), (200, 17), (300, 4)] {
        for hermitian in [false, true].into_iter().filter(|&h| !h || T::DTYPE.is_complex()) {
            for op in OPS.into_iter().filter(|&op| op != if hermitian { Op::T } else { Op::C }) {
                for (uplo, layout) in TRIANGLES.into_iter().flat_map(|uplo| LAYOUTS.map(|layout| (uplo, layout))) {
                    let (alpha, beta) = (scalars[random.below(4)], scalars[random.below(4)]);
                    let part = |(re, im)| if hermitian { T::of(re, 0.0) } else { T::of(re, im) };
                    let (alpha, beta, real) = (part(alpha), part(beta), (alpha.0, beta.0));
                    let (rows, cols) = if op == Op::N { (n, k) } else { (k, n) };
                    let a = match alpha == T::ZERO {
                        true => vec![T::poison(); n * k],
                        false => random.vector(n * k, make),
                    };
                    let mut c = triangle(&mut random, n, uplo, Diag::NonUnit, make);
                    if beta == T::ZERO {
                        c.fill(T::poison());
                    }
                    let left = |i: usize, k: usize| match op {
                        Op::N => a[i + k * rows],
                        Op::C => a[k + i * rows].conj(),
                        _ => a[k + i * rows],
                    };
                    let right = |k: usize, j: usize| if hermitian { left(j, k).conj() } else { left(j, k) };
                    let one = |place: usize| {
                        let (i, j, old) = (place % n, place / n, c[place]);
                        let (left, right) = (|k| left(i, k), |k| right(k, j));
                        if !triangular::stored(uplo, i, j) {
                            return old;
                        }
                        match hermitian {
                            true => {
                                let of = <T::Magnitude as Sample>::of;
                                triangular::herk(k, of(real.0, 0.0), left, right, of(real.1, 0.0), old, i == j)
                            }
                            false => blas::gemm(k, alpha, left, right, beta, old),
                        }
                    };
                    let expected: Vec<T> = (0..n * n).map(one).collect();
                    let shapes = [shape(rows, cols, LAYOUTS[random.below(2)]), shape(n, n, layout)];
                    let scalar = |x: T, real: f64| match hermitian {
                        true => ScalarValue::new(<T::Magnitude as Sample>::of(real, 0.0)),
                        false => ScalarValue::new(x),
                    };
                    on_each_device(|run| {
                        let (mut a, mut c) = (Guarded::matrices(&a, shapes[0], 0), Guarded::matrices(&c, shapes[1], 0));
                        run(Operation::Syrk(RankUpdate {
                            hermitian,
                            uplo,
                            op,
                            alpha: scalar(alpha, real.0),
                            a: a.operand(shapes[0]),
                            beta: scalar(beta, real.1),
                            c: c.operand(shapes[1]),
                            precision,
                        }));
                        let what = format!("{op} {uplo} hermitian {hermitian} {shapes:?} {alpha} {beta} {precision}");
                        compare(precision, &c.values(), &expected, &what);
                    });
                }
            }
        }
    }
}

#[test]
fn syrk_is_the_product_with_the_transpose() {
    for precision in [Precision::Reproducible, Precision::Strict] {
        for_scalars!(updates(precision));
    }
}

/// The imaginary part of the diagonal is neither read nor kept, even if nothing else changes.
#[test]
fn herk_makes_the_diagonal_real() {
    type Z = warpwave_core::Complex64;
    let shape = shape(2, 2, LAYOUTS[0]);
    for (alpha, beta, precision) in
        [(0.0, 1.0), (0.0, 2.0), (1.0, 1.0), (1.0, 0.0)].into_iter().flat_map(|(alpha, beta)| {
            [Precision::Strict, Precision::Reproducible].map(|precision| (alpha, beta, precision))
        })
    {
        on_each_device(|run| {
            let mut a = Guarded::matrices(&[Z::new(1.0, 2.0); 4], shape, 0);
            let mut c = Guarded::matrices(&[Z::new(4.0, f64::NAN), Z::ONE, Z::poison(), Z::new(4.0, 7.0)], shape, 0);
            run(Operation::Syrk(RankUpdate {
                hermitian: true,
                uplo: TRIANGLES[0],
                op: Op::N,
                alpha: ScalarValue::new(alpha),
                a: a.operand(shape),
                beta: ScalarValue::new(beta),
                c: c.operand(shape),
                precision,
            }));
            let got = c.values();
            for i in [0, 3] {
                assert_eq!((got[i].re, got[i].im.to_bits()), (10.0 * alpha + 4.0 * beta, 0), "{alpha} {beta}");
            }
        });
    }
}

/// Real scalars multiply real numbers, whatever is infinite, beside the diagonal as on it.
#[test]
fn herk_scales_by_real_numbers() {
    type Z = warpwave_core::Complex64;
    let (n, k) = (130, 1);
    for (old, alpha, beta) in [
        (Z::new(f64::INFINITY, 1.0), 1.0, 2.0),
        (Z::new(f64::INFINITY, 1.0), 1.0, 1.0),
        (Z::new(1.0, f64::NEG_INFINITY), 0.5, -1.0),
        (Z::new(1e308, 1.0), 1.0, 10.0),
        (Z::new(1e308, 1.0), 3.0, 0.0),
    ] {
        for (uplo, layout) in TRIANGLES.into_iter().flat_map(|uplo| LAYOUTS.map(|layout| (uplo, layout))) {
            let shapes = [shape(n, k, LAYOUTS[0]), shape(n, n, layout)];
            let left = |i: usize| Z::new(1.0, (i % 3) as f64);
            let one = |place: usize| {
                let (i, j) = (place % n, place / n);
                let right = |_| left(j).conj();
                match triangular::stored(uplo, i, j) {
                    true => triangular::herk(k, alpha, |_| left(i), right, beta, old, i == j),
                    false => old,
                }
            };
            let expected: Vec<Z> = (0..n * n).map(one).collect();
            for precision in [Precision::Strict, Precision::Fast, Precision::Reproducible] {
                on_each_device(|run| {
                    let mut a = Guarded::matrices(&(0..n).map(left).collect::<Vec<_>>(), shapes[0], 0);
                    let mut c = Guarded::matrices(&vec![old; n * n], shapes[1], 0);
                    run(Operation::Syrk(RankUpdate {
                        hermitian: true,
                        uplo,
                        op: Op::N,
                        alpha: ScalarValue::new(alpha),
                        a: a.operand(shapes[0]),
                        beta: ScalarValue::new(beta),
                        c: c.operand(shapes[1]),
                        precision,
                    }));
                    assert_bits(&c.values(), &expected, format!("{uplo} {layout:?} {alpha} {beta} {precision}"));
                });
            }
        }
    }
}
