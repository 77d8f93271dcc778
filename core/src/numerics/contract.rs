//! The contract as a table: what every operation promises for every type, for programs to read.
//!
//! A [`Row`] holds for every device. The documentation, the conformance suite and [`Backend::supports`](crate::Backend::supports)
//! all take it from here.

use crate::element::DType;
use crate::operation::{OperationKind, Precision};

/// How far results are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// R: the same bits on every device.
    Reproducible,
    /// B: within an error bound that follows from the number of operations.
    Bounded,
    /// U: a vendor's or a platform's function, within a number of units in the last place.
    Ulp,
}

impl Class {
    /// The letter used in reports.
    pub const fn letter(self) -> char {
        match self {
            Class::Reproducible => 'R',
            Class::Bounded => 'B',
            Class::Ulp => 'U',
        }
    }
}

/// How far a result may be from the definition. A bound holds where no product, sum or quotient on the way overflows;
/// `η` is the smallest denormal of the result's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Not at all: the bits of the definition.
    Exact,
    /// This many units in the last place.
    Ulp(f64),
    /// Each element of `C = α·A·B + β·C₀`, with `k` the dimension summed over:
    /// `|C − Ĉ| ≤ factor · (k + 2) · (unit · (|α||A||B| + |β||C₀|) + η · max(1, |α|)) + output · |C|`
    /// (Rump and Jeannerod's form of the bound, which needs no condition on `k · unit`). The term of `η` is for underflow:
    /// what is lost in a sum is multiplied by `α`.
    Dot {
        /// 1 for real types; 2√2 for complex ones, whose product has two roundings in each part. It covers their
        /// underflow too, which is `√2 · η` in a step at most.
        factor: f64,
        /// The unit roundoff of operands and accumulation, whichever is coarser.
        unit: f64,
        /// The unit roundoff of the result's type, where it is narrower than the accumulation; else 0.
        output: f64,
    },
    /// Each element of the residual of a solution `X̂` of `T·X = α·B`, with `n` the order of `T` and `t` its element of the
    /// largest magnitude: `|α·B − T·X̂| ≤ factor · (n + 2) · (unit · (|T||X̂| + |α||B|) + η · max(1, |t|))`
    /// (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., theorem 8.5).
    Backward {
        /// 1 for real types; 2√2 for complex ones.
        factor: f64,
        /// The unit roundoff of operands and accumulation.
        unit: f64,
    },
}

/// What becomes of NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NanRule {
    /// The type has none.
    None,
    /// Operands' bits pass through; at most the sign changes.
    Bits,
    /// A result of arithmetic that is NaN is the canonical NaN. Where the definition hands elements on (a cast to the same type,
    /// `alpha = 0`, `beta = 1` with nothing to add) their bits stay.
    Canonical,
    /// A NaN operand loses against a number; of two, the canonical NaN.
    Ignored,
    /// Compares as IEEE 754 says: unequal to everything.
    Unordered,
    /// The first NaN is the result.
    First,
    /// A result is NaN where the definition's is; sign and payload are open. Where a scalar, an operand, a product or a
    /// sum is infinite, either part of a complex result may be NaN or not; and so may a real result where a sum
    /// overflows.
    Any,
}

/// How the conformance suite checks an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Operands whose results are exactly representable, and special values: equal bits.
    Exact,
    /// Random operands against a reference of higher precision.
    Bounded,
    /// NaN in all that must not be read, guard bytes around all that must not be written.
    Poison,
}

/// Whether a [`Lane`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applies {
    /// It does, and must have cases.
    Yes,
    /// It does not, for this reason.
    No(&'static str),
}

/// What one operation promises for one type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The operation.
    pub kind: OperationKind,
    /// The type of its first input, as in [`Operation::dtype`](crate::Operation::dtype).
    pub dtype: DType,
    /// For the operations that [have one](OperationKind::has_precision).
    pub precision: Option<Precision>,
    /// How far results are determined.
    pub class: Class,
    /// How far they may be from the definition.
    pub bound: Bound,
    /// For the [elementary functions](super::math), whose definitions are no exact results: see [`max_ulp`].
    pub max_ulp: Option<f64>,
    /// What becomes of NaN.
    pub nan: NanRule,
    /// Whether denormal operands and results are kept; if not, they may be.
    pub denormals_kept: bool,
    /// Whether the same call on the same device gives the same bits every time.
    pub deterministic: bool,
    /// Each [`Lane`], and whether it applies.
    pub lanes: [(Lane, Applies); 3],
}

