//! A buffer that was given away is gone.
use warpwave_core::{Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, x: D::Buffer<f32>) -> Result<Vec<f32>> {
    stream.host_fn(move || drop(x))?;
    stream.to_vec(&x)
}

fn main() {}
