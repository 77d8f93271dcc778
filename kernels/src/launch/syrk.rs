//! `syrk` and `herk`: products of which one triangle is made.

use super::scalar::{is_one, is_zero};
use super::tile::{GEMM, HERK, Part, Product, Scale, triangle};
use super::{Plan, Properties};
use warpwave_core::Op;
use warpwave_core::operation::{Ptr, RankUpdate};

/// `c = alpha · op(a) · op(a)ᵀ + beta · c`, or with the conjugate transpose, on one triangle.
pub(super) fn syrk(update: &RankUpdate, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    let (dtype, n, k) = (update.c.dtype, update.c.rows, update.k());
    let hermitian = update.hermitian && dtype.is_complex();
    let c = Part::new(&update.c, Op::N, 0);
    if k > 0 && !is_zero(&update.alpha) {
        let a = Part::new(&update.a, update.op, 0);
        let b = if hermitian { a.transposed().conjugated(dtype) } else { a.transposed() };
        Product {
            family: if hermitian { HERK } else { GEMM },
            dtype,
            size: [n, n, k],
            alpha: update.alpha,
            a,
            b,
            beta: update.beta,
            c,
            pointers: Ptr::NULL,
            batch: 1,
            flags: triangle(update.uplo),
        }
        .push(&mut plan, properties);
    } else if hermitian || !is_one(&update.beta) {
        // Even with 1 the diagonal of a Hermitian matrix becomes real.
        let name = if hermitian { "herk_scale" } else { "gemm_scale" };
        let (beta, size, pointers, uplo) = (update.beta, [n, n], Ptr::NULL, Some(update.uplo));
        Scale { name, dtype, size, beta, c, pointers, batch: 1, uplo }.push(&mut plan, properties);
    }
    plan
}
