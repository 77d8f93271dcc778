//! Allocation and fills.

use super::{another, check, for_every_type, pattern, pause};
use crate::{Case, Check, Counts, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{AsView, Buffer, Device, Element, ErrorKind, Layout, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for_every_type!(checks, D, "memory.empty", empty);
    for_every_type!(checks, D, "memory.round_trip", round_trip);
    for_every_type!(checks, D, "memory.fill", fill);
    checks.push(check("memory.guards", guards));
    checks.push(check("memory.fresh", fresh));
    checks.push(check("memory.reuse", reuse));
    checks.push(check("memory.exhausted", exhausted));
    checks.push(check("memory.accounts", accounts));
}

/// Nothing can be allocated, filled, copied and read like anything else.
fn empty<D: Device, T: Element>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let mut x = stream.alloc::<T>(0)?;
        let mut y = stream.zeros::<T>(0)?;
        let z = stream.from_slice::<T>(&[])?;
        case.ensure(x.is_empty() && y.len() == 0 && z.view().is_empty(), "an empty buffer is not empty")?;
        stream.fill(&mut x, T::default())?;
        stream.copy(&z, &mut x)?;
        stream.write(&mut y, &[])?;
        stream.read(&y, &mut [])?;
        let mut pinned = stream.pinned::<T>(0)?;
        stream.upload(&mut y, &pinned)?;
        stream.download(&y, &mut pinned)?;
        case.ensure(pinned.read()?.is_empty(), "empty pinned memory is not empty")?;
        for (rows, cols) in [(0, 0), (0, 5), (5, 0)] {
            for layout in [Layout::ColumnMajor, Layout::RowMajor] {
                let from = z.view().matrix_with(rows, cols, 5, layout)?;
                stream.copy_matrix(&from, &mut x.matrix_mut(rows, cols)?)?;
            }
        }
        stream.synchronize()?;
        // A part of something can be nothing as well.
        let mut whole = stream.from_slice(&pattern::<T>(1, 3))?;
        for at in 0..=3 {
            stream.fill(&mut whole.slice_mut(at..at)?, T::default())?;
        }
        let (got, none) = (case.read(&whole)?, case.read(&x)?);
        case.bits("untouched", &got, &pattern::<T>(1, 3))?;
        case.bits("empty", &none, &[])
    })
}

/// What was written is read, whole and in parts at every offset.
fn round_trip<D: Device, T: Element>(session: &mut Session<'_, D>) -> Verdict {
    let input = (0..300_usize, any::<u64>(), 0..70_usize, 0..70_usize);
    session.cases(Lane::Exact, Counts::of(12), input, |case, (len, seed, from, part)| {
        let mut data = pattern::<T>(seed, len);
        let mut x = case.stream().from_slice(&data)?;
        let got = case.read(&x)?;
        case.bits("whole", &got, &data)?;
        let from = from.min(len);
        let range = from..(from + part).min(len);
        let fresh = pattern::<T>(!seed, range.len());
        case.stream().write(&mut x.slice_mut(range.clone())?, &fresh)?;
        data[range.clone()].copy_from_slice(&fresh);
        let (whole, part) = (case.read(&x)?, case.read(&x.slice(range.clone())?)?);
        case.bits("whole after a part was written", &whole, &data)?;
        case.bits("part", &part, &data[range])
    })
}

/// A fill writes all of its range, and nothing else, at every offset and length.
fn fill<D: Device, T: Element>(session: &mut Session<'_, D>) -> Verdict {
    let input = (0..200_usize, 0..200_usize, any::<u64>());
    session.cases(Lane::Poison, Counts::of(12), input, |case, (from, len, seed)| {
        let mut want = pattern::<T>(seed, from + len + 5);
        let mut x = case.guarded(&want)?;
        let value = pattern::<T>(!seed, 1)[0];
        case.stream().fill(&mut x.view_mut()?.slice_mut(from..from + len)?, value)?;
        want[from..from + len].fill(value);
        let got = x.read(case)?;
        case.bits("x", &got, &want)
    })
}

/// Writes stay inside what they are asked to write.
fn guards<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let body = |case: &mut Case<'_, D>, (len, seed): (usize, u64)| {
        let (data, zeros) = (pattern::<u8>(seed, len), vec![0; len]);
        let source = case.guarded(&data)?;
        let (mut written, mut copied) = (case.guarded(&zeros)?, case.guarded(&zeros)?);
        case.stream().write(&mut written.view_mut()?, &data)?;
        case.stream().copy(&source.view()?, &mut copied.view_mut()?)?;
        for (what, buffer) in [("source", source), ("written", written), ("copied", copied)] {
            let got = buffer.read(case)?;
            case.bits(what, &got, &data)?;
        }
        Ok(())
    };
    session.each(Lane::Poison, (0..40_usize).chain([63, 64, 65, 255, 256, 257]).map(|len| (len, 3)), body)?;
    session.cases(Lane::Poison, Counts::of(20), (0..5000_usize, any::<u64>()), body)
}

