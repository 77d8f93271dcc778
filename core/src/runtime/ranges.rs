//! Which bytes a stream touched when, as disjoint ranges in order.

use super::tracker::Ticket;
use std::collections::BTreeMap;

/// Bytes of a block, each with the newest ticket that it was added with. There are as many ranges as there are different neighbours, but
/// for some that were added several times.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// The end of each and its ticket, by its start. None is empty, and none overlap.
    ranges: BTreeMap<usize, (usize, Ticket)>,
}

impl Ranges {
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges that overlap `start..end`, whole, from the last to the first.
    fn overlapping(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, usize, Ticket)> {
        // The other way round the first would have to be searched for: it may start before `start`.
        let before_end = self.ranges.range(..end).rev().map(|(&from, &(to, ticket))| (from, to, ticket));
        before_end.take_while(move |&(from, to, _)| start.max(from) < to.min(end))
    }

    /// The newest ticket of bytes in `start..end`.
    pub(crate) fn newest_in(&self, start: usize, end: usize) -> Option<Ticket> {
        self.overlapping(start, end).map(|(.., ticket)| ticket).max()
    }

    /// The newest ticket.
    pub(crate) fn newest(&self) -> Option<Ticket> {
        self.ranges.values().map(|&(_, ticket)| ticket).max()
    }

    /// Adds bytes; those that have a newer ticket keep it.
    pub(crate) fn add(&mut self, start: usize, end: usize, ticket: Ticket) {
        if let Some((same, newest)) = self.ranges.get_mut(&start)
            && *same == end
        {
            // What comes again mostly comes in the same pieces.
            *newest = ticket.max(*newest);
            return;
        }
        self.cut(start, end, |old| old <= ticket);
        let newer: Vec<(usize, usize)> = self.overlapping(start, end).map(|(from, to, _)| (from, to)).collect();
        let mut gap_end = end;
        for (from, to) in newer {
            self.put(to, gap_end, ticket);
            gap_end = from;
        }
        self.put(start, gap_end, ticket);
    }

    /// Adds bytes that are not there; nothing if there are none.
    fn put(&mut self, start: usize, end: usize, ticket: Ticket) {
        if start >= end {
            return;
        }
        let end = match self.ranges.get(&end) {
            Some(&(right_end, same)) if same == ticket => {
                self.ranges.remove(&end);
                right_end
            }
            _ => end,
        };
        match self.ranges.range_mut(..start).next_back() {
            Some((_, (left_end, same))) if *left_end == start && *same == ticket => *left_end = end,
            _ => drop(self.ranges.insert(start, (end, ticket))),
        }
    }

    /// Removes the bytes of `start..end` whose ticket `is_gone`.
    pub(crate) fn cut(&mut self, start: usize, end: usize, is_gone: impl Fn(Ticket) -> bool) {
        let cut: Vec<_> = self.overlapping(start, end).filter(|&(.., ticket)| is_gone(ticket)).collect();
        for (from, to, ticket) in cut {
            self.ranges.remove(&from);
            if from < start {
                self.ranges.insert(from, (start, ticket));
            }
            if end < to {
                self.ranges.insert(end, (to, ticket));
            }
        }
    }

    /// Removes the bytes that were last touched by `ticket` or before.
    pub(crate) fn forget(&mut self, ticket: Ticket) {
        self.ranges.retain(|_, &mut (_, own)| own > ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const BYTES: usize = 48;

    #[derive(Clone, Debug)]
    enum Change {
        Add(usize, usize, Ticket),
        Cut(usize, usize, Ticket),
        Forget(Ticket),
    }

    fn change() -> impl Strategy<Value = Change> {
        let range = || (0..BYTES, 0..BYTES, 1..20u64);
        prop_oneof![
            6 => range().prop_map(|(a, b, ticket)| Change::Add(a, b, ticket)),
            2 => range().prop_map(|(a, b, ticket)| Change::Cut(a, b, ticket)),
            1 => (1..8u64).prop_map(Change::Forget),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Each byte has the ticket that it has in a list of bytes; the ranges are in order and apart, and begin and end where something
        /// that was added or cut did.
        #[test]
        fn every_byte_is_as_in_a_list_of_bytes(changes in prop::collection::vec(change(), 1..60)) {
            let (mut ranges, mut bytes, mut bounds) = (Ranges::default(), [0; BYTES], BTreeSet::new());
            for change in changes {
                if let Change::Add(start, end, _) | Change::Cut(start, end, _) = change {
                    bounds.extend([start, end]);
                }
                match change {
                    Change::Add(start, end, ticket) => {
                        ranges.add(start, end, ticket);
                        (start..end).for_each(|at| bytes[at] = bytes[at].max(ticket));
                    }
                    Change::Cut(start, end, ticket) => {
                        ranges.cut(start, end, |old| old < ticket);
                        (start..end).filter(|&at| bytes[at] < ticket).collect::<Vec<_>>().into_iter().for_each(|at| bytes[at] = 0);
                    }
                    Change::Forget(ticket) => {
                        ranges.forget(ticket);
                        bytes.iter_mut().filter(|byte| **byte <= ticket).for_each(|byte| *byte = 0);
                    }
                }
                for at in 0..BYTES {
                    prop_assert_eq!(ranges.newest_in(at, at + 1).unwrap_or(0), bytes[at], "{} of {:?}", at, ranges);
                    let after = bytes[at..].iter().copied().max().filter(|&newest| newest > 0);
                    prop_assert_eq!(ranges.newest_in(at, BYTES), after);
                    prop_assert_eq!(ranges.newest_in(at, at), None);
                }
                let all: Vec<(usize, usize)> = ranges.ranges.iter().map(|(&start, &(end, _))| (start, end)).collect();
                prop_assert!(all.iter().all(|(start, end)| start < end && bounds.contains(start) && bounds.contains(end)));
                prop_assert!(all.is_sorted_by(|a, b| a.1 <= b.0), "{:?}", ranges);
                prop_assert_eq!((ranges.len(), ranges.is_empty()), (all.len(), bytes == [0; BYTES]));
                prop_assert_eq!(ranges.newest(), bytes.iter().copied().max().filter(|&newest| newest > 0));
            }
        }
    }
}
