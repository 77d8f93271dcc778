//! Memory images: what a buffer holds, with poison wherever nothing has business to be.
//!
//! A case uploads an image, runs an operation on views into it, downloads all of it and compares it with the image that
//! should be there: so every element that must not be written is checked along with those that must. The places of
//! elements are computed here, from the definitions of reference BLAS, and not by the core's own functions.

use super::sample::Sample;
use warpwave_core::Layout;

/// Elements of poison behind what an operation may touch.
const BACK: usize = 3;

/// Where the elements of a vector lie in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    /// Elements of poison in front.
    pub(crate) front: usize,
    pub(crate) len: usize,
    pub(crate) inc: isize,
}

/// Where the elements of a matrix lie in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    /// Elements of poison in front.
    pub(crate) front: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) ld: usize,
    pub(crate) layout: Layout,
}

/// The contents of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Image<T> {
    pub(crate) elements: Vec<T>,
}

impl Vector {
    /// A vector of consecutive elements.
    pub(crate) fn dense(front: usize, len: usize) -> Self {
        Vector { front, len, inc: 1 }
    }

    /// Elements from the first that belongs to it to the last.
    pub(crate) fn extent(&self) -> usize {
        if self.len == 0 { 0 } else { (self.len - 1) * self.inc.unsigned_abs() + 1 }
    }

    /// The image's elements from the lowest to the highest that it occupies.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.front..self.front + self.extent()
    }

    /// Where element `i` is: `KX + i · INCX`, with `KX = −(N − 1) · INCX` for a negative increment.
    pub(crate) fn index(&self, i: usize) -> usize {
        let start = if self.inc < 0 { -(self.len as isize - 1) * self.inc } else { 0 };
        self.front + (start + i as isize * self.inc) as usize
    }
}

impl Matrix {
    /// A matrix whose leading dimension is `extra` more than it must be; with a single run, which has no next one that it
    /// could lead to, as large as a number can be.
    pub(crate) fn new(front: usize, rows: usize, cols: usize, extra: usize, layout: Layout) -> Self {
        let (run, runs) = match layout {
            Layout::ColumnMajor => (rows, cols),
            Layout::RowMajor => (cols, rows),
        };
        let ld = if runs == 1 && extra > 0 { usize::MAX } else { run + extra };
        Matrix { front, rows, cols, ld, layout }
    }

    /// Elements from the first that belongs to it to the last, padding included.
    pub(crate) fn extent(&self) -> usize {
        if self.rows == 0 || self.cols == 0 { 0 } else { self.index(self.rows - 1, self.cols - 1) - self.front + 1 }
    }

    /// The image's elements from the lowest to the highest that it occupies.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.front..self.front + self.extent()
    }

    /// Where element (`row`, `col`) is.
    pub(crate) fn index(&self, row: usize, col: usize) -> usize {
        self.front
            + match self.layout {
                Layout::ColumnMajor => row + col * self.ld,
                Layout::RowMajor => row * self.ld + col,
            }
    }

    /// Its elements' places, row by row.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let matrix = *self;
        (0..matrix.rows).flat_map(move |row| (0..matrix.cols).map(move |col| matrix.index(row, col)))
    }
}

impl<T: Sample> Image<T> {
    /// `len` elements of poison.
    pub(crate) fn poison(len: usize) -> Self {
        Image { elements: vec![T::poison(); len] }
    }

    /// Room for a vector, all of it poison.
    pub(crate) fn around(vector: &Vector) -> Self {
        Image::poison(vector.front + vector.extent() + BACK)
    }

    /// A vector amid poison. With increment 0 all its elements are `values[0]`.
    pub(crate) fn of_vector(vector: &Vector, values: &[T]) -> Self {
        let mut image = Image::around(vector);
        for (i, &value) in values.iter().enumerate().take(if vector.inc == 0 { 1 } else { vector.len }) {
            image.elements[vector.index(i)] = value;
        }
        image
    }

    /// A matrix amid poison; `values` are its elements, row by row.
    pub(crate) fn of_matrix(matrix: &Matrix, values: &[T]) -> Self {
        let mut image = Image::poison(matrix.front + matrix.extent() + BACK);
        for (place, &value) in matrix.places().zip(values) {
            image.elements[place] = value;
        }
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_those_of_reference_blas() {
        let places = |inc| (0..3).map(|i| Vector { front: 2, len: 3, inc }.index(i)).collect::<Vec<_>>();
        assert_eq!((places(1), places(2), places(-2)), (vec![2, 3, 4], vec![2, 4, 6], vec![6, 4, 2]));
        assert_eq!(places(0), [2, 2, 2]);
        let image = Image::of_vector(&Vector { front: 1, len: 2, inc: -2 }, &[1_u8, 2]);
        assert_eq!(image.elements, [0xa5, 2, 0xa5, 1, 0xa5, 0xa5, 0xa5]);
        assert_eq!(Vector { front: 1, len: 0, inc: -2 }.extent(), 0);
    }

    #[test]
    fn matrices_by_rows_and_columns() {
        let columns = Matrix { front: 1, rows: 2, cols: 2, ld: 3, layout: Layout::ColumnMajor };
        let image = Image::of_matrix(&columns, &[1_u8, 2, 3, 4]);
        assert_eq!(image.elements, [0xa5, 1, 3, 0xa5, 2, 4, 0xa5, 0xa5, 0xa5]);
        let rows = Matrix { layout: Layout::RowMajor, ..columns };
        assert_eq!(Image::of_matrix(&rows, &[1_u8, 2, 3, 4]).elements, [0xa5, 1, 2, 0xa5, 3, 4, 0xa5, 0xa5, 0xa5]);
        assert_eq!((columns.extent(), Matrix { rows: 0, ..columns }.extent()), (5, 0));
        let single = Matrix::new(1, 2, 1, 3, Layout::ColumnMajor);
        assert_eq!((single.ld, single.extent()), (usize::MAX, 2));
        assert_eq!(Image::of_matrix(&single, &[1_u8, 2]).elements, [0xa5, 1, 2, 0xa5, 0xa5, 0xa5]);
        assert_eq!(Matrix::new(1, 2, 1, 0, Layout::ColumnMajor).ld, 2);
        assert_eq!(Matrix::new(0, 2, 2, 3, Layout::RowMajor).ld, 5);
    }
}
