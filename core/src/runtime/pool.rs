//! Which block an allocation gets: policy only, no driver.

use super::block::Block;
use super::parked::ParkedBlocks;
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

/// The blocks that were handed out on one stream, and those of them that it can reuse at once: no other has used them.
#[derive(Debug)]
pub(crate) struct Shelf(Mutex<Stock>);

#[derive(Debug)]
struct Stock {
    /// `None` once the stream is closed.
    free: Option<FreeList>,
    /// Bytes in blocks that have a handle.
    in_use: usize,
}

impl Shelf {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Shelf(Mutex::new(Stock { free: Some(FreeList::default()), in_use: 0 })))
    }

    /// Hands out a free block.
    pub(crate) fn hand_out(&self, space: Space, class: usize) -> Option<Arc<Block>> {
        let mut stock = self.0.lock();
        let block = stock.free.as_mut()?.pop(space, class)?;
        stock.in_use += block.bytes;
        Some(block)
    }

    /// Counts a block that is handed out but was not free here.
    pub(crate) fn count(&self, block: &Block) {
        self.0.lock().in_use += block.bytes;
    }

    /// Takes back a block that nobody has any more. Gives it on to who can find out when it is free, if it has to be found out.
    /// `remember` is as for [`Block::recycle`].
    pub(crate) fn take_back(&self, mut block: Arc<Block>, remember: bool) -> Option<Arc<Block>> {
        if block.bytes == 0 {
            return None;
        }
        let is_ready = Arc::get_mut(&mut block).is_some_and(|block| {
            let is_alone = block.is_homes_alone();
            if is_alone {
                block.recycle(remember);
            }
            is_alone
        });
        let mut stock = self.0.lock();
        stock.in_use -= block.bytes;
        match &mut stock.free {
            Some(free) if is_ready => {
                free.push(block);
                None
            }
            _ => Some(block),
        }
    }

    /// Takes in a block without handles that no stream but this may still be using, or gives it back if the stream is closed.
    /// `remember` is as for [`Block::recycle`].
    pub(crate) fn put(&self, mut block: Arc<Block>, remember: bool) -> Result<(), Arc<Block>> {
        match Arc::get_mut(&mut block) {
            Some(block) => block.recycle(remember),
            // It has another handle after all, and goes where that leaves it.
            None => return Ok(()),
        }
        match &mut self.0.lock().free {
            Some(free) => {
                free.push(block);
                Ok(())
            }
            None => Err(block),
        }
    }

    /// All free blocks.
    pub(crate) fn take(&self) -> Vec<Arc<Block>> {
        self.0.lock().free.as_mut().map(FreeList::take).unwrap_or_default()
    }

    /// All free blocks; keeps none from here on.
    pub(crate) fn close(&self) -> Vec<Arc<Block>> {
        self.0.lock().free.take().map(|mut list| list.take()).unwrap_or_default()
    }

    pub(crate) fn in_use(&self) -> usize {
        self.0.lock().in_use
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
