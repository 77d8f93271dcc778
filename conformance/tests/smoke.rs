//! The whole suite as one run: that it is large enough, covers the contract, and gives the same on both modes of the CPU.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use warpwave_conformance::{COVERAGE, Options, Outcome, Report, run};
use warpwave_cpu::{CpuBackend, CpuDevice};

#[test]
fn both_modes_pass_cover_the_contract_and_give_the_same_bits() {
    let options = Options::default();
    let devices = [CpuBackend::inline(), CpuBackend::asynchronous()].map(|backend| CpuDevice::new(backend).unwrap());
    let runs = devices.iter().map(|device| run(device, &options, &mut ())).collect();
    let report = Report::new(&options, Vec::new(), runs, Vec::new(), 0.0);
    for run in &report.runs {
        for check in &run.checks {
            // Without a compiler the checks of kernels are skipped, and nothing else is.
            let expected = if !cfg!(cxx) && check.id.starts_with("warp.") { Outcome::Skipped } else { Outcome::Pass };
            assert_eq!(check.outcome, expected, "{}: {:?}", check.id, check.detail);
        }
        assert!(run.checks.len() >= 150, "{} checks", run.checks.len());
        assert_eq!(run.checks.last().unwrap().id, COVERAGE);
    }
    assert!(report.summary().cases >= 20_000, "{} cases", report.summary().cases);
    let [inline, asynchronous] = &report.runs[..] else { panic!("{} runs", report.runs.len()) };
    for (a, b) in inline.checks.iter().zip(&asynchronous.checks) {
        assert_eq!((&a.id, a.cases, a.elements), (&b.id, b.cases, b.elements));
        assert_eq!(a.output_hash, b.output_hash, "{}", a.id);
    }
}
