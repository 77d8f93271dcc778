//! Which thread of a block runs next, and what each waits for.

use super::abi;
use super::calls::complete;
use super::launch::Work;
use super::stack::{SIZE, prefetch};
use super::worker::{Worker, enter};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How long a block is held up.
const PAUSE: Duration = Duration::from_micros(20);
/// A thread that has not started.
pub(super) const NO_STACK: u32 = u32::MAX;
/// For how long a block of an instrumented kernel may wait for another one.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same, while no block does anything but wait for another one, and how often each has to look in vain from then on.
const PATIENCE_OF_ALL: Duration = Duration::from_secs(1);
const LOOKS: u32 = 100;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    Nothing,
    Barrier,
    WarpBarrier,
    Ballot,
    Shuffle { bytes: u32 },
    Left,
}

impl Wait {
    fn as_str(self) -> &'static str {
        match self {
            Wait::Nothing => "runs",
            Wait::Barrier => "waits at a barrier of its block",
            Wait::WarpBarrier => "waits at a barrier of its warp",
            Wait::Ballot => "waits for its warp in a ballot",
            Wait::Shuffle { .. } => "waits for its warp in a shuffle",
            Wait::Left => "has left the kernel",
        }
    }
}

/// A thread of the block; a line of the cache.
#[repr(C, align(64))]
#[derive(Debug)]
pub(super) struct Thread {
    /// First: a kernel knows a thread by it.
    pub(super) place: abi::Thread,
    /// Where it goes on.
    pub(super) sp: *mut u8,
    pub(super) stack: u32,
    /// What it waits for, if it is not ready.
    pub(super) wait: Wait,
    /// What a lane has for its warp, where it takes what comes of it, and from which lane.
    pub(super) from: u32,
    pub(super) value: u64,
    pub(super) out: *mut u8,
}

/// The lanes of a warp, by bits.
#[derive(Debug)]
pub(super) struct Warp {
    pub(super) ready: u64,
    /// Those that have not left.
    pub(super) live: u64,
    /// Those that wait for the warp, all for the same.
    pub(super) met: u64,
    pub(super) wait: Wait,
}

impl Worker {
    /// A thread's warp and lane.
    #[inline(always)]
    pub(super) fn split(&self, number: usize) -> (usize, usize) {
        // A division would take longer than all the rest.
        let shift = if self.warp == 64 { 6 } else { 5 };
        (number >> shift, number & ((1 << shift) - 1))
    }

    /// xorshift64*.
    pub(super) fn random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A thread of those ready, if any; 0 if not.
    pub(super) fn choose(&mut self) -> usize {
        let start = self.random() as usize % self.threads.len();
        self.ready_after(start).unwrap_or(0)
    }

    /// Chooses the threads that only run while no other can: none, one, or a warp. In an order that is fair to all, nobody is ever so late
    /// that another has come round a whole loop meanwhile; and the first are those on whom most often something depends.
    pub(super) fn choose_starved(&mut self) {
        let (kind, which) = (self.random() % 4, self.random() as usize);
        let which = if self.random() & 1 == 0 { 0 } else { which };
        let (count, lanes) = (self.threads.len(), self.warp as usize);
        self.starved = match kind {
            0 => 0..0,
            1 => which % count..which % count + 1,
            2 => {
                let first = which % count / lanes * lanes;
                first..(first + lanes).min(count)
            }
            // All but the first warp, as far as there are others.
            _ => lanes.min(count)..count,
        };
    }

    /// The first thread that is ready behind thread `number`, round to itself.
    #[inline(always)]
    fn ready_after(&self, number: usize) -> Option<usize> {
        let (warp, lane) = self.split(number);
        let above = self.warps[warp].ready & !(u64::MAX >> (63 - lane));
        if above != 0 {
            return Some(number - lane + above.trailing_zeros() as usize);
        }
        self.ready_in_next_warp(warp)
    }

    #[inline(never)]
    fn ready_in_next_warp(&self, warp: usize) -> Option<usize> {
        let count = self.warps.len();
        (1..=count).find_map(|i| {
            let other = if warp + i < count { warp + i } else { warp + i - count };
            let ready = self.warps[other].ready;
            (ready != 0).then(|| other * self.warp as usize + ready.trailing_zeros() as usize)
        })
    }

