//! What streams have done to one block of memory, as far as others may have to wait for it.

use super::ranges::Ranges;

/// A stream's number. Never used twice on a device.
pub(crate) type StreamId = u64;
/// The number of an operation on its stream; the first is 1.
pub(crate) type Ticket = u64;

/// An access to bytes `start..end` of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) stream: StreamId,
    pub(crate) ticket: Ticket,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) write: bool,
}

/// An access whose entry is not in yet; see [`claim`](super::claim).
#[derive(Clone, Copy, Debug)]
struct Claim {
    owner: u64,
    start: usize,
    end: usize,
    write: bool,
}

/// Two accesses conflict if they overlap and are not both reads.
fn conflict((start, end, write): (usize, usize, bool), other: (usize, usize, bool)) -> bool {
    (write || other.2) && start.max(other.0) < end.min(other.1)
}

impl Entry {
    fn conflicts_with(&self, start: usize, end: usize, write: bool) -> bool {
        conflict((self.start, self.end, self.write), (start, end, write))
    }

    /// Whether everyone who would have to wait for `older` has to wait for `self` too.
    fn covers(&self, older: &Entry) -> bool {
        self.start <= older.start && older.end <= self.end && (self.write || !older.write)
    }
}

/// Accesses of one stream and kind.
#[derive(Debug)]
struct Lane {
    stream: StreamId,
    write: bool,
    /// No ticket in `ranges` is newer.
    newest: Ticket,
    ranges: Ranges,
}

/// The accesses to a block that are not known to have ended.
///
/// Each keeps its own bytes and its own ticket: a stream that waited for bytes that nobody touched, or for work after that which it
/// needs, could wait for a host function that waits for it.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    /// The latest: as long as they are few nothing is faster than to look through them.
    recent: Vec<Entry>,
    /// The older ones. No two lanes are of one stream and kind, and none is empty.
    settled: Vec<Lane>,
    /// The [size](Self::size) that [`make_room`](Self::make_room) left.
    left: usize,
    /// Accesses under way to a block that graphs share.
    claims: Vec<Claim>,
}

/// So many recent entries are settled together.
const RECENT: usize = 64;
/// From this size on it is worth asking the device what has ended.
const LARGE: usize = 1024;

impl Tracker {
    /// Adds to `needed`, a list of streams with the newest ticket of each, the accesses of streams other than `stream` that conflict
    /// with one to `start..end`. May leave out what is not newer than what `waited` says of its stream.
    pub(crate) fn conflicts(
        &self,
        (stream, start, end, write): (StreamId, usize, usize, bool),
        waited: impl Fn(StreamId) -> Ticket,
        needed: &mut Vec<(StreamId, Ticket)>,
    ) {
        for entry in self.recent.iter().filter(|e| e.stream != stream && e.conflicts_with(start, end, write)) {
            keep_newest(needed, entry.stream, entry.ticket);
        }
        for lane in self.settled.iter().filter(|lane| lane.stream != stream && (lane.write || write)) {
            // Else who reads again and again what another stream wrote in pieces would look at each piece every time.
            if lane.newest > waited(lane.stream)
                && let Some(ticket) = lane.ranges.newest_in(start, end)
            {
                keep_newest(needed, lane.stream, ticket);
            }
        }
    }

    /// Adds an access; says whether it is time to [make room](Self::make_room). It replaces what it [covers](Entry::covers) of those
    /// that `precedes` says come before it in the order of the device: whoever waits for the new one has then waited for them.
    pub(crate) fn insert(&mut self, new: Entry, precedes: impl Fn(StreamId, Ticket) -> bool) -> bool {
        self.recent.retain(|old| !(new.covers(old) && precedes(old.stream, old.ticket)));
        if !self.settled.is_empty() {
            self.replace(&new, precedes);
        }
        self.recent.push(new);
        if self.recent.len() < RECENT {
            return false;
        }
        self.settle();
        // In proportion to what was left last time: so all the searching costs each access no more than a little. Less than twice that:
        // then what has come meanwhile is less than what was left, and the size falls again when the device catches up.
        self.size() >= RECENT.max(self.left + self.left / 2)
    }

    /// Takes the bytes of `new` out of what is settled and precedes it.
    fn replace(&mut self, new: &Entry, precedes: impl Fn(StreamId, Ticket) -> bool) {
        // A read seldom comes after reads of other streams, and in the stream's own lane the new takes the place of the old in any case.
        let may_cover = |lane: &Lane| new.write && !(lane.write && lane.stream == new.stream);
        for lane in self.settled.iter_mut().filter(|lane| may_cover(lane)) {
            lane.ranges.cut(new.start, new.end, |ticket| precedes(lane.stream, ticket));
        }
        self.settled.retain(|lane| !lane.ranges.is_empty());
    }

