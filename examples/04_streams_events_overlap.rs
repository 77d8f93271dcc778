//! Two streams that work in turns: while one computes a chunk, the host fills the next and the other stream copies it.
//!
//! `cargo run --release --example 04_streams_events_overlap`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use std::time::Duration;
use warpwave::prelude::*;
use warpwave::{CpuBackend, CpuDevice, Event, Pinned};

const CHUNKS: usize = 8;
const CHUNK: usize = 1 << 18;

fn main() -> ExitCode {
    // The default CPU device finishes each call before it returns. This one has a thread for each stream, so its
    // streams overlap as a GPU's do. Apart from that line nothing here depends on the device.
    let device = CpuDevice::new(CpuBackend::asynchronous());
    ended(device.and_then(|device| overlap(&device)))
}

/// A stream with memory of its own: what is needed to work on one chunk.
struct Lane<D: Numerics> {
    stream: D::Stream,
    // Only pinned memory can be copied while the host goes on: the library knows when it is in use.
    input: Pinned<f64, D>,
    output: Pinned<f64, D>,
    chunk: D::Buffer<f64>,
    roots: D::Buffer<f64>,
}

impl<D: Numerics> Lane<D> {
    fn new(device: &D) -> Result<Self> {
        let stream = device.new_stream()?;
        let (input, output) = (stream.pinned(CHUNK)?, stream.pinned(CHUNK)?);
        let (chunk, roots) = (stream.alloc::<f64>(CHUNK)?, stream.alloc::<f64>(CHUNK)?);
        Ok(Lane { stream, input, output, chunk, roots })
    }
}

/// For x = 0, 1, 2, …: √(x·offset), chunk by chunk, and the sum of all.
fn overlap<D: Numerics>(device: &D) -> Result<()> {
    let main = device.default_stream();
    let start = main.record()?;
    let mut lanes = [Lane::new(device)?, Lane::new(device)?];
    let mut results = vec![0.0; CHUNKS * CHUNK];
    let mut sums = main.zeros::<f64>(CHUNKS)?;

    // Made on one stream, used on two others: no event is needed. Work that touches the same memory is always ordered
    // as the calls were; streams overlap where they touch different memory.
    let mut weight = main.alloc::<f64>(CHUNK)?;
    main.fill(&mut weight, 4.0)?;

    let mut spans: Vec<[Event<D>; 2]> = Vec::new();
    for i in 0..CHUNKS {
        let Lane { stream, input, output, chunk, roots } = &mut lanes[i % 2];
        if i >= 2 {
            // Waits for this lane's last download, while the other lane goes on.
            results[(i - 2) * CHUNK..][..CHUNK].copy_from_slice(&output.read()?);
        }
        // Waits until this lane's last upload has been done with the memory.
        for (k, x) in input.write()?.iter_mut().enumerate() {
            *x = (i * CHUNK + k) as f64;
        }

        // From here on nothing waits: the calls enqueue and return.
        let begin = stream.record()?;
        stream.upload(chunk, input)?;
        stream.mul_assign(chunk, &weight)?;
        stream.sqrt(chunk, roots)?;
        // Disjoint parts of one buffer, written on two streams: no conflict, no waiting.
        stream.sum_into(roots, &mut sums.slice_mut(i..=i)?)?;
        stream.download(roots, output)?;
        spans.push([begin, stream.record()?]);
    }
    for i in CHUNKS - 2..CHUNKS {
        results[i * CHUNK..][..CHUNK].copy_from_slice(&lanes[i % 2].output.read()?);
    }

    // An event orders streams where no memory does it, here so that `end` is later than both lanes' work.
    for lane in &lanes {
        main.wait(&lane.stream.record()?)?;
    }
    let end = main.record()?;
    let total = main.sum(&sums)?;
    assert!(end.query()?, "`sum` has waited for everything before it on its stream");

    report(&start, &end, &spans)?;
    for (x, &y) in results.iter().enumerate() {
        assert_eq!(y, (x as f64 * 4.0).sqrt(), "√({x}·4)");
    }
    say!("Σ √(4x) over {} numbers = {total}", results.len());
    // Σ √x for x < n by the Euler–Maclaurin formula: ⅔·n^1.5 − ½·√n + ζ(−½) + 1/(24·√n) − …
    let n = results.len() as f64;
    let expected = 2.0 * (n.powf(1.5) / 1.5 - n.sqrt() / 2.0 - 0.207_886_224_977_354_57 + 1.0 / (24.0 * n.sqrt()));
    assert!((total / expected - 1.0).abs() < 1e-14, "{total} for {expected}");
    Ok(())
}

/// Prints when each chunk was worked on, by the device's clock. A machine that is busy elsewhere shows less overlap.
fn report<D: Numerics>(start: &Event<D>, end: &Event<D>, spans: &[[Event<D>; 2]]) -> Result<()> {
    let mut busy = Duration::ZERO;
    for (i, [begin, done]) in spans.iter().enumerate() {
        let (from, to) = (begin.elapsed_since(start)?, done.elapsed_since(start)?);
        busy += to.saturating_sub(from);
        say!("chunk {i} on lane {}: {:6.2} to {:6.2} ms", i % 2, millis(from), millis(to));
    }
    let whole = end.elapsed_since(start)?;
    say!("{:.2} ms of work on two lanes in {:.2} ms", millis(busy), millis(whole));
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
