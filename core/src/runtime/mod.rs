//! Ordering and memory, once for all backends: which stream waits for which, and when memory may be reused.
//!
//! **Tickets.** A stream numbers its operations; an operation gets its ticket when the enqueue has returned. A block's tracker
//! holds what streams did to it: (stream, ticket, bytes, read or write). An access conflicts with the entries of *other* streams
//! that overlap it, unless both are reads. For each such entry that the stream has not waited for yet, it reads the other stream's
//! newest ticket, *then* records an event there, waits for it, and only *then* advances its clock to that ticket; if the event last
//! recorded there comes after the entry, that one serves. Its own entry goes in after the enqueue. Plain operations need no more:
//! the borrow checker lets no two threads enqueue conflicting accesses to the same bytes at once.
//!
//! **Seals.** A host function may wait for the host, and what comes after it on its stream with it. So a stream records a sealing event before
//! it enqueues one, and whoever needs older work waits for the seal. A wait for a point behind a host function has the same
//! property and is sealed in the same way.
//!
//! **Drops** put down what there is to release; the next call releases it. A block used on its home stream alone can be reused there
//! at once, with an entry that makes other streams wait for the old work; any other is parked until events on the streams that used it
//! have occurred. Of the blocks that wait for one stream only the first is ever asked about.
//!
//! **Graphs** touch memory that nobody has borrowed. So recording marks a block as shared, and whoever touches a shared block first
//! [claims](claim) its bytes. **Peers** have their memory copied in the order of both devices: see [`peer`].
//!
//! No lock is held across a call of the backend. A single stream never waits, and records an event only where it has touched a block in
//! more than a thousand pieces, to find out which of them it need not remember.

mod block;
mod borrowed;
mod claim;
mod deferred;
mod footprint;
mod host;
mod parked;
mod peer;
mod pool;
mod ranges;
mod recording;
mod release;
mod step;
mod stream;
mod submit;
#[cfg(test)]
mod tests;
mod tracker;

pub(crate) use block::Block;
pub(crate) use deferred::{Deferred, Dropped};
pub(crate) use host::refuse_inside;
pub(crate) use recording::{Executable, Recording};
pub(crate) use step::Step;
pub(crate) use stream::{Point, StreamCore};
pub(crate) use submit::{Access, Checked};

use crate::backend::Backend;
use crate::error::{Error, ErrorKind, Result};
use crate::info::DeviceInfo;
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, spawn};
use deferred::EventCell;
use host::Gate;
use pool::Pool;
pub(crate) use pool::Shelf;
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{OnceLock, Weak};
use tracker::StreamId;

/// One opening of a device: tells memory and events of devices apart, also where one physical device was opened twice.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The device's identifier.
    id: String,
    /// The device itself.
    device: OnceLock<Weak<dyn Any + Send + Sync>>,
}

impl Opening {
    pub(crate) fn new(id: &str) -> Arc<Self> {
        Arc::new(Opening { id: id.to_owned(), device: OnceLock::new() })
    }

    /// The device, if its backend is `B` and it is still open.
    pub(crate) fn device<B: Backend>(&self) -> Option<Arc<Shared<B>>> {
        self.device.get()?.upgrade()?.downcast().ok()
    }
}

/// What all handles of a device share.
#[derive(Debug)]
pub(crate) struct Inner<B: Backend> {
    pub(crate) backend: B,
    pub(crate) info: DeviceInfo,
    pub(crate) opening: Arc<Opening>,
    /// The default stream's handle, while some handle of the device has it.
    pub(crate) default: Mutex<Weak<crate::stream::Queue<B>>>,
    streams: Mutex<BTreeMap<StreamId, Arc<StreamCore<B>>>>,
    next_stream: AtomicU64,
    pub(crate) deferred: Arc<Deferred<B>>,
    pool: Pool<B>,
    gate: Arc<Gate>,
    /// The shelves of all streams, those that are forgotten included as long as blocks come back to them.
    shelves: Mutex<Vec<Weak<Shelf>>>,
    /// Graphs that nobody has any more.
    retired: Mutex<VecDeque<Retired<B>>>,
    /// Whether there are such; set under their lock.
    has_retired: AtomicBool,
    /// Borrowed memory that nobody has any more, and on which work may be pending.
    borrowed: Mutex<Vec<borrowed::Awaiting<B>>>,
    /// Whether there is such memory; set under its lock.
    has_borrowed: AtomicBool,
    /// Streams that wait for copies of this device's memory to others.
    peers: Mutex<Vec<NewStream<B>>>,
    /// Bytes that the backend has allocated and not freed.
    allocated: AtomicUsize,
    lost: AtomicBool,
    #[cfg(test)]
    pub(crate) knocked: Option<Step>,
}

/// [`Inner`], released by a thread of its own: the last handle may be dropped inside a host function.
#[derive(Debug)]
pub(crate) struct Shared<B: Backend>(ManuallyDrop<Box<Inner<B>>>);

impl<B: Backend> Deref for Shared<B> {
    type Target = Inner<B>;

    fn deref(&self) -> &Inner<B> {
        &self.0
    }
}

impl<B: Backend> Drop for Shared<B> {
    fn drop(&mut self) {
        // SAFETY: taken here once; a value that is being dropped is not used again.
        let inner = unsafe { ManuallyDrop::take(&mut self.0) };
        if !inner.keeps(Step::CloseElsewhere) {
            return inner.close();
        }
        // If the system gives no thread, everything is leaked: by the backend's contract dropping its handles does nothing else.
        spawn("warpwave-close", move || inner.close());
    }
}

