//! A solver: Poisson's equation on a square, by conjugate gradients, without ever forming the matrix.
//!
//! `cargo run --release --example 07_conjugate_gradient`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;

/// Inner points along each side.
const N: usize = 63;
/// A row of the grid in memory: its points, and a zero that is the boundary to its right and to the left of the next row.
const ROW: usize = N + 1;

fn main() -> ExitCode {
    ended(warpwave::open().and_then(|device| solve(&device)))
}

/// `y` = the five-point Laplacian of `x`: four times each point, less its neighbours.
fn laplacian<D: Numerics>(stream: &D::Stream, x: &D::Buffer<f64>, y: &mut D::Buffer<f64>) -> Result<()> {
    let len = x.len();
    stream.mul(x, &4.0, y)?;
    for shift in [1, ROW] {
        stream.axpy(-1.0, &x.slice(..len - shift)?, &mut y.slice_mut(shift..)?)?;
        stream.axpy(-1.0, &x.slice(shift..)?, &mut y.slice_mut(..len - shift)?)?;
    }
    // The boundary stays 0: every element N, N + ROW, …
    stream.scal(0.0, &mut VectorMut::new(&mut y.slice_mut(N..)?, N, ROW as isize)?)
}

fn solve<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let len = N * ROW;

    // A solution made up at random, and the right-hand side that it has.
    let mut solution = stream.alloc::<f64>(len)?;
    stream.random(&mut Philox::new(1), &mut solution)?;
    stream.scal(0.0, &mut VectorMut::new(&mut solution.slice_mut(N..)?, N, ROW as isize)?)?;
    let mut r = stream.alloc::<f64>(len)?;
    laplacian::<D>(&stream, &solution, &mut r)?;

    let mut x = stream.zeros::<f64>(len)?;
    let mut p = stream.alloc::<f64>(len)?;
    stream.copy(&r, &mut p)?;
    let mut q = stream.alloc::<f64>(len)?;
    let mut rr = stream.dot(&r, &r)?;
    let (start, mut iterations) = (rr, 0);
    while rr > 1e-28 * start && iterations < len {
        laplacian::<D>(&stream, &p, &mut q)?;
        let alpha = rr / stream.dot(&p, &q)?;
        stream.axpy(alpha, &p, &mut x)?;
        stream.axpy(-alpha, &q, &mut r)?;
        let old = std::mem::replace(&mut rr, stream.dot(&r, &r)?);
        stream.scal(rr / old, &mut p)?;
        stream.axpy(1.0, &r, &mut p)?;
        iterations += 1;
    }

    stream.axpy(-1.0, &solution, &mut x)?;
    let error = stream.to_vec(&x)?.into_iter().map(f64::abs).fold(0.0, f64::max);
    say!("{} unknowns, {iterations} iterations, largest error {error:.1e}", N * N);
    assert!(error < 1e-10, "the solution is off by {error:e}");
    Ok(())
}
