//! Warp and block: what kernels of the user's own are promised, by the same text on every device.
//!
//! Warps are as large as the device says; every expectation is made for that size.

mod atomics;
mod block;
mod lanes;
mod launches;

use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::require::Required;
use crate::session::Session;
use warpwave_core::{Device, ErrorKind, Kernel, KernelSource, Module};

const TEXT: KernelSource<'static> = KernelSource::new("conformance.hip", include_str!("kernels.hip"));

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    lanes::add(checks);
    block::add(checks);
    atomics::add(checks);
    launches::add(checks);
}

/// A check named `warp.name`.
fn check<D: Device>(name: &str, body: fn(&mut Session<'_, D>) -> Verdict) -> Check<D> {
    let mut check = Check::new(format!("warp.{name}"), body);
    check.compiles = true;
    check
}

/// The group's kernels. Where there is no compiler, there is nothing to be checked.
fn module<D: Device>(device: &D) -> Verdict<Module<D>> {
    compiled(device, TEXT)
}

/// Whether the group can run on a device: [`Failure::Skipped`] if it has no compiler.
pub(crate) fn ready<D: Device>(device: &D) -> Verdict {
    compiled(device, KernelSource::new("empty.hip", "")).map(drop)
}

fn compiled<D: Device>(device: &D, source: KernelSource<'_>) -> Verdict<Module<D>> {
    let compiler = match device.info().id.split(':').next() {
        Some("cuda") => "nvrtc",
        Some("hip") => "hiprtc",
        _ => "cxx",
    };
    device.compile(source).map_err(|error| match error.kind() {
        ErrorKind::Unavailable { .. } | ErrorKind::NoImage { .. } if !Required::from_env().contains(compiler) => {
            Failure::Skipped(error.to_string())
        }
        _ => error.into(),
    })
}

fn kernel<D: Device>(device: &D, name: &str) -> Verdict<Kernel<D>> {
    Ok(module(device)?.kernel(name)?)
}

/// Numbers that differ from each other.
fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ 0x5bd1_e995).collect()
}
