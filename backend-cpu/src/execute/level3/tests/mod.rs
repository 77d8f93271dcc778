//! Level 3 against the definitions, bit for bit, and with `Strict` exact integers: every triangle, side and layout, with poison in
//! what must not be read.

mod batches;
mod symmetric;
mod triangular;

use crate::execute::level1::fixture::{Random, Sample, Shape};
use warpwave_core::numerics::blas::{ScalarArithmetic, triangular::stored};
use warpwave_core::{Diag, Layout, Op, Uplo};

pub(in crate::execute) const TRIANGLES: [Uplo; 2] = [Uplo::Lower, Uplo::Upper];
pub(in crate::execute) const DIAGONALS: [Diag; 2] = [Diag::NonUnit, Diag::Unit];
pub(in crate::execute) const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
pub(in crate::execute) const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// Calls `check::<T>(…)` for the four scalar types.
macro_rules! for_scalars {
    ($check:ident($($argument:expr),*)) => {
        $check::<f32>($($argument),*);
        $check::<f64>($($argument),*);
        $check::<warpwave_core::Complex32>($($argument),*);
        $check::<warpwave_core::Complex64>($($argument),*);
    };
}
pub(in crate::execute) use for_scalars;

/// A square matrix, column by column: `make` in the triangle, poison elsewhere. Elements on the diagonal are at least 1 apart from
/// 0, and poison if it is one of ones.
pub(in crate::execute) fn triangle<T: Sample + ScalarArithmetic>(
    random: &mut Random,
    n: usize,
    uplo: Uplo,
    diag: Diag,
    make: fn(&mut Random) -> T,
) -> Vec<T> {
    let mut element = |i: usize, j: usize| match i == j {
        _ if !stored(uplo, i, j) => T::poison(),
        false => make(random),
        true if diag == Diag::Unit => T::poison(),
        true => make(random) + T::of(3.0, 0.0),
    };
    (0..n * n).map(|place| element(place % n, place / n)).collect()
}

/// A matrix with a leading dimension that is longer than it must be.
pub(in crate::execute) fn shape(rows: usize, cols: usize, layout: Layout) -> Shape {
    Shape { rows, cols, layout, pad: if layout == Layout::RowMajor { 3 } else { 0 } }
}

/// An integer from −4 to 4 in each component.
pub(in crate::execute) fn integer<T: Sample>(random: &mut Random) -> T {
    let mut one = || random.below(9) as f64 - 4.0;
    T::of(one(), one())
}

/// Compares as numbers.
#[track_caller]
pub(in crate::execute) fn assert_numbers<T: Sample>(got: &[T], expected: &[T], what: &str) {
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let poisoned = bytemuck::bytes_of(got) == bytemuck::bytes_of(expected);
        assert!(poisoned || got == expected, "{what}, {}: element {i} is {got}, expected {expected}", T::DTYPE);
    }
}
