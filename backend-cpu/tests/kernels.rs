//! Kernels of the user's own on the CPU device. Without a C++ compiler they are ignored, or fail if `WARPWAVE_REQUIRE` names `cxx`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(unix)]
#[path = "kernels/unix.rs"]
mod unix;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    if unix::is_child() {
        unix::without_compiler();
        return ExitCode::SUCCESS;
    }
    #[cfg(unix)]
    let trials: Vec<Trial> = unix::trials();
    #[cfg(not(unix))]
    let trials = vec![Trial::test("kernels", || Ok(())).with_kind("the executor is for Unix").with_ignored_flag(true)];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
