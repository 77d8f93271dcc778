//! Shared memory, barriers, and where threads find themselves.

use super::{check, kernel, numbers};
use crate::check::Check;
use crate::failure::Verdict;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Grid, Stream, args};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("shared.warp", rotate_warp));
    checks.push(check("shared.block", rotate_block));
    checks.push(check("shared.dynamic", reverse));
    checks.push(check("places", places));
}

/// Lanes hand numbers on through shared memory: each round needs both barriers of the warp.
fn rotate_warp<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "rotate_warp")?;
    let warp = session.device().info().warp_size as usize;
    session.each(Lane::Exact, [1, 2, 33, 100_u32], |case, rounds| {
        let x = numbers(3 * 256);
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<u32>(x.len())?);
        // SAFETY: the kernel reads and writes as many elements as there are threads, each written by one.
        unsafe { case.stream().launch(&kernel, (3, 256), args![rounds, &input, &mut out]) }?;
        let got = case.read(&out)?;
        let want: Vec<u32> = (0..x.len()).map(|i| x[i - i % warp + (i % warp + rounds as usize) % warp]).collect();
        case.bits("out", &got, &want)
    })
}

/// Threads hand numbers on around the block, in blocks of one thread, of less than a warp, and of parts of one.
fn rotate_block<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "rotate_block")?;
    let threads = [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 200, 256_u32];
    session.each(Lane::Exact, threads, |case, threads| {
        let (x, n, rounds) = (numbers(5 * threads as usize), threads as usize, 37_u32);
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<u32>(x.len())?);
        // SAFETY: the kernel reads and writes as many elements as there are threads, each written by one.
        unsafe { case.stream().launch(&kernel, (5, threads), args![rounds, &input, &mut out]) }?;
        let got = case.read(&out)?;
        let want: Vec<u32> = (0..x.len()).map(|i| x[i - i % n + (i % n + rounds as usize) % n]).collect();
        case.bits(format_args!("blocks of {threads}"), &got, &want)
    })
}

/// Dynamic shared memory is as large as the launch says, up to what the device has, and beside what is static.
fn reverse<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "reverse")?;
    // The static part is four bytes, and a device may align what follows.
    let most = session.device().info().max_shared_memory.saturating_sub(1024) / 8;
    session.each(
        Lane::Exact,
        [(1, 0), (17, 1), (64, 0), (256, 0), (256, most.saturating_sub(256))],
        |case, (threads, first)| {
            let threads: u32 = threads;
            let x: Vec<u64> = numbers(4 * threads as usize).iter().map(|&x| u64::from(x) << 13).collect();
            let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<u64>(x.len())?);
            let grid = Grid::new(4, threads).shared(8 * (first + threads));
            // SAFETY: the kernel reads and writes as many elements as there are threads, each written by one, and eight bytes of dynamic
            // shared memory for each thread of a block, behind the first `first`.
            unsafe { case.stream().launch(&kernel, grid, args![first, &input, &mut out]) }?;
            let got = case.read(&out)?;
            let want: Vec<u64> = x.chunks(threads as usize).flat_map(|block| block.iter().rev().copied()).collect();
            case.bits(format_args!("from {first} on, out"), &got, &want)
        },
    )
}

/// Each thread of a grid of three axes is there once, at its place.
fn places<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "places")?;
    let shapes = [
        ([1, 1, 1], [1, 1, 1]),
        ([7, 1, 1], [32, 1, 1]),
        ([2, 3, 5], [3, 5, 7]),
        ([1, 4, 1], [1, 32, 2]),
        ([5, 2, 3], [8, 4, 8_u32]),
    ];
    session.each(Lane::Exact, shapes, |case, (blocks, threads): ([u32; 3], [u32; 3])| {
        let n = (blocks.iter().product::<u32>() * threads.iter().product::<u32>()) as usize;
        let mut out = case.stream().zeros::<u32>(n)?;
        // SAFETY: the kernel writes as many elements as there are threads, each by one.
        unsafe { case.stream().launch(&kernel, Grid::of(blocks, threads), args![&mut out]) }?;
        let got = case.read(&out)?;
        let mut want = Vec::with_capacity(n);
        let each = |of: [u32; 3]| {
            (0..of[2]).flat_map(move |z| (0..of[1]).flat_map(move |y| (0..of[0]).map(move |x| x | y << 5 | z << 10)))
        };
        for block in each(blocks) {
            want.extend(each(threads).map(|thread| thread | block << 15));
        }
        case.bits(format_args!("{blocks:?} blocks of {threads:?}"), &got, &want)
    })
}
