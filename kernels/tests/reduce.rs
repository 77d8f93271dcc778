//! Reductions, means, counts and reductions to an index, of all elements and along both axes.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Random, Sample, bits, sample, specials};
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::numerics::{CastFrom, RealNumeric, Reducible, reduction};
use warpwave_core::operation::{ArgOp, Axis, Layout, MatrixOperand};
use warpwave_core::{DType, Element, Operation, ReduceOp, Scalar, match_dtype};
use warpwave_kernels::launch::plan;

/// Rows, columns, leading dimension beyond the run, and where the view begins.
const SHAPES: [(usize, usize, usize, usize); 9] = [
    (1, 1, 0, 0),
    (5, 7, 0, 1),
    (130, 33, 3, 0),
    (3, 1025, 1, 0),
    (1025, 36, 4, 4),
    (2050, 5, 0, 1),
    (9, 8193, 7, 0),
    (20_000, 2, 0, 0),
    (4, 0, 1, 0),
];

/// Compares what an operation writes with `f` of each line.
fn check<T: Sample, D: Element>(
    what: &str,
    x: &[T],
    shape: (usize, usize, usize, usize),
    operation: impl Fn(Axis, MatrixOperand, warpwave_core::operation::Span) -> Operation,
    f: impl Fn(usize, &dyn Fn(usize) -> T) -> D,
) {
    let (rows, cols, more, at) = shape;
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        let run = if layout == Layout::ColumnMajor { rows } else { cols };
        let ld = (run + more).max(1);
        let array = Array::from(&x[..at + ld * (rows * cols / run.max(1)).max(1)]);
        let matrix = array.matrix(at, rows, cols, ld, layout);
        let element = |i: usize, j: usize| x[at + i * matrix.row_stride() + j * matrix.col_stride()];
        let by_rows: Vec<D> = (0..rows).map(|i| f(cols, &|j| element(i, j))).collect();
        let by_cols: Vec<D> = (0..cols).map(|j| f(rows, &|i| element(i, j))).collect();
        for (axis, expected) in [(Axis::Rows, by_rows), (Axis::Cols, by_cols)] {
            for host in Host::both() {
                let out = Array::<D>::poisoned(expected.len());
                if out.len() == 0 {
                    continue;
                }
                let operation = operation(axis, matrix, out.span());
                host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
                assert!(
                    bits(&out.to_vec()) == bits(&expected),
                    "{what} {axis} {} {rows}x{cols} ld {ld} at {at} {layout:?} warp {}",
                    T::DTYPE,
                    host.warp
                );
            }
        }
    }
}

fn whole<T: Sample, D: Element>(
    what: &str,
    x: &[T],
    at: usize,
    operation: impl Fn(Axis, MatrixOperand, warpwave_core::operation::Span) -> Operation,
    f: impl Fn(usize, &dyn Fn(usize) -> T) -> D,
) {
    let len = x.len() - at;
    let array = Array::from(x);
    let expected = f(len, &|i| x[at + i]);
    for host in Host::both() {
        let out = Array::<D>::poisoned(1);
        let operation = operation(Axis::Whole, array.matrix(at, len, 1, len.max(1), Layout::ColumnMajor), out.span());
        host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
        assert!(bits(&out.to_vec()) == bits(&[expected]), "{what} {} len {len} at {at} warp {}", T::DTYPE, host.warp);
    }
}

fn arithmetic<T: Reducible + Sample>() {
    let x: Vec<T> = sample(140_000, 3);
    let special: Vec<T> = specials(140_000, 4);
    for shape in SHAPES {
        for x in [&x, &special] {
            check(
                "sum",
                x,
                shape,
                |axis, x, out| Operation::Reduce { op: ReduceOp::Sum, axis, x, out },
                |n, at| reduction::sum(n, at),
            );
        }
        check(
            "prod",
            &x,
            shape,
            |axis, x, out| Operation::Reduce { op: ReduceOp::Prod, axis, x, out },
            |n, at| reduction::prod(n, at),
        );
    }
    for (len, at) in [(0, 0), (2, 0), (1023, 1), (8192, 0), (8193, 0), (8192 * 3 + 5, 3)] {
        whole(
            "sum",
            &x[..len + at],
            at,
            |axis, x, out| Operation::Reduce { op: ReduceOp::Sum, axis, x, out },
            |n, at| reduction::sum(n, at),
        );
    }
}

