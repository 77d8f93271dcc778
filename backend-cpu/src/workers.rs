//! The device's own threads, and the floating-point mode they compute in.

use crate::affinity::Places;
use once_cell::sync::OnceCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// The threads of one CPU device, started when a piece of work is first large enough to share.
///
/// They are the device's own: a pool of the user's, all of whose threads wait for this device, must not starve it.
#[derive(Debug)]
pub(crate) struct Workers {
    threads: usize,
    pool: OnceCell<Option<rayon::ThreadPool>>,
}

/// Threads that may be asked for on any machine: more than its processors, to see what a larger one would do.
const MANY: usize = 256;

/// How many threads a device has if so many were asked for, on a machine with so many processors. Beyond those, threads cost time
/// and memory for each operation, and there is nothing they could add.
fn threads(asked: Option<&str>, processors: usize) -> usize {
    let asked = asked.and_then(|n| n.trim().parse().ok()).filter(|&n| n > 0);
    asked.unwrap_or(processors).min(processors.max(MANY))
}

impl Workers {
    /// As many threads as `RAYON_NUM_THREADS` says, within reason, else one for each processor this process may use.
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads(std::env::var("RAYON_NUM_THREADS").ok().as_deref(), processors);
        Workers { threads, pool: OnceCell::new() }
    }

    /// None but the caller's own thread.
    pub(crate) fn alone() -> Self {
        Workers { threads: 1, pool: OnceCell::new() }
    }

    /// How many threads work on one operation.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// How many threads [`install`](Self::install) gives its body: 1, the caller, if the system gives no more.
    pub(crate) fn installed(&self) -> usize {
        self.pool().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// The pool; `None` with one thread, or if the system gives no more threads: the caller then works alone.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        if self.threads == 1 {
            return None;
        }
        let start = || {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
            let named = builder.thread_name(|i| format!("warpwave-cpu-{i}"));
            let places = Places::new(self.threads);
            let settle = move |index| {
                FloatMode::set_ieee();
                places.keep(index);
            };
            named.start_handler(settle).build().ok()
        };
        self.pool.get_or_init(start).as_ref()
    }

    /// Runs `body` inside the pool, so that rayon's functions use the device's threads and no others.
    pub(crate) fn install<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        match self.pool() {
            Some(pool) => run_in(pool, body),
            None => body(),
        }
    }

    /// Calls `body` for ranges that cover `0..len`, at most one per thread at a time; each but the last is a multiple
    /// of `grain` long. Up to `grain` the caller's own thread does it all, with no hand-over.
    ///
    /// How `0..len` is cut depends on the number of threads: a result of class R must not depend on the cut.
    pub(crate) fn split(&self, len: usize, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        // Rooms without content take no memory.
        let mut rooms = vec![(); self.rooms(len, grain)];
        self.split_in(&mut rooms, len, grain, |(), range| body(range));
    }

    /// How many ranges [`split_in`](Self::split_in) works on at a time, at most: so many rooms are worth having.
    pub(crate) fn rooms(&self, len: usize, grain: usize) -> usize {
        len.div_ceil(grain.max(1)).min(self.threads)
    }

    /// [`split`](Self::split), with a room of its own for each thread: `body` has it to itself for the time of a call.
    /// With fewer rooms than threads, so many threads work; with none, nothing is done.
    pub(crate) fn split_in<S: Send>(
        &self,
        rooms: &mut [S],
        len: usize,
        grain: usize,
        body: impl Fn(&mut S, Range<usize>) + Sync,
    ) {
        let grain = grain.max(1);
        match rooms {
            [] => {}
            _ if len == 0 => {}
            [room] => body(room, 0..len),
            [room, ..] if len <= grain || self.threads == 1 => body(room, 0..len),
            rooms => self.share(rooms, len, grain, &body),
        }
    }

    /// The part of [`split_in`](Self::split_in) that is worth having once only for a kind of room, and not for each of
    /// the hundreds of bodies.
    fn share<S: Send>(&self, rooms: &mut [S], len: usize, grain: usize, body: &(dyn Fn(&mut S, Range<usize>) + Sync)) {
        let Some(pool) = self.pool() else { return body(&mut rooms[0], 0..len) };
        // A few parts per thread, taken as threads come free: one that the system holds up does not hold up the whole.
        let part = len.div_ceil(rooms.len().saturating_mul(8)).div_ceil(grain) * grain;
        // Relaxed: a part belongs to whoever takes its number; the end of the scope orders what the bodies write.
        let next = AtomicUsize::new(0);
        let work = |room: &mut S| {
            while let Some(start) = next.fetch_add(1, Ordering::Relaxed).checked_mul(part).filter(|&start| start < len)
            {
                body(room, start..len.min(start.saturating_add(part)));
            }
        };
        let work = &work;
        run_in(pool, || {
            rayon::scope(|scope| rooms.iter_mut().for_each(|room| scope.spawn(move |_| work(room))));
        });
    }
}

