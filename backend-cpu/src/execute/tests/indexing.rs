//! Moving by indices, masks and axes against plain loops.

use super::{Memory, Random, patterns};
use crate::execute::execute;
use crate::workers::Workers;
use warpwave_core::operation::PermuteShape;
use warpwave_core::{DType, Element, ErrorKind, Index, Integer, Operation, Result, ScalarValue, match_dtype};

fn try_run(workers: &Workers, operation: Operation) -> Result<()> {
    // SAFETY: the tests below make operations of `Memory` that is alive and as large as they say.
    unsafe { execute(workers, &operation) }
}

fn number<T: Element>(value: i64) -> T {
    warpwave_core::numerics::scalar::cast(ScalarValue::new(value), T::DTYPE).unwrap().get().unwrap()
}

/// The text of the fault that an operation ends with.
fn fault(outcome: Result<()>) -> String {
    match outcome.unwrap_err().kind() {
        ErrorKind::DeviceFault { what } => what.clone(),
        other => panic!("{other}"),
    }
}

#[test]
fn gather_and_scatter() {
    fn check<T: Element, I: Index>(workers: &Workers, len: usize, places: usize) {
        let mut random = Random(len as u64);
        // The first half of the places, so that some are named often and some never.
        let index: Vec<usize> = (0..len).map(|_| random.next() as usize % places.div_ceil(2)).collect();
        let indices: Vec<I> = index.iter().map(|&i| number(i as i64)).collect();
        let (table, values) = (patterns::<T>(places, 1), patterns::<T>(len, 2));
        let (mut x, mut i, mut out) = (Memory::new(&table), Memory::new(&indices), Memory::new(&values));
        try_run(workers, Operation::Gather { x: x.span(), index: i.span(), out: out.span() }).unwrap();
        out.assert_is(&index.iter().map(|&i| table[i]).collect::<Vec<T>>(), "gathered");
        let (mut x, mut out) = (Memory::new(&values), Memory::new(&table));
        try_run(workers, Operation::Scatter { x: x.span(), index: i.span(), out: out.span() }).unwrap();
        let mut want = table;
        index.iter().zip(&values).for_each(|(&i, &x)| want[i] = x);
        out.assert_is(&want, "scattered");
    }
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        for dtype in DType::ALL {
            match_dtype!(dtype, any T => {
                check::<T, i32>(&workers, 100, 7);
                check::<T, u32>(&workers, 1, 1);
                check::<T, u64>(&workers, 1001, 3000);
                check::<T, i64>(&workers, 50_001, 60_003);
            }, _ => unreachable!());
        }
    }
}

/// What is out of range is left out, and the first of it told, however the work is shared.
#[test]
fn indices_out_of_range() {
    fn check<I: Index + std::fmt::Display>(workers: &Workers, bad: I, worse: I) {
        let len = 40_000;
        let mut indices: Vec<I> = (0..len).map(|i| number(i % 5)).collect();
        (indices[17_003], indices[30_000], indices[39_999]) = (bad, worse, bad);
        let wrong = [17_003, 30_000, 39_999];
        let values: Vec<u16> = (0..len as u16).collect();
        let (mut x, mut i, mut out) =
            (Memory::new(&[10_u16, 11, 12, 13, 14]), Memory::new(&indices), Memory::new(&values));
        let told = format!("position 17003 is {bad}, which is outside of 0..5");
        let text = fault(try_run(workers, Operation::Gather { x: x.span(), index: i.span(), out: out.span() }));
        assert!(text.contains(&told), "{text}");
        let at = |i: usize| if wrong.contains(&i) { 0 } else { 10 + (i % 5) as u16 };
        out.assert_is(&(0..len as usize).map(at).collect::<Vec<_>>(), "gathered");
        let (mut x, mut out) = (Memory::new(&values), Memory::new(&[9_u16; 5]));
        let text = fault(try_run(workers, Operation::Scatter { x: x.span(), index: i.span(), out: out.span() }));
        assert!(text.contains(&told), "{text}");
        out.assert_is(&[39_995, 39_996, 39_997, 39_998, 39_994].map(|i: u32| i as u16), "scattered");
        let mut counts = Memory::new(&[7_u64; 5]);
        let text = fault(try_run(workers, Operation::Histogram { x: i.span(), out: counts.span() }));
        assert!(text.contains(&told), "{text}");
        counts.assert_is(&[7_999, 8_000, 8_000, 7_999, 7_999], "counted");
    }
    for threads in [1, 3] {
        let workers = Workers::with_threads(threads);
        check::<i32>(&workers, -1, 5);
        check::<u32>(&workers, 5, u32::MAX);
        check::<i64>(&workers, i64::MIN, 1 << 32);
        check::<u64>(&workers, u64::MAX, 1 << 32);
    }
    let workers = Workers::with_threads(1);
    let (mut x, mut index, mut out) = (Memory::<f32>::new(&[]), Memory::new(&[0_u32]), Memory::new(&[5.0_f32]));
    assert!(
        fault(try_run(&workers, Operation::Gather { x: x.span(), index: index.span(), out: out.span() }))
            .contains("0..0")
    );
    out.assert_is(&[0.0], "of nothing");
    assert!(
        fault(try_run(&workers, Operation::Scatter { x: out.span(), index: index.span(), out: x.span() }))
            .contains("0..0")
    );
}

