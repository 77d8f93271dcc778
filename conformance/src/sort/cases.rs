//! Sorts with random keys.

use super::order::{order, width};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Random, Sample, seeds};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::order::{self as definition, SortKey};
use warpwave_core::{Complex64, Device, Sort, SortOptions, Stream};

/// One call.
#[derive(Clone, Debug)]
struct Call {
    len: usize,
    keys: Data,
    descending: bool,
    /// The bits that are looked at; all if `None`.
    bits: Option<(u32, u32)>,
    /// Which type the values have, of those in [`VALUES`].
    values: usize,
    seed: u64,
}

/// Types of values: numbers of the elements, and one type of each other size.
const VALUES: usize = 5;

/// Around one, a warp, what is compared with each other, digits, tiles, and blocks.
const LENGTHS: &[usize] =
    &[0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1025, 2049, 4097];

fn calls(width: u32) -> impl Strategy<Value = Call> {
    let lengths = prop_oneof![2 => select(LENGTHS), 3 => 0..600_usize];
    // Few different keys, of which many are alike; keys of all bits; and NaNs, zeros and infinities.
    let keys = select(&[Data::Integers(2), Data::Integers(40), Data::Bits, Data::Special][..]);
    let bits = prop_oneof![
        3 => Just(None),
        2 => (0..=width, 0..=width).prop_map(|(a, b)| Some((a.min(b), a.max(b)))),
    ];
    (lengths, keys, any::<bool>(), bits, 0..VALUES, seeds())
        .prop_map(|(len, keys, descending, bits, values, seed)| Call { len, keys, descending, bits, values, seed })
}

/// More than one thread, block or pass sorts.
fn large(level: Level, size: usize) -> Vec<Call> {
    let lengths: &[usize] = match level {
        Level::Smoke if size == 4 => &[40_001],
        Level::Smoke => &[],
        _ => &[40_001, 300_007],
    };
    let call = |len, keys, descending| Call { len, keys, descending, bits: None, values: 0, seed: len as u64 };
    let of_length = |&len: &usize| [call(len, Data::Bits, false), call(len, Data::Integers(50), true)];
    lengths.iter().flat_map(of_length).collect()
}

pub(super) fn keys<T: Sample + SortKey, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    for lane in [Lane::Exact, Lane::Poison] {
        session.cases(lane, Counts::of(12), calls(width::<T>()), sort_keys::<T, D>)?;
    }
    session.each(Lane::Exact, large(level, size_of::<T>()), sort_keys::<T, D>)
}

pub(super) fn pairs<T: Sample + SortKey, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    for lane in [Lane::Exact, Lane::Poison] {
        session.cases(lane, Counts::of(12), calls(width::<T>()), sort_pairs::<T, D>)?;
    }
    session.each(Lane::Exact, large(level, size_of::<T>()), sort_pairs::<T, D>)
}

impl Call {
    fn options(&self) -> SortOptions {
        let options = if self.descending { SortOptions::new().descending() } else { SortOptions::new() };
        match self.bits {
            Some((first, end)) => options.bits(first..end),
            None => options,
        }
    }

    /// Keys, and where they come from in their order.
    fn problem<T: Sample + SortKey, D: Device>(&self, case: &mut Case<'_, D>) -> Verdict<(Vec<T>, Vec<usize>)> {
        let keys: Vec<T> = Random::new(self.seed).vector(self.keys, self.len);
        let (first, end) = self.bits.unwrap_or((0, width::<T>()));
        let want = order(&keys, self.descending, first..end);
        let defined = definition::order(&keys, self.descending, first..end);
        case.ensure(want == defined, "the definition is not what the suite takes it for")?;
        Ok((keys, want))
    }
}

fn sort_keys<T: Sample + SortKey, D: Device>(case: &mut Case<'_, D>, call: Call) -> Verdict {
    let (keys, order) = call.problem::<T, D>(case)?;
    let stream = case.stream();
    let got = if case.lane() == Lane::Exact {
        let mut sorted = stream.from_slice(&keys)?;
        stream.sort_with(call.options(), &mut sorted)?;
        case.read(&sorted)?
    } else {
        let mut sorted = case.guarded(&keys)?;
        stream.sort_with(call.options(), &mut sorted.view_mut()?)?;
        sorted.read(case)?
    };
    case.bits("keys", &got, &take(&keys, &order))
}

fn sort_pairs<T: Sample + SortKey, D: Device>(case: &mut Case<'_, D>, call: Call) -> Verdict {
    let numbers = |_: &mut Random, i: usize| i as u32;
    match call.values {
        0 => with_values::<T, u32, D>(case, &call, numbers),
        1 => with_values::<T, i8, D>(case, &call, |random, _| random.element(Data::Bits)),
        2 => with_values::<T, warpwave_core::bf16, D>(case, &call, |random, _| random.element(Data::Bits)),
        3 => with_values::<T, f64, D>(case, &call, |random, _| random.element(Data::Bits)),
        _ => with_values::<T, Complex64, D>(case, &call, |random, _| random.element(Data::Bits)),
    }
}

fn with_values<K: Sample + SortKey, V: Sample, D: Device>(
    case: &mut Case<'_, D>,
    call: &Call,
    value: impl Fn(&mut Random, usize) -> V,
) -> Verdict {
    let (keys, order) = call.problem::<K, D>(case)?;
    let mut random = Random::new(!call.seed);
    let values: Vec<V> = (0..keys.len()).map(|i| value(&mut random, i)).collect();
    let stream = case.stream();
    let (got_keys, got_values) = if case.lane() == Lane::Exact {
        let (mut sorted, mut moved) = (stream.from_slice(&keys)?, stream.from_slice(&values)?);
        stream.sort_pairs_with(call.options(), &mut sorted, &mut moved)?;
        (case.read(&sorted)?, case.read(&moved)?)
    } else {
        let (mut sorted, mut moved) = (case.guarded(&keys)?, case.guarded(&values)?);
        stream.sort_pairs_with(call.options(), &mut sorted.view_mut()?, &mut moved.view_mut()?)?;
        (sorted.read(case)?, moved.read(case)?)
    };
    case.bits("keys", &got_keys, &take(&keys, &order))?;
    case.bits("values", &got_values, &take(&values, &order))
}

fn take<T: Copy>(x: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&i| x[i]).collect()
}
