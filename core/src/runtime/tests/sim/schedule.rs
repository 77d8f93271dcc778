//! Streams as queues of steps, which a seeded scheduler runs late and out of order.

use super::memory::{Memory, Touch};
use super::world::{IN_HOST_FN, Order, PATIENCE, PROGRAM, State, Target, World};
use crate::backend::{HostFn, Transfer};
use crate::operation::Ptr;
use crate::sync::{Arc, MutexGuard, TaskFlag};

/// One step of a stream.
pub(crate) enum Work {
    Wait { stream: usize, step: u64 },
    Fill { out: Ptr, pattern: Vec<u8>, len: usize },
    Copy(Transfer),
    Upload { data: Vec<u8>, dst: Ptr },
    Download { src: Ptr, bytes: usize, data: Arc<std::sync::Mutex<Vec<u8>>> },
    Host { function: Option<HostFn>, hold: Option<usize> },
}

impl World {
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

    /// Everything enqueued so far on a physical device.
    pub(crate) fn everything(&self, card: usize) -> Target {
        let of_card = self.streams.iter().enumerate().filter(|(_, state)| state.card == card);
        of_card.map(|(stream, state)| (stream, state.enqueued)).collect()
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
}

/// Source and destination of each run of a copy.
pub(crate) fn rows(transfer: &Transfer) -> impl Iterator<Item = (Ptr, Ptr)> {
    let &Transfer { src, dst, rows, src_pitch, dst_pitch, .. } = transfer;
    (0..rows).map(move |row| (src.byte_add(row * src_pitch), dst.byte_add(row * dst_pitch)))
}
