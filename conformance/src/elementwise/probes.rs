//! Probes: data for which a wrong arithmetic shows at once.

use crate::check::Check;
use crate::failure::Verdict;
use crate::level::Counts;
use crate::reference::{Random, Sample, lengths, seeds};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{Numeric, RealNumeric};
use warpwave_core::{BinaryOp, DType, Device, Ops, Stream, bf16, f16};

type Body<D> = fn(&mut Session<'_, D>) -> Verdict;

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use BinaryOp::{Add, Div, Maximum, Mul, Sub};
    let contractions: [(DType, Body<D>); 2] =
        [(DType::F32, contraction::<f32, D>), (DType::F64, contraction::<f64, D>)];
    for (dtype, body) in contractions {
        let check = Check::new(format!("elementwise.contraction.{dtype}"), body).typed(dtype);
        checks.push(check.needing(dtype, [Mul, Sub]));
    }
    let denormals: [(DType, Body<D>); 4] = [
        (DType::F16, denormals::<f16, D>),
        (DType::Bf16, denormals::<bf16, D>),
        (DType::F32, denormals::<f32, D>),
        (DType::F64, denormals::<f64, D>),
    ];
    for (dtype, body) in denormals {
        let check = Check::new(format!("elementwise.denormals.{dtype}"), body).typed(dtype);
        checks.push(check.needing(dtype, [Add, Sub, Mul, Div, Maximum]));
    }
}

/// `a · b − c` with `c` the rounded product is 0 with two roundings, and the error of the product if they are fused.
fn contraction<T: Sample + Numeric, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(10), (lengths(level), seeds()), |case, (len, seed)| {
        let mut random = Random::new(seed);
        let (a, b): (Vec<T>, Vec<T>) =
            (0..len).map(|_| (T::from_values([random.number(), 0.0]), T::from_values([random.number(), 0.0]))).unzip();
        let rounded: Vec<T> = a.iter().zip(&b).map(|(&a, &b)| T::mul(a, b)).collect();
        let stream = case.stream();
        let (a, b, c) = (stream.from_slice(&a)?, stream.from_slice(&b)?, stream.from_slice(&rounded)?);
        let (mut product, mut out) = (stream.zeros::<T>(len)?, stream.zeros::<T>(len)?);
        stream.mul(&a, &b, &mut product)?;
        stream.sub(&product, &c, &mut out)?;
        case.bits("a · b", &case.read(&product)?, &rounded)?;
        case.bits("a · b − c", &case.read(&out)?, &vec![T::ZERO; len])
    })
}

/// Halves and doubles of denormals are shifts of their patterns: where results or operands are flushed to zero, they
/// are 0.
fn denormals<T: Sample + RealNumeric, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(10), (lengths(level), seeds()), |case, (len, seed)| {
        let mut random = Random::new(seed);
        // The pattern of the smallest normal number.
        let normal = T::from_values([T::TINY * (0.5 / T::UNIT), 0.0]).patterns()[0];
        let patterns: Vec<u64> = (0..len).map(|_| 1 + random.bits() % (normal / 2 - 1)).collect();
        let elements = |factor: u64| patterns.iter().map(|&x| T::from_patterns([factor * x, 0])).collect::<Vec<T>>();
        let (single, double) = (elements(1), elements(2));
        let stream = case.stream();
        let (x, y) = (stream.from_slice(&single)?, stream.from_slice(&double)?);
        let mut out = stream.zeros::<T>(len)?;
        let two = T::from_integer(2);
        stream.mul(&x, &two, &mut out)?;
        case.bits("2 · x", &case.read(&out)?, &double)?;
        stream.div(&y, &two, &mut out)?;
        case.bits("2x / 2", &case.read(&out)?, &single)?;
        stream.add(&x, &x, &mut out)?;
        case.bits("x + x", &case.read(&out)?, &double)?;
        stream.sub(&y, &x, &mut out)?;
        case.bits("2x − x", &case.read(&out)?, &single)?;
        stream.maximum(&x, &T::ZERO, &mut out)?;
        case.bits("max(x, 0)", &case.read(&out)?, &single)
    })
}
