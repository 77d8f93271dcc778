//! The device's own threads, and the floating-point mode they compute in.

use once_cell::sync::OnceCell;
use std::ops::Range;

/// The threads of one CPU device, started when a piece of work is first large enough to share.
///
/// They are the device's own: a pool of the user's, all of whose threads wait for this device, must not starve it.
#[derive(Debug)]
pub(crate) struct Workers {
    threads: usize,
    pool: OnceCell<Option<rayon::ThreadPool>>,
}

impl Workers {
    /// As many threads as `RAYON_NUM_THREADS` says, else one for each processor this process may use.
    pub(crate) fn new() -> Self {
        let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
        let threads = asked.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
        Workers { threads, pool: OnceCell::new() }
    }

    /// How many threads work on one operation.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The pool; `None` with one thread, or if the system gives no more threads: the caller then works alone.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        if self.threads == 1 {
            return None;
        }
        let start = || {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
            let named = builder.thread_name(|i| format!("warpwave-cpu-{i}"));
            named.start_handler(|_| FloatMode::set_ieee()).build().ok()
        };
        self.pool.get_or_init(start).as_ref()
    }

    /// Runs `body` inside the pool, so that rayon's functions use the device's threads and no others.
    pub(crate) fn install<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        match self.pool() {
            Some(pool) => pool.install(body),
            None => body(),
        }
    }

    /// Calls `body` for ranges that cover `0..len`, at most one per thread at a time; each but the last is a multiple of `grain`
    /// long. Up to `grain` the caller's own thread does it all, with no hand-over.
    ///
    /// How `0..len` is cut depends on the number of threads: a result of class R must not depend on the cut.
    pub(crate) fn split(&self, len: usize, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        let grain = grain.max(1);
        if len == 0 {
            return;
        }
        if len <= grain || self.threads == 1 {
            return body(0..len);
        }
        let Some(pool) = self.pool() else { return body(0..len) };
        // A few parts per thread: enough that a thread the system holds up does not hold up the whole.
        let parts = len.div_ceil(grain).min(self.threads * 4);
        let part = len.div_ceil(parts).div_ceil(grain) * grain;
        pool.scope(|scope| {
            for start in (0..len).step_by(part) {
                let body = &body;
                scope.spawn(move |_| body(start..len.min(start + part)));
            }
        });
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
    /// MXCSR: denormals-are-zero, rounding control and flush-to-zero; and the exception masks, lest an inexact result trap.
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
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    pub(super) type Word = u64;
    /// FPCR: rounding mode, flush-to-zero, flush-to-zero of f16, default NaN.
    pub(super) const MODE: Word = 0b11 << 22 | 1 << 24 | 1 << 19 | 1 << 25;
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
