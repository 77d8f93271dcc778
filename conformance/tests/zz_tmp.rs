use regex::Regex;
use warpwave_conformance::faults::*;
use warpwave_conformance::*;
use warpwave_core::ManagedDevice;
use warpwave_cpu::{CpuBackend, CpuDevice};
#[test]
fn seeds() {
    for seed in 2..12 {
        for p in faults() {
            let b = if p.mode == Mode::Inline { CpuBackend::inline() } else { CpuBackend::asynchronous() };
            let d = ManagedDevice::new(unsafe { Faulty::new(b, Some(p.fault)) }).unwrap();
            let r = run(&d, &Options { seed, filter: Some(Regex::new(&format!("^{}$", regex::escape(p.caught_by))).unwrap()), ..Options::default() }, &mut ());
            if r.checks[0].outcome != Outcome::Fail { println!("SURVIVES seed {seed} {}", p.fault); }
        }
        for b in [CpuBackend::inline(), CpuBackend::asynchronous()] {
            let d = CpuDevice::new(b).unwrap();
            let r = run(&d, &Options { seed, ..Options::default() }, &mut ());
            for c in r.checks.iter().filter(|c| c.outcome != Outcome::Pass) { println!("  FAIL seed {seed} {} {:?}", c.id, c.detail); }
        }
    }
    let device = CpuDevice::new(CpuBackend::inline()).unwrap();
    let report = run(&device, &Options { level: Level::Full, ..Options::default() }, &mut ());
    println!("{} s", report.seconds);
    for c in report.checks.iter().filter(|c| c.outcome != Outcome::Pass) { println!("  FAIL {} {:?}", c.id, c.detail); }
}
