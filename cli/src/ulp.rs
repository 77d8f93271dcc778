//! `warpwave ulp`.

use crate::{Stop, Verdict, arguments};
use std::io::Write;
use warpwave_conformance::{Measured, measure};

/// Measures the errors of the elementary functions, and holds them to the contract table.
pub(crate) fn run(arguments: &arguments::Ulp, out: &mut dyn Write) -> Result<Verdict, Stop> {
    writeln!(out, "Largest errors of the definitions, in units in the last place of the exact result\n")?;
    writeln!(out, "{:<9} {:<5} {:>11} {:>8} {:>8}  at", "function", "type", "tried", "error", "allowed")?;
    let (mut written, mut good) = (Ok(()), true);
    measure(arguments.level, &mut |measured: Measured| {
        good &= measured.is_allowed();
        if written.is_ok() {
            written = row(&measured, out);
        }
    });
    written?;
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

fn row(measured: &Measured, out: &mut dyn Write) -> std::io::Result<()> {
    let Measured { kind, dtype, tried, error, at: (first, second), .. } = *measured;
    let allowed = measured.allowed();
    write!(out, "{:<9} {:<5} {tried:>11} {error:>8.4} {allowed:>8.4}  {first:e}", kind.name(), dtype.to_string())?;
    if second != 0.0 {
        write!(out, ", {second:e}")?;
    }
    writeln!(out, "{}", if measured.is_allowed() { "" } else { "  TOO LARGE" })?;
    // A row takes long enough for one to want to see it.
    out.flush()
}
