use super::super::scan::scan as run;
use super::{Memory, moderate, patterns};
use crate::workers::{FloatMode, Workers};
use warpwave_core::numerics::scan::{self, TILE};
use warpwave_core::numerics::{RealNumeric, Reducible};
use warpwave_core::operation::{Ptr, Span};
use warpwave_core::{Complex32, DType, Element, OperationKind, ReduceOp, f16, match_dtype};

/// Around runs, blocks, groups, tiles, what threads take at once, and the first node of tiles.
const LENGTHS: [usize; 21] = [
    0, 1, 2, 15, 16, 17, 255, 256, 257, 511, 513, 4095, 4096, 4097, 8192, 12_289, 32_768, 32_769, 65_600, 131_073,
    270_001,
];

/// Runs a scan apart and in place, with each number of threads, on elements aligned to nothing but their type.
fn check<T: Element>(op: ReduceOp, exclusive: bool, values: &[T], expected: &[T]) {
    let _mode = FloatMode::enter();
    let name = OperationKind::scan(op, exclusive);
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        let (mut x, mut out) = (Memory::new(values), Memory::new(&patterns::<T>(values.len(), 1)));
        // SAFETY: the operands are the elements of `x` and `out`.
        unsafe {
            run(&workers, op, exclusive, x.span(), out.span()).unwrap();
            out.assert_is(expected, format_args!("{name} by {threads} threads"));
            x.assert_is(values, "input");
            run(&workers, op, exclusive, x.span(), x.span()).unwrap();
        }
        x.assert_is(expected, format_args!("{name} in place by {threads} threads"));
    }
}

fn check_sums<T: Reducible>(values: &[T]) {
    for (op, exclusive) in
        [(ReduceOp::Sum, false), (ReduceOp::Sum, true), (ReduceOp::Prod, false), (ReduceOp::Prod, true)]
    {
        check(op, exclusive, values, &scan::arithmetic(op, exclusive, values).unwrap());
    }
}

fn check_extremes<T: Reducible<Acc: RealNumeric> + RealNumeric>(values: &[T]) {
    for (op, exclusive) in
        [(ReduceOp::Min, false), (ReduceOp::Min, true), (ReduceOp::Max, false), (ReduceOp::Max, true)]
    {
        check(op, exclusive, values, &scan::choice(op, exclusive, values).unwrap());
    }
}

/// All operations and types to the bit of the definition: on numbers whose sums and products round, and on bit patterns of all kinds.
#[test]
fn scans_are_as_defined() {
    for len in LENGTHS {
        for dtype in DType::ALL {
            // The long ones for elements of 1, 4 and 16 bytes alone.
            if len > 40_000 && !matches!(dtype, DType::U8 | DType::F32 | DType::C64) {
                continue;
            }
            match_dtype!(dtype, any T => for values in [moderate::<T>(len, 2), patterns::<T>(len, 3)] {
                check_sums(&values);
            }, _ => unreachable!());
            match_dtype!(dtype, real T => for values in [moderate::<T>(len, 4), patterns::<T>(len, 5)] {
                check_extremes(&values);
            }, _ => ());
        }
    }
}

/// A NaN, an infinity or an overflow at each place of a run, alone among numbers: what comes after it is as defined, whatever bits
/// the processor gives a NaN on the way.
#[test]
fn one_special_value_at_a_time() {
    for place in [0, 1, 7, 15, 16, 17, 255, 256, 600, 4095, 4096, 4999] {
        for special in
            [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffc1_2345), f32::INFINITY, f32::MAX]
        {
            let mut values = moderate::<f32>(5000, 6);
            values[place] = special;
            check_sums(&values);
            check_extremes(&values);
            let mut values = moderate::<Complex32>(5000, 7);
            values[place].im = special;
            check_sums(&values);
        }
    }
}

/// More than two levels of nodes above the tiles, where sums in another order would differ.
#[test]
fn a_tree_of_many_levels() {
    let values = moderate::<f32>(32 * 32 * TILE + 33 * TILE + 1234, 8);
    let expected = scan::arithmetic(ReduceOp::Sum, false, &values).unwrap();
    check(ReduceOp::Sum, false, &values, &expected);
    let mut sum = 0.0;
    let serial: Vec<f32> = values
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    assert_ne!(expected, serial, "the data does not tell orders apart");
}

/// An output that starts at a line of memory and is too large for a cache, whole blocks and the rest, by one thread and several.
#[test]
fn large_outputs() {
    const LINE: usize = 8;
    let len = 32 * 32 * TILE + TILE + 777;
    let values = moderate::<f64>(len, 9);
    for exclusive in [false, true] {
        let expected = scan::arithmetic(ReduceOp::Sum, exclusive, &values).unwrap();
        for threads in [1, 3] {
            let mut x = Memory::new(&values);
            let mut room = vec![7.0_f64; len + 3 * LINE];
            let front = LINE - room.as_ptr().addr() / size_of::<f64>() % LINE;
            let out = Span { ptr: Ptr::new(room[front..].as_mut_ptr().cast()), dtype: DType::F64, len };
            // SAFETY: the operands are the elements of `x` and `room`.
            unsafe { run(&Workers::with_threads(threads), ReduceOp::Sum, exclusive, x.span(), out) }.unwrap();
            assert!(room[front..front + len] == expected, "exclusive: {exclusive}, {threads} threads");
            assert!(room[..front].iter().chain(&room[front + len..]).all(|&x| x == 7.0), "wrote outside of the output");
        }
    }
}

/// Results said outright.
#[test]
fn known_results() {
    check(ReduceOp::Sum, false, &[1_i32, -2, 3, 4], &[1, -1, 2, 6]);
    check(ReduceOp::Sum, true, &[1_i32, -2, 3, 4], &[0, 1, -1, 2]);
    check(ReduceOp::Prod, true, &[5_u8, 7, 9], &[1, 5, 35]);
    check(ReduceOp::Min, true, &[2.0_f64, -0.0, 0.0], &[f64::INFINITY, 2.0, -0.0]);
    check(ReduceOp::Max, true, &[-7_i64], &[i64::MIN]);
    check(ReduceOp::Sum, false, &[-0.0_f32, -0.0], &[-0.0, -0.0]);
    // Past 2,048, f16 itself would not count any further.
    let ones = vec![f16::ONE; 4100];
    let counts: Vec<f16> = (1..=4100).map(|i| f16::from_f32(i as f32)).collect();
    check(ReduceOp::Sum, false, &ones, &counts);
}
