//! The suite as tests of another crate.

use crate::coverage::Coverage;
use crate::erased::{Subject, subject};
use crate::failure::Failure;
use crate::origin::Behind;
use crate::report::Outcome;
use crate::run::{Options, judge, run_check};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use warpwave_core::{Device, Result};

/// Makes the [suite](crate::suite) the tests of a crate: each check on each device is one of them.
///
/// Takes one expression or several, each giving a [`Result`](warpwave_core::Result) with a [`Device`](warpwave_core::Device), and is
/// all that the file has to hold. In `Cargo.toml` the test has `harness = false`. Tests are named by device, mode and check:
/// `cpu.inline.blas.axpy.f32`. A check of an operation that the device does not offer is an ignored test, and one that is skipped
/// fails with its reason. If none is filtered out, the coverage of the contract is judged at the end.
///
/// ```no_run
/// warpwave_conformance::conformance_tests!(<warpwave_cpu::CpuDevice as warpwave_core::Device>::open(0));
/// ```
#[macro_export]
macro_rules! conformance_tests {
    ($($device:expr),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let mut harness = $crate::harness::Harness::default();
            $( harness.add($device); )+
            harness.run()
        }
    };
}

type Judge = Box<dyn FnOnce() -> std::result::Result<String, String>>;

/// Collects the tests.
#[derive(Default)]
pub struct Harness {
    trials: Vec<Trial>,
    judges: Vec<Judge>,
}

impl std::fmt::Debug for Harness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Harness({} tests)", self.trials.len())
    }
}

impl Harness {
    /// Adds the suite on a device. A device that cannot be opened is a test that fails.
    pub fn add<D: Device>(&mut self, device: Result<D>) {
        self.add_subject(device.and_then(|device| subject(&device)));
    }

    /// Not generic, so that the suite is compiled into this crate.
    fn add_subject(&mut self, device: Result<Subject>) {
        let device = match device {
            Ok(device) => device,
            Err(error) => {
                let number = self.trials.len();
                let failed = move || Err(Failed::from(error.to_string()));
                return self.trials.push(Trial::test(format!("open.{number}"), failed));
            }
        };
        let name = format!("{}.{}", device.info().id, device.info().mode);
        let coverage = Arc::new(Mutex::new(Coverage::default()));
        let no_compiler = match crate::warp::ready(&device) {
            Err(Failure::Skipped(reason)) => Some(reason),
            // What else is wrong the checks will say.
            _ => None,
        };
        for check in crate::suite() {
            let (device, coverage) = (device.clone(), coverage.clone());
            let lacking = check.lacking(&device).map(|what| format!("not offered: {what}"));
            let kind = lacking.or_else(|| no_compiler.clone().filter(|_| check.compiles));
            let name = format!("{name}.{}", check.id());
            let trial = Trial::test(name, move || {
                let mut own = Coverage::default();
                let report = run_check(&device, &Behind, &check, &Options::default(), &mut own);
                coverage.lock().unwrap_or_else(PoisonError::into_inner).join(own);
                match report.outcome {
                    Outcome::Pass => Ok(()),
                    // A test cannot be ignored once it runs, and what did not run must not count as passed.
                    _ => Err(Failed::from(report.detail.or(report.reason).unwrap_or_default())),
                }
            });
            self.trials.push(match kind {
                Some(kind) => trial.with_kind(kind).with_ignored_flag(true),
                None => trial,
            });
        }
        self.judges.push(Box::new(move || {
            let report = judge(&device, &coverage.lock().unwrap_or_else(PoisonError::into_inner));
            let reason = format!("{name}: {}", report.reason.unwrap_or_default());
            report.detail.map_or(Ok(reason.clone()), |detail| Err(format!("{reason}\n{detail}")))
        }));
    }

    /// Runs the tests that the command line chooses, as the harness of the standard library does.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_args();
        let conclusion = libtest_mimic::run(&arguments, self.trials);
        if conclusion.has_failed() {
            return conclusion.exit_code();
        }
        if arguments.list || arguments.ignored || arguments.filter.is_some() || !arguments.skip.is_empty() {
            return ExitCode::SUCCESS;
        }
        let mut code = ExitCode::SUCCESS;
        for judge in self.judges {
            match judge() {
                Ok(text) => eprintln!("{text}"),
                Err(text) => {
                    eprintln!("{text}");
                    code = ExitCode::from(101);
                }
            }
        }
        code
    }
}
