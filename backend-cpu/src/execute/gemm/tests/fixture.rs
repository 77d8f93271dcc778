//! Products and their matrices.

use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, on_each_device};
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::operation::Gemm;
use warpwave_core::{Layout, Op, Operation, Precision, Scalar, ScalarValue};

pub(super) const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
pub(super) const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// What a product is asked for. The three `pads` and `layouts` are those of a, b and c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) ops: [Op; 2],
    pub(super) layouts: [Layout; 3],
    pub(super) pad: usize,
    pub(super) batch: usize,
    /// Whether all products have the same a, and the same b.
    pub(super) shared: [bool; 2],
    pub(super) alpha: (f64, f64),
    pub(super) beta: (f64, f64),
}

pub(super) const PLAIN: Case = Case {
    m: 0,
    n: 0,
    k: 0,
    ops: [Op::N; 2],
    layouts: [Layout::ColumnMajor; 3],
    pad: 0,
    batch: 1,
    shared: [false; 2],
    alpha: (0.7, -0.3),
    beta: (-1.3, 0.4),
};

impl Case {
    pub(super) fn shapes(&self) -> [Shape; 3] {
        let shape = |(rows, cols), layout| Shape { rows, cols, layout, pad: self.pad };
        let turned = |op, rows, cols| if op == Op::N { (rows, cols) } else { (cols, rows) };
        [
            shape(turned(self.ops[0], self.m, self.k), self.layouts[0]),
            shape(turned(self.ops[1], self.k, self.n), self.layouts[1]),
            shape((self.m, self.n), self.layouts[2]),
        ]
    }

    pub(super) fn scalars<T: Sample + GemmArithmetic<Compute: Sample>>(&self) -> (T::Compute, T::Compute) {
        (T::Compute::of(self.alpha.0, self.alpha.1), T::Compute::of(self.beta.0, self.beta.1))
    }

    /// How many matrices there are of a, b and c.
    fn counts(&self) -> [usize; 3] {
        let of = |shared| if shared { 1 } else { self.batch };
        [of(self.shared[0]), of(self.shared[1]), self.batch]
    }
}

/// The matrices of a case, each column by column.
pub(super) struct Data<T> {
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
    pub(super) c: Vec<T>,
}

impl<T: Sample + GemmArithmetic<Compute: Sample>> Data<T> {
    pub(super) fn new(case: &Case, random: &mut Random, make: fn(&mut Random) -> T) -> Self {
        let [a, b, c] = case.counts();
        let mut matrices = |len| random.vector(len, make);
        Data { a: matrices(a * case.m * case.k), b: matrices(b * case.k * case.n), c: matrices(c * case.m * case.n) }
    }

    /// Element (`i`, `k`) of op(a) and (`k`, `j`) of op(b) of product `p`, in the type of the accumulation.
    pub(super) fn factors(&self, case: &Case, p: usize, i: usize, j: usize, k: usize) -> (T::Compute, T::Compute) {
        let element = |values: &[T], which: usize, row: usize, col: usize| {
            let shape = case.shapes()[which];
            let op = case.ops[which];
            let (row, col) = if op == Op::N { (row, col) } else { (col, row) };
            let first = if case.shared[which] { 0 } else { p * shape.rows * shape.cols };
            let value = values[first + row + col * shape.rows].widen();
            if op == Op::C { value.conj() } else { value }
        };
        (element(&self.a, 0, i, k), element(&self.b, 1, k, j))
    }

    /// What each device makes of it.
    pub(super) fn results(&self, case: &Case, precision: Precision, check: impl Fn(&[T])) {
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        // Gaps between the matrices of the batch.
        let strides: Vec<usize> = shapes.iter().map(|shape| shape.extent() + 3).collect();
        let stride = |which: usize| if case.shared[which] { 0 } else { strides[which] };
        on_each_device(|run| {
            let mut a = Guarded::matrices(&self.a, shapes[0], strides[0]);
            let mut b = Guarded::matrices(&self.b, shapes[1], strides[1]);
            let mut c = Guarded::matrices(&self.c, shapes[2], strides[2]);
            run(Operation::Gemm(Gemm {
                op_a: case.ops[0],
                op_b: case.ops[1],
                alpha: ScalarValue::new(alpha),
                a: a.operand(shapes[0]),
                b: b.operand(shapes[1]),
                beta: ScalarValue::new(beta),
                c: c.operand(shapes[2]),
                batch: case.batch,
                strides: [stride(0), stride(1), strides[2]],
                precision,
            }));
            check(&c.values());
        });
    }
}
