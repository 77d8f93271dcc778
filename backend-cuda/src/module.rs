//! Images on the device, and the kernels in them.

use crate::context::{Context, Entered, Handle, lock};
use crate::nvrtc::Nvrtc;
use cudarc::driver::sys::{CUfunc_st, CUfunction_attribute as Attribute, CUmod_st};
use once_cell::sync::OnceCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use warpwave_compile::{Arch, Cache};
use warpwave_core::{CompiledModule, Error, ErrorKind, KernelInfo, KernelSource, Parameter, Result};
use warpwave_kernels::image::{Compiler, ToolCompiler, at_hand, image, kernels_of, renewed};
use warpwave_kernels::launch::Entry;

/// A kernel on the device.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) raw: Handle<CUfunc_st>,
    pub(crate) max_threads: u32,
    /// As the text declares them.
    pub(crate) parameters: Arc<[Parameter]>,
}

/// A loaded image.
#[derive(Debug)]
struct Loaded {
    raw: Handle<CUmod_st>,
    kernels: Vec<KernelInfo>,
}

/// The kernels of the operations, loaded when they are first needed, and kept.
#[derive(Debug, Default)]
pub(crate) struct Kernels {
    modules: Mutex<HashMap<&'static str, Arc<OnceCell<Loaded>>>>,
    functions: RwLock<HashMap<Entry, Function>>,
    /// Set when all that is at hand is loaded.
    loaded: OnceLock<()>,
}

impl Kernels {
    /// The kernel of a name.
    ///
    /// # Errors
    /// [`NoImage`](ErrorKind::NoImage), and those of compilers and the driver.
    pub(crate) fn get(&self, context: &'static Context, entered: &Entered, entry: Entry) -> Result<Function> {
        if let Some(function) = self.functions.read().unwrap_or_else(PoisonError::into_inner).get(&entry) {
            return Ok(function.clone());
        }
        let cell = lock(&self.modules).entry(entry.file).or_default().clone();
        let module = cell.get_or_try_init(|| {
            let source = warpwave_kernels::text(entry.file)
                .ok_or_else(|| Error::unsupported(format_args!("the kernels of {}", entry.file)))?;
            load(context, entered, source)
        })?;
        let name = entry.to_string();
        let info = module.kernels.iter().find(|kernel| kernel.name == name);
        let info = info.ok_or_else(|| Error::unsupported(format_args!("kernel {name}")))?;
        let function = function(context, entered, module.raw, info)?;
        self.functions.write().unwrap_or_else(PoisonError::into_inner).insert(entry, function.clone());
        Ok(function)
    }

    /// Whether [`load_what_is_there`](Self::load_what_is_there) has ended.
    pub(crate) fn has_loaded(&self) -> bool {
        self.loaded.get().is_some()
    }

    /// Loads all kernels of which there is an image without compiling. For loading one the driver may wait for all work on the device (CUDA C++
    /// Programming Guide, "lazy loading"), and so for a host function that waits for whoever needs the kernel.
    pub(crate) fn load_what_is_there(&self, context: &'static Context, entered: &Entered) {
        self.loaded.get_or_init(|| {
            let Ok(arch) = context.info.arch.parse::<Arch>() else { return };
            let (nvrtc, tool) = (Nvrtc::new(arch.clone(), context.driver), ToolCompiler::new(arch));
            let cache = Cache::open();
            for source in warpwave_kernels::TEXTS {
                let Some(file) = source.name.strip_suffix(".hip") else { continue };
                let Ok(Some(image)) = at_hand(*source, &[&nvrtc, &tool], &cache) else { continue };
                let cell = lock(&self.modules).entry(file).or_default().clone();
                // What cannot be loaded is an error where it is needed.
                let Ok(module) = cell.get_or_try_init(|| load_image(context, entered, &image)) else { continue };
                for info in &module.kernels {
                    let _ = function(context, entered, module.raw, info);
                }
            }
        });
    }
}

/// Users' modules of one opening of a device that nobody has any more. Work may be pending.
#[derive(Debug, Default)]
pub(crate) struct Retired(Mutex<Vec<Handle<CUmod_st>>>);

impl Retired {
    /// Unloads them: all work of that opening has ended, and no graph has their kernels.
    pub(crate) fn unload(&self, context: &Context, _entered: &Entered) {
        let retired = std::mem::take(&mut *lock(&self.0));
        let _disturbs = context.disturb();
        for module in retired {
            // SAFETY: nobody has a handle of it, or work on the device. A refusal leaks it.
            unsafe { (context.driver.cuModuleUnload)(module.0) };
        }
    }
}

