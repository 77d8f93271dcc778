//! Devices.

use crate::backend::Backend;
use crate::buffer::{Buffer, ManagedBuffer};
use crate::element::{DType, Element};
use crate::error::Result;
use crate::info::{DeviceInfo, MemoryInfo};
use crate::kernel::{KernelSource, Module};
use crate::operation::{OperationKind, Ptr};
use crate::runtime::{Shared, refuse_inside};
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;
use std::any::Any;
use std::fmt;

/// A device: where streams and buffers come from. Clones are handles of the same device.
///
/// Sealed: every device is a [`ManagedDevice`] over a [`Backend`], which is what to implement for one's own hardware.
///
/// Dropping the last handle of a device and of all that was made on it releases it in the background, after its work has ended.
pub trait Device: Clone + fmt::Debug + Send + Sync + Sized + 'static + private::Sealed {
    /// What moves the bytes.
    type Backend: Backend;
    /// The device's streams.
    type Stream: Stream<Device = Self>;
    /// The device's memory.
    type Buffer<T: Element>: Buffer<T, Device = Self>;

    /// The devices of this kind.
    ///
    /// # Errors
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if a library or driver cannot be used, and
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a host function. No device is an empty list.
    fn enumerate() -> Result<Vec<DeviceInfo>> {
        refuse_inside().and_then(|()| Self::Backend::enumerate()).map_err(|e| e.in_operation("enumerate"))
    }

    /// Opens a device, by its index in [`enumerate`](Device::enumerate).
    ///
    /// # Errors
    /// [`NoDevice`](crate::ErrorKind::NoDevice) if there is none of that index, and the errors of [`enumerate`](Device::enumerate).
    fn open(index: usize) -> Result<Self>;

    /// The backend, for tools that look below the device. What is allocated or enqueued there is outside of the device's ordering, and
    /// nothing refuses it inside a [host function](crate::Stream::host_fn): whoever calls the backend there answers for what its driver
    /// makes of that.
    fn backend(&self) -> &Self::Backend;

    /// The device's description.
    fn info(&self) -> &DeviceInfo;

    /// Bytes of memory in use and in the pool.
    fn memory(&self) -> MemoryInfo;

    /// Whether the device offers this operation for this type of input.
    fn supports(&self, kind: OperationKind, dtype: DType) -> bool;

    /// The stream that was made with the device.
    fn default_stream(&self) -> Self::Stream;

    /// Makes a stream. Streams run beside each other; what they do to the same memory is ordered all the same.
    ///
    /// # Errors
    /// Those of the driver.
    fn new_stream(&self) -> Result<Self::Stream>;

    /// Compiles kernels of the user's own: a text in the words of the prelude, `warpwave.h`, which comes before it.
    ///
    /// The CPU device loads what it has compiled, and that runs the constructors of the text's own static objects. A kernel's text needs
    /// none, and one that you do not trust should not be compiled.
    ///
    /// # Errors
    /// [`Compile`](crate::ErrorKind::Compile) with the compiler's own words, [`Unavailable`](crate::ErrorKind::Unavailable) if there is no
    /// compiler, and [`Unsupported`](crate::ErrorKind::Unsupported) on a device that has no kernels.
    fn compile<'a>(&self, source: impl Into<KernelSource<'a>>) -> Result<Module<Self>>;

    /// Gives memory that the pool keeps for reuse back to the driver; returns how many bytes. Waits on the host for the work that used it,
    /// and a driver may wait for all work on the device. While a host function is outstanding on the [physical device](DeviceInfo::uuid),
    /// or on another one whose work a copy to or from this one waits for, nothing is freed.
    ///
    /// # Errors
    /// Those of the driver.
    fn trim(&self) -> Result<usize>;
}

pub(crate) mod private {
    /// Only this crate implements the traits of devices.
    pub trait Sealed {}
}

/// A device over a backend: buffers, ordering and the pool on top of the backend's raw memory, streams and events.
pub struct ManagedDevice<B: Backend> {
    pub(crate) shared: Arc<Shared<B>>,
    default: ManagedStream<B>,
}

