//! What the tests of the device's runtime share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{Backend, Space, Transfer};
use warpwave_cpu::{CpuBackend, CpuStream};

/// The device in both modes.
pub(crate) fn both() -> [CpuBackend; 2] {
    [CpuBackend::inline(), CpuBackend::asynchronous()]
}

/// Runs `body`, and fails if it takes longer than any machine needs: it hangs.
pub(crate) fn watched(body: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        body();
        let _ = sender.send(());
    });
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Timeout) => panic!("still running after a minute"),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Makes a stream stop until the sender is used or dropped.
pub(crate) fn gate(backend: &CpuBackend, stream: &CpuStream) -> Sender<()> {
    let (open, closed): (Sender<()>, Receiver<()>) = channel();
    let wait = move || {
        let _ = closed.recv();
    };
    backend.host_fn(stream, Box::new(wait)).unwrap();
    open
}

/// Memory for `bytes` bytes, freed when dropped; the test has to have waited for the work on it.
pub(crate) struct Block<'a> {
    backend: &'a CpuBackend,
    pub(crate) ptr: Ptr,
    size: usize,
}

impl<'a> Block<'a> {
    pub(crate) fn new(backend: &'a CpuBackend, bytes: usize) -> Self {
        let size = bytes.max(1).next_multiple_of(256);
        Block { backend, ptr: backend.allocate(Space::Device, size).unwrap(), size }
    }

    /// Memory that holds `bytes`.
    pub(crate) fn of(backend: &'a CpuBackend, stream: &CpuStream, bytes: &[u8]) -> Self {
        let block = Block::new(backend, bytes.len());
        block.upload(stream, 0, bytes);
        block
    }

    pub(crate) fn upload(&self, stream: &CpuStream, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.size);
        // SAFETY: inside the block, which lives until the test has waited; nothing else uses these bytes.
        unsafe { self.backend.upload(stream, bytes.as_ptr(), self.ptr.byte_add(offset), bytes.len()).unwrap() };
    }

    pub(crate) fn download(&self, stream: &CpuStream, offset: usize, bytes: usize) -> Vec<u8> {
        assert!(offset + bytes <= self.size);
        let mut out = vec![0xa5; bytes];
        // SAFETY: inside the block; `out` is `bytes` long.
        unsafe { self.backend.download(stream, self.ptr.byte_add(offset), out.as_mut_ptr(), bytes).unwrap() };
        out
    }

    /// Copies `bytes` bytes from this block to another one.
    pub(crate) fn copy_to(&self, stream: &CpuStream, offset: usize, to: &Block<'_>, to_offset: usize, bytes: usize) {
        assert!(offset + bytes <= self.size && to_offset + bytes <= to.size && self.ptr != to.ptr);
        let (src, dst) = (self.ptr.byte_add(offset), to.ptr.byte_add(to_offset));
        let transfer = Transfer {
            src,
            src_space: Space::Device,
            dst,
            dst_space: Space::Device,
            row_bytes: bytes,
            rows: 1,
            src_pitch: bytes,
            dst_pitch: bytes,
        };
        // SAFETY: inside two different blocks.
        unsafe { self.backend.copy(stream, &transfer).unwrap() };
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this size, freed once; the test has waited for the work.
        unsafe { self.backend.free(Space::Device, self.ptr, self.size).unwrap() };
    }
}

/// Bytes that repeat only after a long time.
pub(crate) fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}
