//! `gemm` and its batches.

use super::scalar::{is_one, is_zero};
use super::tile::{GEMM, Part, Product, Scale};
use super::{Plan, Properties};
use warpwave_core::Op;
use warpwave_core::operation::{Gemm, Ptr, Span};

/// `c = alpha · op(a) · op(b) + beta · c`, `pointers` saying where the matrices of a batch lie if they are not at equal distances.
pub(super) fn gemm(gemm: &Gemm, pointers: Option<&Span>, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let dtype = gemm.c.dtype;
    let pointers = pointers.map_or(Ptr::NULL, |span| span.ptr);
    let c = Part::new(&gemm.c, Op::N, gemm.strides[2]);
    let (m, n, k) = (gemm.c.rows, gemm.c.cols, gemm.k());
    if k > 0 && !is_zero(&gemm.alpha) {
        Product {
            family: GEMM,
            dtype,
            size: [m, n, k],
            alpha: gemm.alpha,
            a: Part::new(&gemm.a, gemm.op_a, gemm.strides[0]),
            b: Part::new(&gemm.b, gemm.op_b, gemm.strides[1]),
            beta: gemm.beta,
            c,
            pointers,
            batch: gemm.batch,
            flags: 0,
        }
        .push(&mut plan, properties);
    } else if !is_one(&gemm.beta) {
        let (beta, batch, size) = (gemm.beta, gemm.batch, [m, n]);
        Scale { name: "gemm_scale", dtype, size, beta, c, pointers, batch, uplo: None }.push(&mut plan, properties);
    }
    plan
}
