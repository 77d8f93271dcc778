//! Operations on one and on two elements.

use super::operands::{Call, calls, every_tail};
use super::undefined;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{Data, Double, Pair, Random, Sample, within};
use crate::session::Session;
use warpwave_core::numerics::contract::{self, Applies, Lane};
use warpwave_core::numerics::scalar;
use warpwave_core::{BinaryOp, Device, OperationKind, ScalarValue, UnaryOp};

/// Whether results of the operation round.
fn rounds<T: Sample>(kind: OperationKind) -> bool {
    contract::find(kind, T::DTYPE, None).is_some_and(|row| row.lanes.contains(&(Lane::Bounded, Applies::Yes)))
}

pub(super) fn unary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: UnaryOp) -> Verdict {
    let level = session.level();
    // Integers, compared with integer arithmetic.
    session.cases(Lane::Exact, Counts::of(6), calls(level), |case, call| {
        let (x, want) = exact_unary::<T>(op, &mut Random::new(call.seed), call.len);
        let got = call.unary(case, op, &x)?;
        case.bits("out", &got, &want)
    })?;
    session.each(Lane::Exact, every_tail::<T>(), |case, call| {
        let (x, want) = exact_unary::<T>(op, &mut Random::new(call.seed), call.len);
        let got = call.unary(case, op, &x)?;
        case.bits("out", &got, &want)
    })?;
    unary_as_defined::<T, D>(session, op)?;
    if !rounds::<T>(op.into()) {
        return Ok(());
    }
    session.cases(Lane::Bounded, Counts::of(6), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let x: Vec<T> = (0..call.len).map(|_| T::from_values([random.number().abs(), 0.0])).collect();
        let got = call.unary(case, op, &x)?;
        case.bits("out", &got, &defined_unary(op, &x)?)?;
        for (i, (&x, &got)) in x.iter().zip(&got).enumerate() {
            let root = Double::from(x.values()[0]).sqrt();
            within(case, "out", i, got, Pair { re: root, im: Double::ZERO }, T::UNIT * root.value())?;
        }
        Ok(())
    })
}

/// What the core defines.
pub(super) fn defined_unary<T: Sample>(op: UnaryOp, x: &[T]) -> Verdict<Vec<T>> {
    let one = |&x: &T| scalar::unary(op, ScalarValue::new(x))?.get();
    x.iter().map(one).collect::<Option<_>>().ok_or_else(|| undefined(op))
}

/// Special values and any bits, compared with the definition.
pub(super) fn unary_as_defined<T: Sample, D: Device>(session: &mut Session<'_, D>, op: UnaryOp) -> Verdict {
    let level = session.level();
    // Every special value, compared with the definition.
    session.once(Lane::Exact, |case| {
        let special = T::specials();
        let x: Vec<T> =
            special.iter().flat_map(|&re| special.iter().map(move |&im| T::from_patterns([re, im]))).collect();
        let got = Call::of_views(x.len()).unary(case, op, &x)?;
        case.bits("out", &got, &defined_unary(op, &x)?)
    })?;
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(4), calls(level), |case, call| {
            let x = Random::new(call.seed).vector::<T>(data, call.len);
            let got = call.unary(case, op, &x)?;
            case.bits("out", &got, &defined_unary(op, &x)?)
        })?;
    }
    Ok(())
}

/// Arguments whose results are integers, and those.
fn exact_unary<T: Sample>(op: UnaryOp, random: &mut Random, len: usize) -> (Vec<T>, Vec<T>) {
    let largest = T::EXACT.min(1000) as u32;
    let pairs = (0..len).map(|_| {
        let x = [random.integer(largest), random.integer(largest)];
        match op {
            // The bits of a zero change their sign: a case of its own, with the specials.
            UnaryOp::Neg => (x.map(nonzero), x.map(nonzero).map(|x| -x)),
            UnaryOp::Abs => (x, x.map(i64::abs)),
            UnaryOp::Conj => (x.map(nonzero), [nonzero(x[0]), -nonzero(x[1])]),
            UnaryOp::Not => (x, x.map(|x| -x - 1)),
            _ => {
                let root = x[0].abs() % (T::EXACT.isqrt() as i64);
                ([root * root, 0], [root, 0])
            }
        }
    });
    pairs.map(|(x, want)| (T::from_integers(x), T::from_integers(want))).unzip()
}