    /// Puts the recent entries to the older ones.
    fn settle(&mut self) {
        for Entry { stream, ticket, start, end, write } in self.recent.drain(..) {
            if start >= end {
                continue;
            }
            let at = self.settled.iter().position(|lane| lane.stream == stream && lane.write == write);
            let at = at.unwrap_or_else(|| {
                self.settled.push(Lane { stream, write, newest: 0, ranges: Ranges::default() });
                self.settled.len() - 1
            });
            let lane = &mut self.settled[at];
            lane.newest = lane.newest.max(ticket);
            lane.ranges.add(start, end, ticket);
        }
    }

    /// How much memory it takes, roughly in entries.
    pub(crate) fn size(&self) -> usize {
        self.recent.len() + self.settled.iter().map(|lane| 1 + lane.ranges.len()).sum::<usize>()
    }

    pub(crate) fn is_large(&self) -> bool {
        self.size() >= LARGE
    }

    /// The newest ticket of each stream that has touched the block.
    pub(crate) fn newest(&self) -> Vec<(StreamId, Ticket)> {
        let mut newest = Vec::new();
        self.recent.iter().for_each(|entry| keep_newest(&mut newest, entry.stream, entry.ticket));
        for lane in &self.settled {
            // Not `lane.newest`: that may have been replaced.
            lane.ranges.newest().into_iter().for_each(|ticket| keep_newest(&mut newest, lane.stream, ticket));
        }
        newest
    }

    /// Whether nothing is known that may not have ended.
    pub(crate) fn is_empty(&self) -> bool {
        self.recent.is_empty() && self.settled.is_empty()
    }

    /// Whether no stream but `home` has an entry.
    pub(crate) fn only(&self, home: StreamId) -> bool {
        self.recent.iter().all(|entry| entry.stream == home) && self.settled.iter().all(|lane| lane.stream == home)
    }

    /// The newest ticket of `stream`; 0 if it has no entry.
    pub(crate) fn newest_of(&self, stream: StreamId) -> Ticket {
        let recent = self.recent.iter().filter(|entry| entry.stream == stream).map(|entry| entry.ticket);
        let settled = self.settled.iter().filter(|lane| lane.stream == stream).filter_map(|lane| lane.ranges.newest());
        recent.chain(settled).max().unwrap_or(0)
    }

    /// Forgets accesses that have ended: of each stream in the list those up to a ticket.
    pub(crate) fn forget(&mut self, ended: &[(StreamId, Ticket)]) {
        let ended = |stream| ended.iter().find(|(id, _)| *id == stream).map_or(0, |(_, ticket)| *ticket);
        self.recent.retain(|entry| entry.ticket > ended(entry.stream));
        self.settled.retain_mut(|lane| {
            let ticket = ended(lane.stream);
            if ticket > 0 && ticket < lane.newest {
                lane.ranges.forget(ticket);
            }
            ticket < lane.newest && !lane.ranges.is_empty()
        });
        if self.is_empty() {
            self.left = 0;
        }
    }

    /// [Forgets](Self::forget) what has ended, at the time that [`insert`](Self::insert) gives.
    pub(crate) fn make_room(&mut self, ended: &[(StreamId, Ticket)]) {
        self.forget(ended);
        self.left = self.size();
    }

    /// Whether a claim conflicts with an access to `start..end`.
    pub(crate) fn is_claimed(&self, start: usize, end: usize, write: bool) -> bool {
        self.claims.iter().any(|claim| conflict((claim.start, claim.end, claim.write), (start, end, write)))
    }

    /// Adds a claim.
    pub(crate) fn claim(&mut self, owner: u64, start: usize, end: usize, write: bool) {
        self.claims.push(Claim { owner, start, end, write });
    }

    /// Removes the claims of an owner.
    pub(crate) fn withdraw(&mut self, owner: u64) {
        self.claims.retain(|claim| claim.owner != owner);
    }

    /// Forgets everything, and starts over with one access, if there is one. Nobody has a claim.
    pub(crate) fn reset(&mut self, first: Option<Entry>) {
        self.recent.clear();
        self.settled.clear();
        self.left = 0;
        self.recent.extend(first);
    }
}

/// Adds a ticket to a list that has the newest of each stream.
fn keep_newest(list: &mut Vec<(StreamId, Ticket)>, stream: StreamId, ticket: Ticket) {
    match list.iter_mut().find(|(other, _)| *other == stream) {
        Some((_, newest)) => *newest = (*newest).max(ticket),
        None => list.push((stream, ticket)),
    }
}
