//! `trmm` and `trsm`.

use super::{DIAGONALS, LAYOUTS, OPS, TRIANGLES, for_scalars, shape, triangle};
use crate::execute::level1::fixture::{Guarded, Random, Sample, assert_bits, on_each_device};
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic, triangular};
use warpwave_core::operation::{TriangularMatrix, TriangularProduct};
use warpwave_core::{Complex32, Complex64, Diag, Op, Operation, Precision, ScalarValue, Side, Uplo};

trait Tested: Sample + ScalarArithmetic + GemmArithmetic<Compute = Self> {}
impl<T: Sample + ScalarArithmetic + GemmArithmetic<Compute = T>> Tested for T {}

#[derive(Clone, Copy, Debug)]
struct Case {
    solve: bool,
    side: Side,
    uplo: Uplo,
    op: Op,
    diag: Diag,
    /// Of `b`.
    rows: usize,
    cols: usize,
    batch: usize,
    shared: bool,
    layouts: [warpwave_core::Layout; 2],
    alpha: (f64, f64),
}

impl Case {
    fn order(&self) -> usize {
        if self.side == Side::Left { self.rows } else { self.cols }
    }

    /// One product of the batch, by the definition.
    fn define<T: Tested>(&self, alpha: T, a: &[T], b: &[T]) -> Vec<T> {
        let Case { side, op, diag, rows, cols, .. } = *self;
        let n = self.order();
        let (left, uplo) = (side == Side::Left, triangular::transposed(self.uplo, op));
        let op_a = |i: usize, j: usize| triangular::triangular(diag, op, i, j, |i, j| a[i + j * n]);
        let mut out = b.to_vec();
        if self.solve {
            // For X · T the transposed system, a row of B at a time.
            let (uplo, count) = if left { (uplo, cols) } else { (triangular::transposed(uplo, Op::T), rows) };
            for vector in 0..count {
                let place = |i: usize| if left { i + vector * rows } else { vector + i * rows };
                let mut x: Vec<T> = (0..n).map(|i| b[place(i)]).collect();
                triangular::solve(uplo, diag, alpha, |i, j| if left { op_a(i, j) } else { op_a(j, i) }, &mut x);
                (0..n).for_each(|i| out[place(i)] = x[i]);
            }
            return out;
        }
        for (place, out) in out.iter_mut().enumerate() {
            let (i, j) = (place % rows, place / rows);
            let inside: Vec<usize> = (0..n)
                .filter(|&k| if left { triangular::stored(uplo, i, k) } else { triangular::stored(uplo, k, j) })
                .collect();
            *out = match left {
                true => blas::gemm(
                    inside.len(),
                    alpha,
                    |k| op_a(i, inside[k]),
                    |k| b[inside[k] + j * rows],
                    T::ZERO,
                    T::ZERO,
                ),
                false => blas::gemm(
                    inside.len(),
                    alpha,
                    |k| b[i + inside[k] * rows],
                    |k| op_a(inside[k], j),
                    T::ZERO,
                    T::ZERO,
                ),
            };
        }
        out
    }

    fn check<T: Tested>(&self, random: &mut Random, make: fn(&mut Random) -> T) {
        let n = self.order();
        let alpha = T::of(self.alpha.0, self.alpha.1);
        let unread = alpha == T::ZERO;
        let count = if self.shared { 1 } else { self.batch };
        let a: Vec<Vec<T>> = (0..count)
            .map(|_| match unread {
                true => vec![T::poison(); n * n],
                false => triangle(random, n, self.uplo, self.diag, make),
            })
            .collect();
        let b: Vec<Vec<T>> = (0..self.batch)
            .map(|_| {
                if unread {
                    vec![T::poison(); self.rows * self.cols]
                } else {
                    random.vector(self.rows * self.cols, make)
                }
            })
            .collect();
        let expected: Vec<T> = b.iter().enumerate().flat_map(|(i, b)| self.define(alpha, &a[i % count], b)).collect();
        let shapes = [shape(n, n, self.layouts[0]), shape(self.rows, self.cols, self.layouts[1])];
        let strides = [if self.shared { 0 } else { shapes[0].extent() + 3 }, shapes[1].extent() + 5];
        on_each_device(|run| {
            let mut a = Guarded::matrices(&a.concat(), shapes[0], strides[0]);
            let mut b = Guarded::matrices(&b.concat(), shapes[1], strides[1]);
            let product = TriangularProduct {
                side: self.side,
                alpha: ScalarValue::new(alpha),
                a: TriangularMatrix { uplo: self.uplo, op: self.op, diag: self.diag, matrix: a.operand(shapes[0]) },
                b: b.operand(shapes[1]),
                batch: self.batch,
                strides,
                precision: Precision::Strict,
            };
            run(if self.solve { Operation::Trsm(product) } else { Operation::Trmm(product) });
            assert_bits(&b.values(), &expected, format!("{self:?}"));
        });
    }
}

