//! Work on a stream: operations as calls of cuBLAS, or as kernels.

use crate::blas;
use crate::buffer::{self, Block, device};
use crate::context::{Context, Entered, Handle};
use crate::cublas::{Blas, WORKSPACE};
use crate::module::{CudaModule, Function};
use cudarc::driver::sys::{CUstream, CUstream_st};
use std::ffi::c_void;
use std::ptr::null_mut;
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, Grid, Launch as UserLaunch, LaunchArg, Node, Operation, Parameter, Result};
use warpwave_kernels::launch::{self, Entry, Launch, Properties};

/// What a stream or a graph has to work with besides the operands.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    scratch: Option<Block>,
    /// What has become too small, and may still be in use.
    outgrown: Vec<Block>,
    blas: Option<(Blas, Block)>,
    /// A `ww_u32` that becomes 1 if data were at fault.
    pub(crate) note: Option<Ptr>,
}

impl Workspace {
    /// All device memory in it, and the library's handle: nothing of it is in use any more, or will be.
    pub(crate) fn give_up(&mut self, context: &Context) {
        if let Some((blas, block)) = self.blas.take() {
            if let Some(provider) = context.blas.get() {
                provider.reuse(blas);
            }
            context.spare.keep(block);
        }
        self.scratch.take().into_iter().chain(self.outgrown.drain(..)).for_each(|block| context.spare.keep(block));
    }
}

/// A place to enqueue work: a stream, entered, with what it has to work with.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) context: &'static Context,
    pub(crate) entered: &'a Entered,
    pub(crate) stream: Handle<CUstream_st>,
    pub(crate) work: &'a mut Workspace,
    /// Where memory comes from.
    pub(crate) memory: &'a dyn Memory,
    /// Whether anything has been enqueued.
    pub(crate) enqueued: bool,
}

/// Where device memory for a [`Workspace`] comes from.
pub(crate) trait Memory: std::fmt::Debug {
    /// # Errors
    /// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory).
    fn block(&self, entered: &Entered, bytes: usize) -> Result<Block>;

    /// A word of pinned memory, 0.
    ///
    /// # Errors
    /// As for [`block`](Self::block).
    fn note(&self, entered: &Entered) -> Result<Ptr>;
}

impl Target<'_> {
    fn raw(&self) -> CUstream {
        self.stream.0
    }

    /// Enqueues an operation.
    ///
    /// # Safety
    /// As for [`Backend::execute`](warpwave_core::Backend::execute).
    ///
    /// # Errors
    /// As there.
    pub(crate) unsafe fn execute(&mut self, operation: &Operation) -> Result<()> {
        let (context, raw) = (self.context, self.raw());
        if let Some(call) = warpwave_kernels::blas::call(operation)
            && let Some(blas) = self.blas()?
            // SAFETY: the caller's.
            && unsafe { blas::run(context, raw, blas, &call) }?
        {
            return Ok(());
        }
        // SAFETY: the caller's.
        unsafe { launch::execute(operation, self) }.map_err(|error| context.seen(error))
    }

    /// Sees to it that [`execute`](Self::execute) neither allocates nor loads anything.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn prepare(&mut self, operation: &Operation) -> Result<()> {
        if warpwave_kernels::blas::call(operation).is_some() {
            self.blas()?;
        }
        // Also of what cuBLAS is asked for: it may refuse.
        let plan = launch::plan(operation, &self.context.properties)?;
        for step in &plan.steps {
            self.kernel(step.entry)?;
        }
        if plan.scratch > 0 {
            self.scratch(plan.scratch)?;
        }
        if plan.fault.is_some() { self.prepare_fault() } else { Ok(()) }
    }

    /// Enqueues a piece of a graph.
    ///
    /// # Safety
    /// As for [`execute`](Self::execute).
    ///
    /// # Errors
    /// As there.
    pub(crate) unsafe fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            // SAFETY: the caller's.
            Node::Operation(operation) => unsafe { self.execute(operation) },
            // SAFETY: the caller's.
            Node::Copy(transfer) => unsafe { buffer::copy(self.context, self.entered, self.raw(), transfer) },
            // SAFETY: the caller's.
            Node::Launch(launch) => unsafe { self.user_launch(launch) },
            _ => Err(Error::unsupported(format_args!("{node:?} in a graph"))),
        }
    }

    /// Puts the library's handle on this stream: the last list of a graph may have been captured on another.
    pub(crate) fn move_blas(&mut self) -> Result<()> {
        let (entered, raw) = (self.entered, self.raw());
        match &mut self.work.blas {
            Some((blas, block)) => blas.set_stream(entered, raw, block.ptr).map_err(|error| self.context.seen(error)),
            None => Ok(()),
        }
    }

    /// cuBLAS on this stream, if it is there.
    fn blas(&mut self) -> Result<Option<&mut Blas>> {
        if self.work.blas.is_none() {
            let provider = self.context.blas(self.entered)?;
            let Some(mut blas) = provider.handle(self.context, self.entered)? else { return Ok(None) };
            let block = match self.memory.block(self.entered, WORKSPACE) {
                Ok(block) => block,
                Err(error) => {
                    provider.reuse(blas);
                    return Err(error);
                }
            };
            if let Err(error) = blas.set_stream(self.entered, self.raw(), block.ptr) {
                provider.reuse(blas);
                self.context.spare.keep(block);
                return Err(self.context.seen(error));
            }
            self.work.blas = Some((blas, block));
        }
        Ok(self.work.blas.as_mut().map(|(blas, _)| blas))
    }

    /// The word that becomes 1 if data were at fault.
    fn noted(&mut self) -> Result<Ptr> {
        match self.work.note {
            Some(note) => Ok(note),
            None => {
                let note = self.memory.note(self.entered)?;
                self.work.note = Some(note);
                Ok(note)
            }
        }
    }

    /// Enqueues that one note becomes 1 if another is not 0.
    ///
    /// # Safety
    /// Both are words of memory that the device reaches, and stay until the stream has passed this.
    pub(crate) unsafe fn pass_on(&mut self, from: Ptr, to: Ptr) -> Result<()> {
        let kernel = self.kernel(NOTE)?;
        let (from, to) = (device(from).to_ne_bytes(), device(to).to_ne_bytes());
        // SAFETY: the caller's.
        unsafe { self.launch(&kernel, Grid::new(1, 1), &[&from, &to]) }
    }

    /// Enqueues a launch of a user's kernel.
    ///
    /// # Safety
    /// As for [`Backend::launch`](warpwave_core::Backend::launch).
    ///
    /// # Errors
    /// As there.
    pub(crate) unsafe fn user_launch(&mut self, launch: &UserLaunch) -> Result<()> {
        let foreign = || Error::invalid("kernel", "a kernel of this device", "a kernel of another");
        let module: &CudaModule =
            launch.module().filter(|module: &&CudaModule| module.is_of(self.context)).ok_or_else(foreign)?;
        let function = module.functions.get(launch.kernel()).ok_or_else(foreign)?;
        let args = launch.args();
        let mut addresses = Few::<u64>::new(args.len());
        for (arg, address) in args.iter().zip(addresses.as_mut()) {
            if let LaunchArg::Memory { ptr, .. } = arg {
                *address = device(*ptr);
            }
        }
        let mut pointers = Few::<usize>::new(args.len());
        for ((arg, address), pointer) in args.iter().zip(addresses.as_mut()).zip(pointers.as_mut()) {
            *pointer = match arg {
                LaunchArg::Value(bytes) => bytes.as_ptr().expose_provenance(),
                _ => (&raw const *address).expose_provenance(),
            };
        }
        // SAFETY: the caller's; the arguments are as many as the kernel has parameters, and of their sizes, as the image declares them.
        unsafe { self.enqueue(function, launch.grid(), pointers.as_mut().as_mut_ptr().cast()) }
    }

    /// # Safety
    /// `arguments` points to as many pointers as the kernel has parameters, each to as many bytes.
    unsafe fn enqueue(&mut self, kernel: &Function, grid: Grid, arguments: *mut *mut c_void) -> Result<()> {
        let ([bx, by, bz], [tx, ty, tz]) = (grid.blocks, grid.threads);
        // SAFETY: the caller's; the driver copies the arguments before it returns.
        let status = unsafe {
            (self.context.driver.cuLaunchKernel)(
                kernel.raw.0,
                bx,
                by,
                bz,
                tx,
                ty,
                tz,
                grid.shared,
                self.raw(),
                arguments,
                null_mut(),
            )
        };
        self.enqueued |= status == 0;
        self.context.check("cuLaunchKernel", status)
    }
}