#[test]
fn compaction() {
    fn check<T: Element>(workers: &Workers, len: usize, select: impl Fn(u64) -> bool) {
        let mut random = Random(3);
        let masks: Vec<u8> =
            (0..len).map(|i| if select(i as u64) { 1 + random.next() as u8 % 255 } else { 0 }).collect();
        let (values, before) = (patterns::<T>(len, 1), patterns::<T>(len, 2));
        let (mut x, mut mask) = (Memory::new(&values), Memory::new(&masks));
        let (mut out, mut count) = (Memory::new(&before), Memory::new(&[99_u64]));
        let operation = Operation::Compact { x: x.span(), mask: mask.span(), out: out.span(), count: count.span() };
        try_run(workers, operation).unwrap();
        let mut want: Vec<T> = (0..len).filter(|&i| masks[i] != 0).map(|i| values[i]).collect();
        count.assert_is(&[want.len() as u64], "count");
        want.extend_from_slice(&before[want.len()..]);
        out.assert_is(&want, "compacted");
    }
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        for dtype in DType::ALL {
            match_dtype!(dtype, any T => {
                for len in super::SIZES {
                    check::<T>(&workers, len, |i| i.wrapping_mul(i) % 7 < 3);
                }
                check::<T>(&workers, 50_000, |_| true);
                check::<T>(&workers, 50_000, |_| false);
                check::<T>(&workers, 50_000, |i| i > 40_000);
            }, _ => unreachable!());
        }
    }
    // More than there are pieces of the least size.
    check::<u8>(&Workers::with_threads(2), 20_000_003, |i| i % 3 == 1);
}

/// Few and many counters, numbers that are all alike, and counts of nothing.
#[test]
fn histograms() {
    fn check<T: Integer>(workers: &Workers, len: usize, bins: usize, spread: u64) {
        let mut random = Random(4);
        let numbers: Vec<u64> = (0..len).map(|_| random.next() % spread).collect();
        let mut want = vec![0_u64; bins];
        numbers.iter().for_each(|&x| want[x as usize] += 1);
        let mut x = Memory::new(&numbers.iter().map(|&x| number::<T>(x as i64)).collect::<Vec<_>>());
        let mut counts = Memory::new(&patterns::<u64>(bins, 5));
        try_run(workers, Operation::Histogram { x: x.span(), out: counts.span() }).unwrap();
        counts.assert_is(&want, "counts");
    }
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
            match_dtype!(dtype, integer T => {
                let most = if T::DTYPE.size() == 1 { 128 } else { 30_000 };
                for (len, bins, spread) in [
                    (0, 0, 1),
                    (0, 5, 1),
                    (1, 1, 1),
                    (1000, 3, 3),
                    (300_001, 200, 100),
                    (300_001, 1024, 1),
                    (70_000, 1025, 127),
                    (70_000, 4096, most.min(4096)),
                    (70_000, 4097, most.min(4097)),
                    (30_000, 30_000, most),
                    (5, 200_000, 5),
                ] {
                    check::<T>(&workers, len, bins, spread);
                }
            }, _ => unreachable!());
        }
    }
}

