//! `warpwave conformance`.

use crate::arguments;
use crate::devices;
use crate::file::Target;
use crate::progress::Bar;
use crate::{Stop, Verdict, table};
use std::io::{ErrorKind, Write};
use std::time::Instant;
use warpwave_conformance::{Options, Report, Required, Summary};

/// Runs the suite and reports.
pub(crate) fn run(arguments: arguments::Conformance, out: &mut dyn Write) -> Result<Verdict, Stop> {
    // All that can be refused is refused before the first check runs.
    let selection = devices::select(&arguments.device)?;
    let required = Required::from_env();
    if let [name, ..] = required.unknown()[..] {
        return Err(Stop::Refused(format!(
            "WARPWAVE_REQUIRE names {name:?}; the names that exist are {}",
            [&Required::BACKENDS[..], &Required::TOOLS].concat().join(", ")
        )));
    }
    let options =
        Options { level: arguments.level, seed: arguments.seed, filter: arguments.filter, case: arguments.case };
    options.validate()?;
    let target = arguments.json.as_deref().map(Target::open).transpose()?;

    let started = Instant::now();
    let mut bar = Bar::new();
    let runs = selection.devices.iter().map(|device| device.run(&options, &mut bar)).collect();
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
    let summary = report.summary();
    let idle = why_idle(&summary, report.filter.as_deref());
    if let Some(reason) = &idle {
        let _ = writeln!(std::io::stderr(), "error: no check ran{reason}");
    }
    let good = idle.is_none() && summary.failed == 0 && missing.is_empty();
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

/// Why nothing has passed or failed, if that is so.
fn why_idle(summary: &Summary, filter: Option<&str>) -> Option<String> {
    match (summary.passed + summary.failed, summary.unsupported + summary.skipped, filter) {
        (0, 0, Some(filter)) => Some(format!(": nothing matches {filter}")),
        (0, 0, None) => Some(String::new()),
        (0, ..) => Some(": all were unsupported or skipped".to_owned()),
        _ => None,
    }
}

/// The required backends on which nothing ran.
fn missing<'a>(required: &'a Required, report: &Report) -> Vec<&'a str> {
    let present: Vec<&str> = report.runs.iter().map(|run| run.device.id.as_str()).collect();
    required.missing_backends(&present)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that offers nothing of what was asked for has shown nothing.
    #[test]
    fn what_neither_passes_nor_fails_did_not_run() {
        let summary = |passed, failed, unsupported, skipped| {
            let mut summary = Summary::default();
            (summary.passed, summary.failed) = (passed, failed);
            (summary.unsupported, summary.skipped) = (unsupported, skipped);
            summary
        };
        for (unsupported, skipped) in [(3, 0), (0, 2), (1, 1)] {
            let idle = why_idle(&summary(0, 0, unsupported, skipped), Some("x"));
            assert!(idle.is_some_and(|reason| reason.contains("unsupported or skipped")));
            assert_eq!(why_idle(&summary(1, 0, unsupported, skipped), Some("x")), None);
            assert_eq!(why_idle(&summary(0, 1, unsupported, skipped), None), None);
        }
        assert_eq!(why_idle(&summary(0, 0, 0, 0), Some("x")), Some(": nothing matches x".to_owned()));
        assert_eq!(why_idle(&summary(0, 0, 0, 0), None), Some(String::new()));
    }
}
