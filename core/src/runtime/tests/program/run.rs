//! Running a program.

use super::action::{Action, BUFFERS, EVENTS, GRAPHS, PINNED, Part, Refusal, STREAMS};
use super::graphs::ModelledGraph;
use super::model::{Holds, Model};
use super::{SharedBuffers, SimBuffer, SimDevice};
use crate::device::Device;
use crate::error::{ErrorKind, Result};
use crate::event::Event;
use crate::graph::Graph;
use crate::pinned::Pinned;
use crate::runtime::tests::sim::{Sim, World};
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// A program under way on one thread.
pub(crate) struct Run {
    pub(super) world: Arc<World>,
    pub(super) device: Option<SimDevice>,
    pub(super) streams: [Option<ManagedStream<Sim>>; STREAMS],
    /// What is known of memory, by number: graphs go on using that of buffers which are gone.
    pub(super) models: Vec<Model>,
    /// With the numbers of their models.
    pub(super) buffers: [Option<(SimBuffer, usize)>; BUFFERS],
    pub(super) pinned: [Option<(Pinned<u8, SimDevice>, usize)>; PINNED],
    pub(super) graphs: [Option<ModelledGraph>; GRAPHS],
    /// A graph on memory that the threads share.
    pub(super) shared_graph: Option<Graph<SimDevice>>,
    pub(super) events: [Option<(Event<SimDevice>, Holds)>; EVENTS],
    /// For each stream, by its number, the held functions that its next work comes after.
    pub(super) behind: BTreeMap<u64, Holds>,
    pub(super) shared: SharedBuffers,
    /// A call may have been refused since the last one that failed.
    pub(super) refusing: bool,
    /// Holding host functions needs one thread: others' waits would depend on them.
    pub(super) holds: bool,
    pub(super) panicked: BTreeSet<u64>,
    pub(super) knocked: bool,
}

impl Run {
    pub(crate) fn new(device: SimDevice, knocked: bool) -> Self {
        let world = device.backend().0.clone();
        let first = device.default_stream();
        Run {
            world,
            device: Some(device),
            streams: [Some(first), None, None, None],
            models: Vec::new(),
            buffers: Default::default(),
            pinned: Default::default(),
            graphs: Default::default(),
            shared_graph: None,
            events: Default::default(),
            behind: BTreeMap::new(),
            shared: Arc::default(),
            refusing: false,
            holds: true,
            panicked: BTreeSet::new(),
            knocked,
        }
    }

    /// One of several threads: with these streams for its own handles, these buffers to read, and a graph that changes one of them
    /// and changes it back.
    pub(crate) fn beside_others(
        device: SimDevice,
        streams: [Option<ManagedStream<Sim>>; STREAMS],
        (shared, graph): (SharedBuffers, Graph<SimDevice>),
    ) -> Self {
        // Another thread may have asked for the refusal.
        Run { streams, shared, shared_graph: Some(graph), holds: false, refusing: true, ..Run::new(device, false) }
    }

    /// Memory got on a stream.
    pub(super) fn model(&mut self, len: usize, stream: &ManagedStream<Sim>) -> usize {
        let holds = self.behind(stream).clone();
        self.models.push(Model::new(len, holds));
        self.models.len() - 1
    }

    pub(crate) fn run(&mut self, actions: &[Action]) {
        for action in actions {
            if let Err(error) = self.step(action) {
                match error.kind() {
                    ErrorKind::OutOfMemory { .. } => {}
                    ErrorKind::Driver { name, .. } if name == "simulated refusal" && self.refusing => {}
                    _ => self.world.violation(format!("{action:?}: {error}")),
                }
            }
        }
    }

    pub(super) fn stream(&self, slot: usize) -> Option<ManagedStream<Sim>> {
        self.streams[slot % STREAMS].clone()
    }

    pub(super) fn is_inline(&self, stream: &ManagedStream<Sim>) -> bool {
        self.world.lock().streams[stream.id() as usize - 1].inline
    }

