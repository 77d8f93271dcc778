//! What the numbered examples print, and how they end.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::{self, ExitCode};

/// `println!` for programs whose output may go to `head`: once nobody reads any more it prints nothing, where `println!` panics.
macro_rules! say {
    ($($text:tt)*) => { $crate::common::line(format_args!($($text)*)) };
}
pub(crate) use say;

pub(crate) fn line(text: Arguments<'_>) {
    match writeln!(stdout(), "{text}") {
        // The program goes on: its exit code still says whether the results are right.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        // A full disk, for one: what was asked for is not there, and the exit code has to say so.
        Err(error) => {
            let _ = writeln!(stderr(), "cannot write the output: {error}");
            process::exit(1);
        }
        Ok(()) => {}
    }
}

/// A program's end: 0, or the error in a line and 2 if there is no such device or library, else 1.
pub(crate) fn ended(result: warpwave::Result<()>) -> ExitCode {
    use warpwave::ErrorKind::{NoDevice, Unavailable};
    let Err(error) = result else { return ExitCode::SUCCESS };
    // If standard error is gone there is nobody to tell.
    let _ = writeln!(stderr(), "{error}");
    match error.kind() {
        Unavailable { .. } | NoDevice { .. } => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}