/// Memory that nobody has written can be read, and holds the same each time.
fn fresh<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Poison, Counts::of(20), (1..3000_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        // The pool may hand this out again.
        drop(stream.from_slice(&pattern::<u8>(seed, len))?);
        let x = stream.alloc::<u8>(len)?;
        let (first, second) = (case.read(&x)?, case.read(&x)?);
        // What it is does not count, so it enters no hash.
        case.ensure(first == second, "unwritten memory has changed")?;
        let pinned = stream.pinned::<u8>(len)?;
        let first = pinned.read()?.to_vec();
        case.ensure(*pinned.read()? == *first, "unwritten pinned memory has changed")
    })
}

/// Memory of a dropped buffer that is still used by pending work is not given to another.
fn reuse<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (1..2000_usize, any::<u64>(), any::<bool>(), any::<bool>());
    session.cases(Lane::Exact, Counts::of(10), input, |case, (len, seed, elsewhere, crossing)| {
        let other = case.device().new_stream()?;
        let first = case.stream();
        let second = if elsewhere { &other } else { first };
        let data = pattern::<u32>(seed, len);
        let source = first.from_slice(&data)?;
        let mut target = first.zeros::<u32>(len)?;
        let reader = if crossing { &other } else { first };
        pause(reader)?;
        reader.copy(&source, &mut target)?;
        drop(source);
        let mut blocks = Vec::new();
        for _ in 0..3 {
            let mut block = second.alloc::<u32>(len)?;
            second.fill(&mut block, 0xdead_beef)?;
            blocks.push(block);
        }
        let got = case.read(&target)?;
        case.bits("copied from the dropped buffer", &got, &data)?;
        for block in blocks {
            let got = case.read(&block)?;
            case.bits("allocated later", &got, &vec![0xdead_beef; len])?;
        }
        Ok(())
    })
}

/// A request that cannot be met is refused, and the device goes on working.
fn exhausted<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    // Up to 2⁶² bytes the backend is asked; beyond, no allocation has such a size.
    let exponents = prop_oneof![30..40_u32, 40..62_u32];
    let input = (exponents, any::<bool>(), any::<u64>());
    session.cases(Lane::Exact, Counts::of(10), input, |case, (exponent, pinned, seed)| {
        let stream = case.stream();
        let data = pattern::<u32>(seed, 100);
        let kept = stream.from_slice(&data)?;
        // More than any machine has, or more than can be addressed.
        let len = usize::try_from(1_u64 << exponent).unwrap_or(usize::MAX).saturating_mul(1 << 20);
        let result = if pinned { stream.pinned::<u64>(len).map(drop) } else { stream.alloc::<u64>(len).map(drop) };
        match result {
            Ok(()) => return case.ensure(false, format_args!("allocated {len} × 8 bytes")),
            Err(error) => match error.kind() {
                ErrorKind::OutOfMemory { requested, .. } => {
                    case.ensure(*requested >= len, format_args!("says that {requested} bytes were requested"))?;
                }
                ErrorKind::InvalidArgument { .. } => {
                    let addressable = len.checked_mul(8).is_some_and(|bytes| isize::try_from(bytes).is_ok());
                    case.ensure(!addressable, format_args!("expected OutOfMemory, got: {error}"))?;
                }
                _ => case.ensure(false, format_args!("expected OutOfMemory, got: {error}"))?,
            },
        }
        let mut x = stream.zeros::<u32>(100)?;
        stream.copy(&kept, &mut x)?;
        let got = case.read(&x)?;
        case.bits("copied afterwards", &got, &data)
    })
}

/// The device knows how much memory is in use, and gives back what is not.
fn accounts<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(3), prop::collection::vec(1..100_000_usize, 1..6), |case, sizes| {
        // Nobody else allocates on a device of one's own.
        let device = another(case)?;
        let stream = device.new_stream()?;
        let before = device.memory();
        let total: usize = sizes.iter().sum();
        let buffers = sizes.iter().map(|&bytes| stream.zeros::<u8>(bytes)).collect::<Result<Vec<_>, _>>()?;
        let during = device.memory();
        case.ensure(
            during.in_use >= before.in_use + total,
            format_args!("{} bytes in use with buffers of {total}", during.in_use - before.in_use),
        )?;
        drop(buffers);
        stream.synchronize()?;
        let after = device.memory();
        case.ensure(after.in_use == before.in_use, "dropped buffers still count as in use")?;
        case.ensure(after.cached >= total, format_args!("{} bytes cached of {total}", after.cached))?;
        let freed = device.trim()?;
        case.ensure(freed >= total, format_args!("trim gave back {freed} bytes of {total}"))?;
        case.ensure(device.memory().cached == 0, "trim left memory in the pool")
    })
}
