//! The environment variables.

use std::io::{self, Write};

/// Every variable that has an effect, and which.
const VARIABLES: [(&str, &str); 12] = [
    (
        "WARPWAVE_DEVICE",
        "the device that `warpwave::open` gives a program: `cpu`, `cuda:N`. Default: the first CUDA device, if CUDA is compiled in and there is one, else \
         `cpu`",
    ),
    (
        "WARPWAVE_REQUIRE",
        "backends, separated by commas, whose absence is a failure instead of a reason to skip: `cpu`, `cuda`, `hip`; for the tests \
         of this project tools too: `cxx`, `llvm`, `nvcc`, `nvrtc`, `hiprtc`",
    ),
    ("WARPWAVE_NVCC", "NVIDIA's compiler. Default: `nvcc` in PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda or /opt/cuda"),
    ("WARPWAVE_HIPCC", "AMD's compiler. Default: `hipcc` in PATH, ROCM_PATH, HIP_PATH or /opt/rocm"),
    (
        "WARPWAVE_CLANG",
        "clang with the target AMDGPU, for want of hipcc. Default: `amdclang` or `clang` in PATH, ROCM_PATH or /opt/rocm",
    ),
    (
        "WARPWAVE_BUILD_ARCHS",
        "architectures, separated by commas, that kernels are compiled for when a program is built: warpwave's, and those of one's own",
    ),
    (
        "WARPWAVE_CXX",
        "the C++ compiler, with arguments, for kernels of one's own on a CPU device. Default: what `CXX` says, else `c++`, `g++` or `clang++`",
    ),
    (
        "WARPWAVE_CACHE_DIR",
        "the folder for what compilers made of kernels, from one run to the next; `off`: none. Default: `warpwave` in XDG_CACHE_HOME, \
         LOCALAPPDATA or ~/.cache",
    ),
    (
        "WARPWAVE_CHECK",
        "a number that is not 0: a CPU device looks at what kernels of one's own do, and runs threads in an order that is made of it. \
         Default: it does not",
    ),
    (
        "WARPWAVE_CUDA_LIBRARY_PATH",
        "folders, separated as in PATH, where the driver, NVRTC and cuBLAS are looked for, and nowhere else. Default: where the system does, the \
         toolkit's folders, and the packages of an active Python environment",
    ),
    (
        "WARPWAVE_HIP_LIBRARY_PATH",
        "folders, separated as in PATH, where the tests of this project look for hipRTC. Default: where the system does",
    ),
    (
        "RAYON_NUM_THREADS",
        "threads of a CPU device, at most 256 or one for each processor that the process may use, whichever is more. Default: \
         one for each of those processors",
    ),
];

/// Writes the table.
pub(crate) fn write(out: &mut dyn Write) -> io::Result<()> {
    for (name, effect) in VARIABLES {
        crate::text::indented(out, &format!("{name:<22}"), effect)?;
    }
    Ok(())
}
