//! A block of memory with its tracker.

use super::Opening;
use super::tracker::{Entry, StreamId, Tracker};
use crate::backend::Space;
use crate::operation::Ptr;
use crate::sync::{Arc, AtomicU32, Mutex, Ordering};

/// Memory of one allocation, and what streams have done to it. Handles share it through an `Arc`; when the last is gone, the
/// block goes back to its device's pool.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) ptr: Ptr,
    /// The size of its class: what was allocated, not what was asked for.
    pub(crate) bytes: usize,
    pub(crate) space: Space,
    pub(crate) device: Arc<Opening>,
    /// The stream that it was handed out on, which can reuse it at once.
    pub(crate) home: StreamId,
    pub(crate) tracker: Mutex<Tracker>,
    /// Host guards on it: [`WRITING`] for a write guard, else their number. A forgotten guard stays.
    guards: AtomicU32,
}

const WRITING: u32 = u32::MAX;

impl Block {
    pub(crate) fn new(ptr: Ptr, bytes: usize, space: Space, device: &Arc<Opening>, home: StreamId) -> Self {
        let device = device.clone();
        Block { ptr, bytes, space, device, home, tracker: Mutex::default(), guards: AtomicU32::new(0) }
    }

    /// A block of nothing. Its address is not null, and aligned, so that an empty slice may be made of it.
    pub(crate) fn empty(space: Space, device: &Arc<Opening>, home: StreamId) -> Self {
        Block::new(Ptr::new(std::ptr::without_provenance_mut(256)), 0, space, device, home)
    }

    /// Whether no stream but its home has used it.
    pub(crate) fn is_homes_alone(&mut self) -> bool {
        self.tracker.get_mut().only(self.home)
    }

    /// Makes a block without handles, which only its home may still be using, fit to be handed out there. Its old work is ordered
    /// for the home, and for others it is one access to all of the block, which it keeps if `remember` says so.
    pub(crate) fn recycle(&mut self, remember: bool) {
        let tracker = self.tracker.get_mut();
        let ticket = tracker.newest_of(self.home);
        let old = Entry { stream: self.home, ticket, start: 0, end: self.bytes, write: true };
        tracker.reset((ticket > 0 && remember).then_some(old));
        self.guards = AtomicU32::new(0);
    }

    /// Makes a block that nobody is using one of another home.
    pub(crate) fn move_to(&mut self, home: StreamId) {
        self.home = home;
        self.recycle(false);
    }

    /// Marks it as reached by the host.
    pub(crate) fn guard(&self, write: bool) {
        if write {
            self.guards.store(WRITING, Ordering::Release);
        } else {
            // Saturates below `WRITING`: so many guards can only have been forgotten.
            let add = |n: u32| (n < WRITING - 1).then_some(n + 1);
            let _ = self.guards.fetch_update(Ordering::AcqRel, Ordering::Relaxed, add);
        }
    }

    /// Takes a mark back.
    pub(crate) fn unguard(&self, write: bool) {
        if write {
            self.guards.store(0, Ordering::Release);
        } else {
            let sub = |n: u32| (n > 0 && n < WRITING - 1).then(|| n - 1);
            let _ = self.guards.fetch_update(Ordering::AcqRel, Ordering::Relaxed, sub);
        }
    }

    /// Whether an access by a device would race a host guard.
    pub(crate) fn is_guarded_against(&self, write: bool) -> bool {
        match self.guards.load(Ordering::Acquire) {
            0 => false,
            WRITING => true,
            _ => write,
        }
    }
}
