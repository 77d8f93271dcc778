//! The [reduction tree](warpwave_core::numerics::tree) as loops over lanes, which compile to vector instructions.

use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::tree::{self, CHUNK, LANES};

/// Chunks that are not worth waking another thread for.
const GRAIN: usize = 4;

/// Reduces elements `0..len`: `chunk` gives the result of one chunk, `combine` joins two partial results. `None` of
/// nothing.
#[inline(always)]
pub(super) fn reduce<A: Copy + Default + Send + Sync>(
    workers: &Workers,
    len: usize,
    chunk: impl Fn(Range<usize>) -> A + Sync,
    combine: impl Fn(A, A) -> A,
) -> Option<A> {
    if len <= CHUNK {
        return (len > 0).then(|| chunk(0..len));
    }
    let mut partial = vec![A::default(); len.div_ceil(CHUNK)];
    let count = partial.len();
    let results = super::Vector::from_parts(partial.as_mut_ptr(), 1, count);
    workers.split(count, GRAIN, |chunks| {
        for c in chunks {
            let value = chunk(c * CHUNK..len.min((c + 1) * CHUNK));
            // SAFETY: `c` is an index of `partial`, which outlives the call, and belongs to one range only.
            unsafe { results.set(c, value) };
        }
    });
    join(&partial, combine)
}

/// Reduces the results of the chunks, by the same tree. `None` of nothing.
pub(in crate::execute) fn join<A: Copy>(partial: &[A], combine: impl Fn(A, A) -> A) -> Option<A> {
    let lane = |acc: Option<A>, i: usize| match acc {
        None => partial[i],
        Some(acc) => combine(acc, partial[i]),
    };
    tree::reduce(partial.len(), lane, &combine)
}

/// Reduces one chunk of `len` elements, at least one: `items(i)` iterates over the elements from `i` on, a lane
/// starts as `start`, and `next` adds an element to one.
#[inline(always)]
pub(super) fn chunk<A: Copy, I, S: Iterator<Item = I>>(
    len: usize,
    start: A,
    items: impl Fn(usize) -> S,
    next: impl Fn(A, I) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    // Few lanes cost less to set up, and as long as every element has its own they are the same tree.
    const FEW: usize = 64;
    if len <= FEW {
        lanes::<A, I, S, FEW, { FEW / 2 }>(len, start, items, next, combine)
    } else {
        lanes::<A, I, S, LANES, { LANES / 2 }>(len, start, items, next, combine)
    }
}

#[inline(always)]
fn lanes<A: Copy, I, S: Iterator<Item = I>, const N: usize, const HALF: usize>(
    len: usize,
    start: A,
    items: impl Fn(usize) -> S,
    next: impl Fn(A, I) -> A,
    combine: impl Fn(A, A) -> A,
) -> A {
    let (mut even, mut odd) = ([start; N], [start; HALF]);
    let mut count = len.min(N);
    for (lane, item) in even[..count].iter_mut().zip(items(0)) {
        *lane = next(start, item);
    }
    for row in (N..len).step_by(N) {
        for (lane, item) in even[..(len - row).min(N)].iter_mut().zip(items(row)) {
            *lane = next(*lane, item);
        }
    }
    // Neighbours combine from one buffer into the other and back.
    let (mut from, mut to) = (&mut even[..], &mut odd[..]);
    while count > 1 {
        let (pairs, rest) = from[..count].as_chunks::<2>();
        for (joined, &[a, b]) in to.iter_mut().zip(pairs) {
            *joined = combine(a, b);
        }
        if let [last] = *rest {
            to[pairs.len()] = last;
        }
        count = count.div_ceil(2);
        (from, to) = (to, from);
    }
    from[0]
}
