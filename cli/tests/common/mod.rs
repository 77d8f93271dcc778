//! Running the command.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Few and fast checks.
pub(crate) const FEW: &str = r"^runtime\.(memory\.fill|copy\.odd)";

pub(crate) fn warpwave(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwave"));
    command.args(arguments).env_remove("WARPWAVE_REQUIRE").env_remove("WARPWAVE_DEVICE");
    command
}

/// The exit code, standard output and standard error.
pub(crate) fn run(arguments: &[&str]) -> (i32, String, String) {
    finished(warpwave(arguments).output().unwrap())
}

pub(crate) fn finished(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("killed by a signal"), text(output.stdout), text(output.stderr))
}

/// An empty folder of this test's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    // What a run of an earlier process of this number has left.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}
