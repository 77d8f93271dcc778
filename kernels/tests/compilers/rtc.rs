//! NVRTC and hipRTC, which have the same functions under different names.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use warpwave_core::{Error, ErrorKind, KernelSource};
use warpwave_kernels::image::Compiler;

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// A run-time compiler.
pub(crate) struct Library {
    create: Create,
    compile: Compile,
    log_size: Size,
    log: Get,
    code_size: Size,
    code: Get,
    destroy: Destroy,
    version: Version,
    archs: &'static [&'static str],
    options: &'static [&'static str],
    /// Keep the functions where they are.
    _libraries: Vec<libloading::Library>,
}

/// A run-time compiler for one architecture.
pub(crate) struct RunTime {
    library: Arc<Library>,
    arch: &'static str,
}

impl RunTime {
    /// One for each architecture that the library is tried with.
    pub(crate) fn all(library: &Arc<Library>) -> Vec<Self> {
        library.archs.iter().map(|arch| RunTime { library: library.clone(), arch }).collect()
    }
}

impl Compiler for RunTime {
    fn arch(&self) -> String {
        self.arch.to_owned()
    }

    fn identity(&self) -> warpwave_core::Result<String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are there to be written.
        let status = unsafe { (self.library.version)(&raw mut major, &raw mut minor) };
        check("version", status).map_err(|log| Error::from(ErrorKind::Compile { log }))?;
        Ok(format!("run-time compiler {major}.{minor} {:?}", self.library.options))
    }

    fn compile(&self, source: KernelSource<'_>) -> warpwave_core::Result<Vec<u8>> {
        let image = self.library.compile(source.name, &self.unit(source), self.arch);
        image.map_err(|log| ErrorKind::Compile { log }.into())
    }
}

/// The folders in a variable that is a list as `PATH` is; an empty name is the loader's own search.
fn folders(variable: &str) -> Vec<PathBuf> {
    match std::env::var_os(variable) {
        Some(list) => std::env::split_paths(&list).collect(),
        None => vec![PathBuf::new()],
    }
}

impl Library {
    pub(crate) fn nvrtc() -> Result<Arc<Self>, String> {
        let mut tried = Vec::new();
        for folder in folders("WARPWAVE_CUDA_LIBRARY_PATH") {
            for version in ["13", "12"] {
                let name = folder.join(format!("libnvrtc.so.{version}"));
                // It looks for this one under its bare name when it is first used, and finds it only if it has been opened before.
                let builtins: Vec<_> = ["13.0", "13.1", "12.9", "12.8", "12.6", "12.4", "12.2", "12.0"]
                    .iter()
                    .filter_map(|minor| open(&folder.join(format!("libnvrtc-builtins.so.{minor}"))).ok())
                    .collect();
                match Self::open("nvrtc", "nvrtcGetCUBIN", &name, builtins) {
                    Ok(library) => {
                        let options =
                            &["--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];
                        return Ok(Arc::new(Library { archs: &["sm_80", "sm_90"], options, ..library }));
                    }
                    Err(why) => tried.push(why),
                }
            }
        }
        Err(format!("no NVRTC: {}", tried.join("; ")))
    }

    pub(crate) fn hiprtc() -> Result<Arc<Self>, String> {
        let mut tried = Vec::new();
        for folder in folders("WARPWAVE_HIP_LIBRARY_PATH") {
            for name in ["libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.5"] {
                match Self::open("hiprtc", "hiprtcGetCode", &folder.join(name), Vec::new()) {
                    Ok(library) => {
                        let options = &["-std=c++17", "-O3", "-ffp-contract=off"];
                        return Ok(Arc::new(Library { archs: &["gfx90a", "gfx1030"], options, ..library }));
                    }
                    Err(why) => tried.push(why),
                }
            }
        }
        Err(format!("no hipRTC: {}", tried.join("; ")))
    }

    fn open(
        prefix: &str,
        code: &str,
        name: &std::path::Path,
        mut libraries: Vec<libloading::Library>,
    ) -> Result<Self, String> {
        let library = open(name)?;
        // SAFETY: the types are those of nvrtc.h and hiprtc.h, which have declared these functions alike in all of their versions.
        let library = unsafe {
            Library {
                create: function(&library, &format!("{prefix}CreateProgram"))?,
                compile: function(&library, &format!("{prefix}CompileProgram"))?,
                log_size: function(&library, &format!("{prefix}GetProgramLogSize"))?,
                log: function(&library, &format!("{prefix}GetProgramLog"))?,
                code_size: function(&library, &format!("{code}Size"))?,
                code: function(&library, code)?,
                destroy: function(&library, &format!("{prefix}DestroyProgram"))?,
                version: function(&library, &format!("{prefix}Version"))?,
                archs: &[],
                options: &[],
                _libraries: {
                    libraries.push(library);
                    libraries
                },
            }
        };
        Ok(library)
    }

    /// Compiles a unit; its error is the compiler's log.
    fn compile(&self, name: &str, unit: &str, arch: &str) -> Result<Vec<u8>, String> {
        let c = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (unit, name) = (c(unit)?, c(name)?);
        let mut options = vec![c(&format!("--gpu-architecture={arch}"))?];
        if arch.starts_with("gfx") {
            options = vec![c(&format!("--offload-arch={arch}"))?];
        }
        for option in self.options {
            options.push(c(option)?);
        }
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = null_mut();
        // SAFETY: all texts end with a zero and outlive the calls; there are no headers; sizes are asked for before what is as long; the
        // program is destroyed once and not used after that.
        unsafe {
            check("create", (self.create)(&raw mut program, unit.as_ptr(), name.as_ptr(), 0, null(), null()))?;
            let status = (self.compile)(program, c_int::try_from(options.len()).unwrap_or(0), options.as_ptr());
            let result = if status == 0 {
                self.get(program, self.code_size, self.code)
            } else {
                Err(self.said(program, status))
            };
            (self.destroy)(&raw mut program);
            result
        }
    }

    /// # Safety
    /// The program has been compiled, and the two belong together.
    unsafe fn get(&self, program: Program, size: Size, get: Get) -> Result<Vec<u8>, String> {
        let mut len = 0;
        // SAFETY: the caller's promise; there are as many bytes as the library says.
        unsafe {
            check("size", size(program, &raw mut len))?;
            let mut bytes = vec![0_u8; len];
            check("get", get(program, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }

    fn said(&self, program: Program, status: c_int) -> String {
        // SAFETY: the program has been compiled, if in vain.
        let log = unsafe { self.get(program, self.log_size, self.log) }.unwrap_or_default();
        format!("status {status}: {}", String::from_utf8_lossy(&log))
    }
}

fn check(call: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{call}: status {status}")) }
}

/// Opens a library, so that others find it under its name.
fn open(name: &std::path::Path) -> Result<libloading::Library, String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: the initialisers of these libraries do nothing to the process.
    let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) };
    library.map(libloading::Library::from).map_err(|error| error.to_string())
}

/// # Safety
/// The function has this type.
unsafe fn function<F: Copy>(library: &libloading::Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<F>(name.as_bytes()) }.map(|function| *function).map_err(|error| error.to_string())
}
