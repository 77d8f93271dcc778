//! The devices that a run is for.

use crate::Stop;
#[cfg(feature = "cuda-base")]
use warpwave::CudaDevice;
use warpwave::{CpuBackend, CpuDevice, Device, DeviceInfo};
use warpwave_conformance::{NotRun, Options, Progress, RunReport};

/// A device of a backend that is compiled in.
#[derive(Debug)]
pub(crate) enum Selected {
    /// The CPU.
    Cpu(CpuDevice),
    /// A CUDA device.
    #[cfg(feature = "cuda-base")]
    Cuda(CudaDevice),
}

impl Selected {
    /// Its description.
    pub(crate) fn info(&self) -> &DeviceInfo {
        match self {
            Selected::Cpu(device) => device.info(),
            #[cfg(feature = "cuda-base")]
            Selected::Cuda(device) => device.info(),
        }
    }

    /// Runs the suite on it.
    pub(crate) fn run(&self, options: &Options, progress: &mut dyn Progress) -> RunReport {
        match self {
            Selected::Cpu(device) => warpwave_conformance::run(device, options, progress),
            #[cfg(feature = "cuda-base")]
            Selected::Cuda(device) => warpwave_conformance::run(device, options, progress),
        }
    }
}

/// What `--device` asks for.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The devices, the CPU in each of its modes.
    pub(crate) devices: Vec<Selected>,
    /// What is not there, if all was asked for.
    pub(crate) not_run: Vec<NotRun>,
    /// Whether all was asked for.
    pub(crate) all: bool,
}

/// Opens what `--device` asks for.
pub(crate) fn select(name: &str) -> Result<Selection, Stop> {
    let all = name == "all";
    let mut devices = Vec::new();
    if all || name == "cpu" {
        for backend in [CpuBackend::inline(), CpuBackend::asynchronous()] {
            devices.push(Selected::Cpu(CpuDevice::new(backend)?));
        }
    }
    #[cfg(feature = "cuda-base")]
    if all {
        let found = CudaDevice::enumerate().unwrap_or_default();
        for index in 0..found.len() {
            devices.push(Selected::Cuda(CudaDevice::open(index)?));
        }
    } else if let Some(index) = name.strip_prefix("cuda:").and_then(|index| index.parse::<u32>().ok()) {
        devices.push(Selected::Cuda(CudaDevice::open(index as usize)?));
    }
    if devices.is_empty() {
        // An error that says why.
        warpwave::open_named(name)?;
    }
    Ok(Selection { devices, not_run: if all { absent() } else { Vec::new() }, all })
}

/// The backends without a device here, each with the reason.
pub(crate) fn absent() -> Vec<NotRun> {
    let of = |(backend, error): (&str, warpwave::Error)| NotRun {
        device: backend.to_owned(),
        reason: error.kind().to_string(),
    };
    warpwave::absent().into_iter().map(of).collect()
}

/// The features that this program was built with.
pub(crate) fn features() -> Vec<String> {
    let features =
        [("cpu", cfg!(feature = "cpu")), ("cuda", cfg!(feature = "cuda")), ("cuda-base", cfg!(feature = "cuda-base"))];
    features.into_iter().filter(|&(_, on)| on).map(|(name, _)| name.to_owned()).collect()
}
