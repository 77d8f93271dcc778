//! The CPU device of warpwave: the default device, there on every machine.
//!
//! [`CpuBackend`] implements [`warpwave_core::Backend`]. It comes in two modes, which give the same bits:
//!
//! - [`CpuBackend::inline`]: a call on a stream returns when its work has ended. There is no queue and no hand-over, so
//!   a small operation costs little more than a plain loop.
//! - [`CpuBackend::asynchronous`]: each stream has a thread of its own that works through a queue, as a GPU's streams
//!   do. A program that orders its work wrongly goes wrong here as well, on a machine without a GPU. The queue has no
//!   bound but memory: enqueuing never waits, and is an error if the queue cannot grow. Uploads of up to 64 KiB are copied aside
//!   and do not wait either, unless the device holds 64 MiB of them already; larger ones return when they have been done. What is
//!   still queued when the process ends is not executed.
//!
//! # Threads
//!
//! A large operation is shared by a pool of threads that belongs to the device: `RAYON_NUM_THREADS` of them, else as
//! many as the process has processors. It cannot be more than 256 or the number of processors, whichever is larger:
//! they would only cost time and memory. The pool starts with the first such operation. With as many
//! threads as the process may use processors each keeps to one of them (on Linux). No other pool is used, and the
//! user's code never runs on this one, so a rayon pool of the user's, all of whose threads wait for the device, does
//! not starve it. No result depends on the number of threads where the [contract](warpwave_core::numerics) says that
//! it is reproducible.
//!
//! # Graphs and peers
//!
//! A graph is its list of operations: a launch executes them one after the other, on an asynchronous stream as one piece of the queue,
//! and stops at the first that fails. Every CPU device is every other's peer.
//!
//! # Floating-point mode
//!
//! Operations round to nearest even and keep denormals, whatever mode the calling thread is in. Inline operations set
//! that mode and put the caller's back; the device's own threads are always in it. An inline host function runs in the
//! caller's mode.
//!
//! # Memory
//!
//! Memory is ordinary host memory in both [spaces](warpwave_core::Space), aligned to 256 bytes and zero when it is
//! allocated. Large allocations take pages from the system only as they are written. Since the system would promise
//! more than it has, a device hands out no more than the process may have of the machine's memory and swap (where the system
//! tells how much that is: Linux, with the limits on its control groups), and says
//! [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory) beyond.
//!
//! Operations that need memory to work in obtain it when they run, and are [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory)
//! if there is none. Products of matrices other than [`Reproducible`](warpwave_core::Precision::Reproducible) ones are made by the
//! crate `gemm`, which would end the process in its place: if what it takes cannot be had just before it is called, another kernel
//! makes the product, with less memory or with none, more slowly and with other roundings within the same bound. What remains is
//! that another thread takes the last memory in that instant; and a few bytes here and there, for which the standard library ends
//! the process.
//!
//! # Errors
//!
//! Work that fails on a stream's thread is reported once, by the next
//! [`synchronize`](warpwave_core::Backend::synchronize) or [`download`](warpwave_core::Backend::download) on that
//! stream; if several pieces fail in between, the first is. Another stream that has waited for that work does not
//! report it. An inline operation reports by itself, an inline host function as on a thread, and so does an index out of
//! range in an operation's data. A panic is such a failure, and leaves the stream usable.

mod affinity;
mod backend;
mod cgroup;
mod event;
mod execute;
mod fault;
mod graph;
mod info;
#[cfg(unix)]
mod kernels;
mod memory;
mod need;
mod simd;
mod staged;
mod stream;
mod sync;
mod transfer;
mod workers;

pub use backend::CpuBackend;
pub use event::CpuEvent;
pub use graph::CpuGraph;
pub use stream::CpuStream;

/// The CPU as a [`Device`](warpwave_core::Device). [`open`](warpwave_core::Device::open) gives the inline mode;
/// `CpuDevice::new(CpuBackend::asynchronous())` the other.
pub type CpuDevice = warpwave_core::ManagedDevice<CpuBackend>;
