//! What the runtime knows of a stream: its tickets, its clock, its seals, and the blocks it can reuse.

use super::deferred::EventCell;
use super::pool::Shelf;
use super::tracker::{StreamId, Ticket};
use crate::backend::Backend;
use crate::error::Error;
use crate::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering};
use std::collections::VecDeque;

/// Set once the thing that may wait for the host has ended.
pub(crate) type Blocker = Arc<AtomicBool>;

/// An event recorded before something that can wait for the host: what is older need not wait for that.
#[derive(Debug)]
struct Seal<B: Backend> {
    /// The event comes after this operation.
    ticket: Ticket,
    event: Arc<EventCell<B>>,
    /// What was enqueued right after the event.
    blockers: Vec<Blocker>,
}

impl<B: Backend> Seal<B> {
    /// Whether nothing that it was left for can wait any more.
    fn has_ended(&self) -> bool {
        self.blockers.iter().all(|blocker| blocker.load(Ordering::Acquire))
    }
}

/// Whether a stream can still be recorded on.
#[derive(Debug)]
pub(crate) enum Phase<B: Backend> {
    Open(Arc<B::Stream>),
    /// Its handles are gone; `event` comes after its last work.
    Closed {
        event: Option<Arc<EventCell<B>>>,
        ticket: Ticket,
    },
}

/// A stream as other streams see it.
#[derive(Debug)]
pub(crate) struct StreamCore<B: Backend> {
    pub(crate) id: StreamId,
    pub(crate) inline: bool,
    pub(crate) phase: Mutex<Phase<B>>,
    /// The newest ticket.
    tail: AtomicU64,
    /// For each other stream the newest ticket that this one has waited for.
    clock: Mutex<Vec<(StreamId, Ticket)>>,
    /// In the order in which they were left. That is not the order of their tickets if threads share the stream, but a seal
    /// comes after every seal whose blockers lie before its event: those were left before they were enqueued.
    seals: Mutex<VecDeque<Seal<B>>>,
    /// Blocks whose work is on this stream alone.
    pub(crate) shelf: Arc<Shelf>,
    /// The newest point that was recorded for other streams.
    recent: Mutex<Option<Point<B>>>,
    /// The first error of asynchronous work since the last synchronizing call; what goes wrong after it tends to be its consequence.
    fault: Mutex<Option<Error>>,
    /// Whether there is one.
    faulted: AtomicBool,
}

/// A point in a stream's work that another stream can wait for.
#[derive(Debug)]
pub(crate) struct Point<B: Backend> {
    pub(crate) event: Arc<EventCell<B>>,
    /// The newest operation that the event is known to come after.
    pub(crate) ticket: Ticket,
    /// Things before the event that may wait for the host.
    pub(crate) blockers: Vec<Blocker>,
}

impl<B: Backend> Clone for Point<B> {
    fn clone(&self) -> Self {
        Point { event: self.event.clone(), ticket: self.ticket, blockers: self.blockers.clone() }
    }
}

impl<B: Backend> StreamCore<B> {
    pub(crate) fn new(id: StreamId, raw: Arc<B::Stream>, inline: bool) -> Self {
        StreamCore {
            id,
            inline,
            phase: Mutex::new(Phase::Open(raw)),
            tail: AtomicU64::new(0),
            clock: Mutex::default(),
            seals: Mutex::new(VecDeque::new()),
            shelf: Shelf::new(),
            recent: Mutex::default(),
            fault: Mutex::default(),
            faulted: AtomicBool::new(false),
        }
    }

    pub(crate) fn tail(&self) -> Ticket {
        self.tail.load(Ordering::Acquire)
    }

