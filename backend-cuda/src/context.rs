//! A device's primary context: what all of this process have in common that use the device.

use crate::buffer::Spare;
use crate::cublas::Provider;
use crate::driver::{Driver, dotted};
use crate::error::{Api, OUT_OF_MEMORY};
use crate::module::Kernels;
use crate::transfer::Staging;
use cudarc::driver::sys::{CUcontext, CUctx_st, CUdevice_attribute as Attribute, CUevent, CUevent_st, CUuuid};
use once_cell::sync::OnceCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};
use warpwave_core::operation::Ptr;
use warpwave_core::{DeviceInfo, Error, ErrorKind, Result};
use warpwave_kernels::launch::Properties;

/// A handle of the driver's. It may be used by any thread (CUDA Driver API, "API synchronization behavior" and "Thread safety").
#[derive(Debug)]
pub(crate) struct Handle<T>(pub(crate) *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: the driver's handles are names, which it looks up itself; it locks what it has to.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

/// The lock, whoever has panicked with it: what it guards is never left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device's primary context. One that has been opened is kept as long as the process lives: its memory may be in use by others, and work that
/// nobody waits for any more has to go on.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) driver: &'static Driver,
    pub(crate) ordinal: usize,
    pub(crate) raw: Handle<CUctx_st>,
    device: i32,
    pub(crate) info: DeviceInfo,
    pub(crate) properties: Properties,
    /// The longest pitch of a 2-D copy, in bytes.
    pub(crate) max_pitch: usize,
    pub(crate) kernels: Kernels,
    pub(crate) blas: OnceCell<Provider>,
    /// Held [alone](Self::quiet) while a list of work is captured, and [shared](Self::disturb) by calls that allocate, free, load or release:
    /// those may make a capture that is under way fail, also in another thread.
    quiet: RwLock<()>,
    /// Device memory that streams and graphs work in, and that none has now.
    pub(crate) spare: Spare,
    /// Words of pinned memory that nobody uses, all of them 0.
    pub(crate) notes: Mutex<Vec<Ptr>>,
    pub(crate) staging: Staging,
    /// Events that nobody uses.
    events: Mutex<Vec<Handle<CUevent_st>>>,
    /// Devices whose memory this one has been allowed to reach, or cannot.
    peers: Mutex<Vec<usize>>,
    /// What has made the context unusable.
    lost: OnceLock<String>,
}

static CONTEXTS: Mutex<BTreeMap<usize, &'static Context>> = Mutex::new(BTreeMap::new());

