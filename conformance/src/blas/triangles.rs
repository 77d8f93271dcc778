//! Calls with a matrix of which one triangle is stored, and what they share.

use crate::level::{Counts, Level};
use crate::reference::{
    Data, Image, Matrix, Random, Sample, Scale, Vector, dimensions, extras, fronts, increments, layouts,
    read_increments, seeds,
};
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::{Diag, Layout, Op, Side, Uplo};

/// One call but for its data. No routine takes all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The order of the matrix.
    pub(super) n: usize,
    /// The other dimension of the other matrices.
    pub(super) m: usize,
    pub(super) side: Side,
    pub(super) uplo: Uplo,
    pub(super) op: Op,
    pub(super) diag: Diag,
    pub(super) scales: [Scale; 2],
    pub(super) fronts: [usize; 3],
    pub(super) extras: [usize; 3],
    pub(super) layouts: [Layout; 3],
    /// Of a vector that is read, and of one that is written.
    pub(super) incs: (isize, isize),
    pub(super) seed: u64,
}

/// How much there is of each lane in a series of calls: there are many routines, and most dimensions are small.
pub(super) const CASES: Counts = Counts::of(24);

/// Calls of every kind: mostly small, with one dimension at a time that is not.
pub(super) fn calls(level: Level, scales: impl Strategy<Value = [Scale; 2]>) -> impl Strategy<Value = Call> {
    let middle = if level == Level::Smoke { 33 } else { 65 };
    let sizes = prop_oneof![
        8 => (dimensions(17), dimensions(7)),
        3 => (dimensions(7), dimensions(17)),
        2 => (dimensions(middle), dimensions(17)),
        1 => (dimensions(129), dimensions(3)),
        1 => (dimensions(3), dimensions(129)),
    ];
    let shape = (
        select(&[Side::Left, Side::Right][..]),
        select(&[Uplo::Lower, Uplo::Upper][..]),
        select(&[Op::N, Op::T, Op::C][..]),
        select(&[Diag::NonUnit, Diag::Unit][..]),
    );
    let places = ([fronts(), fronts(), fronts()], [extras(), extras(), extras()], [layouts(), layouts(), layouts()]);
    (sizes, shape, scales, places, (read_increments(), increments()), seeds()).prop_map(
        |((n, m), (side, uplo, op, diag), scales, (fronts, extras, layouts), incs, seed)| Call {
            n,
            m,
            side,
            uplo,
            op,
            diag,
            scales,
            fronts,
            extras,
            layouts,
            incs,
            seed,
        },
    )
}

impl Call {
    /// Where operand `which` lies, a matrix.
    pub(super) fn place(&self, which: usize, rows: usize, cols: usize) -> Matrix {
        Matrix::new(self.fronts[which], rows, cols, self.extras[which], self.layouts[which])
    }

    /// Where operand `which` lies, a vector with an element for each row of the matrix.
    pub(super) fn vector(&self, which: usize, inc: isize) -> Vector {
        Vector { front: self.fronts[which], len: self.n, inc }
    }

    /// The shape of the matrix that the square one is multiplied with.
    pub(super) fn shape(&self) -> (usize, usize) {
        if self.side == Side::Left { (self.n, self.m) } else { (self.m, self.n) }
    }
}

/// What of a diagonal is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonal {
    /// All of it.
    Whole,
    /// Its real parts, with NaN for imaginary parts.
    Real,
    /// Nothing.
    Ones,
}

impl Diagonal {
    pub(super) fn of(diag: Diag) -> Self {
        if diag == Diag::Unit { Diagonal::Ones } else { Diagonal::Whole }
    }

    pub(super) fn hermitian(hermitian: bool) -> Self {
        if hermitian { Diagonal::Real } else { Diagonal::Whole }
    }
}

/// Whether element (`i`, `j`) is in the triangle. Written here again, not taken from the core.
pub(super) fn inside(uplo: Uplo, i: usize, j: usize) -> bool {
    if uplo == Uplo::Lower { i >= j } else { i <= j }
}

/// The other triangle.
pub(super) fn other(uplo: Uplo) -> Uplo {
    if uplo == Uplo::Lower { Uplo::Upper } else { Uplo::Lower }
}

/// One triangle of a matrix amid poison; `values` is all of the matrix, row by row.
pub(super) fn triangle<T: Sample>(at: &Matrix, uplo: Uplo, diagonal: Diagonal, values: &[T]) -> Image<T> {
    let stored = |(place, &value): (usize, &T)| {
        let (i, j) = (place / at.cols, place % at.cols);
        let [re, _] = value.patterns();
        let [_, nan] = T::poison().patterns();
        match diagonal {
            _ if !inside(uplo, i, j) => T::poison(),
            Diagonal::Ones if i == j => T::poison(),
            Diagonal::Real if i == j => T::from_patterns([re, nan]),
            _ => value,
        }
    };
    let values: Vec<T> = values.iter().enumerate().map(stored).collect();
    Image::of_matrix(at, &values)
}

/// A symmetric or Hermitian matrix, row by row, whose elements in one triangle are what `make` gives.
pub(super) fn mirrored<T: Sample + ScalarArithmetic>(
    n: usize,
    hermitian: bool,
    uplo: Uplo,
    mut make: impl FnMut() -> T,
) -> Vec<T> {
    let stored: Vec<T> = (0..n * n).map(|_| make()).collect();
    let element = |place: usize| {
        let (i, j) = (place / n, place % n);
        let (value, mirrored) = (stored[place], stored[j * n + i]);
        match hermitian {
            true if i == j => T::from_patterns([value.patterns()[0], 0]),
            true if !inside(uplo, i, j) => super::problem::conjugate(mirrored),
            false if !inside(uplo, i, j) => mirrored,
            _ => value,
        }
    };
    (0..n * n).map(element).collect()
}

/// Elements one by one: of ordinary data, or with special values now and then.
pub(super) fn source<T: Sample>(random: &mut Random, data: Data) -> impl FnMut() -> T {
    let rare = 1 + random.below(40);
    move || match data {
        Data::Special if random.below(rare) > 0 => random.element(Data::Numbers),
        data => random.element(data),
    }
}

/// A call beyond the blocks of any device.
pub(super) fn large(n: usize, m: usize, side: Side) -> Call {
    Call {
        n,
        m,
        side,
        uplo: if side == Side::Left { Uplo::Lower } else { Uplo::Upper },
        op: if side == Side::Left { Op::N } else { Op::C },
        diag: Diag::NonUnit,
        scales: [Scale::Generic; 2],
        fronts: [1, 2, 3],
        extras: [1, 0, 3],
        layouts: [Layout::ColumnMajor, Layout::RowMajor, Layout::ColumnMajor],
        incs: (1, -2),
        seed: n as u64,
    }
}
