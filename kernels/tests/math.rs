//! Elementary functions over what decides about them: the bits of `numerics::scalar`. (Edges of lengths, places and operands are the
//! affair of `elementwise.rs`.)
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Random, Sample, bits};
use warpwave_core::numerics::{contract, scalar};
use warpwave_core::operation::Source;
use warpwave_core::{BinaryOp, DType, Operation, ScalarValue, UnaryOp, match_dtype};
use warpwave_kernels::launch::plan;

const LEN: usize = 3000;

fn of<T: Sample>(x: f64) -> T {
    scalar::cast(ScalarValue::new(x), T::DTYPE).unwrap().get().unwrap()
}

/// Any bits; numbers of all magnitudes, of which many are too large for a fast reduction of an angle; and common ones.
fn arguments<T: Sample>(seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    let largest = if T::DTYPE == DType::F64 { 1022.0 } else { 127.0 };
    let mut unit = || (random.next() >> 11) as f64 / (1u64 << 53) as f64;
    let mut numbers: Vec<T> = (0..LEN / 3)
        .flat_map(|_| {
            let sign = if unit() < 0.5 { -1.0 } else { 1.0 };
            let exponent = 2.0 * largest * unit() - largest;
            [of(sign * (1.0 + unit()) * exponent.exp2()), of(200.0 * unit() - 100.0)]
        })
        .collect();
    numbers.resize_with(LEN - 4, || T::special(&mut random));
    // Angles next to multiples of π/2, and the largest.
    numbers.extend([710.0 / 452.0 * 113.0, 6.381956970095103e15 * 2f64.powi(797), f64::MAX, 1e22].map(of::<T>));
    numbers
}

fn check<T: Sample>() {
    let (a, b) = (arguments::<T>(1), arguments::<T>(2));
    let (input, second, out) = (Array::from(&a), Array::from(&b), Array::<T>::poisoned(LEN));
    let run = |operation: Operation, expected: Vec<u8>| {
        for host in Host::both() {
            out.set(&b);
            host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
            let results = out.to_vec();
            let size = size_of::<T>();
            if let Some(i) = (0..LEN).find(|&i| bits(&results[i..=i]) != expected[i * size..(i + 1) * size]) {
                let kind = operation.kind();
                panic!("{kind} {} warp {}: of {:?} (and {:?}) it is {:?}", T::DTYPE, host.warp, a[i], b[i], results[i]);
            }
        }
    };
    let functions = |kind| contract::max_ulp(kind, T::DTYPE).is_some();
    for &op in UnaryOp::ALL.iter().filter(|&&op| functions(op.into())) {
        let define = |&x: &T| scalar::unary(op, ScalarValue::new(x)).unwrap().bytes().to_vec();
        run(Operation::Unary { op, x: input.span(), out: out.span() }, a.iter().flat_map(define).collect());
    }
    for &op in BinaryOp::ALL.iter().filter(|&&op| functions(op.into())) {
        let define =
            |(&a, &b): (&T, &T)| scalar::binary(op, ScalarValue::new(a), ScalarValue::new(b)).unwrap().bytes().to_vec();
        let (x, y) = (Source::Span(input.span()), Source::Span(second.span()));
        run(Operation::Binary { op, a: x, b: y, out: out.span() }, a.iter().zip(&b).flat_map(define).collect());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn elementary_functions() {
    for dtype in DType::ALL {
        match_dtype!(dtype, float T => check::<T>(), _ => ());
    }
}
