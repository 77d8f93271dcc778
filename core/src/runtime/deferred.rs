//! What dropped handles leave behind for the next call.
//!
//! A drop may happen anywhere, inside a host function too, where the driver refuses every call. So it only puts down what there
//! is to do.

use super::block::Block;
use super::tracker::{StreamId, Ticket};
use crate::backend::Backend;
use crate::kernel::CompiledModule;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};

/// Something to release.
#[derive(Debug)]
pub(crate) enum Dropped<B: Backend> {
    Block(Arc<Block>),
    Event(B::Event),
    /// With its last launch, if that may be pending.
    Graph(B::Graph, Option<(StreamId, Ticket)>),
    /// The last handle of a stream is gone.
    Stream(StreamId),
    /// Nothing refers to it any more.
    Module(Box<dyn CompiledModule>),
    /// A closed stream's raw stream, which someone may still be about to record on.
    Raw(Arc<B::Stream>),
}

/// The list.
#[derive(Debug)]
pub(crate) struct Deferred<B: Backend> {
    pending: AtomicBool,
    list: Mutex<Vec<Dropped<B>>>,
}

impl<B: Backend> Default for Deferred<B> {
    fn default() -> Self {
        Deferred { pending: AtomicBool::new(false), list: Mutex::new(Vec::new()) }
    }
}

impl<B: Backend> Deferred<B> {
    pub(crate) fn push(&self, dropped: Dropped<B>) {
        self.list.lock().push(dropped);
        self.pending.store(true, Ordering::Release);
    }

    /// All that was left behind; cheap if that is nothing.
    pub(crate) fn take(&self) -> Vec<Dropped<B>> {
        if !self.pending.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.pending.store(false, Ordering::Release);
        std::mem::take(&mut *self.list.lock())
    }
}

/// An event that several may wait for. Its last drop leaves the raw event for the next call.
#[derive(Debug)]
pub(crate) struct EventCell<B: Backend> {
    raw: Option<B::Event>,
    deferred: Arc<Deferred<B>>,
}

impl<B: Backend> EventCell<B> {
    pub(crate) fn new(raw: B::Event, deferred: &Arc<Deferred<B>>) -> Arc<Self> {
        Arc::new(EventCell { raw: Some(raw), deferred: deferred.clone() })
    }

    /// The event; `None` only while it is being dropped.
    pub(crate) fn raw(&self) -> Option<&B::Event> {
        self.raw.as_ref()
    }
}

impl<B: Backend> Drop for EventCell<B> {
    fn drop(&mut self) {
        if let Some(raw) = self.raw.take() {
            self.deferred.push(Dropped::Event(raw));
        }
    }
}
