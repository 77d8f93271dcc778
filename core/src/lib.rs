//! warpwave's core.
mod backend;
mod element;
mod error;
mod info;
pub mod numerics;
pub mod operation;

pub use backend::{Backend, HostFn, Space, Transfer};
pub use element::{
    Complex, Complex32, Complex64, DType, Element, Float, GemmElement, Integer, Real, Scalar, ScalarValue, bf16, f16,
};
pub use error::{Context, Error, ErrorKind, Result};
pub use info::{DeviceInfo, MemoryInfo};
pub use operation::{Axis, BinaryOp, CompareOp, Layout, Op, Operation, OperationKind, Precision, ReduceOp, UnaryOp};
