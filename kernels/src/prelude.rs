//! The prelude's files.

pub use warpwave_compile::PRELUDE;

/// What comes behind the first of [`PRELUDE`] for a host compiler.
pub const HOST: (&str, &str) = ("warpwave_host.h", include_str!("../include/warpwave_host.h"));
