use warpwave_conformance::*;
use warpwave_cpu::{CpuBackend, CpuDevice};
#[test]
fn full() {
    for backend in [CpuBackend::inline(), CpuBackend::asynchronous()] {
        for level in [Level::Smoke, Level::Full] {
        let device = CpuDevice::new(backend_of(&backend)).unwrap();
        let report = run(&device, &Options { level, ..Options::default() }, &mut ());
        let mut by: Vec<_> = report.checks.iter().map(|c| (c.seconds, c.id.clone(), c.cases)).collect();
        by.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{} s, {} checks, {} cases, {:?}", report.seconds, report.checks.len(), report.checks.iter().map(|c| c.cases).sum::<u64>(), report.summary);
        for g in ["blas", "elementwise", "reduction", "runtime"] {
            let s = || report.checks.iter().filter(|c| c.id.starts_with(g));
            println!("  {g}: {} checks {} cases {} s", s().count(), s().map(|c| c.cases).sum::<u64>(), s().map(|c| c.seconds).sum::<f64>());
        }
        for x in &by[..6] { println!("  {x:?}"); }
        let mut worst: Vec<_> = report.checks.iter().filter_map(|c| c.worst.map(|w| (w, c.id.clone()))).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        for x in worst.iter().take(12) { println!("  worst {x:?}"); }
        for x in worst.iter().rev().take(5) { println!("  least {x:?}"); }
        for c in report.checks.iter().filter(|c| c.outcome != Outcome::Pass) { println!("  FAIL {} {:?}", c.id, c.detail); }
        }
    }
}
fn backend_of(b: &CpuBackend) -> CpuBackend { if format!("{b:?}").contains("asynchronous: true") { CpuBackend::asynchronous() } else { CpuBackend::inline() } }
