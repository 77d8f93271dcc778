//! Compiles the kernel for the architectures that `WARPWAVE_BUILD_ARCHS` names, and writes `kernels.rs` with the text and the images.

fn main() -> warpwave_compile::Result<()> {
    warpwave_compile::Build::new().text("kernels/smooth.hip").run()
}
