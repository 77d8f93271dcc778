//! The frame itself: what counts as a pass, how failures are described and replayed, and what a report depends on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;
use warpwave_conformance::{
    Case, Check, CheckReport, Counts, Failure, Level, Options, Outcome, Session, Verdict, run, run_checks,
};
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{DType, Device, ErrorKind, OperationKind, Precision, Stream};
use warpwave_cpu::{CpuBackend, CpuDevice};

type Body = fn(&mut Session<'_, CpuDevice>) -> Verdict;

fn devices() -> [CpuDevice; 2] {
    [CpuBackend::inline(), CpuBackend::asynchronous()].map(|backend| CpuDevice::new(backend).unwrap())
}

fn report_of(check: Check<CpuDevice>, options: &Options) -> CheckReport {
    let report = run_checks(&devices()[0], vec![check], options, &mut ());
    assert_eq!(report.checks.len(), 1);
    report.checks.into_iter().next().unwrap()
}

fn report(body: Body) -> CheckReport {
    report_of(Check::new("frame.check", body), &Options::default())
}

#[test]
fn a_failure_names_the_smallest_input_and_the_case_and_replays_alone() {
    fn body(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.cases(Lane::Exact, Counts::fixed(100), 0..1000_u64, |case, x| case.ensure(x < 137, "too large"))
    }
    let first = report(body);
    assert_eq!(first.outcome, Outcome::Fail);
    let detail = first.detail.unwrap();
    assert!(detail.contains("too large") && detail.contains("smallest failing input: 137\n"), "{detail}");
    let replay = detail.lines().find(|line| line.starts_with("replay:")).unwrap();
    assert!(
        replay.contains("--seed 1 ") && replay.contains("--level smoke ") && replay.contains("--device cpu "),
        "{replay}"
    );
    let case = replay.split("--case ").nth(1).unwrap().parse().unwrap();
    let again = report_of(Check::new("frame.check", body), &Options { case: Some(case), ..Options::default() });
    assert_eq!(again.detail, Some(detail));
    assert_eq!(again.cases, 0);
}

#[test]
fn a_case_is_the_same_alone_and_among_others_at_every_level() {
    // Every case says what its input is, as an output.
    fn body(session: &mut Session<'_, CpuDevice>) -> Verdict {
        let say = |case: &mut Case<'_, CpuDevice>, x: u64| case.bits("x", &[x], &[x]);
        session.cases(Lane::Exact, Counts::of(3), any::<u64>(), say)?;
        session.each(Lane::Poison, [1, 2, 3], say)?;
        session.cases(Lane::Exact, Counts::of(5), any::<u64>(), say)
    }
    let hash = |level, case: Option<&str>| {
        let case = case.map(|case| case.parse().unwrap());
        let report = report_of(Check::new("frame.check", body), &Options { level, case, ..Options::default() });
        assert_eq!(report.outcome, Outcome::Pass, "{:?}", report.detail);
        (report.cases, report.output_hash.unwrap())
    };
    assert_eq!([Level::Smoke, Level::Full].map(|level| hash(level, None).0), [11, 35]);
    assert_eq!(hash(Level::Smoke, None), hash(Level::Smoke, None));
    let alone = ["exact/0", "exact/2", "exact-2/2", "poison/1", "exact/1000"];
    let alone = alone.map(|case| hash(Level::Smoke, Some(&format!("frame.check/{case}"))));
    for (i, a) in alone.iter().enumerate() {
        assert_eq!(a.0, 1);
        assert!(alone[i + 1..].iter().all(|b| a != b), "{alone:?}");
    }
    assert_eq!(alone[1], hash(Level::Full, Some("frame.check/exact/2")));
}

#[test]
fn nothing_executed_is_a_failure() {
    let nothing = report(|_| Ok(()));
    assert_eq!((nothing.outcome, nothing.detail.as_deref()), (Outcome::Fail, Some("no case was executed")));
    let none = report(|session| session.each(Lane::Exact, Vec::<u8>::new(), |_, _| Ok(())));
    assert_eq!(none.outcome, Outcome::Fail);
}

#[test]
fn a_case_that_compares_nothing_is_a_failure() {
    let expected = |report: CheckReport, detail: &str| {
        let found = report.detail.as_deref().unwrap_or_default();
        assert_eq!(report.outcome, Outcome::Fail);
        assert!(found.contains(detail), "{found}");
    };
    // A call alone is no case, and a loop over the elements of an empty result is none either.
    expected(
        report(|session| session.once(Lane::Exact, |case| Ok(case.stream().synchronize()?))),
        "nothing was compared",
    );
    expected(
        report(|session| {
            session.cases(Lane::Bounded, Counts::fixed(20), 0..3_usize, |case, len| {
                (0..len).try_for_each(|i| case.error("x", i, 0.0, 1.0))
            })
        }),
        "nothing was compared\nsmallest failing input: 0",
    );
    // That there is no element is a result, but a check of nothing else says nothing.
    let empty =
        |session: &mut Session<'_, CpuDevice>| session.once(Lane::Exact, |case| case.bits("x", &[0_u8; 0], &[]));
    expected(report(empty), "no element was compared");
    let alone = Options { case: Some("frame.check/exact/0".parse().unwrap()), ..Options::default() };
    assert_eq!(report_of(Check::new("frame.check", empty), &alone).outcome, Outcome::Pass);
}

#[test]
fn a_case_that_does_not_exist_is_a_failure_and_named() {
    fn body(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.each(Lane::Exact, [1, 2], |case, x| case.ensure(x > 0, "x"))
    }
    for case in ["frame.check/exact/2", "frame.check/poison/0", "frame.check/exact-2/0"] {
        let options = Options { case: Some(case.parse().unwrap()), ..Options::default() };
        let report = report_of(Check::new("frame.check", body), &options);
        assert_eq!(report.outcome, Outcome::Fail);
        assert_eq!(report.detail, Some(format!("there is no case {case} at the level smoke")));
    }
}

#[test]
fn options_that_cannot_be_meant_are_refused_by_name_and_never_pass() {
    let filter = |text: &str| Some(regex::Regex::new(text).unwrap());
    let case = |text: &str| Some(text.parse().unwrap());
    let good = [
        Options::default(),
        Options { filter: filter("^blas"), ..Options::default() },
        Options { case: case("a.b/exact-2/0"), ..Options::default() },
    ];
    assert!(good.iter().all(|options| options.validate().is_ok()));
    let bad = [
        (Options { filter: filter(""), ..Options::default() }, "filter"),
        (Options { filter: filter("^blas"), case: case("a.b/exact/0"), ..Options::default() }, "case"),
        (Options { case: case("a.b/exact-1/0"), ..Options::default() }, "case"),
        (Options { case: case("a.b/random/0"), ..Options::default() }, "case"),
    ];
    for (options, argument) in bad {
        let error = options.validate().unwrap_err();
        let ErrorKind::InvalidArgument { what, .. } = error.kind() else { panic!("{error}") };
        assert_eq!(what, argument);
        let device = &devices()[0];
        for report in [run(device, &options, &mut ()), run_checks(device, Vec::new(), &options, &mut ())] {
            assert_eq!((report.checks.len(), report.summary.failed), (1, 1));
            assert_eq!(report.checks[0].id, "run.options");
            assert_eq!(report.checks[0].detail, Some(error.to_string()));
        }
    }
}

#[test]
fn refusing_what_is_claimed_is_a_failure_and_a_lacking_tool_is_not() {
    let unsupported = report(|session| session.once(Lane::Exact, |_| Err(Failure::Unsupported("gemm".to_owned()))));
    assert_eq!(unsupported.outcome, Outcome::Fail);
    assert!(unsupported.detail.unwrap().contains("claims"));
    let skipped = report(|session| {
        session.cases(Lane::Exact, Counts::fixed(2), 0..2_u8, |_, _| Err(Failure::Skipped("no compiler".to_owned())))
    });
    assert_eq!((skipped.outcome, skipped.reason.as_deref()), (Outcome::Skipped, Some("no compiler")));
}

#[test]
fn panics_and_late_errors_are_failures_of_their_check_alone() {
    fn panics(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.once(Lane::Exact, |_| std::panic::resume_unwind(Box::new("planted")))
    }
    fn panics_in_a_random_case(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.cases(Lane::Exact, Counts::fixed(1), 0..9_u8, |_, _| std::panic::resume_unwind(Box::new("planted")))
    }
    fn late(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.once(Lane::Exact, |case| {
            case.stream().host_fn(|| std::panic::resume_unwind(Box::new("planted")))?;
            case.ensure(true, "")
        })
    }
    fn good(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.once(Lane::Exact, |case| {
            let synchronized = case.stream().synchronize().is_ok();
            case.ensure(synchronized, "an error of another check")
        })
    }
    for device in devices() {
        let bodies: [Body; 4] = [panics, panics_in_a_random_case, late, good];
        let checks = bodies.map(|body| Check::new("frame.check", body));
        let report = run_checks(&device, checks.into(), &Options::default(), &mut ());
        let outcomes: Vec<_> = report.checks.iter().map(|check| check.outcome).collect();
        assert_eq!(outcomes, [Outcome::Fail, Outcome::Fail, Outcome::Fail, Outcome::Pass]);
        for check in &report.checks[..3] {
            assert!(check.detail.as_ref().unwrap().contains("planted"), "{:?}", check.detail);
        }
        assert_eq!((report.summary.passed, report.summary.failed), (1, 3));
    }
}

#[test]
fn comparisons_see_every_bit_and_every_element() {
    fn differs(case: &mut Case<'_, CpuDevice>) -> Verdict {
        let refused = |verdict: Verdict| verdict.is_err();
        let all = [
            refused(case.bits("zeros", &[0.0_f32], &[-0.0])),
            refused(case.bits("nan", &[f32::from_bits(0x7fc0_0001)], &[f32::NAN])),
            refused(case.bits("length", &[1_u8], &[1, 2])),
            refused(case.bounded("nan", &[f64::NAN], &[0.0], &[f64::INFINITY])),
            refused(case.bounded("infinity", &[f64::INFINITY], &[1e308], &[f64::INFINITY])),
            refused(case.bounded("sign", &[f64::INFINITY], &[f64::NEG_INFINITY], &[f64::INFINITY])),
            refused(case.bounded("above", &[1.0, 2.0], &[1.0, 1.0], &[0.0, 0.999])),
            refused(case.bounded("lengths", &[1.0], &[1.0], &[])),
            refused(case.error("nan", 0, 0.0, f64::NAN)),
            refused(case.error("infinite", 0, f64::INFINITY, f64::INFINITY)),
        ];
        case.ensure(all == [true; 10], format_args!("{all:?}"))?;
        case.bits("nan", &[f64::NAN], &[f64::NAN])?;
        case.bounded("right", &[f64::NAN, f64::INFINITY, 1.0], &[f64::NAN, f64::INFINITY, 1.25], &[0.0, 0.0, 1.0])
    }
    let report = report(|session| session.once(Lane::Bounded, differs));
    assert_eq!(report.outcome, Outcome::Pass, "{:?}", report.detail);
    assert_eq!(report.worst, Some(0.25));
}

#[test]
fn classes_and_types_come_from_the_contract() {
    fn body(session: &mut Session<'_, CpuDevice>) -> Verdict {
        session.once(Lane::Exact, |case| case.bits("x", &[1_u8], &[1]))
    }
    let of = |kind, precision| report_of(Check::of_row("blas", kind, DType::F32, precision, body), &Options::default());
    let axpy = of(OperationKind::Axpy, None);
    assert_eq!((axpy.id.as_str(), axpy.class, axpy.dtype), ("blas.axpy.f32", Some('R'), Some(DType::F32)));
    assert_eq!(axpy.bound.as_deref(), Some("exact"));
    assert!(axpy.output_hash.is_some());
    let gemm = of(OperationKind::Gemm, Some(Precision::Strict));
    assert_eq!((gemm.id.as_str(), gemm.class), ("blas.gemm.f32.strict", Some('B')));
    assert!(gemm.bound.unwrap().contains("2^-24"));
    // What is of class B differs between devices, so it has no hash.
    assert_eq!(gemm.output_hash, None);
}

#[test]
fn the_names_of_the_suite_are_unique_and_grouped() {
    let checks = warpwave_conformance::suite();
    let mut names: Vec<&str> = checks.iter().map(Check::id).collect();
    assert!(names.len() >= 75, "{}", names.len());
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in names {
        let parts: Vec<&str> = name.split('.').collect();
        assert!(parts.len() >= 2 && parts.iter().all(|part| !part.is_empty()), "{name}");
        assert!(!name.contains(['/', ' ']), "{name}");
    }
}

#[test]
fn a_device_is_opened_for_each_macro_argument() {
    let device = <CpuDevice as Device>::open(0).unwrap();
    let mut harness = warpwave_conformance::harness::Harness::default();
    harness.add(Ok(device));
    let suite = warpwave_conformance::suite().len();
    assert_eq!(format!("{harness:?}"), format!("Harness({suite} tests)"));
    harness.add::<CpuDevice>(<CpuDevice as Device>::open(5));
    assert_eq!(format!("{harness:?}"), format!("Harness({} tests)", suite + 1));
}
