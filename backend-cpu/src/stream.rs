//! Streams: inline ones, and the queue and the thread of asynchronous ones.

use crate::event::Marker;
use crate::execute::execute;
use crate::fault::{Fault, catch};
use crate::graph::run_nodes;
#[cfg(unix)]
use crate::kernels::run_launch;
use crate::memory;
use crate::staged::Staged;
use crate::sync::lock;
use crate::transfer::{copy_bytes, transfer};
use crate::workers::{FloatMode, Workers};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
#[cfg(unix)]
use warpwave_core::Launch;
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, ErrorKind, HostFn, Node, Operation, Result, Transfer};

/// Work that a queue keeps room for once it has been empty.
const KEPT: usize = 1024;

/// A queue of work. See [`Backend::Stream`](warpwave_core::Backend::Stream).
#[derive(Debug)]
pub struct CpuStream(pub(crate) Kind);

#[derive(Debug)]
pub(crate) enum Kind {
    /// Work is executed by the calls that enqueue it. Calls that overlap in time touch nothing in conflict (see
    /// [`Backend::execute`](warpwave_core::Backend::execute)), so they need no lock to have taken effect in any order.
    /// A lock would make a host function that waits for another of the host's threads wait for ever, if that one uses
    /// the stream as well.
    Inline(Fault),
    /// Work is executed by a thread of the stream's own.
    Queued(Arc<Queue>),
}

/// One piece of work.
pub(crate) enum Work {
    Execute(Operation),
    Transfer(Transfer),
    #[cfg(unix)]
    Launch(Launch),
    /// What a graph does.
    Nodes(Arc<Vec<Node>>),
    /// A copy of bytes that were taken from the host when the work was enqueued.
    Staged {
        src: Staged,
        dst: Ptr,
    },
    /// A copy from or to memory of another device, or of a caller who waits.
    Bytes {
        src: Ptr,
        dst: Ptr,
        bytes: usize,
    },
    Host(HostFn),
    /// Sets the marker.
    Mark(Marker),
    /// Waits for another stream's marker.
    Wait(Marker),
}

/// About what the system takes to wake a thread, which is longer than many a piece of work: for so long it is better to look out for
/// what is to come than to sleep.
const PATIENCE: Duration = Duration::from_micros(50);

/// Waits a moment for `ready`, and lets other threads of this processor run meanwhile. Returns whether it came.
fn look_out(ready: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if ready() {
            return true;
        }
        if start.elapsed() >= PATIENCE {
            return false;
        }
        std::thread::yield_now();
    }
}

/// What an asynchronous stream's thread shares with those who enqueue. The thread keeps it alive.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
    /// Pieces of work that have ended.
    ended: AtomicU64,
    /// Threads that wait for more of them.
    waiting: AtomicUsize,
    end: Mutex<()>,
    more_ended: Condvar,
    pub(crate) fault: Fault,
}

#[derive(Default)]
struct State {
    work: Vec<Work>,
    /// Pieces of work ever enqueued.
    enqueued: u64,
    /// Whether the thread waits to be woken.
    asleep: bool,
    /// Whether the thread ends when there is no more work.
    closed: bool,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("fault", &self.fault).finish_non_exhaustive()
    }
}

impl Queue {
    /// A queue and the thread that works through it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if the system gives no more threads.
    pub(crate) fn start(workers: Arc<Workers>) -> Result<Arc<Queue>> {
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("warpwave-stream".to_owned());
        // The thread is never joined: it ends by itself after `close`, or with the process.
        thread.spawn(move || shared.run(&workers)).map_err(|error| ErrorKind::Unavailable {
            library: "a thread for the stream".to_owned(),
            tried: vec![error.to_string()],
            remedy: "raise the limit on threads (ulimit -u), use fewer streams, or use the inline CPU device"
                .to_owned(),
        })?;
        Ok(queue)
    }

    /// Appends work; never waits for the thread. Gives the work's number, for [`wait_for`](Self::wait_for).
    ///
    /// # Safety
    /// The memory that the work names holds to [`Backend::execute`](warpwave_core::Backend::execute)'s contract until
    /// the thread has passed it.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if the queue cannot grow; nothing is enqueued then.
    pub(crate) unsafe fn push(&self, work: Work) -> Result<u64> {
        let mut state = lock(&self.state);
        if let Err(error) = memory::grow(&mut state.work) {
            drop(state);
            // It may have a destructor of the user's, which may use the stream.
            drop(work);
            return Err(error);
        }
        state.work.push(work);
        state.enqueued += 1;
        let number = state.enqueued;
        // Whoever finds the thread asleep wakes it; the calls until it is awake need not.
        let wake = std::mem::take(&mut state.asleep);
        drop(state);
        if wake {
            self.wake.notify_one();
        }
        Ok(number)
    }