fn each<T: Tested>(solve: bool) {
    let mut random = Random(7);
    let mut count = 0;
    for (rows, cols) in [(1, 1), (2, 3), (7, 5), (13, 17), (24, 33), (65, 40), (33, 130), (0, 3), (3, 0)] {
        for (side, uplo) in [Side::Left, Side::Right].into_iter().flat_map(|side| TRIANGLES.map(|uplo| (side, uplo))) {
            for (op, diag) in OPS.into_iter().flat_map(|op| DIAGONALS.map(|diag| (op, diag))) {
                count += 1;
                let layouts = [LAYOUTS[count % 2], LAYOUTS[count / 2 % 2]];
                let alpha = [(0.7, -0.3), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)][count / 4 % 4];
                let (batch, shared) = [(1, false), (3, true), (2, false)][count % 3];
                let case = Case { solve, side, uplo, op, diag, rows, cols, batch, shared, layouts, alpha };
                case.check::<T>(&mut random, T::ordinary);
            }
        }
    }
}

#[test]
fn trmm_is_the_definition() {
    for_scalars!(each(false));
}

#[test]
fn trsm_is_the_definition() {
    for_scalars!(each(true));
}

/// Special values take the same way as in the definition: nothing is multiplied by a zero that is not there.
fn specials<T: Tested>() {
    let mut random = Random(11);
    for (side, uplo) in [Side::Left, Side::Right].into_iter().flat_map(|side| TRIANGLES.map(|uplo| (side, uplo))) {
        for (solve, op) in [false, true].into_iter().flat_map(|solve| OPS.map(|op| (solve, op))) {
            let layouts = [LAYOUTS[random.below(2)], LAYOUTS[random.below(2)]];
            let case = Case {
                solve,
                side,
                uplo,
                op,
                diag: DIAGONALS[random.below(2)],
                rows: 15,
                cols: 14,
                batch: 1,
                shared: false,
                layouts,
                alpha: (1.0, 0.0),
            };
            case.check::<T>(&mut random, T::any);
        }
    }
}

#[test]
fn special_values_are_those_of_the_definition() {
    for_scalars!(specials());
}

/// More vectors than a group of slabs, shared among threads; and an order beyond all blocks.
#[test]
fn large_ones_are_the_definition() {
    let mut random = Random(13);
    for solve in [false, true] {
        let base = Case {
            solve,
            side: Side::Left,
            uplo: Uplo::Lower,
            op: Op::N,
            diag: Diag::NonUnit,
            rows: 90,
            cols: 700,
            batch: 1,
            shared: false,
            layouts: LAYOUTS,
            alpha: (0.5, 0.0),
        };
        base.check::<f32>(&mut random, f32::ordinary);
        Case { side: Side::Right, uplo: Uplo::Upper, rows: 700, cols: 90, op: Op::C, ..base }
            .check::<Complex64>(&mut random, Complex64::ordinary);
        // Solutions grow with the order unless the diagonal outweighs the rest.
        let small = |random: &mut Random| f64::ordinary(random) * 0.01;
        Case { rows: 400, cols: 20, ..base }.check::<f64>(&mut random, small);
    }
}

/// Divisors at both ends of the range are the definition's too, in either part.
fn extremes<T: Tested>(least: f64, most: f64) {
    let ends =
        [(3.0 * least, 2.0 * least), (-least, 5.0 * least), (most, most), (0.1, -most), (least, 0.0), (1.0, most)];
    let numbers = [(1.0, -2.0), (0.75 * most, most), (least, -3.0 * least), (most, 0.0)];
    let (n, m) = (ends.len(), 35);
    let shapes = [shape(n, n, LAYOUTS[0]), shape(n, m, LAYOUTS[1])];
    let diagonal = |place: usize| match place % n == place / n {
        true => T::of(ends[place % n].0, ends[place % n].1),
        false => T::ZERO,
    };
    let a: Vec<T> = (0..n * n).map(diagonal).collect();
    let b: Vec<T> = (0..n * m).map(|i| numbers[i / n % numbers.len()]).map(|(re, im)| T::of(re, im)).collect();
    for op in [Op::N, Op::C] {
        let mut expected = b.clone();
        for x in expected.chunks_exact_mut(n) {
            let element = |i: usize, j: usize| triangular::triangular(Diag::NonUnit, op, i, j, |i, j| a[i + j * n]);
            triangular::solve(triangular::transposed(Uplo::Lower, op), Diag::NonUnit, T::ONE, element, x);
        }
        on_each_device(|run| {
            let (mut a, mut b) = (Guarded::matrices(&a, shapes[0], 0), Guarded::matrices(&b, shapes[1], 0));
            run(Operation::Trsm(TriangularProduct {
                side: Side::Left,
                alpha: ScalarValue::new(T::ONE),
                a: TriangularMatrix { uplo: Uplo::Lower, op, diag: Diag::NonUnit, matrix: a.operand(shapes[0]) },
                b: b.operand(shapes[1]),
                batch: 1,
                strides: [0; 2],
                precision: Precision::Strict,
            }));
            assert_bits(&b.values(), &expected, format!("{op}"));
        });
    }
}

#[test]
fn divisors_at_the_ends_of_the_range() {
    let (least, most) = (2f64.powi(-149), f64::from(f32::MAX));
    extremes::<f32>(least, most);
    extremes::<Complex32>(least, most);
    let (least, most) = (f64::from_bits(1), f64::MAX);
    extremes::<f64>(least, most);
    extremes::<Complex64>(least, most);
}