/// Runs `body` on a thread of `pool` and waits for it.
///
/// Rayon's own `install`, called by a thread of another pool, lets that thread do other work of *its* pool while it
/// waits. That would be the user's code, run in the middle of a call of ours: in our floating-point mode, and perhaps
/// waiting for what this call holds.
fn run_in<R: Send>(pool: &rayon::ThreadPool, body: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_none() || pool.current_thread_index().is_some() {
        return pool.install(body);
    }
    let (sender, receiver) = sync_channel(1);
    let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
        // Nobody looks at what `body` borrows before the panic goes on below.
        let outcome = catch_unwind(AssertUnwindSafe(body));
        // The receiver waits, so this cannot fail.
        let _ = sender.send(outcome);
    });
    // SAFETY: only the lifetime changes. All that the job borrows is used by `body`, which has been called and dropped
    // before the outcome is sent, or is in the outcome, which moves to this thread; and this function does not return
    // before it has received that: the sender cannot be dropped earlier, because nothing in the job can unwind and the
    // pool, which is borrowed, runs every job. What the job drops after sending is its end of the channel, which holds
    // nothing then.
    let job: Box<dyn FnOnce() + Send + 'static> = unsafe { std::mem::transmute(job) };
    pool.spawn(job);
    match receiver.recv() {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        // Cannot happen, see above; and if it did, going on would free what the job may still use.
        Err(_) => std::process::abort(),
    }
}

/// Round to nearest even, denormals kept: what every operation computes in, whatever mode the caller's thread is in.
///
/// [`FloatMode::enter`] sets it until the guard is dropped, which puts the caller's mode back.
#[derive(Debug)]
pub(crate) struct FloatMode {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    saved: control::Word,
}

impl FloatMode {
    /// Sets the mode and remembers the one before.
    pub(crate) fn enter() -> Self {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            let saved = control::read();
            if saved & control::MODE != control::IEEE {
                control::write((saved & !control::MODE) | control::IEEE);
            }
            FloatMode { saved }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        FloatMode {}
    }

    /// Sets the mode for the rest of the thread's life.
    pub(crate) fn set_ieee() {
        std::mem::forget(FloatMode::enter());
    }
}

