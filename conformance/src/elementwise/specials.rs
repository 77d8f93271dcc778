//! Special values, against bit patterns that are written out.
//!
//! The other checks compare special values with the definitions of the core, which the CPU runs: were a definition wrong,
//! both sides would be. What is here is computed by nobody. The results follow from IEEE 754-2019 and from the contract:
//! a NaN result is the canonical NaN, `min` and `max` propagate NaN, `min_num` and `max_num` leave it out, −0 < +0.

use super::compare;
use super::operands::Call;
use crate::check::Check;
use crate::failure::Verdict;
use crate::reference::Sample;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{
    BinaryOp, Blas, Buffer, CompareOp, DType, Device, Op, OperationKind, Precision, Stream, UnaryOp, bf16, f16,
};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check::<f16, D>(F16));
    checks.push(check::<bf16, D>(BF16));
    checks.push(check::<f32, D>(F32));
    checks.push(check::<f64, D>(F64));
    let ending = Check::new("elementwise.specials.fused_ending", fused_ending);
    let precision = Some(Precision::Reproducible);
    checks.push(ending.covering(OperationKind::Gemv, DType::F32, precision).covering(
        OperationKind::Gemm,
        DType::F32,
        precision,
    ));
}

const BINARY: [BinaryOp; 8] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::MinNum,
    BinaryOp::MaxNum,
];

/// In the order of [`Compared`].
const COMPARISONS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// The patterns of a type.
#[derive(Clone, Copy, Debug)]
struct Patterns {
    /// The sign's bit.
    sign: u64,
    one: u64,
    two: u64,
    infinity: u64,
    largest: u64,
    /// The smallest normal number, and the largest denormal one.
    normal: u64,
    denormal: u64,
    canonical: u64,
    /// A quiet NaN with a payload.
    quiet: u64,
    /// A quiet NaN with a payload and the sign.
    negative: u64,
    signalling: u64,
    /// A denormal number whose root is exact, and that.
    square: u64,
    root: u64,
}

const F16: Patterns = Patterns {
    sign: 0x8000,
    one: 0x3c00,
    two: 0x4000,
    infinity: 0x7c00,
    largest: 0x7bff,
    normal: 0x0400,
    denormal: 0x03ff,
    canonical: 0x7e00,
    quiet: 0x7e15,
    negative: 0xfe2a,
    signalling: 0x7c01,
    // 2⁻²⁴ and 2⁻¹².
    square: 0x0001,
    root: 0x0c00,
};

const BF16: Patterns = Patterns {
    sign: 0x8000,
    one: 0x3f80,
    two: 0x4000,
    infinity: 0x7f80,
    largest: 0x7f7f,
    normal: 0x0080,
    denormal: 0x007f,
    canonical: 0x7fc0,
    quiet: 0x7fd5,
    negative: 0xffea,
    signalling: 0x7f81,
    // 2⁻¹³² and 2⁻⁶⁶.
    square: 0x0002,
    root: 0x1e80,
};

const F32: Patterns = Patterns {
    sign: 0x8000_0000,
    one: 0x3f80_0000,
    two: 0x4000_0000,
    infinity: 0x7f80_0000,
    largest: 0x7f7f_ffff,
    normal: 0x0080_0000,
    denormal: 0x007f_ffff,
    canonical: 0x7fc0_0000,
    quiet: 0x7fc1_2345,
    negative: 0xffd5_4321,
    signalling: 0x7f80_0001,
    // 2⁻¹⁴⁸ and 2⁻⁷⁴.
    square: 0x0000_0002,
    root: 0x1a80_0000,
};

const F64: Patterns = Patterns {
    sign: 0x8000_0000_0000_0000,
    one: 0x3ff0_0000_0000_0000,
    two: 0x4000_0000_0000_0000,
    infinity: 0x7ff0_0000_0000_0000,
    largest: 0x7fef_ffff_ffff_ffff,
    normal: 0x0010_0000_0000_0000,
    denormal: 0x000f_ffff_ffff_ffff,
    canonical: 0x7ff8_0000_0000_0000,
    quiet: 0x7ff8_0123_4567_89ab,
    negative: 0xfffa_ba98_7654_3210,
    signalling: 0x7ff0_0000_0000_0001,
    // 2⁻¹⁰⁷⁴ and 2⁻⁵³⁷.
    square: 0x0000_0000_0000_0001,
    root: 0x1e60_0000_0000_0000,
};

fn check<T: Sample, D: Device>(patterns: Patterns) -> Check<D> {
    let check = Check::new(format!("elementwise.specials.{}", T::DTYPE), move |session| run::<T, D>(session, patterns));
    let kinds = BINARY.map(OperationKind::from).into_iter().chain(COMPARISONS.map(OperationKind::from));
    kinds.chain([UnaryOp::Sqrt.into()]).fold(check, |check, kind| check.covering(kind, T::DTYPE, None))
}

