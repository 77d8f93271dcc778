//! Recording a graph, and what comes of it.

use super::block::Block;
use super::deferred::Dropped;
use super::footprint::Footprint;
use super::stream::StreamCore;
use super::submit::Access;
use super::tracker::{StreamId, Ticket};
use super::{Shared, pool};
use crate::backend::{Backend, Node, Space};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::sync::{Arc, Mutex};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A graph that is being recorded. Handles of its stream may outlive that, and do nothing then.
pub(crate) struct Recording<B: Backend> {
    number: u64,
    shared: Arc<Shared<B>>,
    /// `None` once the recording has ended.
    program: Mutex<Option<Program<B>>>,
}

/// What was recorded.
struct Program<B: Backend> {
    nodes: Vec<Node>,
    calls: Vec<Call>,
    footprint: Footprint<B>,
}

/// A call that was recorded.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant)] // Both are operations in the end.
enum Call {
    /// Became the node of this index.
    Node(usize),
    /// Has no elements, so there is nothing to do for it; it has arguments all the same.
    Empty(Operation),
    /// A copy of no elements, or a launch of no blocks.
    EmptyCopy,
}

/// Tells recordings apart. The standard library's: no test decides anything by it.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

impl<B: Backend> Recording<B> {
    pub(crate) fn begin(shared: &Arc<Shared<B>>) -> Self {
        let program = Program { nodes: Vec::new(), calls: Vec::new(), footprint: Footprint::new(shared) };
        Recording {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            shared: shared.clone(),
            program: Mutex::new(Some(program)),
        }
    }

    fn program<R>(&self, body: impl FnOnce(&mut Program<B>) -> R) -> Result<R> {
        let ended = || {
            let got = "the stream of a recorder whose recording has ended";
            Error::invalid("self", "a recorder inside its recording", got)
        };
        self.program.lock().as_mut().map(body).ok_or_else(ended)
    }

    /// Memory for temporary use in the graph: some whose last use was recorded, if there is any of the size.
    pub(crate) fn allocate(
        &self,
        space: Space,
        bytes: usize,
        fresh: impl FnOnce() -> Result<Arc<Block>>,
    ) -> Result<Arc<Block>> {
        self.shared.enter()?;
        let reusable = pool::class(bytes).filter(|_| bytes > 0);
        let reused = self.program(|p| reusable.and_then(|class| p.footprint.reuse_temporary(space, class)))?;
        if let Some(block) = reused {
            return Ok(block);
        }
        let block = fresh()?;
        match self.program(|program| program.footprint.keep_temporary(&block)) {
            Ok(()) => Ok(block),
            Err(error) => {
                // Another thread has ended the recording meanwhile.
                if let Some(shelf) = block.shelf() {
                    self.shared.give_back(block, &shelf);
                }
                Err(error)
            }
        }
    }

    /// Keeps an operation that has been checked; one without elements is not made a node.
    pub(crate) fn operation(&self, operation: Operation, accesses: &[Access<'_>]) -> Result<()> {
        self.program(|program| match operation.is_empty() {
            true => program.calls.push(Call::Empty(operation)),
            false => program.push(Node::Operation(operation), accesses),
        })
    }

    /// Keeps a launch that has been checked; `None` is one without blocks.
    pub(crate) fn launch(&self, launch: Option<Node>, accesses: &[Access<'_>]) -> Result<()> {
        self.copy(launch, accesses)
    }

    /// Keeps a copy that has been checked; `None` is one without elements.
    pub(crate) fn copy(&self, copy: Option<Node>, accesses: &[Access<'_>]) -> Result<()> {
        self.program(|program| match copy {
            None => program.calls.push(Call::EmptyCopy),
            Some(node) => program.push(node, accesses),
        })
    }

    /// The recording's number, and that of its last call.
    pub(crate) fn last(&self) -> Option<(u64, usize)> {
        let last = self.program(|program| program.calls.len().checked_sub(1)).ok()??;
        Some((self.number, last))
    }

    /// Ends the recording when it is dropped, however its closure comes to an end: handles that outlive it are refused, and what was
    /// recorded keeps no memory.
    pub(crate) fn until_dropped(&self) -> UnderWay<'_, B> {
        UnderWay(self)
    }

    /// Ends the recording, and makes a graph of it.
    ///
    /// # Errors
    /// Those of the backend.
    pub(crate) fn finish(&self) -> Result<Executable<B>> {
        let program = self.program.lock().take();
        let Some(Program { nodes, calls, mut footprint }) = program else {
            return Err(Error::invalid("self", "a recording under way", "one that has ended"));
        };
        footprint.close();
        let shared = self.shared.clone();
        let raw = match nodes.is_empty() {
            true => None,
            false => Some(shared.retry_out_of_memory(|| shared.backend.instantiate(&nodes))?),
        };
        Ok(Executable { shared, number: self.number, nodes, calls, changed: Vec::new(), raw, last: None, footprint })
    }
}

/// See [`Recording::until_dropped`].
#[must_use]
pub(crate) struct UnderWay<'a, B: Backend>(&'a Recording<B>);

impl<B: Backend> Drop for UnderWay<'_, B> {
    fn drop(&mut self) {
        let program = self.0.program.lock().take();
        // Outside of the lock: it gives blocks back.
        drop(program);
    }
}

