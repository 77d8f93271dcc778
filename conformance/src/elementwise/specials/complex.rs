//! Results of complex numbers, which have the special values of their parts.

use super::{Compared, EQUAL, Parts, UNORDERED};
use crate::reference::Patterns;
use warpwave_core::{BinaryOp, DType, UnaryOp};

/// An operand and the result.
pub(super) fn unary(op: UnaryOp, patterns: Patterns) -> Vec<[Parts; 2]> {
    let Patterns { sign, one, two, infinity, quiet, negative, signalling, .. } = patterns;
    match op {
        UnaryOp::Neg => vec![
            [[one, two | sign], [one | sign, two]],
            [[0, sign], [sign, 0]],
            [[infinity, infinity | sign], [infinity | sign, infinity]],
            [[quiet, negative], [quiet ^ sign, negative ^ sign]],
            [[signalling, 1], [signalling ^ sign, 1 | sign]],
        ],
        UnaryOp::Conj => vec![
            [[one, two], [one, two | sign]],
            [[one | sign, two | sign], [one | sign, two]],
            [[0, 0], [0, sign]],
            [[sign, sign], [sign, 0]],
            [[infinity, infinity | sign], [infinity, infinity]],
            [[quiet, negative], [quiet, negative ^ sign]],
            [[signalling, signalling], [signalling, signalling ^ sign]],
        ],
        // Not for complex numbers.
        _ => Vec::new(),
    }
}

/// Two operands and the result.
pub(super) fn binary(op: BinaryOp, patterns: Patterns, dtype: DType) -> Vec<[Parts; 3]> {
    let Patterns { sign, one, two, infinity, largest, canonical, quiet, negative, signalling, .. } = patterns;
    match op {
        // By parts: what is special in one says nothing of the other.
        BinaryOp::Add => vec![
            [[one, two], [one, two | sign], [two, 0]],
            [[0, sign], [sign, sign], [0, sign]],
            [[infinity, one], [infinity | sign, one], [canonical, two]],
            [[quiet, one], [one, one], [canonical, two]],
            [[one, one], [one, signalling], [two, canonical]],
            [[largest, 1], [largest, 1], [infinity, 2]],
        ],
        BinaryOp::Sub => vec![
            [[two, one], [one, one], [one, 0]],
            [[sign, 0], [0, sign], [sign, 0]],
            [[infinity, infinity], [infinity, infinity | sign], [canonical, infinity]],
            [[negative, two], [one, one], [canonical, one]],
            [[1, 2], [2, 1], [1 | sign, 1]],
        ],
        // The real part is fma(−a.im, b.im, a.re · b.re), the imaginary one fma(a.im, b.re, a.re · b.im).
        BinaryOp::Mul => {
            let mut rows = vec![
                [[one, 0], [one, 0], [one, 0]],
                // i · i.
                [[0, one], [0, one], [one | sign, 0]],
                [[one, one], [one, one | sign], [two, 0]],
                [[0, 0], [one | sign, 0], [sign, 0]],
                // 0 · ∞ is NaN: an infinite number with a part 0 has one in the product.
                [[infinity, 0], [one, 0], [infinity, canonical]],
                [[one, 0], [infinity, 0], [infinity, canonical]],
                [[infinity, infinity], [one, one], [canonical, infinity]],
                [[quiet, 0], [one, 0], [canonical, canonical]],
                [[one, one], [0, negative], [canonical, canonical]],
            ];
            rows.extend(fused(sign, one, dtype));
            rows
        }
        // Not for complex numbers.
        _ => Vec::new(),
    }
}

/// Which of the two products of the real part is rounded. With `x = 1 + 2⁻ⁿ` and 2⁻²ⁿ at most the unit roundoff, `x²`
/// rounds to `y = 1 + 2¹⁻ⁿ` and is off by 2⁻²ⁿ.
fn fused(sign: u64, one: u64, dtype: DType) -> [[Parts; 3]; 2] {
    let [x, y, error, im] = match dtype {
        DType::C32 => [0x3f80_0800, 0x3f80_1000, 0x3380_0000, 0x4000_1000],
        _ => [0x3ff0_0000_0200_0000, 0x3ff0_0000_0400_0000, 0x3c90_0000_0000_0000, 0x4000_0000_0400_0000],
    };
    [
        // a.re · b.re = x² is rounded, so that y is the same.
        [[x, one], [x, y], [0, im]],
        // a.im · b.im = x² is not: y − x².
        [[one, x], [y, x], [error | sign, im]],
    ]
}

/// Two operands, and the results of `==` and `!=`: there is no order.
pub(super) fn comparisons(patterns: Patterns) -> Vec<([Parts; 2], Compared)> {
    let Patterns { sign, one, two, infinity, quiet, .. } = patterns;
    const DIFFERENT: Compared = UNORDERED;
    vec![
        ([[one, two], [one, two]], EQUAL),
        ([[one, two], [one, one]], DIFFERENT),
        ([[one, two], [two, two]], DIFFERENT),
        ([[one, two], [two, one]], DIFFERENT),
        ([[0, sign], [sign, 0]], EQUAL),
        ([[infinity, infinity | sign], [infinity, infinity | sign]], EQUAL),
        ([[infinity, infinity], [infinity, infinity | sign]], DIFFERENT),
        ([[quiet, 0], [quiet, 0]], DIFFERENT),
        ([[one, quiet], [one, quiet]], DIFFERENT),
    ]
}
