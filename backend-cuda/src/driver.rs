//! The driver: `libcuda`.

use crate::error::Api;
use crate::load::{Wanted, functions, open};
use cudarc::driver::sys::{self, *};
use once_cell::sync::OnceCell;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use warpwave_core::{Error, ErrorKind, Result};

/// The oldest driver's version of CUDA that will do.
const OLDEST: i32 = 12_000;

functions! {
    /// The driver's functions.
    pub(crate) struct Driver of sys -> CUresult;
    required {
        fn cuInit(flags: c_uint);
        fn cuDriverGetVersion(version: *mut c_int);
        fn cuDeviceGetCount(count: *mut c_int);
        fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
        fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
        fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
        fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
        fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
        fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
        fn cuCtxGetCurrent(context: *mut CUcontext);
        fn cuCtxSetCurrent(context: CUcontext);
        fn cuCtxPushCurrent_v2(context: CUcontext);
        fn cuCtxPopCurrent_v2(context: *mut CUcontext);
        fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
        fn cuMemAlloc_v2(ptr: *mut CUdeviceptr, bytes: usize);
        fn cuMemFree_v2(ptr: CUdeviceptr);
        fn cuMemAllocAsync(ptr: *mut CUdeviceptr, bytes: usize, stream: CUstream);
        fn cuMemFreeAsync(ptr: CUdeviceptr, stream: CUstream);
        fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        fn cuMemHostAlloc(ptr: *mut *mut c_void, bytes: usize, flags: c_uint);
        fn cuMemFreeHost(ptr: *mut c_void);
        fn cuMemHostRegister_v2(ptr: *mut c_void, bytes: usize, flags: c_uint);
        fn cuMemHostUnregister(ptr: *mut c_void);
        fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, stream: CUstream);
        fn cuMemcpyHtoDAsync_v2(dst: CUdeviceptr, src: *const c_void, bytes: usize, stream: CUstream);
        fn cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: CUdeviceptr, bytes: usize, stream: CUstream);
        fn cuMemcpyPeerAsync(
            dst: CUdeviceptr,
            dst_context: CUcontext,
            src: CUdeviceptr,
            src_context: CUcontext,
            bytes: usize,
            stream: CUstream,
        );
        fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);
        fn cuMemsetD8Async(dst: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
        fn cuStreamCreate(stream: *mut CUstream, flags: c_uint);
        fn cuStreamDestroy_v2(stream: CUstream);
        fn cuStreamSynchronize(stream: CUstream);
        fn cuStreamQuery(stream: CUstream);
        fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
        fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
        fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode);
        fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
        fn cuEventCreate(event: *mut CUevent, flags: c_uint);
        fn cuEventRecord(event: CUevent, stream: CUstream);
        fn cuEventQuery(event: CUevent);
        fn cuEventSynchronize(event: CUevent);
        fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);
        fn cuLaunchKernel(
            function: CUfunction,
            blocks_x: c_uint,
            blocks_y: c_uint,
            blocks_z: c_uint,
            threads_x: c_uint,
            threads_y: c_uint,
            threads_z: c_uint,
            shared: c_uint,
            stream: CUstream,
            arguments: *mut *mut c_void,
            extra: *mut *mut c_void,
        );
        fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
        fn cuModuleUnload(module: CUmodule);
        fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
        fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
        fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
        fn cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, result: *mut CUgraphExecUpdateResultInfo);
        fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
        fn cuGraphExecDestroy(exec: CUgraphExec);
        fn cuGraphDestroy(graph: CUgraph);
    }
    unlisted {
        // Declared with an enumeration, which cannot hold what a newer driver returns.
        fn cuGetErrorName(status: u32, name: *mut *const c_char);
        // Not in a `cudarc` for CUDA 13, which has the same as `_v2`.
        fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    }
}

/// What helps without a driver.
const REMEDY: &str = "install NVIDIA's driver for this GPU (in a container: start it with the GPU, as `docker run --gpus all` does), or name \
                      the folder of libcuda in WARPWAVE_CUDA_LIBRARY_PATH";

impl Driver {
    /// The driver, opened and initialised. A failure is not kept: the next call looks again.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) if it is not there, lacks a function, is too old, or does not start.
    pub(crate) fn get() -> Result<&'static Driver> {
        static DRIVER: OnceCell<Driver> = OnceCell::new();
        let driver = DRIVER.get_or_try_init(|| {
            let names: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let wanted = Wanted { library: "the CUDA driver", names: &names, remedy: REMEDY };
            let driver = open(&wanted, Driver::of)?;
            let version = driver.version()?;
            if version < OLDEST {
                let found = format!("{}: CUDA {}", driver.file, dotted(version));
                return Err(driver.unusable(found, &format!("install a driver for CUDA {} or later", dotted(OLDEST))));
            }
            Ok(driver)
        })?;
        driver.start()?;
        Ok(driver)
    }

    /// Starts the driver; once it has started this does nothing.
    fn start(&self) -> Result<()> {
        // SAFETY: no other condition than the flags, which have to be 0.
        let status = unsafe { (self.cuInit)(0) };
        match status {
            // That there is no device is for whoever asks for one.
            0 | NO_DEVICE => Ok(()),
            _ => {
                let remedy = match status {
                    803 => {
                        "the driver's library and its kernel module are of different versions: restart after an update of the driver, and in a \
                            container take the host's library"
                    }
                    802 | 804 => {
                        "this driver does not run with this GPU and system: see NVIDIA's notes on compatibility, or on starting NVSwitch"
                    }
                    999 | 3 => "see that the kernel module works (`nvidia-smi`) and that /dev/nvidia* can be opened",
                    _ => "see whether `nvidia-smi` works",
                };
                let found = format!("{}: cuInit returned {} ({status})", self.file, self.name(status));
                Err(self.unusable(found, remedy))
            }
        }
    }

    fn unusable(&self, found: String, remedy: &str) -> Error {
        ErrorKind::Unavailable { library: "the CUDA driver".to_owned(), tried: vec![found], remedy: remedy.to_owned() }
            .into()
    }

    /// The version of CUDA that it serves, as in 13020 for 13.2.
    pub(crate) fn version(&self) -> Result<i32> {
        let mut version = 0;
        // SAFETY: the number is there to be written.
        self.check("cuDriverGetVersion", unsafe { (self.cuDriverGetVersion)(&raw mut version) })?;
        Ok(version)
    }

    /// How many devices there are.
    pub(crate) fn devices(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: the number is there to be written.
        match unsafe { (self.cuDeviceGetCount)(&raw mut count) } {
            NO_DEVICE => Ok(0),
            // Not started for want of a device.
            3 if self.start().is_ok() => Ok(0),
            status => {
                self.check("cuDeviceGetCount", status)?;
                Ok(usize::try_from(count).unwrap_or(0))
            }
        }
    }
}

/// The status that says there is no device.
const NO_DEVICE: u32 = 100;

/// A version as CUDA counts them, in the usual way.
pub(crate) fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