fn elements<T: Sample>(patterns: impl IntoIterator<Item = u64>) -> Vec<T> {
    patterns.into_iter().map(|pattern| T::from_patterns([pattern, 0])).collect()
}

fn run<T: Sample, D: Device>(session: &mut Session<'_, D>, patterns: Patterns) -> Verdict {
    session.each(Lane::Exact, BINARY, |case, op| {
        let cases = patterns.binary(op);
        let a = elements::<T>(cases.iter().map(|case| case.0));
        let b = elements::<T>(cases.iter().map(|case| case.1));
        let want = elements::<T>(cases.iter().map(|case| case.2));
        let got = Call::of_views(a.len()).binary(case, op, &a, &b)?;
        case.bits("out", &got, &want)
    })?;
    session.once(Lane::Exact, |case| {
        let cases = patterns.roots();
        let x = elements::<T>(cases.map(|case| case.0));
        let want = elements::<T>(cases.map(|case| case.1));
        let got = Call::of_views(x.len()).unary(case, UnaryOp::Sqrt, &x)?;
        case.bits("sqrt", &got, &want)
    })?;
    session.each(Lane::Exact, (0..).zip(COMPARISONS), |case, (i, op): (usize, CompareOp)| {
        let cases = patterns.comparisons();
        let a = elements::<T>(cases.iter().map(|case| case.0));
        let b = elements::<T>(cases.iter().map(|case| case.1));
        let want: Vec<u8> = cases.iter().map(|case| case.2[i]).collect();
        let got = compare::run(case, op, &Call::of_views(a.len()), &a, &b)?;
        case.bits("out", &got, &want)
    })
}

/// The results of `==`, `!=`, `<`, `<=`, `>` and `>=`.
type Compared = [u8; 6];
const LESS: Compared = [0, 1, 1, 1, 0, 0];
const EQUAL: Compared = [1, 0, 0, 1, 0, 1];
const GREATER: Compared = [0, 1, 0, 0, 1, 1];
const UNORDERED: Compared = [0, 1, 0, 0, 0, 0];

impl Patterns {
    fn nans(self) -> [u64; 4] {
        [self.canonical, self.quiet, self.negative, self.signalling]
    }

    /// Two operands and the result.
    fn binary(self, op: BinaryOp) -> Vec<(u64, u64, u64)> {
        let Patterns { sign, one, two, infinity, largest, normal, denormal, canonical, .. } = self;
        let mut cases = match op {
            BinaryOp::Add => vec![
                (0, 0, 0),
                (0, sign, 0),
                (sign, 0, 0),
                (sign, sign, sign),
                (one, one | sign, 0),
                (one | sign, one, 0),
                (one, one, two),
                (infinity, infinity, infinity),
                (infinity, infinity | sign, canonical),
                (infinity | sign, infinity, canonical),
                (infinity | sign, largest, infinity | sign),
                (largest, largest, infinity),
                (largest | sign, largest | sign, infinity | sign),
                (largest, 1, largest),
                (1, 1, 2),
                (1, 1 | sign, 0),
                (denormal, 1, normal),
            ],
            BinaryOp::Sub => vec![
                (0, 0, 0),
                (0, sign, 0),
                (sign, 0, sign),
                (sign, sign, 0),
                (one, one, 0),
                (two, one, one),
                (infinity, infinity, canonical),
                (infinity | sign, infinity | sign, canonical),
                (infinity, infinity | sign, infinity),
                (largest, infinity, infinity | sign),
                (largest | sign, largest, infinity | sign),
                (1, 2, 1 | sign),
                (normal, 1, denormal),
            ],
            BinaryOp::Mul => vec![
                (0, 0, 0),
                (0, sign, sign),
                (sign, sign, 0),
                (one | sign, 0, sign),
                (0, infinity, canonical),
                (infinity | sign, 0, canonical),
                (infinity, infinity | sign, infinity | sign),
                (infinity | sign, infinity | sign, infinity),
                (1, infinity, infinity),
                (largest, two, infinity),
                (largest, two | sign, infinity | sign),
                (1, 1, 0),
                (1 | sign, 1, sign),
                (1, two, 2),
                (1, one, 1),
            ],
            BinaryOp::Div => vec![
                (0, 0, canonical),
                (sign, 0, canonical),
                (one, 0, infinity),
                (one, sign, infinity | sign),
                (one | sign, 0, infinity | sign),
                (1, 0, infinity),
                (infinity, 0, infinity),
                (infinity, sign, infinity | sign),
                (infinity, infinity, canonical),
                (infinity | sign, infinity, canonical),
                (infinity, two | sign, infinity | sign),
                (one, infinity, 0),
                (one | sign, infinity, sign),
                (0, one | sign, sign),
                (0, infinity, 0),
                (largest, 1, infinity),
                (1, 1, one),
                (2, two, 1),
                // Half the smallest number: to even.
                (1, two, 0),
                (1 | sign, two, sign),
            ],
            BinaryOp::Min | BinaryOp::MinNum => vec![
                (0, sign, sign),
                (sign, 0, sign),
                (0, 0, 0),
                (sign, sign, sign),
                (1, 0, 0),
                (1 | sign, sign, 1 | sign),
                (one, two, one),
                (one | sign, two | sign, two | sign),
                (infinity, largest, largest),
                (largest | sign, infinity | sign, infinity | sign),
            ],
            _ => vec![
                (0, sign, 0),
                (sign, 0, 0),
                (0, 0, 0),
                (sign, sign, sign),
                (1, 0, 1),
                (1 | sign, sign, sign),
                (one, two, two),
                (one | sign, two | sign, one | sign),
                (infinity, largest, infinity),
                (largest | sign, infinity | sign, largest | sign),
            ],
        };
        let dropped = matches!(op, BinaryOp::MinNum | BinaryOp::MaxNum);
        for nan in self.nans() {
            for other in [0, sign, 1, one, one | sign, largest, infinity, infinity | sign] {
                let result = if dropped { other } else { canonical };
                cases.extend([(nan, other, result), (other, nan, result)]);
            }
            cases.extend(self.nans().map(|other| (nan, other, canonical)));
        }
        cases
    }

