//! One tile of the scan tree: up, from elements to the tile's total, and down, from what comes before the tile to results.
//!
//! A run is combined in ascending order, which one vector register cannot do. So 16 runs go side by side: a block of 256 elements
//! is turned, which puts element `j` of each of its runs next to one another, and turned back when it is written.

use super::super::memory::{elements, elements_mut, prefetch};
use super::interleave::interleave;
use super::store::PastCaches;
use crate::simd::vectorize;
use std::marker::PhantomData;
use warpwave_core::numerics::scan::{FAN, GROUPS, RUN, TILE, kogge_stone};
use warpwave_core::numerics::{Numeric, Reducible};
use warpwave_core::operation::Ptr;

/// Runs side by side.
const LANES: usize = 16;
/// Elements in that many runs.
pub(super) const BLOCK: usize = RUN * LANES;
/// Runs in a tile: as many as a block has elements, so that the totals of a tile's runs are turned like a block.
const RUNS: usize = GROUPS * FAN;
const _: () = assert!(RUN == LANES && RUNS == BLOCK && RUNS * RUN == TILE);

/// How the elements of `T` combine, and what is written of it.
#[derive(Clone, Copy)]
pub(super) struct Scan<T, S, F> {
    /// How they combine where the result is a step of a chain, or is made canonical.
    pub(super) step: S,
    /// How everything else combines.
    pub(super) combine: F,
    pub(super) exclusive: bool,
    /// The very first result, if exclusive.
    pub(super) identity: T,
    /// How whole blocks are written, if not by ordinary stores.
    pub(super) past_caches: Option<PastCaches>,
}

/// What is known of a tile when its elements have been looked at once.
#[derive(Clone, Copy)]
pub(super) struct Totals<A> {
    /// The totals of runs, scanned within each group: that of run `r` of group `g` is at `r · GROUPS + g`.
    runs: [A; RUNS],
    /// The totals of groups, scanned.
    groups: [A; GROUPS],
}

impl<A: Numeric> Totals<A> {
    pub(super) const ZERO: Self = Totals { runs: [A::ZERO; RUNS], groups: [A::ZERO; GROUPS] };

    /// What the elements of the tile come to. Means nothing unless there are [`TILE`] of them.
    pub(super) fn total(&self) -> A {
        self.groups[GROUPS - 1]
    }

    /// Scans the totals of the runs within each group, and those of the groups. The totals of the runs are in their order.
    #[inline(always)]
    fn scan(&mut self, combine: impl Fn(A, A) -> A + Copy) {
        // Turned, a step combines whole rows of them.
        let (runs, other) = (&mut self.runs, &mut [A::ZERO; RUNS]);
        interleave(runs, other);
        interleave(other, runs);
        interleave(runs, other);
        step::<1, A>(other, runs, combine);
        step::<2, A>(runs, other, combine);
        step::<4, A>(other, runs, combine);
        step::<8, A>(runs, other, combine);
        step::<16, A>(other, runs, combine);
        self.groups.copy_from_slice(&runs[RUNS - GROUPS..]);
        kogge_stone(&mut self.groups, combine);
    }

    /// What comes before each run, in the order of the runs, if `prefix` comes before the tile. Before the very first run comes
    /// nothing, and anything is returned.
    #[inline(always)]
    fn prefixes(&self, prefix: Option<A>, combine: impl Fn(A, A) -> A + Copy) -> [A; RUNS] {
        let mut groups = [prefix.unwrap_or(A::ZERO); GROUPS];
        for (group, &before) in groups[1..].iter_mut().zip(&self.groups) {
            *group = prefix.map_or(before, |prefix| combine(prefix, before));
        }
        let (mut prefixes, mut other) = ([A::ZERO; RUNS], [A::ZERO; RUNS]);
        for row in other.as_chunks_mut().0 {
            *row = groups;
        }
        prefixes[..GROUPS].copy_from_slice(&groups);
        for i in GROUPS..RUNS {
            prefixes[i] = combine(other[i], self.runs[i - GROUPS]);
        }
        if prefix.is_none() {
            // Nothing comes before the first group.
            for i in (GROUPS..RUNS).step_by(GROUPS) {
                prefixes[i] = self.runs[i - GROUPS];
            }
        }
        interleave(&prefixes, &mut other);
        interleave(&other, &mut prefixes);
        interleave(&prefixes, &mut other);
        interleave(&other, &mut prefixes);
        interleave(&prefixes, &mut other);
        other
    }
}

