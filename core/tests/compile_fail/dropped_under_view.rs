//! A buffer cannot be dropped while a view of it is used.
use warpwave_core::{Buffer, Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, x: D::Buffer<f32>) -> Result<Vec<f32>> {
    let low = x.slice(..1)?;
    drop(x);
    stream.to_vec(&low)
}

fn main() {}
