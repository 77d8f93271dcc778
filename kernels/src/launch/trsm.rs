//! `trsm`.

use super::scalar::{is_one, is_zero, one, zero};
use super::tile::{Part, Product, Scale, TRSM_UPDATE, flag};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::blas::triangular::transposed;
use warpwave_core::operation::{Ptr, TriangularProduct};
use warpwave_core::{DType, Diag, Op, Side, Uplo};

const CONJ: u32 = 1;
const UNIT: u32 = 2;
const UPPER: u32 = 4;
/// Rows that one launch solves.
const ORDER: usize = 32;

/// `b` becomes the solution of `op(a) · x = alpha · b`, or `x · op(a) = alpha · b`.
pub(super) fn trsm(product: &TriangularProduct, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (dtype, batch) = (product.b.dtype, product.batch);
    let (rows, cols) = (product.b.rows, product.b.cols);
    let b = Part::new(&product.b, Op::N, product.strides[1]);
    if !is_one(&product.alpha) {
        let (beta, size, pointers) = (product.alpha, [rows, cols], Ptr::NULL);
        Scale { name: "gemm_scale", dtype, size, beta, c: b, pointers, batch, uplo: None }.push(&mut plan, properties);
    }
    if is_zero(&product.alpha) {
        return plan;
    }
    let t = Part::new(&product.a.matrix, product.a.op, product.strides[0]);
    let upper = transposed(product.a.uplo, product.a.op) == Uplo::Upper;
    let unit = product.a.diag == Diag::Unit;
    // With the triangle on the right, rows are right-hand sides of the transposed one.
    let (t, b, upper, [order, sides]) = match product.side == Side::Left {
        true => (t, b, upper, [rows, cols]),
        false => (t.transposed(), b.transposed(), !upper, [cols, rows]),
    };
    Solve { dtype, t, b, upper, unit, sides, batch }.push(&mut plan, [0, order], properties);
    plan
}

struct Solve {
    dtype: DType,
    t: Part,
    b: Part,
    upper: bool,
    unit: bool,
    sides: usize,
    batch: usize,
}

impl Solve {
    /// Solves rows `start..end`: one half, what it takes from the other, the other half. So what is taken is taken by products that are as
    /// large as can be, and each chain still goes on in order.
    fn push(&self, plan: &mut Plan, [start, end]: [usize; 2], properties: &Properties) {
        if end - start <= ORDER {
            plan.steps.push(self.block(start, end - start, properties));
            return;
        }
        // A power of two, so that the halves that follow start at multiples of blocks.
        let middle = start + (end - start).next_power_of_two() / 2;
        let (first, second) = ([start, middle], [middle, end]);
        let (first, second) = if self.upper { (second, first) } else { (first, second) };
        self.push(plan, first, properties);
        Product {
            family: TRSM_UPDATE,
            dtype: self.dtype,
            size: [second[1] - second[0], self.sides, first[1] - first[0]],
            alpha: one(self.dtype),
            a: self.t.from(self.dtype, second[0], first[0]),
            b: self.b.from(self.dtype, first[0], 0),
            beta: zero(self.dtype),
            c: self.b.from(self.dtype, second[0], 0),
            pointers: Ptr::NULL,
            batch: self.batch,
            flags: if self.upper { flag::DESCENDING } else { 0 },
        }
        .push(plan, properties);
        self.push(plan, second, properties);
    }

    fn block(&self, start: usize, order: usize, properties: &Properties) -> Step {
        let strides = |part: &Part| {
            let (row, col) = if part.by_row { (part.ld, 1) } else { (1, part.ld) };
            [Arg::I64(row as i64), Arg::I64(col as i64), Arg::I64(part.stride as i64)]
        };
        let (t, b) = (self.t.from(self.dtype, start, start), self.b.from(self.dtype, start, 0));
        let mut flags = 0;
        for (condition, bit) in [(t.conj, CONJ), (self.unit, UNIT), (self.upper, UPPER)] {
            flags |= if condition { bit } else { 0 };
        }
        let mut args = vec![Arg::U32(order as u32), Arg::U64(self.sides as u64), t.ptr];
        args.extend(strides(&t));
        args.push(b.ptr);
        args.extend(strides(&b));
        args.extend([Arg::U64(self.batch as u64), Arg::U32(flags)]);
        let sides = if self.dtype == DType::C64 { 32 } else { 64 };
        let blocks = self.sides.div_ceil(sides).saturating_mul(self.batch);
        let blocks = properties.blocks(blocks.saturating_mul(64), 64, 1, 16);
        Step::new(Entry::of("trsm", "trsm", self.dtype), blocks, 64, args)
    }
}
