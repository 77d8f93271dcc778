//! Strategies for shapes, places and factors: the sizes at which tiles, vectors and warps begin and end, and everything
//! in memory at an odd distance from an aligned address.

use super::image::{Matrix, Vector};
use super::random::{Data, Random};
use super::sample::Sample;
use crate::level::Level;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::{DType, Layout};

/// A factor that BLAS treats in its own way, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Zero,
    One,
    MinusOne,
    Generic,
}

impl Scale {
    pub(crate) fn value<T: Sample>(self, random: &mut Random, generic: Data) -> T {
        match self {
            Scale::Zero => T::from_integer(0),
            Scale::One => T::from_integer(1),
            Scale::MinusOne => T::from_integer(-1),
            Scale::Generic => random.element(generic),
        }
    }
}

/// Seeds of data: nothing about one is worth making smaller.
pub(crate) fn seeds() -> impl Strategy<Value = u64> {
    any::<u64>().no_shrink()
}

/// Lengths of vectors.
pub(crate) fn lengths(level: Level) -> impl Strategy<Value = usize> {
    const SMOKE: &[usize] = &[0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 513, 1025];
    const FULL: &[usize] =
        &[0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 513, 1025, 2049, 4095, 8193, 40_001];
    // Edges, and any length besides: a vector loop's tail has a size for every remainder.
    prop_oneof![3 => select(if level == Level::Smoke { SMOKE } else { FULL }), 2 => 0..400_usize]
}

/// Every length of a tail: longer than a few of the widest registers, whatever the type. And a length at which
/// element-wise work is worth sharing by threads or blocks.
pub(crate) fn tails<T: Sample>() -> impl Iterator<Item = usize> {
    let longest = if T::DTYPE.size() <= 2 { 130 } else { 66 };
    (0..=longest).chain([shared(T::DTYPE)])
}

/// More than 256 KiB, and no multiple of anything.
pub(crate) fn shared(dtype: DType) -> usize {
    (256 << 10) / dtype.size() + 77
}

/// Elements past which work is shared by threads and blocks and goes by several tiles, chunks and passes: more than 2²⁰, and
/// no multiple of anything.
pub(crate) const LARGE: usize = (1 << 20) + 77;

/// Dimensions of matrices up to `largest`.
pub(crate) fn dimensions(largest: usize) -> impl Strategy<Value = usize> {
    const ALL: &[usize] = &[0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129];
    let edges = ALL.iter().copied().filter(|&n| n <= largest).collect::<Vec<_>>();
    prop_oneof![3 => select(edges), 2 => 0..=largest]
}

/// Elements in front of an operand.
pub(crate) fn fronts() -> impl Strategy<Value = usize> {
    0..6_usize
}

/// Increments of a vector that is written.
pub(crate) fn increments() -> impl Strategy<Value = isize> {
    select(&[1, -1, 2, -2, 3, -3][..])
}

/// Increments of a vector that is read.
pub(crate) fn read_increments() -> impl Strategy<Value = isize> {
    select(&[1, -1, 2, -2, 3, -3, 0][..])
}

/// What a leading dimension is larger than it must be.
pub(crate) fn extras() -> impl Strategy<Value = usize> {
    select(&[0, 1, 3][..])
}

pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    select(&[Layout::ColumnMajor, Layout::RowMajor][..])
}

pub(crate) fn scales() -> impl Strategy<Value = Scale> {
    use Scale::{Generic, MinusOne, One, Zero};
    select(&[Generic, Generic, Generic, One, MinusOne, Zero][..])
}

/// Alpha and beta, at least one of them 0.
pub(crate) fn zero_scales() -> impl Strategy<Value = [Scale; 2]> {
    prop_oneof![
        Just([Scale::Zero, Scale::Zero]),
        scales().prop_map(|beta| [Scale::Zero, beta]),
        scales().prop_map(|alpha| [alpha, Scale::Zero]),
    ]
}

/// Vectors of a length, with one of the increments.
pub(crate) fn vectors(
    lengths: impl Strategy<Value = usize>,
    increments: impl Strategy<Value = isize>,
) -> impl Strategy<Value = Vector> {
    (fronts(), lengths, increments).prop_map(|(front, len, inc)| Vector { front, len, inc })
}

/// Matrices of a shape.
pub(crate) fn matrices(
    rows: impl Strategy<Value = usize>,
    cols: impl Strategy<Value = usize>,
) -> impl Strategy<Value = Matrix> {
    (fronts(), rows, cols, extras(), layouts())
        .prop_map(|(front, rows, cols, extra, layout)| Matrix::new(front, rows, cols, extra, layout))
}
