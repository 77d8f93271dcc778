//! The conformance suite of warpwave: it holds a device to the [contract](warpwave_core::numerics::contract).
//!
//! [`suite`] has the checks, [`run`] runs them on a device and gives a [`RunReport`]. [`conformance_tests!`] makes each check a test
//! of one's own crate.
//!
//! # Rules
//! - A check ends [`Pass`](Outcome::Pass), [`Fail`](Outcome::Fail), [`Unsupported`](Outcome::Unsupported) (the device
//!   [says](warpwave_core::Device::supports) that it does not offer the operation for the type) or [`Skipped`](Outcome::Skipped) (for a
//!   reason of the environment, which is given). A device that refuses an operation which it claims to support fails, and so does a
//!   check that executes no case, and a case that compares nothing.
//! - A case is one call with inputs of its own, compared with an independent reference: exact integers, or arithmetic of higher
//!   precision. For special values (NaN, infinities, signed zeros), and for the order of sums, it is the definition in
//!   `warpwave-core`. Since a device may run that same definition, what computes has cases besides whose results are written
//!   out, and sums are compared with a second account of the tree. Inputs depend on the run's seed and the case's
//!   [identifier](CaseId) alone, never on the device or on what ran before. So each can be run again by itself, and two
//!   machines compared.
//! - Each operation has up to three [lanes](warpwave_core::numerics::contract::Lane); a run without a filter fails if a row of the
//!   contract has a lane without a case ([`COVERAGE`]).
//! - The report has the worst ratio of error to bound of each check, not only whether it passed.
//!
//! # A check
//! ```
//! use proptest::prelude::*;
//! use warpwave_conformance::{Case, Check, Counts, Options, Outcome, Session, run_checks};
//! use warpwave_core::numerics::contract::Lane;
//! use warpwave_core::{Blas, Device, DType, OperationKind};
//! # use warpwave_cpu::CpuDevice;
//!
//! fn scal<D: Device>(session: &mut Session<'_, D>) -> warpwave_conformance::Verdict {
//!     let inputs = (-8..=8_i8, prop::collection::vec(-100..=100_i8, 0..40));
//!     session.cases(Lane::Exact, Counts::of(16), inputs, |case: &mut Case<'_, D>, (alpha, x)| {
//!         let floats: Vec<f32> = x.iter().map(|&x| f32::from(x)).collect();
//!         let want: Vec<f32> = x.iter().map(|&x| f32::from(i16::from(alpha) * i16::from(x)) + 0.0).collect();
//!         let mut guarded = case.guarded(&floats)?;
//!         case.stream().scal(f32::from(alpha), &mut guarded.view_mut()?)?;
//!         let got = guarded.read(case)?;
//!         // An integer has no −0.
//!         let got: Vec<f32> = got.iter().map(|x| x + 0.0).collect();
//!         case.bits("x", &got, &want)
//!     })
//! }
//!
//! let check = Check::of_row("blas", OperationKind::Scal, DType::F32, None, scal::<CpuDevice>);
//! let device = <CpuDevice as Device>::open(0)?;
//! let report = run_checks(&device, vec![check], &Options::default(), &mut ());
//! assert_eq!(report.checks[0].id, "blas.scal.f32");
//! assert_eq!(report.checks[0].outcome, Outcome::Pass, "{:?}", report.checks[0].detail);
//! # Ok::<(), warpwave_core::Error>(())
//! ```

mod blas;
mod case;
mod check;
mod coverage;
mod elementwise;
mod erased;
mod failure;
pub mod faults;
mod graph;
mod guard;
#[doc(hidden)]
pub mod harness;
mod indexing;
mod level;
mod normalize;
mod origin;
mod random;
mod reduction;
mod reference;
mod report;
mod require;
mod run;
mod runtime;
mod scan;
mod seed;
mod session;
mod sort;
mod ulp;
mod warp;

pub use case::Case;
pub use check::{Check, RowKey};
pub use coverage::COVERAGE;
pub use erased::{Erased, Opaque, Subject, subject};
pub use failure::{Failure, Verdict};
pub use guard::Guarded;
pub use level::{Counts, Level};
pub use report::{CheckReport, DeviceReport, Host, NotRun, Outcome, Report, RunReport, SCHEMA, Summary};
pub use require::Required;
pub use run::{Options, Progress, run, run_checks};
pub use seed::{CaseId, DEFAULT_SEED, Words};
pub use session::Session;
pub use ulp::{Measured, measure};

/// Every check, in the order in which they run. They run on a [`Subject`], which [`subject`] makes of any device.
pub fn suite() -> Vec<Check<Subject>> {
    let mut checks = Vec::new();
    runtime::add(&mut checks);
    graph::add(&mut checks);
    blas::add(&mut checks);
    elementwise::add(&mut checks);
    reduction::add(&mut checks);
    normalize::add(&mut checks);
    scan::add(&mut checks);
    sort::add(&mut checks);
    random::add(&mut checks);
    indexing::add(&mut checks);
    warp::add(&mut checks);
    checks
}
