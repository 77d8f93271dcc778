//! The image of a text for a device: from when the program was built, from the disk, or compiled now.
//!
//! All devices take the same road, for the kernels of the operations and for a user's own:
//!
//! 1. an image in the [`KernelSource`] that [runs](Arch::runs_on) on the device's architecture, compressed or not;
//! 2. the [`Cache`], by the key of the first [`Compiler`] that is there; if none is there, whatever another one left for the same text,
//!    prelude, options and architecture;
//! 3. that compiler, whose image goes into the cache. A compiler that is absent is passed over; one that fails is an error.
//!
//! NVRTC, hipRTC and the host's C++ compiler are [`Compiler`]s, and [`ToolCompiler`] makes one of nvcc, hipcc or clang.

#[cfg(unix)]
mod host;
mod signature;
mod tool;

#[cfg(unix)]
pub use host::HostCompiler;
pub use signature::kernels_of;
#[cfg(unix)]
pub(crate) use signature::parameter;
pub use tool::ToolCompiler;

use std::borrow::Cow;
use warpwave_compile::{Arch, Cache, Key, Options, translation_unit, unpacked};
use warpwave_core::{Error, ErrorKind, KernelSource, Result};

/// What compiles texts for one device while the program runs.
pub trait Compiler {
    /// What it compiles for: an architecture's name, and whatever else decides whether an image can run there.
    fn arch(&self) -> String;

    /// Its name, its version and the options it is given: all that decides, beside the [unit](Self::unit), what an image is.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) if it is not there.
    fn identity(&self) -> Result<String>;

    /// All that it is given for a text: by itself, the prelude and the text.
    fn unit(&self, source: KernelSource<'_>) -> String {
        translation_unit(source.name, source.text, &Options::default())
    }

    /// Compiles a text.
    ///
    /// # Errors
    /// [`Compile`](ErrorKind::Compile) with its own words; [`Unavailable`](ErrorKind::Unavailable) if it is not there.
    fn compile(&self, source: KernelSource<'_>) -> Result<Vec<u8>>;
}

/// The image of a text on the road that the [module](self) describes; `compilers` in the order in which they are preferred, all for one
/// architecture.
///
/// # Errors
/// [`NoImage`](ErrorKind::NoImage) with what there is, what was tried and a remedy; [`Compile`](ErrorKind::Compile).
pub fn image<'a>(source: KernelSource<'a>, compilers: &[&dyn Compiler], cache: &Cache) -> Result<Cow<'a, [u8]>> {
    if let Some(image) = at_hand(source, compilers, cache)? {
        return Ok(image);
    }
    let arch = compilers.first().map(|compiler| compiler.arch()).unwrap_or_default();
    let mut absent = Vec::new();
    for compiler in compilers {
        match compiler.identity() {
            Ok(identity) => {
                let key = Key::new(&compiler.unit(source), &arch, &identity);
                return cache.get_or(&key, || compiler.compile(source)).map(Cow::Owned);
            }
            Err(error) => absent.push(error),
        }
    }
    Err(none(source, arch, &absent))
}

/// The image of a text that can be had without compiling: the first two steps of that road.
///
/// # Errors
/// [`InvalidArgument`](ErrorKind::InvalidArgument) for an image in the source that is none, and those of a compiler that is there and does not
/// say what it is.
pub fn at_hand<'a>(
    source: KernelSource<'a>,
    compilers: &[&dyn Compiler],
    cache: &Cache,
) -> Result<Option<Cow<'a, [u8]>>> {
    let arch = compilers.first().map(|compiler| compiler.arch()).unwrap_or_default();
    if let Ok(device) = arch.parse::<Arch>() {
        let runs = |image: &&warpwave_core::KernelImage<'_>| {
            image.arch.parse::<Arch>().is_ok_and(|arch| arch.runs_on(&device))
        };
        if let Some(image) = source.images.iter().find(runs) {
            let invalid = |why| {
                let expected = format_args!("an image for {}", image.arch).to_string();
                Error::invalid("source", expected, why)
            };
            return unpacked(image.bytes).map(Some).map_err(invalid);
        }
    }
    for compiler in compilers {
        match compiler.identity() {
            Ok(identity) => {
                let key = Key::new(&compiler.unit(source), &arch, &identity);
                return Ok(cache.get(&key).map(Cow::Owned));
            }
            Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let any = |compiler: &&dyn Compiler| cache.get_of_any_compiler(&compiler.unit(source), &arch);
    Ok(compilers.iter().find_map(any).map(Cow::Owned))
}

/// The image of a text that `compiler` makes of it now, whatever the cache has, which then has this one: for an image that cannot be loaded.
///
/// # Errors
/// Those of the compiler.
pub fn renewed(source: KernelSource<'_>, compiler: &dyn Compiler, cache: &Cache) -> Result<Vec<u8>> {
    let key = Key::new(&compiler.unit(source), &compiler.arch(), &compiler.identity()?);
    let image = compiler.compile(source)?;
    // That it cannot be kept is no failure.
    let _ = cache.put(&key, &image);
    Ok(image)
}

fn none(source: KernelSource<'_>, arch: String, absent: &[Error]) -> Error {
    let at_build_time = format!("build the program with {}={arch}", warpwave_compile::ARCHS_VARIABLE);
    let remedies: Vec<String> =
        absent.iter().map(Error::to_string).chain(arch.parse::<Arch>().is_ok().then_some(at_build_time)).collect();
    ErrorKind::NoImage {
        kernel: source.name.to_owned(),
        arch,
        have: source.images.iter().map(|image| image.arch.to_owned()).collect(),
        remedy: remedies.join("; or "),
    }
    .into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
