//! Programs: lists of actions that any caller could make, run against the device and against a sequential model.

use super::sim::{Sim, World};
use crate::buffer::{Buffer, ManagedBuffer};
use crate::device::{Device, ManagedDevice};
use crate::error::{ErrorKind, Result};
use crate::event::Event;
use crate::pinned::Pinned;
use crate::runtime::{Shared, Step};
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;
use crate::view::{AsView, VectorMut};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

pub(crate) type SimDevice = ManagedDevice<Sim>;
pub(crate) type SimBuffer = ManagedBuffer<u8, Sim>;

pub(crate) fn device(world: &Arc<World>, knocked: Option<Step>) -> SimDevice {
    ManagedDevice::from_shared(Shared::new(Sim(world.clone()), knocked)).unwrap()
}

const STREAMS: usize = 4;
const BUFFERS: usize = 5;
const PINNED: usize = 2;
const EVENTS: usize = 3;

/// What a program does. Indices name slots and are taken modulo their number; an action on an empty slot does nothing.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    NewStream(usize),
    CloneStream(usize, usize),
    DropStream(usize),
    /// Drops a stream's handle inside a host function of another.
    DropStreamInHostFn(usize, usize),
    /// (buffer, stream, length)
    Alloc(usize, usize, usize),
    FromSlice(usize, usize, usize, u8),
    DropBuffer(usize),
    DropBufferInHostFn(usize, usize),
    /// (buffer, stream, part, value)
    Write(usize, usize, Part, u8),
    Fill(usize, usize, Part, u8),
    /// Writes every second element of a part.
    FillEven(usize, usize, Part, u8),
    Read(usize, usize, Part),
    /// (from, to, stream, part, offset)
    Copy(usize, usize, usize, Part, usize),
    /// Copies the first half of a buffer over the second.
    CopyWithin(usize, usize),
    /// Reads a buffer that the threads share, or copies from it.
    ReadShared(usize, usize),
    CopyShared(usize, usize, usize),
    Record(usize, usize),
    Wait(usize, usize),
    QueryEvent(usize),
    SynchronizeEvent(usize),
    HostFn(usize),
    /// A host function that waits for something the program does later.
    HeldHostFn(usize),
    PanickingHostFn(usize),
    Pinned(usize, usize, usize),
    PinnedWrite(usize, u8),
    PinnedRead(usize),
    /// (buffer, pinned, stream)
    Upload(usize, usize, usize),
    Download(usize, usize, usize),
    DropPinned(usize),
    Synchronize(usize),
    Trim,
    Refuse(Refusal),
}

/// A part of a buffer, in 1/256 of its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part(u8, u8);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    Record,
    Wait,
    Query,
    Full,
    Late,
    Free,
}

impl Part {
    const ALL: Part = Part(0, 255);

