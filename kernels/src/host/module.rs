//! Compiled modules and their kernels.

use super::abi;
use crate::image::parameter;
use libloading::Library;
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;
use warpwave_core::{Error, ErrorKind, Parameter, Result};

/// A compiled text, loaded.
#[derive(Debug)]
pub struct HostModule {
    loaded: Arc<Loaded>,
    kernels: Vec<HostKernel>,
}

/// Code in memory. It stays there as long as this does.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) plain: bool,
    pub(super) check: bool,
    /// Whether blocks may tell each other something.
    pub(super) communicates: bool,
    pub(super) warp: u32,
    pub(super) current: unsafe extern "C" fn() -> *mut *mut abi::Thread,
    pub(super) data: (usize, usize),
    /// Last, so that it is unloaded when nothing points into it any more.
    _library: Library,
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct HostKernel(Arc<KernelOf>);

#[derive(Debug)]
struct KernelOf {
    name: String,
    run: abi::Run,
    parameters: Vec<Parameter>,
    max_threads: u32,
    module: Arc<Loaded>,
}

impl HostModule {
    /// Loads what [`Compiler::compile`](super::Compiler::compile) has made.
    ///
    /// # Safety
    /// The file was made by [`Compiler::compile`](super::Compiler::compile), and nobody has changed it since.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) if the system cannot load the file, or it is not of this version.
    pub unsafe fn load(path: &Path) -> Result<Self> {
        let unavailable = |found: String| {
            Error::from(ErrorKind::Unavailable {
                library: "the compiled module".into(),
                tried: vec![format!("{}: {found}", path.display())],
                remedy: "compile it again; if its folder is mounted noexec, name another in TMPDIR".into(),
            })
        };
        // SAFETY: the caller's.
        let library = unsafe { Library::new(path) }.map_err(|e| unavailable(e.to_string()))?;
        // SAFETY: that is its type in `warpwave_host.h`.
        let describe = unsafe { library.get::<unsafe extern "C" fn() -> abi::Description>(b"ww_host_module\0") };
        // SAFETY: it reads the module's own constants.
        let description = unsafe { describe.map_err(|e| unavailable(e.to_string()))?() };
        if description.version != abi::VERSION {
            return Err(unavailable(format!("version {}, not {}", description.version, abi::VERSION)));
        }
        let loaded = Arc::new(Loaded {
            plain: description.plain != 0,
            check: description.check != 0,
            communicates: description.communicates != 0,
            warp: description.warp,
            current: description.current,
            data: (description.start as usize, description.end as usize),
            _library: library,
        });
        let count =
            (description.last as usize).saturating_sub(description.first as usize) / size_of::<*const abi::Kernel>();
        // SAFETY: the module's own section of pointers, which are to its constants; it is loaded.
        let listed = unsafe { std::slice::from_raw_parts(description.first, count) };
        // SAFETY: as above.
        let mut listed: Vec<&abi::Kernel> = listed.iter().filter_map(|&kernel| unsafe { kernel.as_ref() }).collect();
        // One that is no kernel is among them.
        listed.retain(|kernel| !kernel.name.is_null());
        let kernels = listed.into_iter().map(|kernel| {
            // SAFETY: the module's own strings and arrays, as long as it says.
            let (name, parameters) = unsafe {
                let parameters = std::slice::from_raw_parts(kernel.parameters, kernel.count as usize);
                (CStr::from_ptr(kernel.name).to_string_lossy().into_owned(), parameters)
            };
            HostKernel(Arc::new(KernelOf {
                name,
                run: kernel.run,
                parameters: parameters.iter().map(|p| parameter(p.size, p.kind, p.to_size, p.to_kind)).collect(),
                max_threads: kernel.threads,
                module: loaded.clone(),
            }))
        });
        let mut kernels: Vec<HostKernel> = kernels.collect();
        kernels.sort_by(|a, b| a.name().cmp(b.name()));
        Ok(HostModule { loaded, kernels })
    }

    /// The kernels, in the order of their names.
    pub fn kernels(&self) -> &[HostKernel] {
        &self.kernels
    }

    /// The lanes of a warp that it was compiled for.
    pub fn warp(&self) -> u32 {
        self.loaded.warp
    }

    /// Whether it is instrumented.
    pub fn is_checked(&self) -> bool {
        self.loaded.check
    }

    /// Whether the text has no word that waits, so that its kernels are plain loops.
    pub fn is_plain(&self) -> bool {
        self.loaded.plain
    }

    /// The kernel of a name.
    ///
    /// # Errors
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) with the names that there are.
    pub fn kernel(&self, name: &str) -> Result<HostKernel> {
        let found = self.kernels.iter().find(|kernel| kernel.name() == name);
        found.cloned().ok_or_else(|| {
            let names = self.kernels.iter().map(|kernel| format!("`{}`", kernel.name())).collect::<Vec<_>>();
            let names = if names.is_empty() { "no kernel at all".into() } else { names.join(", ") };
            Error::invalid("name", format_args!("a kernel of the module: {names}"), format_args!("`{name}`"))
        })
    }
}

impl HostKernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0.parameters
    }

    /// Threads that a block may have.
    pub fn max_threads(&self) -> u32 {
        self.0.max_threads
    }

    pub(super) fn run(&self) -> abi::Run {
        self.0.run
    }

    pub(super) fn module(&self) -> &Arc<Loaded> {
        &self.0.module
    }
}