    /// The thread to go on with after `number`, which is not ready any more.
    #[inline(always)]
    fn next(&mut self, number: usize, in_warp: bool) -> Option<usize> {
        if self.seeded {
            if self.pause {
                self.pause = false;
                std::thread::sleep(PAUSE);
            }
            let start = self.random() as usize % self.threads.len();
            let next = self.ready_after(start)?;
            if !self.starved.contains(&next) {
                return Some(next);
            }
            // The first that is ready behind those starved is one of them if nobody else is.
            return self.ready_after((self.starved.end - 1).min(self.threads.len() - 1));
        }
        if in_warp {
            // What a warp needs is in the caches while its lanes go round.
            let (warp, lane) = self.split(number);
            let ready = self.warps[warp].ready;
            if ready != 0 {
                let above = ready & !(u64::MAX >> (63 - lane));
                let from = if above != 0 { above } else { ready };
                return Some(number - lane + from.trailing_zeros() as usize);
            }
        }
        self.ready_after(number)
    }

    #[inline(always)]
    pub(super) fn set_current(&mut self, number: usize, stack: u32) {
        let (warp, lane) = self.split(number);
        self.warps[warp].ready &= !(1 << lane);
        let thread = &mut self.threads[number];
        thread.stack = stack;
        self.current = number;
        // SAFETY: the module's variable, of this thread of the system.
        unsafe { *self.slot = &raw mut thread.place };
    }

    pub(super) fn set_ready(&mut self, number: usize) {
        let (warp, lane) = self.split(number);
        self.warps[warp].ready |= 1 << lane;
    }

    /// The running thread, which is to go on at `sp`, waits; gives where to go on instead.
    #[inline(always)]
    pub(super) fn suspend(&mut self, sp: *mut u8, in_warp: bool) -> *mut u8 {
        let number = self.current;
        if !self.stacks.holds(self.threads[number].stack, sp) {
            return self.overflowed();
        }
        self.threads[number].sp = sp;
        match self.next(number, in_warp) {
            Some(next) => self.go_on(next),
            None => {
                let what = self.deadlock();
                self.fail(what)
            }
        }
    }

    /// The running thread lets others go first.
    pub(super) fn give_way(&mut self, sp: *mut u8) -> *mut u8 {
        self.set_ready(self.current);
        self.suspend(sp, false)
    }

    /// The thread runs from now on; gives where.
    #[inline(always)]
    fn go_on(&mut self, number: usize) -> *mut u8 {
        // Where its successors go on will be needed soon, and as every stack has pages of its own it takes long to come.
        if let Some(soon) = self.threads.get(number + 3) {
            prefetch(soon.sp);
            prefetch(soon.sp.wrapping_add(64));
        }
        let Thread { stack, sp, .. } = self.threads[number];
        if stack == NO_STACK {
            return self.start(number);
        }
        self.set_current(number, stack);
        sp
    }

    /// The thread starts on a stack of its own.
    #[inline(never)]
    fn start(&mut self, number: usize) -> *mut u8 {
        let Some(stack) = self.stacks.take() else { return self.fail("there is no memory for a stack".into()) };
        self.set_current(number, stack);
        let this = (&raw mut *self).cast();
        // SAFETY: a stack just taken; the entry takes a worker.
        unsafe { self.stacks.prepare(stack, enter, this) }
    }

    /// Ends the block with an error, and whatever runs with it: where to go on then. Nothing is said if `what` is empty.
    pub(super) fn fail(&mut self, what: String) -> *mut u8 {
        self.fault = Some(what);
        self.main
    }

    /// The running thread has left the kernel. Where to go on; null if another thread starts on the same stack.
    pub(super) fn leave(&mut self) -> *mut u8 {
        let number = self.current;
        let stack = self.threads[number].stack;
        if let Some(soon) = self.threads.get(number + 8) {
            self.stacks.prefetch_canary(soon.stack);
        }
        if !self.stacks.is_intact(stack) {
            return self.overflowed();
        }
        self.mark_left();
        match self.next(number, false) {
            Some(next) if self.threads[next].stack == NO_STACK => {
                self.set_current(next, stack);
                std::ptr::null_mut()
            }
            Some(next) => {
                self.stacks.give(stack);
                self.go_on(next)
            }
            None if self.left == 0 => self.main,
            None => {
                let what = self.deadlock();
                self.fail(what)
            }
        }
    }