fn nonzero(x: i64) -> i64 {
    if x == 0 { 1 } else { x }
}

pub(super) fn binary<T: Sample, D: Device>(session: &mut Session<'_, D>, op: BinaryOp) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(6), calls(level), |case, call| {
        let (mut a, mut b) = exact_operands::<T>(op, &mut Random::new(call.seed), call.len);
        call.seen(&mut a, &mut b);
        let got = call.binary(case, op, &a, &b)?;
        let want: Vec<T> = a.iter().zip(&b).map(|(&a, &b)| exact_binary(op, a, b)).collect();
        case.bits("out", &got, &want)
    })?;
    session.each(Lane::Exact, every_tail::<T>(), |case, call| {
        let (a, b) = exact_operands::<T>(op, &mut Random::new(call.seed), call.len);
        let got = call.binary(case, op, &a, &b)?;
        let want: Vec<T> = a.iter().zip(&b).map(|(&a, &b)| exact_binary(op, a, b)).collect();
        case.bits("out", &got, &want)
    })?;
    binary_as_defined::<T, D>(session, op)?;
    if !rounds::<T>(op.into()) || T::DTYPE.is_integer() {
        return Ok(());
    }
    session.cases(Lane::Bounded, Counts::of(6), calls(level), |case, call| {
        let mut random = Random::new(call.seed);
        let (mut a, mut b) = (random.vector::<T>(Data::Numbers, call.len), random.vector::<T>(Data::Numbers, call.len));
        call.seen(&mut a, &mut b);
        let got = call.binary(case, op, &a, &b)?;
        case.bits("out", &got, &defined_binary(op, &a, &b)?)?;
        for i in 0..call.len {
            let (want, bound) = precise(op, a[i], b[i]);
            within(case, "out", i, got[i], want, bound)?;
        }
        Ok(())
    })
}

/// What the core defines.
pub(super) fn defined_binary<T: Sample>(op: BinaryOp, a: &[T], b: &[T]) -> Verdict<Vec<T>> {
    let one = |(&a, &b): (&T, &T)| scalar::binary(op, ScalarValue::new(a), ScalarValue::new(b))?.get();
    a.iter().zip(b).map(one).collect::<Option<_>>().ok_or_else(|| undefined(op))
}

/// Special values and any bits, compared with the definition.
pub(super) fn binary_as_defined<T: Sample, D: Device>(session: &mut Session<'_, D>, op: BinaryOp) -> Verdict {
    let level = session.level();
    // Every special value with every other.
    session.once(Lane::Exact, |case| {
        let special = T::specials();
        let mut random = Random::new(0);
        let mut element = |pattern: u64| T::from_patterns([pattern, special[random.below(special.len())]]);
        let (a, b): (Vec<T>, Vec<T>) = special
            .iter()
            .flat_map(|&a| special.iter().map(move |&b| (a, b)))
            .map(|(a, b)| (element(a), element(b)))
            .unzip();
        let got = Call::of_views(a.len()).binary(case, op, &a, &b)?;
        case.bits("out", &got, &defined_binary(op, &a, &b)?)
    })?;
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(5), calls(level), |case, call| {
            let mut random = Random::new(call.seed);
            let (mut a, mut b) = (random.vector::<T>(data, call.len), random.vector::<T>(data, call.len));
            call.seen(&mut a, &mut b);
            let got = call.binary(case, op, &a, &b)?;
            case.bits("out", &got, &defined_binary(op, &a, &b)?)
        })?;
    }
    Ok(())
}