impl<B: Backend> fmt::Debug for Recording<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recording({})", self.number)
    }
}

impl<B: Backend> Program<B> {
    fn push(&mut self, node: Node, accesses: &[Access<'_>]) {
        self.calls.push(Call::Node(self.nodes.len()));
        self.nodes.push(node);
        self.footprint.add(accesses);
    }
}

/// A graph of the backend, with what the runtime has to know to launch it.
#[doc(hidden)]
pub struct Executable<B: Backend> {
    pub(crate) shared: Arc<Shared<B>>,
    pub(crate) number: u64,
    nodes: Vec<Node>,
    calls: Vec<Call>,
    /// Nodes whose scalars the backend does not know yet; ascending.
    changed: Vec<usize>,
    /// `None` without nodes.
    raw: Option<B::Graph>,
    /// The last launch that may be pending. Launches write the same memory, so each comes after those before it.
    last: Option<(StreamId, Ticket)>,
    footprint: Footprint<B>,
}

impl<B: Backend> Executable<B> {
    /// Pieces of work.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Changes the operation of a call that was recorded, if `change` can: later launches do that. `None` if there is no such call;
    /// of a copy there is nothing to change.
    pub(crate) fn change<R>(
        &mut self,
        call: usize,
        change: impl FnOnce(Option<&mut Operation>) -> Result<R>,
    ) -> Option<Result<R>> {
        let index = match self.calls.get_mut(call)? {
            Call::Empty(operation) => return Some(change(Some(operation))),
            Call::EmptyCopy => return Some(change(None)),
            Call::Node(index) => *index,
        };
        let Some(Node::Operation(operation)) = self.nodes.get_mut(index) else { return Some(change(None)) };
        let result = change(Some(operation));
        if result.is_ok()
            && let Err(at) = self.changed.binary_search(&index)
        {
            self.changed.insert(at, index);
        }
        Some(result)
    }

    /// Launches it on `stream`, whose raw stream is `raw`.
    ///
    /// # Errors
    /// Those of [`Inner::launch`](super::Inner::launch), and those of [`Backend::update`]: the changes are tried again by the next launch.
    pub(crate) fn launch(&mut self, stream: &StreamCore<B>, raw: &B::Stream) -> Result<()> {
        let Executable { shared, nodes, changed, raw: Some(graph), last, footprint, .. } = self else { return Ok(()) };
        if !changed.is_empty() {
            shared.retry_out_of_memory(|| shared.backend.update(graph, nodes, changed))?;
            changed.clear();
        }
        if let Some((other, ticket)) = *last
            && !footprint.writes()
        {
            // Launches that write come one after the other because of that. What writes nothing, as a histogram without counters does, is
            // launched in order all the same: the backend counts on it.
            shared.enter()?;
            shared.wait_for_launch(stream, raw, other, ticket)?;
        }
        let mut reached = false;
        let result = shared.launch(stream, raw, &footprint.accesses(), |backend| {
            reached = true;
            // SAFETY: the typed methods that made the graph's operations have checked them; their operands lie in blocks that the graph
            // keeps. `Inner::launch` has ordered this stream after conflicting work, nobody else touches them until later work can be
            // ordered after this, and the pool reuses the blocks only when the stream has passed it.
            unsafe { backend.launch_graph(raw, graph) }
        });
        // One that was refused before that has ordered nothing: the launch before it may be pending all the same.
        if reached && !stream.inline {
            *last = Some((stream.id, stream.tail()));
        }
        result
    }
}

impl<B: Backend> Drop for Executable<B> {
    fn drop(&mut self) {
        if let Some(raw) = self.raw.take() {
            self.shared.deferred.push(Dropped::Graph(raw, self.last));
        }
    }
}

impl<B: Backend> fmt::Debug for Executable<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Executable({}, {} nodes)", self.number, self.nodes.len())
    }
}
