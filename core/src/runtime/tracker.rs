//! What streams have done to one block of memory, as far as others may have to wait for it.

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

/// The accesses to a block that are not known to have ended.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    entries: Vec<Entry>,
    /// How many entries the last merge left.
    merged: usize,
    /// Accesses under way to a block that graphs share.
    claims: Vec<Claim>,
}

/// Past this many entries those of one stream and kind are merged. A merged entry covers more bytes than were touched, so that
/// streams may wait where they need not; it never covers fewer.
const LIMIT: usize = 64;

impl Tracker {
    /// The accesses of streams other than `stream` that conflict with an access to `start..end`.
    pub(crate) fn conflicts(
        &self,
        stream: StreamId,
        start: usize,
        end: usize,
        write: bool,
    ) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |e| e.stream != stream && e.conflicts_with(start, end, write))
    }

    /// Adds an access. It replaces those that it [covers](Entry::covers), if `precedes` says that they come before it in the
    /// order of the device: whoever waits for the new one has then waited for them.
    pub(crate) fn insert(&mut self, new: Entry, precedes: impl Fn(&Entry) -> bool) {
        self.entries.retain(|old| !(new.covers(old) && precedes(old)));
        self.entries.push(new);
        if self.is_crowded() {
            self.merge();
            // With many streams at once merging finds little; it is not tried again at every access then.
            self.merged = self.entries.len();
        }
    }

    fn is_crowded(&self) -> bool {
        self.entries.len() > LIMIT.max(2 * self.merged)
    }

    /// Whether one more entry would have them merged: the time to [forget](Self::forget) what has ended.
    pub(crate) fn is_nearly_crowded(&self) -> bool {
        self.entries.len() >= LIMIT.max(2 * self.merged)
    }

    /// The streams that have entries, some of them several times.
    pub(crate) fn streams(&self) -> Vec<StreamId> {
        self.entries.iter().map(|entry| entry.stream).collect()
    }

    /// Merges the entries of each stream and kind into their hull.
    fn merge(&mut self) {
        let mut merged: Vec<Entry> = Vec::new();
        for e in self.entries.drain(..) {
            match merged.iter_mut().find(|m| m.stream == e.stream && m.write == e.write) {
                Some(m) => {
                    m.start = m.start.min(e.start);
                    m.end = m.end.max(e.end);
                    m.ticket = m.ticket.max(e.ticket);
                }
                None => merged.push(e),
            }
        }
        self.entries = merged;
    }

    /// The newest ticket of each stream that has touched the block.
    pub(crate) fn newest(&self) -> Vec<(StreamId, Ticket)> {
        let mut newest: Vec<(StreamId, Ticket)> = Vec::new();
        for e in &self.entries {
            match newest.iter_mut().find(|(stream, _)| *stream == e.stream) {
                Some((_, ticket)) => *ticket = (*ticket).max(e.ticket),
                None => newest.push((e.stream, e.ticket)),
            }
        }
        newest
    }

    /// Whether no stream but `home` has an entry.
    pub(crate) fn only(&self, home: StreamId) -> bool {
        self.entries.iter().all(|e| e.stream == home)
    }

    /// The newest ticket of `stream`; 0 if it has no entry.
    pub(crate) fn newest_of(&self, stream: StreamId) -> Ticket {
        self.entries.iter().filter(|e| e.stream == stream).map(|e| e.ticket).max().unwrap_or(0)
    }

    /// Forgets the accesses of streams whose work has ended.
    pub(crate) fn forget(&mut self, gone: &[StreamId]) {
        self.entries.retain(|entry| !gone.contains(&entry.stream));
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
        self.entries.clear();
        self.merged = 0;
        self.entries.extend(first);
    }
}
