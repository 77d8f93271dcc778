//! Whether there is memory for what the crate `gemm` allocates, found out before it is called: it ends the process if it gets
//! none.
//!
//! It allocates two things. Panels of its operands, for the time of a call and by the thread that calls; and for every thread that
//! works a slab of the size of the second-level cache, at the thread's first product and for the rest of its life. So a thread's slab
//! is had once and kept, and room for panels is reserved and given back just before each call, by the same thread, since allocators
//! keep what is free apart by threads. What another thread takes between the two cannot be seen.

use crate::execute::scratch;
use crate::simd;
use gemm::Parallelism;
use gemm_common::cache::CACHE_INFO;
use gemm_common::gemm::L2_SLAB;
use std::cell::Cell;
use std::hint::black_box;

/// Rows of a panel of `a` and columns of one of `b`, at most.
const ROWS: usize = 64;
const COLS: usize = 8;
/// Up to this many rows and columns, panels are not made to fit the caches.
const SMALL: usize = 64;
/// Reserved beside the panels: alignment, and lists with an entry for each thread or panel.
const MARGIN: usize = 16 << 10;

thread_local! {
    /// Whether this thread has its slab.
    static SLAB: Cell<bool> = const { Cell::new(false) };
    /// Whether the threads of the pool that this thread is of all have theirs.
    static POOL: Cell<bool> = const { Cell::new(false) };
}

/// Whether the crate will get what it needs to make a product of `bytes` of panels.
pub(super) fn obtainable(bytes: usize, parallelism: Parallelism) -> bool {
    let slabs = match parallelism {
        Parallelism::None => own_slab(),
        Parallelism::Rayon(_) => all_slabs(),
    };
    slabs && reservable(bytes.saturating_add(MARGIN))
}

/// No fewer bytes than the panels of a product take whose result has `rows` and `cols`, the shorter distance in memory being that
/// between rows, with `depth` summed over, and with elements of `size` bytes.
pub(super) fn bytes(rows: usize, cols: usize, depth: usize, size: usize, parallelism: Parallelism) -> usize {
    let [first_level, _, third_level] = CACHE_INFO.map(|cache| cache.cache_bytes);
    // The depth is 512 or, if more, such that `a`'s panel fills no more than the first-level cache, rounded up to twice that.
    let panel = if simd::Level::best() == simd::Level::Baseline { 2 * size } else { 64 };
    let depth = depth.min(512.max(2 * first_level.max(32 << 10) / panel));
    let small = rows <= SMALL && cols <= SMALL;
    let columns = match third_level {
        0 if matches!(parallelism, Parallelism::None) => cols.max(128 * COLS),
        _ => cols,
    };
    let of = |lines: usize| lines.saturating_mul(depth).saturating_mul(size);
    let b = of(columns.saturating_add(COLS)).min(if small || third_level == 0 { usize::MAX } else { third_level });
    // `a` is packed as a whole if that is no more than two blocks of 8 panels.
    let a = if rows <= 16 * ROWS { of(rows + ROWS) } else { 0 };
    a.saturating_add(b)
}

/// Whether this thread has its slab, or gets it.
fn own_slab() -> bool {
    if SLAB.get() {
        return true;
    }
    let slab = reservable(CACHE_INFO[1].cache_bytes.saturating_add(MARGIN));
    if slab {
        L2_SLAB.with(|_| ());
        SLAB.set(true);
    }
    slab
}

/// Whether all threads of this thread's pool have their slabs, or get them.
fn all_slabs() -> bool {
    POOL.get() || {
        let all = rayon::broadcast(|_| own_slab()).into_iter().all(|slab| slab);
        POOL.set(all);
        all
    }
}

/// Whether this thread can have so much memory.
fn reservable(bytes: usize) -> bool {
    // Seen by nobody, the reservation would be left out as useless.
    black_box(scratch::room::<u8>(bytes)).is_ok()
}
