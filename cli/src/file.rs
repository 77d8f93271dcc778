//! Files that a command writes at its end.

use crate::Stop;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file to be written at the end, which was found writable at the start.
#[derive(Debug)]
pub(crate) struct Target {
    path: PathBuf,
    way: Way,
}

/// How a file is written.
#[derive(Debug)]
enum Way {
    /// A whole one is put in its place: who opens it meanwhile, or finds it after a failure, sees what was there before.
    Replace,
    /// Through this handle, held from the start: opening a named pipe a second time would wait for a second reader.
    Through(File),
}

impl Target {
    /// Makes sure that the file can be written, and leaves its content as it is. A named pipe waits here for its reader.
    pub(crate) fn open(path: &Path) -> Result<Self, Stop> {
        let way = way(path).map_err(|error| refused(path, error))?;
        Ok(Target { path: path.to_owned(), way })
    }

    /// Writes the file.
    pub(crate) fn write(self, text: &str) -> Result<(), Stop> {
        let result = match self.way {
            Way::Replace => replace(&self.path, text),
            Way::Through(mut file) => overwrite(&mut file, text),
        };
        result.map_err(|error| refused(&self.path, error))
    }
}

fn way(path: &Path) -> io::Result<Way> {
    // Not so of "", "folder/" and "folder/..".
    let ends_with = |name: &std::ffi::OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    if !path.file_name().is_some_and(ends_with) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    }
    let found = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            probe(path)?;
            return Ok(Way::Replace);
        }
        Err(error) => return Err(error),
    };
    // The report and the table, each from the start of the file, would overwrite each other.
    if let Some(stream) = stream_to(path) {
        let reason = format!("{stream} goes to the same file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    // A link stays a link, and what it leads to is made if it is not there. Nothing is truncated yet.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    let replaceable = found.is_file() && probe(path).is_ok_and(|new| can_stand_in(&new, &found));
    Ok(if replaceable { Way::Replace } else { Way::Through(file) })
}

/// Makes a file beside `path` and removes it.
fn probe(path: &Path) -> io::Result<Metadata> {
    let (file, beside) = beside(path)?;
    let made = file.metadata();
    fs::remove_file(beside)?;
    made
}

/// Which of this process's output streams goes to the file at `path`, if that is an ordinary one. A terminal or a pipe has no
/// content that could be overwritten.
#[cfg(unix)]
fn stream_to(path: &Path) -> Option<&'static str> {
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;
    let place = |file: Metadata| file.is_file().then(|| (file.dev(), file.ino()));
    let target = place(fs::metadata(path).ok()?)?;
    let (out, error) = (io::stdout(), io::stderr());
    let streams = [(out.as_fd(), "standard output"), (error.as_fd(), "standard error")];
    let same = |(stream, name): (BorrowedFd<'_>, _)| {
        let stream = File::from(stream.try_clone_to_owned().ok()?);
        (place(stream.metadata().ok()?) == Some(target)).then_some(name)
    };
    streams.into_iter().find_map(same)
}

#[cfg(not(unix))]
fn stream_to(_path: &Path) -> Option<&'static str> {
    None
}

/// Whether a new file in the place of an old one is the same to everyone else: of the same owner, and with no other name that would
/// go on leading to the old one.
#[cfg(unix)]
fn can_stand_in(new: &Metadata, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (new.uid(), new.gid(), 1) == (old.uid(), old.gid(), old.nlink())
}

#[cfg(not(unix))]
fn can_stand_in(_new: &Metadata, _old: &Metadata) -> bool {
    true
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let (mut file, beside) = beside(path)?;
    let mut written = || {
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    written().inspect_err(|_| {
        // Half a report is of no use to anyone.
        let _ = fs::remove_file(&beside);
    })
}

fn overwrite(file: &mut File, text: &str) -> io::Result<()> {
    let regular = file.metadata()?.is_file();
    if regular {
        file.set_len(0)?;
    }
    file.write_all(text.as_bytes())?;
    // A pipe has nothing to bring to a disk.
    if regular { file.sync_all() } else { Ok(()) }
}

/// A file in the same folder, so that renaming it replaces the one at `path` at once, and its path. The name is a short one: that of
/// `path` may be as long as names can be.
fn beside(path: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!(".warpwave-{}-{number}", std::process::id()));
        match File::create_new(&beside) {
            // Left by an earlier process of this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {}
            made => return made.map(|file| (file, beside)),
        }
    }
}

fn refused(path: &Path, reason: impl std::fmt::Display) -> Stop {
    Stop::Refused(format!("cannot write {}: {reason}", path.display()))
}
