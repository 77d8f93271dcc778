//! Runs blocks, one at a time, on one thread of the system.
//!
//! Every thread of a block is *ready*, *waits*, or has *left*. They are run one after the other on one stack; a thread that comes to wait
//! keeps the stack, and the next goes on with its own, or starts on another. So a block whose threads never wait is a loop of calls.
//! Whoever completes what others wait for makes them ready. Nobody ready and somebody waiting is an error of the kernel.

use super::abi;
use super::access::Shared;
use super::calls::CALLS;
use super::launch::Work;
use super::schedule::{NO_STACK, Thread, Wait, Warp};
use super::stack::{Stacks, resume, switch};
use std::ffi::c_void;
use std::ops::Range;
use std::time::Instant;

/// How often a block with a seed is held up after an atomic access, so that others see what it has said and not yet done.
const PAUSES: u32 = 4;
/// The largest block.
pub(super) const MAX_THREADS: usize = 1024;

/// A thread of the system, for blocks. What kernels reach of it they reach through pointers, so it does not move, and no reference to it
/// lives while a kernel runs.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Worker {
    /// First: a kernel knows the worker by it.
    pub(super) head: abi::Block,
    /// Where the worker itself goes on when the block has ended; below it is free while one runs.
    pub(super) main: *mut u8,
    pub(super) work: *const Work,
    pub(super) threads: Vec<Thread>,
    pub(super) warps: Vec<Warp>,
    pub(super) warp: u32,
    pub(super) current: usize,
    /// Threads that have not left.
    pub(super) left: usize,
    /// Threads at the block's barrier.
    pub(super) arrived: usize,
    pub(super) stacks: Stacks,
    /// The module's variable for the running thread.
    pub(super) slot: *mut *mut abi::Thread,
    pub(super) shared: Shared,
    pub(super) random: u64,
    pub(super) seeded: bool,
    /// Threads that only run while no other can.
    pub(super) starved: Range<usize>,
    pub(super) spins: u32,
    pub(super) spinning_since: Option<Instant>,
    /// How often it has looked in vain since all blocks only wait.
    pub(super) looks: u32,
    /// Times that the block may yet be held up after an atomic access, and whether it is to be at the next turn.
    pub(super) pauses: u32,
    pub(super) pause: bool,
    pub(super) fault: Option<String>,
    /// Which of the head's known ranges is replaced next.
    pub(super) oldest: usize,
}

impl Worker {
    pub(super) fn new() -> Option<Box<Self>> {
        let head = abi::Block {
            calls: &CALLS,
            dynamic_shared: std::ptr::null_mut(),
            known: [[0; 2]; 4],
            quiet: 0,
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
            starved: 0..0,
            spins: 0,
            spinning_since: None,
            looks: 0,
            pauses: 0,
            pause: false,
            fault: None,
            oldest: 0,
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
        worker.head.known = [[0; 2]; 4];
        worker.fault = None;
        // Also where the kernel needs no such variable: this is when the system makes those that it has. glibc before 2.40 may change vector
        // registers then, in a kernel that has values in them if it were there that they are first used.
        // SAFETY: a function of a module that is loaded, as the caller says.
        worker.slot = unsafe { (work.module.current)() };
        if work.module.plain {
            return;
        }
        worker.warp = work.module.warp;
        let [nx, ny, nz] = work.threads;
        worker.threads.clear();
        for number in 0..nx * ny * nz {
            let index = [number % nx, number / nx % ny, number / nx / ny];
            let place = abi::Thread { block: this.cast(), index, lane: number % worker.warp };
            let (sp, out) = (std::ptr::null_mut(), std::ptr::null_mut());
            let (stack, wait) = (NO_STACK, Wait::Nothing);
            worker.threads.push(Thread { place, stack, wait, sp, value: 0, out, from: 0 });
        }
        worker.warps.clear();
        for _ in 0..worker.threads.len().div_ceil(worker.warp as usize) {
            worker.warps.push(Warp { ready: 0, live: 0, met: 0, wait: Wait::Nothing });
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
        let to = unsafe { worker.stacks.prepare(stack, enter, this.cast()) };
        // SAFETY: made by `prepare`. The worker is used through `this` alone until this returns.
        unsafe { switch(&raw mut (*this).main, to) };
        // SAFETY: the block has ended.
        let worker = unsafe { &mut *this };
        match worker.fault {
            None => worker.stacks.give_all(),
            Some(_) => worker.stacks.mend_all(),
        }
        worker.progress();
        // SAFETY: the module's variable, of this thread of the system.
        unsafe { *worker.slot = std::ptr::null_mut() };
        worker.fault.take().map_or(Ok(()), Err)
    }

    fn reset(&mut self, work: &Work, number: u64) {
        let lanes = self.warp as usize;
        self.left = self.threads.len();
        self.arrived = 0;
        for thread in &mut self.threads {
            (thread.stack, thread.wait) = (NO_STACK, Wait::Nothing);
        }
        for (i, warp) in self.warps.iter_mut().enumerate() {
            let count = (self.threads.len() - i * lanes).min(lanes);
            let all = u64::MAX >> (64 - count);
            (warp.ready, warp.live, warp.met) = (all, all, 0);
        }
        if let Some(seed) = work.seed {
            // Never 0, from where the generator does not come away.
            self.random = (seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1 << 40;
            self.random();
            (self.pauses, self.pause) = (PAUSES, false);
            self.choose_starved();
            let zeros = self.random() & 1 == 0;
            self.shared.poison(zeros);
        }
    }
}

/// What a stack starts with: runs threads until it comes to one that goes on on another stack.
pub(super) unsafe extern "C" fn enter(this: *mut c_void) -> ! {
    let this = this.cast::<Worker>();
    loop {
        // SAFETY: `this` is the worker whose block runs. Nobody else uses it on this thread of the system while a call here is under way,
        // and no reference to it is held over the kernel or a switch. Where to switch to comes from the worker, and this stack is free then.
        unsafe {
            let work = (*this).work;
            ((*work).run)(&raw const (*this).head, (*work).args.as_ptr());
            let to = (*this).leave();
            if !to.is_null() {
                resume(to);
            }
        }
    }
}
