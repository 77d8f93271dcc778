//! Files that appear whole or not at all.

use crate::Stop;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file to be written at the end, which has been found writable at the start.
#[derive(Debug)]
pub(crate) struct Target {
    path: PathBuf,
    /// What is neither a file nor absent, a pipe or terminal, cannot be replaced and is written directly.
    direct: bool,
}

impl Target {
    /// Makes sure that the file can be written, and leaves it as it is.
    pub(crate) fn check(path: &Path) -> Result<Self, Stop> {
        let target = |direct| Target { path: path.to_owned(), direct };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(refused(path, "it is a directory")),
            Ok(found) => {
                OpenOptions::new().append(true).open(path).map_err(|error| refused(path, error))?;
                Ok(target(!found.is_file()))
            }
            Err(_) => Ok(target(false)),
        }
        .and_then(|target| {
            if !target.direct {
                let beside = target.beside();
                File::create_new(&beside).map_err(|error| refused(path, error))?;
                // It was made here, so it can be removed; if not, it is overwritten later.
                let _ = fs::remove_file(beside);
            }
            Ok(target)
        })
    }

    /// Writes the file. Whoever opens it meanwhile finds what was there before.
    pub(crate) fn write(&self, text: &str) -> Result<(), Stop> {
        let write = |path: &Path| {
            let mut file = File::create(path)?;
            file.write_all(text.as_bytes())?;
            // A pipe has nothing to bring to a disk.
            if self.direct { Ok(()) } else { file.sync_all() }
        };
        if self.direct {
            return write(&self.path).map_err(|error| refused(&self.path, error));
        }
        // A link is followed, so that it stays a link.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let beside = self.beside();
        let result = write(&beside).and_then(|()| fs::rename(&beside, path));
        result.map_err(|error| {
            // Whatever it holds is of no use to anyone.
            let _ = fs::remove_file(&beside);
            refused(&self.path, error)
        })
    }

    /// A name in the same folder, so that renaming it replaces the file at once.
    fn beside(&self) -> PathBuf {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}", std::process::id()));
        path.with_file_name(name)
    }
}

fn refused(path: &Path, reason: impl std::fmt::Display) -> Stop {
    Stop::Refused(format!("cannot write {}: {reason}", path.display()))
}
