//! Random numbers against [`philox::element`] and [`normal::element`], the definitions.

use super::{Memory, patterns};
use crate::execute::execute;
use crate::workers::Workers;
use warpwave_core::numerics::normal::{self, NormalElement};
use warpwave_core::numerics::philox::{self, RandomElement};
use warpwave_core::numerics::{CastFrom, cast};
use warpwave_core::{Complex32, DType, ErrorKind, Operation, ScalarValue, match_dtype};

fn check<T: RandomElement>(workers: &Workers, seed: u64, subsequence: u64, offset: u64, len: usize) {
    let mut out = Memory::new(&patterns::<T>(len, 1));
    // SAFETY: the output is alive and as large as it says.
    unsafe { execute(workers, &Operation::Random { seed, subsequence, offset, out: out.span() }) }.unwrap();
    let want: Vec<T> = (0..len as u64).map(|i| philox::element(seed, subsequence, offset, i)).collect();
    out.assert_is(&want, format_args!("seed {seed}, subsequence {subsequence}, from word {offset}"));
}

/// Every type from every place in a block on, in all lengths around a batch, and across the ends of 32 and 64 bits.
#[test]
fn every_type_and_place() {
    let workers = Workers::with_threads(2);
    for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
        match_dtype!(dtype, real T => {
            for offset in (0..9).chain([1 << 34, (1 << 34) - 5, u64::MAX, u64::MAX - 2, u64::MAX - 1500]) {
                for len in [0, 1, 2, 3, 4, 5, 63, 64, 65, 509, 1023, 1024, 1025, 2051] {
                    check::<T>(&workers, 0x0123_4567_89ab_cdef, u64::MAX - offset, offset, len);
                }
            }
        }, _ => unreachable!());
    }
}

/// The numbers do not depend on how threads share them.
#[test]
fn threads_see_one_sequence() {
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        check::<f32>(&workers, 1, 2, 3, 200_003);
        check::<u64>(&workers, 1, 2, 3, 100_003);
        check::<u8>(&workers, 1, 2, 3, 400_003);
    }
}

fn check_normal<T: NormalElement<Acc: CastFrom<f32>>>(threads: usize, offset: u64, len: usize) {
    let mut out = Memory::new(&patterns::<T>(len, 2));
    let (seed, subsequence) = (0x0123_4567_89ab_cdef, u64::MAX - offset);
    let (mean, deviation) = (cast(0.25_f32), cast(1.5_f32));
    let (of_mean, of_deviation) = (ScalarValue::new(mean), ScalarValue::new(deviation));
    let operation =
        Operation::Normal { seed, subsequence, offset, mean: of_mean, deviation: of_deviation, out: out.span() };
    // SAFETY: the output is alive and as large as it says.
    unsafe { execute(&Workers::with_threads(threads), &operation) }.unwrap();
    let element = |i| normal::element((seed, subsequence, offset), i, mean, deviation);
    out.assert_is(&(0..len as u64).map(element).collect::<Vec<T>>(), format_args!("normal from word {offset}"));
}

/// From each word of a pair on, of every float, around a batch and across the end of the count; and shared among threads.
#[test]
fn normal_numbers() {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::Bf16] {
        match_dtype!(dtype, float T => {
            for offset in (0..5).chain([(1 << 34) - 5, u64::MAX, u64::MAX - 1200]) {
                for len in [0, 1, 2, 3, 511, 513, 1024, 1027] {
                    check_normal::<T>(1, offset, len);
                }
            }
            check_normal::<T>(3, 1, 100_003);
        }, _ => unreachable!());
    }
}

#[test]
fn complex_numbers_are_refused() {
    let mut out = Memory::new(&[Complex32::new(1.0, 2.0)]);
    let operation = Operation::Random { seed: 0, subsequence: 0, offset: 0, out: out.span() };
    // SAFETY: the output is alive and as large as it says.
    let error = unsafe { execute(&Workers::with_threads(1), &operation) }.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    out.assert_is(&[Complex32::new(1.0, 2.0)], "untouched");
}
