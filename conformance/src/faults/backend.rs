//! The backend with a fault.

use super::Fault;
use super::alter::alter;
use super::contraction::{Factors, fusable, fused_difference, keep_factors};
use super::elements::{Elements, Input};
use super::graph::{FaultyGraph, Reused, order};
use super::rework::Rework;
use super::{large, texts};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warpwave_core::operation::{Ptr, Source, Span};
use warpwave_core::{
    Backend, BinaryOp, CompiledModule, DType, DeviceInfo, ErrorKind, HostFn, KernelSource, Launch, Node, Operation,
    OperationKind, Result, Space, Transfer,
};

/// A backend that delegates to `B`, and has at most one fault.
#[derive(Debug)]
pub struct Faulty<B: Backend> {
    inner: B,
    fault: Option<Fault>,
    /// An allocation has failed.
    exhausted: AtomicBool,
    /// What the latest operation wrote, as it was before.
    stale: Arc<Mutex<Option<Stale>>>,
    /// The latest operation, if it was a product of floats.
    product: Mutex<Option<(Span, Factors)>>,
    /// Memory that graphs use.
    reused: Mutex<Reused>,
}

/// The bytes from an address on, as they were.
#[derive(Debug)]
struct Stale {
    address: usize,
    bytes: Vec<u8>,
}

impl<B: Backend> Faulty<B> {
    /// `inner` with a fault, or without.
    ///
    /// # Safety
    /// The memory of `inner` is memory of this process, as on the CPU: the host can follow a [`Ptr`] of it.
    ///
    /// And whoever uses the result answers for the promises of [`Backend`] that the fault breaks:
    /// - [`Fault::MissingWait`]: work of two streams on the same memory may race, and memory that a stream has given back
    ///   may be handed out while that stream is still at work on it;
    /// - [`Fault::EarlyEvent`]: memory may be handed out again, and freed, before the work on it has ended;
    /// - [`Fault::GuardOverrun`] and [`Fault::OddByteFill`]: an operation writes behind its output, one element and up to
    ///   three bytes. That is inside the allocation, but over what another view of it holds, and it may race with work on
    ///   that view;
    /// - [`Fault::PaddingWritten`], [`Fault::FillOverPadding`] and [`Fault::PitchIgnored`]: what lies between the runs of a
    ///   result is written, and with [`Fault::LdIgnored`] what lies between those of an operand is read. That is inside the range of the view;
    /// - [`Fault::UnorderedLaunch`] and [`Fault::UnorderedPeerCopy`]: as with a missing wait, what is enqueued may race with
    ///   earlier work on other streams and on its own;
    /// - [`Fault::GraphMemoryReused`]: two buffers may be one piece of memory, so that work on one races with work on the
    ///   other unless one stream does both;
    /// - the faults in the texts of kernels: threads of a block race, and [`Fault::SmallDynamicShared`] reads behind shared memory.
    ///
    /// All others give wrong results or errors, or leave work out, and touch nothing that they were not given.
    pub unsafe fn new(inner: B, fault: Option<Fault>) -> Self {
        Faulty {
            inner,
            fault,
            exhausted: AtomicBool::new(false),
            stale: Arc::default(),
            product: Mutex::default(),
            reused: Mutex::default(),
        }
    }

    /// The fault.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The error of [`Fault::OutOfMemoryPoisons`], once memory has been exhausted.
    fn refuse_if_poisoned(&self, api: &str) -> Result<()> {
        if self.has(Fault::OutOfMemoryPoisons) && self.exhausted.load(Ordering::Relaxed) {
            let name = "an earlier allocation failed".to_owned();
            return Err(ErrorKind::Driver { api: api.to_owned(), code: 2, name }.into());
        }
        Ok(())
    }

    /// Runs `work` on a stream that has waited for nothing, to its end.
    fn on_its_own(&self, work: impl FnOnce(&B::Stream) -> Result<()>) -> Result<()> {
        let stream = self.inner.create_stream()?;
        let result = work(&stream).and_then(|()| self.inner.synchronize(&stream));
        self.inner.destroy_stream(stream)?;
        result
    }

    /// What a call that synchronizes returns.
    fn report(&self, result: Result<()>) -> Result<()> {
        match result {
            Err(error) if self.has(Fault::SwallowedIndex) && matches!(error.kind(), ErrorKind::DeviceFault { .. }) => {
                Ok(())
            }
            result => result,
        }
    }

    /// # Safety
    /// As for [`Backend::execute`].
    unsafe fn execute_with(&self, stream: &B::Stream, operation: &Operation, fault: Fault) -> Result<()> {
        // SAFETY: host functions run in the order of the stream, next to the operation, when its operands are still
        // there; `new`'s caller vouches that the host reaches them.
        let rework = unsafe {
            match fault {
                Fault::Contraction => self.contraction(operation),
                Fault::StaleDownload => self.keep_stale(operation),
                fault => Rework::of(fault, operation),
            }
        };
        if let Some(before) = rework.before {
            self.inner.host_fn(stream, before)?;
        }
        if !rework.instead {
            // SAFETY: the caller's. What `alter` names beyond the operation's own memory is inside its allocation, and
            // `new`'s caller answers for it.
            unsafe { self.inner.execute(stream, &alter(fault, operation))? };
        }
        match rework.after {
            Some(after) => self.inner.host_fn(stream, after),
            None => Ok(()),
        }
    }

