//! The report. `README.md` has its schema as JSON.

use crate::level::Level;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use warpwave_core::{DType, DeviceInfo};

/// The version of the report's schema.
pub const SCHEMA: u32 = 1;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every case was right.
    Pass,
    /// A case was wrong, or there was none, or the device refused what it claims to offer.
    Fail,
    /// The device says that it does not offer the operation for the type.
    Unsupported,
    /// Something that the check needs is not there.
    Skipped,
}

impl Outcome {
    /// The name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Unsupported => "unsupported",
            Outcome::Skipped => "skipped",
        }
    }
}

/// What came of one check.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// The check's name.
    pub id: String,
    /// `R`, `B` or `U`; none for what is not an operation.
    pub class: Option<char>,
    /// The element type, of checks that are of one.
    #[serde(rename = "type", serialize_with = "dtype")]
    pub dtype: Option<DType>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it was not run, or what a check of the suite itself found.
    pub reason: Option<String>,
    /// Cases that passed.
    pub cases: u64,
    /// Elements compared in those.
    pub elements: u64,
    /// The largest ratio of error to bound; none where nothing was held to a bound.
    pub worst: Option<f64>,
    /// The largest error found, in units in the last place; of elementary functions only.
    pub ulp: Option<f64>,
    /// The bound that holds for the operation.
    pub bound: Option<String>,
    /// A hash of all outputs of class R, in the order of the cases; 16 hexadecimal digits.
    pub output_hash: Option<String>,
    /// The case that failed, its input, and how to run it again.
    pub detail: Option<String>,
    /// How long it took, in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

impl CheckReport {
    /// Of a check that has passed with nothing to say.
    pub(crate) fn of(id: &str) -> Self {
        CheckReport {
            id: id.to_owned(),
            class: None,
            dtype: None,
            outcome: Outcome::Pass,
            reason: None,
            cases: 0,
            elements: 0,
            worst: None,
            ulp: None,
            bound: None,
            output_hash: None,
            detail: None,
            seconds: 0.0,
        }
    }
}

fn dtype<S: Serializer>(dtype: &Option<DType>, serializer: S) -> Result<S::Ok, S::Error> {
    dtype.map(DType::name).serialize(serializer)
}

/// How many checks ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Checks that passed.
    pub passed: usize,
    /// Checks that failed.
    pub failed: usize,
    /// Checks of what the device does not offer.
    pub unsupported: usize,
    /// Checks that lacked something.
    pub skipped: usize,
    /// Cases that passed.
    pub cases: u64,
}

/// A device, as far as it is the same in every run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DeviceReport {
    /// `cpu`, `cuda:0` …
    pub id: String,
    /// `inline`, `async` or `gpu`.
    pub mode: String,
    /// The product's name.
    pub name: String,
    /// The architecture, as the vendor spells it.
    pub arch: String,
    /// Threads that execute in step.
    pub warp_size: u32,
    /// Multiprocessors, compute units or CPU threads.
    pub units: u32,
    /// Versions by name.
    pub versions: BTreeMap<String, String>,
    /// Who serves which routines.
    pub providers: BTreeMap<String, String>,
}

impl From<&DeviceInfo> for DeviceReport {
    fn from(info: &DeviceInfo) -> Self {
        DeviceReport {
            id: info.id.clone(),
            mode: info.mode.clone(),
            name: info.name.clone(),
            arch: info.arch.clone(),
            warp_size: info.warp_size,
            units: info.units,
            versions: info.versions.iter().cloned().collect(),
            providers: info.providers.iter().cloned().collect(),
        }
    }
}

/// The suite's results on one device in one mode.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The device.
    pub device: DeviceReport,
    /// The checks, in the order in which they ran.
    pub checks: Vec<CheckReport>,
    /// How many ended in which way.
    pub summary: Summary,
    /// How long it took, in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

impl RunReport {
    /// A report of these checks.
    pub(crate) fn new(info: &DeviceInfo, checks: Vec<CheckReport>, seconds: f64) -> Self {
        let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
        let summary = Summary {
            passed: count(Outcome::Pass),
            failed: count(Outcome::Fail),
            unsupported: count(Outcome::Unsupported),
            skipped: count(Outcome::Skipped),
            cases: checks.iter().map(|check| check.cases).sum(),
        };
        RunReport { device: info.into(), checks, summary, seconds }
    }
}

/// A device on which the suite did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotRun {
    /// `cuda:0`, or the backend if it has no device.
    pub device: String,
    /// Why.
    pub reason: String,
}

/// The machine, as far as it is the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Host {
    /// The processor's architecture.
    pub arch: &'static str,
    /// The operating system.
    pub os: &'static str,
}

/// The results on all devices: what `--json` writes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    /// The features that the tool was built with.
    pub features: Vec<String>,
    /// The seed of all inputs.
    pub seed: u64,
    #[serde(serialize_with = "level")]
    /// How thorough it was.
    pub level: Level,
    /// The expression that names were chosen by, or the case that was run alone.
    pub filter: Option<String>,
    /// The machine.
    pub host: Host,
    /// A run for each device and mode.
    pub runs: Vec<RunReport>,
    /// Devices without a run.
    pub not_run: Vec<NotRun>,
    timing: Timing,
}

fn level<S: Serializer>(level: &Level, serializer: S) -> Result<S::Ok, S::Error> {
    level.name().serialize(serializer)
}

/// All that differs from one run to the next, in seconds.
#[derive(Clone, Debug, Serialize)]
struct Timing {
    total: f64,
    runs: Vec<RunTiming>,
}

#[derive(Clone, Debug, Serialize)]
struct RunTiming {
    device: String,
    mode: String,
    total: f64,
    checks: BTreeMap<String, f64>,
}

impl Report {
    /// Puts runs together. `seconds` is how long all of it took.
    pub fn new(
        options: &crate::Options,
        features: Vec<String>,
        runs: Vec<RunReport>,
        not_run: Vec<NotRun>,
        seconds: f64,
    ) -> Self {
        let timing = runs.iter().map(|run| RunTiming {
            device: run.device.id.clone(),
            mode: run.device.mode.clone(),
            total: run.seconds,
            checks: run.checks.iter().map(|check| (check.id.clone(), check.seconds)).collect(),
        });
        let timing = Timing { total: seconds, runs: timing.collect() };
        let case = options.case.as_ref().map(ToString::to_string);
        Report {
            schema: SCHEMA,
            tool: "warpwave",
            version: env!("CARGO_PKG_VERSION"),
            features,
            seed: options.seed,
            level: options.level,
            filter: case.or_else(|| options.filter.as_ref().map(|filter| filter.as_str().to_owned())),
            host: Host { arch: std::env::consts::ARCH, os: std::env::consts::OS },
            runs,
            not_run,
            timing,
        }
    }

    /// The checks of all runs together.
    pub fn summary(&self) -> Summary {
        self.runs.iter().fold(Summary::default(), |all, run| Summary {
            passed: all.passed + run.summary.passed,
            failed: all.failed + run.summary.failed,
            unsupported: all.unsupported + run.summary.unsupported,
            skipped: all.skipped + run.summary.skipped,
            cases: all.cases + run.summary.cases,
        })
    }
}
