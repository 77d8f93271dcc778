//! The suite on a device that does not offer everything.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod partial;

use partial::{PartialDevice, offers};
use warpwave_conformance::{COVERAGE, Case, Check, Options, Outcome, Session, Verdict, run, run_checks};
use warpwave_core::numerics::contract::{self, Lane};
use warpwave_core::{DType, Device, OperationKind};

#[test]
fn what_is_declared_unsupported_is_not_run_and_does_not_fail() {
    fn never(_: &mut Session<'_, PartialDevice>) -> Verdict {
        panic!("was run");
    }
    fn once(session: &mut Session<'_, PartialDevice>) -> Verdict {
        session.once(Lane::Exact, |case: &mut Case<'_, PartialDevice>| case.ensure(true, ""))
    }
    let checks = vec![
        Check::of_row("x", OperationKind::Add, DType::I16, None, never),
        Check::of_row("x", OperationKind::Add, DType::F32, None, never).covering(OperationKind::Add, DType::U16, None),
        Check::of_row("x", OperationKind::Add, DType::I32, None, once),
    ];
    let device = PartialDevice::open(0).unwrap();
    let report = run_checks(&device, checks, &Options::default(), &mut ());
    let outcomes: Vec<_> = report.checks.iter().map(|check| check.outcome).collect();
    assert_eq!(outcomes, [Outcome::Unsupported, Outcome::Unsupported, Outcome::Pass]);
    assert!(report.checks[0].reason.as_ref().unwrap().contains("add of i16"), "{:?}", report.checks[0].reason);
    assert_eq!((report.summary.unsupported, report.summary.failed), (2, 0));
}

#[test]
fn what_a_check_needs_is_not_covered_and_keeps_it_from_running() {
    fn once(session: &mut Session<'_, PartialDevice>) -> Verdict {
        session.once(Lane::Exact, |case: &mut Case<'_, PartialDevice>| case.ensure(true, ""))
    }
    let needing = |dtype| Check::new("x.y", once).needing(dtype, [OperationKind::Fill, OperationKind::Minimum]);
    let checks = vec![needing(DType::F64), needing(DType::F32)];
    assert!(checks.iter().all(|check| check.rows().is_empty()));
    let report = run_checks(&PartialDevice::open(0).unwrap(), checks, &Options::default(), &mut ());
    let outcomes: Vec<_> = report.checks.iter().map(|check| check.outcome).collect();
    assert_eq!(outcomes, [Outcome::Pass, Outcome::Unsupported]);
    assert!(report.checks[1].reason.as_ref().unwrap().contains("minimum of f32"), "{:?}", report.checks[1].reason);
}

/// Nothing fails, nothing that is there is left out, and the coverage is judged by what is there.
#[test]
fn the_suite_runs_on_what_there_is() {
    let device = PartialDevice::open(0).unwrap();
    let report = run(&device, &Options::default(), &mut ());
    let failed: Vec<_> = report.checks.iter().filter(|check| check.outcome == Outcome::Fail).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let rows = contract::rows().filter(|row| !offers(row.kind, row.dtype)).count();
    assert!(report.summary.unsupported >= rows, "{:?}", report.summary);
    for check in report.checks.iter().filter(|check| check.outcome == Outcome::Unsupported) {
        let reason = check.reason.as_ref().unwrap();
        if check.id.starts_with("warp.") {
            assert_eq!(reason, "the device does not offer kernels of one's own");
            continue;
        }
        let named = contract::rows().find(|row| reason.ends_with(&format!(" {} of {}", row.kind, row.dtype)));
        assert!(named.is_some_and(|row| !offers(row.kind, row.dtype)), "{}: {reason}", check.id);
    }
    let outcome = |id: &str| report.checks.iter().find(|check| check.id == id).unwrap().outcome;
    assert_eq!(outcome("elementwise.minimum.f32"), Outcome::Unsupported);
    assert_eq!(outcome("elementwise.minimum.f64"), Outcome::Pass);
    assert_eq!(outcome("elementwise.maximum.f32"), Outcome::Pass);
    assert_eq!(outcome("blas.gemm.f16.strict"), Outcome::Unsupported);
    assert_eq!(outcome("blas.gemm.bf16.strict"), Outcome::Pass);
    assert_eq!(outcome(COVERAGE), Outcome::Pass);
}
