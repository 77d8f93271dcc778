//! Memory that the backend has not allocated: somebody else's, or the host's own. It never goes to the pool. When the last handle is gone and all
//! work on it has ended, whoever keeps it is told so by a drop.

use super::block::Block;
use super::deferred::{Dropped, EventCell};
use super::stream::StreamCore;
use super::{Inner, Step};
use crate::backend::{Backend, Space};
use crate::error::{Error, Result};
use crate::operation::Ptr;
use crate::sync::{Arc, Ordering};
use std::any::Any;
use std::fmt;
use std::mem::ManuallyDrop;

/// What keeps the memory. Given back in a call on the device, or when it is closed; wherever it is dropped without that, it is leaked: work may
/// still be pending then.
pub(crate) struct Owner {
    keeper: ManuallyDrop<Box<dyn Any + Send + Sync>>,
    /// Whether the backend has registered it, and has to be told first.
    registered: bool,
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.registered { "Owner(registered)" } else { "Owner" })
    }
}

/// A block that nobody has, and events after all work on it.
pub(super) type Awaiting<B> = (Arc<Block>, Vec<Arc<EventCell<B>>>);

impl<B: Backend> Inner<B> {
    /// A block of somebody else's device memory.
    pub(crate) fn borrow(
        &self,
        stream: &StreamCore<B>,
        ptr: Ptr,
        bytes: usize,
        keeper: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<Block>> {
        self.enter()?;
        Ok(self.borrowed(
            stream,
            Space::Device,
            ptr,
            bytes,
            Owner { keeper: ManuallyDrop::new(keeper), registered: false },
        ))
    }

    /// A block of the host's own memory, which becomes pinned.
    ///
    /// # Safety
    /// `ptr` is the start of `bytes` bytes of ordinary memory, which the keeper keeps and nobody else touches.
    ///
    /// # Errors
    /// Those of the backend, with what was to keep it.
    pub(crate) unsafe fn register<K: Any + Send + Sync>(
        &self,
        stream: &StreamCore<B>,
        ptr: Ptr,
        bytes: usize,
        keeper: K,
    ) -> Result<Arc<Block>, (Error, K)> {
        let registered = self.enter().and_then(|()| match bytes {
            0 => Ok(()),
            // SAFETY: the caller's; it is unregistered before the keeper is dropped.
            _ => unsafe { self.backend.register(ptr, bytes) },
        });
        match registered {
            Ok(()) => {
                let owner = Owner { keeper: ManuallyDrop::new(Box::new(keeper)), registered: bytes > 0 };
                Ok(self.borrowed(stream, Space::Pinned, ptr, bytes, owner))
            }
            Err(error) => Err((error, keeper)),
        }
    }

    fn borrowed(&self, stream: &StreamCore<B>, space: Space, ptr: Ptr, bytes: usize, owner: Owner) -> Arc<Block> {
        if bytes == 0 {
            drop(ManuallyDrop::into_inner(owner.keeper));
            return Arc::new(Block::empty(space, &self.opening, stream.id, &stream.shelf));
        }
        Arc::new(Block::new(ptr, bytes, space, &self.opening, stream.id, &stream.shelf).owned_by(owner))
    }

    /// A block that nobody has any more, and that has an owner.
    pub(super) fn release_borrowed(&self, block: Arc<Block>) {
        let mut awaits = Vec::new();
        let newest = block.tracker.lock().newest();
        for (stream, ticket) in newest {
            if !self.keeps(Step::OwnerAfterWork) {
                continue;
            }
            match self.point_after(stream, ticket) {
                Ok(Some(point)) => awaits.push(point.event),
                Ok(None) => {}
                Err(_) => return self.deferred.push(Dropped::Block(block)),
            }
        }
        self.borrowed.lock().push((block, awaits));
        self.has_borrowed.store(true, Ordering::Relaxed);
        self.release_passed();
    }

    /// Tells the owners of what no work touches any more, unless a host function is outstanding: giving memory back may wait for the device.
    pub(super) fn release_passed(&self) {
        if self.keeps(Step::NoFreeBesideHostFn) {
            self.gate.free(|| self.give_passed());
        } else {
            self.give_passed();
        }
    }

    fn give_passed(&self) {
        let waiting = std::mem::take(&mut *self.borrowed.lock());
        let (mut still, mut passed) = (Vec::new(), Vec::new());
        for (block, mut awaits) in waiting {
            awaits.retain(|event| !self.has_occurred(event));
            if awaits.is_empty() { passed.push(block) } else { still.push((block, awaits)) }
        }
        {
            let mut borrowed = self.borrowed.lock();
            borrowed.extend(still);
            self.has_borrowed.store(!borrowed.is_empty(), Ordering::Relaxed);
        }
        passed.into_iter().for_each(|block| self.give_owner(block));
    }

    /// All work on the device has ended, or the device is lost.
    pub(super) fn release_all_borrowed(&self) {
        let all = std::mem::take(&mut *self.borrowed.lock());
        all.into_iter().for_each(|(block, _)| self.give_owner(block));
    }

    fn give_owner(&self, mut block: Arc<Block>) {
        let Some(owner) = Arc::get_mut(&mut block).and_then(Block::take_owner) else { return };
        // SAFETY: registered as this, unregistered once, and no work on it is pending.
        if owner.registered && unsafe { self.backend.unregister(block.ptr, block.bytes) }.is_err() {
            // The driver may still have it: it is leaked.
            return;
        }
        drop(ManuallyDrop::into_inner(owner.keeper));
    }
}
