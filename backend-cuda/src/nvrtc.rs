//! The run-time compiler: NVRTC.

use crate::driver::{Driver, dotted};
use crate::error::Api;
use crate::load::{Wanted, functions, make_known, open};
use cudarc::nvrtc::sys::{self, *};
use once_cell::sync::OnceCell;
use std::ffi::{CString, c_char, c_int};
use std::path::Path;
use std::ptr::{null, null_mut};
use warpwave_compile::Arch;
use warpwave_core::{Error, ErrorKind, KernelSource, Result};
use warpwave_kernels::image::Compiler;

functions! {
    /// NVRTC's functions.
    pub(crate) struct Library of sys -> nvrtcResult;
    required {
        fn nvrtcVersion(major: *mut c_int, minor: *mut c_int);
        fn nvrtcCreateProgram(
            program: *mut nvrtcProgram,
            text: *const c_char,
            name: *const c_char,
            headers: c_int,
            header_texts: *const *const c_char,
            header_names: *const *const c_char,
        );
        fn nvrtcCompileProgram(program: nvrtcProgram, options: c_int, list: *const *const c_char);
        fn nvrtcGetProgramLogSize(program: nvrtcProgram, bytes: *mut usize);
        fn nvrtcGetProgramLog(program: nvrtcProgram, log: *mut c_char);
        fn nvrtcGetCUBINSize(program: nvrtcProgram, bytes: *mut usize);
        fn nvrtcGetCUBIN(program: nvrtcProgram, image: *mut c_char);
        fn nvrtcDestroyProgram(program: *mut nvrtcProgram);
    }
}

/// No contraction, IEEE division and square root, denormals kept.
const OPTIONS: [&str; 5] = ["--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];

const REMEDY: &str = "install NVRTC, of the toolkit or as the package nvidia-cuda-nvrtc of Python, or name its folder in \
                      WARPWAVE_CUDA_LIBRARY_PATH";

/// The status of a text that does not compile.
const COMPILATION: u32 = 6;

impl Library {
    /// NVRTC, opened. A failure is not kept.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) if there is none whose images this driver can load.
    pub(crate) fn get(driver: &Driver) -> Result<&'static Library> {
        static LIBRARY: OnceCell<Library> = OnceCell::new();
        LIBRARY.get_or_try_init(|| {
            // A driver loads images of its own major version and of older ones.
            let newest = driver.version()? / 1000;
            let names = names(newest);
            let wanted = Wanted { library: "NVRTC", names: &names, remedy: REMEDY };
            open(&wanted, |library, file| {
                // It looks for this one by its bare name at the first compilation, and finds it if it has been opened before.
                know_builtins(Path::new(&file));
                Library::of(library, file)
            })
        })
    }

    /// Its version.
    pub(crate) fn version(&self) -> Result<String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both numbers are there to be written.
        self.check("nvrtcVersion", unsafe { (self.nvrtcVersion)(&raw mut major, &raw mut minor) })?;
        Ok(dotted(major * 1000 + minor * 10))
    }

    /// Compiles a unit for an architecture.
    fn compile(&self, name: &str, unit: &str, arch: &str) -> Result<Vec<u8>> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Error::invalid("source", "a text without zero bytes", "one with some"))
        };
        let (unit, name) = (text(unit)?, text(name)?);
        let options: Vec<CString> = OPTIONS
            .iter()
            .map(|&option| text(option))
            .chain([text(&format!("--gpu-architecture={arch}"))])
            .collect::<Result<_>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = Program { library: self, raw: null_mut() };
        // SAFETY: all texts end with a zero and outlive the calls; there are no headers.
        let status =
            unsafe { (self.nvrtcCreateProgram)(&raw mut program.raw, unit.as_ptr(), name.as_ptr(), 0, null(), null()) };
        self.check("nvrtcCreateProgram", status)?;
        // SAFETY: as many options as are said.
        let status = unsafe { (self.nvrtcCompileProgram)(program.raw, options.len() as c_int, options.as_ptr()) };
        if status == COMPILATION {
            let log = program.get("log", self.nvrtcGetProgramLogSize, self.nvrtcGetProgramLog).unwrap_or_default();
            let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned();
            return Err(ErrorKind::Compile { log }.into());
        }
        self.check("nvrtcCompileProgram", status)?;
        program.get("nvrtcGetCUBIN", self.nvrtcGetCUBINSize, self.nvrtcGetCUBIN)
    }
}

impl Api for Library {
    fn name(&self, status: u32) -> String {
        // As in `nvrtc.h`; their numbers have never changed.
        let names = [
            "SUCCESS",
            "ERROR_OUT_OF_MEMORY",
            "ERROR_PROGRAM_CREATION_FAILURE",
            "ERROR_INVALID_INPUT",
            "ERROR_INVALID_PROGRAM",
            "ERROR_INVALID_OPTION",
            "ERROR_COMPILATION",
            "ERROR_BUILTIN_OPERATION_FAILURE",
        ];
        format!("NVRTC_{}", names.get(status as usize).unwrap_or(&"ERROR"))
    }
}

/// The files that are NVRTC of a major version up to `newest`.
fn names(newest: i32) -> Vec<String> {
    (12..=newest.max(12))
        .rev()
        .flat_map(|major| match cfg!(windows) {
            true => vec![format!("nvrtc64_{major}0_0.dll")],
            false => vec![format!("libnvrtc.so.{major}")],
        })
        .collect()
}

/// Opens the library of built-in functions beside NVRTC, whichever minor version it is of.
fn know_builtins(nvrtc: &Path) {
    let Some(folder) = nvrtc.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("libnvrtc-builtins.so") && !name.contains("alt") {
            make_known(&path);
        }
    }
}

/// A program of NVRTC's.
struct Program<'a> {
    library: &'a Library,
    raw: nvrtcProgram,
}

type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> u32;
type Get = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> u32;

impl Program<'_> {
    /// What there is of something that comes with its size; `size` and `get` belong together.
    fn get(&self, api: &'static str, size: Size, get: Get) -> Result<Vec<u8>> {
        let mut len = 0;
        // SAFETY: the number is there to be written, and the program has been compiled, if in vain.
        self.library.check(api, unsafe { size(self.raw, &raw mut len) })?;
        let mut bytes = vec![0_u8; len];
        // SAFETY: there is as much room as the library has just said.
        self.library.check(api, unsafe { get(self.raw, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created, and destroyed once.
            unsafe { (self.library.nvrtcDestroyProgram)(&raw mut self.raw) };
        }
    }
}

/// NVRTC as a compiler for one architecture.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    arch: Arch,
    driver: &'static Driver,
}

impl Nvrtc {
    /// For an architecture, and a driver that loads what is compiled.
    pub(crate) fn new(arch: Arch, driver: &'static Driver) -> Self {
        Nvrtc { arch, driver }
    }
}

impl Compiler for Nvrtc {
    fn arch(&self) -> String {
        self.arch.to_string()
    }

    fn identity(&self) -> Result<String> {
        let library = Library::get(self.driver)?;
        Ok(format!("NVRTC {} {OPTIONS:?}", library.version()?))
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Vec<u8>> {
        Library::get(self.driver)?.compile(source.name, &self.unit(source), self.arch.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_given_images_of_its_own_version_or_an_older_one() {
        let first = |newest| names(newest).first().cloned().unwrap_or_default();
        assert!(first(13).contains("13") && first(12).contains("12"));
        assert_eq!((names(13).len(), names(12).len()), (2, 1));
    }
}
