//! What can go wrong.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such architecture.
    #[error("arch: expected the name of an architecture, as sm_90 or gfx90a, got {got:?}")]
    Arch {
        /// What was given.
        got: String,
    },
    /// A variable that cargo sets for build scripts is not set.
    #[error("{name} is not set: this is for build scripts")]
    Variable {
        /// Which.
        name: &'static str,
    },
    /// No constant can be named after a text.
    #[error("{}: {why}", path.display())]
    Name {
        /// The text.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// No compiler at hand compiles for the architecture.
    #[error("no compiler for {arch}; tried {}; {remedy}", list(tried))]
    Missing {
        /// The architecture.
        arch: String,
        /// What was looked for, and what was found there.
        tried: Vec<String>,
        /// What to do.
        remedy: String,
    },
    /// There is no C++ compiler for the host.
    #[error("no C++ compiler for the host; tried {}; {remedy}", list(tried))]
    NoHostCompiler {
        /// What was looked for, and what was found there.
        tried: Vec<String>,
        /// What to do.
        remedy: String,
    },
    /// A compiler refused the text, or does not work at all.
    #[error("{text}: {tool} fails for {arch}\n{log}")]
    Failed {
        /// The name of the text.
        text: String,
        /// The compiler.
        tool: String,
        /// The architecture.
        arch: String,
        /// What it said.
        log: String,
    },
    /// A file or a process could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

fn list(tried: &[String]) -> String {
    if tried.is_empty() { "nothing".to_owned() } else { tried.join(", ") }
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}
