//! What a graph touches.

use super::block::Block;
use super::pool::Shelf;
use super::submit::Access;
use super::{Shared, Step};
use crate::backend::{Backend, Space};
use crate::sync::Arc;

/// Bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    start: usize,
    end: usize,
    write: bool,
    argument: &'static str,
}

/// A block that a graph keeps.
#[derive(Debug)]
struct Kept {
    block: Arc<Block>,
    /// Where the block is counted.
    shelf: Arc<Shelf>,
    /// Whether the recorder allocated it.
    temporary: bool,
    touches: Vec<Touch>,
}

/// The blocks that a graph touches, kept alive, and the bytes of each.
pub(crate) struct Footprint<B: Backend> {
    shared: Arc<Shared<B>>,
    blocks: Vec<Kept>,
}

impl<B: Backend> Footprint<B> {
    pub(crate) fn new(shared: &Arc<Shared<B>>) -> Self {
        Footprint { shared: shared.clone(), blocks: Vec::new() }
    }

    fn kept(&mut self, block: &Arc<Block>) -> Option<&mut Kept> {
        self.blocks.iter_mut().find(|kept| Arc::ptr_eq(&kept.block, block))
    }

    /// Keeps a block that the recorder allocated.
    pub(crate) fn keep_temporary(&mut self, block: &Arc<Block>) {
        // The block was handed out just now, so its shelf is there. One without bytes needs no keeping.
        if let Some(shelf) = block.shelf().filter(|_| block.bytes > 0) {
            self.blocks.push(Kept { block: block.clone(), shelf, temporary: true, touches: Vec::new() });
        }
    }

    /// A temporary of this size whose handle is gone: what is recorded from here on comes after all that used it.
    pub(crate) fn reuse_temporary(&self, space: Space, class: usize) -> Option<Arc<Block>> {
        let fits = |kept: &&Kept| {
            let Kept { block, temporary, .. } = *kept;
            *temporary && block.space == space && block.bytes == class && Arc::strong_count(block) == 1
        };
        let Kept { block, .. } = self.blocks.iter().find(fits)?;
        // Those that are left were forgotten.
        block.forget_guards();
        Some(block.clone())
    }

    /// Adds what a piece of work touches. Whoever calls it has borrowed that.
    pub(crate) fn add(&mut self, accesses: &[Access<'_>]) {
        for &Access { block, start, end, write, argument } in accesses {
            if start >= end {
                continue;
            }
            if self.shared.keeps(Step::MarkShared) {
                block.share();
            }
            let touch = Touch { start, end, write, argument };
            match self.kept(block) {
                Some(kept) => kept.touches.push(touch),
                None => {
                    // The access borrows a handle, so the shelf is there.
                    let Some(shelf) = block.shelf() else { continue };
                    self.blocks.push(Kept { block: block.clone(), shelf, temporary: false, touches: vec![touch] });
                }
            }
        }
    }

    /// Nothing is added any more: gives back what no work touches, and merges what lies together.
    pub(crate) fn close(&mut self) {
        let (used, unused) = std::mem::take(&mut self.blocks).into_iter().partition(|kept| !kept.touches.is_empty());
        self.blocks = used;
        self.give_back(unused);
        self.blocks.iter_mut().for_each(|kept| kept.touches = merged(&kept.touches));
    }

    /// Whether a launch writes anything.
    pub(crate) fn writes(&self) -> bool {
        self.blocks.iter().any(|kept| kept.touches.iter().any(|touch| touch.write))
    }

    /// The accesses of a launch.
    pub(crate) fn accesses(&self) -> Vec<Access<'_>> {
        let all = self.blocks.iter().flat_map(|kept| kept.touches.iter().map(|touch| (&kept.block, *touch)));
        all.map(|(block, Touch { start, end, write, argument })| Access { block, start, end, write, argument })
            .collect()
    }

    fn give_back(&self, blocks: Vec<Kept>) {
        for Kept { block, shelf, .. } in blocks {
            self.shared.give_back(block, &shelf);
        }
    }
}

impl<B: Backend> Drop for Footprint<B> {
    fn drop(&mut self) {
        let blocks = std::mem::take(&mut self.blocks);
        self.give_back(blocks);
    }
}

/// The same bytes in fewer touches: the writes, apart from each other, and the reads that no write contains.
fn merged(touches: &[Touch]) -> Vec<Touch> {
    let of = |write: bool| {
        let mut sorted: Vec<Touch> = touches.iter().filter(|touch| touch.write == write).copied().collect();
        sorted.sort_by_key(|touch| touch.start);
        let mut merged: Vec<Touch> = Vec::new();
        for touch in sorted {
            match merged.last_mut() {
                Some(last) if touch.start <= last.end => last.end = last.end.max(touch.end),
                _ => merged.push(touch),
            }
        }
        merged
    };
    let mut all = of(true);
    let reads = of(false);
    let contained = |read: &Touch| all.iter().any(|write| write.start <= read.start && read.end <= write.end);
    let reads: Vec<Touch> = reads.into_iter().filter(|read| !contained(read)).collect();
    all.extend(reads);
    all
}

#[cfg(test)]
mod tests {
    use super::{Touch, merged};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Every byte is written, read, or left alone after merging as before; what is written need not be listed as read.
        #[test]
        fn merging_changes_no_byte(list in prop::collection::vec((0..40_usize, 1..10_usize, any::<bool>()), 0..20)) {
            let touch = |&(start, len, write): &(usize, usize, bool)| Touch { start, end: start + len, write, argument: "x" };
            let before: Vec<Touch> = list.iter().map(touch).collect();
            let after = merged(&before);
            let has = |touches: &[Touch], at: usize, write: bool| {
                touches.iter().any(|touch| touch.write == write && (touch.start..touch.end).contains(&at))
            };
            for at in 0..60 {
                let written = has(&before, at, true);
                prop_assert_eq!(has(&after, at, true), written, "{}", at);
                prop_assert_eq!(has(&after, at, false) || written, has(&before, at, false) || written, "{}", at);
            }
            prop_assert!(after.len() <= before.len());
            let apart = |a: &Touch, b: &Touch| a.write != b.write || a.end < b.start || b.end < a.start;
            for (i, a) in after.iter().enumerate() {
                prop_assert!(after[i + 1..].iter().all(|b| apart(a, b)), "{:?}", after);
            }
        }
    }
}
