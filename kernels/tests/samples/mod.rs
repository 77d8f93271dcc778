//! Elements for tests: numbers of all magnitudes, special values among them.
#![allow(dead_code, unreachable_pub)]

use warpwave_core::{Complex, Element, bf16, f16};

/// A sequence of numbers that depends on a seed alone.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// What can be made of random bits.
pub trait Sample: Element {
    /// An ordinary number: sums and products of many stay finite and round.
    fn ordinary(random: &mut Random) -> Self;
    /// Zeros of both signs, infinities, NaNs with payloads, denormals, the ends of integers.
    fn special(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => { $(
        impl Sample for $t {
            fn ordinary(random: &mut Random) -> Self { random.next() as $t }
            fn special(random: &mut Random) -> Self {
                [0, 1, <$t>::MAX, <$t>::MIN, <$t>::MAX - 1, <$t>::MIN + 1, <$t>::MAX / 2, 2, 7, (0 as $t).wrapping_sub(1)][random.below(10)]
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($t:ident, $bits:ty, $from:expr);*) => { $(
        impl Sample for $t {
            fn ordinary(random: &mut Random) -> Self {
                let x = 1.0 + (random.next() >> 40) as f64 / (1 << 24) as f64;
                let x = if random.next().is_multiple_of(2) { x } else { 0.75 / x };
                $from(if random.next().is_multiple_of(2) { -x } else { x })
            }
            fn special(random: &mut Random) -> Self {
                let sign = (random.next() as $bits) << (<$bits>::BITS - 1);
                let infinity = $t::INFINITY.to_bits();
                let magnitude = [0, 1, 3, infinity, infinity + 1, infinity | infinity >> 1, infinity - 1,
                    $t::MIN_POSITIVE.to_bits(), $t::MIN_POSITIVE.to_bits() - 1, random.next() as $bits & (<$bits>::MAX >> 1)];
                $t::from_bits(magnitude[random.below(10)] | sign)
            }
        }
    )* };
}
floats!(f32, u32, |x| x as f32; f64, u64, |x| x; f16, u16, f16::from_f64; bf16, u16, bf16::from_f64);

impl<P: Sample> Sample for Complex<P>
where
    Complex<P>: Element,
{
    fn ordinary(random: &mut Random) -> Self {
        Complex::new(P::ordinary(random), P::ordinary(random))
    }
    fn special(random: &mut Random) -> Self {
        Complex::new(
            P::special(random),
            if random.next().is_multiple_of(2) { P::special(random) } else { P::ordinary(random) },
        )
    }
}

/// Ordinary numbers, and now and then a special one.
pub fn sample<T: Sample>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    // A NaN among the first would make all sums the same.
    let rare = len.max(8) as u64 * 2 / 3;
    (0..len)
        .map(|i| {
            if random.next().is_multiple_of(rare) && i > len / 2 {
                T::special(&mut random)
            } else {
                T::ordinary(&mut random)
            }
        })
        .collect()
}

/// Every third a special number.
pub fn specials<T: Sample>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len)
        .map(|_| if random.next().is_multiple_of(3) { T::special(&mut random) } else { T::ordinary(&mut random) })
        .collect()
}

/// The bytes of elements: what is compared.
pub fn bits<T: Element>(x: &[T]) -> Vec<u8> {
    x.iter().flat_map(|x| warpwave_core::ScalarValue::new(*x).bytes().to_vec()).collect()
}
