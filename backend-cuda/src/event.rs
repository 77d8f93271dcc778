//! Events: a point in a stream's work, and its time.

use crate::context::{Context, Entered, Handle};
use cudarc::driver::sys::{CUevent_st, CUstream};
use std::time::Duration;
use warpwave_core::Result;

/// A point in a stream's work. See [`Backend::Event`](warpwave_core::Backend::Event).
#[derive(Debug)]
pub struct CudaEvent {
    raw: Handle<CUevent_st>,
}

/// The status of an event that has not occurred.
const NOT_READY: u32 = 600;

impl CudaEvent {
    /// Records an event on a stream.
    pub(crate) fn record(context: &Context, entered: &Entered, stream: CUstream) -> Result<Self> {
        let event = CudaEvent::unrecorded(context, entered)?;
        match event.record_on(context, entered, stream) {
            Ok(()) => Ok(event),
            Err(error) => {
                event.reuse(context);
                Err(error)
            }
        }
    }

    /// An event that is not recorded yet.
    pub(crate) fn unrecorded(context: &Context, entered: &Entered) -> Result<Self> {
        Ok(CudaEvent { raw: context.event(entered)? })
    }

    /// Records it on a stream.
    pub(crate) fn record_on(&self, context: &Context, _entered: &Entered, stream: CUstream) -> Result<()> {
        // SAFETY: both are this context's.
        context.check("cuEventRecord", unsafe { (context.driver.cuEventRecord)(self.raw.0, stream) })
    }

    /// Makes later work of a stream wait.
    pub(crate) fn hold(&self, context: &Context, _entered: &Entered, stream: CUstream) -> Result<()> {
        // SAFETY: the event is recorded, in this context or in a peer's.
        context.check("cuStreamWaitEvent", unsafe { (context.driver.cuStreamWaitEvent)(stream, self.raw.0, 0) })
    }

    /// Whether it has occurred.
    pub(crate) fn has_occurred(&self, context: &Context, _entered: &Entered) -> Result<bool> {
        // SAFETY: a recorded event.
        match unsafe { (context.driver.cuEventQuery)(self.raw.0) } {
            NOT_READY => Ok(false),
            status => context.check("cuEventQuery", status).map(|()| true),
        }
    }

    /// Waits until it has occurred.
    pub(crate) fn synchronize(&self, context: &Context, _entered: &Entered) -> Result<()> {
        // SAFETY: a recorded event.
        context.check("cuEventSynchronize", unsafe { (context.driver.cuEventSynchronize)(self.raw.0) })
    }

    /// The time from this event to another.
    pub(crate) fn until(&self, context: &Context, entered: &Entered, end: &CudaEvent) -> Result<Duration> {
        self.synchronize(context, entered)?;
        end.synchronize(context, entered)?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: the number is there to be written; both events have occurred.
        let status = unsafe { (context.driver.cuEventElapsedTime)(&raw mut milliseconds, self.raw.0, end.raw.0) };
        context.check("cuEventElapsedTime", status)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    /// Gives the driver's event back for others.
    pub(crate) fn reuse(self, context: &Context) {
        context.reuse_event(self.raw);
    }
}