/// What an operation does to its operands: what decides its row.
#[derive(Clone, Copy, PartialEq)]
enum Nature {
    /// Moves bits, or changes them one by one.
    Bits,
    /// Rounds.
    Arithmetic,
    /// Returns one of its operands.
    Choice,
    /// Returns a truth value.
    Comparison,
    /// Returns an index.
    Index,
    /// Returns a number of elements.
    Count,
}

/// The nature of an operation, and the types that it exists for.
fn describe(kind: OperationKind) -> (Nature, fn(DType) -> bool) {
    use OperationKind as K;
    let any = |_: DType| true;
    let real = |t: DType| !t.is_complex();
    let blas = |t: DType| matches!(t, DType::F32 | DType::F64 | DType::C32 | DType::C64);
    let gemm = |t: DType| t.is_float() || t.is_complex();
    match kind {
        K::Fill | K::Select | K::Transpose | K::Copy => (Nature::Bits, any),
        K::Neg => (Nature::Bits, |t| !is_unsigned(t)),
        K::Abs => (Nature::Bits, |t| !is_unsigned(t) && !t.is_complex()),
        K::Conj => (Nature::Bits, DType::is_complex),
        K::Swap => (Nature::Bits, blas),
        K::Gather | K::Scatter | K::Compact | K::Permute => (Nature::Bits, any),
        K::Sort | K::SortPairs => (Nature::Bits, real),
        K::Random => (Nature::Bits, real),
        K::Histogram => (Nature::Count, DType::is_integer),
        K::InclusiveSum | K::InclusiveProd | K::ExclusiveSum | K::ExclusiveProd => (Nature::Arithmetic, any),
        K::InclusiveMin | K::InclusiveMax | K::ExclusiveMin | K::ExclusiveMax => (Nature::Choice, real),
        K::Mean | K::MeanRows | K::MeanCols => (Nature::Arithmetic, gemm),
        K::Softmax | K::SoftmaxRows | K::SoftmaxCols => (Nature::Arithmetic, DType::is_float),
        K::LogSoftmax | K::LogSoftmaxRows | K::LogSoftmaxCols => (Nature::Arithmetic, DType::is_float),
        K::LayerNorm | K::LayerNormRows | K::LayerNormCols | K::Normal => (Nature::Arithmetic, DType::is_float),
        K::Argmin | K::Argmax | K::ArgminRows | K::ArgmaxRows | K::ArgminCols | K::ArgmaxCols => (Nature::Index, real),
        K::Not | K::And | K::Or | K::Xor | K::Shl | K::Shr => (Nature::Bits, DType::is_integer),
        K::Cast | K::Add | K::Sub | K::Mul | K::Sum | K::Prod => (Nature::Arithmetic, any),
        K::SumRows | K::ProdRows | K::SumCols | K::ProdCols => (Nature::Arithmetic, any),
        K::Iota | K::Div => (Nature::Arithmetic, real),
        K::Rem => (Nature::Arithmetic, DType::is_integer),
        K::Sqrt | K::Rsqrt | K::Cbrt | K::Pow => (Nature::Arithmetic, DType::is_float),
        K::Exp | K::Exp2 | K::Expm1 | K::Log | K::Log2 | K::Log1p => (Nature::Arithmetic, DType::is_float),
        K::Sin | K::Cos | K::Sinpi | K::Cospi => (Nature::Arithmetic, DType::is_float),
        K::Tanh | K::Sigmoid | K::Erf => (Nature::Arithmetic, DType::is_float),
        K::Minimum | K::Maximum | K::MinimumNumber | K::MaximumNumber | K::Min | K::Max => (Nature::Choice, real),
        K::MinRows | K::MaxRows | K::MinCols | K::MaxCols => (Nature::Choice, real),
        K::Eq | K::Ne => (Nature::Comparison, any),
        K::Lt | K::Le | K::Gt | K::Ge => (Nature::Comparison, real),
        K::Iamax | K::Iamin => (Nature::Index, blas),
        K::Scal | K::Axpy | K::Dot | K::Dotc | K::Nrm2 | K::Asum | K::Rot => (Nature::Arithmetic, blas),
        K::Rotm => (Nature::Arithmetic, |t| matches!(t, DType::F32 | DType::F64)),
        K::Gemv | K::Symv | K::Trmv | K::Trsv | K::Ger | K::Syr => (Nature::Arithmetic, blas),
        K::Symm | K::Syrk | K::Trmm | K::Trsm => (Nature::Arithmetic, blas),
        K::Gerc | K::Her | K::Hemv | K::Hemm | K::Herk => (Nature::Arithmetic, DType::is_complex),
        K::Gemm | K::GemmBatched => (Nature::Arithmetic, gemm),
        K::Count => (Nature::Count, |t| t == DType::U8),
    }
}

