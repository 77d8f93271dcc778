//! Compilers as processes.

use crate::error::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of our own among the system's temporary ones, which others cannot look into. It goes with the value.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new folder.
    ///
    /// # Errors
    /// [`Error::Io`] if none can be made.
    pub fn new() -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = std::env::temp_dir();
        for _ in 0..100 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
            let path = folder.join(format!("warpwave-{}-{number}-{nanos:08x}", std::process::id()));
            // A folder that is there already is somebody else's.
            match private_folder(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io(path)(error)),
            }
        }
        Err(Error::io(folder)(io::ErrorKind::AlreadyExists.into()))
    }

    /// The path of a file of this name in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a folder that only this user may use; an error if it is there.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    #[allow(unused_mut)]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Runs a program to its end, with no input.
pub(crate) fn run(program: &Path, arguments: impl FnOnce(&mut Command) -> &mut Command) -> Result<Output> {
    let mut command = Command::new(program);
    // Messages are read by programs.
    command.env("LC_ALL", "C").stdin(Stdio::null());
    arguments(&mut command).output().map_err(Error::io(program))
}

/// What a program wrote to both of its outputs.
pub(crate) fn said(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_folder_is_private_and_goes() {
        let (a, b) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert_ne!(a.path("x"), b.path("x"));
        fs::write(a.path("x"), "x").unwrap();
        let folder = a.path("");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        drop(a);
        assert!(!folder.exists());
        assert!(private_folder(&b.path("")).is_err());
    }
}
