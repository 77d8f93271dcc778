//! All examples as one program: `warpwave-examples NAME [ARGUMENT…]`, or a link to it that is called NAME. Without a name it lists them. A link
//! `gpu-bench` is the benchmark of CUDA devices.

use std::io::Write;
use std::process::{ExitCode, Termination};

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let called = arguments.next().unwrap_or_default();
    let called =
        std::path::Path::new(&called).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    #[cfg(feature = "cuda")]
    if called == "gpu-bench" {
        return bench::main();
    }
    if let Some((_, example)) = EXAMPLES.iter().find(|(name, _)| *name == called) {
        return example();
    }
    let chosen = arguments.next().unwrap_or_default();
    if EXAMPLES.iter().any(|(name, _)| chosen == *name) {
        return again(&chosen, arguments);
    }
    let names: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
    // Whoever does not read it has asked for nothing.
    let _ = writeln!(std::io::stdout(), "{}", names.join("\n"));
    if chosen.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

/// Runs this program under an example's name: an example reads its arguments as if there were no other.
fn again(name: &std::ffi::OsStr, arguments: std::env::ArgsOs) -> ExitCode {
    let run = || {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        #[cfg(not(unix))]
        let _ = name;
        command.args(arguments).status()
    };
    match run() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cannot run {}: {error}", name.display());
            ExitCode::FAILURE
        }
    }
}
