//! Random data. It depends on the seed alone, and on no library's or processor's arithmetic but that of
//! `warpwave-core`.

use super::sample::Sample;
use crate::seed::Words;

/// Elements at random.
#[derive(Clone, Debug)]
pub(crate) struct Random(Words);

/// What elements are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// Integers of at most this magnitude, of either sign.
    Integers(u32),
    /// Numbers of magnitude ½ to 2⁴, of either sign; for integer types, all there are.
    Numbers,
    /// Zeros, denormals, the ends of the range, infinities and NaN with payload, among ordinary numbers.
    Special,
    /// Every bit pattern alike.
    Bits,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(Words::new(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.word()
    }

    /// A number from 0 and below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// An integer of at most this magnitude.
    pub(crate) fn integer(&mut self, magnitude: u32) -> i64 {
        self.0.between(-i64::from(magnitude), i64::from(magnitude))
    }

    /// A number of magnitude ½ to 2⁴: uniform in each binade, the binades alike.
    pub(crate) fn number(&mut self) -> f64 {
        let fraction = 1.0 + self.0.unit();
        let scale = [0.5, 1.0, 2.0, 4.0, 8.0][self.below(5)];
        if self.bits() >> 63 == 0 { fraction * scale } else { -fraction * scale }
    }

    pub(crate) fn element<T: Sample>(&mut self, data: Data) -> T {
        match data {
            Data::Integers(magnitude) => T::from_integers([self.integer(magnitude), self.integer(magnitude)]),
            Data::Numbers if T::DTYPE.is_integer() => self.element(Data::Bits),
            Data::Numbers => T::from_values([self.number(), self.number()]),
            Data::Special => {
                let mut component = || {
                    let special = T::specials();
                    match self.below(2) {
                        0 => special[self.below(special.len())],
                        _ => T::from_values([self.number(), 0.0]).patterns()[0],
                    }
                };
                T::from_patterns([component(), component()])
            }
            Data::Bits => T::from_patterns([self.bits(), self.bits()]),
        }
    }

    /// Ordinary numbers, with special values so rarely that not every sum of them is NaN.
    pub(crate) fn rare_specials<T: Sample>(&mut self, len: usize) -> Vec<T> {
        let rare = 1 + self.below(2 * len + 2);
        let mut one = |_| {
            let data = if self.below(rare) == 0 { Data::Special } else { Data::Numbers };
            self.element(data)
        };
        (0..len).map(&mut one).collect()
    }

    /// [`rare_specials`](Random::rare_specials), every other time with one NaN more: what drops it gives a number.
    pub(crate) fn specials_with_nan<T: Sample>(&mut self, len: usize) -> Vec<T> {
        let mut x = self.rare_specials(len);
        if len > 0 && self.below(2) == 0 {
            x[self.below(len)] = T::poison();
        }
        x
    }

    pub(crate) fn vector<T: Sample>(&mut self, data: Data, len: usize) -> Vec<T> {
        (0..len).map(|_| self.element(data)).collect()
    }
}
