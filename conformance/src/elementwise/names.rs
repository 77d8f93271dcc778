//! The methods that have a name of their own: each does what its name says.
//!
//! The checks of the operations choose them by value, so that one body serves all; this one calls every method once.

use crate::case::Case;
use crate::check::Check;
use crate::failure::{Failure, Verdict};
use warpwave_core::numerics::contract::{self, Lane};
use warpwave_core::numerics::scalar;
use warpwave_core::{
    BinaryOp, CompareOp, Complex32, DType, Device, Element, OperationKind, Ops, ScalarValue, Stream, UnaryOp,
};

/// Operands that tell every two operations apart.
const FLOATS: ([f32; 4], [f32; 4]) = ([-7.5, 3.0, f32::NAN, -0.0], [2.0, 3.0, 1.0, 0.0]);
const INTEGERS: ([i32; 4], [i32; 4]) = ([-7, 12, 5, -1], [2, 12, 0, 3]);

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    let names = Check::new("elementwise.names", |session| {
        session.once(Lane::Exact, unary)?;
        session.once(Lane::Exact, floats)?;
        session.once(Lane::Exact, integers)?;
        session.once(Lane::Exact, comparisons)?;
        session.once(Lane::Exact, assignments)
    });
    // All that there is for a type is called.
    let of = |dtype: DType| {
        let unary = UnaryOp::ALL.iter().map(|&op| op.into());
        let binary = BinaryOp::ALL.iter().map(|&op| op.into());
        unary.chain(binary).filter(move |&kind: &OperationKind| contract::supports(kind, dtype))
    };
    checks.push(
        names
            .needing(DType::F32, of(DType::F32))
            .needing(DType::I32, of(DType::I32))
            .needing(DType::F32, CompareOp::ALL.iter().copied())
            .needing(DType::I32, [OperationKind::Select])
            .needing(DType::C32, [UnaryOp::Conj]),
    );
}

fn defined<T: Element>(name: &str, values: impl Iterator<Item = Option<ScalarValue>>) -> Verdict<Vec<T>> {
    let undefined = || Failure::new(format_args!("the core does not define {name} for {}", T::DTYPE));
    values.map(|value| value?.get()).collect::<Option<_>>().ok_or_else(undefined)
}

/// Calls each method on the data and compares with its operation.
macro_rules! binaries {
    ($case:ident, $data:expr; $($method:ident $op:ident),*) => {{
        let (a, b) = $data;
        let stream = $case.stream();
        let (x, y) = (stream.from_slice(&a)?, stream.from_slice(&b)?);
        $(
            let mut out = stream.zeros(a.len())?;
            stream.$method(&x, &y, &mut out)?;
            let pairs = a.iter().zip(&b).map(|(&a, &b)| (ScalarValue::new(a), ScalarValue::new(b)));
            let mut want = a;
            let values = pairs.map(|(a, b)| scalar::binary(BinaryOp::$op, a, b));
            want.copy_from_slice(&defined(stringify!($method), values)?);
            $case.bits(stringify!($method), &$case.read(&out)?, &want)?;
        )*
        Ok(())
    }};
}

fn floats<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    binaries!(case, FLOATS;
        add Add, sub Sub, mul Mul, div Div,
        minimum Minimum, maximum Maximum, minimum_number MinimumNumber, maximum_number MaximumNumber, pow Pow)
}

fn integers<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    binaries!(case, INTEGERS; rem Rem, and And, or Or, xor Xor, shl Shl, shr Shr)
}

fn comparisons<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    macro_rules! all {
        ($($method:ident $op:ident),*) => {{
            let (a, b) = FLOATS;
            let stream = case.stream();
            let (x, y) = (stream.from_slice(&a)?, stream.from_slice(&b)?);
            $(
                let mut out = stream.zeros(a.len())?;
                stream.$method(&x, &y, &mut out)?;
                let pairs = a.iter().zip(&b).map(|(&a, &b)| (ScalarValue::new(a), ScalarValue::new(b)));
                let truth = |x: bool| ScalarValue::new(u8::from(x));
                let want = pairs.map(|(a, b)| scalar::compare(CompareOp::$op, a, b).map(truth));
                let want = defined::<u8>(stringify!($method), want)?;
                case.bits(stringify!($method), &case.read(&out)?, &want)?;
            )*
            Ok(())
        }};
    }
    all!(eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge)
}

