//! The simulated device: streams as queues of steps, run late and out of order by a seeded scheduler.

use super::memory::{Clock, Memory, Touch};
use crate::backend::{HostFn, Space, Transfer};
use crate::operation::Ptr;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, TaskFlag};
use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// When steps run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As soon as they can.
    Eager,
    /// Only when somebody waits, and then only what that needs.
    Lazy,
    /// At random.
    Random,
}

/// Which streams are inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inline {
    None,
    All,
    /// Every other one.
    Alternate,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) seed: u64,
    pub(crate) order: Order,
    pub(crate) inline: Inline,
    /// Bytes of memory.
    pub(crate) memory: usize,
    /// Whether a free waits for all work on the device.
    pub(crate) free_waits: bool,
    /// Whether a copy from pageable memory waits for the stream.
    pub(crate) upload_waits: bool,
    /// Whether calls dawdle, to widen the windows between real threads.
    pub(crate) dawdle: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            order: Order::Lazy,
            inline: Inline::None,
            memory: 1 << 20,
            free_waits: true,
            upload_waits: false,
            dawdle: false,
        }
    }
}

/// How often the runtime made calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) records: usize,
    pub(crate) waits: usize,
    pub(crate) allocates: usize,
    pub(crate) frees: usize,
    /// Waits of the host, for events and streams.
    pub(crate) host_waits: usize,
}

/// Calls that will be refused: how many of the next ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Refusals {
    pub(crate) record: u32,
    pub(crate) wait: u32,
    pub(crate) query: u32,
    /// The queue is full: nothing is enqueued.
    pub(crate) full: u32,
    /// Work is enqueued, and the call fails all the same.
    pub(crate) late: u32,
    pub(crate) free: u32,
    /// The device is gone.
    pub(crate) lost: bool,
}

pub(crate) enum Work {
    Wait { stream: usize, step: u64 },
    Fill { out: Ptr, pattern: Vec<u8>, len: usize },
    Copy(Transfer),
    Upload { data: Vec<u8>, dst: Ptr },
    Download { src: Ptr, bytes: usize, data: Arc<std::sync::Mutex<Vec<u8>>> },
    Host { function: Option<HostFn>, hold: Option<usize> },
}

#[derive(Default)]
pub(crate) struct StreamState {
    pub(crate) inline: bool,
    pub(crate) destroyed: bool,
    pub(crate) queue: VecDeque<Work>,
    pub(crate) enqueued: u64,
    pub(crate) done: u64,
    /// What comes before its next step.
    pub(crate) clock: Clock,
    /// Its host function is being called by some thread.
    pub(crate) running: bool,
}

pub(crate) struct EventState {
    pub(crate) stream: usize,
    pub(crate) step: u64,
    pub(crate) clock: Clock,
    pub(crate) alive: bool,
}

/// Steps that have to end: (stream, step).
pub(crate) type Target = Vec<(usize, u64)>;

pub(crate) struct State {
    pub(crate) streams: Vec<StreamState>,
    pub(crate) events: Vec<EventState>,
    pub(crate) memory: Memory,
    /// What the host knows to have ended, on whatever thread.
    pub(crate) observed: Clock,
    pub(crate) counts: Counts,
    pub(crate) refuse: Refusals,
    pub(crate) closed: bool,
    /// Blocks whose free was refused: leaked, by the contract.
    pub(crate) leaked: usize,
    /// What host functions are held for: open or not.
    holds: Vec<bool>,
    /// (stream, hold) for the next host function there.
    pub(crate) hold_next: Vec<(usize, usize)>,
    random: u64,
    /// Threads that run the program.
    threads: usize,
    /// Those of them that wait for steps.
    waiting: Vec<Target>,
}

pub(crate) struct World {
    pub(crate) options: Options,
    state: Mutex<State>,
    progress: Condvar,
    /// What went wrong. Of the standard library, so that it outlives an execution of shuttle.
    violations: Arc<std::sync::Mutex<Vec<String>>>,
}

thread_local! {
    static IN_HOST_FN: RefCell<HashSet<Option<usize>>> = RefCell::default();
    /// Threads that run the program; the one that closes a device is none of them, and waits as long as it takes.
    static PROGRAM: RefCell<HashSet<Option<usize>>> = RefCell::default();
}

