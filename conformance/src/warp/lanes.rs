//! Shuffles, ballots, and lanes that leave.

use super::{check, kernel, numbers};
use crate::check::Check;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::Sample;
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Complex64, Device, Stream, args};

/// Threads of a block: warps of either size, and a part of one.
const THREADS: u32 = 240;
const BLOCKS: u32 = 3;

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("shuffle.u8", shuffles::<u8, D>));
    checks.push(check("shuffle.u16", shuffles::<u16, D>));
    checks.push(check("shuffle.u32", shuffles::<u32, D>));
    checks.push(check("shuffle.u64", shuffles::<u64, D>));
    checks.push(check("shuffle.f32", shuffles::<f32, D>));
    checks.push(check("shuffle.f64", shuffles::<f64, D>));
    checks.push(check("shuffle.c64", shuffles::<Complex64, D>));
    checks.push(check("ballot", ballots));
    checks.push(check("leave", leave));
    checks.push(check("diverge", diverge));
}

/// Every lane gets what it asked for, at every width; values are moved bit for bit.
fn shuffles<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), &format!("shuffles_{}", T::DTYPE))?;
    let warp = session.device().info().warp_size;
    let n = (THREADS * BLOCKS) as usize;
    let half = warp / 2;
    let edges = [0, 1, 2, 5, half - 1, half, half + 1, warp - 1, warp, 2 * warp - 1];
    let by: Vec<u32> = if session.level() == Level::Smoke { edges.to_vec() } else { (0..2 * warp).collect() };
    let inputs = by.into_iter().flat_map(|by| (0..=warp.trailing_zeros()).map(move |bits| (by, 1 << bits)));
    session.each(Lane::Exact, inputs, |case, (by, width)| {
        let bytes = numbers(n * size_of::<T>() / 4 + 1);
        let x: Vec<T> = bytemuck::pod_collect_to_vec(&bytemuck::cast_slice::<u32, u8>(&bytes)[..n * size_of::<T>()]);
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<T>(4 * n)?);
        // SAFETY: the kernel reads `n` elements of `input` and writes `4 n` of `out`, each by one thread.
        unsafe { case.stream().launch(&kernel, (BLOCKS, THREADS), args![by, width, &input, &mut out]) }?;
        let got = case.read(&out)?;
        let mut want = vec![T::default(); 4 * n];
        for i in 0..n {
            let thread = i as u32 % THREADS;
            let (lane, first) = (thread % warp, i - (thread % warp) as usize);
            let group = lane % width;
            // What a lane gets from one that is not there is not defined.
            let of = |other: u32| x.get(first + other as usize).filter(|_| thread - lane + other < THREADS);
            let lanes = [
                by % warp,
                if group < by { lane } else { lane - by },
                if group + by >= width { lane } else { lane + by },
                lane ^ (by % warp),
            ];
            for (which, other) in lanes.into_iter().enumerate() {
                want[which * n + i] = of(other).copied().unwrap_or(got[which * n + i]);
            }
        }
        case.bits(format_args!("by {by} of {width}"), &got, &want)
    })
}

fn ballots<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "ballots")?;
    let warp = session.device().info().warp_size;
    let n = (THREADS * BLOCKS) as usize;
    // None, all, one, all but one, and any.
    let votes = prop_oneof![
        Just(vec![0; n]),
        Just(vec![7; n]),
        (0..n).prop_map(move |i| (0..n).map(|j| u32::from(i == j)).collect()),
        (0..n).prop_map(move |i| (0..n).map(|j| u32::from(i != j)).collect()),
        prop::collection::vec(0..2_u32, n),
    ];
    session.cases(Lane::Exact, crate::Counts::of(12), votes, |case, votes| {
        let input = case.stream().from_slice(&votes)?;
        let (mut masks, mut out) = (case.stream().zeros::<u64>(2 * n)?, case.stream().zeros::<u32>(4 * n)?);
        // SAFETY: the kernel reads `n` elements of `input`, and writes `2 n` of `masks` and `4 n` of `out`, each by one thread.
        unsafe { case.stream().launch(&kernel, (BLOCKS, THREADS), args![&input, &mut masks, &mut out]) }?;
        let (mut want_masks, mut want) = (vec![0_u64; 2 * n], vec![0_u32; 4 * n]);
        for i in 0..n {
            let thread = i as u32 % THREADS;
            let (lane, first) = (thread % warp, i - (thread % warp) as usize);
            let lanes = warp.min(THREADS - (thread - lane)) as usize;
            let voted = |lane: usize| votes[first + lane] != 0;
            want_masks[i] = (0..lanes).map(|lane| u64::from(voted(lane)) << lane).sum();
            want_masks[n + i] = (1_u64 << lane) - 1;
            want[i] = u32::from((0..lanes).any(voted));
            want[n + i] = u32::from((0..lanes).all(voted));
            want[2 * n + i] = lane;
            want[3 * n + i] = warp;
        }
        let (got_masks, got) = (case.read(&masks)?, case.read(&out)?);
        case.bits("masks", &got_masks, &want_masks)?;
        case.bits("any, all, lane and warp", &got, &want)
    })
}

/// Lanes that have left the kernel vote no more.
fn leave<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "leave")?;
    let warp = session.device().info().warp_size;
    session.once(Lane::Exact, |case| {
        let mut out = case.stream().zeros::<u32>(THREADS as usize)?;
        // SAFETY: the kernel writes as many elements as there are threads, each by one.
        unsafe { case.stream().launch(&kernel, (1, THREADS), args![&mut out]) }?;
        let got = case.read(&out)?;
        // In its last round a lane sees itself, and those above it.
        let want: Vec<u32> = (0..THREADS).map(|t| warp.min(THREADS - (t - t % warp)) - t % warp).collect();
        case.bits("lanes that were left", &got, &want)
    })
}

/// What some lanes do alone is there for all after a barrier of the warp.
fn diverge<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "diverge")?;
    session.once(Lane::Exact, |case| {
        let x = numbers((THREADS * BLOCKS) as usize);
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<u32>(x.len())?);
        // SAFETY: the kernel reads and writes as many elements as there are threads, each written by one.
        unsafe { case.stream().launch(&kernel, (BLOCKS, THREADS), args![&input, &mut out]) }?;
        let got = case.read(&out)?;
        let even = |i: usize| x[i - i % 2];
        let want: Vec<u32> = (0..x.len()).map(|i| if i % 2 == 0 { even(i).wrapping_add(1) } else { even(i) }).collect();
        case.bits("out", &got, &want)
    })
}
