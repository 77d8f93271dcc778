//! The CUDA backend of [warpwave](https://docs.rs/warpwave): NVIDIA GPUs.
//!
//! A program is built without any of NVIDIA's software. The driver, NVRTC and cuBLAS are opened when they are first needed; a library that is not
//! there, lacks a function, or does not start is an [`Unavailable`](warpwave_core::ErrorKind::Unavailable) with the files that were tried and a
//! remedy.
//!
//! | library | what for | without it |
//! |---|---|---|
//! | the driver, `libcuda` for CUDA 12.0 or later | everything | no CUDA device |
//! | NVRTC 12 or later | kernels for which the program has no image of the device's architecture | nvcc, if it is there; else `NoImage` |
//! | cuBLAS 12 or later | `gemv` and level 3, unless [`Reproducible`](warpwave_core::Precision::Reproducible) | warpwave's own kernels |
//!
//! They are looked for where `WARPWAVE_CUDA_LIBRARY_PATH` says, a list of folders separated as in `PATH`, and nowhere else; without it, where the
//! loader finds them, in the toolkit's folders (`CUDA_PATH`, `CUDA_HOME`, `/usr/local/cuda`), and among the packages of an active Python
//! environment.
//!
//! # Beside others
//! The device is used in its primary context, as CUDA's runtime, PyTorch and cudarc do. A call leaves the thread's current context as it found
//! it, but for a thread that had none, where device 0 becomes current. Streams are non-blocking: they do not wait for CUDA's default stream. The
//! primary context is kept as long as the process lives.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blas;
mod buffer;
mod context;
mod cublas;
mod device;
mod driver;
mod error;
mod event;
mod graph;
mod launch;
mod load;
mod module;
mod nvrtc;
mod stream;
mod transfer;

pub use device::CudaBackend;
pub use event::CudaEvent;
pub use graph::CudaGraph;
pub use stream::CudaStream;

use warpwave_core::ManagedDevice;

/// A CUDA device.
pub type CudaDevice = ManagedDevice<CudaBackend>;
