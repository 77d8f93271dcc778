//! Runs blocks, one at a time, on one thread of the system.
//!
//! Every thread of a block is *ready*, *waits*, or has *left*. They are run one after the other on one stack; a thread that comes to wait
//! keeps the stack, and the next goes on with its own, or starts on another. So a block whose threads never wait is a loop of calls.
//! Whoever completes what others wait for makes them ready. Nobody ready and somebody waiting is an error of the kernel.

use super::abi;
use super::access::{self, Shared};
use super::launch::Work;
use super::stack::{Stacks, switch};
use std::ffi::c_void;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The largest block.
pub(super) const MAX_THREADS: usize = 1024;
/// A thread that has not started.
const NO_STACK: u32 = u32::MAX;
/// For how long an instrumented kernel may wait for another block.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    Nothing,
    Barrier,
    WarpBarrier,
    Ballot,
    Shuffle,
    Left,
}

impl Wait {
    fn as_str(self) -> &'static str {
        match self {
            Wait::Nothing => "runs",
            Wait::Barrier => "waits at a barrier of its block",
            Wait::WarpBarrier => "waits at a barrier of its warp",
            Wait::Ballot => "waits for its warp in a ballot",
            Wait::Shuffle => "waits for its warp in a shuffle",
            Wait::Left => "has left the kernel",
        }
    }
}

/// A thread of the block.
#[repr(C)]
#[derive(Debug)]
struct Thread {
    /// First: a kernel knows a thread by it.
    place: abi::Thread,
    number: u32,
    stack: u32,
    wait: Wait,
    /// Where it goes on.
    sp: *mut u8,
}

/// The lanes of a warp, by bits.
#[derive(Debug)]
struct Warp {
    ready: u64,
    /// Those that have not left.
    live: u64,
    /// Those that wait for the warp.
    met: u64,
    wait: Wait,
    /// Which of two sets of values the next meeting uses: lanes may still read the other.
    parity: usize,
    values: [[u32; 64]; 2],
    ballots: [u64; 2],
    took_part: [u64; 2],
}

/// A thread of the system, for blocks. What kernels reach of it they reach through pointers, so it does not move, and no reference to it
/// lives while a kernel runs.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Worker {
    /// First: a kernel knows the worker by it.
    head: abi::Block,
    work: *const Work,
    threads: Vec<Thread>,
    warps: Vec<Warp>,
    warp: u32,
    current: usize,
    /// Threads that have not left.
    left: usize,
    /// Threads at the block's barrier.
    arrived: usize,
    stacks: Stacks,
    /// Where the worker itself goes on when the block has ended.
    main: *mut u8,
    /// The module's variable for the running thread.
    slot: *mut *mut abi::Thread,
    pub(super) shared: Shared,
    random: u64,
    seeded: bool,
    spins: u32,
    spinning_since: Option<Instant>,
    /// The range of the last access that was found good.
    pub(super) last: (usize, usize),
    fault: Option<String>,
}

static CALLS: abi::Calls = abi::Calls { barrier, warp_barrier, ballot, shuffle, spin, shared, access };

impl Worker {
    pub(super) fn new() -> Option<Box<Self>> {
        let head = abi::Block {
            calls: &CALLS,
            dynamic_shared: std::ptr::null_mut(),
            block: [0; 3],
            blocks: [0; 3],
            threads: [0; 3],
        };
        Some(Box::new(Worker {
            head,
            work: std::ptr::null(),
            threads: Vec::with_capacity(MAX_THREADS),
            warps: Vec::with_capacity(MAX_THREADS / 32),
            warp: 32,
            current: 0,
            left: 0,
            arrived: 0,
            stacks: Stacks::default(),
            main: std::ptr::null_mut(),
            slot: std::ptr::null_mut(),
            shared: Shared::new()?,
            random: 0,
            seeded: false,
            spins: 0,
            spinning_since: None,
            last: (0, 0),
            fault: None,
        }))
    }

