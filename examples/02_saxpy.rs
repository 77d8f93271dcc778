//! BLAS level 1: `y = a·x + y` on a million numbers, on every second of them, and what comes after it.
//!
//! `cargo run --release --example 02_saxpy`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;

const N: usize = 1_000_000;

fn main() -> ExitCode {
    ended(warpwave::open().and_then(|device| saxpy(&device)))
}

fn saxpy<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();

    // The inputs are made where they are needed; nothing crosses the bus.
    let mut x = stream.alloc::<f32>(N)?;
    let mut y = stream.alloc::<f32>(N)?;
    stream.iota(0.0, 1.0, &mut x)?;
    stream.fill(&mut y, 1.0)?;

    // The name says the operation, the element type says the precision: the same call is daxpy for f64.
    stream.axpy(2.0, &x, &mut y)?;

    let result = stream.to_vec(&y)?;
    say!("y = 2x + 1: {:?} … {}", &result[..4], result[N - 1]);
    // Whole numbers below 2²⁴ are exact in f32, so the comparison is too.
    assert!(result.iter().enumerate().all(|(i, &y)| y == (2 * i + 1) as f32));

    // Vectors have increments, as in BLAS: this takes 2x away from the even elements only.
    stream.axpy(-2.0, &Vector::new(&x, N / 2, 2)?, &mut VectorMut::new(&mut y, N / 2, 2)?)?;
    let result = stream.to_vec(&y)?;
    say!("and − 2x for even i: {:?} …", &result[..4]);
    assert!(result.iter().enumerate().all(|(i, &y)| y == if i % 2 == 0 { 1.0 } else { (2 * i + 1) as f32 }));

    // A method that returns a number waits for it; `dot_into` and the like leave it on the device.
    // Level 1 gives the same bits on every device, sums too: the order of the additions is part of the definition.
    let dot = stream.dot(&x, &y)?;
    // Σ i over even i and Σ i·(2i + 1) over odd i, in whole numbers.
    let exact: u64 = (0..N as u64).map(|i| if i % 2 == 0 { i } else { i * (2 * i + 1) }).sum();
    let error = (f64::from(dot) / exact as f64 - 1.0).abs();
    say!("x·y = {dot:e}, bits {:08x}; relative error {error:.1e}", dot.to_bits());
    // A tree of sums is some 20 additions deep, however many summands there are; each rounds by 2⁻²⁴ at most.
    assert!(error < 32.0 * 2f64.powi(-24));
    Ok(())
}