/// How long a thread waits before a deadlock is assumed that was not recognised as such.
const PATIENCE: Duration = Duration::from_secs(5);

impl World {
    pub(crate) fn new(options: Options) -> Arc<World> {
        let state = State {
            streams: Vec::new(),
            events: Vec::new(),
            memory: Memory::default(),
            observed: Clock::default(),
            counts: Counts::default(),
            refuse: Refusals::default(),
            closed: false,
            leaked: 0,
            holds: Vec::new(),
            hold_next: Vec::new(),
            random: options.seed,
            threads: 1,
            waiting: Vec::new(),
        };
        PROGRAM.with_borrow_mut(HashSet::clear);
        TaskFlag(&PROGRAM).replace(true);
        let violations = Arc::default();
        Arc::new(World { options, state: Mutex::new(state), progress: Condvar::default(), violations })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(crate) fn violation(&self, text: impl Into<String>) {
        self.violations.lock().unwrap().push(text.into());
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.violations.lock().unwrap().clone()
    }

    pub(crate) fn counts(&self) -> Counts {
        self.lock().counts
    }

    /// Whether this thread is inside a host function; every call is refused there.
    pub(crate) fn refuses_call(&self, name: &str) -> bool {
        let inside = TaskFlag(&IN_HOST_FN).get();
        if inside {
            self.violation(format!("{name} from inside a host function"));
        }
        inside
    }

    /// A thing that host functions can wait for.
    pub(crate) fn hold(&self) -> usize {
        let mut state = self.lock();
        state.holds.push(false);
        state.holds.len() - 1
    }

    pub(crate) fn open(&self, hold: usize) {
        self.lock().holds[hold] = true;
        self.progress.notify_all();
    }

    pub(crate) fn open_all(&self) {
        self.lock().holds.iter_mut().for_each(|open| *open = true);
        self.progress.notify_all();
    }

    /// Only so many waits were needed so far, and a record for each.
    pub(crate) fn expect_waits(&self, waits: usize) {
        let counts = self.counts();
        if (counts.records, counts.waits) != (waits, waits) {
            self.violation(format!("{waits} waits were needed: {counts:?}"));
        }
    }

    /// The next host function on the stream waits for `hold`. `stream` is the number that the runtime gives.
    pub(crate) fn hold_next(&self, stream: u64, hold: usize) {
        self.lock().hold_next.push((stream as usize - 1, hold));
    }

    /// How many threads run the program; when all of them wait and no step can run, that is a deadlock.
    pub(crate) fn set_threads(&self, threads: usize) {
        self.lock().threads = threads;
    }

    /// This thread is one of the program's.
    pub(crate) fn enter_thread(&self) {
        TaskFlag(&PROGRAM).replace(true);
    }

    /// One of the program's threads will make no call any more.
    pub(crate) fn leave_thread(&self) {
        self.lock().threads -= 1;
        self.progress.notify_all();
    }

    pub(crate) fn set_closed(&self) {
        self.lock().closed = true;
        self.progress.notify_all();
    }

    /// Waits until the device has been closed.
    pub(crate) fn wait_closed(&self) {
        let mut state = self.lock();
        while !state.closed {
            let timed_out;
            (state, timed_out) = self.progress.wait_timeout(state, PATIENCE);
            if timed_out && !state.closed {
                return self.violation("the device was not closed");
            }
        }
    }

    /// Nothing may be left once the device is closed.
    pub(crate) fn check_released(&self) {
        let state = self.lock();
        let streams = state.streams.iter().filter(|stream| !stream.destroyed).count();
        let events = state.events.iter().filter(|event| event.alive).count();
        let blocks = state.memory.live() - state.leaked;
        drop(state);
        if (streams, events, blocks) != (0, 0, 0) {
            self.violation(format!("leaked: {streams} streams, {events} events, {blocks} blocks"));
        }
    }

    /// The host has touched pinned memory.
    pub(crate) fn host_touch(&self, addr: usize, bytes: usize, write: bool) {
        if bytes == 0 {
            return;
        }
        let state = &mut *self.lock();
        if let Err(text) = state.memory.host_touch(Touch { addr, bytes, write }, &state.observed) {
            self.violation(text);
        }
    }

    pub(crate) fn dawdle(&self) {
        if self.options.dawdle {
            match self.lock().random(8) {
                0 => std::thread::sleep(Duration::from_micros(30)),
                1..=3 => std::thread::yield_now(),
                _ => {}
            }
        }
    }

    /// Runs every step that can run.
    pub(crate) fn run_all(&self) {
        let mut state = self.lock();
        while let Some(stream) = state.pick_any() {
            state = self.run(state, stream);
        }
    }

    /// Lets the scheduler run what it likes, after an enqueue.
    pub(crate) fn tick<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        loop {
            let goes_on = match self.options.order {
                Order::Eager => true,
                Order::Lazy => false,
                Order::Random => state.random(3) == 0,
            };
            let next = if goes_on { state.pick_any() } else { None };
            match next {
                Some(stream) => state = self.run(state, stream),
                None => return state,
            }
        }
    }

