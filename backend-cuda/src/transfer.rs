//! Copies from and to pageable memory of the host.
//!
//! In such a copy the driver may wait for a stream, with locks held that others need to enqueue what the stream is waiting for: a host function
//! may wait for them. So no copy is left to wait there. A small one goes through pinned memory; for any other this waits for the stream first,
//! without the driver's locks, and then copies on a stream where nothing is enqueued.

use crate::buffer::{self, Source, device};
use crate::context::{Context, Entered, lock};
use crate::stream::Queue;
use std::sync::{Mutex, OnceLock};
use warpwave_core::operation::Ptr;
use warpwave_core::{Result, Space};

/// The size of a piece of pinned memory, in bytes. The driver copies so much in one piece as well.
const PIECE: usize = 64 << 10;

/// How many pieces there are: as many small copies as that are under way at once.
const PIECES: usize = 8;

/// Pinned memory that copies go through. It is the context's, and never freed: that may wait for the device.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    asked: OnceLock<()>,
    free: Mutex<Vec<Ptr>>,
}

impl Staging {
    /// Allocates the pieces, once: allocating may wait for the device, so it is done when that is opened. Without memory for them all copies go
    /// the other way.
    pub(crate) fn prepare(&self, context: &'static Context, entered: &Entered, clearing: &Queue) {
        self.asked.get_or_init(|| {
            let pinned =
                buffer::allocate(context, entered, Source::Plain, Space::Pinned, PIECE * PIECES, clearing.raw.0);
            if let Ok(base) = pinned {
                lock(&self.free).extend((0..PIECES).map(|i| base.byte_add(i * PIECE)));
            }
        });
    }

    /// A piece, if one is free that `bytes` fit in.
    fn piece(&self, bytes: usize) -> Option<Piece<'_>> {
        if bytes > PIECE {
            return None;
        }
        lock(&self.free).pop().map(|ptr| Piece { ptr, of: self })
    }
}

/// A piece of pinned memory that is one copy's; forgotten, it is nobody's any more.
struct Piece<'a> {
    ptr: Ptr,
    of: &'a Staging,
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        lock(&self.of.free).push(self.ptr);
    }
}

/// The host's end of a copy.
#[derive(Clone, Copy)]
pub(crate) enum Host {
    From(*const u8),
    To(*mut u8),
}

/// Copies `bytes` bytes between pageable memory and the device, after the work of `queue`; the copy has ended when this returns. `aside` lends a
/// stream on which all work has ended.
///
/// # Safety
/// Both ends are as large. But for work that is enqueued on `queue` already, nobody writes what is read meanwhile, or uses what is written.
///
/// # Errors
/// Those of the driver, and of `aside`.
pub(crate) unsafe fn transfer(
    (context, entered): (&Context, &Entered),
    staging: &Staging,
    queue: &Queue,
    (host, at, bytes): (Host, Ptr, usize),
    aside: impl FnOnce(&dyn Fn(&Queue) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let driver = context.driver;
    let copy = |host, queue: &Queue| match host {
        Host::From(src) => {
            // SAFETY: the caller's; pinned memory is no smaller.
            let status = unsafe { (driver.cuMemcpyHtoDAsync_v2)(device(at), src.cast(), bytes, queue.raw.0) };
            context.check("cuMemcpyHtoDAsync", status)
        }
        Host::To(dst) => {
            // SAFETY: as above.
            let status = unsafe { (driver.cuMemcpyDtoHAsync_v2)(dst.cast(), device(at), bytes, queue.raw.0) };
            context.check("cuMemcpyDtoHAsync", status)
        }
    };
    // Whatever the driver has said of a copy, its memory may be in use until the stream's work has ended.
    let ended = |copied: Result<()>, queue: &Queue| {
        let passed = queue.pass(context, entered);
        copied.and(passed)
    };
    let Some(piece) = staging.piece(bytes) else {
        queue.catch_up(context, entered)?;
        return aside(&|queue| ended(copy(host, queue), queue));
    };
    let pinned = piece.ptr.as_ptr();
    let event = queue.mark_with(context, entered)?;
    let copied = match host {
        Host::From(src) => {
            // SAFETY: both are as large, and the piece is this copy's.
            unsafe { std::ptr::copy_nonoverlapping(src, pinned, bytes) };
            copy(Host::From(pinned), queue)
        }
        Host::To(_) => copy(Host::To(pinned), queue),
    };
    let marked = queue.mark(context, entered, event);
    if let Err(error) = ended(copied.and(marked), queue) {
        // Nothing says that the device is done with the piece.
        std::mem::forget(piece);
        return Err(error);
    }
    if let Host::To(dst) = host {
        // SAFETY: as above; the device has written the piece.
        unsafe { std::ptr::copy_nonoverlapping(pinned, dst, bytes) };
    }
    Ok(())
}
