//! The group "warp and block" in warps of both sizes, with threads in the order they come in and in orders that seeds give.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use regex::Regex;
use warpwave_conformance::{Options, Outcome, run};
use warpwave_cpu::{CpuBackend, CpuDevice};

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn every_size_and_any_order() {
    let options = Options { filter: Some(Regex::new(r"^warp\.").unwrap()), ..Options::default() };
    // Warps of 32 as they come are in the suite.
    for (warp, seed) in [(64, None), (32, Some(1)), (64, Some(2))] {
        let backend = CpuBackend::asynchronous().with_warp_size(warp);
        let backend = match seed {
            Some(seed) => backend.checking(seed),
            None => backend,
        };
        let device = CpuDevice::new(backend).unwrap();
        let report = run(&device, &options, &mut ());
        assert!(report.checks.len() > 20, "{} checks", report.checks.len());
        for check in &report.checks {
            assert_eq!(check.outcome, Outcome::Pass, "warps of {warp}, {seed:?}, {}: {:?}", check.id, check.detail);
        }
    }
}
