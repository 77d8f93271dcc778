//! Runs plans on the host: what a test of a kernel needs.
//!
//! ```ignore
//! let x = Array::from(&[1.0_f32, 2.0]);
//! let out = Array::<f32>::poisoned(1);
//! let operation = Operation::Reduce { op: ReduceOp::Sum, axis: Axis::Whole, x: x.column(), out: out.span() };
//! for host in Host::both() {
//!     host.run(&plan(&operation, &host.properties()).unwrap(), 7).unwrap();
//!     assert_eq!(out.to_vec(), [3.0]);
//! }
//! ```
//!
//! Kernels run instrumented, in an order that the seed permutes, and may touch live [`Array`]s only: one element further is an error with
//! the kernel, the block, the thread and the address. `WARPWAVE_CHECK=0` runs them as they are, which is quicker.
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::unwrap_used, clippy::expect_used)]

use std::alloc::{Layout as Bytes, alloc, dealloc};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use warpwave_core::operation::{Layout, MatrixOperand, Ptr, Span, Strided};
use warpwave_core::{Element, ErrorKind, Grid, KernelSource, Parameter, Result};
use warpwave_kernels::host::{Compiler, HostKernel, HostLaunch, HostModule, Options, POISON};
use warpwave_kernels::launch::{Entry, Launch, Plan, Properties, run};
use warpwave_kernels::prelude::{HOST, PRELUDE};

/// Memory that kernels may touch: starts and ends.
static LIVE: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
/// Bytes on either side of an array.
const GUARD: usize = 256;

/// Elements in memory that kernels may touch, with guard bytes around them that are looked at when it is dropped.
///
/// The elements are read and written through pointers only, so a kernel may write them while this is borrowed.
pub struct Array<T: Element> {
    start: *mut u8,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: Element> Array<T> {
    /// `len` elements that hold [`POISON`]: a NaN, or a large number.
    pub fn poisoned(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: the layout is not empty: it has guards.
        let start = unsafe { alloc(layout) };
        assert!(!start.is_null());
        // SAFETY: all of the allocation.
        unsafe { start.write_bytes(POISON, layout.size()) };
        LIVE.lock().unwrap().insert(start as usize + GUARD, start as usize + GUARD + len * size_of::<T>());
        Array { start, len, marker: PhantomData }
    }

    /// The elements of a slice.
    pub fn from(elements: &[T]) -> Self {
        let array = Self::poisoned(elements.len());
        array.set(elements);
        array
    }

    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self::from(&vec![T::default(); len])
    }

    fn layout(len: usize) -> Bytes {
        Bytes::from_size_align(len * size_of::<T>() + 2 * GUARD, 256).unwrap()
    }

    /// Overwrites all elements.
    pub fn set(&self, elements: &[T]) {
        assert_eq!(elements.len(), self.len);
        // SAFETY: as many elements as there are; no kernel runs, as tests run none beside this.
        unsafe { self.ptr().as_ptr().cast::<T>().copy_from_nonoverlapping(elements.as_ptr(), self.len) };
    }

    /// The elements as they are now.
    pub fn to_vec(&self) -> Vec<T> {
        // SAFETY: as many elements as there are, all initialised, and any bytes are a `T`.
        unsafe { std::slice::from_raw_parts(self.ptr().as_ptr().cast::<T>(), self.len) }.to_vec()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn ptr(&self) -> Ptr {
        // SAFETY: inside the allocation.
        Ptr::new(unsafe { self.start.add(GUARD) })
    }

    /// All elements.
    pub fn span(&self) -> Span {
        Span { ptr: self.ptr(), dtype: T::DTYPE, len: self.len }
    }

    /// `len` elements from element `at` on.
    pub fn sub(&self, at: usize, len: usize) -> Span {
        assert!(at + len <= self.len);
        Span { ptr: self.ptr().byte_add(at * size_of::<T>()), dtype: T::DTYPE, len }
    }

    /// `len` elements that lie `inc` apart, the lowest being the first of the array.
    pub fn strided(&self, len: usize, inc: isize) -> Strided {
        assert!(len == 0 || (len - 1) * inc.unsigned_abs() < self.len);
        Strided { base: self.ptr(), dtype: T::DTYPE, len, inc }
    }

    /// A matrix from element `at` on.
    pub fn matrix(&self, at: usize, rows: usize, cols: usize, ld: usize, layout: Layout) -> MatrixOperand {
        let (run, runs) = if layout == Layout::ColumnMajor { (rows, cols) } else { (cols, rows) };
        assert!(run == 0 || runs == 0 || at + (runs - 1) * ld + run <= self.len);
        MatrixOperand { ptr: self.ptr().byte_add(at * size_of::<T>()), dtype: T::DTYPE, rows, cols, ld, layout }
    }

    /// All elements as one column.
    pub fn column(&self) -> MatrixOperand {
        self.matrix(0, self.len, 1, self.len.max(1), Layout::ColumnMajor)
    }
}

impl<T: Element> Drop for Array<T> {
    fn drop(&mut self) {
        let bytes = self.len * size_of::<T>();
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&(self.start as usize + GUARD));
        // SAFETY: the guards are inside the allocation.
        let guard = |at: usize| unsafe { std::slice::from_raw_parts(self.start.add(at), GUARD) };
        let intact = [0, GUARD + bytes].into_iter().all(|at| guard(at).iter().all(|&byte| byte == POISON));
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start, Self::layout(self.len)) };
        assert!(
            intact || std::thread::panicking(),
            "a kernel has written beside an array of {} {}",
            self.len,
            T::DTYPE
        );
    }
}

