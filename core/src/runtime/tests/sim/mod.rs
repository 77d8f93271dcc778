//! A simulated device: a backend that does what drivers do at their worst, and logs what no driver would forgive.
//!
//! Streams run late and out of order; the order in which steps are *known* to happen is tracked with vector clocks, so that a
//! missing wait is found whatever the schedule. Calls from host functions, uses of released things, early frees and deadlocks are
//! violations; so is everything that is left when the device has been closed.

mod graph;
mod memory;
mod schedule;
mod world;

pub(crate) use world::{Inline, Options, Order, Refusals, World};

use crate::backend::{Backend, HostFn, Node, Space, Transfer};
use crate::element::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::info::DeviceInfo;
use crate::operation::{Operation, OperationKind, Ptr};
use crate::sync::Arc;
use graph::{GraphState, SimGraph, Step, of_copy, of_nodes, of_operation, touch};
use schedule::Work;
use std::time::Duration;
use world::{State, Target};

#[derive(Debug)]
pub(crate) struct SimStream(usize);

#[derive(Debug)]
pub(crate) struct SimEvent(usize);

/// The backend. The world it works on outlives it. The number is that of the physical device.
pub(crate) struct Sim(pub(crate) Arc<World>, usize);

impl Sim {
    pub(crate) fn open(world: &Arc<World>) -> Sim {
        Sim::open_card(world, 0)
    }

    /// One of several physical devices. All of a world are peers.
    pub(crate) fn open_card(world: &Arc<World>, card: usize) -> Sim {
        world.device_opened();
        Sim(world.clone(), card)
    }
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sim")
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        self.0.device_closed();
    }
}

fn refused(call: &str) -> Error {
    ErrorKind::Driver { api: call.into(), code: 1, name: "simulated refusal".into() }.into()
}

/// Whether one of the next calls of a kind is to be refused; counts it.
fn refuses(left: &mut u32) -> bool {
    let refuses = *left > 0;
    *left -= u32::from(refuses);
    refuses
}

impl Sim {
    /// What every call does first.
    fn call(&self, name: &str) -> Result<()> {
        if self.0.refuses_call(name) {
            return Err(refused(name));
        }
        if self.0.lock().refuse.lost {
            return Err(ErrorKind::DeviceLost { what: "simulated".into() }.into());
        }
        self.0.dawdle();
        Ok(())
    }

    fn check_stream(&self, state: &State, stream: &SimStream, name: &str) {
        if state.streams[stream.0].destroyed {
            self.0.violation(format!("{name} on a destroyed stream"));
        }
    }

    fn check_event(&self, state: &State, event: &SimEvent, name: &str) {
        if !state.events[event.0].alive {
            self.0.violation(format!("{name} of a destroyed event"));
        }
    }

    fn check_graph(&self, state: &State, graph: &SimGraph, name: &str) {
        if !state.graphs[graph.0].alive {
            self.0.violation(format!("{name} of a destroyed graph"));
        }
    }

    /// Enqueues one step; with `ends`, waits for it.
    fn enqueue(&self, stream: &SimStream, step: Step, name: &str, ends: bool) -> Result<()> {
        self.enqueue_all(stream, vec![step], name, ends)
    }

    /// Enqueues steps as one piece; with `ends`, waits for them.
    fn enqueue_all(&self, stream: &SimStream, steps: Vec<Step>, name: &str, ends: bool) -> Result<()> {
        self.call(name)?;
        let mut state = self.0.lock();
        self.check_stream(&state, stream, name);
        if refuses(&mut state.refuse.full) {
            return Err(refused(name));
        }
        // A function that is refused is never called, by the contract.
        let is_host_fn = steps.iter().any(|(work, _)| matches!(work, Work::Host { .. }));
        for (work, touches) in steps {
            if let Err(text) = state.push(stream.0, work, &touches) {
                self.0.violation(format!("{name}: {text}"));
            }
        }
        let late = !is_host_fn && refuses(&mut state.refuse.late);
        if ends || state.streams[stream.0].inline {
            state = self.finish(state, stream);
        }
        drop(self.0.tick(state));
        self.0.dawdle();
        if late { Err(refused(name)) } else { Ok(()) }
    }