    /// Gets ready for the blocks of a launch.
    ///
    /// # Safety
    /// The work stays where it is, and its module loaded, until the last call of [`run`](Self::run) for it has returned.
    pub(super) unsafe fn begin(this: *mut Self, work: &Work) {
        // SAFETY: the caller's worker, on which nothing runs.
        let worker = unsafe { &mut *this };
        worker.work = work;
        worker.head.blocks = work.grid;
        worker.head.threads = work.threads;
        worker.head.dynamic_shared = worker.shared.begin(work.shared as usize, work.seed.is_some()).cast();
        worker.seeded = work.seed.is_some();
        worker.last = (0, 0);
        worker.fault = None;
        if work.module.plain {
            return;
        }
        // SAFETY: a function of a module that is loaded, as the caller says.
        worker.slot = unsafe { (work.module.current)() };
        worker.warp = work.module.warp;
        let [nx, ny, nz] = work.threads;
        worker.threads.clear();
        for number in 0..nx * ny * nz {
            let index = [number % nx, number / nx % ny, number / nx / ny];
            let place = abi::Thread { block: this.cast(), index, lane: number % worker.warp };
            let sp = std::ptr::null_mut();
            worker.threads.push(Thread { place, number, stack: NO_STACK, wait: Wait::Nothing, sp });
        }
        worker.warps.clear();
        for _ in 0..worker.threads.len().div_ceil(worker.warp as usize) {
            worker.warps.push(Warp {
                ready: 0,
                live: 0,
                met: 0,
                wait: Wait::Nothing,
                parity: 0,
                values: [[0; 64]; 2],
                ballots: [0; 2],
                took_part: [0; 2],
            });
        }
    }

    /// Runs a block.
    ///
    /// # Safety
    /// After [`begin`](Self::begin), with the work's arguments what its kernel may be called with.
    pub(super) unsafe fn run(this: *mut Self, block: [u32; 3], number: u64) -> Result<(), String> {
        // SAFETY: the caller's worker; nothing else uses it while the block has not started.
        let worker = unsafe { &mut *this };
        // SAFETY: set by `begin`, and there as its caller says.
        let work = unsafe { &*worker.work };
        worker.head.block = block;
        if work.module.plain {
            // SAFETY: the caller's.
            unsafe { (work.run)(&raw const (*this).head, work.args.as_ptr()) };
            return Ok(());
        }
        worker.reset(work, number);
        let first = match worker.seeded {
            true => worker.choose(),
            false => 0,
        };
        let Some(stack) = worker.stacks.take() else { return Err("there is no memory for a stack".into()) };
        worker.set_current(first, stack);
        // SAFETY: a stack just taken; the entry takes a worker.
        let to = unsafe { worker.stacks.prepare(stack, main, this.cast()) };
        // SAFETY: made by `prepare`. The worker is used through `this` alone until this returns.
        unsafe { switch(&raw mut (*this).main, to) };
        // SAFETY: the block has ended.
        let worker = unsafe { &mut *this };
        worker.stacks.give_all();
        // SAFETY: the module's variable, of this thread of the system.
        unsafe { *worker.slot = std::ptr::null_mut() };
        worker.fault.take().map_or(Ok(()), Err)
    }

