//! Graphs: a list of work that is enqueued as one piece.

use crate::buffer::Block;
use crate::context::{Context, Entered, Handle, lock};
use crate::launch::{Memory, Target, Workspace};
use crate::module::{CudaModule, UserImage};
use crate::stream::Queue;
use cudarc::driver::sys::{CUgraph_st, CUgraphExec_st, CUstreamCaptureMode};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};
use warpwave_core::operation::Ptr;
use warpwave_core::{ErrorKind, Node, Result};
use warpwave_kernels::launch::Launch as _;

/// A list of work, made into one piece. See [`Backend::Graph`](warpwave_core::Backend::Graph).
#[derive(Debug)]
pub struct CudaGraph {
    exec: Handle<CUgraphExec_st>,
    work: Mutex<Workspace>,
    note: Block,
    /// The images of users' kernels in it.
    images: Vec<Arc<UserImage>>,
}

/// A captured list.
struct Captured<'a> {
    context: &'a Context,
    raw: Handle<CUgraph_st>,
}

impl Drop for Captured<'_> {
    fn drop(&mut self) {
        if !self.raw.0.is_null() {
            // SAFETY: made by a capture, and destroyed once; what was instantiated of it is by itself.
            unsafe { (self.context.driver.cuGraphDestroy)(self.raw.0) };
        }
    }
}

/// Memory for a graph: as for streams, but for the note, which is in the device's memory.
#[derive(Debug)]
struct GraphMemory<'a> {
    of_streams: &'a dyn Memory,
    note: Ptr,
}

impl Memory for GraphMemory<'_> {
    fn block(&self, entered: &Entered, bytes: usize) -> Result<Block> {
        self.of_streams.block(entered, bytes)
    }

    fn note(&self, _entered: &Entered) -> Result<Ptr> {
        Ok(self.note)
    }
}

impl CudaGraph {
    /// Makes a graph of a list. `stream` is one on which nothing else is enqueued meanwhile.
    pub(crate) fn new(
        context: &'static Context,
        entered: &Entered,
        memory: &dyn Memory,
        stream: &Queue,
        nodes: &[Node],
    ) -> Result<Self> {
        let note = memory.block(entered, 256)?;
        let mut work = Workspace::default();
        let made =
            capture(context, entered, &GraphMemory { of_streams: memory, note: note.ptr }, stream, &mut work, nodes)
                .and_then(|captured| instantiate(context, entered, &captured));
        match made {
            Ok(exec) => Ok(CudaGraph { exec, work: Mutex::new(work), note, images: images(nodes) }),
            Err(error) => {
                // Nothing has run.
                work.give_up(context);
                context.spare.keep(note);
                Err(error)
            }
        }
    }

    /// Has later launches do another list.
    pub(crate) fn update(
        &mut self,
        context: &'static Context,
        entered: &Entered,
        memory: &dyn Memory,
        stream: &Queue,
        nodes: &[Node],
    ) -> Result<()> {
        let memory = GraphMemory { of_streams: memory, note: self.note.ptr };
        let captured = capture(context, entered, &memory, stream, &mut lock(&self.work), nodes)?;
        let mut result = MaybeUninit::uninit();
        // SAFETY: both are graphs of this context; what the driver says of the difference is not looked at.
        let status = unsafe { (context.driver.cuGraphExecUpdate_v2)(self.exec.0, captured.raw.0, result.as_mut_ptr()) };
        if status == 0 {
            return Ok(());
        }
        // Other scalars can be other kernels: then it is another graph.
        let exec = instantiate(context, entered, &captured)?;
        // SAFETY: replaced; launches of it go on (CUDA Driver API, `cuGraphExecDestroy`).
        unsafe { (context.driver.cuGraphExecDestroy)(self.exec.0) };
        self.exec = exec;
        Ok(())
    }

    /// Enqueues the work.
    ///
    /// # Safety
    /// As for [`Backend::launch_graph`](warpwave_core::Backend::launch_graph).
    pub(crate) unsafe fn launch(&self, target: &mut Target<'_>) -> Result<()> {
        let context = target.context;
        let may_fault = lock(&self.work).note.is_some();
        if may_fault {
            target.prepare_fault()?;
        }
        // SAFETY: the caller's.
        context.check("cuGraphLaunch", unsafe { (context.driver.cuGraphLaunch)(self.exec.0, target.stream.0) })?;
        target.enqueued = true;
        if may_fault {
            // SAFETY: the graph's note is there as long as the graph, which outlives its launches.
            unsafe { target.fault(self.note.ptr) }?;
        }
        Ok(())
    }