/// Operands whose result is an integer that the type holds; for integer types any at all.
fn exact_operands<T: Sample>(op: BinaryOp, random: &mut Random, len: usize) -> (Vec<T>, Vec<T>) {
    if T::DTYPE.is_integer() {
        let bits = T::DTYPE.size() * 8;
        // Shifts by sensible counts, and by others; small divisors, zeros among them.
        let mut second = || match random.below(2) {
            0 => T::from_integer(random.below(bits + 2) as i64),
            _ => random.element(Data::Bits),
        };
        let b = (0..len).map(|_| second()).collect();
        return (random.vector(Data::Bits, len), b);
    }
    // Complex products have two terms.
    let factor = (T::EXACT / 2).isqrt() as u32;
    let term = (T::EXACT / 2).min(1 << 30) as u32;
    let mut component = || match op {
        // Integers have no −0.
        BinaryOp::Mul | BinaryOp::Div if !T::DTYPE.is_complex() => {
            let (a, b) = (nonzero(random.integer(factor)), nonzero(random.integer(factor)));
            // Whatever is divided by whichever, as with a number for one of the operands.
            if op == BinaryOp::Div { (4 * a, b.signum() << random.below(3)) } else { (a, b) }
        }
        BinaryOp::Mul => (nonzero(random.integer(factor)), nonzero(random.integer(factor))),
        _ => (random.integer(term), random.integer(term)),
    };
    (0..len)
        .map(|_| {
            let (re, im) = (component(), component());
            (T::from_integers([re.0, im.0]), T::from_integers([re.1, im.1]))
        })
        .unzip()
}

/// The result by arithmetic on 128-bit integers.
fn exact_binary<T: Sample>(op: BinaryOp, a: T, b: T) -> T {
    if T::DTYPE.is_integer() {
        return T::from_integer(integers(op, T::DTYPE.size() as u32 * 8, a.integer(), b.integer()) as i64);
    }
    let (a, b) = (a.values().map(|x| x as i128), b.values().map(|x| x as i128));
    let by_parts = |f: fn(i128, i128) -> i128| [f(a[0], b[0]), f(a[1], b[1])];
    let result = match op {
        BinaryOp::Add => by_parts(|a, b| a + b),
        BinaryOp::Sub => by_parts(|a, b| a - b),
        BinaryOp::Mul => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        BinaryOp::Div => [a[0] / b[0], 0],
        BinaryOp::Minimum | BinaryOp::MinimumNumber => [a[0].min(b[0]), 0],
        _ => [a[0].max(b[0]), 0],
    };
    T::from_integers(result.map(|x| x as i64))
}

/// The result before it is taken modulo 2 to the width.
fn integers(op: BinaryOp, width: u32, a: i128, b: i128) -> i128 {
    // The count of a shift is taken as unsigned.
    let count = if b < 0 { b + (1 << width) } else { b };
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b).unwrap_or(0),
        BinaryOp::Rem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::Minimum | BinaryOp::MinimumNumber => a.min(b),
        BinaryOp::Maximum | BinaryOp::MaximumNumber => a.max(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl if count < i128::from(width) => a << count,
        BinaryOp::Shl => 0,
        // Past the width nothing but the sign is left.
        _ => a >> count.min(i128::from(width)),
    }
}

/// The result in twice the precision, and how far one rounding is from it; two in each part of a complex product.
fn precise<T: Sample>(op: BinaryOp, a: T, b: T) -> (Pair, f64) {
    let (x, y) = (Pair::new(a.values()), Pair::new(b.values()));
    let want = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        _ => Pair { re: Double::quotient(a.values()[0], b.values()[0]), im: Double::ZERO },
    };
    let bound = match op {
        BinaryOp::Mul if T::DTYPE.is_complex() => 2.0 * std::f64::consts::SQRT_2 * T::UNIT * x.modulus() * y.modulus(),
        _ => T::UNIT * want.modulus(),
    };
    (want, bound + T::TINY)
}
