//! A buffer cannot be written while a view of it is read.
use warpwave_core::{Buffer, Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, mut x: D::Buffer<f32>) -> Result<()> {
    let low = x.slice(..1)?;
    stream.copy(&low, &mut x)
}

fn main() {}
