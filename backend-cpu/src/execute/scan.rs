//! Prefix sums, products, minima and maxima by the tree of [`warpwave_core::numerics::scan`].
//!
//! Memory is gone through once. A thread takes the next few tiles and combines each within itself, which brings them to a cache;
//! it learns, in the order of the tiles, what all those before them come to (the [`Relay`]); and it looks at them again and writes
//! the results. How threads share the tiles does not show in the result.

mod carry;
mod chain;
mod interleave;
mod relay;
mod store;
mod tile;

use super::memory::{elements, grain};
use crate::workers::Workers;
use chain::Chain;
use relay::Relay;
use store::PastCaches;
use tile::{Scan, Totals};
use warpwave_core::numerics::scan::TILE;
use warpwave_core::numerics::{Numeric, RealNumeric, Reducible};
use warpwave_core::operation::{Ptr, Span};
use warpwave_core::{ReduceOp, match_dtype};

/// Tiles that a thread takes at once, if there are several threads: enough that they seldom meet, and few enough for a cache.
const TILES: usize = 8;

/// [`Operation::Scan`](warpwave_core::Operation::Scan); `None` if there is no such scan for the type.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn scan(workers: &Workers, op: ReduceOp, exclusive: bool, x: Span, out: Span) -> Option<()> {
    if out.dtype != x.dtype {
        return None;
    }
    // What has just been read is in a cache already.
    let past_caches = if x.ptr == out.ptr { None } else { PastCaches::new(out.ptr, out.len * out.dtype.size()) };
    macro_rules! each {
        ($family:ident, $identity:ident, $step:ident, $combine:ident) => {
            match_dtype!(x.dtype, $family T => {
                let (step, combine) = (<T as Reducible>::Acc::$step, <T as Reducible>::Acc::$combine);
                Scan { step, combine, exclusive, identity: T::$identity, past_caches }.run(workers, x.ptr, out.ptr, x.len);
                Some(())
            }, _ => None)
        };
    }
    // SAFETY: the caller's promise, for elements of the type `T`.
    unsafe {
        match op {
            ReduceOp::Sum => each!(any, ZERO, plus, add),
            ReduceOp::Prod => each!(any, ONE, times, mul),
            ReduceOp::Min => each!(real, GREATEST, min_nan, min_nan),
            ReduceOp::Max => each!(real, LEAST, max_nan, max_nan),
            _ => None,
        }
    }
}

impl<T, S, F> Scan<T, S, F>
where
    T: Reducible,
    S: Fn(T::Acc, T::Acc) -> T::Acc + Copy + Sync,
    F: Fn(T::Acc, T::Acc) -> T::Acc + Copy + Sync,
{
    /// # Safety
    /// `x` and `out` are `len` elements `T`, the same ones or apart, and nothing else uses them.
    unsafe fn run(&self, workers: &Workers, x: Ptr, out: Ptr, len: usize) {
        if len <= TILE {
            let mut totals = Totals::ZERO;
            // SAFETY: the caller's promise.
            unsafe {
                self.rise(elements(x, 0, len), &mut totals);
                self.fall(x, out, len, &totals, None);
            }
            return;
        }
        let relay = Relay::new(T::Acc::ZERO);
        // SAFETY: the caller's promise, here and below; no two parts use the same elements.
        let part = |tiles| unsafe { self.part(&relay, tiles, x, out, len) };
        if len <= grain::<T>() || workers.threads() == 1 {
            part(1);
        } else {
            // Each part works until no tile is left: there need not be more of them than threads.
            workers.split(workers.threads(), 1, |parts| parts.for_each(|_| part(TILES)));
        }
    }

    /// Works on up to `count` tiles at once, until none is left.
    ///
    /// # Safety
    /// As for [`run`](Self::run), and only parts with the same relay use the elements.
    unsafe fn part(&self, relay: &Relay<T::Acc>, count: usize, x: Ptr, out: Ptr, len: usize) {
        let mut room = [Totals::ZERO; TILES];
        loop {
            let turn = relay.claim();
            let start = turn.saturating_mul(count * TILE);
            if start >= len {
                break;
            }
            let starts = (start..len).step_by(TILE).take(count);
            let size = |start: usize| TILE.min(len - start);
            for (start, totals) in starts.clone().zip(&mut room) {
                // SAFETY: the tile is inside `x`, and nobody writes it: what is claimed is claimed once, and written below.
                self.rise(unsafe { elements(x, start, size(start)) }, totals);
            }
            let mut prefixes = [None; TILES];
            relay.pass(turn, |carry| {
                for (prefix, totals) in prefixes.iter_mut().zip(&room).take(count) {
                    *prefix = carry.push(totals.total(), self.combine);
                }
            });
            for (start, (totals, &prefix)) in starts.zip(room.iter().zip(&prefixes)) {
                let at = |ptr: Ptr| ptr.byte_add(start * size_of::<T>());
                // SAFETY: the tile is inside both, and nobody else uses it.
                unsafe { self.fall(at(x), at(out), size(start), totals, prefix) };
            }
        }
        if let Some(past_caches) = self.past_caches {
            past_caches.fence();
        }
    }
}
