//! Streams.

use crate::context::{Context, Entered, Handle, lock};
use crate::event::CudaEvent;
use crate::launch::Workspace;
use cudarc::driver::sys::{CUstream, CUstream_st};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, ErrorKind, HostFn, Result};

/// A queue of work. See [`Backend::Stream`](warpwave_core::Backend::Stream).
#[derive(Debug)]
pub struct CudaStream(pub(crate) Arc<Queue>);

impl CudaStream {
    /// The driver's handle, a `CUstream`, which CUDA's runtime calls a `cudaStream_t`. For work that other software enqueues there see
    /// [`ManagedStream::enqueue_with`](warpwave_core::ManagedStream::enqueue_with).
    pub fn raw(&self) -> *mut CUstream_st {
        self.0.raw.0
    }
}

/// What a stream is. The backend has all of them, to find out what memory they keep.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) raw: Handle<CUstream_st>,
    /// For a stream of others, which may be destroyed at any time: one of our own, which comes after all that was enqueued there.
    shadow: Option<Handle<CUstream_st>>,
    /// Whether nobody has a stream of others any more.
    pub(crate) closed: AtomicBool,
    /// Whether it is destroyed. Changed and looked at with `work` held.
    gone: AtomicBool,
    /// The note of what was enqueued there, for whoever synchronizes: they do not wait for whoever enqueues.
    note: OnceLock<Ptr>,
    /// Held while an operation is enqueued: its launches share the memory to work in, so no others may come between them.
    pub(crate) work: Mutex<Workspace>,
}

impl Queue {
    /// A stream that does not wait for the default stream of CUDA's runtime, nor it for this one.
    pub(crate) fn create(context: &Context, entered: &Entered) -> Result<Self> {
        let raw = create(context, entered)?;
        Ok(Queue {
            raw,
            shadow: None,
            closed: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            note: OnceLock::new(),
            work: Mutex::default(),
        })
    }

    /// A stream of others.
    ///
    /// # Errors
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for one of another device, and for that which is another one in each thread.
    pub(crate) fn of_others(context: &Context, entered: &Entered, raw: CUstream) -> Result<Self> {
        /// `CU_STREAM_PER_THREAD`.
        const PER_THREAD: usize = 2;
        if raw.addr() == PER_THREAD {
            let expected = "a stream that is the same in all threads";
            return Err(Error::invalid("raw", expected, "CU_STREAM_PER_THREAD"));
        }
        let mut of = null_mut();
        // SAFETY: the handle is there to be written, and the caller vouches for the stream.
        context.check("cuStreamGetCtx", unsafe { (context.driver.cuStreamGetCtx)(raw, &raw mut of) })?;
        if of != context.raw.0 {
            let expected = format_args!("a stream of the primary context of {}", context.info.id).to_string();
            return Err(Error::invalid("raw", expected, "a stream of another context"));
        }
        let shadow = Some(create(context, entered)?);
        let queue = Queue {
            raw: Handle(raw),
            shadow,
            closed: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            note: OnceLock::new(),
            work: Mutex::default(),
        };
        // What others have enqueued comes before what we do.
        let event = queue.mark_with(context, entered)?;
        queue.mark(context, entered, event)?;
        Ok(queue)
    }

    pub(crate) fn is_of_others(&self) -> bool {
        self.shadow.is_some()
    }

    /// Where events are recorded, and what is waited for.
    pub(crate) fn tail(&self) -> CUstream {
        self.shadow.unwrap_or(self.raw).0
    }

    /// What [`mark`](Self::mark) needs, which is obtained before anything is enqueued; nothing on a stream of our own.
    pub(crate) fn mark_with(&self, context: &Context, entered: &Entered) -> Result<Option<CudaEvent>> {
        self.shadow.map(|_| CudaEvent::unrecorded(context, entered)).transpose()
    }

    /// Takes note of what has been enqueued, on a stream that may be gone before anybody asks for it. If the driver will not, this waits for it.
    pub(crate) fn mark(&self, context: &Context, entered: &Entered, event: Option<CudaEvent>) -> Result<()> {
        let (Some(shadow), Some(event)) = (self.shadow, event) else { return Ok(()) };
        let marked =
            event.record_on(context, entered, self.raw.0).and_then(|()| event.hold(context, entered, shadow.0));
        event.reuse(context);
        marked.or_else(|_| {
            // SAFETY: the stream is there, as a call on it has just been made.
            context.check("cuStreamSynchronize", unsafe { (context.driver.cuStreamSynchronize)(self.raw.0) })
        })
    }

    /// Lets whoever synchronizes see the note of what was enqueued.
    pub(crate) fn show_note(&self, work: &Workspace) {
        if let Some(note) = work.note {
            let _ = self.note.set(note);
        }
    }

