//! Known answers: results that follow from the definitions in a line of arithmetic, with operands that tell every
//! plausible mistake from the right answer, and by what comes instead which mistake it is.
//!
//! The other cases of class R compare with the definitions of the core, which the CPU runs. These say what those must
//! come to. With `x = 1 + 2⁻ⁿ` and 2⁻²ⁿ at most the unit roundoff, `x² = 1 + 2¹⁻ⁿ + 2⁻²ⁿ` rounds to `y = 1 + 2¹⁻ⁿ`: a
//! product that is fused with `−y` gives 2⁻²ⁿ, and one that is rounded first gives 0.

mod products;
mod vectors;

pub(super) use products::{gemm, gemv};
pub(super) use vectors::check as vectors;

use crate::reference::Sample;

fn number<T: Sample>(value: f64) -> T {
    T::from_values([value, 0.0])
}

fn numbers<T: Sample>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| number(value)).collect()
}

/// Elements of patterns, the imaginary parts 0.
fn patterns<T: Sample>(patterns: &[u64]) -> Vec<T> {
    patterns.iter().map(|&pattern| T::from_patterns([pattern, 0])).collect()
}

/// `x`, its rounded square `y`, and `x² − y`, for a type with this unit roundoff.
fn square(unit: f64) -> [f64; 3] {
    let x = 1.0 + 2f64.powi(if unit < f32::UNIT { -27 } else { -12 });
    let y = 1.0 + 2.0 * (x - 1.0);
    [x, y, (x - 1.0) * (x - 1.0)]
}

/// Vectors with `first · 1` and `x · x` in the first lane of the tree, which 1024 elements lie between, and zeros in all
/// others.
fn same_lane(first: f64, x: f64) -> (Vec<f64>, Vec<f64>) {
    let vector = |first: f64| {
        let mut vector = vec![0.0; 1025];
        (vector[0], vector[1024]) = (first, x);
        vector
    };
    (vector(first), vector(1.0))
}
