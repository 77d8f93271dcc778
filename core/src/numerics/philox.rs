//! Philox 4×32-10: random numbers that are a function of a counter.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC'11. A block of four 32-bit
//! words is [`block`] of a counter of 128 bits under a key of 64. Word `w` of subsequence `s` of a seed is word `w mod 4` of the
//! block whose counter has `⌊w / 4⌋` in its lower half and `s` in its upper, under the seed as key. So the numbers depend neither
//! on how they are shared among threads nor on the device, and skipping ahead costs nothing.
//!
//! | type | words | value |
//! |---|---|---|
//! | `u32` `i32` | 1 | the word |
//! | `u64` `i64` | 2 | the first word is the lower half |
//! | `u8` `i8` `u16` `i16` | 1 | its upper bits |
//! | `f32` | 1 | its upper 24 bits · 2⁻²⁴ |
//! | `f64` | 2 | the upper 53 bits of the `u64` · 2⁻⁵³ |
//! | `f16` | 1 | its upper 11 bits · 2⁻¹¹ |
//! | `bf16` | 1 | its upper 8 bits · 2⁻⁸ |
//!
//! Floats are uniform in [0, 1): every multiple of the stated unit is equally likely, 1 never occurs, and each is exact. Element `i`
//! of a call that starts at word `w` takes the words from `w + i · n` on, `n` being the words of the type.

use crate::element::{Element, bf16, f16};

/// What the first and the third word of a counter are multiplied by in each round.
pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// What is added to the key between rounds: the golden ratio, and √3 − 1, as fractions of 2³².
pub const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
/// Rounds in a block.
pub const ROUNDS: usize = 10;

/// Four words from a counter and a key, least significant word first.
#[inline]
pub fn block(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let (mut counter, mut key) = (counter, key);
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let product = |i: usize| {
            let product = u64::from(MULTIPLIERS[i]) * u64::from(counter[2 * i]);
            ((product >> 32) as u32, product as u32)
        };
        let ((high_0, low_0), (high_1, low_1)) = (product(0), product(1));
        counter = [high_1 ^ counter[1] ^ key[0], low_1, high_0 ^ counter[3] ^ key[1], low_0];
    }
    counter
}

/// Word `word` of a subsequence.
pub fn word(seed: u64, subsequence: u64, word: u64) -> u32 {
    let low = |x: u64| x as u32;
    let high = |x: u64| (x >> 32) as u32;
    let index = word / 4;
    let counter = [low(index), high(index), low(subsequence), high(subsequence)];
    block(counter, [low(seed), high(seed)])[(word % 4) as usize]
}

/// What random numbers can be had of: integers and real floats.
pub trait RandomElement: Element {
    /// Words that one element takes: 1 or 2.
    const WORDS: u64;
    /// The element made of one or two words; the second is ignored where one is enough.
    fn from_words(first: u32, second: u32) -> Self;
}

macro_rules! one_word {
    ($($t:ty: |$w:ident| $value:expr;)*) => { $(
        impl RandomElement for $t {
            const WORDS: u64 = 1;
            #[inline(always)]
            fn from_words($w: u32, _: u32) -> Self { $value }
        }
    )* };
}
one_word! {
    u32: |w| w;
    i32: |w| w as i32;
    u16: |w| (w >> 16) as u16;
    i16: |w| (w >> 16) as i16;
    u8: |w| (w >> 24) as u8;
    i8: |w| (w >> 24) as i8;
    f32: |w| (w >> 8) as f32 * (1.0 / 16_777_216.0);
    f16: |w| super::cast((w >> 21) as f32 * (1.0 / 2048.0));
    bf16: |w| super::cast((w >> 24) as f32 * (1.0 / 256.0));
}

macro_rules! two_words {
    ($($t:ty: |$w:ident| $value:expr;)*) => { $(
        impl RandomElement for $t {
            const WORDS: u64 = 2;
            #[inline(always)]
            fn from_words(first: u32, second: u32) -> Self {
                let $w = u64::from(first) | u64::from(second) << 32;
                $value
            }
        }
    )* };
}
two_words! {
    u64: |w| w;
    i64: |w| w as i64;
    f64: |w| (w >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0);
}

/// Element `i` of a call that starts at word `offset`; the count of words wraps.
pub fn element<T: RandomElement>(seed: u64, subsequence: u64, offset: u64, i: u64) -> T {
    let first = offset.wrapping_add(i.wrapping_mul(T::WORDS));
    let second = if T::WORDS > 1 { word(seed, subsequence, first.wrapping_add(1)) } else { 0 };
    T::from_words(word(seed, subsequence, first), second)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// The known answers that the authors publish with their implementation (Random123, `kat_vectors`).
    #[test]
    fn known_answers() {
        let all = [u32::MAX; 4];
        assert_eq!(block([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(block(all, [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(block(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn words_are_those_of_the_blocks() {
        let (seed, subsequence) = (0x299f_31d0_a409_3822, 0x0370_7344_1319_8a2e);
        let at = 0x85a3_08d3_243f_6a88_u64.wrapping_mul(4);
        // The count of words holds 62 bits of the counter of blocks.
        let block = block(
            [at as u32 >> 2 | ((at >> 32) as u32) << 30, (at >> 34) as u32, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
        );
        for i in 0..4 {
            assert_eq!(word(seed, subsequence, at + i), block[i as usize]);
        }
        assert_eq!(word(0, 0, 3), 0x9b00_dbd8);
    }

    #[test]
    fn elements_at_the_edges() {
        assert_eq!(f32::from_words(u32::MAX, 0), 1.0 - 1.0 / 16_777_216.0);
        assert_eq!(f64::from_words(u32::MAX, u32::MAX), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(f16::from_words(u32::MAX, 0).to_f64(), 1.0 - 1.0 / 2048.0);
        assert_eq!(bf16::from_words(u32::MAX, 0).to_f64(), 1.0 - 1.0 / 256.0);
        assert_eq!([f32::from_words(0xff, 0), f32::from_words(0x100, 0)], [0.0, 1.0 / 16_777_216.0]);
        assert_eq!(
            (u64::from_words(1, 2), i8::from_words(0x8000_0000, 0), u16::from_words(0x1234_5678, 0)),
            (2 << 32 | 1, -128, 0x1234)
        );
        // Elements of two words start where the words of the call do, odd places too.
        let (a, b) = (word(7, 9, 3), word(7, 9, 4));
        assert_eq!(element::<u64>(7, 9, 1, 1), u64::from(a) | u64::from(b) << 32);
        assert_eq!(element::<u32>(7, 9, 3, 0), a);
    }
}
