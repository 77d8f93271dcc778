//! One program, any device: list them, let the user choose, or open one by name.
//!
//! `cargo run --release --example 06_choose_a_device`, and again with `WARPWAVE_DEVICE=cpu` before it.

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;
use warpwave::{AnyDevice, DEVICE_VARIABLE};

fn main() -> ExitCode {
    ended(run())
}

fn run() -> Result<()> {
    // `open` is for programs that leave the choice to the user. A device that is named and not there is an error:
    // nobody wants an answer from the CPU an hour later when they have asked for the GPU.
    match std::env::var(DEVICE_VARIABLE) {
        Ok(name) => say!("{DEVICE_VARIABLE} is `{name}`"),
        Err(_) => say!("{DEVICE_VARIABLE} is not set: warpwave chooses"),
    }
    let device = warpwave::open()?;
    say!("open() gave `{}`, {}", device.info().id, device.info().name);
    let reference = harmonic_number(&device)?;

    // `open_named` gives an `AnyDevice`: one type for every backend, so devices of several vendors fit in one list.
    let devices: Vec<AnyDevice> =
        warpwave::device_names().iter().map(|name| warpwave::open_named(name)).collect::<Result<_>>()?;
    for device in &devices {
        describe(device);
        // The same generic code, compiled for the type that decides at run time.
        let sum = harmonic_number(device)?;
        say!("  1 + 1/2 + … + 1/1000 = {sum}");
        // Reductions give the same bits on every device, so this is no approximate comparison.
        assert_eq!(sum.to_bits(), reference.to_bits());
        // H(1000), correctly rounded to f64.
        assert!((sum - 7.485_470_860_550_345).abs() < 1e-13);
    }
    assert!(!devices.is_empty(), "the CPU is always there");
    Ok(())
}

/// What a device says of itself.
fn describe<D: Device>(device: &D) {
    let info = device.info();
    say!("{}: {} ({}, {})", info.id, info.name, info.arch, info.mode);
    say!("  {} units, warps of {}, {:.1} GiB", info.units, info.warp_size, info.memory as f64 / (1u64 << 30) as f64);
    for (routines, provider) in &info.providers {
        say!("  {routines}: {provider}");
    }
}

/// `H(1000) = Σ 1/i`, all on the device.
fn harmonic_number<D: Numerics>(device: &D) -> Result<f64> {
    let stream = device.default_stream();
    let mut i = stream.alloc::<f64>(1000)?;
    let mut terms = stream.alloc::<f64>(1000)?;
    stream.iota(1.0, 1.0, &mut i)?;
    stream.div(&1.0, &i, &mut terms)?;
    stream.sum(&terms)
}