    /// Waits until the steps of `target` have ended.
    pub(crate) fn run_until<'a>(&'a self, mut state: MutexGuard<'a, State>, target: &Target) -> MutexGuard<'a, State> {
        while !state.has_ended(target) {
            let next = state.pick(target, self.options.order).or_else(|| state.pick_any());
            if let Some(stream) = next {
                state = self.run(state, stream);
                continue;
            }
            let counted = TaskFlag(&PROGRAM).get();
            if counted {
                state.waiting.push(target.clone());
            }
            let timed_out = if state.is_deadlocked() {
                true
            } else {
                let timed_out;
                (state, timed_out) = self.progress.wait_timeout(state, PATIENCE);
                timed_out
            };
            if counted && let Some(at) = state.waiting.iter().position(|waiting| waiting == target) {
                state.waiting.swap_remove(at);
            }
            if timed_out && !state.has_ended(target) && state.pick_any().is_none() {
                self.violation(format!("deadlock: nothing can run, and {target:?} is waited for"));
                state.holds.iter_mut().for_each(|open| *open = true);
                self.progress.notify_all();
                if state.pick_any().is_none() && !state.streams.iter().any(|stream| stream.running) {
                    return state;
                }
            }
        }
        state
    }

    /// Runs the first step of `stream`, which can run.
    fn run<'a>(&'a self, mut state: MutexGuard<'a, State>, stream: usize) -> MutexGuard<'a, State> {
        let work = state.streams[stream].queue.pop_front();
        match work {
            Some(Work::Host { function: Some(function), .. }) => {
                state.streams[stream].running = true;
                drop(state);
                let was = TaskFlag(&IN_HOST_FN).replace(true);
                function();
                TaskFlag(&IN_HOST_FN).replace(was);
                state = self.lock();
                state.streams[stream].running = false;
            }
            Some(work) => {
                if let Err(text) = state.perform(&work) {
                    self.violation(format!("stream {stream}: {text}"));
                }
            }
            None => return state,
        }
        state.streams[stream].done += 1;
        self.progress.notify_all();
        state
    }
}

impl State {
    /// The next of a sequence below `n`.
    pub(crate) fn random(&mut self, n: u64) -> u64 {
        // SplitMix64.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    pub(crate) fn push(&mut self, stream: usize, work: Work, touches: &[Touch]) -> Result<u64, String> {
        let target = &mut self.streams[stream];
        target.enqueued += 1;
        let step = target.enqueued;
        target.clock.raise(stream, step);
        if let Work::Wait { stream: other, step } = &work {
            target.clock.raise(*other, *step);
        }
        target.queue.push_back(work);
        let before = target.clock.clone();
        let touch = |memory: &mut Memory, touch| memory.touch(touch, stream, step, &before, &self.observed);
        touches.iter().try_for_each(|&t| touch(&mut self.memory, t)).map(|()| step)
    }

    pub(crate) fn has_ended(&self, target: &Target) -> bool {
        target.iter().all(|&(stream, step)| self.streams[stream].done >= step)
    }

