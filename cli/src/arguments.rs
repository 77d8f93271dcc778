//! The command line.

use clap::{Args, Parser, Subcommand};
use regex::Regex;
use std::path::PathBuf;
use warpwave_conformance::{CaseId, DEFAULT_SEED, Level};

/// One compute API over NVIDIA warps (CUDA), AMD waves (HIP/ROCm) and the CPU.
#[derive(Debug, Parser)]
#[command(name = "warpwave", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the conformance suite
    ///
    /// Exit code: 0 if every check passes, 1 if one fails or none ran, 2 if what was asked for cannot be run.
    Conformance(Conformance),
    /// Describes the devices
    Info(Info),
    /// Compiles every kernel, and says what each takes of a processor
    ///
    /// Exit code: 0 if all compile and none spills registers, 1 if not, or if no compiler at hand knows an architecture that is named.
    Kernels(Kernels),
    /// Measures the errors of the elementary functions in units in the last place
    ///
    /// Exit code: 0 if none is larger than the contract table says, 1 if one is.
    Ulp(Ulp),
    /// Prints help on a command, or with `env` on the environment variables
    Help {
        /// A command, or env
        topic: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Conformance {
    /// cpu, cuda:N, hip:N, or all that are present; the CPU runs inline and asynchronously
    #[arg(long, value_name = "DEVICE", default_value = "all")]
    pub(crate) device: String,
    /// smoke (seconds), full (minutes) or exhaustive
    #[arg(long, value_name = "LEVEL", default_value_t = Level::Smoke)]
    pub(crate) level: Level,
    /// Only the checks whose names match this regular expression
    #[arg(long, value_name = "RE", value_parser = expression)]
    pub(crate) filter: Option<Regex>,
    /// The seed of all inputs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(crate) seed: u64,
    /// Only this case, as a failure names it: blas.axpy.f32/exact/17
    #[arg(long, value_name = "ID", conflicts_with = "filter")]
    pub(crate) case: Option<CaseId>,
    /// Writes the report to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Kernels {
    /// The architectures: sm_90, gfx90a, …; all that the compilers at hand know, if none is named
    #[arg(long, value_name = "ARCH", value_delimiter = ',')]
    pub(crate) arch: Vec<String>,
    /// Writes the result to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Ulp {
    /// smoke (seconds), full (minutes), or exhaustive: every f32
    #[arg(long, value_name = "LEVEL", default_value_t = Level::Smoke)]
    pub(crate) level: Level,
}

/// A regular expression, or what is wrong with it in one line.
fn expression(text: &str) -> Result<Regex, String> {
    if text.is_empty() {
        // It would match every name, which nobody who writes `--filter` wants: a variable of a script was empty.
        return Err("expected an expression that is not empty".to_owned());
    }
    Regex::new(text).map_err(|error| {
        let text = error.to_string();
        // The lines before the last draw a picture of where it is.
        let last = text.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_expression_is_one_or_says_why_not_in_one_line() {
        assert!(expression("blas\\..*f(32|64)$").unwrap().is_match("blas.axpy.f32"));
        for text in ["", "(", "[a", "*", "\\q"] {
            let message = expression(text).unwrap_err();
            assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        }
    }
}
