//! Events: a point in a stream's work, and its time.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Set once, by a stream's thread when it gets there. Everything done before is visible to whoever sees it set.
pub(crate) type Marker = Arc<OnceLock<Instant>>;

/// A point in a stream's work. See [`Backend::Event`](warpwave_core::Backend::Event).
#[derive(Debug)]
pub struct CpuEvent(State);

#[derive(Debug)]
enum State {
    /// Recorded on an inline stream, where nothing is ever pending.
    Occurred(Instant),
    /// Recorded on a stream with a thread.
    Enqueued(Marker),
}

impl CpuEvent {
    /// An event that occurs now.
    pub(crate) fn occurred() -> Self {
        CpuEvent(State::Occurred(Instant::now()))
    }

    /// An event that occurs when `marker` is set.
    pub(crate) fn enqueued(marker: Marker) -> Self {
        CpuEvent(State::Enqueued(marker))
    }

    /// What there is to wait for; `None` if the event has occurred.
    pub(crate) fn pending(&self) -> Option<&Marker> {
        match &self.0 {
            State::Occurred(_) => None,
            State::Enqueued(marker) => marker.get().is_none().then_some(marker),
        }
    }

    /// When it occurred; waits until it has.
    pub(crate) fn time(&self) -> Instant {
        match &self.0 {
            State::Occurred(time) => *time,
            State::Enqueued(marker) => *marker.wait(),
        }
    }
}