fn is_unsigned(dtype: DType) -> bool {
    matches!(dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64)
}

/// Whether the operation exists for inputs of this type.
pub fn supports(kind: OperationKind, dtype: DType) -> bool {
    describe(kind).1(dtype)
}

/// The row of an operation; `None` if there is no such operation for the type. `precision` is ignored where an operation has
/// none; those that [have one](OperationKind::has_precision) have a row for each, and none without.
pub fn find(kind: OperationKind, dtype: DType, precision: Option<Precision>) -> Option<Row> {
    let (nature, exists) = describe(kind);
    if !exists(dtype) {
        return None;
    }
    let precise = kind.has_precision();
    let precision = if precise { Some(precision?) } else { None };
    let reproducible = !matches!(precision, Some(Precision::Strict | Precision::Fast));
    let fast = precision == Some(Precision::Fast);
    let integer = dtype.is_integer();
    Some(Row {
        kind,
        dtype,
        precision,
        class: if reproducible { Class::Reproducible } else { Class::Bounded },
        bound: if reproducible { Bound::Exact } else { bound(kind, dtype, fast) },
        max_ulp: max_ulp(kind, dtype),
        nan: nan_rule(kind, nature, integer, reproducible),
        denormals_kept: !fast || matches!(dtype, DType::F64 | DType::C64),
        deterministic: !fast,
        lanes: [
            (Lane::Exact, Applies::Yes),
            (Lane::Bounded, bounded_lane(kind, nature, integer)),
            // Even an operation that reads all its operands must leave what lies around its output alone.
            (Lane::Poison, Applies::Yes),
        ],
    })
}

/// Every row, by operation, type and precision in the order of their declarations.
pub fn rows() -> impl Iterator<Item = Row> {
    OperationKind::ALL.iter().flat_map(|&kind| {
        let precisions: &[Option<Precision>] = match kind {
            _ if kind.has_precision() => {
                &[Some(Precision::Strict), Some(Precision::Fast), Some(Precision::Reproducible)]
            }
            _ => &[None],
        };
        DType::ALL.iter().flat_map(move |&dtype| precisions.iter().filter_map(move |&p| find(kind, dtype, p)))
    })
}

/// The largest error of an elementary function that was found, in units in the last place of the exact result: the table of
/// [`numerics::math`](super::math), where it is said for which arguments; for `f16` and `bf16` what is bound to come of that of `f32`.
/// `None` for other operations, whose definitions are the exact result or a rounding of it, and for other types.
pub fn max_ulp(kind: OperationKind, dtype: DType) -> Option<f64> {
    super::math::max_ulp(kind, dtype)
}

fn bound(kind: OperationKind, dtype: DType, fast: bool) -> Bound {
    let (own, strict, reduced) = match dtype {
        // TF32 has the fraction of f16.
        DType::F32 | DType::C32 => (24, 24, 11),
        DType::F16 => (11, 24, 11),
        DType::Bf16 => (8, 24, 8),
        _ => (53, 53, 53),
    };
    let power = |precision: i32| 2f64.powi(-precision);
    let factor = if dtype.is_complex() { 2.0 * std::f64::consts::SQRT_2 } else { 1.0 };
    let unit = power(if fast { reduced } else { strict });
    match kind {
        OperationKind::Trsv | OperationKind::Trsm => Bound::Backward { factor, unit },
        _ => Bound::Dot { factor, unit, output: if own < strict { power(own) } else { 0.0 } },
    }
}