fn choice<T: Reducible<Acc: RealNumeric> + RealNumeric + SortKey + Sample>() {
    let x: Vec<T> = specials(140_000, 5);
    let ordinary: Vec<T> = sample(140_000, 5);
    for shape in SHAPES {
        check(
            "min",
            &x,
            shape,
            |axis, x, out| Operation::Reduce { op: ReduceOp::Min, axis, x, out },
            |n, at| reduction::min(n, at),
        );
        check(
            "max",
            &ordinary,
            shape,
            |axis, x, out| Operation::Reduce { op: ReduceOp::Max, axis, x, out },
            |n, at| reduction::max(n, at),
        );
        let index = |found: Option<usize>| found.map_or(u64::MAX, |i| i as u64);
        for x in [&x, &ordinary] {
            check(
                "argmin",
                x,
                shape,
                |axis, x, out| Operation::ArgReduce { op: ArgOp::Min, axis, x, out },
                |n, at| index(reduction::argmin(n, at)),
            );
            check(
                "argmax",
                x,
                shape,
                |axis, x, out| Operation::ArgReduce { op: ArgOp::Max, axis, x, out },
                |n, at| index(reduction::argmax(n, at)),
            );
        }
    }
    for (len, at) in [(0, 0), (1023, 1), (8193, 0), (8192 * 3 + 5, 3)] {
        let index = |found: Option<usize>| found.map_or(u64::MAX, |i| i as u64);
        whole(
            "min",
            &x[..len + at],
            at,
            |axis, x, out| Operation::Reduce { op: ReduceOp::Min, axis, x, out },
            |n, at| reduction::min(n, at),
        );
        whole(
            "argmax",
            &ordinary[..len + at],
            at,
            |axis, x, out| Operation::ArgReduce { op: ArgOp::Max, axis, x, out },
            |n, at| index(reduction::argmax(n, at)),
        );
    }
    // All alike: the first.
    whole(
        "argmin",
        &[x[0]; 30_000],
        1,
        |axis, x, out| Operation::ArgReduce { op: ArgOp::Min, axis, x, out },
        |n, _| u64::from(n == 0),
    );
}

fn mean<T: GemmArithmetic + Sample>()
where
    <T::Compute as Scalar>::Magnitude: CastFrom<u64>,
{
    let x: Vec<T> = sample(140_000, 3);
    for shape in SHAPES {
        check("mean", &x, shape, |axis, x, out| Operation::Mean { axis, x, out }, |n, at| reduction::mean(n, at));
    }
    whole("mean", &x[..9001], 1, |axis, x, out| Operation::Mean { axis, x, out }, |n, at| reduction::mean(n, at));
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn sums_and_products() {
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => arithmetic::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn choices_and_indices() {
    for dtype in DType::ALL {
        match_dtype!(dtype, real T => choice::<T>(), _ => ());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn means() {
    for dtype in DType::ALL {
        match_dtype!(dtype, float T => mean::<T>(), _ => ());
        match_dtype!(dtype, complex T => mean::<T>(), _ => ());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn counts() {
    let mut random = Random::new(1);
    for len in [0, 1, 15, 16, 17, 4095, 70_000, 300_000] {
        for at in [0, 5] {
            let x: Vec<u8> =
                (0..len + at).map(|_| if random.below(3) == 0 { 0 } else { random.next() as u8 }).collect();
            let array = Array::from(&x);
            for host in Host::both() {
                let out = Array::<u64>::poisoned(1);
                let operation = Operation::Count { mask: array.sub(at, len), out: out.span() };
                host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
                assert_eq!(out.to_vec(), [reduction::count(len, |i| x[at + i])], "{len}");
            }
        }
    }
}