impl Context {
    /// The context of a device.
    ///
    /// # Errors
    /// Those of [`Driver::get`], [`NoDevice`](ErrorKind::NoDevice), and those of the driver.
    pub(crate) fn of(ordinal: usize) -> Result<&'static Context> {
        let driver = Driver::get()?;
        let mut contexts = lock(&CONTEXTS);
        if let Some(context) = contexts.get(&ordinal) {
            context.check_lost()?;
            return Ok(context);
        }
        let count = driver.devices()?;
        if ordinal >= count {
            return Err(no_device(ordinal, count));
        }
        let context: &'static Context = Box::leak(Box::new(Context::open(driver, ordinal)?));
        contexts.insert(ordinal, context);
        Ok(context)
    }

    fn open(driver: &'static Driver, ordinal: usize) -> Result<Context> {
        let device = device_of(driver, ordinal)?;
        let mut raw = null_mut();
        // SAFETY: the handle is there to be written, and the device is one.
        let status = unsafe { (driver.cuDevicePrimaryCtxRetain)(&raw mut raw, device) };
        driver.check("cuDevicePrimaryCtxRetain", status)?;
        let attribute = |attribute| attribute_of(driver, device, attribute);
        let properties = Properties::new(
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        );
        Ok(Context {
            driver,
            ordinal,
            raw: Handle(raw),
            device,
            info: describe(driver, ordinal)?,
            properties,
            max_pitch: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_PITCH)? as usize,
            kernels: Kernels::default(),
            blas: OnceCell::new(),
            quiet: RwLock::default(),
            spare: Spare::default(),
            notes: Mutex::default(),
            staging: Staging::default(),
            events: Mutex::default(),
            peers: Mutex::default(),
            lost: OnceLock::new(),
        })
    }

    /// Nothing, or what the driver's status says. One that says the context is beyond use is remembered: from then on nothing is asked of the
    /// driver.
    pub(crate) fn check(&self, api: &'static str, status: u32) -> Result<()> {
        self.driver.check(api, status).map_err(|error| self.seen(error))
    }

    /// Takes note of an error, and names the device.
    pub(crate) fn seen(&self, error: Error) -> Error {
        if let ErrorKind::DeviceLost { what } = error.kind() {
            // The first is what it was.
            let _ = self.lost.set(what.clone());
        }
        error.on_device(&self.info.id)
    }

    fn check_lost(&self) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(what) => {
                let lost = Error::from(ErrorKind::DeviceLost { what: what.clone() });
                Err(lost.on_device(&self.info.id))
            }
        }
    }

    /// Makes the context this thread's for the time of the result's life.
    ///
    /// # Errors
    /// [`DeviceLost`](ErrorKind::DeviceLost) if it has been before, and those of the driver.
    pub(crate) fn enter(&'static self) -> Result<Entered> {
        self.check_lost()?;
        let mut current: CUcontext = null_mut();
        // SAFETY: the handle is there to be written.
        self.check("cuCtxGetCurrent", unsafe { (self.driver.cuCtxGetCurrent)(&raw mut current) })?;
        if current == self.raw.0 {
            return Ok(Entered { context: self, pops: false, thread: PhantomData });
        }
        if current.is_null() && self.ordinal == 0 {
            // What CUDA's runtime takes in a thread that has none: so it may stay, and the next call has it.
            // SAFETY: a context that is never destroyed.
            self.check("cuCtxSetCurrent", unsafe { (self.driver.cuCtxSetCurrent)(self.raw.0) })?;
            return Ok(Entered { context: self, pops: false, thread: PhantomData });
        }
        // SAFETY: as above; it is popped again.
        self.check("cuCtxPushCurrent", unsafe { (self.driver.cuCtxPushCurrent_v2)(self.raw.0) })?;
        Ok(Entered { context: self, pops: true, thread: PhantomData })
    }

    /// For the time of a capture: alone, if those who disturb leave it a moment. None of them is kept waiting meanwhile, and this does not wait for
    /// ever: a host function may wait for this thread, and one of them for the host function. A capture that is disturbed is made again.
    pub(crate) fn quiet(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        let end = Instant::now() + Duration::from_millis(100);
        loop {
            match self.quiet.try_write() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > end => return None,
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
    }

    /// For the time of a call that a capture would not bear.
    pub(crate) fn disturb(&self) -> RwLockReadGuard<'_, ()> {
        self.quiet.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// cuBLAS, which is looked for at the first call.
    ///
    /// # Errors
    /// [`OutOfMemory`](ErrorKind::OutOfMemory) if it is there and finds no memory: the next call looks again.
    pub(crate) fn blas(&self, entered: &Entered) -> Result<&Provider> {
        self.blas.get_or_try_init(|| {
            let _disturbs = self.disturb();
            Provider::find(self, entered)
        })
    }

    /// An event that nobody uses.
    pub(crate) fn event(&self, _entered: &Entered) -> Result<Handle<CUevent_st>> {
        if let Some(event) = lock(&self.events).pop() {
            return Ok(event);
        }
        let mut event: CUevent = null_mut();
        // SAFETY: the handle is there to be written.
        self.check("cuEventCreate", unsafe { (self.driver.cuEventCreate)(&raw mut event, 0) })?;
        Ok(Handle(event))
    }

    /// Gives an event back. Waits for it that are enqueued are for what it was recorded after then.
    pub(crate) fn reuse_event(&self, event: Handle<CUevent_st>) {
        lock(&self.events).push(event);
    }

    /// Lets this device's kernels and copies reach another one's memory, where that can be.
    pub(crate) fn reach(&self, other: &Context, _entered: &Entered) {
        let mut peers = lock(&self.peers);
        if other.ordinal == self.ordinal || peers.contains(&other.ordinal) {
            return;
        }
        peers.push(other.ordinal);
        let mut can = 0;
        // SAFETY: the number is there to be written, and both are devices. What cannot be reached is copied through the host by the driver, so a
        // refusal, or that somebody has allowed it before, is no error.
        unsafe {
            if (self.driver.cuDeviceCanAccessPeer)(&raw mut can, self.device, other.device) == 0 && can != 0 {
                (self.driver.cuCtxEnablePeerAccess)(other.raw.0, 0);
            }
        }
    }

    /// An error for memory that was not there.
    pub(crate) fn out_of_memory(&self, requested: usize) -> Error {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both numbers are there to be written.
        if unsafe { (self.driver.cuMemGetInfo_v2)(&raw mut free, &raw mut total) } != 0 {
            free = 0;
        }
        Error::from(ErrorKind::OutOfMemory { requested, free }).on_device(&self.info.id)
    }

    /// The same as [`check`](Self::check), of a call that asked for memory.
    pub(crate) fn check_memory(&self, api: &'static str, status: u32, requested: usize) -> Result<()> {
        if status == OUT_OF_MEMORY { Err(self.out_of_memory(requested)) } else { self.check(api, status) }
    }
}

