//! Kernels of the user's own: compiled by the host's C++ compiler, and run by the executor of `warpwave-kernels`.

use crate::fault::{Fault, catch};
use crate::workers::Workers;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warpwave_compile::{Cache, Scratch};
use warpwave_core::{CompiledModule, Error, ErrorKind, KernelInfo, KernelSource, Launch, LaunchArg, Result};
use warpwave_kernels::host::{HostLaunch, HostModule, Options};
use warpwave_kernels::image::{Compiler as _, HostCompiler, image, renewed};

/// The environment variable that has kernels looked at: a number that is not 0, from which the order of threads is made.
pub(crate) const CHECK_VARIABLE: &str = "WARPWAVE_CHECK";

/// How a device compiles and runs kernels.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Lanes of a warp.
    pub(crate) warp: u32,
    /// The seed of the next launch, if kernels are looked at.
    pub(crate) check: Option<Arc<AtomicU64>>,
}

impl Mode {
    /// What the environment asks for.
    pub(crate) fn from_environment() -> Self {
        let asked = std::env::var(CHECK_VARIABLE).ok();
        let seed = asked.map(|text| match text.trim() {
            "" | "off" | "no" | "false" => 0,
            // Whatever else is no number asks for it.
            text => text.parse().unwrap_or(1),
        });
        Mode { warp: 32, check: seed.filter(|&seed| seed > 0).map(|seed| Arc::new(AtomicU64::new(seed))) }
    }

    /// Compiles a text and loads what comes of it.
    pub(crate) fn compile(&self, source: KernelSource<'_>) -> Result<CpuModule> {
        let options = Options { warp: self.warp, check: self.check.is_some() };
        let module = build(source, options)?;
        let info = |kernel: &warpwave_kernels::host::HostKernel| {
            KernelInfo::new(kernel.name(), kernel.max_threads(), Some(kernel.parameters().to_vec()))
        };
        let kernels = module.kernels().iter().map(info).collect();
        Ok(CpuModule { module, kernels, seeds: self.check.clone() })
    }
}

/// A compiled module.
#[derive(Debug)]
pub(crate) struct CpuModule {
    module: HostModule,
    kernels: Vec<KernelInfo>,
    /// See [`Mode::check`].
    seeds: Option<Arc<AtomicU64>>,
}

impl CompiledModule for CpuModule {
    fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }
}

/// From the cache, or compiled now.
fn build(source: KernelSource<'_>, options: Options) -> Result<HostModule> {
    let (compiler, cache) = (HostCompiler::new(options), Cache::open());
    let image = image(source, &[&compiler], &cache).map_err(|error| match error.kind() {
        // There are no images for the host but those made here, so what is missing is the compiler.
        ErrorKind::NoImage { .. } => compiler.identity().err().unwrap_or(error),
        _ => error,
    })?;
    load(&image).or_else(|error| {
        // One that the cache has may be of another system that shares the folder.
        match renewed(source, &compiler, &cache) {
            Ok(image) => load(&image),
            Err(_) => Err(error),
        }
    })
}

/// Loads an image from a file that is gone again when this returns.
fn load(image: &[u8]) -> Result<HostModule> {
    let unusable = |what: String| ErrorKind::Unavailable {
        library: "a temporary folder to load a module from".into(),
        tried: vec![what],
        remedy: "name one in TMPDIR that can be written, and that is not mounted noexec".into(),
    };
    let folder = Scratch::new().map_err(|error| unusable(error.to_string()))?;
    let path = folder.path("module.so");
    std::fs::write(&path, image).map_err(|error| unusable(format!("{}: {error}", path.display())))?;
    // SAFETY: compiled by `HostCompiler`, now or before: the cache is this user's alone, and so is the folder.
    unsafe { HostModule::load(&path) }
}

/// Runs a launch. A fault of the kernel is no failure of the call: the next that synchronizes reports it.
///
/// # Safety
/// As for [`Backend::launch`](warpwave_core::Backend::launch), for the time of the call; and the thread is in the IEEE floating-point
/// mode.
pub(crate) unsafe fn run_launch(workers: &Workers, launch: &Launch, fault: &Fault) -> Result<()> {
    let named = |error: Error| error.in_operation("launch").in_kernel(launch.name());
    let host = prepare(launch).map_err(named)?;
    let outcome = catch("the kernel's executor", || {
        // Whoever comes takes blocks until there are none.
        workers.split(host.workers(workers.threads()), 1, |_| {
            // SAFETY: the caller's; the device's threads are in the IEEE mode.
            unsafe { host.work() }
        });
        host.result()
    });
    match outcome.map_err(named) {
        Err(error) if matches!(error.kind(), ErrorKind::DeviceFault { .. }) => {
            fault.keep(Err(error));
            Ok(())
        }
        outcome => outcome,
    }
}

fn prepare(launch: &Launch) -> Result<HostLaunch> {
    let foreign = || Error::invalid("kernel", "a kernel of this device", "a kernel of another backend");
    let CpuModule { module, seeds, .. } = launch.module().ok_or_else(foreign)?;
    let kernel = module.kernels().get(launch.kernel()).ok_or_else(foreign)?;
    let mut ranges = Vec::new();
    let args = launch.args().iter().map(|arg| match arg {
        LaunchArg::Memory { ptr, bytes, .. } => {
            ranges.push((ptr.addr(), ptr.addr() + bytes));
            ptr.expose().to_ne_bytes().to_vec()
        }
        LaunchArg::Value(bytes) => bytes.clone(),
        _ => Vec::new(),
    });
    let args: Vec<Vec<u8>> = args.collect();
    let seed = seeds.as_ref().map(|seeds| seeds.fetch_add(1, Ordering::Relaxed));
    HostLaunch::new(kernel, launch.grid(), args.iter().map(Vec::as_slice), seed, ranges)
}
