//! Buffers of two kinds of device do not mix.
use warpwave_core::{Device, Result, Stream};

fn f<A: Device, B: Device>(stream: &A::Stream, x: A::Buffer<f32>, mut y: B::Buffer<f32>) -> Result<()> {
    stream.copy(&x, &mut y)
}

fn main() {}
