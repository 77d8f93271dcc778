//! What a call costs: launches, graphs, allocations.

use super::driver::EmptyKernel;
use super::measure::{Medians, Outcome, medians, medians_of};
use super::nvrtc::Cubin;
use super::report::{Goal, Row};
use super::{Bench, Queue};
use std::hint::black_box;
use warpwave::prelude::*;
use warpwave_benches::timing::time;
use warpwave_cuda::CudaDevice;

/// Launches in a sample.
const LAUNCHES: usize = 10_000;
/// Launches in a graph.
const NODES: usize = 1_000;
/// Allocations in a sample.
const ALLOCATIONS: usize = 20_000;

/// The same kernel on both sides: a text for warpwave, and an image that NVRTC has made of what the prelude makes of it.
pub(crate) struct Kernels {
    ours: Kernel<CudaDevice>,
    /// Or why there is none.
    raw: Result<EmptyKernel, String>,
}

impl Kernels {
    pub(crate) fn compile(bench: &Bench) -> Outcome<Self> {
        let source = KernelSource::new("empty.hip", "WW_KERNEL(empty, 32) {}\n");
        let ours = bench.device.compile(source)?.kernel("empty")?;
        let raw = Cubin::compile(&bench.device.info().arch)
            .and_then(|cubin| bench.driver.load(&cubin).map_err(|error| error.to_string()));
        Ok(Kernels { ours, raw })
    }

    /// Enqueues ours.
    fn launch(&self, stream: &Queue) -> Result<()> {
        // SAFETY: the kernel touches nothing and ends.
        unsafe { stream.launch(&self.ours, (1, 32), args![]) }
    }
}

/// Microseconds of a launch, with others before and behind it.
pub(crate) fn launch(bench: &Bench, kernels: &Kernels, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    let mut ours = |calls| driver.host_time(calls, &mut || Ok(kernels.launch(stream)?));
    let both = match &kernels.raw {
        Ok(raw) => {
            let mut peer = |calls| driver.host_time(calls, &mut || driver.launch(*raw));
            medians_of(LAUNCHES, &mut ours, Some(&mut peer))
        }
        Err(_) => medians_of(LAUNCHES, &mut ours, None),
    };
    Ok(microseconds(name, both?, "cuLaunchKernel", &kernels.raw, Goal::Beyond(0.3)))
}

/// Microseconds of a launch in a graph of many, by the device's clock.
pub(crate) fn graph(bench: &Bench, kernels: &Kernels, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    let mut graph = stream.record_graph(|r| (0..NODES).try_for_each(|_| kernels.launch(r)))?;
    if graph.len() != NODES {
        return Err(format!("the graph has {} nodes, not {NODES}", graph.len()).into());
    }
    let mut ours = |calls| driver.device_time(calls, &mut || Ok(graph.launch(stream)?));
    let (ours, peer) = match &kernels.raw {
        Ok(raw) => {
            let captured = driver.capture(*raw, NODES)?;
            let mut peer = |calls| driver.device_time(calls, &mut || driver.launch_graph(&captured));
            medians(&mut ours, Some(&mut peer))
        }
        Err(_) => medians(&mut ours, None),
    }?;
    let of_node = |seconds: f64| seconds / NODES as f64;
    let both = (of_node(ours), peer.map(of_node));
    Ok(microseconds(name, both, "cuGraphLaunch", &kernels.raw, Goal::Times(1.05)))
}

fn microseconds(
    name: &str,
    (ours, peer): Medians,
    peer_name: &'static str,
    raw: &Result<EmptyKernel, String>,
    goal: Goal,
) -> Row {
    let peer = match raw {
        Ok(_) => peer.map(|seconds| Ok(seconds * 1e6)),
        Err(why) => Some(Err(why.clone())),
    };
    Row { peer: peer.map(|peer| (peer_name, peer)), goal, ..Row::new(name, ours * 1e6, "µs") }
}

/// Nanoseconds of an allocation and the release of it, both by the host's clock: neither waits for the device.
pub(crate) fn allocate(bench: &Bench, bytes: usize, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    let mut ours = |calls| {
        time(|| {
            for _ in 0..calls {
                black_box(stream.alloc::<u8>(bytes)?);
            }
            Ok(())
        })
    };
    let mut peer = |calls| {
        let taken = time(|| (0..calls).try_for_each(|_| driver.alloc_and_free(bytes)));
        // What the driver has put off until now is not counted.
        driver.host_time(0, &mut || Ok(()))?;
        taken
    };
    let (ours, peer) = medians_of(ALLOCATIONS, &mut ours, Some(&mut peer))?;
    let peer = peer.map(|seconds| ("cuMemAllocAsync and cuMemFreeAsync", Ok(seconds * 1e9)));
    Ok(Row { peer, goal: Goal::AtMost(300.0), ..Row::new(name, ours * 1e9, "ns") })
}