    /// Waits for all that is enqueued on a stream.
    fn finish<'a>(
        &'a self,
        state: crate::sync::MutexGuard<'a, State>,
        stream: &SimStream,
    ) -> crate::sync::MutexGuard<'a, State> {
        let clock = state.streams[stream.0].clock.clone();
        let target = vec![(stream.0, state.streams[stream.0].enqueued)];
        let mut state = self.0.run_until(state, &target);
        state.observed.join(&clock);
        state
    }
}

// SAFETY: memory is allocated with the size and alignment asked for, written once before it is handed out, and deallocated only when
// the world ends; steps run in the order of their stream and after the events they wait for; each touches what its operands say,
// after a check that this lies in a live allocation; `upload` copies the source and `download` fills the destination before they return.
// An event has occurred when the step that it was recorded after has ended, which is what all waits of the host wait for too; those of
// inline streams end in the call. Nothing unwinds but a test that has failed.
unsafe impl Backend for Sim {
    type Stream = SimStream;
    type Event = SimEvent;
    type Graph = SimGraph;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        Ok(Vec::new())
    }

    fn open(index: usize) -> Result<Self> {
        Err(ErrorKind::NoDevice { device: format!("sim:{index}"), remedy: "make a world".into() }.into())
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            id: if self.1 == 0 { "sim".into() } else { format!("sim:{}", self.1) },
            uuid: Some(format!("sim-{}-{}", self.0.number, self.1)),
            ..DeviceInfo::default()
        }
    }

    fn supports(&self, kind: OperationKind, _: DType) -> bool {
        matches!(kind, OperationKind::Fill | OperationKind::Copy | OperationKind::Histogram)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        self.call("allocate")?;
        let mut state = self.0.lock();
        state.counts.allocates += 1;
        let limit = self.0.options.memory;
        let free = limit.saturating_sub(state.memory.live_bytes());
        state.allocate(space, bytes, limit).ok_or_else(|| ErrorKind::OutOfMemory { requested: bytes, free }.into())
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        self.call("free")?;
        let mut state = self.0.lock();
        state.counts.frees += 1;
        if refuses(&mut state.refuse.free) {
            state.leaked += 1;
            return Err(refused("free"));
        }
        let observed = state.observed.clone();
        if self.0.options.free_waits {
            let everything: Target = state.everything(self.1);
            state = self.0.run_until(state, &everything);
        }
        if let Err(text) = state.memory.free(space, ptr, bytes, &observed) {
            self.0.violation(text);
        }
        Ok(())
    }

    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        self.call("register")?;
        self.0.lock().memory.register(ptr, bytes);
        Ok(())
    }

    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        self.call("unregister")?;
        let mut state = self.0.lock();
        let observed = state.observed.clone();
        if let Err(text) = state.memory.unregister(ptr, bytes, &observed) {
            self.0.violation(text);
        }
        Ok(())
    }

    fn create_stream(&self) -> Result<SimStream> {
        self.call("create_stream")?;
        let mut state = self.0.lock();
        let index = state.streams.len();
        let inline = match self.0.options.inline {
            Inline::None => false,
            Inline::All => true,
            Inline::Alternate => index % 2 == 1,
            Inline::OfCard(card) => card == self.1,
        };
        // The host enqueues nothing before it has made the stream, so all that it knows to have ended comes before.
        state.streams.push(world::StreamState { inline, card: self.1, ..Default::default() });
        Ok(SimStream(index))
    }

    fn destroy_stream(&self, stream: SimStream) -> Result<()> {
        self.call("destroy_stream")?;
        let mut state = self.0.lock();
        self.check_stream(&state, &stream, "destroy");
        state.streams[stream.0].destroyed = true;
        Ok(())
    }

    fn is_inline(&self, stream: &SimStream) -> bool {
        self.0.lock().streams[stream.0].inline
    }

    fn synchronize(&self, stream: &SimStream) -> Result<()> {
        self.call("synchronize")?;
        let mut state = self.0.lock();
        state.counts.host_waits += 1;
        self.check_stream(&state, stream, "synchronize");
        drop(self.finish(state, stream));
        Ok(())
    }

    fn record(&self, stream: &SimStream) -> Result<SimEvent> {
        self.call("record")?;
        let mut state = self.0.lock();
        state.counts.records += 1;
        self.check_stream(&state, stream, "record");
        if refuses(&mut state.refuse.record) {
            return Err(refused("record"));
        }
        let (step, clock) = (state.streams[stream.0].enqueued, state.streams[stream.0].clock.clone());
        state.events.push(world::EventState { stream: stream.0, step, clock, alive: true });
        let event = SimEvent(state.events.len() - 1);
        drop(state);
        self.0.dawdle();
        Ok(event)
    }

    fn wait(&self, stream: &SimStream, event: &SimEvent) -> Result<()> {
        self.call("wait")?;
        let mut state = self.0.lock();
        state.counts.waits += 1;
        self.check_stream(&state, stream, "wait");
        self.check_event(&state, event, "wait");
        if refuses(&mut state.refuse.wait) {
            return Err(refused("wait"));
        }
        let event = &state.events[event.0];
        let (work, clock) = (Work::Wait { stream: event.stream, step: event.step }, event.clock.clone());
        state.streams[stream.0].clock.join(&clock);
        if let Err(text) = state.push(stream.0, work, &[]) {
            self.0.violation(text);
        }
        if state.streams[stream.0].inline {
            state = self.finish(state, stream);
        }
        drop(self.0.tick(state));
        self.0.dawdle();
        Ok(())
    }

    fn query(&self, event: &SimEvent) -> Result<bool> {
        self.call("query")?;
        let mut state = self.0.lock();
        state.counts.queries += 1;
        self.check_event(&state, event, "query");
        if refuses(&mut state.refuse.query) {
            return Err(refused("query"));
        }
        let &world::EventState { stream, step, .. } = &state.events[event.0];
        let occurred = state.has_ended(&vec![(stream, step)]);
        if occurred {
            let clock = state.events[event.0].clock.clone();
            state.observed.join(&clock);
        }
        Ok(occurred)
    }

    fn synchronize_event(&self, event: &SimEvent) -> Result<()> {
        self.call("synchronize_event")?;
        let mut state = self.0.lock();
        state.counts.host_waits += 1;
        self.check_event(&state, event, "synchronize");
        let &world::EventState { stream, step, .. } = &state.events[event.0];
        let clock = state.events[event.0].clock.clone();
        state = self.0.run_until(state, &vec![(stream, step)]);
        state.observed.join(&clock);
        Ok(())
    }

    fn elapsed(&self, start: &SimEvent, end: &SimEvent) -> Result<Duration> {
        self.synchronize_event(start)?;
        self.synchronize_event(end)?;
        Ok(Duration::ZERO)
    }

    fn destroy_event(&self, event: SimEvent) {
        if self.call("destroy_event").is_ok() {
            let mut state = self.0.lock();
            self.check_event(&state, &event, "destroy");
            state.events[event.0].alive = false;
        }
    }

    unsafe fn execute(&self, stream: &SimStream, operation: &Operation) -> Result<()> {
        if let Operation::Histogram { x, .. } = operation {
            // The one operation that needs memory of its own: as much as it reads.
            let free = self.0.options.memory.saturating_sub(self.0.lock().memory.live_bytes());
            if free < x.len {
                return Err(ErrorKind::OutOfMemory { requested: x.len, free }.into());
            }
        }
        self.enqueue(stream, of_operation(operation)?, "execute", false)
    }

    unsafe fn copy(&self, stream: &SimStream, transfer: &Transfer) -> Result<()> {
        self.enqueue(stream, of_copy(transfer), "copy", false)
    }

    unsafe fn upload(&self, stream: &SimStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: readable for `bytes` by the contract.
        let data = unsafe { std::slice::from_raw_parts(src, bytes) }.to_vec();
        let waits = self.0.options.upload_waits;
        self.enqueue(stream, (Work::Upload { data, dst }, vec![touch(dst, bytes, true)]), "upload", waits)
    }

    unsafe fn download(&self, stream: &SimStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        let data = Arc::default();
        let work = Work::Download { src, bytes, data: Arc::clone(&data) };
        self.enqueue(stream, (work, vec![touch(src, bytes, false)]), "download", true)?;
        let data = data.lock().unwrap();
        // A step that could not run has filled in nothing, and is logged.
        // SAFETY: `dst` is writable for `bytes` by the contract; no more than that was read.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), dst, data.len()) };
        Ok(())
    }

    fn host_fn(&self, stream: &SimStream, function: HostFn) -> Result<()> {
        let hold = {
            let mut state = self.0.lock();
            let at = state.hold_next.iter().position(|(held, _)| *held == stream.0);
            at.map(|at| state.hold_next.swap_remove(at).1)
        };
        self.enqueue(stream, (Work::Host { function: Some(function), hold }, Vec::new()), "host_fn", false)
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<SimGraph> {
        self.call("instantiate")?;
        let mut state = self.0.lock();
        if nodes.is_empty() {
            self.0.violation("a graph of nothing");
        }
        if refuses(&mut state.refuse.instantiate) {
            return Err(refused("instantiate"));
        }
        state.graphs.push(GraphState { nodes: nodes.to_vec(), launches: Vec::new(), alive: true });
        Ok(SimGraph(state.graphs.len() - 1))
    }

    fn update(&self, graph: &mut SimGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
        self.call("update")?;
        let mut state = self.0.lock();
        self.check_graph(&state, graph, "update");
        if refuses(&mut state.refuse.update) {
            return Err(refused("update"));
        }
        let old = &mut state.graphs[graph.0].nodes;
        let kept = (0..nodes.len()).filter(|at| !changed.contains(at));
        if old.len() != nodes.len() || !changed.is_sorted() || kept.into_iter().any(|at| old[at] != nodes[at]) {
            self.0.violation("update of more than it says");
        }
        *old = nodes.to_vec();
        Ok(())
    }

    unsafe fn launch_graph(&self, stream: &SimStream, graph: &SimGraph) -> Result<()> {
        let nodes = {
            let state = self.0.lock();
            self.check_graph(&state, graph, "launch");
            state.graphs[graph.0].nodes.clone()
        };
        let result = self.enqueue_all(stream, of_nodes(&nodes)?, "launch_graph", false);
        let mut state = self.0.lock();
        let end = (stream.0, state.streams[stream.0].enqueued);
        state.graphs[graph.0].launches.push(end);
        result
    }

    fn destroy_graph(&self, graph: SimGraph) {
        if self.call("destroy_graph").is_ok() {
            let mut state = self.0.lock();
            self.check_graph(&state, &graph, "destroy");
            let GraphState { launches, alive, .. } = &mut state.graphs[graph.0];
            *alive = false;
            let pending = launches.clone().into_iter().find(|&(stream, step)| step > state.observed.get(stream));
            if let Some(launch) = pending {
                self.0.violation(format!("a graph is destroyed, and its launch {launch:?} is not known to have ended"));
            }
        }
    }

    fn is_peer(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    unsafe fn copy_peer(&self, stream: &SimStream, _: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        let (space, rows) = (Space::Device, 1);
        let transfer = Transfer {
            src,
            src_space: space,
            dst,
            dst_space: space,
            row_bytes: bytes,
            rows,
            src_pitch: bytes,
            dst_pitch: bytes,
        };
        self.enqueue(stream, of_copy(&transfer), "copy_peer", false)
    }
}
