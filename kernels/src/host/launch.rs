//! Launches.

use super::abi;
use super::access::SHARED_LIMIT;
use super::module::{HostKernel, Loaded};
use super::published::Published;
use super::stack::SUPPORTED;
use super::worker::{MAX_THREADS, Worker};
use std::cell::RefCell;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use warpwave_core::{Error, ErrorKind, Grid, Result};

thread_local! {
    /// The worker of this thread of the system: its stacks are kept from launch to launch.
    static WORKER: RefCell<Option<Box<Worker>>> = const { RefCell::new(None) };
}

/// A launch of a kernel. Any number of threads may [work](HostLaunch::work) on it.
#[derive(Debug)]
pub struct HostLaunch {
    work: Work,
    kernel: HostKernel,
}

/// What workers have to know.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) module: Arc<Loaded>,
    pub(super) run: abi::Run,
    pub(super) grid: [u32; 3],
    pub(super) threads: [u32; 3],
    pub(super) shared: u32,
    /// Pointers to the arguments, which are in `_values`.
    pub(super) args: Vec<*const c_void>,
    _values: Vec<u128>,
    /// The order in which blocks and threads run; in their own if there is none.
    pub(super) seed: Option<u64>,
    /// What an instrumented kernel may touch: starts and ends, ascending.
    pub(super) ranges: Vec<(usize, usize)>,
    /// What an instrumented kernel's blocks tell each other.
    pub(super) published: Option<Published>,
    blocks: u64,
    next: AtomicU64,
    /// Threads of the system that run blocks, and those of them whose block only waits for another one.
    running: AtomicUsize,
    waiting: AtomicUsize,
    failed: AtomicBool,
    fault: Mutex<Option<String>>,
}

// SAFETY: the pointers are to `_values`, which is not changed, and to code of the module that `module` keeps.
unsafe impl Send for Work {}
// SAFETY: as above; the rest is shared as its types are.
unsafe impl Sync for Work {}

impl Work {
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// A block begins to do nothing but wait for another one, or ends that.
    pub(super) fn waiting(&self, is: bool) {
        if is {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        } else {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether no block does anything else.
    pub(super) fn all_wait(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= self.running.load(Ordering::Relaxed)
    }

    /// The block that is run as the `i`-th.
    fn block(&self, i: u64) -> [u32; 3] {
        let number = match self.seed {
            // A step that shares no factor with the number of blocks comes to each once.
            Some(seed) => {
                let mut step = ((seed >> 7) % self.blocks) | 1;
                while gcd(step, self.blocks) > 1 {
                    step += 2;
                }
                ((u128::from(i) * u128::from(step) + u128::from(seed)) % u128::from(self.blocks)) as u64
            }
            None => i,
        };
        self.place_of(number)
    }

    /// Where the block of a number is.
    pub(super) fn place_of(&self, number: u64) -> [u32; 3] {
        let [x, y] = [u64::from(self.grid[0]), u64::from(self.grid[1])];
        [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl HostLaunch {
    /// A launch of `kernel`; `args` are the bytes of its arguments. `ranges` is what an instrumented kernel may touch of the memory
    /// that there is, as starts and ends, which may overlap; `seed` permutes the order in which blocks and threads run.
    ///
    /// # Errors
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) if the grid, the block or the shared memory is too large, or empty, or the arguments
    /// are not as many or as large as the kernel's text declares.
    pub fn new<'a>(
        kernel: &HostKernel,
        grid: Grid,
        args: impl ExactSizeIterator<Item = &'a [u8]>,
        seed: Option<u64>,
        mut ranges: Vec<(usize, usize)>,
    ) -> Result<Self> {
        let named = |e: Error| e.in_kernel(kernel.name());
        check_grid(kernel, grid).map_err(named)?;
        let parameters = kernel.parameters();
        if args.len() != parameters.len() {
            return Err(named(Error::invalid("args", counted(parameters.len()), args.len())));
        }
        // No parameter is aligned to more, or empty: `warpwave_host.h` sees to that.
        let mut values = Vec::<u128>::new();
        let mut starts = Vec::with_capacity(args.len());
        for (i, (arg, parameter)) in args.zip(parameters).enumerate() {
            if arg.is_empty() || arg.len() != parameter.size as usize {
                let got = format!("{} bytes", arg.len());
                return Err(named(Error::invalid(format_args!("args[{i}]"), parameter, got)));
            }
            starts.push(values.len());
            for chunk in arg.chunks(16) {
                let mut value = [0; 16];
                value[..chunk.len()].copy_from_slice(chunk);
                values.push(u128::from_ne_bytes(value));
            }
        }
        let args = starts.into_iter().map(|start| (&raw const values[start]).cast()).collect();
        merge(&mut ranges);
        let blocks = grid.blocks.iter().map(|&n| u64::from(n)).product();
        let module = kernel.module().clone();
        let published = if module.communicates { Published::new(blocks) } else { None };
        let work = Work {
            module,
            run: kernel.run(),
            grid: grid.blocks,
            threads: grid.threads,
            shared: grid.shared,
            args,
            _values: values,
            seed,
            ranges,
            published,
            blocks,
            next: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            fault: Mutex::new(None),
        };
        Ok(HostLaunch { work, kernel: kernel.clone() })
    }

    /// Threads that it is worthwhile to have working on this, of `available`.
    pub fn workers(&self, available: usize) -> usize {
        available.min(usize::try_from(self.work.blocks).unwrap_or(usize::MAX))
    }

    /// Runs blocks until none is left. Returns when those that it has taken have ended.
    ///
    /// # Safety
    /// The kernel, called with these arguments, touches nothing that it must not.
    pub unsafe fn work(&self) {
        let mut worker = match WORKER.take() {
            Some(worker) => worker,
            None => match Worker::new() {
                Some(worker) => worker,
                None => return self.fail("there is no memory for a worker".into()),
            },
        };
        let this: *mut Worker = &raw mut *worker;
        // SAFETY: `self` stays where it is, and keeps the module, until this returns.
        unsafe { Worker::begin(this, &self.work) };
        self.work.running.fetch_add(1, Ordering::Relaxed);
        while !self.work.has_failed() {
            let i = self.work.next.fetch_add(1, Ordering::Relaxed);
            if i >= self.work.blocks {
                break;
            }
            // SAFETY: begun above; the caller vouches for the arguments.
            if let Err(what) = unsafe { Worker::run(this, self.work.block(i), i) } {
                self.fail(what);
            }
        }
        self.work.running.fetch_sub(1, Ordering::Relaxed);
        WORKER.set(Some(worker));
    }

    fn fail(&self, what: String) {
        // Nothing is said by those that only end because another has failed.
        if !what.is_empty() {
            self.work.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
        }
        self.work.failed.store(true, Ordering::Relaxed);
    }

    /// What came of it, once everybody's [`work`](Self::work) has returned.
    ///
    /// # Errors
    /// [`DeviceFault`](ErrorKind::DeviceFault) with the kernel, the block and the thread.
    pub fn result(&self) -> Result<()> {
        match self.work.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            None => Ok(()),
            Some(what) => {
                let what = format!("kernel {}, {what}", self.kernel.name());
                Err(Error::from(ErrorKind::DeviceFault { what }).in_kernel(self.kernel.name()))
            }
        }
    }

    /// Does all of it on `threads` threads of the system, this one being one of them.
    ///
    /// # Safety
    /// As for [`work`](Self::work).
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub unsafe fn run(&self, threads: NonZeroUsize) -> Result<()> {
        std::thread::scope(|scope| {
            for _ in 1..self.workers(threads.get()).max(1) {
                // SAFETY: the caller's.
                scope.spawn(|| unsafe { self.work() });
            }
            // SAFETY: the caller's.
            unsafe { self.work() };
        });
        self.result()
    }
}

/// Sorts ranges, so that none is empty and no two overlap. Two that only touch stay two: an access over the end of one is none of a buffer.
fn merge(ranges: &mut Vec<(usize, usize)>) {
    ranges.retain(|range| range.0 < range.1);
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let overlap = next.0 < before.1;
        if overlap {
            before.1 = before.1.max(next.1);
        }
        overlap
    });
}

