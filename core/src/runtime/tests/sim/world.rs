//! The simulated device's state, and what tests may ask of it and do to it.

use super::graph::GraphState;
use super::memory::{Clock, Memory, Touch};
use super::schedule::Work;
use crate::backend::Space;
use crate::operation::Ptr;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, TaskFlag, forget_locks, locks_held};
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
    /// Those of one physical device.
    OfCard(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) seed: u64,
    pub(crate) order: Order,
    pub(crate) inline: Inline,
    /// Bytes of memory.
    pub(crate) memory: usize,
    /// Whether a free waits for all work on the physical device.
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
    pub(crate) queries: usize,
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
    pub(crate) instantiate: u32,
    pub(crate) update: u32,
    /// The device is gone.
    pub(crate) lost: bool,
}

#[derive(Default)]
pub(crate) struct StreamState {
    /// The physical device.
    pub(crate) card: usize,
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
    pub(crate) graphs: Vec<GraphState>,
    pub(crate) memory: Memory,
    /// What the host knows to have ended, on whatever thread.
    pub(crate) observed: Clock,
    pub(crate) counts: Counts,
    pub(crate) refuse: Refusals,
    /// Devices that have been opened on the world and not closed.
    pub(crate) open: usize,
    /// Blocks whose free was refused: leaked, by the contract.
    pub(crate) leaked: usize,
    /// What host functions are held for: open or not.
    pub(super) holds: Vec<bool>,
    /// (stream, hold) for the next host function there.
    pub(crate) hold_next: Vec<(usize, usize)>,
    pub(super) random: u64,
    /// Threads that run the program.
    pub(super) threads: usize,
    /// Those of them that wait for steps.
    pub(super) waiting: Vec<Target>,
}

pub(crate) struct World {
    /// Tells worlds apart.
    pub(super) number: u64,
    pub(crate) options: Options,
    pub(super) state: Mutex<State>,
    pub(super) progress: Condvar,
    /// What went wrong. Of the standard library, so that it outlives an execution of shuttle.
    violations: Arc<std::sync::Mutex<Vec<String>>>,
}

thread_local! {
    pub(super) static IN_HOST_FN: RefCell<HashSet<Option<usize>>> = RefCell::default();
    /// Threads that run the program; the one that closes a device is none of them, and waits as long as it takes.
    pub(super) static PROGRAM: RefCell<HashSet<Option<usize>>> = RefCell::default();
}

static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// How long a thread waits before a deadlock is assumed that was not recognised as such.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

impl World {
    pub(crate) fn new(options: Options) -> Arc<World> {
        let state = State {
            streams: Vec::new(),
            events: Vec::new(),
            graphs: Vec::new(),
            memory: Memory::default(),
            observed: Clock::default(),
            counts: Counts::default(),
            refuse: Refusals::default(),
            open: 0,
            leaked: 0,
            holds: Vec::new(),
            hold_next: Vec::new(),
            random: options.seed,
            threads: 1,
            waiting: Vec::new(),
        };
        PROGRAM.with_borrow_mut(HashSet::clear);
        forget_locks();
        TaskFlag(&PROGRAM).replace(true);
        let violations = Arc::default();
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(World { number, options, state: Mutex::new(state), progress: Condvar::default(), violations })
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

    /// Whether this thread is inside a host function; every call is refused there. None may be made while a lock is held.
    pub(crate) fn refuses_call(&self, name: &str) -> bool {
        if locks_held() > 0 {
            self.violation(format!("{name} while a lock is held"));
        }
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

    pub(crate) fn device_opened(&self) {
        self.lock().open += 1;
    }

    pub(crate) fn device_closed(&self) {
        self.lock().open -= 1;
        self.progress.notify_all();
    }

    /// Waits until every device has been closed.
    pub(crate) fn wait_closed(&self) {
        let mut state = self.lock();
        while state.open > 0 {
            let timed_out;
            (state, timed_out) = self.progress.wait_timeout(state, PATIENCE);
            if timed_out && state.open > 0 {
                return self.violation("the device was not closed");
            }
        }
    }

    /// Nothing may be left once the device is closed.
    pub(crate) fn check_released(&self) {
        let state = self.lock();
        let streams = state.streams.iter().filter(|stream| !stream.destroyed).count();
        let events = state.events.iter().filter(|event| event.alive).count();
        let graphs = state.graphs.iter().filter(|graph| graph.alive).count();
        let blocks = state.memory.live() - state.leaked;
        drop(state);
        if (streams, events, graphs, blocks) != (0, 0, 0, 0) {
            self.violation(format!("leaked: {streams} streams, {events} events, {graphs} graphs, {blocks} blocks"));
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
}

impl State {
    pub(crate) fn allocate(&mut self, space: Space, bytes: usize, limit: usize) -> Option<Ptr> {
        (self.memory.live_bytes() + bytes <= limit).then(|| self.memory.allocate(space, bytes))
    }
}
