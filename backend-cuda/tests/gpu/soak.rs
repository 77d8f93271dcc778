//! Minutes of random work on many streams by many threads, with memory that runs out now and then: what comes out is right, and at the end
//! the memory is what it was.

use crate::lifetime::settled;
use crate::{Outcome, check};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warpwave_core::{Device, Error, ErrorKind, ManagedBuffer, ManagedStream, Ops, Reduce, Sort, Stream};
use warpwave_cuda::{CudaBackend, CudaDevice};

const STREAMS: usize = 16;
const THREADS: u64 = 8;

type Held = (ManagedBuffer<u32, CudaBackend>, u32);

/// A generator that is good enough to choose (Marsaglia's xorshift).
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n
    }
}

pub(crate) fn soak() -> Outcome {
    let minutes = std::env::var("WARPWAVE_SOAK_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(8.0);
    let watcher = CudaDevice::open(0)?;
    // What stays as long as the process does is there before it is measured: every kernel that is used, and every stream's share.
    round(Duration::from_secs(5))?;
    let before = settled(&watcher)?;
    let started = Instant::now();
    let (done, refused) = round(Duration::from_secs_f64(minutes * 60.0))?;
    let after = settled(&watcher)?;
    // Whoever reads the log sees what it was.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!(
            "soak: {done} operations in {:.0} s, {refused} of them without memory; {before} bytes free before, {after} after\n",
            started.elapsed().as_secs_f64()
        )
        .as_bytes(),
    );
    check(refused > 0, "memory never ran out")?;
    check(after + (4 << 20) >= before, format_args!("{before} bytes were free, now {after}"))
}

/// Works for so long; returns how many operations there were, and how many found no memory.
fn round(time: Duration) -> Result<(u64, u64), libtest_mimic::Failed> {
    let device = CudaDevice::open(0)?;
    let streams: Vec<_> = (0..STREAMS).map(|_| device.new_stream()).collect::<Result<_, _>>()?;
    let shared: Mutex<Vec<Held>> = Mutex::default();
    let (done, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let end = Instant::now() + time;
    let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (streams, shared, done, refused, device) = (&streams, &shared, &done, &refused, &device);
                scope.spawn(move || {
                    let mut choices = Choices(0x9E37_79B9_7F4A_7C15 ^ (thread + 1));
                    while Instant::now() < end {
                        match step(device, streams, shared, &mut choices) {
                            Ok(()) => {}
                            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(error) => return Err(error),
                        }
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(Error::unsupported("a panic")))).collect()
    });
    results.into_iter().collect::<Result<(), Error>>()?;
    Ok((done.into_inner(), refused.into_inner()))
}

fn wrong(what: &str) -> Error {
    Error::from(ErrorKind::DeviceFault { what: format!("{what} is wrong") })
}

/// One piece of work. Each buffer holds one number in all its elements, which is known.
fn step(
    device: &CudaDevice,
    streams: &[ManagedStream<CudaBackend>],
    shared: &Mutex<Vec<Held>>,
    choices: &mut Choices,
) -> Result<(), Error> {
    let stream = &streams[choices.below(streams.len())];
    let lock = || shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // One that another thread may have left, with work pending on another stream.
    let taken = {
        let mut held = lock();
        let len = held.len();
        (len > 0).then(|| held.swap_remove(choices.below(len)))
    };
    let (mut x, mut value) = match taken {
        Some(taken) if choices.below(8) > 0 => taken,
        _ => {
            let value = choices.below(1000) as u32;
            let mut x = stream.alloc::<u32>(1 + choices.below(1 << 18))?;
            stream.fill(&mut x, value)?;
            (x, value)
        }
    };
    match choices.below(9) {
        0 => {
            stream.add_assign(&mut x, &3)?;
            value = value.wrapping_add(3);
        }
        1 => {
            let mut y = stream.alloc::<u32>(warpwave_core::Buffer::len(&x))?;
            stream.copy(&x, &mut y)?;
            x = y;
        }
        2 => {
            if stream.sum(&x)? != value.wrapping_mul(warpwave_core::Buffer::len(&x) as u32) {
                return Err(wrong("a sum"));
            }
        }
        3 => {
            if stream.to_vec(&x)?.iter().any(|&x| x != value) {
                return Err(wrong("a buffer"));
            }
        }
        4 => stream.sort(&mut x)?,
        5 => {
            let mut graph = stream.record_graph(|r| r.add_assign(&mut x, &1))?;
            for _ in 0..3 {
                graph.launch(&streams[choices.below(streams.len())])?;
            }
            value = value.wrapping_add(3);
        }
        6 => {
            let mut pinned = stream.pinned::<u32>(warpwave_core::Buffer::len(&x))?;
            stream.download(&x, &mut pinned)?;
            if pinned.read()?.iter().any(|&x| x != value) {
                return Err(wrong("pinned memory"));
            }
        }
        7 if choices.below(50) == 0 => {
            // All there is, and more: whoever asks meanwhile may find none either.
            let mut all = Vec::new();
            let error = loop {
                match stream.alloc::<u8>(8 << 30) {
                    Ok(buffer) => all.push(buffer),
                    Err(error) => break error,
                }
            };
            drop(all);
            device.trim()?;
            lock().push((x, value));
            return Err(error);
        }
        _ => {
            let seen = std::sync::Arc::new(AtomicU64::new(0));
            let tell = seen.clone();
            stream.host_fn(move || {
                tell.store(1, Ordering::Release);
            })?;
            stream.synchronize()?;
            if seen.load(Ordering::Acquire) != 1 {
                return Err(wrong("a host function"));
            }
        }
    }
    let mut held = lock();
    held.push((x, value));
    if held.len() > 64 {
        let some = choices.below(32);
        held.truncate(32 + some);
    }
    Ok(())
}
