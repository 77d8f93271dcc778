//! Blocks that wait for streams other than their home.

use super::block::Block;
use super::deferred::EventCell;
use super::tracker::{StreamId, Ticket};
use crate::backend::Backend;
use crate::sync::{Arc, Mutex};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// Something that has to occur before a block is free.
#[derive(Debug)]
pub(crate) struct Awaited<B: Backend> {
    pub(crate) stream: StreamId,
    /// The newest operation of `stream` that `event` is known to come after.
    pub(crate) ticket: Ticket,
    pub(crate) event: Arc<EventCell<B>>,
}

impl<B: Backend> Awaited<B> {
    /// The event after all work of a closed stream.
    pub(crate) fn end_of(stream: StreamId, event: Arc<EventCell<B>>) -> Self {
        Awaited { stream, ticket: Ticket::MAX, event }
    }
}

/// A block whose last handle is gone, and what it still waits for.
#[derive(Debug)]
pub(crate) struct Parked<B: Backend> {
    pub(crate) block: Arc<Block>,
    pub(crate) awaits: Vec<Awaited<B>>,
}

/// Parked blocks, in a queue for each stream that they wait for: events of one stream occur in order, so that nobody has to
/// ask about more than the front of a queue. A block that waits for several streams goes from one queue to the next.
#[derive(Debug)]
pub(crate) struct ParkedBlocks<B: Backend> {
    /// None is empty. What a block waits for here comes last in its list.
    queues: Mutex<BTreeMap<StreamId, VecDeque<Parked<B>>>>,
}

impl<B: Backend> Default for ParkedBlocks<B> {
    fn default() -> Self {
        ParkedBlocks { queues: Mutex::new(BTreeMap::new()) }
    }
}

impl<B: Backend> ParkedBlocks<B> {
    /// Takes a block in; gives it back if it waits for nothing.
    pub(crate) fn push(&self, mut parked: Parked<B>) -> Option<Arc<Block>> {
        // So that it goes on to a queue that [`front_from`](Self::front_from) has yet to come to.
        parked.awaits.sort_by_key(|awaited| Reverse(awaited.stream));
        let Some(Awaited { stream, ticket, .. }) = parked.awaits.last() else { return Some(parked.block) };
        let (stream, ticket) = (*stream, *ticket);
        let mut queues = self.queues.lock();
        let queue = queues.entry(stream).or_default();
        // By the order of the events, not of the arrivals: a block from another queue may come late.
        let at = queue.partition_point(|other| other.awaits.last().is_some_and(|awaited| awaited.ticket <= ticket));
        queue.insert(at, parked);
        None
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queues.lock().is_empty()
    }

    /// What the front of the first queue waits for, among the queues of streams from `stream` on.
    pub(crate) fn front_from(&self, stream: StreamId) -> Option<(StreamId, Arc<EventCell<B>>)> {
        let queues = self.queues.lock();
        let (&stream, queue) = queues.range(stream..).next()?;
        Some((stream, queue.front()?.awaits.last()?.event.clone()))
    }

    /// Takes out the blocks at the front of a queue that wait there for `event`, which has occurred.
    pub(crate) fn pass(&self, stream: StreamId, event: &Arc<EventCell<B>>) -> Vec<Parked<B>> {
        let mut passed = Vec::new();
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&stream) else { return passed };
        let waits = |parked: &Parked<B>| parked.awaits.last().is_some_and(|a| Arc::ptr_eq(&a.event, event));
        while queue.front().is_some_and(waits) {
            passed.extend(queue.pop_front());
        }
        if queue.is_empty() {
            queues.remove(&stream);
        }
        // Outside of the lock: what is dropped here may be the last handle of an event.
        drop(queues);
        passed.iter_mut().for_each(|parked| drop(parked.awaits.pop()));
        passed
    }

    /// Takes out any block, with all that it waits for.
    pub(crate) fn pop(&self) -> Option<Parked<B>> {
        let mut queues = self.queues.lock();
        let mut first = queues.first_entry()?;
        let parked = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        parked
    }
}