    fn reset(&mut self, work: &Work, number: u64) {
        let lanes = self.warp as usize;
        self.left = self.threads.len();
        self.arrived = 0;
        self.spinning_since = None;
        for thread in &mut self.threads {
            (thread.stack, thread.wait) = (NO_STACK, Wait::Nothing);
        }
        for (i, warp) in self.warps.iter_mut().enumerate() {
            let count = (self.threads.len() - i * lanes).min(lanes);
            let all = u64::MAX >> (64 - count);
            (warp.ready, warp.live, warp.met, warp.ballots) = (all, all, 0, [0; 2]);
        }
        if let Some(seed) = work.seed {
            self.shared.poison();
            // Never 0, from where the generator does not come away.
            self.random = (seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1 << 40;
            self.random();
        }
    }

    /// xorshift64*.
    fn random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A thread of those ready, if any; 0 if not.
    fn choose(&mut self) -> usize {
        let start = self.random() as usize % self.threads.len();
        self.ready_after(start).unwrap_or(0)
    }

    /// The first thread that is ready behind thread `number`, round to itself.
    fn ready_after(&self, number: usize) -> Option<usize> {
        let lanes = self.warp as usize;
        let (warp, lane) = (number / lanes, number % lanes);
        let above = self.warps[warp].ready & !(u64::MAX >> (63 - lane));
        if above != 0 {
            return Some(warp * lanes + above.trailing_zeros() as usize);
        }
        let count = self.warps.len();
        (1..=count).find_map(|i| {
            let other = if warp + i < count { warp + i } else { warp + i - count };
            let ready = self.warps[other].ready;
            (ready != 0).then(|| other * lanes + ready.trailing_zeros() as usize)
        })
    }

    /// The thread to go on with after `number`, which is not ready any more.
    fn next(&mut self, number: usize, in_warp: bool) -> Option<usize> {
        if self.seeded {
            let start = self.random() as usize % self.threads.len();
            return self.ready_after(start);
        }
        if in_warp {
            // What a warp needs is in the caches while its lanes go round.
            let lanes = self.warp as usize;
            let (warp, lane) = (number / lanes, number % lanes);
            let ready = self.warps[warp].ready;
            if ready != 0 {
                let above = ready & !(u64::MAX >> (63 - lane));
                let from = if above != 0 { above } else { ready };
                return Some(warp * lanes + from.trailing_zeros() as usize);
            }
        }
        self.ready_after(number)
    }

    fn set_current(&mut self, number: usize, stack: u32) {
        let lanes = self.warp as usize;
        self.warps[number / lanes].ready &= !(1 << (number % lanes));
        let thread = &mut self.threads[number];
        thread.stack = stack;
        self.current = number;
        // SAFETY: the module's variable, of this thread of the system.
        unsafe { *self.slot = &raw mut thread.place };
    }

    fn set_ready(&mut self, number: usize) {
        let lanes = self.warp as usize;
        self.warps[number / lanes].ready |= 1 << (number % lanes);
    }

    /// Makes the lanes of a warp ready that have met.
    fn complete_warp(&mut self, warp: usize) {
        let lanes = self.warp as usize;
        let warp_state = &mut self.warps[warp];
        let met = warp_state.met;
        warp_state.took_part[warp_state.parity] = met;
        warp_state.parity ^= 1;
        // Nobody reads these any more: all have come past the meeting before this one.
        warp_state.ballots[warp_state.parity] = 0;
        (warp_state.met, warp_state.ready) = (0, warp_state.ready | met);
        let mut rest = met;
        while rest != 0 {
            self.threads[warp * lanes + rest.trailing_zeros() as usize].wait = Wait::Nothing;
            rest &= rest - 1;
        }
    }

    /// The running thread has left the kernel.
    fn leave(&mut self) {
        let lanes = self.warp as usize;
        let number = self.current;
        let warp = number / lanes;
        self.threads[number].wait = Wait::Left;
        self.left -= 1;
        self.warps[warp].live &= !(1 << (number % lanes));
        if self.warps[warp].met != 0 && self.warps[warp].met == self.warps[warp].live {
            self.complete_warp(warp);
        }
        self.progress();
    }

    /// Something has happened in the block.
    fn progress(&mut self) {
        (self.spins, self.spinning_since) = (0, None);
    }

    /// Where in the kernel a thread is.
    pub(super) fn place(&self, number: usize) -> String {
        let ([x, y, z], [i, j, k]) = (self.head.block, self.threads[number].place.index);
        format!("block ({x}, {y}, {z}), thread ({i}, {j}, {k})")
    }

    pub(super) fn work(&self) -> &Work {
        // SAFETY: set by `begin`, and there for as long as the worker runs it.
        unsafe { &*self.work }
    }

    /// The bytes of the running thread's stack.
    pub(super) fn stack(&self) -> (usize, usize) {
        self.stacks.bounds(self.threads[self.current].stack)
    }

    /// Memory of the executor's own that a module reads.
    pub(super) fn own(&self) -> [(usize, usize); 4] {
        let head = &raw const self.head as usize;
        let (threads, slot) = (self.threads.as_ptr() as usize, self.slot as usize);
        let calls = &raw const CALLS as usize;
        [
            (head, head + size_of::<abi::Block>()),
            (threads, threads + self.threads.len() * size_of::<Thread>()),
            (slot, slot + size_of::<usize>()),
            (calls, calls + size_of::<abi::Calls>()),
        ]
    }

    /// Says who waits for whom, when nobody is ready.
    fn deadlock(&self) -> String {
        let waits = self.threads.iter().position(|t| !matches!(t.wait, Wait::Nothing | Wait::Left)).unwrap_or(0);
        let wait = self.threads[waits].wait;
        let lanes = self.warp as usize;
        let range = match wait {
            Wait::Barrier => 0..self.threads.len(),
            _ => waits / lanes * lanes..(waits / lanes * lanes + lanes).min(self.threads.len()),
        };
        let mut text = format!("{}: the thread {}", self.place(waits), wait.as_str());
        let other = range.into_iter().find(|&i| {
            let other = self.threads[i].wait;
            other != wait && other != Wait::Nothing && (other != Wait::Left || wait == Wait::Barrier)
        });
        if let Some(other) = other {
            let ([i, j, k], is) = (self.threads[other].place.index, self.threads[other].wait.as_str());
            let _ = write!(text, ", which thread ({i}, {j}, {k}) does not reach: it {is}");
        }
        text
    }
}

/// Ends the block with an error, and what runs with it.
///
/// # Safety
/// Called on the stack of a thread of this worker's block. The caller owns nothing that has to be dropped.
pub(super) unsafe fn fail(this: *mut Worker, what: String) -> ! {
    let mut scrap = std::ptr::null_mut();
    // SAFETY: `run` waits there; what is left on the stacks is not used again.
    unsafe {
        (*this).fault = Some(what);
        switch(&mut scrap, (*this).main);
    }
    std::process::abort()
}

/// What a stack starts with: runs threads until it comes to one that goes on on another stack.
unsafe extern "C" fn main(this: *mut c_void) -> ! {
    let this = this.cast::<Worker>();
    // SAFETY: `this` is the worker whose block runs, on one thread of the system, so each reference made here is the only one: none is
    // held over a call of the kernel or a switch.
    unsafe {
        loop {
            let work = (*this).work;
            ((*work).run)(&raw const (*this).head, (*work).args.as_ptr());
            let worker = &mut *this;
            worker.leave();
            let number = worker.current;
            let stack = worker.threads[number].stack;
            match worker.next(number, false) {
                Some(next) if worker.threads[next].stack == NO_STACK => worker.set_current(next, stack),
                Some(next) => {
                    worker.stacks.give(stack);
                    let Thread { stack, sp, .. } = worker.threads[next];
                    worker.set_current(next, stack);
                    let mut scrap = std::ptr::null_mut();
                    switch(&mut scrap, sp);
                }
                None if worker.left == 0 => {
                    let mut scrap = std::ptr::null_mut();
                    switch(&mut scrap, worker.main);
                }
                None => {
                    let what = worker.deadlock();
                    fail(this, what);
                }
            }
        }
    }
}

/// The running thread waits: goes on with another one; returns when it is its turn again.
///
/// # Safety
/// Called on the stack of the running thread.
unsafe fn suspend(this: *mut Worker, in_warp: bool) {
    // SAFETY: as in `main`.
    unsafe {
        let worker = &mut *this;
        let number = worker.current;
        let Some(next) = worker.next(number, in_warp) else {
            let what = worker.deadlock();
            fail(this, what)
        };
        if next == number {
            let stack = worker.threads[number].stack;
            return worker.set_current(number, stack);
        }
        let Thread { mut stack, mut sp, .. } = worker.threads[next];
        if stack == NO_STACK {
            let Some(new) = worker.stacks.take() else { fail(this, "there is no memory for a stack".into()) };
            (stack, sp) = (new, worker.stacks.prepare(new, main, this.cast()));
        }
        worker.set_current(next, stack);
        let save = &raw mut worker.threads[number].sp;
        switch(save, sp);
    }
}

/// The running thread lets others go first.
///
/// # Safety
/// As for [`suspend`].
unsafe fn give_way(this: *mut Worker) {
    // SAFETY: as in `main`.
    unsafe {
        let number = (*this).current;
        (*this).set_ready(number);
        suspend(this, false);
    }
}

unsafe extern "C" fn barrier(thread: *mut abi::Thread) {
    // SAFETY: a kernel calls this on the stack of its running thread, with what identifies it.
    unsafe {
        let this = (*thread).block.cast_mut().cast::<Worker>();
        let worker = &mut *this;
        worker.arrived += 1;
        worker.progress();
        if worker.arrived < worker.threads.len() {
            let number = worker.current;
            worker.threads[number].wait = Wait::Barrier;
            return suspend(this, false);
        }
        worker.arrived = 0;
        let number = worker.current;
        for thread in &mut worker.threads {
            thread.wait = Wait::Nothing;
        }
        for warp in &mut worker.warps {
            warp.ready = warp.live;
        }
        let lanes = worker.warp as usize;
        worker.warps[number / lanes].ready &= !(1 << (number % lanes));
        if worker.seeded && worker.random() & 1 == 0 {
            give_way(this);
        }
    }
}

/// The lanes of a warp meet; gives which of the two sets of values they have used.
unsafe fn meet(this: *mut Worker, wait: Wait, put: impl FnOnce(&mut Warp, usize, usize)) -> (usize, usize) {
    // SAFETY: as in `main`.
    unsafe {
        let worker = &mut *this;
        worker.progress();
        let (number, lanes) = (worker.current, worker.warp as usize);
        let (index, lane) = (number / lanes, number % lanes);
        let warp = &mut worker.warps[index];
        let parity = warp.parity;
        if warp.met != 0 && warp.wait != wait {
            worker.threads[number].wait = wait;
            let what = worker.deadlock();
            fail(this, what);
        }
        put(warp, parity, lane);
        warp.wait = wait;
        warp.met |= 1 << lane;
        worker.threads[number].wait = wait;
        if warp.met != warp.live {
            suspend(this, true);
        } else {
            worker.complete_warp(index);
            worker.warps[index].ready &= !(1 << lane);
            if worker.seeded && worker.random() & 1 == 0 {
                give_way(this);
            }
        }
        (index, parity)
    }
}

unsafe extern "C" fn warp_barrier(thread: *mut abi::Thread) {
    // SAFETY: as for `barrier`.
    unsafe {
        meet((*thread).block.cast_mut().cast::<Worker>(), Wait::WarpBarrier, |_, _, _| {});
    }
}

unsafe extern "C" fn ballot(thread: *mut abi::Thread, condition: u32) -> u64 {
    // SAFETY: as for `barrier`.
    unsafe {
        let this = (*thread).block.cast_mut().cast::<Worker>();
        let put = |warp: &mut Warp, parity: usize, lane| warp.ballots[parity] |= u64::from(condition != 0) << lane;
        let (warp, parity) = meet(this, Wait::Ballot, put);
        let warp = &(&(*this).warps)[warp];
        warp.ballots[parity]
    }
}

unsafe extern "C" fn shuffle(thread: *mut abi::Thread, value: u32, lane: u32) -> u32 {
    // SAFETY: as for `barrier`.
    unsafe {
        let this = (*thread).block.cast_mut().cast::<Worker>();
        let put = |warp: &mut Warp, parity: usize, own: usize| warp.values[parity][own] = value;
        let (warp, parity) = meet(this, Wait::Shuffle, put);
        let from = (lane & ((*this).warp - 1)) as usize;
        let warp = &(&(*this).warps)[warp];
        if (*this).seeded && warp.took_part[parity] >> from & 1 == 0 {
            // Not defined, so nobody may use it.
            return 0xffff_ffff;
        }
        warp.values[parity][from]
    }
}

unsafe extern "C" fn spin(thread: *mut abi::Thread) {
    // SAFETY: as for `barrier`.
    unsafe {
        let this = (*thread).block.cast_mut().cast::<Worker>();
        let worker = &mut *this;
        worker.spins += 1;
        // As often as there are threads: nobody of this block has done anything else meanwhile.
        if worker.spins as usize >= worker.left.min(64) {
            worker.spins = 0;
            if worker.work().has_failed() {
                fail(this, String::new());
            }
            std::thread::yield_now();
            if worker.seeded && worker.spinning_since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                let place = worker.place(worker.current);
                fail(this, format!("{place}: has been waiting for another block for {PATIENCE:?}"));
            }
        }
        give_way(this);
    }
}

