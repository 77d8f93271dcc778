//! `warpwave info`.

use crate::text::indented;
use crate::{Stop, Verdict, arguments, devices};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use warpwave::DeviceInfo;
use warpwave_conformance::NotRun;

/// What `info --json` prints.
#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    features: Vec<String>,
    devices: Vec<Description>,
    absent: Vec<NotRun>,
}

/// A device.
#[derive(Debug, Serialize)]
struct Description {
    id: String,
    name: String,
    arch: String,
    warp_size: u32,
    units: u32,
    /// In bytes; 0 where the system does not say.
    memory: u64,
    modes: Vec<String>,
    max_threads_per_block: u32,
    max_shared_memory: u32,
    versions: BTreeMap<String, String>,
    providers: BTreeMap<String, String>,
}

impl Description {
    /// A device in one of its modes.
    fn new(info: &DeviceInfo) -> Self {
        Description {
            id: info.id.clone(),
            name: info.name.clone(),
            arch: info.arch.clone(),
            warp_size: info.warp_size,
            units: info.units,
            memory: info.memory,
            modes: vec![info.mode.clone()],
            max_threads_per_block: info.max_threads_per_block,
            max_shared_memory: info.max_shared_memory,
            versions: info.versions.iter().cloned().collect(),
            providers: info.providers.iter().cloned().collect(),
        }
    }
}

/// Describes every device, and says why others are not there.
pub(crate) fn run(arguments: &arguments::Info, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let selection = devices::select("all")?;
    let mut devices: Vec<Description> = Vec::new();
    for info in selection.devices.iter().map(|device| device.info()) {
        match devices.iter_mut().find(|described| described.id == info.id) {
            // The same in another mode.
            Some(described) => described.modes.push(info.mode.clone()),
            None => devices.push(Description::new(info)),
        }
    }
    let report = Report {
        schema: 1,
        tool: "warpwave",
        version: env!("CARGO_PKG_VERSION"),
        features: devices::features(),
        devices,
        absent: selection.not_run,
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| Stop::Refused(error.to_string()))?;
        writeln!(out, "{text}")?;
    } else {
        write(out, &report)?;
    }
    Ok(Verdict::Good)
}

fn write(out: &mut dyn Write, report: &Report) -> std::io::Result<()> {
    for device in &report.devices {
        writeln!(out, "{}: {}", device.id, device.name)?;
        let mut field = |name: &str, value: String| indented(out, &format!("  {name:<14}"), &value);
        field("architecture", device.arch.clone())?;
        field("warp size", device.warp_size.to_string())?;
        field(if device.id == "cpu" { "threads" } else { "units" }, device.units.to_string())?;
        if device.memory > 0 {
            field("memory", format!("{:.1} GiB", device.memory as f64 / 2f64.powi(30)))?;
        }
        if device.max_threads_per_block > 0 {
            field("largest block", format!("{} threads", device.max_threads_per_block))?;
            field("shared memory", format!("{} bytes in a block", device.max_shared_memory))?;
        }
        field("modes", device.modes.join(", "))?;
        let pairs = |map: &BTreeMap<String, String>| {
            map.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
        };
        field("versions", pairs(&device.versions))?;
        field("providers", pairs(&device.providers))?;
    }
    for absent in &report.absent {
        indented(out, &format!("{}: ", absent.device), &format!("not there: {}", absent.reason))?;
    }
    Ok(())
}
