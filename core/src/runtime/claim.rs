//! Claims: what keeps two calls from touching the same bytes of a shared block at once.
//!
//! The borrow checker does that for plain calls. A graph's launch holds no borrow of what it touches, so it, and every access to
//! a block that some graph touches, first claims its bytes. A claim lasts until the entry is in that others find instead; on an inline
//! stream, which leaves none, until the work has ended. Who finds a claim in its way waits on the host.
//!
//! A call claims block by block, in the order of the blocks' addresses, and all that it touches of one at once: so no two calls wait for
//! each other.

use super::submit::Access;
use crate::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that a call has to itself, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Claims<'a> {
    /// Those of shared blocks; of one block next to each other.
    accesses: Vec<Access<'a>>,
    owner: u64,
}

/// Numbers for owners. The standard library's: no test decides anything by it.
static OWNERS: AtomicU64 = AtomicU64::new(1);

impl<'a> Claims<'a> {
    /// Claims what `accesses` touch of shared blocks; waits while another call has a part of it. `in_order` is false only to show
    /// what an order other than that of addresses would break.
    pub(crate) fn of(accesses: &[Access<'a>], in_order: bool) -> Self {
        if !accesses.iter().any(|access| access.block.is_shared()) {
            return Claims::default();
        }
        let mut accesses: Vec<Access<'a>> =
            accesses.iter().filter(|access| access.block.is_shared()).copied().collect();
        if in_order {
            accesses.sort_by_key(|access| Arc::as_ptr(access.block));
        }
        let owner = OWNERS.fetch_add(1, Ordering::Relaxed);
        for of_block in accesses.chunk_by(|a, b| Arc::ptr_eq(a.block, b.block)) {
            of_block[0].block.claim(owner, of_block);
        }
        Claims { accesses, owner }
    }

    /// Whether there is nothing that had to be claimed.
    pub(crate) fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }
}

impl Drop for Claims<'_> {
    fn drop(&mut self) {
        for of_block in self.accesses.chunk_by(|a, b| Arc::ptr_eq(a.block, b.block)) {
            of_block[0].block.withdraw(self.owner);
        }
    }
}
