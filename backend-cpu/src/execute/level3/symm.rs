//! `symm` and `hemm`: products in which one triangle stands for the whole matrix.

use super::stored::Stored;
use crate::execute::gemm::{Matrix, Microkernel, product};
use crate::execute::level1::match_scalar;
use crate::execute::scratch::zeroed;
use crate::workers::Workers;
use warpwave_core::operation::Symm;
use warpwave_core::{Op, Precision, Result, Side};

/// The order of the blocks on the diagonal that are written out in full. Sums are interrupted at their ends.
const BLOCK: usize = 256;

/// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c`, with a symmetric or Hermitian `a`.
///
/// # Safety
/// As for [`super::super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(in crate::execute) unsafe fn symm(workers: &Workers, symm: &Symm) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    match_scalar!(symm.c.dtype, T => unsafe { run::<T>(workers, symm) }.transpose()).transpose()
}

/// # Safety
/// As for [`symm`].
unsafe fn run<T: Microkernel>(workers: &Workers, symm: &Symm) -> Result<Option<()>> {
    let (Some(alpha), Some(beta)) = (symm.alpha.get::<T>(), symm.beta.get::<T>()) else { return Ok(None) };
    let a = Stored::new(&symm.a, symm.uplo, symm.hermitian);
    let (b, c) = (Matrix::<T>::new(&symm.b, Op::N), Matrix::new(&symm.c, Op::N));
    if c.rows == 0 || c.cols == 0 {
        return Ok(Some(()));
    }
    // SAFETY: the caller's promise: the dimensions agree, and none is 0.
    unsafe {
        if alpha == T::ZERO {
            product(workers, symm.precision, [alpha, beta], [b, b, c])?;
        } else if symm.precision == Precision::Reproducible || a.matrix.rows <= BLOCK {
            // Every sum in one piece.
            let mut room = zeroed::<T>(a.matrix.rows.saturating_mul(a.matrix.rows))?;
            let a = a.whole(workers, &mut room);
            let factors = if symm.side == Side::Left { [a, b, c] } else { [b, a, c] };
            product(workers, symm.precision, [alpha, beta], factors)?;
        } else {
            let mut room = zeroed::<T>(BLOCK * BLOCK)?;
            by_blocks(workers, symm, [alpha, beta], a, [b, c], &mut room)?;
        }
    }
    Ok(Some(()))
}

/// Sums over one block of `a` after the other. Beside the diagonal, a block or its mirror image is there to be multiplied with.
///
/// # Safety
/// As for [`symm`]; no dimension is 0. `room` has place for a block.
unsafe fn by_blocks<T: Microkernel>(
    workers: &Workers,
    symm: &Symm,
    [alpha, beta]: [T; 2],
    a: Stored<T>,
    [b, c]: [Matrix<T>; 2],
    room: &mut [T],
) -> Result<()> {
    let n = a.matrix.rows;
    for start in (0..n).step_by(BLOCK) {
        let block = start..n.min(start + BLOCK);
        let beta = if start == 0 { beta } else { T::ONE };
        for part in [0..block.start, block.clone(), block.end..n] {
            if part.is_empty() {
                continue;
            }
            // SAFETY: the caller's promise: the blocks lie in the matrices.
            unsafe {
                if symm.side == Side::Left {
                    let a = a.block(workers, part.clone(), block.clone(), room);
                    let (b, c) =
                        (b.block(block.start, 0, block.len(), b.cols), c.block(part.start, 0, part.len(), c.cols));
                    product(workers, symm.precision, [alpha, beta], [a, b, c])?;
                } else {
                    let a = a.block(workers, block.clone(), part.clone(), room);
                    let (b, c) =
                        (b.block(0, block.start, b.rows, block.len()), c.block(0, part.start, c.rows, part.len()));
                    product(workers, symm.precision, [alpha, beta], [b, a, c])?;
                }
            }
        }
    }
    Ok(())
}
