//! Launches as values.

use std::fmt;
use warpwave_core::operation::Ptr;
use warpwave_core::{DType, ScalarValue};

/// What launch code has to know of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// Lanes of a warp: 32 or 64.
    pub warp: u32,
    /// Multiprocessors, or compute units.
    pub processors: u32,
    /// Threads that one of them holds at a time.
    pub threads_per_processor: u32,
    /// Bytes of shared memory that a block may have.
    pub shared_per_block: u32,
}

impl Properties {
    /// The properties of a device.
    pub const fn new(warp: u32, processors: u32, threads_per_processor: u32, shared_per_block: u32) -> Self {
        Properties { warp, processors, threads_per_processor, shared_per_block }
    }

    /// Blocks of `threads` threads that cover `items` items, each thread doing `per_thread` of them at a time, and no more than the
    /// device holds `waves` times over: kernels go through the rest in strides of the grid. At least 1.
    pub fn blocks(&self, items: usize, threads: u32, per_thread: u32, waves: u32) -> u32 {
        let needed = items.div_ceil(threads as usize * per_thread as usize).max(1);
        let held =
            (self.threads_per_processor / threads).max(1).saturating_mul(self.processors.max(1)).saturating_mul(waves);
        u32::try_from(needed).unwrap_or(u32::MAX).min(held.max(1))
    }
}

/// A kernel's name: that of its file in `device/`, and the types it is an instance for, as in `axpy_f32` or `cast_f32_f16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// The file's name without `.hip`.
    pub file: &'static str,
    /// The name up to the types.
    pub name: &'static str,
    /// The types it is named after, in this order.
    pub types: [Option<DType>; 2],
}

impl Entry {
    /// Kernel `name_T` of `file`.
    pub const fn of(file: &'static str, name: &'static str, dtype: DType) -> Self {
        Entry { file, name, types: [Some(dtype), None] }
    }

    /// Kernel `name` of `file`, which is an instance for no type.
    pub const fn plain(file: &'static str, name: &'static str) -> Self {
        Entry { file, name, types: [None, None] }
    }

    /// Kernel `name_S_D` of `file`.
    pub const fn of_two(file: &'static str, name: &'static str, first: DType, second: DType) -> Self {
        Entry { file, name, types: [Some(first), Some(second)] }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.types.iter().flatten().try_for_each(|dtype| write!(f, "_{dtype}"))
    }
}

/// An argument of a kernel, of the size and type that its text declares.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arg {
    /// A pointer.
    Ptr(Ptr),
    /// A pointer so many bytes behind the start of the plan's scratch memory.
    Scratch(usize),
    /// A `ww_u32`.
    U32(u32),
    /// A `ww_u64`.
    U64(u64),
    /// A `ww_i64`.
    I64(i64),
    /// A number of an element type.
    Scalar(ScalarValue),
}

/// A launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which kernel.
    pub entry: Entry,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// In the order of the kernel's parameters.
    pub args: Vec<Arg>,
}

impl Step {
    /// A launch of `blocks` blocks of `threads` threads, with no dynamic shared memory.
    pub fn new(entry: Entry, blocks: u32, threads: u32, args: Vec<Arg>) -> Self {
        Step { entry, grid: [blocks, 1, 1], threads, shared: 0, args }
    }
}

/// The launches of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In the order in which they are enqueued on one stream.
    pub steps: Vec<Step>,
    /// Bytes of device memory that they share, aligned to 256; their contents do not matter before, but for the part that is [zeroed].
    ///
    /// [zeroed]: Self::zeroed
    pub scratch: usize,
    /// Bytes from the start of the scratch memory that are set to zero before the first step.
    pub zeroed: usize,
    /// Where in the scratch memory there is a `ww_u32` that is not 0 after the steps if the data were at fault: an index out of range.
    /// Within what is [zeroed](Self::zeroed).
    pub fault: Option<usize>,
}

impl Plan {
    /// A plan of one launch.
    pub fn one(step: Step) -> Self {
        Plan { steps: vec![step], ..Plan::default() }
    }

    /// Reserves `bytes` of scratch memory, aligned to 256; gives where they start.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        let start = self.scratch.next_multiple_of(256);
        self.scratch = start + bytes;
        start
    }
}