fn nan_rule(kind: OperationKind, nature: Nature, integer: bool, reproducible: bool) -> NanRule {
    match nature {
        _ if integer => NanRule::None,
        _ if !reproducible => NanRule::Any,
        _ if matches!(kind, OperationKind::MinimumNumber | OperationKind::MaximumNumber) => NanRule::Ignored,
        Nature::Bits => NanRule::Bits,
        Nature::Arithmetic | Nature::Choice => NanRule::Canonical,
        Nature::Comparison => NanRule::Unordered,
        Nature::Index => NanRule::First,
        Nature::Count => NanRule::None,
    }
}

fn bounded_lane(kind: OperationKind, nature: Nature, integer: bool) -> Applies {
    match nature {
        Nature::Bits => Applies::No("a bit operation has no rounding error"),
        Nature::Choice => Applies::No("the result is one of the operands"),
        Nature::Comparison => Applies::No("the result is 0 or 1"),
        Nature::Index => Applies::No("the result is an index"),
        Nature::Count => Applies::No("the result is a number of elements"),
        // Integers convert to floats, which rounds.
        Nature::Arithmetic if integer && kind != OperationKind::Cast => Applies::No("integer results are exact"),
        Nature::Arithmetic => Applies::Yes,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::element::ScalarValue;
    use crate::numerics::scalar;
    use crate::operation::{BinaryOp, CompareOp, UnaryOp};
    use std::collections::HashSet;

    #[test]
    fn every_operation_has_rows_and_none_twice() {
        let mut seen = HashSet::new();
        for row in rows() {
            assert!(seen.insert((row.kind, row.dtype, row.precision)), "{row:?}");
            assert_eq!(find(row.kind, row.dtype, row.precision), Some(row));
        }
        for &kind in OperationKind::ALL {
            assert!(seen.iter().any(|&(k, ..)| k == kind), "{kind}");
            for dtype in DType::ALL {
                assert_eq!(
                    supports(kind, dtype),
                    seen.iter().any(|&(k, d, _)| (k, d) == (kind, dtype)),
                    "{kind} {dtype}"
                );
            }
        }
        // 3 precisions: gemm and gemm_batched for 6 types, hemv, hemm and herk for 2, the other eight for 4.
        assert_eq!(rows().filter(|row| row.precision.is_some()).count(), 3 * (2 * 6 + 3 * 2 + 8 * 4));
    }

    #[test]
    fn class_and_bound_agree() {
        for row in rows() {
            assert_eq!(row.class == Class::Reproducible, row.bound == Bound::Exact, "{row:?}");
            assert!(row.class != Class::Reproducible || (row.deterministic && row.denormals_kept), "{row:?}");
            assert_eq!(row.lanes.map(|(lane, _)| lane), [Lane::Exact, Lane::Bounded, Lane::Poison]);
            assert_eq!(row.nan == NanRule::None, row.dtype.is_integer(), "{row:?}");
        }
        let strict = find(OperationKind::Gemm, DType::F16, Some(Precision::Strict)).unwrap();
        assert_eq!(strict.bound, Bound::Dot { factor: 1.0, unit: 2f64.powi(-24), output: 2f64.powi(-11) });
        assert_eq!(find(OperationKind::Gemm, DType::F32, None), None);
    }

    /// The table and the definitions agree on which operations exist for which types.
    #[test]
    fn rows_are_what_the_definitions_define() {
        for dtype in DType::ALL {
            let one = scalar::cast(ScalarValue::new(1_u8), dtype).unwrap();
            for &op in UnaryOp::ALL {
                assert_eq!(supports(op.into(), dtype), scalar::unary(op, one).is_some(), "{op} {dtype}");
            }
            for &op in BinaryOp::ALL {
                assert_eq!(supports(op.into(), dtype), scalar::binary(op, one, one).is_some(), "{op} {dtype}");
            }
            for &op in CompareOp::ALL {
                assert_eq!(supports(op.into(), dtype), scalar::compare(op, one, one).is_some(), "{op} {dtype}");
            }
            assert_eq!(supports(OperationKind::Iota, dtype), scalar::iota(one, one, 0).is_some(), "{dtype}");
        }
    }
}
