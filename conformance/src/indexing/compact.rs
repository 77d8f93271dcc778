//! Compaction.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Random, Sample, lengths, seeds};
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Indexing};

/// One call.
#[derive(Clone, Debug)]
struct Call {
    len: usize,
    /// Of eight elements so many are selected.
    eighths: usize,
    seed: u64,
}

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let calls = || (lengths(level), 0..=8_usize, seeds()).prop_map(|(len, eighths, seed)| Call { len, eighths, seed });
    session.cases(Lane::Exact, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    session.cases(Lane::Poison, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    // More than one thread or block closes up.
    let large: &[usize] = match level {
        Level::Smoke if T::DTYPE.size() == 4 => &[70_001],
        Level::Smoke => &[],
        _ => &[70_001],
    };
    let calls = large.iter().flat_map(|&len| [3, 8].map(|eighths| Call { len, eighths, seed: len as u64 }));
    session.each(Lane::Exact, calls, |case, call| run::<T, D>(case, &call))
}

/// What is not selected is poison in the poison lane; what lies behind the selected elements stays as it was.
fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, call: &Call) -> Verdict {
    let mut random = Random::new(call.seed);
    let mask: Vec<u8> = (0..call.len)
        .map(|_| if random.below(8) < call.eighths { [1, 2, 128, 255][random.below(4)] } else { 0 })
        .collect();
    let poisoned = case.lane() == Lane::Poison;
    let values: Vec<T> = (0..call.len)
        .map(|i| if poisoned && mask[i] == 0 { T::poison() } else { random.element(Data::Bits) })
        .collect();
    let before: Vec<T> = random.vector(Data::Bits, call.len);
    let (x, masks) = (case.guarded(&values)?, case.guarded(&mask)?);
    let (mut out, mut count) = (case.guarded(&before)?, case.guarded(&[u64::MAX; 2])?);
    let mut want: Vec<T> = mask.iter().zip(&values).filter(|&(&mask, _)| mask != 0).map(|(_, &x)| x).collect();
    let selected = want.len();
    want.extend_from_slice(&before[selected..]);
    case.stream().compact_into(&x.view()?, &masks.view()?, &mut out.view_mut()?, &mut count.view_mut()?)?;
    let (got, counted) = (out.read(case)?, count.read(case)?);
    case.bits("count", &counted, &[selected as u64, u64::MAX])?;
    case.bits("out", &got, &want)?;
    let mut out = case.guarded(&before)?;
    let returned = case.stream().compact(&x.view()?, &masks.view()?, &mut out.view_mut()?)?;
    case.bits("the count returned", &[returned as u64], &[selected as u64])?;
    let got = out.read(case)?;
    case.bits("out, once more,", &got, &want)?;
    case.bits("x, which is only read,", &x.read(case)?, &values)?;
    case.bits("mask, which is only read,", &masks.read(case)?, &mask)
}
