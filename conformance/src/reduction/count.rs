//! Counting a mask, compared with what was put into it.

use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Image, LARGE, Random, Vector, fronts, lengths, seeds, tails};
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Reduce, Stream};

/// Where counters of 8, of 16 and of 8 bits in each of 64 lanes run over, and several blocks or threads have their share.
const LONG: &[usize] = &[255, 256, 257, 255 * 64, 255 * 64 + 1, 65_535, 65_536, 65_537, LARGE];

pub(super) fn check<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    // Every byte is something else than 0, whichever of its bits are set, and none is counted for more than one.
    session.once(Lane::Exact, |case| {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let got = run(case, 1, &bytes)?;
        case.bits("out", &[got], &[255])?;
        for byte in bytes {
            let got = run(case, 0, &[0, byte, 0])?;
            case.bits(format_args!("out, of {byte} between zeros"), &[got], &[u64::from(byte != 0)])?;
        }
        Ok(())
    })?;
    session.each(Lane::Exact, tails::<u8>().chain(LONG.iter().copied()), |case, len| {
        let all = run(case, len % 5, &vec![0xff; len])?;
        case.bits("out, of all", &[all], &[len as u64])?;
        let none = run(case, len % 5, &vec![0; len])?;
        case.bits("out, of none", &[none], &[0])?;
        // The last element alone: nobody may drop it, or take what lies behind.
        let mut last = vec![0; len];
        last.iter_mut().next_back().into_iter().for_each(|x| *x = 1);
        let got = run(case, len % 5, &last)?;
        case.bits("out, of the last", &[got], &[u64::from(len > 0)])
    })?;
    let longest: usize = if level == Level::Smoke { 5_000 } else { 300_000 };
    for lane in [Lane::Exact, Lane::Poison] {
        let lengths = prop_oneof![2 => lengths(level), 1 => 0..longest];
        session.cases(lane, Counts::of(10), (fronts(), lengths, seeds()), |case, (front, len, seed)| {
            let mut random = Random::new(seed);
            let ones = random.below(len + 1);
            // Exactly so many, at places that the seed gives.
            let mut mask: Vec<u8> =
                (0..len).map(|i| if i < ones { random.element::<u8>(Data::Bits).max(1) } else { 0 }).collect();
            (1..len).rev().for_each(|i| mask.swap(i, random.below(i + 1)));
            let got = run(case, front, &mask)?;
            case.bits("out", &[got], &[ones as u64])
        })?;
    }
    Ok(())
}

/// Counts a mask amid bytes that are not 0; compares all that lies around the output with what was there.
fn run<D: Device>(case: &mut crate::case::Case<'_, D>, front: usize, mask: &[u8]) -> Verdict<u64> {
    let stream = case.stream();
    let (mask_at, out_at) = (Vector::dense(front, mask.len()), Vector::dense(front + 1, 1));
    let buffer = stream.from_slice(&Image::of_vector(&mask_at, mask).elements)?;
    let mut image = Image::<u64>::around(&out_at);
    let mut out = stream.from_slice(&image.elements)?;
    let view = buffer.slice(mask_at.range())?;
    // All that is behind the first element of `out` is to be left alone.
    stream.count_into(&view, &mut out.slice_mut(out_at.front..)?)?;
    let got = case.read(&out)?;
    image.elements[out_at.front] = got[out_at.front];
    case.bits("what lies around the output,", &got, &image.elements)?;
    let waited = stream.count(&view)?;
    case.bits("the result that the call waits for,", &[waited], &[got[out_at.front]])?;
    Ok(waited)
}
