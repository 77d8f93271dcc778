//! More keys than one thread, block or pass sorts. They are the places of their order, shuffled in a way that can be undone, so
//! that the result is known without sorting.

use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{LARGE, Sample};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::{DType, Device, Sort, SortOptions};

/// A prime that does not divide [`LARGE`].
const HOP: usize = 611_953;

/// Keys, and where each comes from in their order.
struct Problem<T> {
    keys: Vec<T>,
    order: Vec<u32>,
}

/// Keys of which the element with place `p` in the order is the `p · different / LARGE`th that there is.
fn problem<T: Sample>(descending: bool) -> Problem<T> {
    let integer = T::DTYPE.is_integer();
    let signed = !integer || T::from_integer(-1).integer() < 0;
    // Different keys: at most all integers of the type, or all that a float holds; and so few that several are equal.
    let all = match integer {
        true => 1_u128 << (8 * T::DTYPE.size()),
        false => 2 * u128::from(T::EXACT),
    };
    let different = all.min(LARGE as u128 / 3) as usize;
    let least = if signed { -((different / 2) as i64) } else { 0 };
    let key = |place: usize| {
        let place = if descending { LARGE - 1 - place } else { place };
        least + (place as u64 * different as u64 / LARGE as u64) as i64
    };
    let mut order = vec![0_u32; LARGE];
    let mut keys = Vec::with_capacity(LARGE);
    for i in 0..LARGE {
        let place = i * HOP % LARGE;
        order[place] = i as u32;
        keys.push(T::from_integer(key(place)));
    }
    // Equal keys stay in their order.
    let mut start = 0;
    for end in 1..=LARGE {
        if end == LARGE || key(end) != key(start) {
            order[start..end].sort_unstable();
            start = end;
        }
    }
    Problem { keys, order }
}

/// Both directions.
fn calls<T: Sample>(level: Level) -> &'static [bool] {
    match (level, T::DTYPE) {
        (Level::Smoke, DType::U32) => &[false],
        (Level::Smoke, _) => &[],
        _ => &[false, true],
    }
}

fn options(descending: bool) -> SortOptions {
    if descending { SortOptions::new().descending() } else { SortOptions::new() }
}

pub(super) fn keys<T: Sample + SortKey, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, calls::<T>(session.level()).iter().copied(), |case, descending| {
        let Problem { keys, order } = problem::<T>(descending);
        let mut sorted = case.guarded(&keys)?;
        case.stream().sort_with(options(descending), &mut sorted.view_mut()?)?;
        let want: Vec<T> = order.iter().map(|&i| keys[i as usize]).collect();
        let got = sorted.read(case)?;
        case.bits_at("keys", 0, &got, &want)
    })
}

pub(super) fn pairs<T: Sample + SortKey, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, calls::<T>(session.level()).iter().copied(), |case, descending| {
        let Problem { keys, order } = problem::<T>(descending);
        let numbers: Vec<u32> = (0..LARGE as u32).collect();
        let (mut sorted, mut values) = (case.guarded(&keys)?, case.guarded(&numbers)?);
        case.stream().sort_pairs_with(options(descending), &mut sorted.view_mut()?, &mut values.view_mut()?)?;
        let want: Vec<T> = order.iter().map(|&i| keys[i as usize]).collect();
        let (sorted, values) = (sorted.read(case)?, values.read(case)?);
        case.bits_at("keys", 0, &sorted, &want)?;
        case.bits_at("values", 0, &values, &order)
    })
}