fn counted(n: usize) -> String {
    if n == 1 { "1 argument".into() } else { format!("{n} arguments") }
}

/// Refuses what a GPU of either vendor would, so that what runs here runs there.
fn check_grid(kernel: &HostKernel, grid: Grid) -> Result<()> {
    // The product of three numbers below 2³² may not fit.
    let threads = grid.threads.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    let most = u64::from(kernel.max_threads()).min(MAX_THREADS as u64);
    if threads == 0 || threads > most {
        return Err(Error::invalid("threads", format_args!("1 to {most} in a block"), threads));
    }
    if let Some(axis) = (0..3).find(|&axis| grid.blocks[axis] > Grid::MAX_BLOCKS[axis]) {
        let expected = format_args!("at most {} along {}", Grid::MAX_BLOCKS[axis], ["x", "y", "z"][axis]).to_string();
        return Err(Error::invalid("blocks", expected, grid.blocks[axis]));
    }
    let along = |axis: usize| u64::from(grid.blocks[axis]) * u64::from(grid.threads[axis]);
    if let Some(axis) = (0..3).find(|&axis| along(axis) > u64::from(u32::MAX)) {
        let expected = format_args!("fewer than 2^32 threads along {}", ["x", "y", "z"][axis]).to_string();
        return Err(Error::invalid("blocks", expected, along(axis)));
    }
    if grid.shared as usize > SHARED_LIMIT {
        let expected = format_args!("at most {SHARED_LIMIT} bytes of dynamic shared memory").to_string();
        return Err(Error::invalid("shared", expected, grid.shared));
    }
    if !SUPPORTED && !kernel.module().plain {
        return Err(Error::unsupported("kernels whose threads wait for each other, on this architecture"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_where_they_overlap() {
        for (given, expected) in [
            (&[][..], &[][..]),
            (&[(5, 5)], &[]),
            (&[(8, 16), (5, 5), (0, 8)], &[(0, 8), (8, 16)]),
            (&[(0, 100), (10, 20), (30, 30), (90, 120), (121, 130)], &[(0, 120), (121, 130)]),
            (&[(0, 4), (0, 4), (0, 8), (2, 3)], &[(0, 8)]),
        ] {
            let mut ranges = given.to_vec();
            merge(&mut ranges);
            assert_eq!(ranges, expected);
        }
    }
}
