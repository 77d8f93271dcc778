//! `symm` and `hemm`: `gemm` of the whole matrix.

use super::scalar::{is_one, is_zero};
use super::tile::{GEMM, Part, Product, Scale};
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::operation::{Ptr, Symm};
use warpwave_core::{Op, Side, Uplo};

/// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c`, with a symmetric or Hermitian `a`.
pub(super) fn symm(symm: &Symm, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (dtype, n) = (symm.c.dtype, symm.a.rows);
    let (rows, cols) = (symm.c.rows, symm.c.cols);
    let c = Part::new(&symm.c, Op::N, 0);
    if is_zero(&symm.alpha) {
        if !is_one(&symm.beta) {
            let (beta, size, pointers) = (symm.beta, [rows, cols], Ptr::NULL);
            Scale { name: "gemm_scale", dtype, size, beta, c, pointers, batch: 1, uplo: None }
                .push(&mut plan, properties);
        }
        return plan;
    }
    let a = Part::new(&symm.a, Op::N, 0);
    // Runs that start at multiples of 16 bytes are read as such.
    let ld = n.next_multiple_of(16 / dtype.size());
    let full = Part { ptr: Arg::Scratch(plan.reserve(n.saturating_mul(ld).saturating_mul(dtype.size()))), ld, ..a };
    let args = vec![
        Arg::U64(n as u64),
        a.ptr,
        Arg::I64(a.ld as i64),
        // Below the diagonal the number of the row is the larger one.
        Arg::U32(if (symm.uplo == Uplo::Lower) != a.by_row { 1 } else { 2 }),
        Arg::U32(u32::from(symm.hermitian)),
        full.ptr,
        Arg::I64(ld as i64),
    ];
    let blocks = properties.blocks(n.saturating_mul(n), 256, 4, 8);
    plan.steps.push(Step::new(Entry::of("symm", "symm_full", dtype), blocks, 256, args));
    let b = Part::new(&symm.b, Op::N, 0);
    let (a, b) = if symm.side == Side::Left { (full, b) } else { (b, full) };
    Product {
        family: GEMM,
        dtype,
        size: [rows, cols, n],
        alpha: symm.alpha,
        a,
        b,
        beta: symm.beta,
        c,
        pointers: Ptr::NULL,
        batch: 1,
        flags: 0,
    }
    .push(&mut plan, properties);
    plan
}
