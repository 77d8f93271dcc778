//! Events: points in the work of a stream.

use crate::backend::Backend;
use crate::device::{Device, ManagedDevice};
use crate::error::Result;
use crate::runtime::{Point, Shared};
use crate::sync::Arc;
use std::fmt;
use std::time::Duration;

/// A point in the work of a stream, made by [`Stream::record`](crate::Stream::record). Clones are the same point.
pub struct Event<D: Device> {
    pub(crate) stream: u64,
    pub(crate) point: Arc<Point<D::Backend>>,
    pub(crate) shared: Arc<Shared<D::Backend>>,
}

impl<D: Device> Clone for Event<D> {
    fn clone(&self) -> Self {
        Event { stream: self.stream, point: self.point.clone(), shared: self.shared.clone() }
    }
}

impl<D: Device> fmt::Debug for Event<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(stream {}, device {})", self.stream, self.shared.info.id)
    }
}

impl<B: Backend> Event<ManagedDevice<B>> {
    pub(crate) fn new(stream: u64, point: Point<B>, shared: &Arc<Shared<B>>) -> Self {
        Event { stream, point: Arc::new(point), shared: shared.clone() }
    }
}

impl<D: Device> Event<D> {
    /// Whether all work enqueued on the stream before the event has ended. Does not wait.
    ///
    /// # Errors
    /// Those of the driver, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a host function.
    pub fn query(&self) -> Result<bool> {
        self.raw("query", |backend, event| backend.query(event))
    }

    /// Waits on the host until all work enqueued on the stream before the event has ended. Errors of that work are left for
    /// [`Stream::synchronize`](crate::Stream::synchronize).
    ///
    /// # Errors
    /// As for [`query`](Event::query).
    pub fn synchronize(&self) -> Result<()> {
        self.raw("Event::synchronize", |backend, event| backend.synchronize_event(event))
    }

    /// The time from `earlier` to this event, by the device's own clock; zero if this one is the earlier. Waits for both.
    ///
    /// # Errors
    /// As for [`query`](Event::query), and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the events are of two devices.
    pub fn elapsed_since(&self, earlier: &Event<D>) -> Result<Duration> {
        self.raw("elapsed_since", |backend, end| {
            self.shared.check_opening(&earlier.shared.opening, "earlier", "an event")?;
            earlier.point.event.raw().map_or(Ok(Duration::ZERO), |start| backend.elapsed(start, end))
        })
    }

    fn raw<R: Default>(
        &self,
        operation: &str,
        ask: impl FnOnce(&D::Backend, &<D::Backend as Backend>::Event) -> Result<R>,
    ) -> Result<R> {
        let Event { stream, point, shared } = self;
        shared.named(operation, Some(*stream), || {
            shared.enter()?;
            // An empty cell is never seen: only its own drop empties it.
            point.event.raw().map_or_else(|| Ok(R::default()), |event| ask(&shared.backend, event))
        })
    }
}
