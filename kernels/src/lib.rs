//! The device code of [warpwave](https://docs.rs/warpwave): what its operations are on a GPU.
//!
//! - `include/warpwave.h` and its parts are the prelude, the only words that a kernel's text may use: the same for nvcc, NVRTC,
//!   hipcc, hipRTC, clang and a host C++ compiler.
//! - `device/*.hip` are the kernels, one file for each operation.
//! - [`launch`] says which kernels an operation is, with which arguments and on how large a grid: [`launch::plan`] is a function of the
//!   operation and of what the device is like, so it can be looked at without one.
//! - [`blas`] says which call of a vendor's BLAS an operation is.
//! - [`image`] is the way from a text to what a device runs.
//! - [`host`] runs kernels on the host.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod blas;
mod elf;
#[cfg(unix)]
pub mod host;
pub mod image;
pub mod launch;
pub mod prelude;
mod texts;

pub use texts::{TEXTS, text};
