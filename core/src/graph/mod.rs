//! Graphs: work that is recorded once and launched many times.

mod argument;
mod recorder;

pub use argument::Argument;
pub use recorder::Recorder;

use crate::device::Device;
use crate::element::{Element, ScalarValue};
use crate::error::{Error, Result};
use crate::runtime::{Checked, Executable};
use crate::stream::Stream;
use std::fmt;

/// Work that is enqueued as one piece, as often as one likes. Made by [`Stream::record_graph`].
///
/// A device spends less time on launching a graph than on as many calls: checks, waits and the hand-over happen once for all of it.
///
/// ```
/// use warpwave_core::{Argument, Blas, Device, ManagedDevice, Ops, Stream};
/// # use warpwave_cpu::CpuBackend;
///
/// let device = ManagedDevice::new(CpuBackend::inline())?;
/// let stream = device.default_stream();
/// let a = stream.from_slice(&[2.0_f32, 0.0, 0.0, 3.0])?;
/// let mut x = stream.from_slice(&[1.0_f32, 1.0])?;
///
/// // One step of x = x + h · A·x. Nothing is executed yet.
/// let mut axpy = None;
/// let mut step = stream.record_graph(|r| {
///     use warpwave_core::{Buffer, Op};
///     let mut slope = r.alloc::<f32>(2)?; // belongs to the graph
///     r.gemv(Op::N, 1.0, &a.matrix(2, 2)?, &x, 0.0, &mut slope)?;
///     r.axpy(0.5, &slope, &mut x)?;
///     axpy = r.last();
///     Ok(())
/// })?;
///
/// step.launch(&stream)?;
/// assert_eq!(stream.to_vec(&x)?, [2.0, 2.5]);
/// if let Some(axpy) = axpy {
///     step.set_scalar(axpy, Argument::Alpha, 1.0_f32)?; // h, from here on
/// }
/// step.launch(&stream)?;
/// assert_eq!(stream.to_vec(&x)?, [6.0, 10.0]);
/// # Ok::<(), warpwave_core::Error>(())
/// ```
///
/// # What a launch touches
/// A graph keeps what its calls were given: it goes on working on the same memory, though it borrows nothing. That memory stays while the
/// graph does, also when its buffers are dropped. A launch is ordered like any other call that touches the same bytes, on whatever
/// stream and from whatever thread: it comes after the calls that have returned, and those that follow come after it.
///
/// While one thread launches a graph, a call of another thread on the same bytes waits until the launch has been enqueued (on an inline
/// stream until it has ended), and the other way round. Apart from graphs no call waits for another. So a function that a stream
/// [calls on the host](Stream::host_fn) must not wait for a thread that is about to launch a graph on memory which an unfinished call on
/// that stream, one that itself waits, is using.
///
/// # Ends
/// A graph may be dropped at any time and anywhere: its launches still run. It may outlive all other handles of its device.
pub struct Graph<D: Device> {
    executable: Executable<D::Backend>,
}

/// A call that was recorded in a graph; see [`Recorder::last`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    recording: u64,
    call: usize,
}

impl<D: Device> Graph<D> {
    pub(crate) fn new(executable: Executable<D::Backend>) -> Self {
        Graph { executable }
    }

    /// Enqueues the work of the graph on a stream of its device, in the order in which it was recorded.
    ///
    /// A fault of the data, such as an index out of range, is reported by the next synchronizing call on `stream`, and lost if the last
    /// handle of that is dropped before one.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) on a stream of another device, and if a guard of the host has
    /// [pinned memory](crate::Pinned) that the graph touches; those of the driver. On a CPU, which takes memory for intermediate results
    /// while it works, also [`OutOfMemory`](crate::ErrorKind::OutOfMemory); an asynchronous stream reports that as it does a fault. What
    /// the graph writes is unspecified after an error that is not `InvalidArgument`.
    pub fn launch(&mut self, stream: &D::Stream) -> Result<()> {
        stream.launch_graph(Checked::TYPED, &mut self.executable)
    }

    /// Changes a scalar argument of a call that was recorded: later launches use `value`, those already enqueued do not.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the call was not recorded in this graph, or has no such argument, or one of
    /// another type. Nothing has changed then.
    pub fn set_scalar<T: Element>(&mut self, node: NodeId, argument: Argument, value: T) -> Result<()> {
        let named = |e: Error| e.in_operation("set_scalar");
        if node.recording != self.executable.number {
            return Err(named(Error::invalid("node", "a call recorded in this graph", "one recorded in another")));
        }
        let set = |operation: Option<&mut _>| argument::set(operation, argument, ScalarValue::new(value));
        let unknown = || Err(Error::invalid("node", "a call recorded in this graph", "no call"));
        self.executable.change(node.call, set).unwrap_or_else(unknown).map_err(named)
    }

    /// How many pieces of work the graph has. Calls without elements are none.
    pub fn len(&self) -> usize {
        self.executable.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<D: Device> fmt::Debug for Graph<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph[{}] on {}", self.len(), self.executable.shared.info.id)
    }
}