    pub(crate) fn next_ticket(&self) -> Ticket {
        self.tail.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The newest ticket of `other` that this stream has waited for.
    pub(crate) fn waited_for(&self, other: StreamId) -> Ticket {
        self.clock.lock().iter().find(|(id, _)| *id == other).map_or(0, |(_, ticket)| *ticket)
    }

    pub(crate) fn advance_clock(&self, other: StreamId, ticket: Ticket) {
        let mut clock = self.clock.lock();
        match clock.iter_mut().find(|(id, _)| *id == other) {
            Some((_, newest)) => *newest = (*newest).max(ticket),
            None => clock.push((other, ticket)),
        }
    }

    /// Forgets a stream all of whose work is known to have ended.
    pub(crate) fn forget(&self, other: StreamId) {
        self.clock.lock().retain(|(id, _)| *id != other);
    }

    /// A copy of the clock.
    pub(crate) fn clock(&self) -> Vec<(StreamId, Ticket)> {
        self.clock.lock().clone()
    }

    /// Notes that `event`, which comes after `ticket`, was recorded just before something that `blockers` stands for.
    /// `in_order` is false only to show what a list sorted by tickets would break.
    pub(crate) fn seal(&self, ticket: Ticket, event: Arc<EventCell<B>>, blockers: Vec<Blocker>, in_order: bool) {
        let mut seals = self.seals.lock();
        // Else they pile up on a stream that no other waits for.
        while seals.front().is_some_and(Seal::has_ended) {
            seals.pop_front();
        }
        let at = if in_order { seals.len() } else { seals.partition_point(|seal| seal.ticket <= ticket) };
        seals.insert(at, Seal { ticket, event, blockers });
    }

    /// The first seal that comes after `ticket`, as a point to wait for. Seals whose blockers have all ended are dropped.
    pub(crate) fn sealed_point(&self, ticket: Ticket) -> Option<Point<B>> {
        let mut seals = self.seals.lock();
        if seals.is_empty() {
            return None;
        }
        seals.retain(|seal| !seal.has_ended());
        let at = seals.iter().position(|seal| seal.ticket >= ticket)?;
        let blockers = outstanding(seals.iter().take(at));
        Some(Point { event: seals[at].event.clone(), ticket: seals[at].ticket, blockers })
    }

    /// What may be waiting for the host somewhere in the work enqueued so far.
    pub(crate) fn blockers(&self) -> Vec<Blocker> {
        outstanding(self.seals.lock().iter())
    }

    /// The newest point recorded for other streams, if it comes after `ticket`. A host function may lie before its event that
    /// `ticket` does not come after: whoever uses it looks for a [seal](Self::sealed_point) afterwards.
    pub(crate) fn recent_point(&self, ticket: Ticket) -> Option<Point<B>> {
        self.recent.lock().as_ref().filter(|point| point.ticket >= ticket).cloned()
    }

    /// Keeps a point that was recorded for other streams.
    pub(crate) fn keep_recent(&self, point: &Point<B>) {
        let mut recent = self.recent.lock();
        let is_newer = recent.as_ref().is_none_or(|old| old.ticket < point.ticket);
        let old = if is_newer { recent.replace(point.clone()) } else { None };
        // Outside of the lock: it may be the last handle of an event.
        drop(recent);
        drop(old);
    }

    /// The raw stream, unless the stream is closed. Held only while a call on it is made: a stream is destroyed when nobody holds it.
    pub(crate) fn raw(&self) -> Option<Arc<B::Stream>> {
        match &*self.phase.lock() {
            Phase::Open(raw) => Some(raw.clone()),
            Phase::Closed { .. } => None,
        }
    }

    /// The event after a closed stream's last work; `None` if the stream is open, or leaves none.
    pub(crate) fn final_event(&self) -> Option<Arc<EventCell<B>>> {
        match &*self.phase.lock() {
            Phase::Open(_) => None,
            Phase::Closed { event, .. } => event.clone(),
        }
    }

    /// Keeps an error for the next synchronizing call.
    pub(crate) fn fault(&self, error: Error) {
        self.fault.lock().get_or_insert(error);
        self.faulted.store(true, Ordering::Release);
    }

    /// The error kept, if there is one.
    pub(crate) fn take_fault(&self) -> Option<Error> {
        if !self.faulted.swap(false, Ordering::AcqRel) {
            return None;
        }
        self.fault.lock().take()
    }
}

fn outstanding<'a, B: Backend>(seals: impl Iterator<Item = &'a Seal<B>>) -> Vec<Blocker> {
    let mut blockers: Vec<Blocker> = Vec::new();
    for blocker in seals.flat_map(|seal| &seal.blockers) {
        if !blocker.load(Ordering::Acquire) && !blockers.iter().any(|b| Arc::ptr_eq(b, blocker)) {
            blockers.push(blocker.clone());
        }
    }
    blockers
}
