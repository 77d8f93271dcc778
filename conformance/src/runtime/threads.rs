//! Several threads.

use super::{check, join, pattern};
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("threads.streams", streams));
    checks.push(check("threads.moves", moves));
}

/// Threads that share a device, each with a stream of its own or all with one, do not disturb each other.
fn streams<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (2..6_usize, any::<bool>(), 1..600_usize, any::<u64>());
    session.cases(Lane::Exact, Counts::of(8), input, |case, (threads, shared, len, seed)| {
        let (device, common) = (case.device(), case.stream());
        let work = |thread: usize| -> Verdict<(Vec<u32>, Vec<u32>)> {
            let own = if shared { common.clone() } else { device.new_stream()? };
            let data = pattern::<u32>(seed ^ thread as u64, len);
            let mut x = own.from_slice(&data)?;
            for round in 0..5 {
                // Blocks of one size go round between the threads.
                let mut y = own.alloc::<u32>(len)?;
                own.fill(&mut y, round)?;
                own.copy(&x, &mut y)?;
                let mut z = own.zeros::<u32>(len)?;
                own.copy(&y.slice(..len / 2)?, &mut z.slice_mut(..len / 2)?)?;
                own.copy(&y.slice(len / 2..)?, &mut z.slice_mut(len / 2..)?)?;
                x = z;
            }
            Ok((own.to_vec(&x)?, data))
        };
        let results = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
            handles.into_iter().map(join).collect::<Vec<_>>()
        });
        for result in results {
            let (got, want) = result?;
            case.bits("a thread's data", &got, &want)?;
        }
        Ok(())
    })
}

/// A buffer goes from thread to thread, and each uses it on another stream.
fn moves<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..5_u32, 1..300_usize), |case, (hops, len)| {
        let device = case.device();
        let mut x = case.stream().zeros::<u32>(len)?;
        for hop in 0..hops {
            x = std::thread::scope(|scope| {
                join(scope.spawn(move || -> Verdict<D::Buffer<u32>> {
                    let stream = device.new_stream()?;
                    super::pause(&stream)?;
                    stream.fill(&mut x.slice_mut(hop as usize % len..)?, hop + 1)?;
                    Ok(x)
                }))
            })?;
        }
        let mut want = vec![0; len];
        for hop in 0..hops {
            want[hop as usize % len..].fill(hop + 1);
        }
        let got = case.read(&x).map_err(|failure| Failure::new(format_args!("after {hops} threads: {failure}")))?;
        case.bits("x", &got, &want)
    })
}
