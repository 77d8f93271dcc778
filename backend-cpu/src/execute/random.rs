//! Random numbers: the blocks of [`warpwave_core::numerics::philox`], a register's width of them side by side.

use super::memory::{elements_mut, grain};
use crate::simd::vectorize;
use crate::workers::Workers;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::normal::{self, BoxMuller, NormalElement};
use warpwave_core::numerics::philox::{self, MULTIPLIERS, ROUNDS, RandomElement, WEYL};
use warpwave_core::operation::Span;
use warpwave_core::{ScalarValue, match_dtype};

/// [`Operation::Random`](warpwave_core::Operation::Random); `None` for complex numbers.
///
/// # Safety
/// `out` is as the operation says.
pub(super) unsafe fn random(workers: &Workers, seed: u64, subsequence: u64, offset: u64, out: Span) -> Option<()> {
    let sequence = Sequence { key: halves(seed), subsequence: halves(subsequence) };
    match_dtype!(out.dtype, real T => {
        workers.split(out.len, grain::<T>(), |range| {
            // SAFETY: the range is inside the span, and no other part has it.
            let out = unsafe { elements_mut::<T>(out.ptr, range.start, range.len()) };
            let first = offset.wrapping_add((range.start as u64).wrapping_mul(T::WORDS));
            vectorize(
                #[inline(always)]
                || sequence.fill(first, out),
            );
        });
        Some(())
    }, _ => None)
}

/// [`Operation::Normal`](warpwave_core::Operation::Normal); `None` for all but real floats.
///
/// # Safety
/// `out` is as the operation says.
pub(super) unsafe fn normal(
    workers: &Workers,
    (seed, subsequence, offset): (u64, u64, u64),
    mean: ScalarValue,
    deviation: ScalarValue,
    out: Span,
) -> Option<()> {
    let sequence = Sequence { key: halves(seed), subsequence: halves(subsequence) };
    match_dtype!(out.dtype, float T => {
        let scale = (mean.get()?, deviation.get()?);
        workers.split(out.len, grain::<T>(), |range| {
            // SAFETY: the range is inside the span, and no other part has it.
            let out = unsafe { elements_mut::<T>(out.ptr, range.start, range.len()) };
            let first = offset.wrapping_add((range.start as u64).wrapping_mul(<T as RandomElement>::WORDS));
            vectorize(
                #[inline(always)]
                || sequence.normal(first, scale, out),
            );
        });
        Some(())
    }, _ => None)
}

/// The lower and the upper half.
const fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// Blocks computed side by side.
const LANES: usize = 16;
/// Words made at a time: they stay in the first-level cache until they have become elements.
const WORDS: usize = 16 * 4 * LANES;
/// Words are counted modulo 2⁶⁴, and blocks have four of them.
const LAST_BLOCK: u64 = u64::MAX / 4;

/// One subsequence of a seed.
#[derive(Clone, Copy)]
struct Sequence {
    key: [u32; 2],
    subsequence: [u32; 2],
}

impl Sequence {
    /// The elements of the words from `first` on.
    #[inline(always)]
    fn fill<T: RandomElement>(self, first: u64, out: &mut [T]) {
        let per_element = T::WORDS as usize;
        // The words of an element may lie on both sides of the end of a batch, wherever in a block the first one is: so
        // the last block of a batch is kept in front of the next.
        let mut words = [0; 4 + WORDS];
        let (mut block, shift) = (first / 4, (first % 4) as usize);
        words[..4].copy_from_slice(&self.block(block));
        for piece in out.chunks_mut(WORDS / per_element) {
            let needed = shift + piece.len() * per_element;
            for batch in words[4..].chunks_exact_mut(4 * LANES).take(needed.saturating_sub(4).div_ceil(4 * LANES)) {
                self.blocks(block.wrapping_add(1), batch);
                block = block.wrapping_add(LANES as u64);
            }
            for (x, words) in piece.iter_mut().zip(words[shift..].chunks_exact(per_element)) {
                *x = T::from_words(words[0], words[per_element - 1]);
            }
            words.copy_within(WORDS.., 0);
        }
    }

    /// Normal elements, the first of which has its words from `first` on.
    #[inline(always)]
    fn normal<T: NormalElement>(self, first: u64, (mean, deviation): (T::Acc, T::Acc), mut out: &mut [T]) {
        let per_pair = 2 * T::WORDS as usize;
        // The second number of the pair may be the first that is wanted.
        let mut start = first & !T::WORDS;
        let mut skipped = usize::from(first != start);
        let (mut words, mut numbers) = ([0; WORDS], [<T::Acc as Numeric>::ZERO; WORDS]);
        while !out.is_empty() {
            let pairs = (skipped + out.len()).div_ceil(2).min(WORDS / per_pair);
            let words = &mut words[..pairs * per_pair];
            self.fill(start, words);
            for (two, words) in numbers.as_chunks_mut().0.iter_mut().zip(words.chunks_exact(per_pair)) {
                let (cosine, sine) = T::Acc::pair([words[0], words[1], words[per_pair - 2], words[per_pair - 1]]);
                *two = [cosine, sine];
            }
            let (piece, rest) = out.split_at_mut(out.len().min(2 * pairs - skipped));
            for (x, &z) in piece.iter_mut().zip(&numbers[skipped..]) {
                *x = normal::scaled(z, mean, deviation);
            }
            (out, skipped, start) = (rest, 0, start.wrapping_add((pairs * per_pair) as u64));
        }
    }

    /// The words of one block.
    fn block(self, index: u64) -> [u32; 4] {
        let ([a, b], [c, d]) = (halves(index & LAST_BLOCK), self.subsequence);
        philox::block([a, b, c, d], self.key)
    }

    /// The words of [`LANES`] blocks: [`philox::block`], line for line.
    #[inline(always)]
    fn blocks(self, first: u64, words: &mut [u32]) {
        let (mut a, mut b) = ([0; LANES], [0; LANES]);
        for (lane, (a, b)) in a.iter_mut().zip(&mut b).enumerate() {
            [*a, *b] = halves(first.wrapping_add(lane as u64) & LAST_BLOCK);
        }
        let (mut c, mut d) = ([self.subsequence[0]; LANES], [self.subsequence[1]; LANES]);
        let mut key = self.key;
        for round in 0..ROUNDS {
            if round > 0 {
                key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
            }
            for (((a, b), c), d) in a.iter_mut().zip(&mut b).zip(&mut c).zip(&mut d) {
                let [low_0, high_0] = halves(u64::from(MULTIPLIERS[0]) * u64::from(*a));
                let [low_1, high_1] = halves(u64::from(MULTIPLIERS[1]) * u64::from(*c));
                (*a, *b, *c, *d) = (high_1 ^ *b ^ key[0], low_1, high_0 ^ *d ^ key[1], low_0);
            }
        }
        for ((((words, a), b), c), d) in words.chunks_exact_mut(4).zip(&a).zip(&b).zip(&c).zip(&d) {
            words.copy_from_slice(&[*a, *b, *c, *d]);
        }
    }
}
