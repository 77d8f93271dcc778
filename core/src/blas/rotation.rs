//! Plane rotations: the numbers that make one, found on the host.

use crate::element::{Float, Scalar, ScalarValue};
use crate::operation::RotmFlag;

/// A modified plane rotation, as `rotmg` of reference BLAS makes it: a 2 × 2 matrix `[h11 h12; h21 h22]`, some of whose elements
/// may be understood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rotm<T: Scalar + Float> {
    /// All elements are given (flag −1).
    Full {
        /// First row, first column.
        h11: T,
        /// Second row, first column.
        h21: T,
        /// First row, second column.
        h12: T,
        /// Second row, second column.
        h22: T,
    },
    /// The diagonal is 1 (flag 0).
    UnitDiagonal {
        /// Second row, first column.
        h21: T,
        /// First row, second column.
        h12: T,
    },
    /// `h12` is 1, and `h21` is −1 (flag 1).
    UnitOffDiagonal {
        /// First row, first column.
        h11: T,
        /// Second row, second column.
        h22: T,
    },
    /// Nothing changes (flag −2).
    Identity,
}

impl<T: Scalar + Float> Rotm<T> {
    /// The flag, and the elements `h11`, `h21`, `h12`, `h22`; what is understood is 0 here, as nothing looks at it.
    pub(super) fn arguments(self) -> (RotmFlag, [ScalarValue; 4]) {
        let zero = T::default();
        let (flag, h) = match self {
            Rotm::Full { h11, h21, h12, h22 } => (RotmFlag::Full, [h11, h21, h12, h22]),
            Rotm::UnitDiagonal { h21, h12 } => (RotmFlag::UnitDiagonal, [zero, h21, h12, zero]),
            Rotm::UnitOffDiagonal { h11, h22 } => (RotmFlag::UnitOffDiagonal, [h11, zero, zero, h22]),
            Rotm::Identity => (RotmFlag::Identity, [zero; 4]),
        };
        (flag, h.map(ScalarValue::new))
    }
}
