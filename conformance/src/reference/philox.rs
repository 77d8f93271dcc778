//! Philox 4×32, from the paper (J. K. Salmon et al., SC'11) and not from the core, and numbers made of its words.

use super::sample::Sample;
use warpwave_core::DType;

/// Rounds of the generator that the contract names.
pub(crate) const ROUNDS: usize = 10;

/// A block of four words, with any number of rounds.
fn block(rounds: usize, mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    for _ in 0..rounds {
        let (high_0, low_0) = product(0xd251_1f53, counter[0]);
        let (high_1, low_1) = product(0xcd9e_8d57, counter[2]);
        counter = [high_1 ^ counter[1] ^ key[0], low_1, high_0 ^ counter[3] ^ key[1], low_0];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}

/// Words `first..first + len` of a subsequence, counted modulo 2⁶⁴.
pub(crate) fn words(rounds: usize, seed: u64, subsequence: u64, first: u64, len: usize) -> Vec<u32> {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let mut kept = None;
    let word = |i: usize| {
        let word = first.wrapping_add(i as u64);
        let of_block = match kept {
            Some((index, words)) if index == word / 4 => words,
            _ => {
                let ([a, b], [c, d]) = (halves(word / 4), halves(subsequence));
                block(rounds, [a, b, c, d], halves(seed))
            }
        };
        kept = Some((word / 4, of_block));
        of_block[(word % 4) as usize]
    };
    (0..len).map(word).collect()
}

/// Words that an element of `T` takes.
pub(crate) fn words_of<T: Sample>() -> usize {
    T::DTYPE.size().div_ceil(4)
}

/// The element made of its one or two words.
pub(crate) fn number<T: Sample>(words: &[u32]) -> T {
    let first = u64::from(words[0]);
    let both = words.get(1).map_or(first, |&second| first | u64::from(second) << 32);
    let fraction = |bits: i32, of: u64| T::from_values([of as f64 / 2_f64.powi(bits), 0.0]);
    match T::DTYPE {
        DType::F32 => fraction(24, first >> 8),
        DType::F16 => fraction(11, first >> 21),
        DType::Bf16 => fraction(8, first >> 24),
        DType::F64 => fraction(53, both >> 11),
        dtype if dtype.size() == 8 => T::from_patterns([both, 0]),
        dtype => T::from_patterns([first >> (32 - 8 * dtype.size()), 0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that the authors publish with Random123, in `kat_vectors`.
    #[test]
    fn known_answers() {
        let vectors = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, want) in vectors {
            assert_eq!(block(ROUNDS, counter, key), want);
        }
        assert_eq!(words(ROUNDS, 0, 0, 1, 3), vectors[0].2[1..]);
        assert_eq!(words(ROUNDS, 0, 0, u64::MAX, 2)[1], vectors[0].2[0]);
    }

    #[test]
    fn numbers_of_words() {
        assert_eq!(number::<u8>(&[0xff00_0000]), 0xff);
        assert_eq!(number::<i16>(&[0x8001_ffff]), -0x7fff);
        assert_eq!(number::<u64>(&[1, 2]), 2 << 32 | 1);
        assert_eq!(number::<f32>(&[u32::MAX]), 1.0 - 2_f32.powi(-24));
        assert_eq!(number::<f64>(&[u32::MAX, u32::MAX]), 1.0 - 2_f64.powi(-53));
        assert_eq!((words_of::<u8>(), words_of::<f32>(), words_of::<i64>()), (1, 1, 2));
    }
}
