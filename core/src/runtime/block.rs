//! A block of memory with its tracker.

use super::Opening;
use super::borrowed::Owner;
use super::pool::Shelf;
use super::submit::Access;
use super::tracker::{Entry, StreamId, Tracker};
use crate::backend::Space;
use crate::operation::Ptr;
use crate::sync::{Arc, AtomicBool, AtomicU32, Condvar, Mutex, Ordering};
use std::sync::Weak;

/// Memory of one allocation, and what streams have done to it. A handle and the graphs that touch it share it through an `Arc`; when the
/// last is gone, the block goes back to its device's pool.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) ptr: Ptr,
    /// The size of its class: what was allocated, not what was asked for.
    pub(crate) bytes: usize,
    pub(crate) space: Space,
    pub(crate) device: Arc<Opening>,
    /// The stream that it was handed out on, which can reuse it at once.
    pub(crate) home: StreamId,
    /// The shelf of that stream, which counts it. It is there as long as anybody has the block.
    shelf: Weak<Shelf>,
    pub(crate) tracker: Mutex<Tracker>,
    /// Told when a claim is withdrawn.
    withdrawn: Condvar,
    /// Whether a graph touches it. Set while the call that is recorded borrows its bytes, so whoever may touch them at the same time as
    /// a launch sees it, and nobody else needs to: a relaxed load is enough.
    shared: AtomicBool,
    /// Who keeps it, if the backend has not allocated it.
    owner: Option<Owner>,
    /// Host guards on it: [`WRITING`] for a write guard, else their number. A forgotten guard stays.
    guards: AtomicU32,
}

const WRITING: u32 = u32::MAX;

impl Block {
    pub(crate) fn new(
        ptr: Ptr,
        bytes: usize,
        space: Space,
        device: &Arc<Opening>,
        home: StreamId,
        shelf: &Arc<Shelf>,
    ) -> Self {
        Block {
            ptr,
            bytes,
            space,
            device: device.clone(),
            home,
            shelf: Arc::downgrade(shelf),
            tracker: Mutex::default(),
            withdrawn: Condvar::default(),
            shared: AtomicBool::new(false),
            owner: None,
            guards: AtomicU32::new(0),
        }
    }

    /// The same, kept by somebody.
    pub(crate) fn owned_by(mut self, owner: Owner) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Whether the backend has not allocated it.
    pub(crate) fn is_borrowed(&self) -> bool {
        self.owner.is_some()
    }

    /// Who keeps it, once.
    pub(crate) fn take_owner(&mut self) -> Option<Owner> {
        self.owner.take()
    }

    /// A block of nothing. Its address is not null, and aligned, so that an empty slice may be made of it.
    pub(crate) fn empty(space: Space, device: &Arc<Opening>, home: StreamId, shelf: &Arc<Shelf>) -> Self {
        Block::new(Ptr::new(std::ptr::without_provenance_mut(256)), 0, space, device, home, shelf)
    }

    /// The shelf that counts the block. `None` only if nobody has the block.
    pub(crate) fn shelf(&self) -> Option<Arc<Shelf>> {
        self.shelf.upgrade()
    }

    /// Whether no stream but its home has used it.
    pub(crate) fn is_homes_alone(&mut self) -> bool {
        self.tracker.get_mut().only(self.home)
    }

    /// Makes a block that nobody has, and which only its home may still be using, fit to be handed out there. Its old work is ordered
    /// for the home, and for others it is one access to all of the block, which it keeps if `remember` says so.
    pub(crate) fn recycle(&mut self, remember: bool) {
        let tracker = self.tracker.get_mut();
        if !tracker.is_empty() {
            let ticket = tracker.newest_of(self.home);
            let old = Entry { stream: self.home, ticket, start: 0, end: self.bytes, write: true };
            tracker.reset((ticket > 0 && remember).then_some(old));
        }
        self.shared.store(false, Ordering::Relaxed);
        self.guards.store(0, Ordering::Relaxed);
    }

    /// Makes a block that nobody is using one of another home.
    pub(crate) fn move_to(&mut self, home: StreamId, shelf: &Arc<Shelf>) {
        self.home = home;
        self.shelf = Arc::downgrade(shelf);
        self.recycle(false);
    }

    /// Notes that a graph touches it.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Whether a graph may touch it.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Claims the bytes of `accesses`, which are of this block; waits while another owner has a part of them.
    pub(crate) fn claim(&self, owner: u64, accesses: &[Access<'_>]) {
        let mut tracker = self.tracker.lock();
        while accesses.iter().any(|access| tracker.is_claimed(access.start, access.end, access.write)) {
            tracker = self.withdrawn.wait(tracker);
        }
        accesses.iter().for_each(|access| tracker.claim(owner, access.start, access.end, access.write));
    }

    /// Takes the claims of an owner back.
    pub(crate) fn withdraw(&self, owner: u64) {
        self.tracker.lock().withdraw(owner);
        self.withdrawn.notify_all();
    }

    /// Marks it as reached by the host; returns the marks before.
    pub(crate) fn guard(&self, write: bool) -> u32 {
        if write {
            return self.guards.swap(WRITING, Ordering::AcqRel);
        }
        // Saturates below `WRITING`: so many guards can only have been forgotten.
        let add = |n: u32| (n < WRITING - 1).then_some(n + 1);
        self.guards.fetch_update(Ordering::AcqRel, Ordering::Relaxed, add).unwrap_or_else(|same| same)
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

    /// Takes back a mark that [`guard`](Self::guard) made and that became no guard; `before` is what it returned.
    pub(crate) fn undo_guard(&self, write: bool, before: u32) {
        if write {
            self.guards.store(before, Ordering::Release);
        } else {
            self.unguard(false);
        }
    }

    /// Forgets the marks: the handle is gone, so that no guard is left but forgotten ones.
    pub(crate) fn forget_guards(&self) {
        self.guards.store(0, Ordering::Release);
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