unsafe extern "C" fn shared(block: *const abi::Block, site: *const c_void, bytes: u64, align: u64) -> *mut c_void {
    // SAFETY: as for `barrier`; `block` is the head of its worker.
    unsafe {
        let this = block.cast_mut().cast::<Worker>();
        match (*this).shared.array(site as usize, bytes as usize, align as usize) {
            Ok(array) => array.cast(),
            Err(what) => {
                let what = format!("{}: {what}", (*this).place((*this).current));
                fail(this, what)
            }
        }
    }
}

unsafe extern "C" fn access(thread: *mut abi::Thread, at: *const c_void, bytes: u64, write: u32) {
    // SAFETY: as for `barrier`.
    unsafe {
        let this = (*thread).block.cast_mut().cast::<Worker>();
        let worker = &mut *this;
        let (at, bytes) = (at as usize, bytes as usize);
        let known = worker.last.0 <= at && at.wrapping_add(bytes) <= worker.last.1;
        if !known && let Err(what) = access::find(worker, at, bytes, write != 0) {
            let what = format!("{}: {what}", worker.place(worker.current));
            fail(this, what);
        }
        // Whoever relies on the order of two threads without waiting finds out here.
        if worker.seeded && worker.random() & 63 == 0 {
            give_way(this);
        }
    }
}
