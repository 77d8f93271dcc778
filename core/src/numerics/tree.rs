//! The reduction tree: the one order in which every reduction of class R combines its elements.
//!
//! The elements are cut into chunks of [`CHUNK`], counted from the start of the view. Within a chunk, lane `l` of [`LANES`]
//! takes the elements `l, l + LANES, …` in ascending order. The lanes then combine as a binary tree of neighbours: `2i` with
//! `2i + 1`, and so on upwards. The results of the chunks are reduced again in the same way, until one is left. What is missing
//! (lanes without elements, an odd neighbour) is skipped, never padded.
//!
//! A sum of `n` elements passes through at most [`depth`]`(n)` roundings, which is what its error bound is made of.

/// Elements in a chunk.
pub const CHUNK: usize = 8192;
/// Lanes in a chunk.
pub const LANES: usize = 1024;

/// Reduces elements `0..len`; `None` of nothing.
///
/// `lane(None, i)` starts a lane with element `i`, `lane(Some(acc), i)` adds element `i` to it; `combine(a, b)` joins two
/// partial results, the one of the lower lane or chunk first.
///
/// This is the definition in its plainest form; devices compute the same tree in other ways.
pub fn reduce<A: Copy>(
    len: usize,
    mut lane: impl FnMut(Option<A>, usize) -> A,
    mut combine: impl FnMut(A, A) -> A,
) -> Option<A> {
    let mut partial: Vec<A> = (0..len)
        .step_by(CHUNK)
        .filter_map(|start| chunk(start, len.min(start + CHUNK), &mut lane, &mut combine))
        .collect();
    while partial.len() > 1 {
        let level = std::mem::take(&mut partial);
        partial = (0..level.len())
            .step_by(CHUNK)
            .filter_map(|start| {
                let end = level.len().min(start + CHUNK);
                let mut join = |acc: Option<A>, i: usize| match acc {
                    None => level[i],
                    Some(acc) => combine(acc, level[i]),
                };
                let lanes = lanes(start, end, &mut join);
                neighbours(lanes, &mut combine)
            })
            .collect();
    }
    partial.pop()
}

fn chunk<A: Copy>(
    start: usize,
    end: usize,
    lane: &mut impl FnMut(Option<A>, usize) -> A,
    combine: &mut impl FnMut(A, A) -> A,
) -> Option<A> {
    neighbours(lanes(start, end, lane), combine)
}

fn lanes<A: Copy>(start: usize, end: usize, lane: &mut impl FnMut(Option<A>, usize) -> A) -> Vec<A> {
    (start..end.min(start + LANES))
        .map(|first| {
            let mut acc = lane(None, first);
            for i in (first + LANES..end).step_by(LANES) {
                acc = lane(Some(acc), i);
            }
            acc
        })
        .collect()
}

/// Combines neighbours, `2i` with `2i + 1`, until one is left; `None` of nothing.
pub fn neighbours<A: Copy>(mut lanes: Vec<A>, mut combine: impl FnMut(A, A) -> A) -> Option<A> {
    while lanes.len() > 1 {
        lanes = lanes.chunks(2).map(|pair| if let [a, b] = *pair { combine(a, b) } else { pair[0] }).collect();
    }
    lanes.pop()
}

/// The largest number of combining steps that any of `len` elements passes through.
pub fn depth(len: usize) -> usize {
    let mut depth = 0;
    let mut len = len;
    while len > 1 {
        let chunk = len.min(CHUNK);
        depth += chunk.div_ceil(LANES) - 1 + chunk.min(LANES).next_power_of_two().trailing_zeros() as usize;
        len = len.div_ceil(CHUNK);
    }
    depth
}
