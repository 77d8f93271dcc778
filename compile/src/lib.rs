//! The compilers of [warpwave](https://docs.rs/warpwave)'s kernels: where they are, how they are called, and what they made.
//!
//! A kernel's text is one for all targets; this crate puts the prelude in front of it and compiles it for an [`Arch`]:
//!
//! | architecture | compiler | image |
//! |---|---|---|
//! | `sm_80`, `sm_90`, … | nvcc | a cubin |
//! | `gfx90a`, `gfx1100`, … | clang, or hipcc | a code object |
//!
//! It has what a build script needs and no more, and depends on nothing of warpwave's. In a build script, [`Build`] does all of it; with
//! [`Tools`] one compiles one text at a time:
//!
//! ```no_run
//! use warpwave_compile::{Arch, Options, Tools};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = std::fs::read_to_string("kernels/axpy.hip")?;
//! let image = Tools::find().compile("axpy.hip", &text, &"sm_90".parse::<Arch>()?, &Options::default())?;
//! for kernel in &image.kernels {
//!     println!("{}: {} registers, {} bytes of spills", kernel.kernel, kernel.registers, kernel.spills);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Cache`] keeps images on disk from one run of a program to the next. [`HostCompiler`] is the host's own C++ compiler, which compiles
//! kernels for the CPU device.

mod arch;
mod build;
mod cache;
mod clang;
mod cxx;
mod error;
mod nvcc;
mod options;
mod packed;
mod process;
mod resources;
mod tools;

pub use arch::{Arch, Vendor};
pub use build::{ARCHS_VARIABLE, Build};
pub use cache::{Cache, Key};
pub use cxx::{CXX_VARIABLE, HostCompiler};
pub use error::{Error, Result};
pub use options::{Options, PRELUDE, translation_unit};
pub use packed::{packed, unpacked};
pub use process::Scratch;
pub use resources::Resources;
pub use tools::{Tool, ToolKind, Tools};

/// What a compiler made of a text for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// A cubin or a code object, to be loaded as it is.
    pub bytes: Vec<u8>,
    /// What each kernel takes, in the order in which the compiler says so.
    pub kernels: Vec<Resources>,
}