/// Finds an image of a text, and loads it.
fn load(context: &'static Context, entered: &Entered, source: KernelSource<'_>) -> Result<Loaded> {
    let arch: Arch = context.info.arch.parse().map_err(|_| Error::unsupported(&context.info.arch))?;
    let (nvrtc, tool) = (Nvrtc::new(arch.clone(), context.driver), ToolCompiler::new(arch));
    let compilers: [&dyn Compiler; 2] = [&nvrtc, &tool];
    let cache = Cache::open();
    let found = image(source, &compilers, &cache)?;
    load_image(context, entered, &found).or_else(|error| {
        // One that the cache has may be spoiled.
        if matches!(error.kind(), ErrorKind::DeviceLost { .. }) {
            return Err(error);
        }
        let compiler = compilers.into_iter().find(|compiler| compiler.identity().is_ok());
        match compiler.map(|compiler| renewed(source, compiler, &cache)) {
            Some(Ok(image)) => load_image(context, entered, &image),
            _ => Err(error),
        }
    })
}

fn load_image(context: &'static Context, _entered: &Entered, image: &[u8]) -> Result<Loaded> {
    /// `EM_CUDA`.
    const CUDA: [u8; 2] = 190_u16.to_le_bytes();
    let kernels = kernels_of(image)?;
    if image.get(18..20) != Some(&CUDA) {
        return Err(Error::invalid("source", "an image for an NVIDIA GPU", "one for another processor"));
    }
    let _disturbs = context.disturb();
    let mut raw = null_mut();
    // SAFETY: an ELF file, which says itself how long it is; the driver copies what it needs of it.
    let status = unsafe { (context.driver.cuModuleLoadData)(&raw mut raw, image.as_ptr().cast()) };
    context.check("cuModuleLoadData", status)?;
    Ok(Loaded { raw: Handle(raw), kernels })
}

fn function(context: &Context, _entered: &Entered, module: Handle<CUmod_st>, info: &KernelInfo) -> Result<Function> {
    let driver = context.driver;
    let _disturbs = context.disturb();
    let name = CString::new(&*info.name).map_err(|_| Error::unsupported(&info.name))?;
    let mut raw = null_mut();
    // SAFETY: the handle is there to be written, the name ends with a zero, and the module is loaded.
    let status = unsafe { (driver.cuModuleGetFunction)(&raw mut raw, module.0, name.as_ptr()) };
    context.check("cuModuleGetFunction", status)?;
    let attribute = |attribute| {
        let mut value = 0;
        // SAFETY: the number is there to be written, and the function is the module's.
        let status = unsafe { (driver.cuFuncGetAttribute)(&raw mut value, attribute, raw) };
        context.check("cuFuncGetAttribute", status)?;
        Ok::<_, Error>(u32::try_from(value).unwrap_or(0))
    };
    let max_threads = attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?.min(info.max_threads);
    // As much dynamic shared memory as the device has beside the kernel's own: without this a launch may have 48 KiB in all.
    let own = attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
    let most = i32::try_from(context.info.max_shared_memory.saturating_sub(own)).unwrap_or(0);
    // SAFETY: a number within the device's limit.
    let status =
        unsafe { (driver.cuFuncSetAttribute)(raw, Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most) };
    context.check("cuFuncSetAttribute", status)?;
    let parameters = info.parameters.clone().unwrap_or_default().into();
    Ok(Function { raw: Handle(raw), max_threads, parameters })
}

/// A module of a user's own.
#[derive(Debug)]
pub(crate) struct CudaModule {
    infos: Vec<KernelInfo>,
    pub(crate) functions: Vec<Function>,
    image: Arc<UserImage>,
}

/// The image of a module, which graphs keep too. When nobody has it any more it is [`Retired`].
#[derive(Debug)]
pub(crate) struct UserImage {
    context: &'static Context,
    retired: Arc<Retired>,
    raw: Handle<CUmod_st>,
}

impl CudaModule {
    /// Compiles a text, or takes an image of it, and loads it.
    ///
    /// # Errors
    /// [`Compile`](ErrorKind::Compile), [`NoImage`](ErrorKind::NoImage), and those of the driver.
    pub(crate) fn new(
        context: &'static Context,
        retired: &Arc<Retired>,
        entered: &Entered,
        source: KernelSource<'_>,
    ) -> Result<Self> {
        let loaded = load(context, entered, source)?;
        // From here on it is unloaded if something fails.
        let image = Arc::new(UserImage { context, retired: Arc::clone(retired), raw: loaded.raw });
        let mut module = CudaModule { infos: loaded.kernels, functions: Vec::new(), image };
        for info in &mut module.infos {
            let function = function(context, entered, loaded.raw, info)?;
            info.max_threads = function.max_threads;
            module.functions.push(function);
        }
        Ok(module)
    }

    /// Whether it was loaded on this device.
    pub(crate) fn is_of(&self, context: &Context) -> bool {
        std::ptr::eq(self.image.context, context)
    }

    /// What has to stay as long as its kernels may be launched.
    pub(crate) fn image(&self) -> Arc<UserImage> {
        Arc::clone(&self.image)
    }
}

impl CompiledModule for CudaModule {
    fn kernels(&self) -> &[KernelInfo] {
        &self.infos
    }
}

impl Drop for UserImage {
    fn drop(&mut self) {
        // Launches of it may be pending, and waiting for them is not for here.
        lock(&self.retired.0).push(self.raw);
    }
}
