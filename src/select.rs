//! Which device a program gets.

use crate::{AnyBackend, AnyDevice, CpuBackend, CpuDevice, Error, ErrorKind, ManagedDevice, Result};

/// The device that [`open`] gives: the CPU device as long as no GPU backend is compiled in.
pub type DefaultDevice = CpuDevice;

/// The environment variable that names the device for [`open`].
pub const DEVICE_VARIABLE: &str = "WARPWAVE_DEVICE";

/// Opens the device that `WARPWAVE_DEVICE` names; if it is not set, or empty, the CPU device.
///
/// ```
/// use warpwave::prelude::*;
///
/// let device = warpwave::open()?;
/// println!("{}", device.info().name);
/// # Ok::<(), warpwave::Error>(())
/// ```
///
/// Each call opens a device of its own: buffers and events of two do not mix. To share one, clone it.
///
/// # Errors
/// A device that is named but absent is an error, never replaced by another: see [`open_named`].
pub fn open() -> Result<DefaultDevice> {
    match name_from_environment()? {
        None => ManagedDevice::new(CpuBackend::inline()),
        Some(name) => parse(&name).and_then(|Named::Cpu| ManagedDevice::new(CpuBackend::inline())),
    }
    .map_err(|e| e.in_operation("open"))
}

/// Opens the device of a name: `cpu`.
///
/// ```
/// use warpwave::{ErrorKind, prelude::*};
///
/// let device = warpwave::open_named("cpu")?;
/// assert_eq!(device.info().id, "cpu");
///
/// let error = warpwave::open_named("cuda:0").unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::NotCompiled { .. }));
/// # Ok::<(), warpwave::Error>(())
/// ```
///
/// # Errors
/// [`NotCompiled`](ErrorKind::NotCompiled) for a device of a backend that this build does not have, and
/// [`InvalidArgument`](ErrorKind::InvalidArgument) for what is no device's name.
pub fn open_named(name: &str) -> Result<AnyDevice> {
    let Named::Cpu = parse(name).map_err(|e| e.in_operation("open"))?;
    ManagedDevice::new(AnyBackend::Cpu(CpuBackend::inline())).map_err(|e| e.in_operation("open"))
}

/// The names of the devices that [`open_named`] can open on this machine with this build.
pub fn device_names() -> Vec<String> {
    vec!["cpu".into()]
}

fn name_from_environment() -> Result<Option<String>> {
    match std::env::var(DEVICE_VARIABLE) {
        Ok(name) if name.is_empty() => Ok(None),
        Ok(name) => Ok(Some(name)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(name)) => Err(no_device(&name.to_string_lossy())),
    }
}

/// A device's name, taken apart.
#[derive(Debug, PartialEq)]
enum Named {
    Cpu,
}

fn parse(name: &str) -> Result<Named> {
    match name.split_once(':') {
        None if name == "cpu" => Ok(Named::Cpu),
        Some((vendor @ ("cuda" | "hip"), index)) if index.parse::<u32>().is_ok() => Err(ErrorKind::NotCompiled {
            backend: vendor.into(),
            remedy: format!("this build of warpwave {} has the CPU device, `cpu`", env!("CARGO_PKG_VERSION")),
        }
        .into()),
        _ => Err(no_device(name)),
    }
}

fn no_device(name: &str) -> Error {
    Error::invalid("device", "`cpu`, `cuda:N` or `hip:N`", format_args!("`{name}`"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Every name either is a device's or gives an error that repeats it.
    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parse("cpu"), Ok(Named::Cpu));
        for name in ["cuda:0", "hip:17"] {
            assert!(matches!(parse(name).unwrap_err().kind(), ErrorKind::NotCompiled { .. }), "{name}");
        }
        for name in ["", "CPU", "cpu:0", "cuda", "cuda:", "cuda:-1", "cuda:x", "gpu:0", "cpu "] {
            let error = parse(name).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidArgument { .. }), "{name}");
            assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
        }
    }
}