impl Drop for FloatMode {
    fn drop(&mut self) {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if self.saved & control::MODE != control::IEEE {
            control::write((control::read() & !control::MODE) | (self.saved & control::MODE));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    pub(super) type Word = u32;
    /// MXCSR: denormals-are-zero, rounding control and flush-to-zero; and the exception masks, lest an inexact result
    /// trap.
    pub(super) const MODE: Word = 1 << 6 | 0b11 << 13 | 1 << 15 | 0x1f80;
    pub(super) const IEEE: Word = 0x1f80;

    pub(super) fn read() -> Word {
        let mut word: Word = 0;
        // SAFETY: stores 4 bytes to `word`, which is 4 bytes long and writable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: loads a value that came from `stmxcsr` with only defined bits changed, so no reserved bit is set.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    pub(super) type Word = u64;
    /// FPCR: rounding mode, flush-to-zero, flush-to-zero of f16, default NaN; the traps; and the alternate behaviours
    /// of Armv8.7 (FIZ, AH, NEP), where those bits exist.
    pub(super) const MODE: Word = 0b11 << 22 | 1 << 24 | 1 << 19 | 1 << 25 | 0x9f00 | 0b111;
    pub(super) const IEEE: Word = 0;

    pub(super) fn read() -> Word {
        let word: Word;
        // SAFETY: reads a register that user code may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: writes a register that user code may write, with only defined bits changed.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
    }
}

#[cfg(test)]
impl Workers {
    /// So many threads, whatever the machine has.
    pub(crate) fn with_threads(threads: usize) -> Self {
        Workers { threads, pool: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::sync::atomic::AtomicU8;

    fn workers(threads: usize) -> Workers {
        Workers::with_threads(threads)
    }

    #[test]
    fn no_number_of_threads_is_absurd() {
        let cases =
            [(None, 8), (Some("3"), 3), (Some("0"), 8), (Some("many"), 8), (Some("-1"), 8), (Some("2000"), 256)];
        for (asked, expected) in cases.into_iter().chain([(Some("18446744073709551615"), 256)]) {
            assert_eq!(threads(asked, 8), expected, "{asked:?}");
        }
        assert_eq!(threads(None, 1024), 1024);
        assert_eq!(threads(Some("1000"), 1024), 1000);
        assert_eq!(threads(Some("5000"), 1024), 1024);
    }

    #[test]
    fn split_covers_every_index_once() {
        for threads in [1, 2, 3] {
            let workers = workers(threads);
            for len in [0usize, 1, 2, 7, 8, 9, 63, 64, 65, 1000] {
                for grain in [0, 1, 7, 8, 1000, usize::MAX] {
                    let seen: Vec<AtomicU8> = (0..len).map(|_| AtomicU8::new(0)).collect();
                    workers.split(len, grain, |part| {
                        assert!(part.end == len || part.len().is_multiple_of(grain.max(1)));
                        for i in part {
                            seen[i].fetch_add(1, Ordering::Relaxed);
                        }
                    });
                    assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1), "{threads} {len} {grain}");
                }
            }
        }
    }

    /// Each room is used by one body at a time, and every index is covered once, however many rooms there are.
    #[test]
    fn rooms_are_not_shared() {
        for threads in [1, 2, 3] {
            let workers = workers(threads);
            for count in 1..5 {
                for (len, grain) in [(0, 1), (1, 1), (100, 1), (1000, 7), (50, 100), (usize::MAX, usize::MAX / 3)] {
                    let mut rooms = vec![(0usize, 0usize); count];
                    workers.split_in(&mut rooms, len, grain, |(calls, sum), part| {
                        *calls += 1;
                        *sum += part.len();
                    });
                    assert_eq!(rooms.iter().map(|room| room.1).sum::<usize>(), len, "{threads} {count} {len} {grain}");
                    assert!(rooms.iter().map(|room| room.0).sum::<usize>() <= len.div_ceil(grain));
                }
            }
            assert_eq!(workers.rooms(0, 5), 0);
            assert_eq!(workers.rooms(6, 0), threads);
            assert_eq!(workers.rooms(6, 5), threads.min(2));
            workers.split_in(&mut [(); 0], 3, 1, |(), _| panic!("there is no room"));
        }
    }

    /// Rayon's `install` fails this: with one thread in the caller's pool, that thread runs the second job while it
    /// waits in the first.
    #[test]
    fn a_waiting_thread_of_another_pool_does_none_of_its_work() {
        let device = workers(2);
        let user = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let inside = AtomicUsize::new(0);
        user.scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|_| {
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "a job started inside another");
                    let pause = std::time::Duration::from_millis(1);
                    device.install(|| std::thread::sleep(pause));
                    device.split(4, 1, |_| std::thread::sleep(pause));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(inside.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn panics_come_back_to_the_caller_of_any_pool() {
        let device = workers(2);
        let user = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let fail = || catch_unwind(AssertUnwindSafe(|| device.split(2, 1, |part| assert!(part.start == 0)))).is_err();
        assert!(fail());
        assert!(user.install(fail));
        let borrowed = [1, 2, 3];
        assert_eq!(user.install(|| device.install(|| borrowed.iter().sum::<i32>())), 6);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_mode_is_set_and_put_back() {
        let before = control::read();
        // Round to zero, flush to zero, denormals are zero, and an inexact result traps.
        let odd = (control::IEEE & !(1 << 12)) | 1 << 6 | 0b11 << 13 | 1 << 15;
        control::write(odd);
        let inside = {
            let _mode = FloatMode::enter();
            control::read()
        };
        let after = control::read();
        control::write(before);
        assert_eq!(inside & control::MODE, control::IEEE);
        assert_eq!(after & control::MODE, odd);
        let kept = std::thread::spawn(|| {
            control::write(0x1f80 | 1 << 15);
            FloatMode::set_ieee();
            control::read()
        });
        assert_eq!(kept.join().unwrap() & control::MODE, control::IEEE);
    }
}
