//! The scan tree: the one order in which every prefix sum, product, minimum and maximum combines its elements.
//!
//! Elements are counted from the start of the view and cut into runs of [`RUN`]; [`FAN`] runs make a group, [`GROUPS`] groups a
//! tile of [`TILE`] elements, [`FAN`] tiles a node of the next level, [`FAN`] of those one of the next, until one is left.
//!
//! - Within a run, elements combine in ascending order: `s₀ = x₀`, `sⱼ = sⱼ₋₁ ∘ xⱼ`. The total of a run is its last `s`.
//! - The totals of the children of one node are scanned after Kogge and Stone: for `d` = 1, 2, 4, … every `tᵢ` with `i ≥ d` becomes
//!   `tᵢ₋d ∘ tᵢ`, all at once. The last is the total of the node.
//! - Prefixes come down: that of a child is the prefix of its node `∘` the scanned total of the child before it. Where either is
//!   missing, it is the other; the first child of the topmost node has none.
//! - The inclusive result is the prefix of the run `∘ sⱼ`, or `sⱼ` where there is no prefix. The exclusive result is the prefix of
//!   the run `∘ sⱼ₋₁`, the prefix itself for the first element of a run, and the identity of the operation for the very first.
//!
//! What is missing (a short run, a node with fewer children) is skipped, never padded. No step depends on timing. An exclusive result
//! of floats need not have the bits of the inclusive one before it: they may come down by different nodes.
//!
//! `f16` and `bf16` are converted to `f32`, and each result is rounded once, at the very end.

use super::arithmetic::{Numeric, RealNumeric};
use super::reduction::Reducible;
use crate::operation::ReduceOp;

/// Elements in a run.
pub const RUN: usize = 16;
/// Children of a node: runs in a group, tiles in a node above them, and so on.
pub const FAN: usize = 32;
/// Groups in a tile.
pub const GROUPS: usize = 8;
/// Elements in a tile.
pub const TILE: usize = RUN * FAN * GROUPS;

/// How many children a node has, `level` being 0 for the groups of runs, 1 for the tiles of groups, and so on.
pub const fn children(level: usize) -> usize {
    if level == 1 { GROUPS } else { FAN }
}

/// `a ∘ b`, or what there is of them.
pub fn join<A: Copy>(a: Option<A>, b: Option<A>, combine: impl Fn(A, A) -> A) -> Option<A> {
    match (a, b) {
        (Some(a), Some(b)) => Some(combine(a, b)),
        (a, b) => a.or(b),
    }
}

/// Scans totals of siblings in place, after Kogge and Stone.
pub fn kogge_stone<A: Copy>(totals: &mut [A], combine: impl Fn(A, A) -> A) {
    let mut distance = 1;
    while distance < totals.len() {
        // From the back, so that what is read has not been written in this step.
        for i in (distance..totals.len()).rev() {
            totals[i] = combine(totals[i - distance], totals[i]);
        }
        distance *= 2;
    }
}

/// The prefix of each of the children whose totals are given, `level` being that of their nodes.
fn prefixes<A: Copy>(mut totals: Vec<A>, level: usize, combine: &impl Fn(A, A) -> A) -> Vec<Option<A>> {
    let children = children(level);
    totals.chunks_mut(children).for_each(|siblings| kogge_stone(siblings, combine));
    let parents = if totals.len() > children {
        let nodes = totals.chunks(children).filter_map(|siblings| siblings.last().copied()).collect();
        prefixes(nodes, level + 1, combine)
    } else {
        vec![None; totals.len().div_ceil(children)]
    };
    let before = |i: usize| if i.is_multiple_of(children) { None } else { Some(totals[i - 1]) };
    (0..totals.len()).map(|i| join(parents[i / children], before(i), combine)).collect()
}

/// The scan of `x` by `combine`: for each element the exclusive result, `None` for the first, and the inclusive one.
///
/// This is the definition in its plainest form; devices compute the same tree in other ways.
pub fn scan<A: Copy>(x: &[A], combine: impl Fn(A, A) -> A) -> Vec<(Option<A>, A)> {
    let within: Vec<Vec<A>> = x
        .chunks(RUN)
        .map(|run| {
            let mut sums = run.to_vec();
            (1..run.len()).for_each(|j| sums[j] = combine(sums[j - 1], run[j]));
            sums
        })
        .collect();
    let totals = within.iter().filter_map(|run| run.last().copied()).collect();
    let prefixes = prefixes(totals, 0, &combine);
    within
        .iter()
        .zip(prefixes)
        .flat_map(|(run, prefix)| {
            let combine = &combine;
            run.iter().enumerate().map(move |(j, &sum)| {
                let before = if j == 0 { None } else { Some(run[j - 1]) };
                let inclusive = prefix.map_or(sum, |prefix| combine(prefix, sum));
                (join(prefix, before, combine), inclusive)
            })
        })
        .collect()
}

/// The scan of elements: what a device writes. `None` where the operation does not exist for the type.
fn results<T: Reducible>(x: &[T], exclusive: bool, identity: T, combine: impl Fn(T::Acc, T::Acc) -> T::Acc) -> Vec<T> {
    let wide: Vec<T::Acc> = x.iter().map(|x| x.widen()).collect();
    let pick = |(before, inclusive): (Option<T::Acc>, T::Acc)| match (exclusive, before) {
        (true, None) => identity,
        (true, Some(before)) => T::narrow(before),
        (false, _) => T::narrow(inclusive),
    };
    scan(&wide, combine).into_iter().map(pick).collect()
}

