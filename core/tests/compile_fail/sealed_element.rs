//! The element types are a closed set.
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mine;

impl fmt::Display for Mine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mine")
    }
}

unsafe impl bytemuck::Zeroable for Mine {}
unsafe impl bytemuck::Pod for Mine {}

impl warpwave_core::Element for Mine {
    const DTYPE: warpwave_core::DType = warpwave_core::DType::U8;
}

fn main() {}