    /// Releases it; its launches have ended.
    pub(crate) fn destroy(self, context: &Context, _entered: &Entered) {
        let _disturbs = context.disturb();
        // SAFETY: destroyed once, and no launch is pending.
        unsafe { (context.driver.cuGraphExecDestroy)(self.exec.0) };
        lock(&self.work).give_up(context);
        context.spare.keep(self.note);
        drop(self.images);
    }
}

/// What a list does, as the driver's graph.
fn capture<'a>(
    context: &'static Context,
    entered: &Entered,
    memory: &dyn Memory,
    stream: &Queue,
    work: &mut Workspace,
    nodes: &[Node],
) -> Result<Captured<'a>> {
    // Who looks whether a stream's work has ended waits, as a stream that is captured must not be asked.
    let _own = lock(&stream.work);
    let mut target = Target { context, entered, stream: stream.raw, work, memory, enqueued: false };
    for node in nodes {
        if let Node::Operation(operation) = node {
            target.prepare(operation)?;
        }
    }
    target.move_blas()?;
    // From here on nothing is allocated or loaded, and no code of a user's runs.
    let _quiet = context.quiet();
    let mut attempts = 0;
    loop {
        let result = attempt(&mut target, nodes);
        match &result {
            // Another library in this process has done what a capture does not bear; it will not do so all the time.
            Err(error) if attempts < 100 && matches!(error.kind(), ErrorKind::Driver { code: 900..=907, .. }) => {
                attempts += 1
            }
            _ => return result,
        }
        std::thread::yield_now();
    }
}

/// Captures a list, if nothing comes in between.
fn attempt<'a>(target: &mut Target<'_>, nodes: &[Node]) -> Result<Captured<'a>> {
    let (context, driver, raw) = (target.context, target.context.driver, target.stream);
    // SAFETY: a stream that nobody else enqueues on.
    let status =
        unsafe { (driver.cuStreamBeginCapture_v2)(raw.0, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) };
    context.check("cuStreamBeginCapture", status)?;
    let note = target.work.note;
    // SAFETY: the graph's own word.
    let enqueued = note.map_or(Ok(()), |note| unsafe { target.zero(note, 4) });
    let enqueued = enqueued.and_then(|()| {
        nodes.iter().try_for_each(|node| {
            // SAFETY: nothing is executed now; whoever launches the graph answers for it.
            unsafe { target.node(node) }
        })
    });
    let mut graph = null_mut();
    // SAFETY: capturing since above; also after an error, which ends it.
    let status = unsafe { (driver.cuStreamEndCapture)(raw.0, &raw mut graph) };
    let captured = Captured { context, raw: Handle(graph) };
    // What came in between comes first: the calls that it made fail are no reason.
    if (900..=907).contains(&status) {
        context.check("cuStreamEndCapture", status)?;
    }
    enqueued?;
    context.check("cuStreamEndCapture", status)?;
    Ok(captured)
}

/// The images of users' kernels in a list.
fn images(nodes: &[Node]) -> Vec<Arc<UserImage>> {
    let modules = nodes.iter().filter_map(|node| match node {
        Node::Launch(launch) => launch.module::<CudaModule>(),
        _ => None,
    });
    let mut images: Vec<Arc<UserImage>> = Vec::new();
    for image in modules.map(CudaModule::image) {
        if !images.iter().any(|known| Arc::ptr_eq(known, &image)) {
            images.push(image);
        }
    }
    images
}

fn instantiate(context: &Context, _entered: &Entered, captured: &Captured<'_>) -> Result<Handle<CUgraphExec_st>> {
    let mut exec = null_mut();
    // SAFETY: the handle is there to be written, and the graph is there.
    let status = unsafe { (context.driver.cuGraphInstantiateWithFlags)(&raw mut exec, captured.raw.0, 0) };
    context.check("cuGraphInstantiate", status)?;
    Ok(Handle(exec))
}
