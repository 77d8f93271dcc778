//! Principal components of handwritten digits: `digits_pca [--svg FILE] [FILE]`.
//!
//! Reads rows of numbers that end with a digit (`.csv` or `.csv.gz`; without FILE, 1,797 digits of 8 × 8 pixels),
//! prints how much of their variance the leading components explain, and draws the rows along the first two.
//!
//! - `table.rs` reads the file,
//! - `pca.rs` is the mathematics, on any device: the part to read first,
//! - `eigen.rs` solves the small eigenvalue problem in it,
//! - `plot.rs` draws.

mod eigen;
mod pca;
mod plot;
mod table;

use std::error::Error;
use std::ffi::OsString;
use std::io::ErrorKind::BrokenPipe;
use std::io::{self, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use table::Table;
use warpwave::Device;

const USAGE: &str = "usage: digits_pca [--svg FILE] [FILE]

  FILE        rows of numbers, the last in each a digit 0 to 9; .csv or .csv.gz.
              Without it: the handwritten digits that come with the program.
  --svg FILE  where the picture goes; without it digits_pca.svg";

/// How many components to print.
const COMPONENTS: usize = 5;

#[derive(Debug, PartialEq)]
struct Options {
    file: Option<PathBuf>,
    svg: PathBuf,
}

/// The options; `None` asks for help, an error is a usage error.
fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Option<Options>, String> {
    let mut options = Options { file: None, svg: "digits_pca.svg".into() };
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("-h" | "--help") => return Ok(None),
            Some("--svg") => options.svg = args.next().ok_or("--svg: expected a file name after it")?.into(),
            Some(option) if option.starts_with('-') => return Err(format!("{option}: no such option")),
            _ if options.file.is_some() => return Err(format!("{}: expected one FILE only", arg.display())),
            _ => options.file = Some(arg.into()),
        }
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    let result = match parse(std::env::args_os().skip(1)) {
        Ok(Some(options)) => run(&options),
        Ok(None) => writeln!(stdout(), "{USAGE}").map_err(Into::into),
        Err(message) => {
            complain(&format!("{message}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the output, `head` for one, has seen enough.
        Err(error) if error.downcast_ref().is_some_and(|e: &io::Error| e.kind() == BrokenPipe) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(if no_device(&*error) { 2 } else { 1 })
        }
    }
}

/// Whether there is no such device or library.
fn no_device(error: &(dyn Error + 'static)) -> bool {
    use warpwave::ErrorKind::{NoDevice, Unavailable};
    let of_device: Option<&warpwave::Error> = error.downcast_ref();
    of_device.is_some_and(|error| matches!(error.kind(), Unavailable { .. } | NoDevice { .. }))
}

fn complain(message: &str) {
    // If standard error is gone there is nobody to tell.
    let _ = writeln!(stderr(), "digits_pca: {message}");
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let table = Table::read(options.file.as_deref())?;
    let device = warpwave::open()?;
    let pca = pca::pca(&device, &table, COMPONENTS)?;

    // The picture is written before anything is printed, so that it is there whoever reads how much of the output.
    let svg = plot::scatter(&pca, &table.digits)?;
    std::fs::write(&options.svg, svg).map_err(|e| format!("{}: {e}", options.svg.display()))?;

    // Not println!, which panics when the reader of a pipe has gone.
    let mut out = stdout().lock();
    writeln!(out, "{} rows of {} values, on {}", table.rows(), table.cols, device.info().id)?;
    writeln!(out, "total variance {:.6}\n", pca.total_variance)?;
    writeln!(out, "component    variance    explained   together  strongest column")?;
    let mut together = 0.0;
    let components = pca.components.chunks_exact(table.cols);
    for (i, ((variance, ratio), component)) in pca.variances.iter().zip(pca.ratios()).zip(components).enumerate() {
        together += ratio;
        // The largest element is the strongest, because signs are such that it is positive.
        let strongest = component.iter().enumerate().max_by(|(_, x), (_, y)| x.total_cmp(y)).map_or(0, |(j, _)| j + 1);
        writeln!(out, "{:9}  {variance:10.6}  {ratio:11.9}  {together:9.6}  {strongest:16}", i + 1)?;
    }
    writeln!(out, "\n{} iterations; components 1 and 2 are drawn in {}", pca.iterations, options.svg.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(args: &[&str]) -> Result<Option<Options>, String> {
        parse(args.iter().map(OsString::from))
    }

    /// Options in any order, their defaults, and every way to get them wrong.
    #[test]
    fn options() {
        let with = |file: Option<&str>, svg: &str| Ok(Some(Options { file: file.map(Into::into), svg: svg.into() }));
        assert_eq!(parsed(&[]), with(None, "digits_pca.svg"));
        assert_eq!(parsed(&["a.csv"]), with(Some("a.csv"), "digits_pca.svg"));
        assert_eq!(parsed(&["--svg", "b.svg", "a.csv"]), with(Some("a.csv"), "b.svg"));
        assert_eq!(parsed(&["a.csv", "--svg", "b.svg"]), with(Some("a.csv"), "b.svg"));
        assert_eq!(parsed(&["a.csv", "--help"]), Ok(None));
        for (wrong, named) in [(&["--svg"][..], "--svg"), (&["-x"], "-x"), (&["a", "b"], "b")] {
            assert!(parsed(wrong).unwrap_err().starts_with(named), "{wrong:?}");
        }
    }
}