/// A device on the host, of one warp size.
#[derive(Clone, Debug)]
pub struct Host {
    pub warp: u32,
    /// Texts by file name, before those in `device/`.
    texts: HashMap<&'static str, &'static str>,
    check: bool,
}

impl Host {
    pub fn new(warp: u32) -> Self {
        let check = std::env::var("WARPWAVE_CHECK").as_deref() != Ok("0");
        Host { warp, texts: HashMap::new(), check }
    }

    /// One of each warp size.
    pub fn both() -> [Host; 2] {
        [Host::new(32), Host::new(64)]
    }

    /// With a text that stands in for `device/FILE.hip`.
    pub fn with_text(mut self, file: &'static str, text: &'static str) -> Self {
        self.texts.insert(file, text);
        self
    }

    /// Instrumented or not.
    pub fn checked(mut self, check: bool) -> Self {
        self.check = check;
        self
    }

    /// A small device: grids of several strides come with few elements.
    pub fn properties(&self) -> Properties {
        Properties::new(self.warp, 4, 1024, 48 << 10)
    }

    /// Runs the steps of a plan in their order.
    pub fn run(&self, plan: &Plan, seed: u64) -> Result<()> {
        // SAFETY: the plan's; what is beside live arrays is caught by the instrumentation.
        unsafe { run(plan, &mut Running { host: self, scratch: None, seed }) }
    }

    /// The module of a file.
    pub fn module(&self, file: &'static str) -> Result<Arc<HostModule>> {
        let text = match self.texts.get(file) {
            Some(text) => (*text).to_owned(),
            None => {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("device").join(format!("{file}.hip"));
                std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
            }
        };
        compile(file, &text, Options { warp: self.warp, check: self.check })
    }
}

/// Compiles a text, or takes what came of it before.
pub fn compile(file: &str, text: &str, options: Options) -> Result<Arc<HostModule>> {
    static COMPILER: LazyLock<Result<Compiler>> = LazyLock::new(Compiler::find);
    static LOADED: Mutex<BTreeMap<PathBuf, Arc<HostModule>>> = Mutex::new(BTreeMap::new());
    let compiler = COMPILER.clone()?;
    let mut hasher = DefaultHasher::new();
    (compiler.key(options), HOST, PRELUDE, text).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host-modules");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{file}-{}-{:016x}.so", options.warp, hasher.finish()));
    // Held meanwhile: two threads do not compile the same.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = loaded.get(&path) {
        return Ok(module.clone());
    }
    if !path.exists() {
        let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
        compiler.compile(KernelSource::new(&format!("{file}.hip"), text), options, &unfinished)?;
        std::fs::rename(&unfinished, &path).unwrap();
    }
    // SAFETY: compiled here, from a text of this repository.
    let module = Arc::new(unsafe { HostModule::load(&path) }?);
    loaded.insert(path, module.clone());
    Ok(module)
}

/// A run of a plan.
struct Running<'a> {
    host: &'a Host,
    scratch: Option<Array<u8>>,
    /// Of the next launch.
    seed: u64,
}

impl Launch for Running<'_> {
    type Kernel = HostKernel;

    fn properties(&self) -> Properties {
        self.host.properties()
    }

    fn kernel(&mut self, entry: Entry) -> Result<HostKernel> {
        self.host.module(entry.file)?.kernel(&entry.to_string())
    }

    fn parameters<'a>(&self, kernel: &'a HostKernel) -> Option<&'a [Parameter]> {
        Some(kernel.parameters())
    }

    fn max_threads(&self, kernel: &HostKernel) -> u32 {
        kernel.max_threads()
    }

    fn scratch(&mut self, bytes: usize) -> Result<Ptr> {
        Ok(self.scratch.insert(Array::poisoned(bytes)).ptr())
    }

    unsafe fn zero(&mut self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { ptr.as_ptr().write_bytes(0, bytes) };
        Ok(())
    }

    unsafe fn launch(&mut self, kernel: &HostKernel, grid: Grid, args: &[&[u8]]) -> Result<()> {
        let ranges = LIVE.lock().unwrap().iter().map(|(&start, &end)| (start, end)).collect();
        let seed = self.host.check.then_some(self.seed);
        self.seed = self.seed.wrapping_add(1);
        let launch = HostLaunch::new(kernel, grid, args.iter().copied(), seed, ranges)?;
        // SAFETY: the caller's.
        unsafe { launch.run(NonZeroUsize::new(2).unwrap()) }
    }

    unsafe fn fault(&mut self, _: Ptr) -> Result<()> {
        Ok(())
    }
}

/// What a fault says; panics if it is anything else.
pub fn fault(result: Result<()>) -> String {
    match result {
        Err(error) => match error.kind() {
            ErrorKind::DeviceFault { what } => what.clone(),
            _ => panic!("{error}"),
        },
        Ok(()) => panic!("no fault was found"),
    }
}
