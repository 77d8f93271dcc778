//! A view that can only be read cannot be written.
use warpwave_core::{Buffer, Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, x: D::Buffer<f32>) -> Result<()> {
    let mut view = x.slice(..)?;
    stream.fill(&mut view, 1.0)
}

fn main() {}
