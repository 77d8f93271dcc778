//! What only a CUDA device can show. Each test is ignored, with the reason, where there is none; `cuda` in `WARPWAVE_REQUIRE` makes it fail instead.
//!
//! The binary needs nothing but a driver: it can be copied to a machine with a GPU and run there. `--ignored` runs the soak, whose
//! minutes `WARPWAVE_SOAK_MINUTES` says (8).

mod foreign;
mod graphs;
mod large;
mod lifetime;
mod peers;
mod soak;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use warpwave_core::{Device, ErrorKind};
use warpwave_cuda::CudaDevice;

/// What a test gives.
type Outcome = Result<(), Failed>;

/// A test, and how many devices it needs.
type Test = (&'static str, usize, fn() -> Outcome);

const TESTS: &[Test] = &[
    ("large.copied_reduced_scanned_multiplied", 1, large::copied_reduced_scanned_multiplied),
    ("large.pitches", 1, large::pitches),
    ("lifetime.memory_comes_back", 1, lifetime::memory_comes_back),
    ("lifetime.stream_ordered_allocation", 1, lifetime::stream_ordered_allocation),
    ("lifetime.exhausted_memory_leaves_the_device_usable", 1, lifetime::exhausted_memory_leaves_the_device_usable),
    ("lifetime.registered_memory", 1, lifetime::registered_memory),
    ("lifetime.a_faulty_kernel_loses_the_device", 1, lifetime::a_faulty_kernel_loses_the_device),
    ("lifetime.calls_beside_a_host_function", 1, lifetime::calls_beside_a_host_function),
    ("graphs.faults_in_data", 1, graphs::faults_in_data),
    ("graphs.scalars_that_change_the_kernels", 1, graphs::scalars_that_change_the_kernels),
    ("foreign.streams", 1, foreign::streams),
    ("foreign.memory", 1, foreign::memory),
    ("foreign.current_context", 1, foreign::current_context),
    ("peers.copies_and_waits", 2, peers::copies_and_waits),
    ("peers.from_several_threads", 2, peers::from_several_threads),
];

fn main() -> ExitCode {
    if let Some(child) = std::env::args().find_map(|argument| Some(argument.strip_prefix("--child=")?.to_owned())) {
        return lifetime::child(&child);
    }
    let mut arguments = Arguments::from_args();
    // They share one GPU, and some of them all of its memory.
    arguments.test_threads.get_or_insert(1);
    let found = CudaDevice::enumerate();
    let count = found.as_ref().map_or(0, Vec::len);
    let why = match &found {
        Ok(devices) => format!("{} CUDA devices", devices.len()),
        // Where it was looked for is said once, by whoever asks for it.
        Err(error) => match error.kind() {
            ErrorKind::Unavailable { library, .. } => format!("{library} is not available"),
            kind => kind.to_string(),
        },
    };
    let required = std::env::var("WARPWAVE_REQUIRE").unwrap_or_default().split(',').any(|name| name.trim() == "cuda");
    let mut trials: Vec<Trial> = TESTS
        .iter()
        .map(|&(name, devices, test)| {
            if count >= devices {
                Trial::test(name, test)
            } else if required && count == 0 {
                let why = why.clone();
                Trial::test(name, move || Err(why.into()))
            } else {
                Trial::test(name, || Ok(())).with_kind(why.clone()).with_ignored_flag(true)
            }
        })
        .collect();
    if count > 0 {
        trials.push(Trial::test("soak", soak::soak).with_kind("minutes").with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Device 0.
fn device() -> Result<CudaDevice, Failed> {
    Ok(CudaDevice::open(0)?)
}

/// Fails with what was not as it should be.
fn check(good: bool, what: impl std::fmt::Display) -> Outcome {
    if good { Ok(()) } else { Err(what.to_string().into()) }
}
