//! Two views that can be written at the same time come from `split_at_mut` alone.
use warpwave_core::{Buffer, Device, Result, Stream};

fn f<D: Device>(stream: &D::Stream, mut x: D::Buffer<f32>) -> Result<()> {
    let mut a = x.slice_mut(..2)?;
    let mut b = x.slice_mut(1..)?;
    stream.fill(&mut a, 0.0)?;
    stream.fill(&mut b, 1.0)
}

fn main() {}