    fn of(self, len: usize) -> (usize, usize) {
        let cut = |at: u8| (usize::from(at) * len).div_ceil(255);
        let (a, b) = (cut(self.0), cut(self.1));
        (a.min(b), a.max(b))
    }
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![2 => Just(Part::ALL), 1 => Just(Part(0, 127)), 1 => Just(Part(127, 255)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Part(a, b))]
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    use Action::*;
    let (s, b, p, e) = (0..STREAMS, 0..BUFFERS, 0..PINNED, 0..EVENTS);
    let (s, b, p, e) = (move || s.clone(), move || b.clone(), move || p.clone(), move || e.clone());
    // Few sizes, so that memory is reused.
    let len = || prop_oneof![6 => Just(200usize), 2 => Just(256), 1 => Just(300), 1 => 0..3usize];
    let v = any::<u8>;
    let refusal = prop_oneof![
        Just(Refusal::Record),
        Just(Refusal::Wait),
        Just(Refusal::Query),
        Just(Refusal::Full),
        Just(Refusal::Late),
        Just(Refusal::Free)
    ];
    let streams = prop_oneof![
        4 => s().prop_map(NewStream), 1 => (s(), s()).prop_map(|(a, c)| CloneStream(a, c)),
        4 => s().prop_map(DropStream), 1 => (s(), s()).prop_map(|(a, c)| DropStreamInHostFn(a, c)),
        4 => (s(), e()).prop_map(|(s, e)| Record(s, e)), 4 => (s(), e()).prop_map(|(s, e)| Wait(s, e)),
        1 => e().prop_map(QueryEvent), 1 => e().prop_map(SynchronizeEvent),
        3 => s().prop_map(HostFn), 8 => s().prop_map(HeldHostFn), 1 => s().prop_map(PanickingHostFn),
        2 => s().prop_map(Synchronize), 3 => Just(Trim), 3 => refusal.prop_map(Refuse)
    ];
    let buffers = prop_oneof![
        4 => (b(), s(), len()).prop_map(|(b, s, n)| Alloc(b, s, n)),
        2 => (b(), s(), len(), v()).prop_map(|(b, s, n, v)| FromSlice(b, s, n, v)),
        4 => b().prop_map(DropBuffer), 1 => (b(), s()).prop_map(|(b, s)| DropBufferInHostFn(b, s)),
        2 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| Write(b, s, p, v)),
        6 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| Fill(b, s, p, v)),
        1 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| FillEven(b, s, p, v)),
        4 => (b(), s(), part()).prop_map(|(b, s, p)| Read(b, s, p)),
        8 => (b(), b(), s(), part(), any::<u8>()).prop_map(|(a, b, s, p, at)| Copy(a, b, s, p, at.into())),
        1 => (b(), s()).prop_map(|(b, s)| CopyWithin(b, s)),
        1 => (b(), s()).prop_map(|(b, s)| ReadShared(b, s)),
        2 => (b(), b(), s()).prop_map(|(a, b, s)| CopyShared(a, b, s))
    ];
    let pinned = prop_oneof![
        1 => (p(), s(), len()).prop_map(|(p, s, n)| Pinned(p, s, n)), 1 => (p(), v()).prop_map(|(p, v)| PinnedWrite(p, v)),
        1 => p().prop_map(PinnedRead), 2 => (b(), p(), s()).prop_map(|(b, p, s)| Upload(b, p, s)),
        2 => (b(), p(), s()).prop_map(|(b, p, s)| Download(b, p, s)), 1 => p().prop_map(DropPinned)
    ];
    prop_oneof![4 => streams, 6 => buffers, 1 => pinned]
}

type Holds = BTreeSet<usize>;

/// What the model knows of memory: its bytes, where they are defined, and who touched it after which held functions.
#[derive(Default)]
struct Model {
    bytes: Vec<Option<u8>>,
    touches: Vec<(usize, usize, bool, Holds)>,
}

impl Model {
    fn new(len: usize, holds: Holds) -> Self {
        // Getting memory is ordered as a write on the stream that it is got on.
        Model { bytes: vec![None; len], touches: vec![(0, len.max(1), true, holds)] }
    }

    /// What a touch has to come after; `stream` has to as well, from then on.
    fn touch(&mut self, start: usize, end: usize, write: bool, stream: &mut Holds) {
        for (s, e, w, holds) in &self.touches {
            if (*w || write) && *s < end && start < *e {
                stream.extend(holds);
            }
        }
        self.touches.push((start, end, write, stream.clone()));
    }
}

/// A program under way on one thread.
pub(crate) struct Run {
    world: Arc<World>,
    device: Option<SimDevice>,
    streams: [Option<ManagedStream<Sim>>; STREAMS],
    buffers: [Option<(SimBuffer, Model)>; BUFFERS],
    pinned: [Option<(Pinned<u8, SimDevice>, Model)>; PINNED],
    events: [Option<(Event<SimDevice>, Holds)>; EVENTS],
    /// For each stream, by its number, the held functions that its next work comes after.
    behind: BTreeMap<u64, Holds>,
    shared: Arc<Vec<(SimBuffer, u8)>>,
    /// A call may have been refused since the last one that failed.
    refusing: bool,
    /// Holding host functions needs one thread: others' waits would depend on them.
    holds: bool,
    panicked: BTreeSet<u64>,
    knocked: bool,
}

impl Run {
    pub(crate) fn new(device: SimDevice, knocked: bool) -> Self {
        let world = device.backend().0.clone();
        let first = device.default_stream();
        Run {
            world,
            device: Some(device),
            streams: [Some(first), None, None, None],
            buffers: Default::default(),
            pinned: Default::default(),
            events: Default::default(),
            behind: BTreeMap::new(),
            shared: Arc::default(),
            refusing: false,
            holds: true,
            panicked: BTreeSet::new(),
            knocked,
        }
    }

