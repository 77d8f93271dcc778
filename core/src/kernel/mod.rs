//! Kernels of the user's own.

mod arg;
mod check;
mod compiled;

pub use arg::Arg;
pub(crate) use check::{checked, launched};
pub(crate) use compiled::Held;
pub use compiled::{CompiledModule, KernelInfo, Launch, LaunchArg, NumberKind, Parameter, ParameterKind};

use crate::device::Device;
use crate::error::Result;
use crate::runtime::Shared;
use crate::sync::Arc;
use std::fmt;

/// The text of a module, and what was made of it when the program was built. A `&str` is one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelSource<'a> {
    /// The file's name, for the compiler's messages.
    pub name: &'a str,
    /// What is in it: kernels in the words of the prelude, `warpwave.h`, which comes before them.
    pub text: &'a str,
    /// Images of this text. A device that has none of its architecture here compiles the text.
    pub images: &'a [KernelImage<'a>],
}

/// What a compiler made of a text for one architecture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KernelImage<'a> {
    /// The architecture, as `sm_90` or `gfx90a`.
    pub arch: &'a str,
    /// A cubin or a code object, as it is or compressed with zlib.
    pub bytes: &'a [u8],
}

impl<'a> KernelSource<'a> {
    /// A text and the name of its file.
    pub const fn new(name: &'a str, text: &'a str) -> Self {
        KernelSource { name, text, images: &[] }
    }

    /// With images of the text.
    #[must_use]
    pub const fn with_images(self, images: &'a [KernelImage<'a>]) -> Self {
        KernelSource { images, ..self }
    }
}

impl<'a> From<&'a str> for KernelSource<'a> {
    fn from(text: &'a str) -> Self {
        KernelSource::new("kernel.hip", text)
    }
}

impl fmt::Debug for KernelImage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelImage({}, {} bytes)", self.arch, self.bytes.len())
    }
}

/// How large a launch is.
///
/// A launch is refused if it has more blocks than [`MAX_BLOCKS`](Self::MAX_BLOCKS), 2³² threads or more along an axis (which is HIP's limit,
/// and so that of all devices), a block that is empty or larger than the kernel or the device allow, or more shared memory than there is.
/// With no block at all it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Grid {
    /// Blocks along x, y and z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y and z.
    pub threads: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Grid {
    /// Blocks along x, y and z that a launch has at most, on every device: those that CUDA and HIP take.
    pub const MAX_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

    /// So many blocks of so many threads, along x.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Grid { blocks: [blocks, 1, 1], threads: [threads, 1, 1], shared: 0 }
    }

    /// Blocks and threads along x, y and z.
    pub const fn of(blocks: [u32; 3], threads: [u32; 3]) -> Self {
        Grid { blocks, threads, shared: 0 }
    }

    /// As many blocks of `threads` threads as give each of `items` items a thread of its own; at most 65,536 blocks, so that a kernel has
    /// to go through more than `65,536 · threads` items in strides of the grid.
    pub const fn cover(items: usize, threads: u32) -> Self {
        let threads_or_one = if threads == 0 { 1 } else { threads };
        let blocks = items.div_ceil(threads_or_one as usize);
        Grid::new(if blocks > 65_536 { 65_536 } else { blocks as u32 }, threads)
    }

    /// With so many bytes of dynamic shared memory.
    #[must_use]
    pub const fn shared(self, bytes: u32) -> Self {
        Grid { shared: bytes, ..self }
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.contains(&0)
    }
}

/// So many blocks of so many threads, along x.
impl From<(u32, u32)> for Grid {
    fn from((blocks, threads): (u32, u32)) -> Self {
        Grid::new(blocks, threads)
    }
}

/// Kernels of the user's own, compiled for a device. Made by [`Device::compile`]. Clones are handles of the same module.
///
/// May be dropped at any time and anywhere: launches still run, and graphs keep what they launch.
pub struct Module<D: Device> {
    held: Arc<Held<D::Backend>>,
    shared: Arc<Shared<D::Backend>>,
}

/// A kernel of a [`Module`], which it keeps. Clones are handles of the same kernel.
pub struct Kernel<D: Device> {
    pub(crate) held: Arc<Held<D::Backend>>,
    pub(crate) index: usize,
}

impl<D: Device> Module<D> {
    pub(crate) fn new(compiled: Box<dyn CompiledModule>, shared: &Arc<Shared<D::Backend>>) -> Self {
        let held = Arc::new(Held::new(compiled, &shared.deferred, &shared.opening));
        Module { held, shared: shared.clone() }
    }

    /// The kernel of a name.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) with the names that there are.
    pub fn kernel(&self, name: &str) -> Result<Kernel<D>> {
        let index = self.shared.named("kernel", None, || self.held.find(name))?;
        Ok(Kernel { held: self.held.clone(), index })
    }

    /// The kernels' names, in their own order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.held.kernels().iter().map(|kernel| &*kernel.name)
    }
}

impl<D: Device> Kernel<D> {
    /// What is known of it.
    pub fn info(&self) -> &KernelInfo {
        &self.held.kernels()[self.index]
    }
}

impl<D: Device> Clone for Module<D> {
    fn clone(&self) -> Self {
        Module { held: self.held.clone(), shared: self.shared.clone() }
    }
}

impl<D: Device> Clone for Kernel<D> {
    fn clone(&self) -> Self {
        Kernel { held: self.held.clone(), index: self.index }
    }
}

impl<D: Device> fmt::Debug for Module<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({})", self.names().collect::<Vec<_>>().join(", "))
    }
}

impl<D: Device> fmt::Debug for Kernel<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.info().name)
    }
}
