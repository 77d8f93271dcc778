//! Atomic operations under contention, and blocks that wait for each other.

use super::{check, kernel, numbers};
use crate::check::Check;
use crate::failure::Verdict;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Stream, args};

const BLOCKS: u32 = 24;
const THREADS: u32 = 256;
const N: usize = (BLOCKS * THREADS) as usize;

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("atomic.add", additions));
    checks.push(check("atomic.add.shared", shared_additions));
    checks.push(check("atomic.add.special", special_additions));
    checks.push(check("atomic.bits", bits));
    checks.push(check("atomic.exchange", exchanges));
    checks.push(check("relay", relay));
}

/// No addition is lost.
fn additions<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "additions")?;
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let (mut a, mut b) = (stream.from_slice(&[5_u32, 6, 7])?, stream.from_slice(&[u64::MAX, 1, 2])?);
        let (mut c, mut d) = (stream.from_slice(&[0.0_f32, -0.5, 1.0])?, stream.from_slice(&[0.0_f64, -0.5, 1.0])?);
        let (mut e, mut f) = (stream.from_slice(&[5_i32, 6, 7])?, stream.from_slice(&[i64::MIN, 1, 2])?);
        let args = args![&mut a, &mut b, &mut c, &mut d, &mut e, &mut f];
        // SAFETY: the kernel touches three elements of each, by atomic additions alone.
        unsafe { stream.launch(&kernel, (BLOCKS, THREADS), args) }?;
        let (mut want_e, mut want_f) = ([5_i32, 6, 7], [i64::MIN, 1, 2]);
        for i in 0..N {
            want_e[i % 3] = want_e[i % 3].wrapping_sub(i as i32);
            want_f[i % 3] = want_f[i % 3].wrapping_sub((i as i64) << 20);
        }
        let (e, f) = (case.read(&e)?, case.read(&f)?);
        case.bits("i32", &e, &want_e)?;
        case.bits("i64", &f, &want_f)?;
        let (mut want_a, mut want_b, mut sums) = ([5_u32, 6, 7], [u64::MAX, 1, 2], [0.0_f64, -0.5, 1.0]);
        for i in 0..N {
            want_a[i % 3] = want_a[i % 3].wrapping_add(i as u32);
            want_b[i % 3] = want_b[i % 3].wrapping_add((i as u64) << 20);
            sums[i % 3] += if i % 2 == 0 { 1.0 } else { -3.0 };
        }
        let (a, b, c, d) = (case.read(&a)?, case.read(&b)?, case.read(&c)?, case.read(&d)?);
        case.bits("u32", &a, &want_a)?;
        case.bits("u64", &b, &want_b)?;
        case.bits("f32", &c, &sums.map(|sum| sum as f32))?;
        case.bits("f64", &d, &sums)
    })
}

fn shared_additions<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "shared_additions")?;
    session.each(Lane::Exact, [3, 64, 255, 256_u32], |case, threads| {
        let mut out = case.stream().zeros::<u32>(3 * BLOCKS as usize)?;
        // SAFETY: the kernel writes three elements for each block.
        unsafe { case.stream().launch(&kernel, (BLOCKS, threads), args![&mut out]) }?;
        let got = case.read(&out)?;
        let sums = [0, 1, 2].map(|first| (first..threads).step_by(3).sum::<u32>());
        case.bits("out", &got, &sums.repeat(BLOCKS as usize))
    })
}

