//! Gather, scatter, compaction, histograms and random numbers.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Random, Sample, bits, specials};
use warpwave_core::numerics::normal::{self, NormalElement};
use warpwave_core::numerics::philox::{self, RandomElement};
use warpwave_core::numerics::{CastFrom, cast};
use warpwave_core::{DType, Integer, Operation, ScalarValue, match_dtype};
use warpwave_kernels::launch::{Arg, Entry, Step, plan};

const LENS: [usize; 7] = [1, 31, 33, 257, 4096, 4097, 13_000];

/// Runs the plan of an operation, and says whether it found a fault.
fn run(host: &Host, operation: &Operation, seed: u64) -> bool {
    let mut plan = plan(operation, &host.properties()).unwrap();
    let fault = Array::<u32>::zeros(1);
    if let Some(at) = plan.fault {
        assert!(at + 4 <= plan.zeroed);
        // Brings the word out of the scratch memory.
        let args = vec![Arg::U64(1), Arg::Scratch(at), Arg::Ptr(fault.ptr())];
        plan.steps.push(Step::new(Entry::of("copy", "copy", DType::U32), 1, 256, args));
    }
    host.run(&plan, seed).unwrap();
    fault.to_vec()[0] != 0
}

/// Indices below `end`, and if asked for some that are out of range.
fn indices<I: Integer + Sample>(len: usize, end: usize, faulty: bool, convert: impl Fn(i64) -> I) -> Vec<I> {
    let mut random = Random::new(len as u64);
    (0..len)
        .map(|_| match random.below(9) {
            0 if faulty => convert(end as i64 + random.below(3) as i64),
            1 if faulty => convert(-1 - random.below(1000) as i64),
            _ => convert(random.below(end) as i64),
        })
        .collect()
}

