//! The tracker against a model that forgets nothing.

use crate::runtime::tracker::{Entry, StreamId, Ticket, Tracker};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// (stream, start, length, write)
type Access = (StreamId, usize, usize, bool);

fn accesses(bytes: usize) -> impl Strategy<Value = Vec<Access>> {
    vec((1..5u64, 0..bytes, 1..bytes, any::<bool>()), 1..200)
}

/// What every access so far was, and what it comes after.
#[derive(Default)]
struct History {
    entries: Vec<Entry>,
    /// For each stream the newest ticket of each other that it is ordered after, directly or through third streams.
    clocks: BTreeMap<StreamId, BTreeMap<StreamId, Ticket>>,
    /// The clock of a stream at each of its tickets.
    at: BTreeMap<(StreamId, Ticket), BTreeMap<StreamId, Ticket>>,
    tickets: BTreeMap<StreamId, Ticket>,
}

fn overlap(a: &Entry, start: usize, end: usize, write: bool) -> bool {
    (a.write || write) && a.start < end && start < a.end
}

impl History {
    /// `stream` waits for `ticket` of `other`, and so for whatever that came after.
    fn wait(&mut self, stream: StreamId, other: StreamId, ticket: Ticket) {
        let before = self.at[&(other, ticket)].clone();
        let clock = self.clocks.entry(stream).or_default();
        for (third, newest) in before.into_iter().chain([(other, ticket)]) {
            let known = clock.entry(third).or_default();
            *known = (*known).max(newest);
        }
    }

    fn is_ordered(&self, stream: StreamId, entry: &Entry) -> bool {
        let clock = self.clocks.get(&stream);
        entry.stream == stream || clock.and_then(|c| c.get(&entry.stream)).is_some_and(|&t| t >= entry.ticket)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Waiting for what the tracker says orders an access after everything that it conflicts with, however many entries were
    /// replaced or merged meanwhile.
    #[test]
    fn nothing_that_must_be_waited_for_is_lost(accesses in accesses(64)) {
        let (mut tracker, mut history) = (Tracker::default(), History::default());
        // What each stream has itself waited for: all that the runtime's clock knows.
        let mut waited: BTreeMap<(StreamId, StreamId), Ticket> = BTreeMap::new();
        for (stream, start, length, write) in accesses {
            let end = start + length;
            let needed: Vec<Entry> = tracker.conflicts(stream, start, end, write).copied().collect();
            for entry in needed {
                history.wait(stream, entry.stream, entry.ticket);
                let newest = waited.entry((stream, entry.stream)).or_default();
                *newest = (*newest).max(entry.ticket);
            }
            let missed = history.entries.iter().find(|e| overlap(e, start, end, write) && !history.is_ordered(stream, e));
            prop_assert!(missed.is_none(), "{missed:?} is not waited for by {stream} at {start}..{end}");
            let ticket = history.tickets.entry(stream).or_default();
            *ticket += 1;
            let entry = Entry { stream, ticket: *ticket, start, end, write };
            history.entries.push(entry);
            history.at.insert((stream, entry.ticket), history.clocks.entry(stream).or_default().clone());
            tracker.insert(entry, |old| {
                old.stream == stream || waited.get(&(stream, old.stream)).is_some_and(|&t| t >= old.ticket)
            });
            prop_assert_eq!(tracker.newest_of(stream), entry.ticket);
        }
    }

    /// As long as nothing was merged, only true conflicts are reported.
    #[test]
    fn nothing_is_waited_for_needlessly(accesses in accesses(64)) {
        let mut tracker = Tracker::default();
        let mut all: Vec<Entry> = Vec::new();
        for (ticket, (stream, start, length, write)) in accesses.into_iter().take(60).enumerate() {
            let end = start + length;
            for entry in tracker.conflicts(stream, start, end, write) {
                prop_assert!(all.contains(entry) && entry.stream != stream && overlap(entry, start, end, write));
            }
            let entry = Entry { stream, ticket: ticket as Ticket + 1, start, end, write };
            all.push(entry);
            tracker.insert(entry, |old| old.stream == stream);
        }
    }
}

/// Past the limit, entries are merged into larger ones: never more than a few are kept, and none of their bytes is given up.
#[test]
fn merged_entries_cover_all_that_they_were_made_of() {
    let mut tracker = Tracker::default();
    let entry = |ticket: Ticket| {
        let start = 1000 - 3 * ticket as usize;
        Entry { stream: 1 + ticket % 2, ticket, start, end: start + 2, write: ticket.is_multiple_of(3) }
    };
    for ticket in 1..=300 {
        tracker.insert(entry(ticket), |_| false);
        assert!(tracker.conflicts(0, 0, usize::MAX, true).count() <= 64);
    }
    for ticket in 1..=300 {
        let old = entry(ticket);
        let found = tracker.conflicts(0, old.start, old.end, true).any(|e| {
            e.stream == old.stream
                && e.ticket >= old.ticket
                && e.start <= old.start
                && old.end <= e.end
                && e.write == old.write
        });
        assert!(found, "{old:?}");
    }
}

#[test]
fn empty_accesses_conflict_with_nothing() {
    let mut tracker = Tracker::default();
    tracker.insert(Entry { stream: 1, ticket: 1, start: 5, end: 5, write: true }, |_| false);
    assert_eq!(tracker.conflicts(2, 0, 10, true).count(), 0);
    tracker.insert(Entry { stream: 1, ticket: 2, start: 0, end: 10, write: true }, |_| false);
    assert_eq!(tracker.conflicts(2, 5, 5, true).count(), 0);
    assert!(tracker.only(1) && !tracker.only(2));
}
