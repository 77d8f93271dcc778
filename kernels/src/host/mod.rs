//! Kernels on the host: compiled by its C++ compiler, and run block by block.
//!
//! A [`Compiler`] makes a shared object of a [text](warpwave_core::KernelSource), a [`HostModule`] is one that is loaded, and a [`HostLaunch`] is a kernel with its grid
//! and arguments, on which any number of threads can work. A kernel that waits for nobody is a loop; in any other a thread that waits
//! keeps its place on a stack of its own while the others go on.
//!
//! With [`Options::check`] and a seed, blocks and threads run in an order that the seed gives, and change places at any access to memory;
//! shared memory holds poison; and an access to what is neither a buffer nor shared memory is an error with the block, the thread and the
//! address. A thread that a barrier or a warp waits for in vain, or that needs more stack than there is, is an error always.
//!
//! Nothing ends a kernel that neither ends nor waits: a thread that goes round in a loop for ever, or in one that waits for another block
//! without `ww_spin`, has its thread of the system for ever, as it would have a GPU.

mod abi;
mod access;
mod calls;
mod compile;
mod elf;
mod launch;
mod module;
mod published;
mod schedule;
mod stack;
mod text;
mod worker;

pub use access::{POISON, SHARED_LIMIT};
pub use compile::{COMPILER_VARIABLE, Compiler, Options};
pub(crate) use compile::{processor, unit};
pub use launch::HostLaunch;
pub use module::{HostKernel, HostModule};
