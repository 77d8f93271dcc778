//! A buffer has one owner.
use warpwave_core::Device;

fn f<D: Device>(x: D::Buffer<f32>) -> (D::Buffer<f32>, D::Buffer<f32>) {
    (x.clone(), x)
}

fn main() {}
