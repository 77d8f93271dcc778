//! The core of warpwave: the traits that numerics code is written against, the operations, the rules that order work and release
//! memory, and the definition of every result.
//!
//! Users want the facade, the crate `warpwave`. This one is for those who write a backend or a tool:
//!
//! - [`Backend`] is what a backend implements; [`ManagedDevice`] makes a [`Device`] of it.
//! - [`operation`] holds the operations that it executes.
//! - [`numerics`] says what each of them computes, to the bit, and has the plain definitions to compare with.
//!
//! There is no vendor's name in this crate, no foreign function, and no input or output.

mod backend;
mod blas;
mod buffer;
mod device;
mod element;
mod error;
mod event;
mod graph;
mod info;
mod kernel;
mod matrix;
pub mod numerics;
pub mod operation;
mod ops;
mod pinned;
mod runtime;
mod stream;
mod sync;
mod view;

pub use backend::{Backend, HostFn, Node, Space, Transfer};
pub use blas::{Blas, BlasTriangle, Givens, ModifiedGivens, Rotm, rotg, rotmg};
pub use buffer::{Buffer, ManagedBuffer};
pub use device::{Device, ManagedDevice, Numerics};
pub use element::{
    Complex, Complex32, Complex64, DType, Element, Float, GemmElement, Integer, Real, RealScalar, Scalar, ScalarValue,
    bf16, f16,
};
pub use error::{Context, Error, ErrorKind, Result};
pub use event::Event;
pub use graph::{Argument, Graph, NodeId, Recorder};
pub use info::{DeviceInfo, MemoryInfo};
pub use kernel::{
    Arg, CompiledModule, Grid, Kernel, KernelImage, KernelInfo, KernelSource, Launch, LaunchArg, Module, NumberKind,
    Parameter, ParameterKind,
};
pub use matrix::{Batch, BatchMut, MatrixView, MatrixViewMut};
pub use operation::{
    ArgOp, Axis, BinaryOp, CompareOp, Diag, Layout, Op, Operation, OperationKind, Precision, ReduceOp, Side, UnaryOp,
    Uplo,
};
pub use ops::{
    AsOperand, Index, Indexing, LayerNormOptions, Normalize, Operand, Ops, Philox, Random, Reduce, Scan, Sort,
    SortOptions,
};
pub use pinned::{Pinned, PinnedRead, PinnedWrite, Unregistered};
pub use stream::{BufferOf, ManagedStream, Stream};
pub use view::{AsVector, AsVectorMut, AsView, AsViewMut, Vector, VectorMut, View, ViewMut};