/// Every order of up to four axes, and arrays whose axes merge, are copied by runs, are turned, and are turned as wider
/// elements.
#[test]
fn axes_in_every_order() {
    fn orders(rank: usize) -> Vec<Vec<usize>> {
        if rank == 0 {
            return vec![Vec::new()];
        }
        let shorter = orders(rank - 1);
        shorter
            .iter()
            .flat_map(|order| (0..rank).map(move |at| [&order[..at], &[rank - 1], &order[at..]].concat()))
            .collect()
    }
    fn check<T: Element>(workers: &Workers, sizes: &[usize], axes: &[usize]) {
        let shape = PermuteShape::new(sizes, axes).unwrap();
        let len = shape.elements().unwrap();
        let values = patterns::<T>(len, 1);
        let (mut x, mut out) = (Memory::new(&values), Memory::new(&patterns::<T>(len, 2)));
        try_run(workers, Operation::Permute { x: x.span(), out: out.span(), shape }).unwrap();
        let stride = |axis: usize| sizes[axis + 1..].iter().product::<usize>();
        let source = |mut i: usize| {
            let mut place = 0;
            for &axis in axes.iter().rev() {
                place += i % sizes[axis] * stride(axis);
                i /= sizes[axis];
            }
            values[place]
        };
        out.assert_is(&(0..len).map(source).collect::<Vec<T>>(), format_args!("{sizes:?} by {axes:?}"));
    }
    for threads in [1, 2] {
        let workers = Workers::with_threads(threads);
        for sizes in [
            &[][..],
            &[5],
            &[0],
            &[7, 4],
            &[1, 9],
            &[3, 1, 5],
            &[2, 3, 4],
            &[70, 2, 33],
            &[3, 0, 2],
            &[2, 3, 1, 4],
            &[5, 6, 3, 2],
        ] {
            for axes in orders(sizes.len()) {
                check::<u8>(&workers, sizes, &axes);
                check::<u16>(&workers, sizes, &axes);
                check::<f32>(&workers, sizes, &axes);
                check::<warpwave_core::Complex32>(&workers, sizes, &axes);
                check::<warpwave_core::Complex64>(&workers, sizes, &axes);
            }
        }
        check::<u32>(&workers, &[2; 8], &[7, 6, 5, 4, 3, 2, 1, 0]);
        check::<u8>(&workers, &[2, 3, 1, 2, 3, 1, 2, 2], &[3, 0, 7, 1, 5, 2, 6, 4]);
        check::<u32>(&workers, &[300, 301, 4], &[1, 0, 2]);
        check::<f64>(&workers, &[4, 300, 301], &[0, 2, 1]);
        check::<u16>(&workers, &[600, 3, 100], &[1, 2, 0]);
        check::<u8>(&workers, &[40, 5000], &[1, 0]);
        // Tiles of several axes, some of which are cut unevenly, and cut on both sides.
        check::<u8>(&workers, &[7001, 2, 2], &[0, 2, 1]);
        check::<u8>(&workers, &[5, 1999, 3], &[1, 2, 0]);
        check::<u16>(&workers, &[2, 7001, 2], &[2, 1, 0]);
        check::<u16>(&workers, &[3, 67, 5, 71, 2], &[4, 3, 2, 1, 0]);
        check::<f32>(&workers, &[5; 6], &[5, 4, 3, 2, 1, 0]);
        check::<f32>(&workers, &[3, 1001, 7], &[1, 0, 2]);
        check::<f32>(&workers, &[1001, 3, 5], &[0, 2, 1]);
        check::<f64>(&workers, &[1009, 2, 2, 2, 2, 2, 2, 2], &[7, 6, 5, 4, 3, 2, 1, 0]);
        check::<f64>(&workers, &[129, 3, 129], &[1, 2, 0]);
        check::<warpwave_core::Complex64>(&workers, &[3, 301, 2], &[2, 0, 1]);
        // An empty array, however large its other axes are.
        check::<f32>(&workers, &[usize::MAX, 0, usize::MAX], &[2, 0, 1]);
    }
}
