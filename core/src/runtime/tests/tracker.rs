//! The tracker against a model that forgets nothing.

use crate::runtime::tracker::{Entry, StreamId, Ticket, Tracker};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// (stream, start, length, write)
type Access = (StreamId, usize, usize, bool);

/// Accesses of any length to a few bytes, or short ones to many, so that the tracker has to keep many of them.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let access = |bytes: usize, longest: usize| (1..5u64, 0..bytes, 1..longest, any::<bool>());
    prop_oneof![vec(access(64, 64), 1..200), vec(access(1000, 6), 1..600)]
}

/// What the tracker says that an access has to wait for.
fn conflicts(tracker: &Tracker, access: Access, waited: impl Fn(StreamId) -> Ticket) -> Vec<(StreamId, Ticket)> {
    let (stream, start, length, write) = access;
    let mut needed = Vec::new();
    tracker.conflicts((stream, start, start + length, write), waited, &mut needed);
    needed
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
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Waiting for what the tracker says orders an access after everything that it conflicts with, however many entries were
    /// replaced meanwhile; and what it says is nothing but that.
    #[test]
    fn an_access_waits_for_what_touched_its_bytes_and_for_nothing_else(accesses in accesses()) {
        let (mut tracker, mut history) = (Tracker::default(), History::default());
        // What each stream has itself waited for: all that the runtime's clock knows.
        let mut waited: BTreeMap<(StreamId, StreamId), Ticket> = BTreeMap::new();
        for access @ (stream, start, length, write) in accesses {
            let end = start + length;
            let known = |other| waited.get(&(stream, other)).copied().unwrap_or(0);
            let needed = conflicts(&tracker, access, known);
            for (other, ticket) in needed {
                let mut touched = history.entries.iter().filter(|e| (e.stream, e.ticket) == (other, ticket));
                prop_assert!(touched.any(|e| other != stream && overlap(e, start, end, write)), "{other} {ticket}");
                history.wait(stream, other, ticket);
                let newest = waited.entry((stream, other)).or_default();
                *newest = (*newest).max(ticket);
            }
            let missed = history.entries.iter().find(|e| overlap(e, start, end, write) && !history.is_ordered(stream, e));
            prop_assert!(missed.is_none(), "{missed:?} is not waited for by {stream} at {start}..{end}");
            let ticket = history.tickets.entry(stream).or_default();
            *ticket += 1;
            let entry = Entry { stream, ticket: *ticket, start, end, write };
            history.entries.push(entry);
            history.at.insert((stream, entry.ticket), history.clocks.entry(stream).or_default().clone());
            tracker.insert(entry, |other, old| {
                other == stream || waited.get(&(stream, other)).is_some_and(|&newest| newest >= old)
            });
            prop_assert_eq!(tracker.newest_of(stream), entry.ticket);
        }
    }

    /// The newest ticket of each byte, stream and kind is what a list of bytes has, whatever has ended and was forgotten.
    #[test]
    fn every_byte_is_as_in_a_list_of_bytes(accesses in accesses(), ends in vec((0..600usize, 1..5u64, 0..40u64), 0..4)) {
        let mut tracker = Tracker::default();
        let mut bytes: Vec<BTreeMap<(StreamId, bool), Ticket>> = vec![BTreeMap::new(); 1100];
        for (at, &(stream, start, length, write)) in accesses.iter().enumerate() {
            let ticket = at as Ticket + 1;
            let is_crowded =
                tracker.insert(Entry { stream, ticket, start, end: start + length, write }, |other, _| other == stream);
            for byte in &mut bytes[start..start + length] {
                byte.insert((stream, write), ticket);
            }
            for &(_, stream, back) in ends.iter().filter(|(when, ..)| *when == at) {
                let ended = ticket.saturating_sub(back);
                if is_crowded { tracker.make_room(&[(stream, ended)]) } else { tracker.forget(&[(stream, ended)]) };
                bytes.iter_mut().for_each(|byte| byte.retain(|&(other, _), old| other != stream || *old > ended));
            }
        }
        for (at, byte) in bytes.iter().enumerate() {
            for write in [false, true] {
                let found: BTreeMap<_, _> = conflicts(&tracker, (0, at, 1, write), |_| 0).into_iter().collect();
                let mut expected: BTreeMap<StreamId, Ticket> = BTreeMap::new();
                for (&(stream, _), &ticket) in byte.iter().filter(|((_, wrote), _)| write || *wrote) {
                    let newest = expected.entry(stream).or_default();
                    *newest = (*newest).max(ticket);
                }
                prop_assert_eq!(found, expected, "{} {}", at, write);
            }
        }
    }
}

