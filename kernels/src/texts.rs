//! The texts of the kernels, and what was made of them when this crate was built.

use warpwave_core::KernelSource;

mod built {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

/// Every text in `device/`, by name, with images for the architectures that `WARPWAVE_BUILD_ARCHS` named when this crate was built.
pub static TEXTS: &[KernelSource<'static>] = built::ALL;

/// The text of a file in `device/`, which is named without `.hip`.
pub fn text(name: &str) -> Option<KernelSource<'static>> {
    TEXTS.iter().find(|text| text.name.strip_suffix(".hip") == Some(name)).copied()
}