/// Prefix sums and products: `op` is [`ReduceOp::Sum`] or [`ReduceOp::Prod`], for the others `None`.
pub fn arithmetic<T: Reducible>(op: ReduceOp, exclusive: bool, x: &[T]) -> Option<Vec<T>> {
    match op {
        ReduceOp::Sum => Some(results(x, exclusive, T::ZERO, T::Acc::add)),
        ReduceOp::Prod => Some(results(x, exclusive, T::ONE, T::Acc::mul)),
        _ => None,
    }
}

/// Prefix minima and maxima: `op` is [`ReduceOp::Min`] or [`ReduceOp::Max`], for the others `None`.
pub fn choice<T: Reducible<Acc: RealNumeric> + RealNumeric>(op: ReduceOp, exclusive: bool, x: &[T]) -> Option<Vec<T>> {
    match op {
        ReduceOp::Min => Some(results(x, exclusive, T::GREATEST, T::Acc::min_nan)),
        ReduceOp::Max => Some(results(x, exclusive, T::LEAST, T::Acc::max_nan)),
        _ => None,
    }
}

/// The largest number of combining steps that any result of `len` elements passes through.
pub fn depth(len: usize) -> usize {
    let mut depth = len.min(RUN).saturating_sub(1);
    let (mut nodes, mut level) = (len.div_ceil(RUN), 0);
    while nodes > 1 {
        // The scan of the siblings, and the prefix that joins from above.
        depth += nodes.min(children(level)).next_power_of_two().trailing_zeros() as usize + 1;
        nodes = nodes.div_ceil(children(level));
        level += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::element::f16;

    /// Every result is the combination of exactly the elements before it, in order: with ranges that refuse to join out of order.
    #[test]
    fn every_prefix_is_complete_and_in_order() {
        let join = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            assert_eq!(b, c, "{a}..{b} with {c}..{d}");
            (a, d)
        };
        for len in
            [0, 1, 2, 15, 16, 17, 31, 32, 33, 511, 512, 513, 4095, 4096, 4097, 8192, 131_071, 131_072, 131_073, 300_001]
        {
            let x: Vec<(usize, usize)> = (0..len).map(|i| (i, i + 1)).collect();
            let results = scan(&x, join);
            assert_eq!(results.len(), len);
            for (i, (exclusive, inclusive)) in results.into_iter().enumerate() {
                assert_eq!(inclusive, (0, i + 1));
                assert_eq!(exclusive, (i > 0).then_some((0, i)));
            }
        }
    }

    /// The number of combining steps stays within the depth, and reaches it where the tree is full.
    #[test]
    fn depth_is_the_longest_path() {
        for len in [1, 2, 16, 17, 100, 512, 513, 4096, 4097, 131_072, 140_000] {
            let deepest =
                scan(&vec![0_usize; len], |a, b| a.max(b) + 1).into_iter().map(|(_, depth)| depth).max().unwrap();
            assert!(deepest <= depth(len), "{len}: {deepest} > {}", depth(len));
        }
        assert_eq!(scan(&[0_usize; 16], |a, b| a.max(b) + 1)[15].1, depth(16));
    }

    /// Literal results whose bits tell this tree from a serial scan, from one that pads, and from runs of another length.
    #[test]
    fn the_order_shows_in_the_bits() {
        // 2²⁴ + 1 rounds back to 2²⁴ one element at a time, but 16 ones in a run of their own count.
        let mut x = vec![1_f32; 33];
        x[0] = 16_777_216.0;
        let sums = arithmetic(ReduceOp::Sum, false, &x).unwrap();
        assert_eq!(sums[15], 16_777_216.0);
        assert_eq!(sums[16], 16_777_216.0);
        assert_eq!(sums[17], 16_777_218.0);
        assert_eq!(sums[31], 16_777_232.0);
        assert_eq!(sums[32], 16_777_232.0);
        let before = arithmetic(ReduceOp::Sum, true, &x).unwrap();
        assert_eq!(before[0].to_bits(), 0);
        assert_eq!(before[1..], sums[..32]);
    }

    /// 16-bit floats are summed in f32: 4,096 ones and more, where f16 itself would stop at 2,048.
    #[test]
    fn narrow_types_are_summed_wide() {
        let x = vec![f16::ONE; 5000];
        let sums = arithmetic(ReduceOp::Sum, false, &x).unwrap();
        assert_eq!(sums[4095], f16::from_f32(4096.0));
        assert_eq!(sums[4999], f16::from_f32(5000.0));
    }

    /// A NaN stays in every later sum and minimum, as the canonical one; the identity stands in front.
    #[test]
    fn nan_and_identities() {
        let x = [1.0_f32, f32::from_bits(0xffc0_1234), 2.0];
        let sums = arithmetic(ReduceOp::Sum, false, &x).unwrap();
        assert_eq!(sums.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x3f80_0000, 0x7fc0_0000, 0x7fc0_0000]);
        let least = choice(ReduceOp::Min, true, &x).unwrap();
        assert_eq!(least.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x7f80_0000, 0x3f80_0000, 0x7fc0_0000]);
        assert_eq!(arithmetic(ReduceOp::Prod, true, &[5_i32, 7, 9]).unwrap(), [1, 5, 35]);
        assert_eq!(choice(ReduceOp::Max, true, &[5_u8, 7, 6]).unwrap(), [0, 5, 7]);
        assert_eq!(arithmetic(ReduceOp::Min, true, &x), None);
    }
}