    /// Everything enqueued so far.
    pub(crate) fn everything(&self) -> Target {
        self.streams.iter().enumerate().map(|(stream, state)| (stream, state.enqueued)).collect()
    }

    fn can_run(&self, stream: usize) -> bool {
        let state = &self.streams[stream];
        !state.running
            && match state.queue.front() {
                None => false,
                Some(Work::Wait { stream, step }) => self.streams[*stream].done >= *step,
                Some(Work::Host { hold: Some(hold), .. }) => self.holds[*hold],
                Some(_) => true,
            }
    }

    fn pick_any(&mut self) -> Option<usize> {
        let able: Vec<usize> = (0..self.streams.len()).filter(|&stream| self.can_run(stream)).collect();
        (!able.is_empty()).then(|| able[self.random(able.len() as u64) as usize])
    }

    /// A stream whose first step `target` needs, or any, as `order` says.
    fn pick(&mut self, target: &Target, order: Order) -> Option<usize> {
        if order == Order::Random && self.random(2) == 0 {
            return self.pick_any();
        }
        let mut needed: Vec<usize> = target.iter().filter(|t| self.streams[t.0].done < t.1).map(|t| t.0).collect();
        let mut seen = 0;
        while let Some(&stream) = needed.get(seen) {
            seen += 1;
            if self.can_run(stream) {
                return Some(stream);
            }
            if let Some(Work::Wait { stream: other, .. }) = self.streams[stream].queue.front()
                && !needed.contains(other)
            {
                needed.push(*other);
            }
        }
        None
    }

    fn is_deadlocked(&self) -> bool {
        self.waiting.len() >= self.threads
            && self.waiting.iter().all(|target| !self.has_ended(target))
            && (0..self.streams.len()).all(|stream| !self.can_run(stream) && !self.streams[stream].running)
    }

    fn perform(&mut self, work: &Work) -> Result<(), String> {
        match work {
            Work::Wait { .. } | Work::Host { .. } => Ok(()),
            Work::Download { src, bytes, data } => {
                self.memory.check(Touch { addr: src.addr(), bytes: *bytes, write: false })?;
                // SAFETY: checked to lie inside a live allocation, which is initialised.
                let read = unsafe { std::slice::from_raw_parts(src.as_ptr(), *bytes) };
                *data.lock().unwrap() = read.to_vec();
                Ok(())
            }
            Work::Fill { out, pattern, len } => {
                let size = pattern.len();
                self.memory.check(Touch { addr: out.addr(), bytes: len * size, write: true })?;
                for i in 0..*len {
                    // SAFETY: checked to lie inside a live allocation.
                    unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), out.byte_add(i * size).as_ptr(), size) };
                }
                Ok(())
            }
            Work::Copy(transfer) => {
                for (src, dst) in rows(transfer) {
                    let bytes = transfer.row_bytes;
                    self.memory.check(Touch { addr: src.addr(), bytes, write: false })?;
                    self.memory.check(Touch { addr: dst.addr(), bytes, write: true })?;
                    // SAFETY: both were checked to lie inside live allocations; `copy` allows them to overlap.
                    unsafe { std::ptr::copy(src.as_ptr(), dst.as_ptr(), bytes) };
                }
                Ok(())
            }
            Work::Upload { data, dst } => {
                self.memory.check(Touch { addr: dst.addr(), bytes: data.len(), write: true })?;
                // SAFETY: checked to lie inside a live allocation.
                unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), dst.as_ptr(), data.len()) };
                Ok(())
            }
        }
    }

    pub(crate) fn allocate(&mut self, space: Space, bytes: usize, limit: usize) -> Option<Ptr> {
        (self.memory.live_bytes() + bytes <= limit).then(|| self.memory.allocate(space, bytes))
    }
}

/// Source and destination of each run of a copy.
pub(crate) fn rows(transfer: &Transfer) -> impl Iterator<Item = (Ptr, Ptr)> {
    let &Transfer { src, dst, rows, src_pitch, dst_pitch, .. } = transfer;
    (0..rows).map(move |row| (src.byte_add(row * src_pitch), dst.byte_add(row * dst_pitch)))
}
