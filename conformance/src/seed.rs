//! Where random inputs come from: the run's seed and the name of the case, nothing else.

use proptest::test_runner::{RngAlgorithm, TestRng};
use std::fmt;
use std::str::FromStr;

/// The seed of a run that names none.
pub const DEFAULT_SEED: u64 = 1;

/// Which case of which check: `blas.axpy.f32/exact/17`.
///
/// The middle is the series: the lane, and the number of the series in that lane from the second on (`exact-2`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CaseId {
    /// The check.
    pub check: String,
    /// The series of the check.
    pub series: String,
    /// The case of the series, from 0.
    pub index: u64,
}

impl CaseId {
    /// Whether the series is named as a [`Session`](crate::Session) names them.
    pub(crate) fn has_series(&self) -> bool {
        let (lane, number) = self.series.split_once('-').unwrap_or((&self.series, "2"));
        // Only the name itself comes out of the number again: not +2, 02 or 1.
        let numbered = number.parse::<u32>().is_ok_and(|n| n > 1 && n.to_string() == number);
        numbered && matches!(lane, "exact" | "bounded" | "poison")
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.check, self.series, self.index)
    }
}

impl FromStr for CaseId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let (check, series, index) = (parts.next(), parts.next(), parts.next().map(str::parse));
        match (check, series, index, parts.next()) {
            (Some(check), Some(series), Some(Ok(index)), None) if !check.is_empty() && !series.is_empty() => {
                Ok(CaseId { check: check.to_owned(), series: series.to_owned(), index })
            }
            _ => Err(format!("{text:?} is not a case; one reads like blas.axpy.f32/exact/17")),
        }
    }
}

/// The generator of one case's inputs.
pub(crate) fn generator(seed: u64, id: &CaseId) -> TestRng {
    let mut hash = Fnv::default();
    hash.add(&seed.to_le_bytes());
    hash.add(id.to_string().as_bytes());
    let mut words = Words::new(hash.value());
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_exact_mut(8) {
        chunk.copy_from_slice(&words.word().to_le_bytes());
    }
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// FNV-1a with 64 bits: the hash of a check's outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Random words in bulk, from a seed that proptest made: for data of which only the size is worth shrinking.
///
/// The generator is `SplitMix64` (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Words(u64);

impl Words {
    /// A stream of words that depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Words(seed)
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, but not with, `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The upper half of a 128-bit product; its bias is at most `bound` / 2⁶⁴.
        ((u128::from(self.word()) * u128::from(bound)) >> 64) as u64
    }

    /// A whole number from `low` to `high`, both included; `low` if they are the wrong way round.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.checked_sub(low).and_then(|span| u64::try_from(span).ok()).unwrap_or(0);
        low.wrapping_add(self.below(span.saturating_add(1)) as i64)
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * 2f64.powi(-53)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// The first outputs for the seed 1234567, as published with the reference implementation.
    #[test]
    fn words_are_splitmix64() {
        let mut words = Words::new(1_234_567);
        let got: Vec<u64> = (0..3).map(|_| words.word()).collect();
        assert_eq!(got, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    /// Test vectors of the authors' page: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    #[test]
    fn fnv_is_fnv_1a() {
        let hash = |text: &str| {
            let mut hash = Fnv::default();
            hash.add(text.as_bytes());
            hash.value()
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn ranges_are_kept_and_reached() {
        let mut words = Words::new(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[usize::try_from(words.between(-2, 2) + 2).unwrap()] = true;
            assert!((0.0..1.0).contains(&words.unit()));
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!((words.below(0), words.below(1), words.between(3, 3), words.between(3, 2)), (0, 0, 3, 3));
        words.between(i64::MIN, i64::MAX);
    }

    #[test]
    fn a_case_is_named_and_found_again() {
        let id = CaseId { check: "blas.axpy.f32".to_owned(), series: "exact-2".to_owned(), index: 17 };
        assert_eq!(id.to_string(), "blas.axpy.f32/exact-2/17");
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "a", "a/b", "a/b/x", "a/b/1/2", "/b/1", "a//1", "a/b/-1"] {
            assert!(text.parse::<CaseId>().is_err(), "{text}");
        }
    }

    #[test]
    fn series_are_lanes_and_numbers_from_the_second_on() {
        let named = |series: &str| CaseId { check: "a.b".to_owned(), series: series.to_owned(), index: 0 }.has_series();
        for series in ["exact", "bounded", "poison", "exact-2", "poison-10"] {
            assert!(named(series), "{series}");
        }
        for series in
            ["Exact", "exact-", "exact-0", "exact-1", "exact-02", "exact-+2", "exact-x", "exact-2-3", "random"]
        {
            assert!(!named(series), "{series}");
        }
    }

    #[test]
    fn inputs_depend_on_the_seed_and_on_every_part_of_the_name() {
        let id = |text: &str| text.parse::<CaseId>().unwrap();
        let first = |seed, text| {
            use proptest::strategy::{Strategy, ValueTree};
            let mut runner = proptest::test_runner::TestRunner::new_with_rng(
                proptest::test_runner::Config::default(),
                generator(seed, &id(text)),
            );
            proptest::num::u64::ANY.new_tree(&mut runner).unwrap().current()
        };
        assert_eq!(first(1, "a.b/exact/0"), first(1, "a.b/exact/0"));
        let all = [
            first(1, "a.b/exact/0"),
            first(2, "a.b/exact/0"),
            first(1, "a.c/exact/0"),
            first(1, "a.b/poison/0"),
            first(1, "a.b/exact/1"),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b), "{all:?}");
        }
    }
}
