//! Planted faults: a suite is worth what it catches.
//!
//! [`Faulty`] is a backend that delegates to a good one and has one [`Fault`]. [`faults`] lists every fault with the
//! checks that must fail because of it; a fault that survives is a hole in the suite.
//!
//! Faults act on the calls of [`Backend`](warpwave_core::Backend): operations with other arguments, and memory that is
//! changed before or after an operation by a host function in the order of the stream, so that the same fault works on
//! streams of either mode.

mod alter;
mod backend;
mod contraction;
mod elements;
mod fault;
mod functions;
mod graph;
mod indexing;
mod large;
mod ordering;
mod products;
mod rework;
mod scans;
mod triangles;

pub use backend::Faulty;
pub use fault::{Fault, Mode, Planted, faults};
pub use graph::FaultyGraph;
