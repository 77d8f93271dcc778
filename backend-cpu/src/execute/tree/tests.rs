#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::{Fold, Lanes, Rows, across, along, chunk};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::Mutex;
use warpwave_core::numerics::tree::{self, CHUNK, LANES};

/// Neither commutative nor associative, and a first item is not a next one: a result tells any other order or grouping apart.
#[derive(Clone, Copy)]
struct Trace;

impl Fold for Trace {
    type Item = u64;
    type Acc = u64;

    fn first(self, item: u64) -> u64 {
        item.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1
    }

    fn next(self, acc: u64, item: u64) -> u64 {
        acc.rotate_left(7).wrapping_mul(3).wrapping_add(item)
    }

    fn join(self, low: u64, high: u64) -> u64 {
        low.rotate_left(13).wrapping_mul(5) ^ high.wrapping_mul(0xff51_afd7_ed55_8ccd)
    }
}

/// Item `index` of a line.
fn item(line: usize, index: usize) -> u64 {
    (line as u64) << 40 | index as u64
}

/// The definition.
fn expected(line: usize, len: usize) -> Option<u64> {
    let lane = |acc: Option<u64>, i: usize| match acc {
        None => Trace.first(item(line, i)),
        Some(acc) => Trace.next(acc, item(line, i)),
    };
    tree::reduce(len, lane, |low, high| Trace.join(low, high))
}

/// The results of lines that were finished, each once.
#[derive(Default)]
struct Finished(Mutex<Vec<(usize, u64)>>);

impl Finished {
    fn put(&self, line: usize, result: u64) {
        self.0.lock().unwrap().push((line, result));
    }

    fn check(self, (lines, len): (usize, usize), what: &str) {
        let mut results = self.0.into_inner().unwrap();
        results.sort_unstable();
        let expected: Vec<_> = (0..lines).filter_map(|line| Some((line, expected(line, len)?))).collect();
        assert!(results == expected, "{what}: {lines} lines of {len}");
    }
}

#[derive(Clone, Copy)]
struct Items;

// SAFETY: a range has an item for each line.
unsafe impl Rows for Items {
    type Item = u64;

    unsafe fn row(self, index: usize, lines: Range<usize>) -> impl Iterator<Item = u64> {
        lines.map(move |line| item(line, index))
    }

    fn prefetch(self, _: usize, _: Range<usize>) {}
}

fn check(workers: &Workers, size: (usize, usize)) {
    let finished = Finished::default();
    let chunk = |line: usize, range: Range<usize>, lanes: &mut Lanes<u64>| {
        assert!(range.len() <= CHUNK && range.start.is_multiple_of(CHUNK));
        vectorize(
            #[inline(always)]
            || {
                let items = |part: Range<usize>| part.map(|i| item(line, range.start + i));
                // SAFETY: a part has as many items as it is long.
                unsafe { chunk(Trace, range.len(), items, |_| {}, lanes) }
            },
        )
    };
    along(workers, size, 8, Trace, chunk, |line, result| finished.put(line, result)).unwrap();
    finished.check(size, "along");

    let finished = Finished::default();
    // SAFETY: the items are computed.
    unsafe { across(workers, size, 8, Trace, Items, |line, result| finished.put(line, result)) }.unwrap();
    finished.check(size, "across");
}

/// Lengths around every unit of the tree, with one thread and with several.
#[test]
fn both_ways_are_the_definition() {
    for threads in [1, 3] {
        let workers = Workers::with_threads(threads);
        let units = [0, 1, 2, 3, 8, 15, 16, 17, 64, 100, LANES, 2 * LANES, 7 * LANES, CHUNK, 2 * CHUNK, 5 * CHUNK];
        for unit in units {
            for len in [unit.saturating_sub(1), unit, unit + 1, unit + 500] {
                for lines in [0, 1, 3] {
                    check(&workers, (lines, len));
                }
            }
        }
    }
}

/// More lines than a block has, with and without a rest.
#[test]
fn many_lines() {
    let workers = Workers::with_threads(2);
    for lines in [16, 255, 256, 257, 1000] {
        check(&workers, (lines, 1));
        check(&workers, (lines, 100));
    }
    check(&workers, (300, CHUNK + 77));
}

/// More chunks than fit into one: three levels.
#[test]
fn a_third_level() {
    let workers = Workers::with_threads(2);
    check(&workers, (1, CHUNK * CHUNK + 3 * CHUNK + 5));
}