fn moves<T: Sample, I: Integer + Sample>(convert: impl Fn(i64) -> I + Copy, back: impl Fn(I) -> i64) {
    for len in LENS {
        for (faulty, at) in [(false, 0), (true, 3)] {
            let source_len = len / 2 + 1;
            let (x, index) = (specials::<T>(source_len, 3), indices(len, source_len, faulty, convert));
            let array = Array::from(&x);
            let places = Array::from(&[&vec![index[0]; at][..], &index].concat());
            let place = |i: usize| usize::try_from(back(index[i])).ok().filter(|&p| p < source_len);
            let gathered: Vec<T> = (0..len).map(|i| place(i).map_or(T::default(), |p| x[p])).collect();
            let sources = specials::<T>(len, 8);
            let from = Array::from(&sources);
            let mut scattered = x.clone();
            (0..len).for_each(|i| {
                if let Some(p) = place(i) {
                    scattered[p] = sources[i]
                }
            });
            let any = (0..len).any(|i| place(i).is_none());
            for host in Host::both() {
                let out = Array::<T>::poisoned(len + at);
                let operation =
                    Operation::Gather { x: array.span(), index: places.sub(at, len), out: out.sub(at, len) };
                assert_eq!(run(&host, &operation, 1), any);
                assert!(bits(&out.to_vec()[at..]) == bits(&gathered), "gather {} {} {len}", T::DTYPE, I::DTYPE);
                let target = Array::from(&x);
                let operation = Operation::Scatter { x: from.span(), index: places.sub(at, len), out: target.span() };
                assert_eq!(run(&host, &operation, 2), any);
                assert!(bits(&target.to_vec()) == bits(&scattered), "scatter {} {} {len}", T::DTYPE, I::DTYPE);
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn gather_and_scatter() {
    for dtype in [DType::U8, DType::F16, DType::F32, DType::C32, DType::C64] {
        match_dtype!(dtype, any T => {
            moves::<T, u32>(|i| i as u32, i64::from);
            moves::<T, i64>(|i| i, |i| i);
        }, _ => panic!());
    }
    moves::<f32, i32>(|i| i as i32, i64::from);
    moves::<f64, u64>(|i| i as u64, |i| i as i64);
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn compact() {
    fn every<T: Sample>() {
        for len in [0, 1, 63, 64, 65, 4095, 4096, 4097, 40_000] {
            for kept in [0, 1, 2, 9] {
                let x = specials::<T>(len, 5);
                let mask: Vec<u8> = specials::<u8>(len, 6)
                    .iter()
                    .map(|&m| if kept == 0 || m % 10 > kept { 0 } else { m | 1 })
                    .collect();
                let selected: Vec<T> = (0..len).filter(|&i| mask[i] != 0).map(|i| x[i]).collect();
                let (array, masks) = (Array::from(&x), Array::from(&mask));
                for host in Host::both() {
                    let before = specials::<T>(len, 7);
                    let (out, count) = (Array::from(&before), Array::<u64>::poisoned(1));
                    let operation = Operation::Compact {
                        x: array.span(),
                        mask: masks.span(),
                        out: out.span(),
                        count: count.span(),
                    };
                    assert!(!run(&host, &operation, len as u64));
                    let expected = [&selected[..], &before[selected.len()..]].concat();
                    assert_eq!(count.to_vec(), [selected.len() as u64]);
                    assert!(bits(&out.to_vec()) == bits(&expected), "{} {len}", T::DTYPE);
                }
            }
        }
    }
    for dtype in [DType::I8, DType::Bf16, DType::F32, DType::F64, DType::C64] {
        match_dtype!(dtype, any T => every::<T>(), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn histogram() {
    fn every<T: Integer + Sample>(to_i64: impl Fn(T) -> i128) {
        for (len, bins) in [(1, 1), (5000, 0), (5000, 7), (4097, 200), (4097, 256), (9000, 20_000)] {
            let x: Vec<T> = if len == 4097 { vec![T::default(); len] } else { specials(len, 3) };
            let mut expected = vec![0_u64; bins];
            let mut fault = false;
            for &x in &x {
                match usize::try_from(to_i64(x)).ok().and_then(|j| expected.get_mut(j)) {
                    Some(count) => *count += 1,
                    None => fault = true,
                }
            }
            let array = Array::from(&x);
            for host in Host::both() {
                let out = Array::<u64>::poisoned(bins);
                let operation = Operation::Histogram { x: array.span(), out: out.span() };
                assert_eq!(run(&host, &operation, 3), fault);
                assert_eq!(out.to_vec(), expected, "{} {len} {bins}", T::DTYPE);
            }
        }
    }
    every::<u8>(i128::from);
    every::<i8>(i128::from);
    every::<u16>(i128::from);
    every::<i16>(i128::from);
    every::<u32>(i128::from);
    every::<i32>(i128::from);
    every::<u64>(i128::from);
    every::<i64>(i128::from);
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn random() {
    fn every<T: RandomElement>() {
        for (len, at, offset) in
            [(1, 0, 0), (300, 1, 1), (4097, 0, 2), (4100, 3, 3), (777, 2, 1 << 34), (999, 0, u64::MAX - 500)]
        {
            let (seed, subsequence) = (0x1234_5678_9abc_def0_u64 ^ offset, 77 << 33 | len as u64);
            let out = Array::<T>::poisoned(len + at);
            let expected: Vec<T> = (0..len as u64).map(|i| philox::element(seed, subsequence, offset, i)).collect();
            for host in Host::both() {
                run(&host, &Operation::Random { seed, subsequence, offset, out: out.sub(at, len) }, 4);
                assert!(bits(&out.to_vec()[at..]) == bits(&expected), "{} {len} {offset}", T::DTYPE);
            }
        }
    }
    for dtype in DType::ALL {
        match_dtype!(dtype, real T => every::<T>(), _ => ());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn normal_numbers() {
    fn every<T: NormalElement<Acc: CastFrom<f32>>>() {
        let (mean, deviation): (T::Acc, T::Acc) = (cast(0.25_f32), cast(1.5_f32));
        for (len, at, offset) in [(1, 0, 1), (300, 1, 0), (2049, 0, 3), (2050, 3, 2), (99, 0, u64::MAX - 50)] {
            let (seed, subsequence) = (0x1234_5678_9abc_def0_u64 ^ offset, 77 << 33 | len as u64);
            let out = Array::<T>::poisoned(len + at);
            let element = |i| normal::element((seed, subsequence, offset), i, mean, deviation);
            let expected: Vec<T> = (0..len as u64).map(element).collect();
            let (mean, deviation) = (ScalarValue::new(mean), ScalarValue::new(deviation));
            for host in Host::both() {
                let out_part = out.sub(at, len);
                run(&host, &Operation::Normal { seed, subsequence, offset, mean, deviation, out: out_part }, 4);
                assert!(bits(&out.to_vec()[at..]) == bits(&expected), "{} {len} {offset}", T::DTYPE);
            }
        }
    }
    for dtype in [DType::F32, DType::F64, DType::F16, DType::Bf16] {
        match_dtype!(dtype, float T => every::<T>(), _ => panic!());
    }
}
