//! A device of somebody else's, which does not offer everything.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use regex::Regex;
use std::time::Duration;
use warpwave_conformance::{Case, Check, Options, Outcome, Session, Verdict, run, run_checks};
use warpwave_core::numerics::contract::Lane;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, DType, Device, DeviceInfo, Error, HostFn, ManagedDevice, Operation, OperationKind, Result, Space, Transfer,
};
use warpwave_cpu::{CpuBackend, CpuEvent, CpuStream};

/// The CPU without any operation on 16-bit integers.
#[derive(Debug)]
struct Partial(CpuBackend);

type PartialDevice = ManagedDevice<Partial>;

fn offers(dtype: DType) -> bool {
    !matches!(dtype, DType::I16 | DType::U16)
}

// SAFETY: every call goes to a backend that keeps the promises, but for operations that are refused and do nothing.
unsafe impl Backend for Partial {
    type Stream = CpuStream;
    type Event = CpuEvent;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        CpuBackend::enumerate()
    }

    fn open(index: usize) -> Result<Self> {
        CpuBackend::open(index).map(Partial)
    }

    fn info(&self) -> DeviceInfo {
        self.0.info()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        offers(dtype) && self.0.supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        self.0.allocate(space, bytes)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.free(space, ptr, bytes) }
    }

    fn create_stream(&self) -> Result<CpuStream> {
        self.0.create_stream()
    }

    fn destroy_stream(&self, stream: CpuStream) -> Result<()> {
        self.0.destroy_stream(stream)
    }

    fn is_inline(&self, stream: &CpuStream) -> bool {
        self.0.is_inline(stream)
    }

    fn synchronize(&self, stream: &CpuStream) -> Result<()> {
        self.0.synchronize(stream)
    }

    fn record(&self, stream: &CpuStream) -> Result<CpuEvent> {
        self.0.record(stream)
    }

    fn wait(&self, stream: &CpuStream, event: &CpuEvent) -> Result<()> {
        self.0.wait(stream, event)
    }

    fn query(&self, event: &CpuEvent) -> Result<bool> {
        self.0.query(event)
    }

    fn synchronize_event(&self, event: &CpuEvent) -> Result<()> {
        self.0.synchronize_event(event)
    }

    fn elapsed(&self, start: &CpuEvent, end: &CpuEvent) -> Result<Duration> {
        self.0.elapsed(start, end)
    }

    fn destroy_event(&self, event: CpuEvent) {
        self.0.destroy_event(event);
    }

    unsafe fn execute(&self, stream: &CpuStream, operation: &Operation) -> Result<()> {
        if !offers(operation.dtype()) {
            return Err(Error::unsupported("16-bit integers"));
        }
        // SAFETY: the caller's.
        unsafe { self.0.execute(stream, operation) }
    }

    unsafe fn copy(&self, stream: &CpuStream, transfer: &Transfer) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.copy(stream, transfer) }
    }

    unsafe fn upload(&self, stream: &CpuStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.upload(stream, src, dst, bytes) }
    }

    unsafe fn download(&self, stream: &CpuStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.download(stream, src, dst, bytes) }
    }

    fn host_fn(&self, stream: &CpuStream, function: HostFn) -> Result<()> {
        self.0.host_fn(stream, function)
    }
}

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
fn the_suite_runs_on_what_there_is() {
    let device = PartialDevice::open(0).unwrap();
    let options = Options { filter: Some(Regex::new(r"^elementwise\.(add|neg|not)\.").unwrap()), ..Options::default() };
    let report = run(&device, &options, &mut ());
    for check in &report.checks {
        let expected = if check.dtype.is_some_and(offers) { Outcome::Pass } else { Outcome::Unsupported };
        assert_eq!(check.outcome, expected, "{}: {:?}", check.id, check.detail);
    }
    assert!(report.summary.unsupported >= 5 && report.summary.passed >= 10, "{:?}", report.summary);
}
