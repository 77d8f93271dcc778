//! Two devices.

use crate::{Outcome, check};
use warpwave_core::{Device, Ops, Reduce, Stream};
use warpwave_cuda::CudaDevice;

/// Copies both ways, in the order of both devices' streams.
pub(crate) fn copies_and_waits() -> Outcome {
    let (a, b) = (CudaDevice::open(0)?, CudaDevice::open(1)?);
    let (sa, sb) = (a.default_stream(), b.default_stream());
    for n in [0_usize, 1, 1000, (1 << 24) + 3] {
        let mut x = sa.alloc::<f32>(n)?;
        let mut y = sb.alloc::<f32>(n)?;
        sa.fill(&mut x, 1.0)?;
        for round in 0..5 {
            // The copy waits for the other device's work, and what comes next there for the copy.
            sb.copy_from_peer(&x, &mut y)?;
            sa.add_assign(&mut x, &1.0)?;
            sb.mul_assign(&mut y, &2.0)?;
            let expected = 2.0 * (round + 1) as f32;
            check(sb.to_vec(&y)?.iter().all(|&y| y == expected), format_args!("{n} elements, round {round}"))?;
            sa.copy_from_peer(&y, &mut x)?;
            check(sa.to_vec(&x)?.iter().all(|&x| x == expected), format_args!("{n} elements back, round {round}"))?;
            sa.fill(&mut x, (round + 2) as f32)?;
        }
    }
    Ok(())
}

/// One process that drives both from several threads.
pub(crate) fn from_several_threads() -> Outcome {
    let devices = [CudaDevice::open(0)?, CudaDevice::open(1)?];
    let work = |thread: usize| -> Result<bool, warpwave_core::Error> {
        let (from, to) = (&devices[thread % 2], &devices[(thread + 1) % 2]);
        let (s, t) = (from.new_stream()?, to.new_stream()?);
        for round in 0..40_usize {
            let n = 1 + (thread * 7919 + round * 104_729) % 300_000;
            let mut x = s.alloc::<u32>(n)?;
            s.iota(thread as u32, 1, &mut x)?;
            let mut y = t.alloc::<u32>(n)?;
            t.copy_from_peer(&x, &mut y)?;
            t.add_assign(&mut y, &round.try_into().unwrap_or(0))?;
            drop(x);
            let expected = (0..n as u32).fold(0_u32, |sum, i| sum.wrapping_add(i + thread as u32 + round as u32));
            if t.sum(&y)? != expected {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    for (thread, result) in results.into_iter().enumerate() {
        let good = result.map_err(|_| "a thread has panicked")??;
        check(good, format_args!("a sum of thread {thread}"))?;
    }
    Ok(())
}
