//! Which device a program gets.

use crate::{AnyBackend, AnyDevice, Backend, CpuBackend, Error, ErrorKind, ManagedDevice, Result};

/// The device that [`open`] gives: the CPU device as long as no GPU backend is compiled in, else [`AnyDevice`].
#[cfg(not(feature = "cuda-base"))]
pub type DefaultDevice = crate::CpuDevice;
/// The device that [`open`] gives: the CPU device as long as no GPU backend is compiled in, else [`AnyDevice`].
#[cfg(feature = "cuda-base")]
pub type DefaultDevice = AnyDevice;

/// The environment variable that names the device for [`open`].
pub const DEVICE_VARIABLE: &str = "WARPWAVE_DEVICE";

/// Opens the device that `WARPWAVE_DEVICE` names; if it is not set, or empty, the first CUDA device that is there, else the CPU.
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
/// A device that is named but absent is an error, never replaced by another: see [`open_named`]. Without a name a backend that is not there is
/// passed over; a device that is there and cannot be opened is an error.
pub fn open() -> Result<DefaultDevice> {
    let named = name_from_environment().and_then(|name| name.map(|name| parse(&name)).transpose());
    named
        .and_then(|named| backend(named.unwrap_or_else(first)))
        .and_then(ManagedDevice::new)
        .map_err(|e| e.in_operation("open"))
}

/// The backend of [`DefaultDevice`].
#[cfg(not(feature = "cuda-base"))]
fn backend(Named::Cpu: Named) -> Result<CpuBackend> {
    Ok(CpuBackend::inline())
}
#[cfg(feature = "cuda-base")]
fn backend(named: Named) -> Result<AnyBackend> {
    any(named)
}

fn any(named: Named) -> Result<AnyBackend> {
    match named {
        Named::Cpu => Ok(AnyBackend::Cpu(CpuBackend::inline())),
        #[cfg(feature = "cuda-base")]
        Named::Cuda(index) => crate::CudaBackend::open(index).map(AnyBackend::Cuda),
    }
}

/// The first device that is there.
fn first() -> Named {
    #[cfg(feature = "cuda-base")]
    if crate::CudaBackend::enumerate().is_ok_and(|devices| !devices.is_empty()) {
        return Named::Cuda(0);
    }
    Named::Cpu
}

/// Opens the device of a name: `cpu`, `cuda:N`.
///
/// ```
/// use warpwave::{ErrorKind, prelude::*};
///
/// let device = warpwave::open_named("cpu")?;
/// assert_eq!(device.info().id, "cpu");
///
/// let error = warpwave::open_named("hip:0").unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::NotCompiled { .. }));
/// # Ok::<(), warpwave::Error>(())
/// ```
///
/// # Errors
/// [`NotCompiled`](ErrorKind::NotCompiled) for a device of a backend that this build does not have,
/// [`Unavailable`](ErrorKind::Unavailable) and [`NoDevice`](ErrorKind::NoDevice) for one that this machine does not have, and
/// [`InvalidArgument`](ErrorKind::InvalidArgument) for what is no device's name.
pub fn open_named(name: &str) -> Result<AnyDevice> {
    parse(name).and_then(any).and_then(ManagedDevice::new).map_err(|e| e.in_operation("open"))
}

/// The names of the devices that [`open_named`] can open on this machine with this build.
pub fn device_names() -> Vec<String> {
    AnyBackend::enumerate().unwrap_or_default().into_iter().map(|info| info.id).collect()
}

/// The backends of which this program has no device, each with the reason: not compiled in, no driver, no device.
pub fn absent() -> Vec<(&'static str, Error)> {
    let mut absent = Vec::new();
    #[cfg(feature = "cuda-base")]
    match crate::CudaBackend::enumerate() {
        Ok(devices) if !devices.is_empty() => {}
        Ok(_) => absent.extend(crate::CudaBackend::open(0).err().map(|error| ("cuda", error))),
        Err(error) => absent.push(("cuda", error)),
    }
    for vendor in VENDORS {
        absent.extend(parse(&format!("{vendor}:0")).err().map(|error| (vendor, error)));
    }
    absent
}

/// Whose devices have a number.
const VENDORS: [&str; 2] = ["cuda", "hip"];

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
    #[cfg(feature = "cuda-base")]
    Cuda(usize),
}

fn parse(name: &str) -> Result<Named> {
    match name.split_once(':') {
        None if name == "cpu" => Ok(Named::Cpu),
        Some((vendor, index)) if VENDORS.contains(&vendor) => match index.parse::<u32>() {
            #[cfg(feature = "cuda-base")]
            Ok(index) if vendor == "cuda" => Ok(Named::Cuda(index as usize)),
            Ok(_) => Err(not_compiled(vendor)),
            Err(_) => Err(no_device(name)),
        },
        _ => Err(no_device(name)),
    }
}

fn not_compiled(vendor: &str) -> Error {
    let has = if cfg!(feature = "cuda-base") {
        "the CPU device, `cpu`, and CUDA devices, `cuda:N`"
    } else {
        "the CPU device, `cpu`"
    };
    let remedy = match vendor {
        "cuda" => "build it with `--features cuda`".to_owned(),
        _ => format!("this build of warpwave {} has {has}", env!("CARGO_PKG_VERSION")),
    };
    ErrorKind::NotCompiled { backend: vendor.into(), remedy }.into()
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
        #[cfg(feature = "cuda-base")]
        assert_eq!(parse("cuda:3"), Ok(Named::Cuda(3)));
        #[cfg(not(feature = "cuda-base"))]
        assert!(matches!(parse("cuda:0").unwrap_err().kind(), ErrorKind::NotCompiled { .. }));
        assert!(matches!(parse("hip:17").unwrap_err().kind(), ErrorKind::NotCompiled { .. }));
        for name in ["", "CPU", "cpu:0", "cuda", "cuda:", "cuda:-1", "cuda:x", "gpu:0", "cpu "] {
            let error = parse(name).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidArgument { .. }), "{name}");
            assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
        }
    }
}
