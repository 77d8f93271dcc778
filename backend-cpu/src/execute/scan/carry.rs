//! The scan tree above the tiles, as a stream: what is known of it when so many tiles have been seen.

use warpwave_core::numerics::scan::{FAN, join};

/// Levels above the tiles: enough for as many tiles as there can be.
const LEVELS: usize = 11;
/// Totals that the steps of Kogge and Stone reach back to among [`FAN`] siblings: 1, 2, 4, 8, 16.
const REACH: usize = FAN - 1;

/// What all tiles so far come to.
pub(super) struct Carry<A> {
    prefix: Option<A>,
    nodes: [Node<A>; LEVELS],
}

/// The node at the end of one level, which gets its children one by one.
#[derive(Clone, Copy)]
struct Node<A> {
    /// What comes before the node.
    prefix: Option<A>,
    children: usize,
    /// The last `d` totals that the step of distance `d` has seen, from index `d − 1` on, each at its child's number modulo `d`.
    seen: [A; REACH],
}

impl<A: Copy> Carry<A> {
    /// Before the first tile. `any` fills what is not used yet.
    pub(super) fn new(any: A) -> Self {
        Carry { prefix: None, nodes: [Node { prefix: None, children: 0, seen: [any; REACH] }; LEVELS] }
    }

    /// Takes the total of the next tile; returns what comes before that.
    pub(super) fn push(&mut self, total: A, combine: impl Fn(A, A) -> A) -> Option<A> {
        let before = self.prefix;
        let mut total = total;
        for level in 0..LEVELS {
            let node = &mut self.nodes[level];
            total = node.push(total, &combine);
            if node.children < FAN {
                // All nodes below are full. What comes after them is the first of its node on each of those levels.
                self.prefix = join(node.prefix, Some(total), &combine);
                for below in &mut self.nodes[..level] {
                    (below.prefix, below.children) = (self.prefix, 0);
                }
                break;
            }
        }
        before
    }
}

impl<A: Copy> Node<A> {
    /// Takes the total of the next child; returns the scan of the totals up to it.
    fn push(&mut self, total: A, combine: impl Fn(A, A) -> A) -> A {
        let mut total = total;
        let mut distance = 1;
        while distance < FAN {
            let place = distance - 1 + self.children % distance;
            let earlier = std::mem::replace(&mut self.seen[place], total);
            if self.children >= distance {
                total = combine(earlier, total);
            }
            distance *= 2;
        }
        self.children += 1;
        total
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use warpwave_core::numerics::scan::kogge_stone;

    /// Ranges that refuse to join out of order: every prefix is complete, over three full levels and into a fourth.
    #[test]
    fn every_prefix_is_complete_and_in_order() {
        let join = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            assert_eq!(b, c, "{a}..{b} with {c}..{d}");
            (a, d)
        };
        let mut carry = Carry::new((0, 0));
        for i in 0..2 * FAN * FAN * FAN + 5 {
            let before = carry.push((i, i + 1), join);
            assert_eq!(before, (i > 0).then_some((0, i)));
        }
    }

    /// The order of combining, with an operation that is not associative: one level is what Kogge and Stone give, and on the next
    /// the totals of nodes are combined like children.
    #[test]
    fn the_order_is_that_of_the_tree() {
        let mix = |a: u64, b: u64| (a.rotate_left(7) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let totals: Vec<u64> = (1..=(3 * FAN + 9) as u64).map(|i| i * i).collect();
        let scanned: Vec<Vec<u64>> = totals
            .chunks(FAN)
            .map(|siblings| {
                let mut siblings = siblings.to_vec();
                kogge_stone(&mut siblings, mix);
                siblings
            })
            .collect();
        let mut nodes: Vec<u64> = scanned.iter().map(|siblings| *siblings.last().unwrap()).collect();
        kogge_stone(&mut nodes, mix);
        let mut carry = Carry::new(0);
        for (i, &total) in totals.iter().enumerate() {
            let node = (i / FAN).checked_sub(1).map(|node| nodes[node]);
            let child = (i % FAN).checked_sub(1).map(|child| scanned[i / FAN][child]);
            assert_eq!(carry.push(total, mix), join(node, child, mix), "tile {i}");
        }
    }
}
