//! `symm` and `hemm`: products in which one triangle stands for the whole matrix.

use super::copy::{straight, turned};
use super::zeros;
use crate::execute::gemm::{Matrix, Microkernel, product};
use crate::execute::level1::match_scalar;
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::blas::triangular;
use warpwave_core::operation::{MatrixOperand, Symm};
use warpwave_core::{Op, Precision, Result, Side, Uplo};

/// The order of the blocks on the diagonal that are written out in full. Sums are interrupted at their ends.
const BLOCK: usize = 256;
/// Rows that are written together.
const TILE: usize = 32;

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
            product(workers, symm.precision, [alpha, beta], [b, b, c]);
        } else if symm.precision == Precision::Reproducible || a.matrix.rows <= BLOCK {
            // Every sum in one piece.
            let mut room = zeros::<T>(a.matrix.rows.saturating_mul(a.matrix.rows))?;
            let a = a.whole(workers, &mut room);
            let factors = if symm.side == Side::Left { [a, b, c] } else { [b, a, c] };
            product(workers, symm.precision, [alpha, beta], factors);
        } else {
            let mut room = zeros::<T>(BLOCK * BLOCK)?;
            by_blocks(workers, symm, [alpha, beta], a, [b, c], &mut room);
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
) {
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
                    product(workers, symm.precision, [alpha, beta], [a, b, c]);
                } else {
                    let a = a.block(workers, block.clone(), part.clone(), room);
                    let (b, c) =
                        (b.block(0, block.start, b.rows, block.len()), c.block(0, part.start, c.rows, part.len()));
                    product(workers, symm.precision, [alpha, beta], [b, a, c]);
                }
            }
        }
    }
}

/// A matrix of which one triangle is stored.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Stored<T> {
    pub(in crate::execute) matrix: Matrix<T>,
    pub(in crate::execute) uplo: Uplo,
    pub(in crate::execute) hermitian: bool,
}

impl<T: Microkernel> Stored<T> {
    /// The matrix that `operand` describes.
    pub(in crate::execute) fn new(operand: &MatrixOperand, uplo: Uplo, hermitian: bool) -> Self {
        Stored { matrix: Matrix::new(operand, Op::N), uplo, hermitian }
    }

    /// Element (`i`, `j`) of the whole matrix.
    ///
    /// # Safety
    /// It exists, and the triangle may be read.
    #[inline(always)]
    unsafe fn get(&self, i: usize, j: usize) -> T {
        // SAFETY: the caller's promise; the closure is called inside the triangle.
        let at = |i, j| unsafe { self.matrix.get(i, j) };
        match self.hermitian {
            true => triangular::hermitian(self.uplo, i, j, at),
            false => triangular::symmetric(self.uplo, i, j, at),
        }
    }

    /// A block that the diagonal does not go through, or which is square and has it as its own: where it is, or in `room`.
    ///
    /// # Safety
    /// The block lies in the matrix, whose triangle may be read; `room` has place for it if it is square.
    unsafe fn block(&self, workers: &Workers, rows: Range<usize>, cols: Range<usize>, room: &mut [T]) -> Matrix<T> {
        if rows == cols {
            let matrix = self.matrix.block(rows.start, cols.start, rows.len(), cols.len());
            // SAFETY: the caller's promise.
            return unsafe { Stored { matrix, ..*self }.whole(workers, room) };
        }
        if triangular::stored(self.uplo, rows.start, cols.start) {
            return self.matrix.block(rows.start, cols.start, rows.len(), cols.len());
        }
        let mirrored = self.matrix.block(cols.start, rows.start, cols.len(), rows.len()).transposed();
        Matrix { conj: self.hermitian, ..mirrored }
    }

    /// All of the matrix, written out in `room`.
    ///
    /// # Safety
    /// The triangle may be read; `room` has place for all.
    unsafe fn whole(&self, workers: &Workers, room: &mut [T]) -> Matrix<T> {
        let n = self.matrix.rows;
        let full = Matrix::dense(room.as_mut_ptr(), n, n, self.matrix.by_rows());
        // Along what is contiguous, in both.
        let (from, to) = match self.matrix.by_rows() {
            true => (*self, full),
            false => (self.transposed(), full.transposed()),
        };
        workers.split(n.div_ceil(TILE), (GRAIN / (n * TILE)).max(1), |tiles| {
            let rows = tiles.start * TILE..n.min(tiles.end * TILE);
            let to = to.block(rows.start, 0, rows.len(), n);
            // SAFETY: rows of `to`, which are in one range only; `room` is as large as all of them.
            unsafe { from.write(rows, 0..n, to, false) };
        });
        full
    }

    /// The same matrix, of which the other triangle is stored.
    #[must_use]
    pub(in crate::execute) fn transposed(&self) -> Self {
        Stored { matrix: self.matrix.transposed(), uplo: triangular::transposed(self.uplo, Op::T), ..*self }
    }

    /// Writes some rows and columns of the whole matrix, whose rows are contiguous, as those of `to` are; with `conj` of its
    /// conjugate.
    ///
    /// # Safety
    /// The triangle may be read. `to` may be written, and has their number of rows and columns.
    pub(in crate::execute) unsafe fn write(&self, rows: Range<usize>, cols: Range<usize>, to: Matrix<T>, conj: bool) {
        let lower = self.uplo == Uplo::Lower;
        simd::vectorize(
            #[inline(always)]
            || {
                for start in rows.clone().step_by(TILE) {
                    let strip = start..rows.end.min(start + TILE);
                    let to = |cols_here: &Range<usize>| {
                        to.block(strip.start - rows.start, cols_here.start - cols.start, strip.len(), cols_here.len())
                    };
                    let left = cols.start..cols.end.min(strip.start).max(cols.start);
                    let right = cols.start.max(strip.end).min(cols.end)..cols.end;
                    let middle = left.end..right.start;
                    // SAFETY: the caller's promise; the diagonal goes through neither.
                    unsafe {
                        self.write_beside(strip.start, left.start, to(&left), lower, conj);
                        self.write_beside(strip.start, right.start, to(&right), !lower, conj);
                    }
                    for (row, i) in strip.clone().enumerate() {
                        for (col, j) in middle.clone().enumerate() {
                            // SAFETY: the caller's promise.
                            unsafe {
                                // What is real has the imaginary part +0, and so has its conjugate.
                                let value = self.get(i, j);
                                let real = i == j && self.hermitian;
                                to(&middle).set(row, col, if conj && !real { value.conj() } else { value });
                            }
                        }
                    }
                }
            },
        );
    }

    /// A block whose first element is (`i`, `j`), and which the diagonal does not go through: stored, or the mirror image of one that
    /// is.
    ///
    /// # Safety
    /// As for [`write`](Self::write).
    #[inline(always)]
    unsafe fn write_beside(&self, i: usize, j: usize, to: Matrix<T>, stored: bool, conj: bool) {
        if to.cols == 0 {
            return;
        }
        let (straight_from, turned_from) =
            (self.matrix.block(i, j, to.rows, to.cols), self.matrix.block(j, i, to.cols, to.rows));
        // SAFETY: the caller's promise.
        unsafe {
            match (stored, conj != (self.hermitian && !stored)) {
                (true, false) => straight(straight_from, to, |x| x),
                (true, true) => straight(straight_from, to, T::conj),
                (false, false) => turned(turned_from, to, |x| x),
                (false, true) => turned(turned_from, to, T::conj),
            }
        }
    }
}

/// Elements that are not worth waking another thread for.
const GRAIN: usize = 1 << 15;