/// The kernel that passes a fault on.
const NOTE: Entry = Entry::plain("fault", "fault_note");

impl Launch for Target<'_> {
    type Kernel = Function;

    fn properties(&self) -> Properties {
        self.context.properties
    }

    fn kernel(&mut self, entry: Entry) -> Result<Function> {
        self.context.kernels.get(self.context, self.entered, entry)
    }

    fn parameters<'a>(&self, kernel: &'a Function) -> Option<&'a [Parameter]> {
        Some(&kernel.parameters)
    }

    fn max_threads(&self, kernel: &Function) -> u32 {
        kernel.max_threads
    }

    fn scratch(&mut self, bytes: usize) -> Result<Ptr> {
        if let Some(block) = self.work.scratch.filter(|block| block.bytes >= bytes) {
            return Ok(block.ptr);
        }
        // So that not each operation which is a little larger than the one before gets memory of its own.
        let had = self.work.scratch.map_or(0, |block| block.bytes);
        let block = self.memory.block(self.entered, bytes.max(had + had / 2))?;
        self.work.outgrown.extend(self.work.scratch.replace(block));
        Ok(block.ptr)
    }

    unsafe fn zero(&mut self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        let status = unsafe { (self.context.driver.cuMemsetD8Async)(device(ptr), 0, bytes, self.raw()) };
        self.enqueued |= status == 0;
        self.context.check("cuMemsetD8Async", status)
    }

    unsafe fn launch(&mut self, kernel: &Function, grid: Grid, args: &[&[u8]]) -> Result<()> {
        let mut pointers = Few::<usize>::new(args.len());
        for (arg, pointer) in args.iter().zip(pointers.as_mut()) {
            *pointer = arg.as_ptr().expose_provenance();
        }
        // SAFETY: the caller's.
        unsafe { self.enqueue(kernel, grid, pointers.as_mut().as_mut_ptr().cast()) }
    }

    fn prepare_fault(&mut self) -> Result<()> {
        self.kernel(NOTE)?;
        self.noted().map(|_| ())
    }

    unsafe fn fault(&mut self, ptr: Ptr) -> Result<()> {
        let note = self.noted()?;
        // SAFETY: the caller's; the note stays as long as the stream or the graph.
        unsafe { self.pass_on(ptr, note) }
    }
}

/// A few words, on the stack if they are as few as arguments mostly are.
enum Few<T> {
    Here([T; 24], usize),
    There(Vec<T>),
}

impl<T: Copy + Default> Few<T> {
    fn new(len: usize) -> Self {
        if len <= 24 { Few::Here([T::default(); 24], len) } else { Few::There(vec![T::default(); len]) }
    }

    fn as_mut(&mut self) -> &mut [T] {
        match self {
            Few::Here(words, len) => &mut words[..*len],
            Few::There(words) => words,
        }
    }
}
