//! The command `warpwave`.
//!
//! Exit codes: 0 if all is well, 1 if a check failed or none ran, 2 if what was asked for cannot be done. An error is one line on
//! standard error; results go to standard output. If whoever reads them stops, the command stops writing and says nothing.

mod arguments;
mod conformance;
mod devices;
mod environment;
mod file;
mod info;
mod kernels;
mod progress;
mod table;
mod text;
mod ulp;

use arguments::{Arguments, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::io::{self, Write};
use std::process::ExitCode;

/// Why a command ends before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// What was asked for cannot be done, for this reason.
    Refused(String),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

impl From<warpwave::Error> for Stop {
    fn from(error: warpwave::Error) -> Self {
        Stop::Refused(error.to_string())
    }
}

/// What the command comes to, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Good,
    Bad,
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let result = parse(&mut out).and_then(|command| match command {
        Some(command) => run(command, &mut out),
        None => Ok(Verdict::Good),
    });
    let flushed = |verdict| match out.flush() {
        // Whoever reads has seen enough; what the command came to is said by the exit code all the same.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(verdict),
        result => result.map(|()| verdict).map_err(Stop::from),
    };
    match result.and_then(flushed) {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Stop::Output(error)) => refuse(&format!("cannot write to standard output: {error}")),
        Err(Stop::Refused(reason)) => refuse(&reason),
    }
}

fn run(command: Command, out: &mut dyn Write) -> Result<Verdict, Stop> {
    match command {
        Command::Conformance(arguments) => conformance::run(arguments, out),
        Command::Info(arguments) => info::run(&arguments, out),
        Command::Kernels(arguments) => kernels::run(&arguments, out),
        Command::Ulp(arguments) => ulp::run(&arguments, out),
        Command::Help { topic } => help(&topic, out),
    }
}

/// The command that the arguments name; none if they asked for help or the version, which is then printed.
fn parse(out: &mut dyn Write) -> Result<Option<Command>, Stop> {
    let error = match Arguments::try_parse() {
        Ok(arguments) => return Ok(Some(arguments.command)),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            write!(out, "{error}")?;
            Ok(None)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Stop::Refused("no command is given; `warpwave help` lists them".to_owned()))
        }
        _ => Err(Stop::Refused(text::one_line(&error.to_string()))),
    }
}

/// Writes the help on a command, on the environment, or on everything.
fn help(topic: &[String], out: &mut dyn Write) -> Result<Verdict, Stop> {
    let mut command = Arguments::command();
    // Gives each command its full name for the usage line.
    command.build();
    match topic {
        [name] if name == "env" => environment::write(out)?,
        [] => write!(out, "{}", command.render_help())?,
        [name] => match command.find_subcommand_mut(name) {
            Some(command) => write!(out, "{}", command.render_long_help())?,
            None => return Err(no_topic(name)),
        },
        more => return Err(no_topic(&more.join(" "))),
    }
    Ok(Verdict::Good)
}

fn no_topic(name: &str) -> Stop {
    Stop::Refused(format!("there is no help on {name:?}; there is on conformance, info, kernels, ulp and env"))
}

fn refuse(reason: &str) -> ExitCode {
    // If standard error is gone as well there is nobody to tell.
    let _ = writeln!(io::stderr(), "error: {reason}");
    ExitCode::from(2)
}
