//! The results as a table.

use crate::text::{grouped, indented};
use std::io::{self, Write};
use warpwave_conformance::{CheckReport, Outcome, Report, RunReport};

/// Writes all results: a line for each check, then the failures, then the sum.
pub(crate) fn write(out: &mut dyn Write, report: &Report, seconds: f64) -> io::Result<()> {
    for run in report.runs.iter().filter(|run| !run.checks.is_empty()) {
        write_run(out, run)?;
    }
    for run in &report.runs {
        for check in run.checks.iter().filter(|check| check.outcome == Outcome::Fail) {
            writeln!(out, "FAILED {} on {} ({})", check.id, run.device.id, run.device.mode)?;
            for line in check.detail.as_deref().unwrap_or_default().lines() {
                indented(out, "  ", line)?;
            }
            writeln!(out)?;
        }
    }
    for absent in &report.not_run {
        indented(out, &format!("not run: {}: ", absent.device), &absent.reason)?;
    }
    let summary = report.summary();
    writeln!(
        out,
        "{} passed, {} failed, {} unsupported, {} skipped; {} cases; {seconds:.1} s",
        grouped(summary.passed as u64),
        grouped(summary.failed as u64),
        grouped(summary.unsupported as u64),
        grouped(summary.skipped as u64),
        grouped(summary.cases),
    )?;
    let (level, seed) = (report.level, report.seed);
    writeln!(out, "level {level}, seed {seed}")
}

fn write_run(out: &mut dyn Write, run: &RunReport) -> io::Result<()> {
    let device = &run.device;
    writeln!(out, "{} ({}): {}, {}", device.id, device.mode, device.name, device.arch)?;
    let mut last = "";
    for check in &run.checks {
        let group = check.id.split('.').next().unwrap_or_default();
        if group != last {
            last = group;
            writeln!(out)?;
            let head = format!(
                "{:<44} {:>5} {:>7} {:>13} {:>11}  {}",
                group, "class", "cases", "elements", "error/bound", "outcome"
            );
            writeln!(out, "{head}")?;
        }
        write_check(out, check)?;
    }
    writeln!(out)
}

fn write_check(out: &mut dyn Write, check: &CheckReport) -> io::Result<()> {
    let dash = || "-".to_owned();
    // Without a bound every element was compared bit by bit.
    let unbounded = if check.elements > 0 { "exact" } else { "-" };
    writeln!(
        out,
        "{:<44} {:>5} {:>7} {:>13} {:>11}  {}{}",
        check.id,
        check.class.map_or_else(dash, String::from),
        grouped(check.cases),
        grouped(check.elements),
        check.worst.map_or_else(|| unbounded.to_owned(), ratio),
        check.outcome.name(),
        check.ulp.map_or_else(String::new, |ulp| format!(", {ulp:.3} ulp at most")),
    )?;
    match &check.reason {
        Some(reason) => indented(out, "    ", reason),
        None => Ok(()),
    }
}

/// A ratio of error to bound, to three digits.
fn ratio(ratio: f64) -> String {
    match ratio {
        0.0 => "0".to_owned(),
        r if r < 1e-3 => format!("{r:.1e}"),
        r => format!("{r:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_keep_three_digits_and_small_ones_do_not_vanish() {
        let cases = [(0.0, "0"), (1.0, "1.000"), (0.2504, "0.250"), (0.001, "0.001"), (0.00025, "2.5e-4")];
        for (value, text) in cases {
            assert_eq!(ratio(value), text);
        }
    }
}
