//! Results of elementary functions: C99, Annex F, and IEEE 754-2019, 9.2.1.

use crate::reference::Patterns;
use warpwave_core::UnaryOp;

/// An operand and the result; nothing for what is no elementary function.
pub(super) fn unary(op: UnaryOp, patterns: Patterns) -> Vec<[u64; 2]> {
    let Patterns { sign, one, two, infinity, largest, normal, denormal, canonical, .. } = patterns;
    // The patterns of powers of two are as far apart as 0 and the smallest normal number.
    let (half, four, eight) = (one - normal, two + normal, two + 2 * normal);
    let minus = |x: u64| x | sign;
    let positive = match op {
        UnaryOp::Exp | UnaryOp::Exp2 => {
            let mut cases = vec![
                [0, one],
                [sign, one],
                [1, one],
                [minus(1), one],
                [infinity, infinity],
                [minus(infinity), 0],
                [largest, infinity],
                [minus(largest), 0],
            ];
            if op == UnaryOp::Exp2 {
                cases.extend([[one, two], [two, four], [minus(one), half]]);
            }
            cases
        }
        UnaryOp::Expm1 => vec![
            [0, 0],
            [sign, sign],
            [1, 1],
            [minus(1), minus(1)],
            [denormal, denormal],
            [infinity, infinity],
            [minus(infinity), minus(one)],
            [largest, infinity],
            [minus(largest), minus(one)],
        ],
        UnaryOp::Log | UnaryOp::Log2 => {
            let mut cases = vec![
                [one, 0],
                [0, minus(infinity)],
                [sign, minus(infinity)],
                [infinity, infinity],
                [minus(infinity), canonical],
                [minus(one), canonical],
                [minus(1), canonical],
                [minus(largest), canonical],
            ];
            if op == UnaryOp::Log2 {
                cases.extend([[two, one], [four, two], [half, minus(one)]]);
            }
            cases
        }
        UnaryOp::Log1p => vec![
            [0, 0],
            [sign, sign],
            [1, 1],
            [minus(1), minus(1)],
            [denormal, denormal],
            [minus(one), minus(infinity)],
            [infinity, infinity],
            [minus(two), canonical],
            [minus(infinity), canonical],
        ],
        UnaryOp::Sin => vec![
            [0, 0],
            [sign, sign],
            [1, 1],
            [minus(denormal), minus(denormal)],
            [infinity, canonical],
            [minus(infinity), canonical],
        ],
        UnaryOp::Cos => {
            vec![[0, one], [sign, one], [1, one], [denormal, one], [infinity, canonical], [minus(infinity), canonical]]
        }
        UnaryOp::Sinpi => vec![
            [0, 0],
            [sign, sign],
            [half, one],
            [minus(half), minus(one)],
            [one, 0],
            [minus(one), sign],
            [two, 0],
            [largest, 0],
            [minus(largest), sign],
            [infinity, canonical],
            [minus(infinity), canonical],
        ],
        UnaryOp::Cospi => vec![
            [0, one],
            [sign, one],
            [half, 0],
            [minus(half), 0],
            [one, minus(one)],
            [minus(one), minus(one)],
            [two, one],
            [largest, one],
            [infinity, canonical],
            [minus(infinity), canonical],
        ],
        UnaryOp::Tanh | UnaryOp::Erf => {
            let mut cases = vec![
                [0, 0],
                [sign, sign],
                [1, 1],
                [minus(1), minus(1)],
                [largest, one],
                [minus(largest), minus(one)],
                [infinity, one],
                [minus(infinity), minus(one)],
            ];
            if op == UnaryOp::Tanh {
                cases.extend([[denormal, denormal], [minus(denormal), minus(denormal)]]);
            }
            cases
        }
        UnaryOp::Sigmoid => vec![
            [0, half],
            [sign, half],
            [1, half],
            [largest, one],
            [minus(largest), 0],
            [infinity, one],
            [minus(infinity), 0],
        ],
        UnaryOp::Rsqrt => vec![
            [0, infinity],
            [sign, minus(infinity)],
            [one, one],
            [four, half],
            [infinity, 0],
            [minus(infinity), canonical],
            [minus(one), canonical],
            [minus(1), canonical],
        ],
        UnaryOp::Cbrt => vec![
            [0, 0],
            [sign, sign],
            [one, one],
            [minus(one), minus(one)],
            [eight, two],
            [minus(eight), minus(two)],
            [infinity, infinity],
            [minus(infinity), minus(infinity)],
        ],
        _ => return Vec::new(),
    };
    positive.into_iter().chain(patterns.nans().map(|nan| [nan, canonical])).collect()
}

/// Base, exponent, and result of `pow`.
pub(super) fn power(patterns: Patterns) -> Vec<[u64; 3]> {
    let Patterns { sign, one, two, infinity, largest, normal, canonical, .. } = patterns;
    let (half, four) = (one - normal, two + normal);
    // The bits of 3.
    let three = two + normal / 2;
    let minus = |x: u64| x | sign;
    let mut cases = vec![
        // Zeros.
        [0, one, 0],
        [sign, one, sign],
        [sign, three, sign],
        [sign, two, 0],
        [sign, half, 0],
        [0, minus(one), infinity],
        [sign, minus(one), minus(infinity)],
        [sign, minus(two), infinity],
        [sign, minus(half), infinity],
        [0, minus(infinity), infinity],
        [sign, infinity, 0],
        // Infinities.
        [infinity, two, infinity],
        [infinity, 1, infinity],
        [infinity, minus(1), 0],
        [minus(infinity), three, minus(infinity)],
        [minus(infinity), two, infinity],
        [minus(infinity), half, infinity],
        [minus(infinity), minus(three), sign],
        [minus(infinity), minus(two), 0],
        [minus(one), infinity, one],
        [minus(one), minus(infinity), one],
        [two, infinity, infinity],
        [minus(two), infinity, infinity],
        [two, minus(infinity), 0],
        [half, infinity, 0],
        [half, minus(infinity), infinity],
        // Negative bases.
        [minus(two), three, minus(two + 2 * normal)],
        [minus(two), two, four],
        [minus(one), largest, one],
        [minus(two), half, canonical],
        [minus(largest), half, canonical],
        [minus(1), 1, canonical],
        // Exact results, and those out of range.
        [four, half, two],
        [two, minus(one), half],
        [1, one, 1],
        [largest, one, largest],
        [minus(largest), one, minus(largest)],
        [largest, two, infinity],
        [largest, largest, infinity],
        [largest, minus(largest), 0],
        [1, two, 0],
        [minus(1), three, sign],
        [1, largest, 0],
        [largest, 1, one],
    ];
    // Whatever there is to the power of zero is 1, and 1 to whatever power.
    let all = [0, 1, one, two, largest, infinity].into_iter().flat_map(|x| [x, minus(x)]).chain(patterns.nans());
    cases.extend(all.flat_map(|x| [[x, 0, one], [x, sign, one], [one, x, one]]));
    for nan in patterns.nans() {
        cases.extend([one, two, 1, infinity, minus(infinity)].map(|other| [nan, other, canonical]));
        cases.extend([0, sign, two, minus(one), infinity, 1].map(|other| [other, nan, canonical]));
        cases.extend(patterns.nans().map(|other| [nan, other, canonical]));
    }
    cases
}
