//! The order in which sums are made, once more: from the top down by recursion, where the core goes from the bottom up.
//! The two have nothing in common but what [`warpwave_core::numerics::tree`] says in words.

use std::iter::StepBy;
use std::ops::Range;

/// Combines elements `0..len` in the order of the tree; `None` of nothing. `first` starts a lane with an element, `next`
/// takes another into it, `join` combines two results, the lower one first.
pub(crate) fn in_order<A: Copy>(
    len: usize,
    first: &dyn Fn(usize) -> A,
    next: &dyn Fn(A, usize) -> A,
    join: &dyn Fn(A, A) -> A,
) -> Option<A> {
    const CHUNK: usize = 8192;
    const LANES: usize = 1024;
    let lane = |mut elements: StepBy<Range<usize>>| elements.next().map(|i| elements.fold(first(i), next));
    let chunk = |start: usize| {
        let end = len.min(start + CHUNK);
        let lanes: Vec<A> = (0..LANES).filter_map(|i| lane((start + i..end).step_by(LANES))).collect();
        neighbours(&lanes, join)
    };
    let results: Vec<A> = (0..len.div_ceil(CHUNK)).filter_map(|i| chunk(i * CHUNK)).collect();
    match results[..] {
        [] => None,
        [one] => Some(one),
        _ => in_order(results.len(), &|i| results[i], &|sum, i| join(sum, results[i]), join),
    }
}

/// The left half of a tree of neighbours is the largest that is complete.
fn neighbours<A: Copy>(x: &[A], join: &dyn Fn(A, A) -> A) -> Option<A> {
    match x {
        [] => None,
        [one] => Some(*one),
        _ => {
            let (left, right) = x.split_at(x.len().next_power_of_two() / 2);
            Some(join(neighbours(left, join)?, neighbours(right, join)?))
        }
    }
}

/// The dot product of real numbers, in `f32` or in `f64`.
pub(crate) fn dot(x: &[f64], y: &[f64], single: bool) -> Option<f64> {
    if !single {
        return in_order(x.len(), &|i| x[i] * y[i], &|sum, i| x[i].mul_add(y[i], sum), &|a, b| a + b);
    }
    // Numbers of `f32` come through `f64` unchanged.
    let (len, x, y) = (x.len(), |i: usize| x[i] as f32, |i: usize| y[i] as f32);
    in_order(len, &|i| x(i) * y(i), &|sum, i| x(i).mul_add(y(i), sum), &|a, b| a + b).map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// At the sizes at which the tree changes its shape.
    #[test]
    fn lanes_chunks_and_neighbours() {
        let number = |x: usize| [x, x];
        // The lowest and the highest element.
        let join = |a: [usize; 2], b: [usize; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        for len in [1, 2, 3, 1024, 1025, 8192, 8193, 3 * 8192 + 5, 65 * 8192 + 1] {
            let all = in_order(len, &number, &|sum, i| join(sum, number(i)), &join);
            assert_eq!(all, Some([0, len - 1]), "{len}");
        }
        assert_eq!(in_order(0, &number, &|sum, _| sum, &join), None);
        // What is joined, each by its first leaf.
        let joins = |n: u8| {
            let joins = RefCell::new(Vec::new());
            let leaves: Vec<u8> = (0..n).collect();
            let root = neighbours(&leaves, &|a, b| {
                joins.borrow_mut().push([a, b]);
                a
            });
            assert_eq!(root, Some(0));
            let mut joins = joins.into_inner();
            joins.sort_unstable();
            joins
        };
        assert_eq!(joins(3), [[0, 1], [0, 2]]);
        assert_eq!(joins(5), [[0, 1], [0, 2], [0, 4], [2, 3]]);
        assert_eq!(joins(6), [[0, 1], [0, 2], [0, 4], [2, 3], [4, 5]]);
        assert_eq!(joins(7), [[0, 1], [0, 2], [0, 4], [2, 3], [4, 5], [4, 6]]);
    }

    /// 2²⁴ + 1 is no `f32`: it tells which elements meet first.
    #[test]
    fn elements_a_thousand_and_twenty_four_apart_meet_first() {
        let mut x = vec![0.0; 1025];
        (x[0], x[1], x[1024]) = (16_777_216.0, -16_777_216.0, 1.0);
        // (2²⁴ + 1) − 2²⁴.
        assert_eq!(dot(&x, &[1.0; 1025], true), Some(0.0));
        assert_eq!(dot(&x, &[1.0; 1025], false), Some(1.0));
        assert_eq!(dot(&[], &[], true), None);
    }
}
