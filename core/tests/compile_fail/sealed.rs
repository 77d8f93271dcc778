//! Devices are implemented by way of `Backend` alone.
use warpwave_core::{
    DType, Device, DeviceInfo, KernelSource, ManagedBuffer, ManagedStream, MemoryInfo, Module, OperationKind, Result,
};

#[derive(Clone, Debug)]
struct Mine<B>(B);

impl<B: warpwave_core::Backend + Clone> Device for Mine<B> {
    type Backend = B;
    type Stream = ManagedStream<B>;
    type Buffer<T: warpwave_core::Element> = ManagedBuffer<T, B>;

    fn open(_: usize) -> Result<Self> {
        unreachable!()
    }
    fn backend(&self) -> &B {
        &self.0
    }
    fn info(&self) -> &DeviceInfo {
        unreachable!()
    }
    fn memory(&self) -> MemoryInfo {
        unreachable!()
    }
    fn supports(&self, _: OperationKind, _: DType) -> bool {
        unreachable!()
    }
    fn default_stream(&self) -> Self::Stream {
        unreachable!()
    }
    fn new_stream(&self) -> Result<Self::Stream> {
        unreachable!()
    }
    fn compile<'a>(&self, _: impl Into<KernelSource<'a>>) -> Result<Module<Self>> {
        unreachable!()
    }
    fn trim(&self) -> Result<usize> {
        unreachable!()
    }
}

fn main() {}
