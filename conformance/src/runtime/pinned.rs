//! Pinned host memory.

use super::{check, pattern, pause};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Error, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("pinned.transfers", transfers));
    checks.push(check("pinned.waits", waits));
    checks.push(check("pinned.dropped", dropped));
    checks.push(check("pinned.forgotten", forgotten));
    checks.push(check("pinned.registered", registered));
}

/// There and back, on two streams.
fn transfers<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(10), (0..5000_usize, any::<u64>()), |case, (len, seed)| {
        let (stream, other) = (case.stream(), case.device().new_stream()?);
        let data = pattern::<u16>(seed, len);
        let mut from = stream.pinned::<u16>(len)?;
        let mut to = stream.pinned::<u16>(len)?;
        from.write()?.copy_from_slice(&data);
        let mut x = stream.alloc::<u16>(len)?;
        pause(stream)?;
        stream.upload(&mut x, &from)?;
        other.download(&x, &mut to)?;
        let got = to.read()?.to_vec();
        case.bits("there and back", &got, &data)
    })
}

/// A vector's own memory as pinned memory: there and back, and dropped while a copy is under way.
fn registered<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(10), (0..5000_usize, any::<u64>()), |case, (len, seed)| {
        let (stream, other) = (case.stream(), case.device().new_stream()?);
        let data = pattern::<u16>(seed, len);
        let from = stream.register(data.clone()).map_err(Error::from)?;
        let mut to = other.register(vec![0_u16; len]).map_err(Error::from)?;
        let mut x = stream.alloc::<u16>(len)?;
        pause(stream)?;
        stream.upload(&mut x, &from)?;
        drop(from);
        other.download(&x, &mut to)?;
        let got = to.read()?.to_vec();
        case.bits("there and back", &got, &data)?;
        pause(&other)?;
        other.download(&x, &mut to)?;
        drop(to);
        let got = case.read(&x)?;
        case.bits("after its end", &got, &data)
    })
}

/// A guard of the host's waits for the copies under way.
fn waits<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(10), (1..3000_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let (old, new) = (pattern::<u8>(seed, len), pattern::<u8>(!seed, len));
        let mut pinned = stream.pinned::<u8>(len)?;
        pinned.write()?.copy_from_slice(&old);
        let mut x = stream.zeros::<u8>(len)?;
        pause(stream)?;
        stream.upload(&mut x, &pinned)?;
        pinned.write()?.copy_from_slice(&new);
        let got = case.read(&x)?;
        case.bits("uploaded before the host wrote again", &got, &old)?;
        stream.write(&mut x, &new)?;
        pause(stream)?;
        stream.download(&x, &mut pinned)?;
        let got = pinned.read()?.to_vec();
        case.bits("downloaded", &got, &new)
    })
}

/// Pinned memory may be dropped while copies are under way.
fn dropped<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(10), (1..3000_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let data = pattern::<u32>(seed, len);
        let mut x = stream.zeros::<u32>(len)?;
        let mut pinned = stream.pinned::<u32>(len)?;
        pinned.write()?.copy_from_slice(&data);
        pause(stream)?;
        stream.upload(&mut x, &pinned)?;
        drop(pinned);
        // Would be the same memory, if that were free.
        let mut next = case.device().new_stream()?.pinned::<u32>(len)?;
        next.write()?.fill(0xdead_beef);
        let got = case.read(&x)?;
        case.bits("uploaded from the dropped memory", &got, &data)?;
        pause(stream)?;
        stream.download(&x, &mut next)?;
        drop((next, x));
        stream.synchronize()?;
        case.ensure(true, "")
    })
}

/// What is forgotten, memory or guard, makes nothing unsound: the device is kept from guarded memory, and the rest works on.
fn forgotten<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..500_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let data = pattern::<i64>(seed, len);
        let mut x = stream.from_slice(&data)?;
        let mut pinned = stream.pinned::<i64>(len)?;
        std::mem::forget(pinned.write()?);
        case.refused(stream.upload(&mut x, &pinned), "data")?;
        case.refused(stream.download(&x, &mut pinned), "data")?;

        let mut read = stream.pinned::<i64>(len)?;
        read.write()?.copy_from_slice(&data);
        std::mem::forget(read.read()?);
        case.refused(stream.download(&x, &mut read), "data")?;
        stream.upload(&mut x, &read)?;
        let got = read.read()?.to_vec();
        case.bits("read beside a forgotten guard", &got, &data)?;

        let mut memory = stream.pinned::<i64>(len)?;
        pause(stream)?;
        stream.download(&x, &mut memory)?;
        std::mem::forget(memory);

        let mut next = stream.pinned::<i64>(len)?;
        stream.download(&x, &mut next)?;
        let got = next.read()?.to_vec();
        case.bits("downloaded afterwards", &got, &data)
    })
}
