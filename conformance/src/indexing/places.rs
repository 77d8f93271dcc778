//! Gather and scatter.

use super::index::{indices, waited};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Random, Sample, lengths, seeds};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{DType, Device, Index, Indexing};

/// One call.
#[derive(Clone, Debug)]
struct Call {
    /// Indices.
    count: usize,
    /// Places that they may name.
    places: usize,
    index: DType,
    seed: u64,
}

fn calls(level: Level) -> impl Strategy<Value = Call> {
    let types = select(&[DType::I32, DType::U32, DType::I64, DType::U64][..]);
    // Few places are named by many indices.
    let places = prop_oneof![2 => 0..4_usize, 3 => 0..300_usize];
    (lengths(level), places, types, seeds()).prop_map(|(count, places, index, seed)| Call {
        count,
        places,
        index,
        seed,
    })
}

/// More than one thread or block moves, with as many places, and with few.
fn large(level: Level, dtype: DType) -> Vec<Call> {
    let count = if level == Level::Smoke { 20_001 } else { 300_007 };
    let call = |places, index| Call { count, places, index, seed: places as u64 };
    let all = [call(count + 3, DType::I32), call(7, DType::U64)];
    if level == Level::Smoke && dtype.size() != 4 { Vec::new() } else { all.into() }
}

/// Runs a body for the type of the indices.
macro_rules! with_index {
    ($call:ident, $function:ident::<$t:ident>($case:ident)) => {
        match $call.index {
            DType::I32 => $function::<$t, i32, D>($case, &$call),
            DType::U32 => $function::<$t, u32, D>($case, &$call),
            DType::I64 => $function::<$t, i64, D>($case, &$call),
            _ => $function::<$t, u64, D>($case, &$call),
        }
    };
}

pub(super) fn gather<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    for lane in [Lane::Exact, Lane::Poison] {
        session.cases(lane, Counts::of(12), calls(level), |case, call| with_index!(call, gather_one::<T>(case)))?;
    }
    session.each(Lane::Exact, large(level, T::DTYPE), |case, call| with_index!(call, gather_one::<T>(case)))
}

pub(super) fn scatter<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    for lane in [Lane::Exact, Lane::Poison] {
        session.cases(lane, Counts::of(12), calls(level), |case, call| with_index!(call, scatter_one::<T>(case)))?;
    }
    session.each(Lane::Exact, large(level, T::DTYPE), |case, call| with_index!(call, scatter_one::<T>(case)))
}

/// In the poison lane some indices are out of range.
fn gather_one<T: Sample, I: Sample + Index, D: Device>(case: &mut Case<'_, D>, call: &Call) -> Verdict {
    let mut random = Random::new(call.seed);
    let table: Vec<T> = random.vector(Data::Bits, call.places);
    let (index, places) = indices::<I>(&mut random, call.count, call.places, case.lane() == Lane::Poison);
    let (x, indices) = (case.guarded(&table)?, case.guarded(&index)?);
    let mut out = case.guarded(&vec![T::poison(); call.count])?;
    case.stream().gather(&x.view()?, &indices.view()?, &mut out.view_mut()?)?;
    waited(case, places.contains(&None))?;
    let zero = T::from_patterns([0, 0]);
    let want: Vec<T> = places.iter().map(|place| place.map_or(zero, |place| table[place])).collect();
    let got = out.read(case)?;
    case.bits("out", &got, &want)?;
    case.bits("index, which is only read,", &indices.read(case)?, &index)
}

/// In the poison lane some indices are out of range.
fn scatter_one<T: Sample, I: Sample + Index, D: Device>(case: &mut Case<'_, D>, call: &Call) -> Verdict {
    let mut random = Random::new(call.seed);
    let values: Vec<T> = random.vector(Data::Bits, call.count);
    let before: Vec<T> = random.vector(Data::Bits, call.places);
    let (index, places) = indices::<I>(&mut random, call.count, call.places, case.lane() == Lane::Poison);
    let (x, indices) = (case.guarded(&values)?, case.guarded(&index)?);
    let mut out = case.guarded(&before)?;
    case.stream().scatter(&x.view()?, &indices.view()?, &mut out.view_mut()?)?;
    waited(case, places.contains(&None))?;
    let mut want = before;
    for (place, &x) in places.iter().zip(&values) {
        if let Some(place) = *place {
            want[place] = x;
        }
    }
    let got = out.read(case)?;
    case.bits("out", &got, &want)?;
    case.bits("x, which is only read,", &x.read(case)?, &values)
}
