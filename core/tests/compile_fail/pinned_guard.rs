//! While the host writes pinned memory no copy reads it.
use warpwave_core::{Device, Pinned, Result, Stream};

fn f<D: Device>(stream: &D::Stream, mut x: D::Buffer<f32>, mut data: Pinned<f32, D>) -> Result<()> {
    let mut guard = data.write()?;
    stream.upload(&mut x, &data)?;
    guard[0] = 1.0;
    Ok(())
}

fn main() {}
