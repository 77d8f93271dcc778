//! What a graph is recorded with.

use super::NodeId;
use crate::device::Device;
use crate::runtime::Recording;
use crate::sync::Arc;
use std::fmt;
use std::ops::Deref;

/// A stream whose calls are recorded in a [`Graph`](crate::Graph) and not executed. [`Stream::record_graph`](crate::Stream::record_graph)
/// gives it to its closure.
///
/// All methods of [`Stream`](crate::Stream), [`Ops`](crate::Ops) and [`Blas`](crate::Blas) that enqueue work are there, and check their
/// arguments as always. Those that wait, that read memory of the host which is not [pinned](crate::Pinned), or that a launch could not do
/// again, are [`InvalidArgument`](crate::ErrorKind::InvalidArgument):
///
/// | refused | instead |
/// |---|---|
/// | `read`, `to_vec` | `download` to pinned memory, or read after the launch |
/// | `write`, `from_slice` | `upload` from pinned memory, or write before the launch |
/// | `sum`, `dot`, `compact` … | `sum_into`, `dot_into`, `compact_into` … |
/// | `synchronize`, `record`, `wait`, `host_fn`, `copy_from_peer`, [`Graph::launch`](crate::Graph::launch) | the same on a stream, before or after the launch |
///
/// Buffers from [`alloc`](crate::Stream::alloc) and [`zeros`](crate::Stream::zeros) are memory of the graph, for as long as that lives. The
/// memory of one that is dropped inside the closure is used again by later calls of the recording.
///
/// Calls on other streams inside the closure are ordinary calls: they happen once, there and then.
pub struct Recorder<D: Device> {
    stream: D::Stream,
    recording: Arc<Recording<D::Backend>>,
}

impl<D: Device> Recorder<D> {
    pub(crate) fn new(stream: D::Stream, recording: Arc<Recording<D::Backend>>) -> Self {
        Recorder { stream, recording }
    }

    /// The call recorded last, for [`Graph::set_scalar`](crate::Graph::set_scalar). A call of several parts, such as
    /// [`zeros`](crate::Stream::zeros), is its last part.
    pub fn last(&self) -> Option<NodeId> {
        self.recording.last().map(|(recording, call)| NodeId { recording, call })
    }
}

impl<D: Device> Deref for Recorder<D> {
    type Target = D::Stream;

    fn deref(&self) -> &D::Stream {
        &self.stream
    }
}

impl<D: Device> fmt::Debug for Recorder<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder({:?})", self.stream)
    }
}
