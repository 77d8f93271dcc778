//! Every planted fault is caught, by the check that the table names; and without a fault the same backend passes
//! everything.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::time::Duration;
use warpwave_conformance::faults::{Fault, Faulty, Mode, Planted, faults};
use warpwave_conformance::{CheckReport, Level, Options, Outcome, RunReport, run};
use warpwave_core::ManagedDevice;
use warpwave_cpu::CpuBackend;

/// Longer than any fault's check takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the checks of these names at the level `smoke`; all of them if there is no name.
fn checks(fault: Option<Fault>, mode: Mode, names: &[&str]) -> RunReport {
    let backend = match mode {
        Mode::Inline => CpuBackend::inline(),
        Mode::Async => CpuBackend::asynchronous(),
        Mode::Checked => CpuBackend::inline().with_warp_size(64).checking(7),
    };
    // SAFETY: the CPU's memory is the host's. No check reads what a missing wait or an early event lets be written at
    // that moment: it holds back the work that would write until it has looked. The checks of operations, which the
    // faults that write beside a result are run with, use a buffer on one stream and through one view at a time.
    let device = ManagedDevice::new(unsafe { Faulty::new(backend, fault) }).unwrap();
    let pattern = names.iter().map(|name| regex::escape(name)).collect::<Vec<_>>().join("|");
    let filter = (!names.is_empty()).then(|| Regex::new(&format!("^({pattern})$")).unwrap());
    run(&device, &Options { level: Level::Smoke, filter, ..Options::default() }, &mut ())
}

/// What is wrong with how a fault was caught, if anything.
fn judge(planted: &Planted) -> Option<String> {
    let Planted { fault, mode, caught_by, detail: expected, .. } = *planted;
    let (sender, receiver) = channel();
    std::thread::spawn(move || drop(sender.send(checks(Some(fault), mode, &[caught_by]))));
    let Ok(report) = receiver.recv_timeout(PATIENCE) else {
        return Some(format!("{fault}: {caught_by} did not end"));
    };
    match report.checks.as_slice() {
        [check] => {
            let detail = check.detail.as_deref().unwrap_or_default();
            match check.outcome {
                // A panic would be a fault of the fault.
                Outcome::Fail if detail.contains(expected) && !detail.contains("panic") => None,
                outcome => {
                    Some(format!("{fault}: {caught_by} ended {} {detail}, not with {expected:?}", outcome.name()))
                }
            }
        }
        checks => Some(format!("{fault}: {} checks are named {caught_by}", checks.len())),
    }
}

fn all_are_caught(chosen: impl Fn(&&Planted) -> bool) {
    let survivors: Vec<String> = faults().iter().filter(chosen).filter_map(judge).collect();
    assert!(survivors.is_empty(), "{} faults:\n{}", survivors.len(), survivors.join("\n"));
}

#[test]
fn every_fault_is_caught_by_its_check() {
    all_are_caught(|planted| planted.mode != Mode::Checked);
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn every_fault_in_a_text_is_caught_by_its_check() {
    all_are_caught(|planted| planted.mode == Mode::Checked);
}

/// Without a compiler the checks of kernels are skipped, and nothing else is.
fn passes(check: &CheckReport) -> bool {
    let excused = !cfg!(cxx) && check.id.starts_with("warp.") && check.outcome == Outcome::Skipped;
    check.outcome == Outcome::Pass || excused
}

#[test]
fn without_a_fault_everything_passes() {
    for mode in [Mode::Inline, Mode::Async] {
        let report = checks(None, mode, &[]);
        let failed: Vec<_> = report.checks.iter().filter(|check| !passes(check)).collect();
        assert!(failed.is_empty(), "{mode:?}: {failed:#?}");
        assert!(report.checks.len() > 600, "{} checks", report.checks.len());
    }
}

#[test]
fn the_table_has_each_fault_once() {
    let planted: Vec<Fault> = faults().iter().map(|planted| planted.fault).collect();
    assert_eq!(planted, Fault::ALL);
    let names: BTreeSet<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    assert_eq!(names.len(), Fault::ALL.len());
    for fault in Fault::ALL {
        assert!(fault.description().ends_with('.'), "{fault}");
        assert!(fault.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{fault}");
    }
}