impl<B: Backend> ManagedDevice<B> {
    /// Makes a device of a backend, and its default stream.
    ///
    /// # Errors
    /// Those of [`Backend::create_stream`], and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a host function.
    pub fn new(backend: B) -> Result<Self> {
        Self::from_shared(Shared::new(
            backend,
            #[cfg(test)]
            None,
        ))
    }

    /// A buffer over memory of this device that other software has allocated: it is ordered and kept like any buffer's. When the last handle, and
    /// graph, that has it is gone and the work on it has ended, `keeper` is dropped: in a call on the device or when it is closed.
    ///
    /// # Safety
    /// `ptr` is the start of `len` elements in memory that work on this device reaches, which stays there until `keeper` is dropped. Until then
    /// others touch it only on streams of this device [by its rules](ManagedStream::enqueue_with), or when the work on the buffer has ended. All
    /// that others have done to it before has ended.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for an address that is 0 or no multiple of an element's size, and inside a host
    /// function.
    pub unsafe fn import_buffer<T: Element>(
        &self,
        ptr: Ptr,
        len: usize,
        keeper: impl Any + Send + Sync,
    ) -> Result<ManagedBuffer<T, B>> {
        self.default.borrow(ptr, len, Box::new(keeper))
    }

    /// A stream over a raw one that other software uses too. What that enqueues there comes before the work of later calls on this one. Other
    /// streams, events and the host wait for it only if a call on this stream came after it: a call of
    /// [`enqueue_with`](ManagedStream::enqueue_with) that enqueues nothing will do.
    ///
    /// # Safety
    /// The backend says what a raw stream of others has to be; it keeps its contract for it then.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a host function.
    pub unsafe fn import_stream(&self, raw: B::Stream) -> Result<ManagedStream<B>> {
        self.shared.named("import_stream", None, || ManagedStream::import(&self.shared, raw))
    }

    pub(crate) fn from_shared(shared: Shared<B>) -> Result<Self> {
        let shared = shared.into_arc();
        let default = shared.named("open", None, || ManagedStream::new(&shared))?;
        default.make_default();
        Ok(ManagedDevice { shared, default })
    }

    pub(crate) fn of_parts(shared: &Arc<Shared<B>>, default: ManagedStream<B>) -> Self {
        ManagedDevice { shared: shared.clone(), default }
    }
}

impl<B: Backend> Clone for ManagedDevice<B> {
    fn clone(&self) -> Self {
        ManagedDevice { shared: self.shared.clone(), default: self.default.clone() }
    }
}

impl<B: Backend> fmt::Debug for ManagedDevice<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.shared.info.id)
    }
}

impl<B: Backend> private::Sealed for ManagedDevice<B> {}

impl<B: Backend> Device for ManagedDevice<B> {
    type Backend = B;
    type Stream = ManagedStream<B>;
    type Buffer<T: Element> = ManagedBuffer<T, B>;

    fn open(index: usize) -> Result<Self> {
        refuse_inside().and_then(|()| B::open(index)).map_err(|e| e.in_operation("open")).and_then(ManagedDevice::new)
    }

    fn backend(&self) -> &B {
        &self.shared.backend
    }

    fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    fn memory(&self) -> MemoryInfo {
        self.shared.memory()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        self.shared.backend.supports(kind, dtype)
    }

    fn default_stream(&self) -> ManagedStream<B> {
        self.default.clone()
    }

    fn new_stream(&self) -> Result<ManagedStream<B>> {
        self.shared.named("new_stream", None, || ManagedStream::new(&self.shared))
    }

    fn compile<'a>(&self, source: impl Into<KernelSource<'a>>) -> Result<Module<Self>> {
        let compile = || {
            self.shared.enter()?;
            self.shared.backend.compile(source.into())
        };
        Ok(Module::new(self.shared.named("compile", None, compile)?, &self.shared))
    }

    fn trim(&self) -> Result<usize> {
        self.shared.named("trim", None, || self.shared.trim())
    }
}

/// The one bound that portable numerics code needs: `fn solve<D: Numerics>(device: &D)`.
pub trait Numerics: Device<Stream: crate::Blas + crate::Ops> {}

impl<D: Device<Stream: crate::Blas + crate::Ops>> Numerics for D {}