impl<T, S, F> Scan<T, S, F>
where
    T: Reducible,
    S: Fn(T::Acc, T::Acc) -> T::Acc + Copy,
    F: Fn(T::Acc, T::Acc) -> T::Acc + Copy,
{
    /// Combines the elements of a tile.
    pub(super) fn rise(&self, x: &[T], totals: &mut Totals<T::Acc>) {
        vectorize(
            #[inline(always)]
            || {
                let (whole, rest) = x.as_chunks::<BLOCK>();
                let runs = totals.runs.as_chunks_mut::<LANES>().0;
                let ahead = |block: usize| Ahead::new(Ptr::new(x.as_ptr().cast_mut().cast()), block * BLOCK);
                for (block, (x, runs)) in whole.iter().zip(&mut *runs).enumerate() {
                    *runs = self.run_totals(x, ahead(block));
                }
                if let Some(runs) = runs.get_mut(whole.len()) {
                    *runs = self.run_totals(&padded(rest), ahead(whole.len()));
                }
                totals.scan(self.combine);
            },
        );
    }

    /// Writes the results of a tile, of which [`rise`](Self::rise) has made `totals`, and which `prefix` comes before.
    ///
    /// # Safety
    /// `x` and `out` are `len` elements `T`, the same ones or apart. Nothing else writes `x` or uses `out`.
    pub(super) unsafe fn fall(&self, x: Ptr, out: Ptr, len: usize, totals: &Totals<T::Acc>, prefix: Option<T::Acc>) {
        let first = prefix.is_none().then(|| {
            // SAFETY: the caller's promise; nothing has been written yet.
            self.first_run(unsafe { elements(x, 0, len.min(RUN)) })
        });
        vectorize(
            #[inline(always)]
            || {
                // What goes past the caches is not to be fetched; then the elements may come from one cache to the next.
                let next = if self.past_caches.is_some() { x } else { out };
                let prefixes = totals.prefixes(prefix, self.combine);
                let (mut sums, mut turned, mut block) = ([T::Acc::ZERO; BLOCK], [T::ZERO; BLOCK], [T::ZERO; BLOCK]);
                for (start, prefixes) in (0..len).step_by(BLOCK).zip(prefixes.as_chunks::<LANES>().0) {
                    let count = BLOCK.min(len - start);
                    // SAFETY: the caller's promise. If this is where the results go, they are written when it is not used any more.
                    let x = unsafe { elements::<T>(x, start, count) };
                    match x.try_into() {
                        Ok(x) => turn(x, &mut turned),
                        Err(_) => turn(&padded(x), &mut turned),
                    }
                    self.run_sums(&turned, Ahead::new(next, start), &mut sums);
                    self.results(prefixes, &sums, &mut turned);
                    // SAFETY: the caller's promise.
                    let out = unsafe { elements_mut::<T>(out, start, count) };
                    match (<&mut [T; BLOCK]>::try_from(&mut *out), self.past_caches) {
                        (Ok(out), None) => turn(&turned, out),
                        (Ok(out), Some(past_caches)) => {
                            turn(&turned, &mut block);
                            past_caches.store(&block, out);
                        }
                        (Err(_), _) => {
                            turn(&turned, &mut block);
                            out.copy_from_slice(&block[..count]);
                        }
                    }
                }
            },
        );
        if let Some(first) = first {
            // SAFETY: the caller's promise.
            let out = unsafe { elements_mut::<T>(out, 0, len.min(RUN)) };
            out.copy_from_slice(&first[..out.len()]);
        }
    }

    /// The results of the very first run, before which there is nothing.
    fn first_run(&self, x: &[T]) -> [T; RUN] {
        let mut results = [self.identity; RUN];
        let mut sum = None;
        for (j, x) in x.iter().enumerate() {
            if let (true, Some(before)) = (self.exclusive, sum) {
                results[j] = T::narrow(before);
            }
            let inclusive = sum.map_or(x.widen(), |before| (self.combine)(before, x.widen()));
            if !self.exclusive {
                results[j] = T::narrow(inclusive);
            }
            sum = Some(inclusive);
        }
        results
    }

    /// The totals of the runs of a block.
    #[inline(always)]
    fn run_totals(&self, x: &[T; BLOCK], ahead: Ahead<T>) -> [T::Acc; LANES] {
        let mut turned = [T::ZERO; BLOCK];
        turn(x, &mut turned);
        let mut totals = [T::Acc::ZERO; LANES];
        for r in 0..LANES {
            totals[r] = turned[r].widen();
        }
        ahead.fetch(0);
        for j in 1..RUN {
            ahead.fetch(j);
            for r in 0..LANES {
                totals[r] = (self.step)(totals[r], turned[j * LANES + r].widen());
            }
        }
        totals
    }

    /// What the runs of a turned block come to at each of their elements.
    #[inline(always)]
    fn run_sums(&self, turned: &[T; BLOCK], ahead: Ahead<T>, sums: &mut [T::Acc; BLOCK]) {
        let mut totals = [T::Acc::ZERO; LANES];
        for r in 0..LANES {
            totals[r] = turned[r].widen();
            sums[r] = totals[r];
        }
        ahead.fetch(0);
        for j in 1..RUN {
            ahead.fetch(j);
            for r in 0..LANES {
                totals[r] = (self.step)(totals[r], turned[j * LANES + r].widen());
                sums[j * LANES + r] = totals[r];
            }
        }
    }

    /// The results of a block, turned.
    #[inline(always)]
    fn results(&self, prefixes: &[T::Acc; LANES], sums: &[T::Acc; BLOCK], results: &mut [T; BLOCK]) {
        // Repeated, because the compiler makes one loop over a block faster than a loop over rows in a loop.
        let mut repeated = [T::Acc::ZERO; BLOCK];
        for row in repeated.as_chunks_mut().0 {
            *row = *prefixes;
        }
        if self.exclusive {
            // A row further on.
            for r in 0..LANES {
                results[r] = T::narrow(prefixes[r]);
            }
            for i in LANES..BLOCK {
                results[i] = T::narrow((self.step)(repeated[i], sums[i - LANES]));
            }
        } else {
            for i in 0..BLOCK {
                results[i] = T::narrow((self.step)(repeated[i], sums[i]));
            }
        }
    }
}

