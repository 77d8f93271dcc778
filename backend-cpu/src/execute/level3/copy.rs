//! Copies of parts of matrices, along what is contiguous.

use crate::execute::gemm::Matrix;

/// Rows and columns of a square that is turned in registers.
const SQUARE: usize = 8;

/// `to = f(from)`, element by element, where the rows of both are contiguous.
///
/// # Safety
/// The dimensions agree, and no row is empty; `from` may be read and `to` written, and they do not overlap.
#[inline(always)]
pub(in crate::execute) unsafe fn straight<T: Copy>(from: Matrix<T>, to: Matrix<T>, f: impl Fn(T) -> T) {
    for i in 0..to.rows {
        // SAFETY: the caller's promise.
        let (from, to) = unsafe {
            let to = std::slice::from_raw_parts_mut(to.at(i, 0), to.cols);
            (std::slice::from_raw_parts(from.at(i, 0), to.len()), to)
        };
        for (to, &from) in to.iter_mut().zip(from) {
            *to = f(from);
        }
    }
}

/// Element (`i`, `j`) of `to` becomes `f` of element (`j`, `i`) of `from`, where the rows of both are contiguous.
///
/// # Safety
/// The dimensions agree; `from` may be read and `to` written, and they do not overlap.
#[inline(always)]
pub(in crate::execute) unsafe fn turned<T: Copy>(from: Matrix<T>, to: Matrix<T>, f: impl Fn(T) -> T) {
    for j in (0..to.cols).step_by(SQUARE) {
        for i in (0..to.rows).step_by(SQUARE) {
            let (rows, cols) = (SQUARE.min(to.rows - i), SQUARE.min(to.cols - j));
            // SAFETY: the caller's promise: elements of both.
            unsafe {
                if rows == SQUARE && cols == SQUARE {
                    let mut square = [from.at(j, i).cast::<[T; SQUARE]>().read_unaligned(); SQUARE];
                    for (q, line) in square.iter_mut().enumerate() {
                        *line = from.at(j + q, i).cast::<[T; SQUARE]>().read_unaligned();
                    }
                    for p in 0..SQUARE {
                        let mut line = square[0];
                        for (element, from) in line.iter_mut().zip(&square) {
                            *element = f(from[p]);
                        }
                        to.at(i + p, j).cast::<[T; SQUARE]>().write_unaligned(line);
                    }
                } else {
                    for i in i..i + rows {
                        for j in j..j + cols {
                            to.set(i, j, f(from.get(j, i)));
                        }
                    }
                }
            }
        }
    }
}
