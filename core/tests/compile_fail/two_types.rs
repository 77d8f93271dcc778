//! Buffers of two element types do not mix without a cast.
use warpwave_core::{Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, x: D::Buffer<f32>, mut y: D::Buffer<f64>) -> Result<()> {
    stream.copy(&x, &mut y)
}

fn main() {}