    /// Makes an event's marker that is set when all work enqueued so far has ended.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    pub(crate) fn mark(&self) -> Result<Marker> {
        let marker = Marker::default();
        // SAFETY: a marker names no memory.
        unsafe { self.push(Work::Mark(Arc::clone(&marker))) }?;
        Ok(marker)
    }

    /// Waits until all work enqueued so far has ended. It takes no place in the queue, so it works when that cannot grow.
    pub(crate) fn drain(&self) {
        let enqueued = lock(&self.state).enqueued;
        self.wait_for(enqueued);
    }

    /// Waits until the work of this number, and all before it, has ended.
    pub(crate) fn wait_for(&self, number: u64) {
        if look_out(|| self.ended.load(Ordering::Acquire) >= number) {
            return;
        }
        // Sequentially consistent, as in `has_ended`: either this thread sees the number, or the other sees this one wait.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut end = lock(&self.end);
        while self.ended.load(Ordering::SeqCst) < number {
            end = self.more_ended.wait(end).unwrap_or_else(PoisonError::into_inner);
        }
        drop(end);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Counts a piece of work, and tells those who wait.
    fn has_ended(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            // Whoever has read the old number under the lock waits by the time it can be taken.
            drop(lock(&self.end));
            self.more_ended.notify_all();
        }
    }

    /// Lets the thread end once it has worked through the queue.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.wake.notify_one();
    }

    /// The thread.
    fn run(&self, workers: &Workers) {
        FloatMode::set_ieee();
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            for work in batch.drain(..) {
                // SAFETY: `push`'s caller vouches for the work's memory until this call has returned.
                self.fault.keep(unsafe { work.run(workers, &self.fault) });
                self.has_ended();
            }
            // A burst of work must not keep its memory for the rest of the stream's life. Shrinking it could fail.
            if batch.capacity() > KEPT {
                batch = Vec::new();
            }
        }
    }

    /// Exchanges the empty `batch` for all that is queued; waits until there is something. `false`: the stream was
    /// closed, and all its work has been done.
    fn take(&self, batch: &mut Vec<Work>) -> bool {
        look_out(|| {
            let state = lock(&self.state);
            state.closed || !state.work.is_empty()
        });
        let mut state = lock(&self.state);
        while state.work.is_empty() {
            if state.closed {
                return false;
            }
            state.asleep = true;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep = false;
        std::mem::swap(&mut state.work, batch);
        true
    }
}

impl Work {
    /// Does the work.
    ///
    /// # Safety
    /// The memory that it names holds to [`Backend::execute`](warpwave_core::Backend::execute)'s contract for the time
    /// of the call, and the thread is in the IEEE floating-point mode.
    unsafe fn run(self, workers: &Workers, fault: &Fault) -> Result<()> {
        match self {
            Work::Execute(operation) => {
                // SAFETY: the caller's.
                unsafe { run_operation(workers, &operation, fault) }
            }
            #[cfg(unix)]
            Work::Launch(launch) => {
                // SAFETY: the caller's.
                unsafe { run_launch(workers, &launch, fault) }
            }
            Work::Transfer(copy) => catch("a copy", || {
                // SAFETY: the caller's.
                unsafe { transfer(workers, &copy) };
                Ok(())
            }),
            Work::Nodes(nodes) => {
                // SAFETY: the caller's.
                unsafe { run_nodes(workers, &nodes, fault) }
            }
            Work::Staged { src, dst } => catch("an upload", || {
                let src = src.bytes();
                // SAFETY: `src` is live and not written; the caller vouches for `dst`.
                unsafe { copy_bytes(workers, Ptr::new(src.as_ptr().cast_mut()), dst, src.len()) };
                Ok(())
            }),
            Work::Bytes { src, dst, bytes } => catch("a copy of bytes", || {
                // SAFETY: the caller's.
                unsafe { copy_bytes(workers, src, dst, bytes) };
                Ok(())
            }),
            Work::Host(function) => {
                let outcome = run_host_fn(function);
                // The function may have left this thread in another mode.
                FloatMode::set_ieee();
                outcome
            }
            Work::Mark(marker) => {
                // A marker is pushed once, so it cannot have been set.
                let _ = marker.set(Instant::now());
                Ok(())
            }
            Work::Wait(marker) => {
                marker.wait();
                Ok(())
            }
        }
    }
}

/// Executes an operation; an error names it. A fault in the data is no failure of the call, on an inline stream either: the next
/// that synchronizes reports it.
///
/// # Safety
/// As for [`Backend::execute`](warpwave_core::Backend::execute), for the time of the call; and the thread is in the
/// IEEE floating-point mode.
pub(crate) unsafe fn run_operation(workers: &Workers, operation: &Operation, fault: &Fault) -> Result<()> {
    let named = |error: Error| error.in_operation(operation.kind());
    let outcome = catch("the operation", || {
        // SAFETY: the caller's.
        let outcome = unsafe { execute(workers, operation) };
        match outcome.map_err(named) {
            Err(error) if matches!(error.kind(), ErrorKind::DeviceFault { .. }) => {
                fault.keep(Err(error));
                Ok(())
            }
            outcome => outcome,
        }
    });
    outcome.map_err(named)
}

/// Calls a host function.
pub(crate) fn run_host_fn(function: HostFn) -> Result<()> {
    catch("a host function", || {
        function();
        Ok(())
    })
}
