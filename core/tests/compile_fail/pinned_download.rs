//! While the host reads pinned memory no copy writes it.
use warpwave_core::{Device, Pinned, Result, Stream};

fn f<D: Device>(stream: &D::Stream, x: D::Buffer<f32>, mut data: Pinned<f32, D>) -> Result<f32> {
    let guard = data.read()?;
    stream.download(&x, &mut data)?;
    Ok(guard[0])
}

fn main() {}
