//! What a backend has of kernels: modules that it has compiled, and launches of their kernels.

use super::Grid;
use crate::element::DType;
use crate::error::{Error, Result};
use crate::operation::Ptr;
use crate::runtime::{Deferred, Dropped, Opening};
use crate::sync::Arc;
use std::any::Any;
use std::fmt;

/// A text that a backend has compiled, ready to be launched. Dropped in a call on the device, when launches of it may be pending.
pub trait CompiledModule: Any + fmt::Debug + Send + Sync {
    /// The kernels, in the order of their names.
    fn kernels(&self) -> &[KernelInfo];
}

/// What is known of a kernel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// The largest block.
    pub max_threads: u32,
    /// Its parameters as the text declares them; `None` if only the image is there.
    pub parameters: Option<Vec<Parameter>>,
}

impl KernelInfo {
    /// A kernel of a name.
    pub fn new(name: impl Into<String>, max_threads: u32, parameters: Option<Vec<Parameter>>) -> Self {
        KernelInfo { name: name.into(), max_threads, parameters }
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Bytes.
    pub size: u32,
    /// What it is.
    pub kind: ParameterKind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A pointer.
    Pointer {
        /// Whether what it points to is written.
        written: bool,
        /// Bytes of what it points to; 0 if that is not known.
        size: u32,
        /// What that is.
        to: NumberKind,
    },
    /// Anything else.
    Value(NumberKind),
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A float.
    Float,
    /// A structure, as complex numbers and 16-bit floats are, or what is not known.
    Structure,
}

impl NumberKind {
    /// What an element type is to a kernel.
    pub const fn of(dtype: DType) -> NumberKind {
        match dtype {
            DType::F32 | DType::F64 => NumberKind::Float,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => NumberKind::Unsigned,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => NumberKind::Signed,
            _ => NumberKind::Structure,
        }
    }

    /// In words, with its size.
    pub(crate) fn of_size(self, size: usize) -> String {
        match self {
            NumberKind::Unsigned => format!("unsigned integer of {size} bytes"),
            NumberKind::Signed => format!("signed integer of {size} bytes"),
            NumberKind::Float => format!("float of {size} bytes"),
            NumberKind::Structure => format!("structure of {size} bytes"),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ParameterKind::Pointer { size: 0, .. } => f.write_str("a pointer"),
            ParameterKind::Pointer { size, to, .. } => write!(f, "a pointer to {}", to.of_size(size as usize)),
            ParameterKind::Value(number) => write!(f, "a value: {}", number.of_size(self.size as usize)),
        }
    }
}

/// A launch of a kernel: what [`Backend::launch`](crate::Backend::launch) does.
#[derive(Clone, Debug)]
pub struct Launch {
    pub(crate) module: Arc<dyn Holds>,
    pub(crate) kernel: usize,
    pub(crate) grid: Grid,
    pub(crate) args: Arc<[LaunchArg]>,
}

impl PartialEq for Launch {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.module, &other.module) && self.kernel == other.kernel;
        same && self.grid == other.grid && self.args == other.args
    }
}

impl Launch {
    /// The module, if it is a `T`.
    pub fn module<T: CompiledModule>(&self) -> Option<&T> {
        (self.module.compiled()? as &dyn Any).downcast_ref()
    }

    /// Which of [`CompiledModule::kernels`] it is.
    pub fn kernel(&self) -> usize {
        self.kernel
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        let kernels = self.module.compiled().map_or(&[][..], CompiledModule::kernels);
        kernels.get(self.kernel).map_or("", |kernel| &kernel.name)
    }

    /// The size; no axis is empty.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The arguments, as many as the kernel has parameters.
    pub fn args(&self) -> &[LaunchArg] {
        &self.args
    }
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LaunchArg {
    /// A pointer to memory of the device.
    Memory {
        /// The start.
        ptr: Ptr,
        /// How much of it the kernel may touch.
        bytes: usize,
        /// Whether it may write there.
        write: bool,
    },
    /// The bytes of a number or a structure.
    Value(Vec<u8>),
}

/// What keeps a compiled module.
pub(crate) trait Holds: fmt::Debug + Send + Sync {
    /// `None` only while it is being dropped.
    fn compiled(&self) -> Option<&dyn CompiledModule>;
}

/// A compiled module of a device. Its last drop leaves it to the next call.
#[derive(Debug)]
pub(crate) struct Held<B: crate::backend::Backend> {
    compiled: Option<Box<dyn CompiledModule>>,
    deferred: Arc<Deferred<B>>,
    pub(crate) opening: Arc<Opening>,
}

impl<B: crate::backend::Backend> Held<B> {
    pub(crate) fn new(compiled: Box<dyn CompiledModule>, deferred: &Arc<Deferred<B>>, opening: &Arc<Opening>) -> Self {
        Held { compiled: Some(compiled), deferred: deferred.clone(), opening: opening.clone() }
    }

    pub(crate) fn kernels(&self) -> &[KernelInfo] {
        self.compiled.as_ref().map_or(&[], |compiled| compiled.kernels())
    }

    /// The number of the kernel of a name.
    pub(crate) fn find(&self, name: &str) -> Result<usize> {
        self.kernels().iter().position(|kernel| kernel.name == name).ok_or_else(|| {
            let names = self.kernels().iter().map(|kernel| format!("`{}`", kernel.name)).collect::<Vec<_>>();
            let names = if names.is_empty() { "there is none".into() } else { names.join(", ") };
            Error::invalid("name", format_args!("a kernel of the module ({names})"), format_args!("`{name}`"))
        })
    }
}

impl<B: crate::backend::Backend> Holds for Held<B> {
    fn compiled(&self) -> Option<&dyn CompiledModule> {
        self.compiled.as_deref()
    }
}

impl<B: crate::backend::Backend> Drop for Held<B> {
    fn drop(&mut self) {
        if let Some(compiled) = self.compiled.take() {
            self.deferred.push(Dropped::Module(compiled));
        }
    }
}
