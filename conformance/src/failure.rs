//! How a case ends that does not pass.

use std::fmt;
use warpwave_core::{Error, ErrorKind};

/// The result of a case, and of a check.
pub type Verdict<T = ()> = std::result::Result<T, Failure>;

/// Why a case did not pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The device is wrong.
    Failed(String),
    /// The device does not offer the operation. Fails the check if the device [claims](warpwave_core::Device::supports) to.
    Unsupported(String),
    /// Something that the check needs is not there.
    Skipped(String),
}

impl Failure {
    /// [`Failure::Failed`], said in the words of `message`.
    pub fn new(message: impl fmt::Display) -> Self {
        Failure::Failed(message.to_string())
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        match self {
            Failure::Failed(text) | Failure::Unsupported(text) | Failure::Skipped(text) => text,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Unsupported { .. } => Failure::Unsupported(error.to_string()),
            _ => Failure::Failed(format!("unexpected error: {error}")),
        }
    }
}
