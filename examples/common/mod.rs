//! Printing for the numbered examples.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process;

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