    /// Releases the stream; its work still runs. The memory that it works in is given up if that has ended, else leaked.
    pub(crate) fn destroy(&self, context: &Context, entered: &Entered) {
        let mut work = lock(&self.work);
        if self.gone.swap(true, Ordering::Relaxed) {
            return;
        }
        if self.is_idle(context, entered) {
            work.give_up(context);
            self.take_note();
            lock(&context.notes).extend(work.note.take());
        }
        let _disturbs = context.disturb();
        // SAFETY: a stream of our own, destroyed once: nobody has it any more. A refusal leaks it.
        unsafe { (context.driver.cuStreamDestroy_v2)(self.tail()) };
    }

    /// Gives up the memory that it works in, if all work has ended.
    pub(crate) fn trim(&self, context: &Context, entered: &Entered) {
        // Nothing is enqueued meanwhile.
        let mut work = lock(&self.work);
        if !self.gone.load(Ordering::Relaxed) && self.is_idle(context, entered) {
            work.give_up(context);
        }
    }

    /// Whether all work has ended.
    pub(crate) fn is_idle(&self, context: &Context, _entered: &Entered) -> bool {
        // SAFETY: a stream of the context. Whatever else the driver says is no promise that it has.
        unsafe { (context.driver.cuStreamQuery)(self.tail()) == 0 }
    }

    /// Whether all work has ended, or the stream is gone, for which nobody has work any more.
    pub(crate) fn is_over(&self, context: &Context, entered: &Entered) -> bool {
        let _work = lock(&self.work);
        self.gone.load(Ordering::Relaxed) || self.is_idle(context, entered)
    }

    /// Waits until all work has ended.
    pub(crate) fn pass(&self, context: &Context, _entered: &Entered) -> Result<()> {
        // SAFETY: a stream of the context.
        context.check("cuStreamSynchronize", unsafe { (context.driver.cuStreamSynchronize)(self.tail()) })
    }

    /// Waits until all that has been enqueued there has ended, on a stream of others what they have enqueued too.
    pub(crate) fn catch_up(&self, context: &Context, entered: &Entered) -> Result<()> {
        // As a mark, which comes after all that CUDA's default stream waits for.
        let event = self.mark_with(context, entered)?;
        self.mark(context, entered, event)?;
        self.pass(context, entered)
    }

    /// Waits until all work has ended; an error of the data is that of the work.
    pub(crate) fn synchronize(&self, context: &Context, entered: &Entered) -> Result<()> {
        self.pass(context, entered)?;
        self.report(context)
    }

    /// What was wrong with the data of work that has ended, once.
    pub(crate) fn report(&self, context: &Context) -> Result<()> {
        if self.take_note() {
            let what = "an index in the data of a gather, a scatter or a histogram is out of range".to_owned();
            return Err(Error::from(ErrorKind::DeviceFault { what }).on_device(&context.info.id));
        }
        Ok(())
    }

    /// Whether data were at fault, once.
    pub(crate) fn take_note(&self) -> bool {
        self.note.get().is_some_and(|note| {
            // SAFETY: a word of pinned memory that is this stream's; the device may write 1 to it at any time, and nothing else.
            let word = unsafe { AtomicU32::from_ptr(note.as_ptr().cast()) };
            word.swap(0, Ordering::AcqRel) != 0
        })
    }

    /// Enqueues a host function.
    pub(crate) fn host_fn(&self, context: &Context, _entered: &Entered, function: HostFn) -> Result<()> {
        let data = Box::into_raw(Box::new(function));
        // SAFETY: the box is opened by `call`, once, or below.
        let status = unsafe { (context.driver.cuLaunchHostFunc)(self.raw.0, Some(call), data.cast()) };
        context.check("cuLaunchHostFunc", status).inspect_err(|_| {
            // SAFETY: the driver has not taken it over.
            drop(unsafe { Box::from_raw(data) });
        })
    }
}

fn create(context: &Context, _entered: &Entered) -> Result<Handle<CUstream_st>> {
    const NON_BLOCKING: u32 = 1;
    let mut raw: CUstream = null_mut();
    // SAFETY: the handle is there to be written.
    let status = unsafe { (context.driver.cuStreamCreate)(&raw mut raw, NON_BLOCKING) };
    context.check("cuStreamCreate", status)?;
    Ok(Handle(raw))
}

/// Calls a host function, in a thread of the driver's.
unsafe extern "C" fn call(data: *mut std::ffi::c_void) {
    // SAFETY: made by `host_fn` of a box, and given to the driver once.
    let function: Box<HostFn> = unsafe { Box::from_raw(data.cast()) };
    function();
}