fn assignments<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    macro_rules! all {
        ($data:expr; $($method:ident $op:ident),*) => {{
            let (a, b) = $data;
            let stream = case.stream();
            let y = stream.from_slice(&b)?;
            $(
                let mut x = stream.from_slice(&a)?;
                stream.$method(&mut x, &y)?;
                let pairs = a.iter().zip(&b).map(|(&a, &b)| (ScalarValue::new(a), ScalarValue::new(b)));
                let mut want = a;
                let values = pairs.map(|(a, b)| scalar::binary(BinaryOp::$op, a, b));
                want.copy_from_slice(&defined(stringify!($method), values)?);
                case.bits(stringify!($method), &case.read(&x)?, &want)?;
            )*
        }};
    }
    all!(FLOATS;
        add_assign Add, sub_assign Sub, mul_assign Mul, div_assign Div, minimum_assign Minimum, maximum_assign Maximum,
        minimum_number_assign MinimumNumber, maximum_number_assign MaximumNumber, pow_assign Pow);
    all!(INTEGERS;
        rem_assign Rem, and_assign And, or_assign Or, xor_assign Xor, shl_assign Shl, shr_assign Shr);
    let stream = case.stream();
    let mut x = stream.from_slice(&[1_i32, 2, 3, 4])?;
    stream.select_assign(&mut x, &stream.from_slice(&[0_u8, 1, 0, 255])?, &stream.from_slice(&INTEGERS.0)?)?;
    case.bits("select_assign", &case.read(&x)?, &[1, 12, 3, -1])?;
    stream.select_assign(&mut x, &stream.from_slice(&[1_u8, 0, 0, 0])?, &9)?;
    case.bits("select_assign of a number", &case.read(&x)?, &[9, 12, 3, -1])
}

fn unary<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    macro_rules! all {
        ($($data:expr => $($method:ident $assign:ident $op:ident),*;)*) => {{
            let stream = case.stream();
            $(
                let a = $data;
                let x = stream.from_slice(&a)?;
                $(
                    let mut out = stream.from_slice(&a)?;
                    stream.$method(&x, &mut out)?;
                    let mut want = a;
                    let values = a.iter().map(|&a| scalar::unary(UnaryOp::$op, ScalarValue::new(a)));
                    want.copy_from_slice(&defined(stringify!($method), values)?);
                    case.bits(stringify!($method), &case.read(&out)?, &want)?;
                    let mut in_place = stream.from_slice(&a)?;
                    stream.$assign(&mut in_place)?;
                    case.bits(stringify!($assign), &case.read(&in_place)?, &want)?;
                )*
            )*
            Ok(())
        }};
    }
    all! {
        FLOATS.0 => neg neg_assign Neg, abs abs_assign Abs, sqrt sqrt_assign Sqrt, exp exp_assign Exp, exp2 exp2_assign Exp2,
            expm1 expm1_assign Expm1, log log_assign Log, log2 log2_assign Log2, log1p log1p_assign Log1p, sin sin_assign Sin,
            cos cos_assign Cos, sinpi sinpi_assign Sinpi, cospi cospi_assign Cospi, tanh tanh_assign Tanh,
            sigmoid sigmoid_assign Sigmoid, erf erf_assign Erf, rsqrt rsqrt_assign Rsqrt, cbrt cbrt_assign Cbrt;
        INTEGERS.0 => not not_assign Not;
        [Complex32 { re: 1.0, im: 2.0 }, Complex32 { re: -0.0, im: -0.0 }] => conj conj_assign Conj;
    }
}
