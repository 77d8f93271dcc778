//! Prefix sums, products, minima and maxima: the bits of `numerics::scan`.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Sample, bits, sample};
use warpwave_core::DType;
use warpwave_core::numerics::scan::{self, TILE};
use warpwave_core::numerics::{RealNumeric, Reducible};
use warpwave_core::{Element, Operation, ReduceOp, match_dtype};
use warpwave_kernels::launch::plan;

fn check<T: Element>(op: ReduceOp, exclusive: bool, x: &[T], at: usize, expected: &[T]) {
    for host in Host::both() {
        for in_place in [false, true] {
            let input = Array::from(&[&vec![x[0]; at][..], x].concat());
            let output = Array::<T>::poisoned(x.len() + at);
            let from = input.sub(at, x.len());
            let out = if in_place { from } else { output.sub(at / 2, x.len()) };
            let operation = Operation::Scan { op, exclusive, x: from, out };
            host.run(&plan(&operation, &host.properties()).unwrap(), at as u64 + 5).unwrap();
            let results =
                if in_place { input.to_vec()[at..].to_vec() } else { output.to_vec()[at / 2..][..x.len()].to_vec() };
            assert!(
                bits(&results) == bits(expected),
                "{op} {} exclusive {exclusive} len {} at {at} in place {in_place} warp {}",
                T::DTYPE,
                x.len(),
                host.warp
            );
        }
    }
}

fn arithmetic<T: Reducible + Sample>(len: usize, at: usize) {
    let x: Vec<T> = sample(len, len as u64);
    for op in [ReduceOp::Sum, ReduceOp::Prod] {
        for exclusive in [false, true] {
            check(op, exclusive, &x, at, &scan::arithmetic(op, exclusive, &x).unwrap());
        }
    }
}

fn choice<T: Reducible<Acc: RealNumeric> + RealNumeric + Sample>(len: usize, at: usize) {
    let x: Vec<T> = sample(len, len as u64);
    for op in [ReduceOp::Min, ReduceOp::Max] {
        for exclusive in [false, true] {
            check(op, exclusive, &x, at, &scan::choice(op, exclusive, &x).unwrap());
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn every_type() {
    for dtype in DType::ALL {
        for (len, at) in [(1, 0), (17, 1), (TILE + 513, 0), (2 * TILE + 1, 3)] {
            match_dtype!(dtype, any T => arithmetic::<T>(len, at), _ => panic!());
            match_dtype!(dtype, real T => choice::<T>(len, at), _ => ());
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn every_edge() {
    for len in [
        2,
        15,
        16,
        31,
        32,
        33,
        511,
        512,
        513,
        4095,
        4096,
        8191,
        8192,
        8193,
        32 * TILE - 1,
        32 * TILE,
        32 * TILE + 1,
        33 * TILE + 7,
        64 * TILE + 1,
    ] {
        arithmetic::<f32>(len, 0);
    }
    choice::<f64>(65 * TILE + 100, 1);
    arithmetic::<f64>(33 * TILE + 100, 1);
}

/// Three levels of nodes.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn more_than_a_node_of_nodes() {
    let host = Host::new(64);
    let x: Vec<f32> = sample(1024 * TILE + 3 * TILE + 5, 1);
    let (input, output) = (Array::from(&x), Array::<f32>::poisoned(x.len()));
    let operation = Operation::Scan { op: ReduceOp::Sum, exclusive: false, x: input.span(), out: output.span() };
    host.checked(false).run(&plan(&operation, &Host::new(64).properties()).unwrap(), 3).unwrap();
    assert!(bits(&output.to_vec()) == bits(&scan::arithmetic(ReduceOp::Sum, false, &x).unwrap()));
}