    /// # Safety
    /// As for [`Rework::of`].
    unsafe fn contraction(&self, operation: &Operation) -> Rework {
        let product = lock(&self.product).take();
        // SAFETY: the caller's.
        unsafe {
            match *operation {
                Operation::Binary { op: BinaryOp::Mul, a, b, out } if fusable(out.dtype) => {
                    let factors = Factors::default();
                    *lock(&self.product) = Some((out, factors.clone()));
                    let before = keep_factors(Input::of(a), Input::of(b), out, factors);
                    Rework { before: Some(before), ..Rework::default() }
                }
                Operation::Binary { op: BinaryOp::Sub, a: Source::Span(a), b, out } => match product {
                    Some((span, factors)) if span == a => fused_difference(factors, Input::of(b), Elements::span(out)),
                    _ => Rework::default(),
                },
                _ => Rework::default(),
            }
        }
    }

    /// # Safety
    /// As for [`Rework::of`].
    unsafe fn keep_stale(&self, operation: &Operation) -> Rework {
        let out = match *operation {
            Operation::Unary { out, .. } | Operation::Binary { out, .. } | Operation::Cast { out, .. } => out,
            _ => {
                *lock(&self.stale) = None;
                return Rework::default();
            }
        };
        let stale = self.stale.clone();
        let keep: HostFn = Box::new(move || {
            let bytes = out.len * out.dtype.size();
            // SAFETY: the operation's output, which is initialised, as all memory of a backend is; `execute_with` says
            // why it is there.
            let bytes = unsafe { std::slice::from_raw_parts(out.ptr.as_ptr().cast_const(), bytes) }.to_vec();
            *lock(&stale) = Some(Stale { address: out.ptr.addr(), bytes });
        });
        Rework { before: Some(keep), ..Rework::default() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: without a fault every call is passed on to a backend that keeps its promises. With one, a promise is broken
// on purpose; `new` says which of them concern the safety of memory, and who answers for that.
unsafe impl<B: Backend> Backend for Faulty<B> {
    type Stream = B::Stream;
    type Event = B::Event;
    type Graph = FaultyGraph<B>;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        B::enumerate()
    }

    /// Opens a device without a fault.
    fn open(index: usize) -> Result<Self> {
        let inner = B::open(index)?;
        // SAFETY: without a fault the host follows no pointer, and nothing is broken.
        Ok(unsafe { Faulty::new(inner, None) })
    }

    fn info(&self) -> DeviceInfo {
        self.inner.info()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        self.has(Fault::SwallowedError) || self.inner.supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        if self.has(Fault::GraphMemoryReused)
            && let Some(again) = lock(&self.reused).again(bytes)
        {
            return Ok(again);
        }
        let result = self.inner.allocate(space, bytes);
        match &result {
            Ok(ptr) => lock(&self.reused).allocated(*ptr, bytes),
            Err(_) => self.exhausted.store(true, Ordering::Relaxed),
        }
        result
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        if !lock(&self.reused).freed(ptr) {
            return Ok(());
        }
        // SAFETY: the caller's; what was handed out twice has been given back twice.
        unsafe { self.inner.free(space, ptr, bytes) }
    }

    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.inner.register(ptr, bytes) }
    }

    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.inner.unregister(ptr, bytes) }
    }

    fn trim(&self) -> Result<usize> {
        self.inner.trim()
    }

    fn create_stream(&self) -> Result<B::Stream> {
        self.inner.create_stream()
    }

    fn destroy_stream(&self, stream: B::Stream) -> Result<()> {
        self.inner.destroy_stream(stream)
    }

    fn is_inline(&self, stream: &B::Stream) -> bool {
        self.inner.is_inline(stream)
    }

    fn synchronize(&self, stream: &B::Stream) -> Result<()> {
        self.report(self.inner.synchronize(stream))
    }

    fn record(&self, stream: &B::Stream) -> Result<B::Event> {
        self.inner.record(stream)
    }

    fn wait(&self, stream: &B::Stream, event: &B::Event) -> Result<()> {
        if self.has(Fault::MissingWait) { Ok(()) } else { self.inner.wait(stream, event) }
    }

    fn query(&self, event: &B::Event) -> Result<bool> {
        if self.has(Fault::EarlyEvent) { Ok(true) } else { self.inner.query(event) }
    }

    fn synchronize_event(&self, event: &B::Event) -> Result<()> {
        self.inner.synchronize_event(event)
    }

    fn elapsed(&self, start: &B::Event, end: &B::Event) -> Result<Duration> {
        self.inner.elapsed(start, end)
    }

    fn destroy_event(&self, event: B::Event) {
        self.inner.destroy_event(event);
    }

    unsafe fn execute(&self, stream: &B::Stream, operation: &Operation) -> Result<()> {
        let Some(fault) = self.fault else {
            // SAFETY: the caller's.
            return unsafe { self.inner.execute(stream, operation) };
        };
        self.refuse_if_poisoned("execute")?;
        if fault == Fault::SwallowedError && !self.inner.supports(operation.kind(), operation.dtype()) {
            return Ok(());
        }
        // SAFETY: the caller's.
        unsafe { self.execute_with(stream, operation, fault) }
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        let altered = self.fault.and_then(|fault| texts::altered(fault, source.text));
        // Images are of the text as it was.
        let source = altered.as_deref().map_or(source, |text| KernelSource::new(source.name, text));
        self.inner.compile(source)
    }

    unsafe fn launch(&self, stream: &B::Stream, launch: &Launch) -> Result<()> {
        self.refuse_if_poisoned("launch")?;
        // SAFETY: the caller's.
        unsafe { self.inner.launch(stream, launch) }
    }

    unsafe fn copy(&self, stream: &B::Stream, transfer: &Transfer) -> Result<()> {
        self.refuse_if_poisoned("copy")?;
        let mut transfer = *transfer;
        if self.has(Fault::PitchIgnored) {
            transfer.dst_pitch = transfer.row_bytes;
        }
        if self.has(Fault::LargeCopyCut) {
            transfer.rows = large::rows_copied(transfer.row_bytes, transfer.rows);
        }
        // SAFETY: the caller's, for all rows or some. Without gaps the rows end before those that they replace, and lie where
        // gaps were, which `new`'s caller answers for.
        unsafe { self.inner.copy(stream, &transfer) }
    }

    unsafe fn upload(&self, stream: &B::Stream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        self.refuse_if_poisoned("upload")?;
        let kept = if self.has(Fault::PartialUpload) && bytes > 16 { bytes - bytes % 16 } else { bytes };
        // SAFETY: the caller's; a part of what may be copied.
        unsafe { self.inner.upload(stream, src, dst, kept) }
    }

    unsafe fn download(&self, stream: &B::Stream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        let result = self.report(unsafe { self.inner.download(stream, src, dst, bytes) });
        // The stream has passed the operation that the bytes were kept for.
        if let Some(Stale { address, bytes: old }) = &*lock(&self.stale) {
            let (start, end) = ((*address).max(src.addr()), (address + old.len()).min(src.addr() + bytes));
            if start < end {
                let old = &old[start - address..end - address];
                // SAFETY: `start..end` lies inside the source, so the same part of the destination is writable.
                unsafe { dst.add(start - src.addr()).copy_from_nonoverlapping(old.as_ptr(), old.len()) };
            }
        }
        result
    }

    fn enqueued(&self, stream: &B::Stream) -> Result<()> {
        self.inner.enqueued(stream)
    }

    fn host_fn(&self, stream: &B::Stream, function: HostFn) -> Result<()> {
        if self.has(Fault::SwallowedHostFn) { Ok(()) } else { self.inner.host_fn(stream, function) }
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<FaultyGraph<B>> {
        lock(&self.reused).instantiated(nodes);
        let order = order(self.fault, nodes.len());
        let nodes: Vec<Node> = order.iter().map(|&at| nodes[at].clone()).collect();
        Ok(FaultyGraph::new(self.inner.instantiate(&nodes)?, order))
    }

    fn update(&self, graph: &mut FaultyGraph<B>, nodes: &[Node], changed: &[usize]) -> Result<()> {
        if self.has(Fault::StaleGraphScalars) {
            return Ok(());
        }
        let (nodes, changed) = graph.of_inner(nodes, changed);
        self.inner.update(&mut graph.inner, &nodes, &changed)
    }

    unsafe fn launch_graph(&self, stream: &B::Stream, graph: &FaultyGraph<B>) -> Result<()> {
        self.refuse_if_poisoned("launch_graph")?;
        let launch = |stream: &B::Stream| {
            // SAFETY: the caller's, but for the order of the stream, which `new`'s caller answers for.
            unsafe { self.inner.launch_graph(stream, &graph.inner) }
        };
        if self.has(Fault::UnorderedLaunch) { self.on_its_own(launch) } else { launch(stream) }
    }

    fn destroy_graph(&self, graph: FaultyGraph<B>) {
        self.inner.destroy_graph(graph.inner);
    }

    fn is_peer(&self, other: &Self) -> bool {
        self.inner.is_peer(&other.inner)
    }

    unsafe fn copy_peer(&self, stream: &B::Stream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        let kept = if self.has(Fault::PartialPeerCopy) { bytes - bytes % 4 } else { bytes };
        if kept == 0 {
            return Ok(());
        }
        let copy = |stream: &B::Stream| {
            // SAFETY: the caller's, for a part of what may be copied, but for the order of the stream, which `new`'s caller answers for.
            unsafe { self.inner.copy_peer(stream, &source.inner, src, dst, kept) }
        };
        if self.has(Fault::UnorderedPeerCopy) { self.on_its_own(copy) } else { copy(stream) }
    }
}