    /// Operands of `sqrt` and the results.
    fn roots(self) -> [(u64, u64); 13] {
        let Patterns { sign, one, infinity, largest, canonical, .. } = self;
        [
            (0, 0),
            (sign, sign),
            (one, one),
            (one | sign, canonical),
            (1 | sign, canonical),
            (largest | sign, canonical),
            (infinity, infinity),
            (infinity | sign, canonical),
            (self.square, self.root),
            (canonical, canonical),
            (self.quiet, canonical),
            (self.negative, canonical),
            (self.signalling, canonical),
        ]
    }

    fn comparisons(self) -> Vec<(u64, u64, Compared)> {
        let Patterns { sign, one, two, infinity, largest, .. } = self;
        let mut cases = vec![
            (0, 0, EQUAL),
            (0, sign, EQUAL),
            (sign, 0, EQUAL),
            (0, 1, LESS),
            (sign, 1, LESS),
            (1 | sign, sign, LESS),
            (1, 2, LESS),
            (1, 0, GREATER),
            (one, two, LESS),
            (one | sign, two | sign, GREATER),
            (one | sign, one, LESS),
            (largest, infinity, LESS),
            (infinity, infinity, EQUAL),
            (infinity, infinity | sign, GREATER),
            (infinity | sign, largest | sign, LESS),
        ];
        for nan in self.nans() {
            for other in [0, sign, one, infinity, infinity | sign] {
                cases.extend([(nan, other, UNORDERED), (other, nan, UNORDERED)]);
            }
            cases.extend(self.nans().map(|other| (nan, other, UNORDERED)));
        }
        cases
    }
}

/// The last step of `gemv` and `gemm` is `fma(alpha, acc, beta · c)`: with `alpha = acc = 1 + 2⁻¹²` and `c = −(1 + 2⁻¹¹)`
/// it gives 2⁻²⁴. Were the product rounded first, it would be `1 + 2⁻¹¹`, and the result 0.
fn fused_ending<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let bits = f32::from_bits;
    let (alpha, c) = (bits(0x3f80_0800), bits(0xbf80_1000));
    let (fused, unfused) = (bits(0x3380_0000), bits(0x0000_0000));
    session.once(Lane::Exact, |case| {
        // That these operands tell the two apart.
        case.bits("unfused", &[alpha * alpha + c], &[unfused])?;
        let stream = case.stream().with_precision(Precision::Reproducible);
        let (a, one) = (stream.from_slice(&[alpha])?, stream.from_slice(&[1.0_f32])?);
        let (mut y, mut z) = (stream.from_slice(&[c])?, stream.from_slice(&[c])?);
        stream.gemv(Op::N, alpha, &a.matrix(1, 1)?, &one, 1.0, &mut y)?;
        stream.gemm(Op::N, Op::N, alpha, &a.matrix(1, 1)?, &one.matrix(1, 1)?, 1.0, &mut z.matrix_mut(1, 1)?)?;
        case.bits("gemv", &case.read(&y)?, &[fused])?;
        case.bits("gemm", &case.read(&z)?, &[fused])
    })
}
