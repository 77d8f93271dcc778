//! Running checks.

use crate::case::Tally;
use crate::check::Check;
use crate::coverage::{COVERAGE, Coverage};
use crate::erased::{Subject, subject};
use crate::failure::{Failure, Verdict};
use crate::level::Level;
use crate::origin::{Behind, Opened, Origin};
use crate::report::{CheckReport, Outcome, RunReport};
use crate::seed::{CaseId, DEFAULT_SEED};
use crate::session::Session;
use regex::Regex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use warpwave_core::numerics::contract::{Bound, Class, Row};
use warpwave_core::{Device, DeviceInfo, Error, Stream};

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// How thorough the run is.
    pub level: Level,
    /// Where all inputs come from.
    pub seed: u64,
    /// Only the checks whose names match.
    pub filter: Option<Regex>,
    /// Only this case.
    pub case: Option<CaseId>,
}

impl Default for Options {
    fn default() -> Self {
        Options { level: Level::default(), seed: DEFAULT_SEED, filter: None, case: None }
    }
}

impl Options {
    /// Whether these options can be run.
    ///
    /// # Errors
    /// [`InvalidArgument`](warpwave_core::ErrorKind::InvalidArgument) for `filter`, if it is the empty expression, which chooses
    /// everything without saying so; and for `case`, if there is a filter beside it, or if no series has its name.
    pub fn validate(&self) -> warpwave_core::Result<()> {
        if self.filter.as_ref().is_some_and(|filter| filter.as_str().is_empty()) {
            return Err(Error::invalid("filter", "an expression that is not empty", "an empty one"));
        }
        let Some(case) = &self.case else { return Ok(()) };
        if let Some(filter) = &self.filter {
            return Err(Error::invalid("case", "no filter beside a case", format!("{filter} beside {case}")));
        }
        if !case.has_series() {
            let expected = "a series: exact, bounded or poison, and from the second on its number, as in exact-2";
            return Err(Error::invalid("case", expected, &case.series));
        }
        Ok(())
    }

    fn chooses(&self, id: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(id))
            && self.case.as_ref().is_none_or(|case| case.check == id)
    }

    fn is_complete(&self) -> bool {
        self.filter.is_none() && self.case.is_none()
    }
}

/// Who watches a run. The unit type watches and says nothing.
pub trait Progress {
    /// `checks` checks are about to run on `device`.
    fn begin(&mut self, device: &DeviceInfo, checks: usize);
    /// A check is about to run.
    fn check(&mut self, id: &str);
    /// A check has ended.
    fn done(&mut self, report: &CheckReport);
}

impl Progress for () {
    fn begin(&mut self, _device: &DeviceInfo, _checks: usize) {}
    fn check(&mut self, _id: &str) {}
    fn done(&mut self, _report: &CheckReport) {}
}

/// Runs the [suite](crate::suite) on a device, or rather on a [`subject`] made of it. Options that are not
/// [valid](Options::validate) give a report with one check, `run.options`, which fails.
pub fn run<D: Device>(device: &D, options: &Options, progress: &mut dyn Progress) -> RunReport {
    run_suite(subject(device), device.info(), options, progress)
}

/// Not generic, so that the suite is compiled into this crate.
fn run_suite(
    subject: warpwave_core::Result<Subject>,
    info: &DeviceInfo,
    options: &Options,
    progress: &mut dyn Progress,
) -> RunReport {
    let mut coverage = Coverage::default();
    let started = Instant::now();
    if let Some(refused) = refused(options) {
        return RunReport::new(info, vec![refused], started.elapsed().as_secs_f64());
    }
    let subject = match subject {
        Ok(subject) => subject,
        Err(error) => {
            let failed = failed("runtime.open", &error);
            return RunReport::new(info, vec![failed], started.elapsed().as_secs_f64());
        }
    };
    let mut reports = run_all(&subject, &Behind, crate::suite(), options, progress, &mut coverage);
    if options.is_complete() {
        reports.push(judge(&subject, &coverage));
    }
    RunReport::new(info, reports, started.elapsed().as_secs_f64())
}

/// The entry of something that kept the checks from running.
fn failed(id: &str, error: &Error) -> CheckReport {
    CheckReport { outcome: Outcome::Fail, detail: Some(error.to_string()), ..CheckReport::of(id) }
}

fn refused(options: &Options) -> Option<CheckReport> {
    options.validate().err().map(|error| failed("run.options", &error))
}

/// Runs `checks` on a device. The coverage of the contract is not judged. For options that are not
/// [valid](Options::validate) see [`run`].
pub fn run_checks<D: Device>(
    device: &D,
    checks: Vec<Check<D>>,
    options: &Options,
    progress: &mut dyn Progress,
) -> RunReport {
    let started = Instant::now();
    let reports = match refused(options) {
        Some(refused) => vec![refused],
        None => run_all(device, &Opened, checks, options, progress, &mut Coverage::default()),
    };
    RunReport::new(device.info(), reports, started.elapsed().as_secs_f64())
}