    /// The held functions that `stream` is behind.
    pub(super) fn behind(&mut self, stream: &ManagedStream<Sim>) -> &mut Holds {
        self.behind.entry(stream.id()).or_default()
    }

    pub(super) fn open(&self, holds: &Holds) {
        holds.iter().for_each(|&hold| self.world.open(hold));
    }

    /// The program is about to wait for `stream`, so whatever that is behind has to go on.
    pub(super) fn open_behind(&mut self, stream: &ManagedStream<Sim>) {
        let holds = self.behind(stream).clone();
        self.open(&holds);
    }

    pub(super) fn touch(&mut self, model: usize, stream: &ManagedStream<Sim>, start: usize, end: usize, write: bool) {
        let behind = self.behind.entry(stream.id()).or_default();
        self.models[model].touch(start, end, write, behind);
        if self.is_inline(stream) || (write && self.world.options.upload_waits) {
            self.open_behind(stream);
        }
    }

    /// All of one is read and all of another written by one operation: either comes after what both have to come after.
    pub(super) fn touch_both(&mut self, read: usize, written: usize, stream: &ManagedStream<Sim>, len: usize) {
        self.touch(read, stream, 0, len, false);
        self.touch(written, stream, 0, len, true);
        self.touch(read, stream, 0, len, false);
    }

