//! The devices that a run is for.

use crate::Stop;
use warpwave::{CpuBackend, CpuDevice, Error};
use warpwave_conformance::NotRun;

/// Backends of which no device can be compiled into this program, and the name of a device of each.
const ABSENT: [(&str, &str); 2] = [("cuda", "cuda:0"), ("hip", "hip:0")];

/// What `--device` asks for.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The CPU, in each of its modes.
    pub(crate) cpu: Vec<CpuDevice>,
    /// What is not there, if all was asked for.
    pub(crate) not_run: Vec<NotRun>,
    /// Whether all was asked for.
    pub(crate) all: bool,
}

/// Opens what `--device` asks for.
pub(crate) fn select(name: &str) -> Result<Selection, Stop> {
    let all = name == "all";
    if !all {
        // The only name that can be opened is `cpu`; the others are errors that say why.
        warpwave::open_named(name)?;
    }
    let cpu = vec![CpuDevice::new(CpuBackend::inline())?, CpuDevice::new(CpuBackend::asynchronous())?];
    Ok(Selection { cpu, not_run: if all { absent() } else { Vec::new() }, all })
}

/// The backends without a device here, each with the reason.
pub(crate) fn absent() -> Vec<NotRun> {
    let reason = |error: Error| error.kind().to_string();
    let absent = ABSENT.into_iter().filter_map(|(backend, device)| {
        let reason = warpwave::open_named(device).err().map(reason)?;
        Some(NotRun { device: backend.to_owned(), reason })
    });
    absent.collect()
}

/// The features that this program was built with.
pub(crate) fn features() -> Vec<String> {
    let features = [("cpu", cfg!(feature = "cpu"))];
    features.into_iter().filter(|&(_, on)| on).map(|(name, _)| name.to_owned()).collect()
}