/// What lies 8 KiB behind a block: when it is needed, memory has answered. The processor asks by itself, but too late; and it takes
/// only so many questions at once, so that they are best asked between other work.
#[derive(Clone, Copy)]
struct Ahead<T> {
    ptr: Ptr,
    element: PhantomData<T>,
}

impl<T> Ahead<T> {
    /// Of the block at element `start`.
    #[inline(always)]
    fn new(ptr: Ptr, start: usize) -> Self {
        Ahead { ptr: ptr.byte_add(start * size_of::<T>() + (8 << 10)), element: PhantomData }
    }

    /// Asks for as much as a run has elements.
    #[inline(always)]
    fn fetch(self, run: usize) {
        prefetch::<T>(self.ptr, run * RUN, RUN);
    }
}

/// A block that begins with `x`. What is missing stands behind all that is there, and so enters nothing that is used.
#[inline(always)]
fn padded<T: Numeric>(x: &[T]) -> [T; BLOCK] {
    let mut block = [T::ZERO; BLOCK];
    block[..x.len()].copy_from_slice(x);
    block
}

/// Exchanges rows and columns of a block.
#[inline(always)]
fn turn<T: Numeric>(from: &[T; BLOCK], to: &mut [T; BLOCK]) {
    let mut other = [T::ZERO; BLOCK];
    interleave(from, &mut other);
    interleave(&other, to);
    interleave(to, &mut other);
    interleave(&other, to);
}

/// A step of Kogge and Stone at distance `D`, in all groups at once.
#[inline(always)]
fn step<const D: usize, A: Copy>(from: &[A; RUNS], to: &mut [A; RUNS], combine: impl Fn(A, A) -> A) {
    to[..D * GROUPS].copy_from_slice(&from[..D * GROUPS]);
    for i in D * GROUPS..RUNS {
        to[i] = combine(from[i - D * GROUPS], from[i]);
    }
}