fn run_all<D: Device>(
    device: &D,
    origin: &dyn Origin<D>,
    mut checks: Vec<Check<D>>,
    options: &Options,
    progress: &mut dyn Progress,
    coverage: &mut Coverage,
) -> Vec<CheckReport> {
    checks.retain(|check| options.chooses(check.id()));
    progress.begin(device.info(), checks.len());
    let one = |check: &Check<D>| {
        progress.check(check.id());
        let report = run_check(device, origin, check, options, coverage);
        progress.done(&report);
        report
    };
    checks.iter().map(one).collect()
}

/// Runs one check.
pub(crate) fn run_check<D: Device>(
    device: &D,
    origin: &dyn Origin<D>,
    check: &Check<D>,
    options: &Options,
    coverage: &mut Coverage,
) -> CheckReport {
    let started = Instant::now();
    let class = check.class();
    let mut report = CheckReport {
        class: class.map(Class::letter),
        dtype: check.dtype(),
        bound: check.rows().first().map(bound),
        ..CheckReport::of(check.id())
    };
    if let Some(what) = check.lacking(device) {
        report.outcome = Outcome::Unsupported;
        report.reason = Some(format!("the device does not offer {what}"));
        return report;
    }
    let (tally, verdict) = execute(device, origin, check, options);
    coverage.add(check.rows(), tally.cases);
    report.cases = tally.cases.iter().sum();
    report.elements = tally.elements;
    report.worst = tally.worst;
    report.ulp = tally.ulp;
    report.output_hash = tally.hash.map(|hash| format!("{:016x}", hash.value()));
    match verdict {
        Ok(()) if report.cases == 0 => {
            report.outcome = Outcome::Fail;
            report.detail = Some(match &options.case {
                Some(case) => format!("there is no case {case} at the level {}", options.level),
                None => "no case was executed".to_owned(),
            });
        }
        // One case alone may be one of an empty vector.
        Ok(()) if report.elements == 0 && options.case.is_none() => {
            report.outcome = Outcome::Fail;
            report.detail = Some("no element was compared".to_owned());
        }
        Ok(()) => {}
        Err(Failure::Failed(detail)) => {
            report.outcome = Outcome::Fail;
            report.detail = Some(detail);
        }
        Err(Failure::Unsupported(detail)) => {
            report.outcome = Outcome::Fail;
            report.detail = Some(format!("the device claims to support what it refuses: {detail}"));
        }
        Err(Failure::Skipped(reason)) => {
            report.outcome = Outcome::Skipped;
            report.reason = Some(reason);
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    report
}

fn execute<D: Device>(device: &D, origin: &dyn Origin<D>, check: &Check<D>, options: &Options) -> (Tally, Verdict) {
    let stream = match device.new_stream() {
        Ok(stream) => stream,
        Err(error) => return (Tally::default(), Err(error.into())),
    };
    let mut session = Session {
        device,
        origin,
        stream,
        check: check.id(),
        class: check.class(),
        level: options.level,
        seed: options.seed,
        only: options.case.as_ref(),
        series: [0; 3],
        tally: Tally::default(),
    };
    // Nothing of the session is looked at after a panic but its counts, which are whole at any time.
    let outcome = catch_unwind(AssertUnwindSafe(|| check.call(&mut session)));
    let verdict = outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(Failure::new(format_args!("a panic: {}", text.unwrap_or("without a message"))))
    });
    // An asynchronous error that no case looked for.
    let late = session.stream.synchronize().map_err(|error| Failure::new(format_args!("left on the stream: {error}")));
    (session.tally, verdict.and(late))
}

/// The bound of a row, in words.
fn bound(row: &Row) -> String {
    match row.bound {
        Bound::Exact => match row.max_ulp {
            Some(ulp) => format!("exact; the definition within {ulp:.5} ulp"),
            None => "exact".to_owned(),
        },
        Bound::Ulp(ulp) => format!("{ulp} ulp"),
        Bound::Backward { factor, unit } => {
            let factor = if factor == 1.0 { String::new() } else { format!("{factor:.4}·") };
            format!("residual: {factor}(n+2)·2^{}·(|T||X|+|α||B|) + underflow", unit.log2())
        }
        Bound::Dot { factor, unit, output } => {
            let factor = if factor == 1.0 { String::new() } else { format!("{factor:.4}·") };
            let output = if output == 0.0 { String::new() } else { format!(" + 2^{}·|C|", output.log2()) };
            format!("{factor}(k+2)·2^{}·(|α||A||B|+|β||C|){output} + underflow", unit.log2())
        }
    }
}

/// The entry that says whether every row of the contract was tested.
pub(crate) fn judge<D: Device>(device: &D, coverage: &Coverage) -> CheckReport {
    let judgement = coverage.judge(|kind, dtype| device.supports(kind, dtype));
    let (cells, empty) = (judgement.cells, judgement.empty.len());
    CheckReport {
        outcome: if empty == 0 { Outcome::Pass } else { Outcome::Fail },
        reason: Some(format!("{} of {cells} combinations of operation, type and lane have cases", cells - empty)),
        detail: (empty > 0).then(|| format!("without a case: {}", judgement.empty.join(", "))),
        ..CheckReport::of(COVERAGE)
    }
}