    pub(super) fn step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::NewStream(slot) => {
                let Some(device) = &self.device else { return Ok(()) };
                self.streams[slot % STREAMS] = Some(device.new_stream()?);
            }
            Action::CloneStream(from, to) => self.streams[to % STREAMS] = self.stream(from),
            Action::DropStream(slot) => self.streams[slot % STREAMS] = None,
            Action::DropStreamInHostFn(slot, on) => {
                let dropped = mem::take(&mut self.streams[slot % STREAMS]);
                if let Some(stream) = self.stream(on) {
                    self.host_fn(&stream, move || drop(dropped))?;
                }
            }
            Action::Synchronize(slot) => {
                let Some(stream) = self.stream(slot) else { return Ok(()) };
                self.open_behind(&stream);
                let result = stream.synchronize();
                self.reports(&stream, result)?;
            }
            Action::Trim => self.device.as_ref().map_or(Ok(0), |device| device.trim()).map(drop)?,
            Action::HostFn(slot) => {
                let Some(stream) = self.stream(slot) else { return Ok(()) };
                self.host_fn(&stream, || {})?;
            }
            Action::PanickingHostFn(slot) => {
                let Some(stream) = self.stream(slot).filter(|_| self.holds) else { return Ok(()) };
                self.host_fn(&stream, || std::panic::resume_unwind(Box::new("on purpose")))?;
                self.panicked.insert(stream.id());
            }
            Action::HeldHostFn(slot) => {
                let Some(stream) = self.stream(slot) else { return Ok(()) };
                if self.holds && !self.is_inline(&stream) {
                    let hold = self.world.hold();
                    self.world.hold_next(stream.id(), hold);
                    self.behind(&stream).insert(hold);
                    stream.host_fn(|| {})?;
                }
            }
            Action::Refuse(refusal) => self.refuse(refusal),
            Action::Record(..) | Action::Wait(..) | Action::QueryEvent(_) | Action::SynchronizeEvent(_) => {
                self.event_step(action)?;
            }
            Action::Pinned(..)
            | Action::PinnedWrite(..)
            | Action::PinnedRead(_)
            | Action::Upload(..)
            | Action::Download(..)
            | Action::DropPinned(_) => self.pinned_step(action)?,
            Action::RecordGraph(..)
            | Action::SetScalar(..)
            | Action::Launch(..)
            | Action::LaunchShared(_)
            | Action::DropGraph(_)
            | Action::DropGraphInHostFn(..) => self.graph_step(action)?,
            _ => self.buffer_step(action)?,
        }
        Ok(())
    }

    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.refusing = true;
        let refuse = &mut self.world.lock().refuse;
        match refusal {
            Refusal::Record => refuse.record += 1,
            Refusal::Wait => refuse.wait += 1,
            Refusal::Query => refuse.query += 1,
            Refusal::Full => refuse.full += 1,
            Refusal::Late => refuse.late += 1,
            Refusal::Free => refuse.free += 1,
            Refusal::Instantiate => refuse.instantiate += 1,
            Refusal::Update => refuse.update += 1,
        }
    }

    /// A fault of an earlier host function is reported once, and only if there was one.
    pub(super) fn reports(&mut self, stream: &ManagedStream<Sim>, result: Result<()>) -> Result<()> {
        match result {
            Err(error) if matches!(error.kind(), ErrorKind::DeviceFault { .. }) => {
                if !self.panicked.remove(&stream.id()) && self.holds {
                    self.world.violation(format!("a fault without a panic: {error}"));
                }
                Ok(())
            }
            Ok(()) if self.panicked.remove(&stream.id()) => {
                self.world.violation("a panic was not reported");
                Ok(())
            }
            result => result,
        }
    }

    pub(super) fn host_fn(
        &mut self,
        stream: &ManagedStream<Sim>,
        function: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        if self.is_inline(stream) {
            self.open_behind(stream);
        }
        stream.host_fn(function)
    }

    pub(super) fn event_step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Record(slot, event) => {
                let Some(stream) = self.stream(slot) else { return Ok(()) };
                let holds = self.behind(&stream).clone();
                self.events[event % EVENTS] = Some((stream.record()?, holds));
            }
            Action::Wait(slot, event) => {
                let Some(stream) = self.stream(slot) else { return Ok(()) };
                let Some((event, holds)) = &self.events[event % EVENTS] else { return Ok(()) };
                let (event, holds) = (event.clone(), holds.clone());
                self.behind(&stream).extend(holds);
                if self.is_inline(&stream) {
                    self.open_behind(&stream);
                }
                stream.wait(&event)?;
            }
            Action::QueryEvent(event) => {
                if let Some((event, _)) = &self.events[event % EVENTS] {
                    event.query()?;
                }
            }
            Action::SynchronizeEvent(event) => {
                if let Some((event, holds)) = &self.events[event % EVENTS] {
                    self.open(holds);
                    event.synchronize()?;
                    if !event.query()? {
                        self.world.violation("an event that was waited for has not occurred");
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn compare(&self, data: &[u8], model: &[Option<u8>], what: &str) {
        let differs = |(got, want): (&u8, &Option<u8>)| want.is_some_and(|want| want != *got);
        if let Some(at) = data.iter().zip(model).position(differs) {
            self.world.violation(format!("{what}: byte {at} is {:#x}, not {:?}", data[at], model[at]));
        }
    }

    /// Ends the program: reads everything back, drops everything, and sees to it that nothing is left.
    pub(crate) fn finish(mut self) {
        self.end();
        let world = self.world.clone();
        drop(self);
        world.wait_closed();
        world.check_released();
    }

    /// Reads every buffer on every stream there is, then drops them.
    pub(crate) fn end(&mut self) {
        self.world.lock().refuse = Default::default();
        for stream in 0..STREAMS {
            for buffer in 0..BUFFERS {
                self.run(&[Action::Read(buffer, stream, Part::ALL)]);
            }
        }
        for pinned in 0..PINNED {
            self.run(&[Action::PinnedRead(pinned), Action::DropPinned(pinned)]);
        }
        for buffer in 0..BUFFERS {
            self.run(&[Action::DropBuffer(buffer)]);
        }
        self.graphs = Default::default();
        self.shared_graph = None;
        let holds: Vec<Holds> = self.behind.values().cloned().collect();
        holds.iter().for_each(|holds| self.open(holds));
        // What host functions own goes when those have run.
        self.world.run_all();
        if self.holds && !self.knocked {
            let left = self.device.as_ref().map_or(0, |device| device.memory().in_use);
            if left != 0 {
                self.world.violation(format!("{left} bytes are in use at the end"));
            }
        }
    }
}
