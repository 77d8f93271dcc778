//! Element-wise operations, fills and sequences: the bits of `numerics::scalar`.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Sample, bits, specials};
use warpwave_core::numerics::{contract, scalar};
use warpwave_core::operation::{Layout, Source, Span};
use warpwave_core::{BinaryOp, CompareOp, DType, Element, Operation, OperationKind, ScalarValue, UnaryOp, match_dtype};
use warpwave_kernels::launch::plan;

/// Lengths, and where the output and the inputs begin.
const CASES: [(usize, [usize; 3]); 7] = [
    (1, [0, 0, 0]),
    (3, [1, 1, 1]),
    (33, [0, 1, 2]),
    (257, [3, 3, 3]),
    (4099, [0, 0, 0]),
    (4100, [5, 5, 5]),
    (9001, [16, 32, 0]),
];

fn run(operation: &Operation) {
    for host in Host::both() {
        host.run(&plan(operation, &host.properties()).unwrap(), 1).unwrap();
    }
}

/// Runs an operation for a case, with `f` as its definition; `out` is an array of its own, or the first input.
fn check<T: Sample, D: Element>(
    what: &str,
    operation: impl Fn([Source; 2], Span) -> Operation,
    f: impl Fn(ScalarValue, ScalarValue) -> ScalarValue,
    in_place: bool,
) {
    for (len, [to, from_a, from_b]) in CASES {
        let (a, b) = (specials::<T>(len, len as u64), specials::<T>(len, 77));
        for which in 0..3 {
            let (array_a, array_b) = (
                Array::from(&[&vec![a[0]; from_a][..], &a].concat()),
                Array::from(&[&vec![b[0]; from_b][..], &b].concat()),
            );
            let out = Array::<D>::poisoned(len + to);
            let fixed = |x: &[T]| Source::Scalar(ScalarValue::new(x[len / 2]));
            let sources = [
                if which == 1 { fixed(&a) } else { Source::Span(array_a.sub(from_a, len)) },
                if which == 2 { fixed(&b) } else { Source::Span(array_b.sub(from_b, len)) },
            ];
            let own = in_place && which != 1;
            let target = if own { Span { dtype: D::DTYPE, ..array_a.sub(from_a, len) } } else { out.sub(to, len) };
            let expected: Vec<u8> = (0..len)
                .flat_map(|i| {
                    let x = if which == 1 { a[len / 2] } else { a[i] };
                    let y = if which == 2 { b[len / 2] } else { b[i] };
                    f(ScalarValue::new(x), ScalarValue::new(y)).bytes().to_vec()
                })
                .collect();
            for host in Host::both() {
                array_a.set(&[&vec![a[0]; from_a][..], &a].concat());
                host.run(&plan(&operation(sources, target), &host.properties()).unwrap(), len as u64).unwrap();
                let results = if own { bits(&array_a.to_vec()[from_a..]) } else { bits(&out.to_vec()[to..]) };
                assert!(
                    results == expected,
                    "{what} {} len {len} operand {which} warp {} own {own}",
                    T::DTYPE,
                    host.warp
                );
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn unary() {
    fn every<T: Sample>() {
        for &op in UnaryOp::ALL.iter().filter(|&&op| contract::supports(op.into(), T::DTYPE)) {
            for (len, [to, from, _]) in CASES {
                let x = specials::<T>(len, len as u64);
                let expected: Vec<u8> =
                    x.iter().flat_map(|&x| scalar::unary(op, ScalarValue::new(x)).unwrap().bytes().to_vec()).collect();
                for own in [false, true] {
                    let input = Array::from(&[&vec![x[0]; from][..], &x].concat());
                    let output = Array::<T>::poisoned(len + to);
                    let out = if own { input.sub(from, len) } else { output.sub(to, len) };
                    let operation = Operation::Unary { op, x: input.sub(from, len), out };
                    for host in Host::both() {
                        input.set(&[&vec![x[0]; from][..], &x].concat());
                        host.run(&plan(&operation, &host.properties()).unwrap(), 1).unwrap();
                        let results = if own { bits(&input.to_vec()[from..]) } else { bits(&output.to_vec()[to..]) };
                        assert!(results == expected, "{op} {} len {len} own {own}", T::DTYPE);
                    }
                }
            }
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn binary() {
    fn every<T: Sample>() {
        for &op in BinaryOp::ALL.iter().filter(|&&op| contract::supports(op.into(), T::DTYPE)) {
            for own in [false, true] {
                check::<T, T>(
                    op.name(),
                    |[a, b], out| Operation::Binary { op, a, b, out },
                    |a, b| scalar::binary(op, a, b).unwrap(),
                    own,
                );
            }
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn compare() {
    fn every<T: Sample>() {
        for &op in CompareOp::ALL.iter().filter(|&&op| contract::supports(op.into(), T::DTYPE)) {
            let f = |a, b| ScalarValue::new(u8::from(scalar::compare(op, a, b).unwrap()));
            check::<T, u8>(op.name(), |[a, b], out| Operation::Compare { op, a, b, out }, f, false);
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn select() {
    fn every<T: Sample>() {
        let mask: Vec<u8> = specials::<u8>(10_000, 6).iter().map(|&m| if m % 2 == 0 { 0 } else { m }).collect();
        for (len, [to, from, at]) in CASES {
            let (a, b) = (specials::<T>(len, 1), specials::<T>(len, 2));
            let masks = Array::from(&mask);
            let (array_a, out) = (Array::from(&[&vec![a[0]; from][..], &a].concat()), Array::<T>::poisoned(len + to));
            let operation = Operation::Select {
                mask: masks.sub(at, len),
                a: Source::Span(array_a.sub(from, len)),
                b: Source::Scalar(ScalarValue::new(b[0])),
                out: out.sub(to, len),
            };
            run(&operation);
            let expected: Vec<T> = (0..len).map(|i| if mask[at + i] != 0 { a[i] } else { b[0] }).collect();
            assert!(bits(&out.to_vec()[to..]) == bits(&expected), "{} len {len}", T::DTYPE);
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn cast() {
    fn pair<S: Sample, D: Element>() {
        for (len, [to, from, _]) in [(9, [0, 0, 0]), (3000, [0, 0, 0]), (2999, [1, 2, 0])] {
            let x = specials::<S>(len, 11);
            let input = Array::from(&[&vec![x[0]; from][..], &x].concat());
            let out = Array::<D>::poisoned(len + to);
            run(&Operation::Cast { x: input.sub(from, len), out: out.sub(to, len) });
            let expected: Vec<u8> =
                x.iter().flat_map(|&x| scalar::cast(ScalarValue::new(x), D::DTYPE).unwrap().bytes().to_vec()).collect();
            assert!(bits(&out.to_vec()[to..]) == expected, "{} to {} len {len}", S::DTYPE, D::DTYPE);
        }
    }
    for from in DType::ALL {
        for to in DType::ALL {
            if from.is_complex() {
                match_dtype!(from, complex S => match_dtype!(to, complex D => pair::<S, D>(), _ => ()), _ => ());
            } else {
                match_dtype!(from, real S => match_dtype!(to, any D => pair::<S, D>(), _ => ()), _ => ());
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn fill_and_iota() {
    fn every<T: Sample>() {
        for (len, [to, ..]) in CASES {
            let value = ScalarValue::new(specials::<T>(3, len as u64)[2]);
            let out = Array::<T>::poisoned(len + to);
            let column = out.matrix(to, len, 1, len, Layout::ColumnMajor);
            run(&Operation::Fill { value, out: column });
            assert!(bits(&out.to_vec()[to..]) == value.bytes().repeat(len), "{} len {len}", T::DTYPE);
            if contract::supports(OperationKind::Iota, T::DTYPE) {
                let step = ScalarValue::new(specials::<T>(30, 8)[len % 30]);
                run(&Operation::Iota { start: value, step, out: out.sub(to, len) });
                let expected: Vec<u8> =
                    (0..len).flat_map(|i| scalar::iota(value, step, i as u64).unwrap().bytes().to_vec()).collect();
                assert!(bits(&out.to_vec()[to..]) == expected, "iota {} len {len}", T::DTYPE);
            }
        }
        for (rows, cols, ld, at) in
            [(1, 500, 3, 1), (3, 100, 4, 0), (16, 9, 32, 16), (700, 5, 701, 2), (1024, 3, 2048, 0)]
        {
            for layout in [Layout::ColumnMajor, Layout::RowMajor] {
                let (run_len, runs) = if layout == Layout::ColumnMajor { (rows, cols) } else { (cols, rows) };
                let ld = ld.max(run_len);
                let before = specials::<T>(at + ld * runs, 4);
                let out = Array::from(&before);
                let value = specials::<T>(1, 9)[0];
                run(&Operation::Fill { value: ScalarValue::new(value), out: out.matrix(at, rows, cols, ld, layout) });
                let mut expected = before;
                for r in 0..runs {
                    expected[at + r * ld..][..run_len].fill(value);
                }
                assert!(bits(&out.to_vec()) == bits(&expected), "{} {rows}x{cols} ld {ld}", T::DTYPE);
            }
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}
