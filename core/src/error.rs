//! Errors: a kind that a program can match on, and a context that a person can read.

use std::fmt;

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The program was built without the backend it asks for.
    #[error("the {backend} backend is not compiled in; {remedy}")]
    NotCompiled {
        /// The backend asked for.
        backend: String,
        /// What to do about it.
        remedy: String,
    },
    /// A library, driver or compiler is absent or cannot be used.
    #[error("{library} is not available (tried: {}); {remedy}", tried.join(", "))]
    Unavailable {
        /// What was looked for.
        library: String,
        /// Where it was looked for, in order, with what was found there.
        tried: Vec<String>,
        /// What to do about it.
        remedy: String,
    },
    /// The driver is there and finds no such device.
    #[error("no such device: {device}; {remedy}")]
    NoDevice {
        /// The device asked for.
        device: String,
        /// What to do about it.
        remedy: String,
    },
    /// Device, pinned or host memory is exhausted. The device stays usable.
    #[error("out of memory: {requested} bytes requested, {free} free")]
    OutOfMemory {
        /// Bytes asked for.
        requested: usize,
        /// Bytes that the driver reported as free; 0 if it was not asked, as the host's own allocator gave none.
        free: usize,
    },
    /// An argument is not what the call needs. Nothing was enqueued.
    #[error("{what}: expected {expected}, got {got}")]
    InvalidArgument {
        /// The argument.
        what: String,
        /// What it has to be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// The backend does not offer this operation for this type.
    #[error("not supported: {what}")]
    Unsupported {
        /// What was asked for.
        what: String,
    },
    /// A kernel does not compile.
    #[error("compilation failed:\n{log}")]
    Compile {
        /// The compiler's own words.
        log: String,
    },
    /// A kernel has no image for this device's architecture, and none can be made.
    #[error("no image of kernel {kernel} for {arch} (have: {}); {remedy}", have.join(", "))]
    NoImage {
        /// The kernel.
        kernel: String,
        /// The device's architecture.
        arch: String,
        /// The architectures there are images for.
        have: Vec<String>,
        /// What to do about it.
        remedy: String,
    },
    /// A driver or library call was refused.
    #[error("{api} returned {name} ({code})")]
    Driver {
        /// The call.
        api: String,
        /// The number it returned.
        code: i64,
        /// The vendor's name of that number.
        name: String,
    },
    /// Work that was already enqueued failed: a fault on the device, an index out of range in device data, or a panic
    /// in a host function. Reported by the next synchronizing call on the stream.
    #[error("work on the device failed: {what}")]
    DeviceFault {
        /// What failed.
        what: String,
    },
    /// The device is gone. Its memory is leaked, and every further call returns this.
    #[error("the device is lost: {what}")]
    DeviceLost {
        /// What happened.
        what: String,
    },
}

/// Where it went wrong. Empty fields are unknown.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The operation, as in [`crate::OperationKind::name`], or the call.
    pub operation: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// The stream's number on its device.
    pub stream: Option<u64>,
    /// The device's identifier: `cpu`, `cuda:0`.
    pub device: Option<String>,
}

/// An error of warpwave: its [`kind`](Error::kind) and its [`context`](Error::context).
///
/// Formatting one never calls a driver.
#[derive(Clone, PartialEq)]
pub struct Error(Box<(ErrorKind, Context)>);

impl Error {
    /// An error without context.
    pub fn new(kind: ErrorKind) -> Self {
        Error(Box::new((kind, Context::default())))
    }

    /// [`ErrorKind::InvalidArgument`].
    pub fn invalid(what: impl fmt::Display, expected: impl fmt::Display, got: impl fmt::Display) -> Self {
        Error::new(ErrorKind::InvalidArgument {
            what: what.to_string(),
            expected: expected.to_string(),
            got: got.to_string(),
        })
    }

    /// [`ErrorKind::Unsupported`].
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Unsupported { what: what.to_string() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Where it went wrong.
    pub fn context(&self) -> &Context {
        &self.0.1
    }

    /// Names the operation, unless one is already named.
    #[must_use]
    pub fn in_operation(mut self, operation: impl fmt::Display) -> Self {
        self.0.1.operation.get_or_insert_with(|| operation.to_string());
        self
    }

    /// Names the kernel, unless one is already named.
    #[must_use]
    pub fn in_kernel(mut self, kernel: impl fmt::Display) -> Self {
        self.0.1.kernel.get_or_insert_with(|| kernel.to_string());
        self
    }

    /// Names the stream, unless one is already named.
    #[must_use]
    pub fn on_stream(mut self, stream: u64) -> Self {
        self.0.1.stream.get_or_insert(stream);
        self
    }

    /// Names the device, unless one is already named.
    #[must_use]
    pub fn on_device(mut self, device: impl fmt::Display) -> Self {
        self.0.1.device.get_or_insert_with(|| device.to_string());
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error::new(kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context { operation, kernel, stream, device } = self.context();
        if let Some(operation) = operation {
            write!(f, "{operation}: ")?;
        }
        write!(f, "{}", self.kind())?;
        let mut separator = " [";
        for (name, value) in
            [("kernel", kernel.clone()), ("stream", stream.map(|s| s.to_string())), ("device", device.clone())]
        {
            if let Some(value) = value {
                write!(f, "{separator}{name} {value}")?;
                separator = ", ";
            }
        }
        if separator == ", " { f.write_str("]") } else { Ok(()) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `fn main() -> Result<()>` prints the Debug form; a person reads it.
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