    /// The running thread has written below its stack, into what is no other's.
    #[cold]
    fn overflowed(&mut self) -> *mut u8 {
        let what = format!("{}: more than {} KiB of stack, which is all that a thread has", self.place(), SIZE >> 10);
        self.fail(what)
    }

    fn mark_left(&mut self) {
        let number = self.current;
        let (warp, lane) = self.split(number);
        self.threads[number].wait = Wait::Left;
        self.left -= 1;
        self.warps[warp].live &= !(1 << lane);
        if self.warps[warp].met != 0 && self.warps[warp].met == self.warps[warp].live {
            complete(self, warp);
        }
        self.progress();
    }

    /// Something has happened in the block.
    #[inline(always)]
    pub(super) fn progress(&mut self) {
        self.spins = 0;
        if self.spinning_since.is_some() {
            self.spinning_since = None;
            self.work().waiting(false);
        }
    }

    /// Where in the kernel a thread is.
    pub(super) fn place(&self) -> String {
        self.place_of(self.current)
    }

    fn place_of(&self, number: usize) -> String {
        let ([x, y, z], [i, j, k]) = (self.head.block, self.threads[number].place.index);
        format!("block ({x}, {y}, {z}), thread ({i}, {j}, {k})")
    }

    /// The number of the block that runs.
    pub(super) fn block_number(&self) -> u64 {
        let ([x, y, z], [nx, ny, _]) = (self.head.block.map(u64::from), self.head.blocks.map(u64::from));
        x + nx * (y + ny * z)
    }

    pub(super) fn work(&self) -> &Work {
        // SAFETY: set by `begin`, and there for as long as the worker runs it.
        unsafe { &*self.work }
    }

    /// The bytes of the running thread's stack.
    pub(super) fn stack(&self) -> (usize, usize) {
        self.stacks.bounds(self.threads[self.current].stack)
    }

    /// The running thread waits for another block: whether it may go on doing so.
    pub(super) fn may_spin(&mut self) -> Result<(), String> {
        self.spins += 1;
        // As often as there are threads: nobody of this block has done anything else meanwhile.
        if self.spins as usize >= self.left.min(64) {
            self.spins = 0;
            // Who is starved may be who is waited for.
            self.starved = 0..0;
            if self.work().has_failed() {
                return Err(String::new());
            }
            std::thread::yield_now();
            if self.seeded {
                let waited = match self.spinning_since {
                    Some(since) => since.elapsed(),
                    None => {
                        self.spinning_since = Some(Instant::now());
                        self.looks = 0;
                        self.work().waiting(true);
                        Duration::ZERO
                    }
                };
                let stuck = waited > PATIENCE_OF_ALL && self.work().all_wait();
                self.looks = if stuck { self.looks + 1 } else { 0 };
                if waited > PATIENCE || self.looks > LOOKS {
                    return Err(format!("{}: has been waiting for another block for {waited:.1?}", self.place()));
                }
            }
        }
        Ok(())
    }

    /// Says who waits for whom, when nobody is ready.
    pub(super) fn deadlock(&self) -> String {
        let lanes = self.warp as usize;
        // What a thread has waited for stays there while it is ready.
        let wait_of = |i: usize| match self.threads[i].wait {
            Wait::Left => Wait::Left,
            _ if self.warps[i / lanes].ready >> (i % lanes) & 1 != 0 => Wait::Nothing,
            wait => wait,
        };
        let mut all = 0..self.threads.len();
        // A thread that has just come to its warp knows best; else it is the first that waits.
        let waits = match wait_of(self.current) {
            Wait::Nothing | Wait::Barrier | Wait::Left => {
                all.find(|&i| !matches!(wait_of(i), Wait::Nothing | Wait::Left)).unwrap_or(0)
            }
            _ => self.current,
        };
        let wait = wait_of(waits);
        let range = match wait {
            Wait::Barrier => 0..self.threads.len(),
            _ => waits / lanes * lanes..(waits / lanes * lanes + lanes).min(self.threads.len()),
        };
        let mut text = format!("{}: the thread {}", self.place_of(waits), wait.as_str());
        let other = range.into_iter().find(|&i| {
            let other = wait_of(i);
            other != wait && other != Wait::Nothing && (other != Wait::Left || wait == Wait::Barrier)
        });
        if let Some(other) = other {
            let ([i, j, k], is) = (self.threads[other].place.index, wait_of(other).as_str());
            let _ = write!(text, ", which thread ({i}, {j}, {k}) does not reach: it {is}");
        }
        text
    }
}
