//! A view does not outlive its buffer.
use warpwave_core::{Buffer, Device, Result, Stream, View};

fn f<'a, D: Device>(stream: &D::Stream) -> Result<View<'a, f32, D>> {
    let x = stream.alloc::<f32>(4)?;
    x.slice(..)
}

fn main() {}
