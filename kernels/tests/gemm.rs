//! `gemm` against its definition.
#![allow(clippy::unwrap_used)]

mod common;
mod operands;

use common::{Array, Host};
use operands::{Matrix, Numbers, assert_bits, run, scalars};
use warpwave_core::numerics::blas::{self, GemmArithmetic};
use warpwave_core::operation::{Gemm, Layout};
use warpwave_core::{Complex32, Complex64, Op, Operation, Precision, ScalarValue, bf16, f16};

const SIZES: [[usize; 3]; 22] = [
    [1, 1, 1],
    [1, 1, 0],
    [2, 3, 7],
    [3, 2, 15],
    [7, 15, 16],
    [16, 17, 17],
    [31, 33, 31],
    [32, 32, 32],
    [33, 31, 33],
    [63, 65, 9],
    [64, 64, 8],
    [65, 63, 3],
    [1, 200, 5],
    [200, 1, 40],
    [127, 129, 2],
    [128, 128, 16],
    [129, 129, 17],
    [129, 257, 24],
    [256, 256, 33],
    [256, 128, 1],
    [130, 260, 0],
    [300, 20, 18],
];
const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

fn check<T: GemmArithmetic>(name: &str) {
    let mut numbers = Numbers::new(name.len() as u64 + 77);
    for (case, [m, n, k]) in SIZES.into_iter().chain(SIZES).enumerate() {
        let (op_a, op_b) = (numbers.choose(&[Op::N, Op::T, Op::C]), numbers.choose(&[Op::N, Op::T, Op::C]));
        let batch = if m * n < 5000 { numbers.choose(&[1, 1, 3]) } else { 1 };
        // Aligned as packs are, or not.
        let room = |numbers: &mut Numbers, batch| {
            if numbers.below(2) == 0 { [0, 0, batch] } else { [numbers.below(4), numbers.below(3), batch] }
        };
        let shape = |op: Op, rows, cols| if op == Op::N { (rows, cols) } else { (cols, rows) };
        let (rows, cols) = shape(op_a, m, k);
        let (layout, space) = (numbers.choose(&LAYOUTS), room(&mut numbers, batch));
        let mut a = Matrix::<T>::new(&mut numbers, rows, cols, layout, space);
        let (rows, cols) = shape(op_b, k, n);
        let (layout, space) = (numbers.choose(&LAYOUTS), room(&mut numbers, batch));
        let mut b = Matrix::<T>::new(&mut numbers, rows, cols, layout, space);
        let (layout, space) = (numbers.choose(&LAYOUTS), room(&mut numbers, batch));
        let mut c = Matrix::<T>::new(&mut numbers, m, n, layout, space);
        let scalars = scalars::<T::Compute>();
        let zero = scalars[0];
        let alpha = if case < 8 { numbers.choose(&scalars) } else { numbers.choose(&scalars[1..]) };
        let beta = numbers.choose(&scalars);
        if alpha == zero {
            a.poison(|_, _| true);
            b.poison(|_, _| true);
        }
        if beta == zero {
            c.poison(|_, _| true);
        }
        let gemm = Gemm {
            op_a,
            op_b,
            alpha: ScalarValue::new(alpha),
            a: a.operand(),
            b: b.operand(),
            beta: ScalarValue::new(beta),
            c: c.operand(),
            batch,
            strides: [a.stride, b.stride, c.stride],
            precision: Precision::Reproducible,
        };
        let element = |op: Op, x: T| match op {
            Op::C => T::narrow(warpwave_core::Scalar::conj(x.widen())),
            _ => x,
        };
        let mut expected = c.old.clone();
        for z in 0..batch {
            for i in 0..m {
                for j in 0..n {
                    let left = |k| element(op_a, if op_a == Op::N { a.get(z, i, k) } else { a.get(z, k, i) });
                    let right = |k| element(op_b, if op_b == Op::N { b.get(z, k, j) } else { b.get(z, j, k) });
                    expected[c.at(z, i, j)] = blas::gemm(k, alpha, left, right, beta, c.get(z, i, j));
                }
            }
        }
        let what = format!(
            "{name} {m}×{n}×{k} {op_a}{op_b} {:?}{:?}{:?} alpha {alpha:?} beta {beta:?}",
            a.layout, b.layout, c.layout
        );
        for host in Host::both() {
            c.reset();
            run(&host, &Operation::Gemm(gemm), case as u64);
            assert_bits(&c.array.to_vec(), &expected, format!("{} {what}", host.warp));
            if batch > 1 {
                c.reset();
                let addresses = [&a, &b, &c].map(|x| {
                    (0..batch).map(move |z| (x.array.ptr().addr() + (x.first + z * x.stride) * size_of::<T>()) as u64)
                });
                let pointers = Array::from(&addresses.into_iter().flatten().collect::<Vec<u64>>());
                let batched = Gemm { strides: [0; 3], ..gemm };
                run(&host, &Operation::GemmBatched { gemm: batched, pointers: pointers.span() }, case as u64);
                assert_bits(&c.array.to_vec(), &expected, format!("{} batched {what}", host.warp));
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_f32() {
    check::<f32>("f32");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_f64() {
    check::<f64>("f64");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_f16() {
    check::<f16>("f16");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_bf16() {
    check::<bf16>("bf16");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_c32() {
    check::<Complex32>("c32");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gemm_c64() {
    check::<Complex64>("c64");
}
