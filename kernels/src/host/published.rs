//! Whether a block has published what another reads: a fence that is missing does not show on a processor that needs none.
//!
//! A block's *turn* is how many fences and releases its threads have come to. Each byte of device memory that it writes is noted with its
//! turn. A block that reads what another has written, in the turn that the other is still in, has found no fence in between.
//! Atomic operations are no such reads and writes.
//!
//! Of a launch whose blocks have written more than [`MAX_WORDS`] words without a fence since, the words beyond are not noted.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks of a launch that is looked at; of a larger one nothing is noted.
const MAX_BLOCKS: u64 = 1 << 16;
const SHARDS: usize = 64;
/// Words of 8 bytes that are noted at a time: some 150 MB. What is published by now makes room for others.
const MAX_WORDS: usize = 1 << 20;
const NOBODY: u32 = u32::MAX;

/// Who has written each of 8 bytes last: block and turn.
type Word = [(u32, u32); 8];
type Words = HashMap<usize, Word, BuildHasherDefault<Spread>>;

/// Words that lie 64 words apart, or a multiple of that.
#[derive(Debug, Default)]
struct Shard {
    words: Words,
    /// Words that are not noted before the next look for what can be forgotten.
    patience: usize,
}

/// What the blocks of a launch have written.
#[derive(Debug)]
pub(super) struct Published {
    turns: Vec<AtomicU32>,
    shards: Vec<Mutex<Shard>>,
}

/// Addresses are spread by a multiplication.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, word: usize) {
        self.0 = (self.0 ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

impl Published {
    /// For a launch of so many blocks; `None` if there are none to look at.
    pub(super) fn new(blocks: u64) -> Option<Self> {
        let turns = (0..blocks).map(|_| AtomicU32::new(0));
        let shards = || (0..SHARDS).map(|_| Mutex::default()).collect();
        (2..=MAX_BLOCKS).contains(&blocks).then(|| Published { turns: turns.collect(), shards: shards() })
    }

    /// A thread of this block comes to a fence.
    pub(super) fn fence(&self, block: u64) {
        self.turns[block as usize].fetch_add(1, Ordering::SeqCst);
    }

    fn shard(&self, word: usize) -> MutexGuard<'_, Shard> {
        self.shards[word % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The note of a word that is being written; `None` if there are too many.
    fn noted<'a>(&self, shard: &'a mut Shard, word: usize) -> Option<&'a mut Word> {
        let Shard { words, patience } = shard;
        if words.len() >= MAX_WORDS / SHARDS && !words.contains_key(&word) {
            if *patience > 0 {
                *patience -= 1;
                return None;
            }
            // What everybody may read is as if nobody had written it.
            let hidden = |&(by, turn): &(u32, u32)| by != NOBODY && self.turn(by) == turn;
            words.retain(|_, word| word.iter().any(hidden));
            // Where little can be forgotten, it is not tried at every word.
            if words.len() > MAX_WORDS / SHARDS / 2 {
                *patience = MAX_WORDS / SHARDS;
            }
            if words.len() >= MAX_WORDS / SHARDS {
                return None;
            }
        }
        Some(words.entry(word).or_insert([(NOBODY, 0); 8]))
    }

    fn turn(&self, block: u32) -> u32 {
        self.turns[block as usize].load(Ordering::SeqCst)
    }

    /// A thread of `block` is about to access bytes; if another block has not published one of them, which.
    pub(super) fn access(&self, block: u64, at: usize, bytes: usize, write: bool) -> Result<(), u64> {
        let block = block as u32;
        let turn = self.turn(block);
        let mut byte = at;
        while byte < at + bytes {
            let end = (byte / 8 * 8 + 8).min(at + bytes);
            let mut shard = self.shard(byte / 8);
            if write {
                if let Some(word) = self.noted(&mut shard, byte / 8) {
                    word[byte % 8..byte % 8 + (end - byte)].fill((block, turn));
                }
            } else if let Some(word) = shard.words.get(&(byte / 8)) {
                let is_hidden = |&&(by, turn): &&(u32, u32)| by != NOBODY && by != block && self.turn(by) == turn;
                if let Some(&(by, _)) = word[byte % 8..byte % 8 + (end - byte)].iter().find(is_hidden) {
                    return Err(by.into());
                }
            }
            byte = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn what_is_not_published_is_not_to_be_read() {
        assert!(Published::new(0).is_none() && Published::new(1).is_none() && Published::new(1 << 20).is_none());
        let Some(published) = Published::new(3) else { panic!() };
        assert_eq!(published.access(0, 102, 8, true), Ok(()));
        assert_eq!(published.access(0, 100, 16, false), Ok(()));
        assert_eq!(published.access(1, 94, 8, false), Ok(()));
        assert_eq!(published.access(1, 95, 8, false), Err(0));
        assert_eq!(published.access(1, 109, 1, false), Err(0));
        assert_eq!(published.access(1, 110, 10, false), Ok(()));
        published.fence(1);
        assert_eq!(published.access(2, 104, 4, false), Err(0));
        published.fence(0);
        assert_eq!(published.access(2, 95, 100, false), Ok(()));
        assert_eq!(published.access(0, 104, 1, true), Ok(()));
        assert_eq!(published.access(2, 100, 4, false), Ok(()));
        assert_eq!(published.access(2, 100, 5, false), Err(0));
        // Whoever writes over it has it.
        assert_eq!(published.access(2, 104, 1, true), Ok(()));
        assert_eq!(published.access(2, 100, 5, false), Ok(()));
    }

    /// What is published makes room; of what is not, no more is noted than there is room for, and what is noted stays right.
    #[test]
    fn no_more_is_noted_than_there_is_room_for() {
        let Some(published) = Published::new(2) else { panic!() };
        let noted = || published.shards.iter().map(|shard| shard.lock().unwrap().words.len()).sum::<usize>();
        for round in 0..2 {
            let start = round * 2 * MAX_WORDS;
            for word in start..start + MAX_WORDS + MAX_WORDS / 2 {
                published.access(0, word * 8, 8, true).unwrap();
            }
            assert!((MAX_WORDS / 2..=MAX_WORDS).contains(&noted()), "{round}");
            // The first round has room for its first words; the second one finds room once it has looked for some.
            let word = if round == 0 { start } else { start + MAX_WORDS + MAX_WORDS / 2 - 1 };
            assert_eq!(published.access(1, word * 8, 8, false), Err(0));
            published.fence(0);
            assert_eq!(published.access(1, word * 8, 8, false), Ok(()));
        }
    }
}