/// An atomic addition is an addition: of zeros, denormals, infinities, and numbers that cancel. What is NaN is some NaN.
fn special_additions<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "special_additions")?;
    session.once(Lane::Exact, |case| {
        // The last addition is one that changes something.
        let (tiny, large) = (f32::MIN_POSITIVE, f32::MAX);
        let values = [f32::NAN, 0.0, -0.0, 1.0, -1.0, 1e-40, -1e-45, tiny, f32::INFINITY, -f32::INFINITY, large];
        let (tiny, large) = (f64::MIN_POSITIVE, f64::MAX);
        let wide = [f64::NAN, 0.0, -0.0, 1.0, -1.0, 1e-310, -5e-324, tiny, f64::INFINITY, -f64::INFINITY, large];
        let pairs = || (0..values.len()).flat_map(|i| (0..values.len()).map(move |j| (i, j)));
        let [x, a] = [pairs().map(|(i, _)| values[i]).collect::<Vec<_>>(), pairs().map(|(_, j)| values[j]).collect()];
        let [y, b] = [pairs().map(|(i, _)| wide[i]).collect::<Vec<_>>(), pairs().map(|(_, j)| wide[j]).collect()];
        let stream = case.stream();
        let (da, db) = (stream.from_slice(&a)?, stream.from_slice(&b)?);
        let (mut dx, mut dy) = (stream.from_slice(&x)?, stream.from_slice(&y)?);
        // SAFETY: the kernel touches `a.len()` elements of each.
        unsafe { stream.launch(&kernel, (1, 64), args![a.len(), &da, &db, &mut dx, &mut dy]) }?;
        let (got_x, got_y) = (case.read(&dx)?, case.read(&dy)?);
        // Which NaN is left to the device.
        let one = |x: f32| if x.is_nan() { f32::NAN } else { x };
        let other = |x: f64| if x.is_nan() { f64::NAN } else { x };
        let want_x: Vec<f32> = x.iter().zip(&a).map(|(x, a)| one(x + a)).collect();
        let want_y: Vec<f64> = y.iter().zip(&b).map(|(y, b)| other(y + b)).collect();
        case.bits("f32", &got_x.into_iter().map(one).collect::<Vec<_>>(), &want_x)?;
        case.bits("f64", &got_y.into_iter().map(other).collect::<Vec<_>>(), &want_y)
    })
}

fn bits<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "bits")?;
    session.each(Lane::Exact, [0xffff_ffff, 0x8000_0001, 0x0000_00ff, 0_u32], |case, mask| {
        let x: Vec<u32> = numbers(N).iter().map(|x| x & mask | 0x10).collect();
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().from_slice(&[0_u32, 0, u32::MAX])?);
        // SAFETY: the kernel reads as many elements as there are threads, and touches three of `out` by atomic operations alone.
        unsafe { case.stream().launch(&kernel, (BLOCKS, THREADS), args![&input, &mut out]) }?;
        let got = case.read(&out)?;
        let want = [
            x.iter().copied().max().unwrap_or(0),
            x.iter().fold(0, |bits, x| bits | x),
            x.iter().fold(u32::MAX, |bits, x| bits & x),
        ];
        case.bits("largest, any, all", &got, &want)
    })
}

/// Every number that was put there is found by exactly one thread, or at the end.
fn exchanges<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "exchanges")?;
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let (mut a, mut b) = (stream.zeros::<u32>(1)?, stream.zeros::<u64>(1)?);
        let mut seen = stream.zeros::<u32>(N)?;
        // SAFETY: the kernel touches one element of `a` and of `b` by atomic operations alone, and writes as many of `seen` as there are
        // threads, each by one.
        unsafe { stream.launch(&kernel, (BLOCKS, THREADS), args![&mut a, &mut b, &mut seen]) }?;
        let mut found = case.read(&seen)?;
        found.extend(case.read(&a)?);
        found.sort_unstable();
        case.bits("numbers", &found, &(0..=N as u32).collect::<Vec<_>>())?;
        let count = case.read(&b)?;
        case.bits("count", &count, &[3 * N as u64])
    })
}

/// What a block wrote before it released is there for the one that acquires, in order, with more blocks than a device runs at once.
fn relay<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "relay")?;
    session.each(Lane::Exact, [1, 2, 40, 500_u32], |case, blocks| {
        let stream = case.stream();
        let (mut ticket, mut flag) = (stream.zeros::<u32>(1)?, stream.zeros::<u32>(1)?);
        let (mut sum, mut out) = (stream.zeros::<u64>(1)?, stream.zeros::<u64>(blocks as usize)?);
        // SAFETY: `ticket` and `flag` are touched by atomic operations alone; `sum` and `out` by one block at a time, in the order of
        // their tickets.
        unsafe { stream.launch(&kernel, (blocks, 64), args![&mut ticket, &mut flag, &mut sum, &mut out]) }?;
        let got = case.read(&out)?;
        let mut sum = 0_u64;
        let want: Vec<u64> = (1..=u64::from(blocks))
            .map(|i| {
                sum = sum.wrapping_mul(3).wrapping_add(i);
                sum
            })
            .collect();
        case.bits("sums", &got, &want)
    })
}