/// A graph, and an event after its last launch.
type Retired<B> = (<B as Backend>::Graph, Arc<EventCell<B>>);

/// A stream, and its raw stream for its handles.
pub(crate) type NewStream<B> = (Arc<StreamCore<B>>, Arc<<B as Backend>::Stream>);

impl<B: Backend> Shared<B> {
    pub(crate) fn new(backend: B, #[cfg(test)] knocked: Option<Step>) -> Self {
        let info = backend.info();
        let mut inner = Box::new(Inner {
            backend,
            opening: Opening::new(&info.id),
            default: Mutex::new(Weak::new()),
            streams: Mutex::default(),
            next_stream: AtomicU64::new(1),
            deferred: Arc::default(),
            pool: Pool::default(),
            gate: Arc::default(),
            info,
            shelves: Mutex::default(),
            retired: Mutex::default(),
            has_retired: AtomicBool::new(false),
            borrowed: Mutex::default(),
            has_borrowed: AtomicBool::new(false),
            peers: Mutex::default(),
            allocated: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
            #[cfg(test)]
            knocked,
        });
        if inner.keeps(Step::GateOfPhysicalDevice) {
            inner.gate = Gate::of(inner.info.uuid.as_deref());
        }
        Shared(ManuallyDrop::new(inner))
    }

    /// Makes it what all handles share.
    pub(crate) fn into_arc(self) -> Arc<Self> {
        let shared = Arc::new(self);
        let device: Weak<dyn Any + Send + Sync> = Arc::<Self>::downgrade(&shared);
        // It is set here only, once for each opening.
        let _ = shared.opening.device.set(device);
        shared
    }
}

impl<B: Backend> Inner<B> {
    /// Whether a protective step is taken; always, outside tests.
    #[cfg(test)]
    pub(crate) fn keeps(&self, step: Step) -> bool {
        self.knocked != Some(step)
    }

    /// Whether a protective step is taken: always.
    #[cfg(not(test))]
    pub(crate) const fn keeps(&self, _: Step) -> bool {
        true
    }

    /// The gate before every call that may reach the driver. Its callers [name](Self::named) what it refuses.
    pub(crate) fn enter(&self) -> Result<()> {
        if self.keeps(Step::RefuseInHostFn) {
            refuse_inside()?;
        }
        if self.lost.load(Ordering::Relaxed) {
            return Err(self.note(ErrorKind::DeviceLost { what: "in an earlier call".into() }.into()));
        }
        self.release_deferred();
        Ok(())
    }

    /// Refuses an argument that belongs to another device; `what` says what it is.
    pub(crate) fn check_opening(&self, of: &Arc<Opening>, argument: &str, what: &str) -> Result<()> {
        if Arc::ptr_eq(of, &self.opening) {
            return Ok(());
        }
        let id = &of.id;
        let got = if *id == self.info.id {
            format!("{what} of a device `{id}` that was opened separately")
        } else {
            format!("{what} of device `{id}`")
        };
        Err(Error::invalid(argument, format_args!("{what} of this device, `{}`", self.info.id), got))
    }

    /// Adds the device to an error, and remembers it if the device is lost.
    pub(crate) fn note(&self, error: Error) -> Error {
        // A call that involves two devices may bring the other's loss.
        let is_own = error.context().device.as_ref().is_none_or(|id| *id == self.info.id);
        if is_own && matches!(error.kind(), ErrorKind::DeviceLost { .. }) {
            self.lost.store(true, Ordering::Relaxed);
        }
        error.on_device(&self.info.id)
    }

    /// Runs a public call: [notes](Self::note) its errors, whatever raised them, and names the call and its stream in them.
    #[inline(always)]
    pub(crate) fn named<R>(
        &self,
        operation: impl fmt::Display,
        stream: Option<StreamId>,
        call: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        // Not `map_err`, and not left to the compiler: this is around every call, and costs nothing if it is no call itself.
        match call() {
            Ok(result) => Ok(result),
            Err(error) => Err(self.name(error, &operation, stream)),
        }
    }

    /// Apart from [`named`](Self::named), which has to be small.
    #[cold]
    #[inline(never)]
    fn name(&self, error: Error, operation: &dyn fmt::Display, stream: Option<StreamId>) -> Error {
        let error = self.note(error).in_operation(operation);
        match stream {
            Some(stream) => error.on_stream(stream),
            None => error,
        }
    }

    /// Makes a stream; returns its raw stream beside it, for its handles.
    pub(crate) fn new_stream(&self) -> Result<NewStream<B>> {
        self.enter()?;
        self.forget_finished_streams();
        let raw = self.backend.create_stream().map_err(|e| self.note(e))?;
        Ok(self.add_stream(raw))
    }

    /// The stream of a raw one; returns that beside it, for its handles.
    pub(crate) fn add_stream(&self, raw: B::Stream) -> NewStream<B> {
        let raw = Arc::new(raw);
        let inline = self.backend.is_inline(&raw);
        let id = self.next_stream.fetch_add(1, Ordering::Relaxed);
        let core = Arc::new(StreamCore::new(id, raw.clone(), inline));
        self.streams.lock().insert(core.id, core.clone());
        let mut shelves = self.shelves.lock();
        shelves.retain(|shelf| shelf.strong_count() > 0);
        shelves.push(Arc::downgrade(&core.shelf));
        drop(shelves);
        (core, raw)
    }

    fn stream(&self, id: StreamId) -> Option<Arc<StreamCore<B>>> {
        self.streams.lock().get(&id).cloned()
    }
}
