//! One compute API over NVIDIA *warps* (CUDA), AMD *waves* (HIP/ROCm) and the CPU.
//!
//! Numerics code is written once against the traits [`Device`], [`Stream`], [`Buffer`] and [`Blas`]. The CPU device is always there,
//! CUDA devices with the feature `cuda`; what works where is in the [README](https://docs.rs/crate/warpwave).
//!
//! ```
//! use warpwave::prelude::*;
//!
//! /// The largest eigenvalue of a symmetric matrix, by power iteration.
//! fn largest_eigenvalue<D: Numerics>(device: &D, a: &[f64], n: usize) -> Result<f64> {
//!     let stream = device.default_stream();
//!     let a = stream.from_slice(a)?;
//!     let mut x = stream.from_slice(&vec![1.0; n])?;
//!     let mut y = stream.zeros(n)?;
//!     let mut norm = 0.0;
//!     for _ in 0..100 {
//!         stream.gemv(Op::N, 1.0, &a.matrix(n, n)?, &x, 0.0, &mut y)?; // y = A·x
//!         norm = stream.nrm2(&y)?;
//!         stream.scal(1.0 / norm, &mut y)?;
//!         std::mem::swap(&mut x, &mut y);
//!     }
//!     Ok(norm)
//! }
//!
//! let device = warpwave::open()?; // the device that WARPWAVE_DEVICE names, else a GPU, else the CPU
//! let eigenvalue = largest_eigenvalue(&device, &[2.0, 1.0, 1.0, 2.0], 2)?;
//! assert!((eigenvalue - 3.0).abs() < 1e-12);
//! # Ok::<(), warpwave::Error>(())
//! ```
//!
//! # The model on one page
//!
//! A **device** has memory and runs operations. A **buffer** is a piece of its memory. A **stream** is a queue: whatever touches a device's
//! memory is enqueued on one and happens later (on the CPU device that [`open`] gives where there is no GPU, before the call returns; with
//! [`CpuBackend::asynchronous`] on a thread), in the order of the calls. Two streams run beside each other; where they touch the
//! same bytes, warpwave makes the later call wait for the earlier one, so that a program with many streams computes what the
//! same program with one stream would.
//!
//! The **host** waits where it asks for a result ([`Stream::to_vec`], [`Stream::read`], methods that return a number, [`Event::elapsed_since`])
//! or says so ([`Stream::synchronize`], [`Event::synchronize`]). A few other calls may have to wait, and say when:
//!
//! | call | may wait for |
//! |---|---|
//! | [`Stream::write`], [`from_slice`](Stream::from_slice), the list that [`Blas::gemm_batched`] writes | the stream to get there, so that the slice may be changed; the CPU device only for more than 64 KiB |
//! | [`Pinned::read`], [`write`](Pinned::write) | the copies under way |
//! | [`Device::trim`]; any call that allocates, once memory is exhausted | the work that uses what is given back |
//! | [`Stream::host_fn`], [`copy_from_peer`](Stream::copy_from_peer) | another thread that is giving memory back |
//! | [`Graph::launch`], calls on a graph's memory | a call of another thread on the same bytes, while it is enqueued |
//!
//! On an inline stream, such as those of the CPU device that [`open`] gives, every call that enqueues work waits for it.
//!
//! A **graph** is a piece of a program that is recorded once and enqueued again and again, as one call. It goes on working on the memory that
//! its calls were given, without borrowing it: a launch is ordered with other calls by the bytes that both touch, on every stream and
//! every thread, as if it were the calls that it was recorded from. The scalars of those calls can be changed between launches. Copies
//! between the memories of two **devices** are ordered on both.
//!
//! | on the host | on a device |
//! |---|---|
//! | `Vec<T>` | [`Buffer<T>`](Buffer), from [`Stream::alloc`], [`zeros`](Stream::zeros), [`from_slice`](Stream::from_slice) |
//! | `&[T]`, `&mut [T]` | [`View`], [`ViewMut`], from [`Buffer::slice`], [`slice_mut`](Buffer::slice_mut), [`split_at_mut`](Buffer::split_at_mut) |
//! | `&v[i + k * inc]` for each `k` | [`Vector`], [`VectorMut`] |
//! | a 2-D array with a leading dimension | [`MatrixView`], [`MatrixViewMut`], from [`Buffer::matrix`], [`View::matrix_with`] |
//! | its rows, columns, diagonal | a [`Vector`] each, from [`MatrixView::row`], [`col`](MatrixView::col), [`diagonal`](MatrixView::diagonal) |
//! | `dst.copy_from_slice(src)` | [`Stream::copy`] between buffers, [`Stream::copy_from_peer`] between those of two devices, [`Stream::write`] and [`Stream::read`] from and to the host |
//! | a `Vec` that a copy in the background may use | [`Pinned`], with [`Stream::upload`] and [`Stream::download`] |
//! | a thread with a queue of closures | [`Stream`], from [`Device::new_stream`] |
//! | a channel message "done so far" | [`Event`], from [`Stream::record`]; [`Stream::wait`] |
//! | a callback | [`Stream::host_fn`] |
//! | a loop of one's own | a kernel: [`Device::compile`], [`Module::kernel`], [`Stream::launch`] |
//! | a function that is called in every step of a loop | [`Graph`], from [`Stream::record_graph`]; [`Graph::launch`] |
//! | its arguments | the scalars of recorded calls, by [`Graph::set_scalar`] |
//! | a call that fails | [`Error`], at the call; work that fails later is an error of the next call that waits for it |
//!
//! Borrowing is Rust's own: an operation takes what it reads by `&` and what it writes by `&mut`, for the time of the call. What is
//! borrowed may be dropped right after the call, though the work is still to come:
//!
//! | type | its last drop |
//! |---|---|
//! | [`Buffer`], [`Pinned`] | its memory goes back to the device's pool and is reused when the work on it has ended, and no graph touches it |
//! | [`Event`] | is released by the next call on the device |
//! | [`Stream`] | its work still runs; the stream is released by the next call on the device |
//! | [`Graph`] | its launches still run; memory that was its own, or that it was the last to have, goes back as a buffer's does |
//! | [`PinnedRead`], [`PinnedWrite`] | give the memory back to the device; after one that is forgotten, the next [`PinnedWrite`] does |
//! | [`Device`], once everything above is gone too | a thread in the background waits for its work and releases it |
//!
//! No drop waits, fails, or calls a driver, so everything may be dropped anywhere, in a [`Stream::host_fn`] too.
//!
//! # Where to read on
//! - [`Stream`], [`Ops`] and [`Blas`]: all that can be enqueued.
//! - [`Graph`]: programs that repeat themselves.
//! - [`Scalar`]: code that serves all the types of BLAS.
//! - [`numerics`]: what each operation computes, to the bit where it is the same on every device.
//! - [`ErrorKind`]: what can go wrong.
//! - The examples, numbered in reading order.
//! - [`Backend`]: how to add a device of one's own. The crate `warpwave-conformance` checks it.
//!
//! # Environment
//! `WARPWAVE_DEVICE` names the device that [`open`] gives. `WARPWAVE_CUDA_LIBRARY_PATH` is a list of folders where CUDA's libraries are looked
//! for, and nowhere else. `RAYON_NUM_THREADS` is the number of threads of a CPU device.
//! `WARPWAVE_CXX` names the C++ compiler for kernels on it, else `CXX` does, else it is `c++`, `g++` or `clang++`; with
//! `WARPWAVE_CHECK=1`, or any other number as a seed, it looks at what they do.

