//! Which block an allocation gets: policy only, no driver.

use super::block::Block;
use super::parked::ParkedBlocks;
use super::tracker::{Entry, StreamId};
use crate::backend::{Backend, Space};
use crate::sync::{Arc, Mutex};

/// The smallest class, and the alignment of every block.
pub(crate) const MIN_CLASS: usize = 256;
/// Classes of large blocks are this far apart at most, so that a large allocation wastes little.
const MAX_STEP: usize = 32 << 20;

/// The size of the class that holds `bytes`: eight classes to each doubling, so that at most an eighth is wasted above 2 KiB.
/// `None` if there is no such size.
pub(crate) fn class(bytes: usize) -> Option<usize> {
    let step = (bytes.checked_next_power_of_two()? / 8).clamp(MIN_CLASS, MAX_STEP);
    bytes.max(1).checked_next_multiple_of(step).filter(|&size| size <= isize::MAX as usize)
}

/// A kind of memory and a size in bytes.
type Class = (Space, usize);

/// Free blocks, newest last, by class.
#[derive(Debug, Default)]
pub(crate) struct FreeList {
    classes: Vec<(Class, Vec<Arc<Block>>)>,
}

impl FreeList {
    pub(crate) fn push(&mut self, block: Arc<Block>) {
        let key = (block.space, block.bytes);
        match self.classes.iter_mut().find(|(class, _)| *class == key) {
            Some((_, blocks)) => blocks.push(block),
            None => self.classes.push((key, vec![block])),
        }
    }

    pub(crate) fn pop(&mut self, space: Space, class: usize) -> Option<Arc<Block>> {
        self.classes.iter_mut().find(|(key, _)| *key == (space, class))?.1.pop()
    }

    pub(crate) fn take(&mut self) -> Vec<Arc<Block>> {
        std::mem::take(&mut self.classes).into_iter().flat_map(|(_, blocks)| blocks).collect()
    }
}

/// The free blocks of one stream: those whose work is on it alone, so that it can reuse them at once.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) stream: StreamId,
    /// `None` once the stream is closed.
    list: Mutex<Option<FreeList>>,
}

impl Shelf {
    pub(crate) fn new(stream: StreamId) -> Arc<Self> {
        Arc::new(Shelf { stream, list: Mutex::new(Some(FreeList::default())) })
    }

    /// Takes a block in, or gives it back if the stream is closed. Its old work is ordered for this stream, and for others it is
    /// one access to all of it, which the block keeps if `remember` says so.
    pub(crate) fn put(&self, block: Arc<Block>, remember: bool) -> Result<(), Arc<Block>> {
        let mut list = self.list.lock();
        let Some(free) = &mut *list else { return Err(block) };
        let mut tracker = block.tracker.lock();
        let ticket = tracker.newest_of(self.stream);
        let old = Entry { stream: self.stream, ticket, start: 0, end: block.bytes, write: true };
        tracker.reset((ticket > 0 && remember).then_some(old));
        drop(tracker);
        free.push(block);
        Ok(())
    }

    pub(crate) fn pop(&self, space: Space, class: usize) -> Option<Arc<Block>> {
        self.list.lock().as_mut()?.pop(space, class)
    }

    /// All blocks.
    pub(crate) fn take(&self) -> Vec<Arc<Block>> {
        self.list.lock().as_mut().map(FreeList::take).unwrap_or_default()
    }

    /// All blocks; takes no more in.
    pub(crate) fn close(&self) -> Vec<Arc<Block>> {
        self.list.lock().take().map(|mut list| list.take()).unwrap_or_default()
    }
}

/// The blocks of a device that no stream has for itself.
#[derive(Debug)]
pub(crate) struct Pool<B: Backend> {
    /// No work on them is pending.
    pub(crate) idle: Mutex<FreeList>,
    /// Streams other than their home may still be using them.
    pub(crate) parked: ParkedBlocks<B>,
}

impl<B: Backend> Default for Pool<B> {
    fn default() -> Self {
        Pool { idle: Mutex::default(), parked: ParkedBlocks::default() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    /// Every class holds what was asked for, is a multiple of the alignment, wastes little, and is its own class.
    #[test]
    fn classes_hold_waste_little_and_are_stable() {
        let mut bytes = 1usize;
        while bytes < 1 << 45 {
            for n in [bytes - 1, bytes, bytes + 1, bytes + bytes / 3] {
                let size = class(n).unwrap();
                assert!(size >= n.max(1) && size.is_multiple_of(MIN_CLASS), "{n}: {size}");
                assert!(size - n <= MIN_CLASS.max(n / 4).min(MAX_STEP), "{n}: {size}");
                assert_eq!(class(size), Some(size), "{n}");
            }
            bytes *= 2;
        }
        assert_eq!(class(usize::MAX), None);
        assert_eq!(class(isize::MAX as usize + 1), None);
    }
}
