//! Results of floats.

use super::functions;
use super::{Compared, EQUAL, GREATER, LESS, UNORDERED};
use crate::reference::Patterns;
use warpwave_core::{BinaryOp, UnaryOp};

/// An operand and the result.
pub(super) fn unary(op: UnaryOp, patterns: Patterns) -> Vec<[u64; 2]> {
    let Patterns { sign, one, infinity, largest, normal, denormal, canonical, quiet, negative, signalling, .. } =
        patterns;
    let positive = [0, 1, denormal, normal, one, largest, infinity, canonical, quiet, signalling];
    // `negative` is a NaN of its own.
    let other = negative ^ sign;
    match op {
        // One bit changes, a NaN's too.
        UnaryOp::Neg => {
            let pairs = positive.iter().flat_map(|&x| [[x, x | sign], [x | sign, x]]);
            pairs.chain([[negative, other], [other, negative]]).collect()
        }
        UnaryOp::Abs => {
            let pairs = positive.iter().flat_map(|&x| [[x, x], [x | sign, x]]);
            pairs.chain([[negative, other]]).collect()
        }
        UnaryOp::Sqrt => vec![
            [0, 0],
            [sign, sign],
            [one, one],
            [one | sign, canonical],
            [1 | sign, canonical],
            [largest | sign, canonical],
            [infinity, infinity],
            [infinity | sign, canonical],
            [patterns.square, patterns.root],
            [canonical, canonical],
            [quiet, canonical],
            [negative, canonical],
            [signalling, canonical],
        ],
        // Those that are not for floats have none there either.
        _ => functions::unary(op, patterns),
    }
}

/// Two operands and the result.
pub(super) fn binary(op: BinaryOp, patterns: Patterns) -> Vec<[u64; 3]> {
    let Patterns { sign, one, two, infinity, largest, normal, denormal, canonical, .. } = patterns;
    let mut cases = match op {
        BinaryOp::Add => vec![
            [0, 0, 0],
            [0, sign, 0],
            [sign, 0, 0],
            [sign, sign, sign],
            [one, one | sign, 0],
            [one | sign, one, 0],
            [one, one, two],
            [infinity, infinity, infinity],
            [infinity, infinity | sign, canonical],
            [infinity | sign, infinity, canonical],
            [infinity | sign, largest, infinity | sign],
            [largest, largest, infinity],
            [largest | sign, largest | sign, infinity | sign],
            [largest, 1, largest],
            [1, 1, 2],
            [1, 1 | sign, 0],
            [denormal, 1, normal],
        ],
        BinaryOp::Sub => vec![
            [0, 0, 0],
            [0, sign, 0],
            [sign, 0, sign],
            [sign, sign, 0],
            [one, one, 0],
            [two, one, one],
            [infinity, infinity, canonical],
            [infinity | sign, infinity | sign, canonical],
            [infinity, infinity | sign, infinity],
            [largest, infinity, infinity | sign],
            [largest | sign, largest, infinity | sign],
            [1, 2, 1 | sign],
            [normal, 1, denormal],
        ],
        BinaryOp::Mul => vec![
            [0, 0, 0],
            [0, sign, sign],
            [sign, sign, 0],
            [one | sign, 0, sign],
            [0, infinity, canonical],
            [infinity | sign, 0, canonical],
            [infinity, infinity | sign, infinity | sign],
            [infinity | sign, infinity | sign, infinity],
            [1, infinity, infinity],
            [largest, two, infinity],
            [largest, two | sign, infinity | sign],
            [1, 1, 0],
            [1 | sign, 1, sign],
            [1, two, 2],
            [1, one, 1],
        ],
        BinaryOp::Div => vec![
            [0, 0, canonical],
            [sign, 0, canonical],
            [one, 0, infinity],
            [one, sign, infinity | sign],
            [one | sign, 0, infinity | sign],
            [1, 0, infinity],
            [infinity, 0, infinity],
            [infinity, sign, infinity | sign],
            [infinity, infinity, canonical],
            [infinity | sign, infinity, canonical],
            [infinity, two | sign, infinity | sign],
            [one, infinity, 0],
            [one | sign, infinity, sign],
            [0, one | sign, sign],
            [0, infinity, 0],
            [largest, 1, infinity],
            [1, 1, one],
            [2, two, 1],
            // Half the smallest number: to even.
            [1, two, 0],
            [1 | sign, two, sign],
        ],
        BinaryOp::Minimum | BinaryOp::MinimumNumber => vec![
            [0, sign, sign],
            [sign, 0, sign],
            [0, 0, 0],
            [sign, sign, sign],
            [1, 0, 0],
            [1 | sign, sign, 1 | sign],
            [one, two, one],
            [one | sign, two | sign, two | sign],
            [infinity, largest, largest],
            [largest | sign, infinity | sign, infinity | sign],
        ],
        BinaryOp::Maximum | BinaryOp::MaximumNumber => vec![
            [0, sign, 0],
            [sign, 0, 0],
            [0, 0, 0],
            [sign, sign, sign],
            [1, 0, 1],
            [1 | sign, sign, sign],
            [one, two, two],
            [one | sign, two | sign, one | sign],
            [infinity, largest, infinity],
            [largest | sign, infinity | sign, largest | sign],
        ],
        BinaryOp::Pow => return functions::power(patterns),
        // Not for floats.
        _ => return Vec::new(),
    };
    let dropped = matches!(op, BinaryOp::MinimumNumber | BinaryOp::MaximumNumber);
    for nan in patterns.nans() {
        for other in [0, sign, 1, one, one | sign, largest, infinity, infinity | sign] {
            let result = if dropped { other } else { canonical };
            cases.extend([[nan, other, result], [other, nan, result]]);
        }
        cases.extend(patterns.nans().map(|other| [nan, other, canonical]));
    }
    cases
}

/// Two operands and the results.
pub(super) fn comparisons(patterns: Patterns) -> Vec<([u64; 2], Compared)> {
    let Patterns { sign, one, two, infinity, largest, .. } = patterns;
    let mut cases = vec![
        ([0, 0], EQUAL),
        ([0, sign], EQUAL),
        ([sign, 0], EQUAL),
        ([0, 1], LESS),
        ([sign, 1], LESS),
        ([1 | sign, sign], LESS),
        ([1, 2], LESS),
        ([1, 0], GREATER),
        ([one, two], LESS),
        ([one | sign, two | sign], GREATER),
        ([one | sign, one], LESS),
        ([largest, infinity], LESS),
        ([infinity, infinity], EQUAL),
        ([infinity, infinity | sign], GREATER),
        ([infinity | sign, largest | sign], LESS),
    ];
    for nan in patterns.nans() {
        for other in [0, sign, one, infinity, infinity | sign] {
            cases.extend([([nan, other], UNORDERED), ([other, nan], UNORDERED)]);
        }
        cases.extend(patterns.nans().map(|other| ([nan, other], UNORDERED)));
    }
    cases
}
