//! Histograms.

use super::index::waited;
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Random, Sample, lengths, seeds};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Indexing, Integer};

/// One call.
#[derive(Clone, Debug)]
struct Call {
    len: usize,
    bins: usize,
    /// Whether all numbers are alike.
    alike: bool,
    seed: u64,
}

pub(super) fn check<T: Sample + Integer, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    // No counter, a few, as many as bytes have values, as a table of a warp's or a thread's own has, and one more.
    let bins = || {
        prop_oneof![
            1 => select(&[0, 1, 127, 128, 129, 255, 256, 257, 1024, 1025, 4096, 4097][..]),
            1 => 1..100_usize
        ]
    };
    let calls = || {
        (lengths(level), bins(), prop::bool::weighted(0.2), seeds()).prop_map(|(len, bins, alike, seed)| Call {
            len,
            bins,
            alike,
            seed,
        })
    };
    session.cases(Lane::Exact, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    session.cases(Lane::Poison, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    // More than one thread or block counts.
    let len = if level == Level::Smoke { 50_001 } else { 300_007 };
    let call = |bins, alike| Call { len, bins, alike, seed: bins as u64 };
    session.each(Lane::Exact, [call(100, false), call(5000, false), call(256, true)], |case, call| {
        run::<T, D>(case, &call)
    })
}

/// In the poison lane some numbers are past the last counter, or negative.
fn run<T: Sample + Integer, D: Device>(case: &mut Case<'_, D>, call: &Call) -> Verdict {
    let mut random = Random::new(call.seed);
    let poisoned = case.lane() == Lane::Poison;
    // The largest number of the type, and no more than the last counter.
    let largest = T::EXACT.min(call.bins.saturating_sub(1) as u64);
    let only = random.below(largest as usize + 1);
    let element = |_| -> T {
        if poisoned && random.below(10) == 0 {
            return T::from_patterns([random.bits() >> random.below(60), 0]);
        }
        T::from_integer(if call.alike { only } else { random.below(largest as usize + 1) } as i64)
    };
    // Without a counter every number is out of range.
    let len = if call.bins == 0 && !poisoned { 0 } else { call.len };
    let values: Vec<T> = (0..len).map(element).collect();
    let mut want = vec![0_u64; call.bins];
    let mut faults = false;
    for x in &values {
        match usize::try_from(x.integer()).ok().and_then(|bin| want.get_mut(bin)) {
            Some(count) => *count += 1,
            None => faults = true,
        }
    }
    let (x, mut counts) = (case.guarded(&values)?, case.guarded(&vec![u64::MAX; call.bins])?);
    case.stream().histogram(&x.view()?, &mut counts.view_mut()?)?;
    waited(case, faults)?;
    let got = counts.read(case)?;
    case.bits("counts", &got, &want)?;
    case.bits("x, which is only read,", &x.read(case)?, &values)
}