/// The context is this thread's.
#[derive(Debug)]
pub(crate) struct Entered {
    context: &'static Context,
    pops: bool,
    /// Of this thread alone.
    thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.pops {
            let mut popped = null_mut();
            // SAFETY: it was pushed by this thread, which has not left since: the value is neither sent nor kept.
            unsafe { (self.context.driver.cuCtxPopCurrent_v2)(&raw mut popped) };
        }
    }
}

fn no_device(ordinal: usize, count: usize) -> Error {
    let remedy = match count {
        0 => "the driver is there and finds no GPU: see `nvidia-smi`, and CUDA_VISIBLE_DEVICES if it is set".to_owned(),
        1 => "there is one CUDA device, number 0".to_owned(),
        _ => format!("there are {count} CUDA devices, numbers 0 to {}", count - 1),
    };
    ErrorKind::NoDevice { device: format!("cuda:{ordinal}"), remedy }.into()
}

fn device_of(driver: &Driver, ordinal: usize) -> Result<i32> {
    let mut device = 0;
    let number = i32::try_from(ordinal).map_err(|_| no_device(ordinal, 0))?;
    // SAFETY: the handle is there to be written.
    driver.check("cuDeviceGet", unsafe { (driver.cuDeviceGet)(&raw mut device, number) })?;
    Ok(device)
}

fn attribute_of(driver: &Driver, device: i32, attribute: Attribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: the number is there to be written.
    let status = unsafe { (driver.cuDeviceGetAttribute)(&raw mut value, attribute, device) };
    driver.check("cuDeviceGetAttribute", status)?;
    Ok(u32::try_from(value).unwrap_or(0))
}

/// The description of a device, without the libraries.
///
/// # Errors
/// Those of the driver.
pub(crate) fn describe(driver: &Driver, ordinal: usize) -> Result<DeviceInfo> {
    let device = device_of(driver, ordinal)?;
    let attribute = |attribute| attribute_of(driver, device, attribute);
    let (mut name, mut uuid, mut bytes) = ([0_u8; 256], CUuuid { bytes: [0; 16] }, 0);
    // SAFETY: there is as much room as is said.
    let status = unsafe { (driver.cuDeviceGetName)(name.as_mut_ptr().cast(), name.len() as i32, device) };
    driver.check("cuDeviceGetName", status)?;
    // SAFETY: the identifier is there to be written.
    driver.check("cuDeviceGetUuid", unsafe { (driver.cuDeviceGetUuid_v2)(&raw mut uuid, device) })?;
    // SAFETY: the number is there to be written.
    driver.check("cuDeviceTotalMem", unsafe { (driver.cuDeviceTotalMem_v2)(&raw mut bytes, device) })?;
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    let mut info = DeviceInfo::default();
    info.id = format!("cuda:{ordinal}");
    info.name = String::from_utf8_lossy(&name[..end]).into_owned();
    info.arch = format!(
        "sm_{}{}",
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?
    );
    info.uuid = Some(as_smi(&uuid.bytes.map(|byte| byte as u8)));
    info.warp_size = attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?;
    info.units = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    info.memory = bytes as u64;
    info.max_threads_per_block = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
    info.max_shared_memory = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    info.mode = "gpu".to_owned();
    info.versions = vec![("driver".to_owned(), format!("CUDA {}", dotted(driver.version()?)))];
    Ok(info)
}

/// An identifier as `nvidia-smi -L` prints it.
fn as_smi(uuid: &[u8; 16]) -> String {
    let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_written_as_the_vendors_tool_does() {
        let uuid = [0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0];
        assert_eq!(as_smi(&uuid), "GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
    }

    #[test]
    fn the_remedy_names_the_devices_that_there_are() {
        for (count, part) in [(0, "no GPU"), (1, "number 0"), (3, "numbers 0 to 2")] {
            let error = no_device(7, count);
            assert!(
                matches!(error.kind(), ErrorKind::NoDevice { device, remedy } if device == "cuda:7" && remedy.contains(part))
            );
        }
    }
}