/// Streams that come again to the same bytes leave no more than there are pieces, and what touches is one piece if it came at once.
#[test]
fn it_grows_with_the_pieces_and_not_with_the_accesses() {
    let mut tracker = Tracker::default();
    let mut ticket = 0;
    for round in 0..20 {
        for piece in 0..300 {
            ticket += 1;
            let start = 10 * piece;
            let entry = Entry { stream: 1, ticket, start, end: start + 5, write: round % 3 == 0 };
            tracker.insert(entry, |stream, _| stream == 1);
        }
        assert!(tracker.size() < 700, "{}", tracker.size());
    }
    for piece in 0..300 {
        let entry = Entry { stream: 1, ticket: ticket + 1, start: 10 * piece, end: 10 * (piece + 1), write: true };
        tracker.insert(entry, |stream, _| stream == 1);
    }
    // Some are still as they came, and what they replace is there.
    assert!(tracker.size() < 140, "{}", tracker.size());
    tracker.insert(Entry { stream: 2, ticket: 1, start: 0, end: 3000, write: true }, |_, _| true);
    assert_eq!((tracker.size(), tracker.newest()), (1, vec![(2, 1)]));
}

/// What has ended is forgotten, at once or in part, and room is made only when as much has come again.
#[test]
fn what_has_ended_is_forgotten() {
    let mut tracker = Tracker::default();
    let insert = |tracker: &mut Tracker, tickets: std::ops::RangeInclusive<Ticket>| {
        let entry = |ticket: Ticket| Entry {
            stream: 1 + ticket % 2,
            ticket,
            start: 10 * ticket as usize,
            end: 10 * ticket as usize + 5,
            write: true,
        };
        tickets.filter(|&ticket| tracker.insert(entry(ticket), |_, _| false)).collect::<Vec<_>>()
    };
    assert_eq!(insert(&mut tracker, 1..=200), [64, 128, 192]);
    tracker.make_room(&[(1, 100), (2, Ticket::MAX)]);
    assert_eq!(tracker.newest(), [(1, 200)]);
    assert_eq!(conflicts(&tracker, (0, 0, 1011, true), |_| 0), []);
    assert_eq!(conflicts(&tracker, (0, 0, 1021, true), |_| 0), [(1, 102)]);
    // Not the one that is asked, nor what it has waited for.
    assert_eq!(conflicts(&tracker, (1, 0, 5000, true), |_| 0), []);
    assert_eq!(conflicts(&tracker, (3, 0, 1921, true), |_| 192), []);
    assert_eq!(insert(&mut tracker, 201..=400), [260, 324, 388]);
    // Until half as much has come as there was then; and again, as long as nobody makes room.
    tracker.make_room(&[]);
    assert_eq!(insert(&mut tracker, 401..=1000), [580, 644, 708, 772, 836, 900, 964]);
    assert!(!tracker.is_large());
    tracker.reset(None);
    assert_eq!((tracker.size(), tracker.newest_of(1)), (0, 0));
}

#[test]
fn empty_accesses_conflict_with_nothing() {
    let mut tracker = Tracker::default();
    tracker.insert(Entry { stream: 1, ticket: 1, start: 5, end: 5, write: true }, |_, _| false);
    assert_eq!(conflicts(&tracker, (2, 0, 10, true), |_| 0), []);
    tracker.insert(Entry { stream: 1, ticket: 2, start: 0, end: 10, write: true }, |_, _| false);
    assert_eq!(conflicts(&tracker, (2, 5, 0, true), |_| 0), []);
    for at in 3..=200 {
        tracker.insert(Entry { stream: 1, ticket: at, start: 5, end: 5, write: true }, |_, _| false);
    }
    assert_eq!(conflicts(&tracker, (2, 0, 10, true), |_| 0), [(1, 2)]);
    assert_eq!(conflicts(&tracker, (2, 5, 0, true), |_| 0), []);
    assert!(tracker.only(1) && !tracker.only(2));
}
