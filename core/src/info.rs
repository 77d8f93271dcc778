//! What a device says of itself.

/// A device's description.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The identifier that `WARPWAVE_DEVICE` and `--device` take: `cpu`, `cuda:0`, `hip:1`.
    pub id: String,
    /// The product's name.
    pub name: String,
    /// The architecture as the vendor spells it: `x86_64`, `sm_90`, `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// What tells the physical device from every other: the vendor's UUID. `None` if there is no such thing, as on the CPU.
    ///
    /// Devices of one UUID that are open in one process count as one where a free by the driver waits for host functions,
    /// whichever backend has opened them.
    pub uuid: Option<String>,
    /// Threads that execute in step: 32 on NVIDIA, 32 or 64 on AMD. On the CPU as many as kernels of the user's own are compiled for: 32.
    pub warp_size: u32,
    /// Multiprocessors, compute units or CPU threads.
    pub units: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// The largest number of threads in a block; 0 where kernels cannot be launched.
    pub max_threads_per_block: u32,
    /// The largest number of bytes of shared memory in a block.
    pub max_shared_memory: u32,
    /// How work is executed: `inline`, `async`, `gpu`.
    pub mode: String,
    /// Versions, by name: `driver`, `runtime` …
    pub versions: Vec<(String, String)>,
    /// Who serves which routines: (`level 1`, `warpwave`), (`gemm`, `the crate gemm`) …
    pub providers: Vec<(String, String)>,
}

/// A device's memory at one moment, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    /// In buffers and pinned allocations that are alive.
    pub in_use: usize,
    /// Kept in the pool for reuse, or waiting for work that is still running.
    pub cached: usize,
}