    /// One of several threads: with these streams for its own handles, and these buffers to read.
    pub(crate) fn beside_others(
        device: SimDevice,
        streams: [Option<ManagedStream<Sim>>; STREAMS],
        shared: Arc<Vec<(SimBuffer, u8)>>,
    ) -> Self {
        // Another thread may have asked for the refusal.
        Run { streams, shared, holds: false, refusing: true, ..Run::new(device, false) }
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

    fn stream(&self, slot: usize) -> Option<ManagedStream<Sim>> {
        self.streams[slot % STREAMS].clone()
    }

    fn is_inline(&self, stream: &ManagedStream<Sim>) -> bool {
        self.world.lock().streams[stream.id() as usize - 1].inline
    }

    /// The held functions that `stream` is behind.
    fn behind(&mut self, stream: &ManagedStream<Sim>) -> &mut Holds {
        self.behind.entry(stream.id()).or_default()
    }

    fn open(&self, holds: &Holds) {
        holds.iter().for_each(|&hold| self.world.open(hold));
    }

    /// The program is about to wait for `stream`, so whatever that is behind has to go on.
    fn open_behind(&mut self, stream: &ManagedStream<Sim>) {
        let holds = self.behind(stream).clone();
        self.open(&holds);
    }

    fn touch(&mut self, model: &mut Model, stream: &ManagedStream<Sim>, start: usize, end: usize, write: bool) {
        model.touch(start, end, write, self.behind(stream));
        if self.is_inline(stream) || (write && self.world.options.upload_waits) {
            self.open_behind(stream);
        }
    }

    fn step(&mut self, action: &Action) -> Result<()> {
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
            _ => self.buffer_step(action)?,
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refusing = true;
        let refuse = &mut self.world.lock().refuse;
        match refusal {
            Refusal::Record => refuse.record += 1,
            Refusal::Wait => refuse.wait += 1,
            Refusal::Query => refuse.query += 1,
            Refusal::Full => refuse.full += 1,
            Refusal::Late => refuse.late += 1,
            Refusal::Free => refuse.free += 1,
        }
    }

    /// A fault of an earlier host function is reported once, and only if there was one.
    fn reports(&mut self, stream: &ManagedStream<Sim>, result: Result<()>) -> Result<()> {
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

    fn host_fn(&mut self, stream: &ManagedStream<Sim>, function: impl FnOnce() + Send + 'static) -> Result<()> {
        if self.is_inline(stream) {
            self.open_behind(stream);
        }
        stream.host_fn(function)
    }

    fn event_step(&mut self, action: &Action) -> Result<()> {
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

    fn buffer_step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Alloc(slot, stream, len) => {
                let Some(stream) = self.stream(stream) else { return Ok(()) };
                self.buffers[slot % BUFFERS] = None;
                let model = Model::new(len, self.behind(&stream).clone());
                self.buffers[slot % BUFFERS] = Some((stream.alloc(len)?, model));
            }
            Action::FromSlice(slot, stream, len, value) => {
                self.buffer_step(&Action::Alloc(slot, stream, len))?;
                self.buffer_step(&Action::Write(slot, stream, Part::ALL, value))?;
            }
            Action::DropBuffer(slot) => self.buffers[slot % BUFFERS] = None,
            Action::DropBufferInHostFn(slot, stream) => {
                let Some(stream) = self.stream(stream) else { return Ok(()) };
                let dropped = mem::take(&mut self.buffers[slot % BUFFERS]);
                self.host_fn(&stream, move || drop(dropped))?;
            }
            Action::Write(slot, on, part, value) => {
                self.written(slot, on, part, value, 1, |stream, mut view, len| {
                    let data: Vec<u8> = (0..len).map(|i| value.wrapping_add(i as u8)).collect();
                    stream.write(&mut view, &data)
                })?
            }
            Action::Fill(slot, on, part, value) => {
                self.written(slot, on, part, value, 0, |stream, mut view, _| stream.fill(&mut view, value))?;
            }
            Action::FillEven(slot, on, part, value) => {
                self.fill_even(slot, on, part, value)?;
            }
            Action::Read(slot, on, part) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let Some((buffer, mut model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
                let (start, end) = part.of(buffer.len());
                self.touch(&mut model, &stream, start, end, false);
                self.open_behind(&stream);
                let mut data = vec![0; end - start];
                let result = stream.read(&buffer.slice(start..end)?, &mut data);
                let read = result.is_ok();
                let result = self.reports(&stream, result);
                if read {
                    self.compare(&data, &model.bytes[start..end], "buffer");
                }
                self.buffers[slot % BUFFERS] = Some((buffer, model));
                result?;
            }
            Action::Copy(from, to, on, part, at) => self.copy(from, to, on, part, at)?,
            Action::CopyWithin(slot, on) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let Some((mut buffer, mut model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
                let half = buffer.len() / 2;
                self.touch(&mut model, &stream, 0, half, false);
                self.touch(&mut model, &stream, half, 2 * half, true);
                let (low, high) = buffer.split_at_mut(half)?;
                let result = { high }.slice_mut(..half).and_then(|mut high| stream.copy(&low, &mut high));
                for i in 0..half {
                    model.bytes[half + i] = model.bytes[i].filter(|_| result.is_ok());
                }
                self.buffers[slot % BUFFERS] = Some((buffer, model));
                result?;
            }
            Action::ReadShared(from, on) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let shared = self.shared.clone();
                if let Some((buffer, value)) = shared.get(from % shared.len().max(1)) {
                    let data = stream.to_vec(buffer)?;
                    self.compare(&data, &vec![Some(*value); data.len()], "shared buffer");
                }
            }
            Action::CopyShared(from, to, on) => {
                let shared = self.shared.clone();
                let Some((source, value)) = shared.get(from % shared.len().max(1)) else { return Ok(()) };
                self.written(to, on, Part::ALL, *value, 0, |stream, mut view, len| {
                    let len = len.min(source.len());
                    stream.copy(&source.slice(..len)?, &mut view.slice_mut(..len)?)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes a part of a buffer: element `i` of it becomes `value + slope · i`.
    fn written(
        &mut self,
        slot: usize,
        on: usize,
        part: Part,
        value: u8,
        slope: usize,
        write: impl FnOnce(&ManagedStream<Sim>, crate::view::ViewMut<'_, u8, SimDevice>, usize) -> Result<()>,
    ) -> Result<()> {
        let Some(stream) = self.stream(on) else { return Ok(()) };
        let Some((mut buffer, mut model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
        let (start, end) = part.of(buffer.len());
        self.touch(&mut model, &stream, start, end, true);
        let result = buffer.slice_mut(start..end).and_then(|view| write(&stream, view, end - start));
        for (i, byte) in model.bytes[start..end].iter_mut().enumerate() {
            *byte = result.is_ok().then(|| value.wrapping_add((slope * i) as u8));
        }
        self.buffers[slot % BUFFERS] = Some((buffer, model));
        result
    }

    fn fill_even(&mut self, slot: usize, on: usize, part: Part, value: u8) -> Result<()> {
        let Some(stream) = self.stream(on) else { return Ok(()) };
        let Some((mut buffer, mut model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
        let (start, end) = part.of(buffer.len());
        let half = (end - start) / 2;
        let result = match stream.alloc::<u8>(half) {
            Ok(mut source) if half > 0 => {
                let holds = self.behind(&stream).clone();
                self.touch(&mut Model::new(half, holds), &stream, 0, half, true);
                self.touch(&mut model, &stream, start, end, true);
                let filled = stream.fill(&mut source, value);
                let mut view = buffer.slice_mut(start..end)?;
                let mut even = VectorMut::new(&mut view, half, 2)?;
                filled.and(stream.copy(&source, &mut even))
            }
            other => other.map(drop),
        };
        for i in 0..half {
            model.bytes[start + 2 * i] = result.is_ok().then_some(value);
        }
        self.buffers[slot % BUFFERS] = Some((buffer, model));
        result
    }

    fn copy(&mut self, from: usize, to: usize, on: usize, part: Part, at: usize) -> Result<()> {
        let (from, to) = (from % BUFFERS, to % BUFFERS);
        let Some(stream) = self.stream(on).filter(|_| from != to) else { return Ok(()) };
        let Some((source, mut read)) = mem::take(&mut self.buffers[from]) else { return Ok(()) };
        let Some((mut target, mut written)) = mem::take(&mut self.buffers[to]) else {
            self.buffers[from] = Some((source, read));
            return Ok(());
        };
        let (start, end) = part.of(source.len());
        let len = (end - start).min(target.len());
        let at = at % (target.len() - len + 1);
        self.touch(&mut read, &stream, start, start + len, false);
        self.touch(&mut written, &stream, at, at + len, true);
        let copy = || stream.copy(&source.slice(start..start + len)?, &mut target.slice_mut(at..at + len)?);
        let result = { copy }();
        for i in 0..len {
            written.bytes[at + i] = read.bytes[start + i].filter(|_| result.is_ok());
        }
        self.buffers[from] = Some((source, read));
        self.buffers[to] = Some((target, written));
        result
    }

    fn pinned_step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Pinned(slot, on, len) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                self.pinned[slot % PINNED] = None;
                let model = Model::new(len, self.behind(&stream).clone());
                self.pinned[slot % PINNED] = Some((stream.pinned(len)?, model));
            }
            Action::PinnedWrite(slot, value) => {
                let Some((pinned, model)) = &mut self.pinned[slot % PINNED] else { return Ok(()) };
                let len = pinned.len();
                let mut holds = Holds::new();
                model.touch(0, len, true, &mut holds);
                holds.iter().for_each(|&hold| self.world.open(hold));
                let mut guard = pinned.write()?;
                self.world.host_touch(guard.as_ptr().addr(), len, true);
                guard.fill(value);
                model.bytes = vec![Some(value); len];
            }
            Action::PinnedRead(slot) => {
                let Some((pinned, mut model)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let len = pinned.len();
                let mut holds = Holds::new();
                model.touch(0, len, false, &mut holds);
                self.open(&holds);
                let result = pinned.read().map(|guard| {
                    self.world.host_touch(guard.as_ptr().addr(), len, false);
                    self.compare(&guard, &model.bytes, "pinned memory");
                });
                self.pinned[slot % PINNED] = Some((pinned, model));
                result?;
            }
            Action::Upload(buffer, slot, on) => {
                let Some((pinned, mut read)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let result = match (self.stream(on), mem::take(&mut self.buffers[buffer % BUFFERS])) {
                    (Some(stream), Some((mut target, mut written))) if target.len() == pinned.len() => {
                        self.touch(&mut read, &stream, 0, pinned.len(), false);
                        self.touch(&mut written, &stream, 0, pinned.len(), true);
                        let result = stream.upload(&mut target, &pinned);
                        written.bytes = read.bytes.iter().map(|byte| byte.filter(|_| result.is_ok())).collect();
                        self.buffers[buffer % BUFFERS] = Some((target, written));
                        result
                    }
                    (_, other) => {
                        self.buffers[buffer % BUFFERS] = other;
                        Ok(())
                    }
                };
                self.pinned[slot % PINNED] = Some((pinned, read));
                result?;
            }
            Action::Download(buffer, slot, on) => {
                let Some((mut pinned, mut written)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let result = match (self.stream(on), mem::take(&mut self.buffers[buffer % BUFFERS])) {
                    (Some(stream), Some((source, mut read))) if source.len() == pinned.len() => {
                        self.touch(&mut read, &stream, 0, pinned.len(), false);
                        self.touch(&mut written, &stream, 0, pinned.len(), true);
                        let result = stream.download(&source.view(), &mut pinned);
                        written.bytes = read.bytes.iter().map(|byte| byte.filter(|_| result.is_ok())).collect();
                        self.buffers[buffer % BUFFERS] = Some((source, read));
                        result
                    }
                    (_, other) => {
                        self.buffers[buffer % BUFFERS] = other;
                        Ok(())
                    }
                };
                self.pinned[slot % PINNED] = Some((pinned, written));
                result?;
            }
            Action::DropPinned(slot) => self.pinned[slot % PINNED] = None,
            _ => {}
        }
        Ok(())
    }

    fn compare(&self, data: &[u8], model: &[Option<u8>], what: &str) {
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
