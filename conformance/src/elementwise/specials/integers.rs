//! Results of integers: at the ends of the range, with divisors of 0, and with shifts past the width.

use super::{Compared, EQUAL, GREATER, LESS};
use warpwave_core::{BinaryOp, DType, UnaryOp};

/// A type of integers. Values are those of the type modulo 2 to the width, so that −1 is the largest unsigned one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers {
    width: i64,
    signed: bool,
    least: i64,
    greatest: i64,
    /// Only the highest bit, and all others.
    high: i64,
    low: i64,
}

/// Values as patterns; what is above the width is ignored.
fn patterns<const N: usize>(values: &[[i64; N]]) -> Vec<[u64; N]> {
    values.iter().map(|row| row.map(i64::cast_unsigned)).collect()
}

impl Integers {
    pub(super) fn of(dtype: DType) -> Self {
        let width = 8 * dtype.size() as i64;
        let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
        let high = i64::MIN >> (64 - width);
        let low = !high;
        let (least, greatest) = if signed { (high, low) } else { (0, -1) };
        Integers { width, signed, least, greatest, high, low }
    }

    /// An operand and the result.
    pub(super) fn unary(self, op: UnaryOp) -> Vec<[u64; 2]> {
        let Integers { least, greatest, low, high, .. } = self;
        match op {
            UnaryOp::Neg => patterns(&[[0, 0], [1, -1], [-1, 1], [low, high + 1], [high, high]]),
            UnaryOp::Abs => patterns(&[[0, 0], [1, 1], [-1, 1], [low, low], [high + 1, low], [high, high]]),
            UnaryOp::Not => {
                patterns(&[[0, -1], [-1, 0], [1, -2], [least, greatest], [greatest, least], [high, low], [5, -6]])
            }
            // Not for integers.
            _ => Vec::new(),
        }
    }

    /// Two operands and the result.
    pub(super) fn binary(self, op: BinaryOp) -> Vec<[u64; 3]> {
        let Integers { width, signed, least, greatest, high, low } = self;
        let half = 1 << (width / 2);
        match op {
            BinaryOp::Add => {
                patterns(&[[0, 0, 0], [greatest, 1, least], [least, -1, greatest], [low, low, -2], [high, high, 0]])
            }
            BinaryOp::Sub => {
                patterns(&[[0, 1, -1], [least, 1, greatest], [greatest, -1, least], [0, high, high], [high, high, 0]])
            }
            BinaryOp::Mul => patterns(&[
                [0, -1, 0],
                [-1, 7, -7],
                [-1, -1, 1],
                [low, 2, -2],
                [low, low, 1],
                [high, -1, high],
                [high, high, 0],
                [half, half, 0],
            ]),
            BinaryOp::Div if signed => patterns(&[
                [7, 2, 3],
                [-7, 2, -3],
                [7, -2, -3],
                [-7, -2, 3],
                [least, -1, least],
                [least, 1, least],
                [least, greatest, -1],
                [1, greatest, 0],
                [0, 0, 0],
                [5, 0, 0],
                [-5, 0, 0],
                [least, 0, 0],
            ]),
            BinaryOp::Div => patterns(&[
                [7, 2, 3],
                [-1, 2, low],
                [-1, -1, 1],
                [1, -1, 0],
                [-1, 1, -1],
                [0, 0, 0],
                [5, 0, 0],
                [-1, 0, 0],
            ]),
            BinaryOp::Rem if signed => patterns(&[
                [7, 2, 1],
                [-7, 2, -1],
                [7, -2, 1],
                [-7, -2, -1],
                [least, -1, 0],
                [least, greatest, -1],
                [greatest, least, greatest],
                [0, 0, 0],
                [5, 0, 5],
                [-5, 0, -5],
                [least, 0, least],
            ]),
            // 255, 65535, … end in the digit 5.
            BinaryOp::Rem => {
                patterns(&[[7, 2, 1], [-1, 10, 5], [-1, -1, 0], [1, -1, 1], [0, 0, 0], [5, 0, 5], [-1, 0, -1]])
            }
            BinaryOp::Minimum | BinaryOp::MinimumNumber => {
                let ones = if signed { -1 } else { 1 };
                patterns(&[
                    [1, 2, 1],
                    [2, 1, 1],
                    [least, greatest, least],
                    [greatest, least, least],
                    [-1, 1, ones],
                    [1, -1, ones],
                ])
            }
            BinaryOp::Maximum | BinaryOp::MaximumNumber => {
                let ones = if signed { 1 } else { -1 };
                patterns(&[
                    [1, 2, 2],
                    [2, 1, 2],
                    [least, greatest, greatest],
                    [greatest, least, greatest],
                    [-1, 1, ones],
                    [1, -1, ones],
                ])
            }
            BinaryOp::And => patterns(&[[0b1100, 0b1010, 0b1000], [-1, 5, 5], [high, low, 0], [high, -1, high]]),
            BinaryOp::Or => patterns(&[[0b1100, 0b1010, 0b1110], [0, 5, 5], [high, low, -1], [0, 0, 0]]),
            BinaryOp::Xor => patterns(&[[0b1100, 0b1010, 0b0110], [-1, -1, 0], [low, -1, high], [high, low, -1]]),
            // A count is unsigned: −1 and `high` are far past the width.
            BinaryOp::Shl => patterns(&[
                [5, 2, 20],
                [1, 0, 1],
                [1, width - 1, high],
                [-1, width - 1, high],
                [1, width, 0],
                [-1, width, 0],
                [3, width + 1, 0],
                [1, -1, 0],
                [1, high, 0],
                [1, low, 0],
            ]),
            BinaryOp::Shr => {
                // What comes in from above.
                let fill = if signed { -1 } else { 0 };
                patterns(&[
                    [20, 2, 5],
                    [high, 0, high],
                    [high, width - 1, if signed { -1 } else { 1 }],
                    [-1, 1, if signed { -1 } else { low }],
                    [low, width - 2, 1],
                    [low, width - 1, 0],
                    [low, width, 0],
                    [low, -1, 0],
                    [high, width, fill],
                    [-1, width + 1, fill],
                    [-1, -1, fill],
                    [high, high, fill],
                ])
            }
            // Not of integers.
            _ => Vec::new(),
        }
    }

    /// Two operands and the results.
    pub(super) fn comparisons(self) -> Vec<([u64; 2], Compared)> {
        let Integers { signed, least, greatest, high, low, .. } = self;
        let (mixed, ends) = if signed { (LESS, LESS) } else { (GREATER, GREATER) };
        let rows = [
            ([0, 0], EQUAL),
            ([1, 2], LESS),
            ([2, 1], GREATER),
            ([-1, -1], EQUAL),
            ([-2, -1], LESS),
            ([-1, -2], GREATER),
            ([-1, 1], mixed),
            ([high, low], ends),
            ([least, greatest], LESS),
            ([greatest, least], GREATER),
            ([least, least], EQUAL),
        ];
        rows.map(|(operands, results)| (operands.map(i64::cast_unsigned), results)).to_vec()
    }
}
