//! `warpwave conformance`.

use crate::arguments;
use crate::devices;
use crate::file::Target;
use crate::progress::Bar;
use crate::{Stop, Verdict, table};
use std::io::{ErrorKind, Write};
use std::time::Instant;
use warpwave_conformance::{Options, Report, Required};

/// Runs the suite and reports.
pub(crate) fn run(arguments: arguments::Conformance, out: &mut dyn Write) -> Result<Verdict, Stop> {
    // All that can be refused is refused before the first check runs.
    let selection = devices::select(&arguments.device)?;
    let required = Required::from_env();
    if let [name, ..] = required.unknown()[..] {
        return Err(Stop::Refused(format!(
            "WARPWAVE_REQUIRE names {name:?}; the names that exist are {}",
            Required::KNOWN.join(", ")
        )));
    }
    let options =
        Options { level: arguments.level, seed: arguments.seed, filter: arguments.filter, case: arguments.case };
    options.validate()?;
    let target = arguments.json.as_deref().map(Target::open).transpose()?;

    let started = Instant::now();
    let mut bar = Bar::new();
    let runs = selection.cpu.iter().map(|device| warpwave_conformance::run(device, &options, &mut bar)).collect();
    bar.clear();
    let seconds = started.elapsed().as_secs_f64();
    let report = Report::new(&options, devices::features(), runs, selection.not_run, seconds);

    if let Some(target) = target {
        let text = serde_json::to_string_pretty(&report).map_err(|error| Stop::Refused(error.to_string()))?;
        target.write(&(text + "\n"))?;
    }
    match table::write(out, &report, seconds).and_then(|()| out.flush()) {
        // Whoever reads has seen enough; what the run came to is still said by the exit code.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        result => result?,
    }
    let missing = if selection.all { missing(&required, &report) } else { Vec::new() };
    for backend in &missing {
        // If standard error is gone there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "error: WARPWAVE_REQUIRE names {backend}, which was not run");
    }
    let ran = report.runs.iter().any(|run| !run.checks.is_empty());
    if !ran {
        let what = report.filter.as_deref().map(|filter| format!(": nothing matches {filter}")).unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "error: no check ran{what}");
    }
    let good = ran && report.summary().failed == 0 && missing.is_empty();
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

/// The required backends on which nothing ran.
fn missing<'a>(required: &'a Required, report: &Report) -> Vec<&'a str> {
    let present: Vec<&str> = report.runs.iter().map(|run| run.device.id.as_str()).collect();
    required.missing_backends(&present)
}