mod any;
mod select;

pub use any::{AnyBackend, AnyDevice, AnyEvent, AnyGraph, AnyStream};
pub use select::{DEVICE_VARIABLE, DefaultDevice, absent, device_names, open, open_named};
pub use warpwave_core::*;
pub use warpwave_cpu::{CpuBackend, CpuDevice, CpuEvent, CpuGraph, CpuStream};
#[cfg(feature = "cuda-base")]
pub use warpwave_cuda::{CudaBackend, CudaDevice, CudaEvent, CudaGraph, CudaStream};

/// What a program that computes needs in scope. `Result` here is [`crate::Result`].
///
/// Some traits come along without their names: `Numeric`, with the constants `ZERO` and `ONE` of code that is generic over the element
/// type, and those that [`Ops`] and [`Blas`] include.
pub mod prelude {
    pub use crate::numerics::Numeric as _;
    pub use crate::{
        Argument, AsOperand, AsVector, AsVectorMut, AsView, AsViewMut, Blas, Buffer, Device, Diag, Element, Error,
        Graph, Grid, Kernel, KernelSource, LayerNormOptions, Layout, MatrixView, MatrixViewMut, Module, Numerics, Op,
        Ops, Philox, Precision, RealScalar, Recorder, Result, Scalar, Side, SortOptions, Stream, Uplo, Vector,
        VectorMut, View, ViewMut, args,
    };
    pub use crate::{BlasTriangle as _, Indexing as _, Normalize as _, Random as _, Reduce as _, Scan as _, Sort as _};
}

/// The README's program runs with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// As does the one that `docs/from-cuda.md` ends with.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-cuda.md")]
struct FromCuda;

/// And the one in `docs/kernels.md`.
#[cfg(doctest)]
#[doc = include_str!("../docs/kernels.md")]
struct Kernels;
