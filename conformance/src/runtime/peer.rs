//! Copies between devices.
//!
//! Both are opened from the device under test; where there are several of its kind, the other is another one.

use super::{another, check, hold, pattern, pause};
use crate::case::Case;
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Argument, Buffer, Device, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("peer.odd", odd));
    checks.push(check("peer.lengths", lengths));
    checks.push(check("peer.read_after_write", read_after_write));
    checks.push(check("peer.write_after_read", write_after_read));
    checks.push(check("peer.dropped_in_flight", dropped_in_flight));
    checks.push(check("peer.graphs", graphs));
    checks.push(check("peer.programs", programs));
}

/// Another device of the kind. As `opened`, the one that opening by number gives: of the device under test it may be another mode, so
/// that copies go between inline and asynchronous streams.
fn peer_of<D: Device>(case: &Case<'_, D>, opened: bool) -> Verdict<D> {
    if opened { Ok(case.origin.open(case.device(), 0)?) } else { peer(case) }
}

/// Another device of the kind, in the mode of the device under test.
fn peer<D: Device>(case: &Case<'_, D>) -> Verdict<D> {
    let count = case.origin.count(case.device())?;
    let own = case.device().info().uuid.clone();
    for index in 0..count {
        let device = case.origin.open(case.device(), index)?;
        if device.info().uuid != own {
            return Ok(device);
        }
    }
    another(case)
}

/// Copies at every combination of offsets; what lies around the target is left alone.
fn odd<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (0..40_usize, 0..40_usize, 0..300_usize, any::<u64>());
    session.cases(Lane::Poison, Counts::of(30), input, |case, (from, to, len, seed)| {
        let device = peer(case)?;
        let theirs = device.default_stream();
        let source = pattern::<u8>(seed, from + len + 3);
        let mut want = pattern::<u8>(!seed, to + len + 3);
        let x = theirs.from_slice(&source)?;
        let mut y = case.guarded(&want)?;
        let mut target = y.view_mut()?;
        case.stream().copy_from_peer(&x.slice(from..from + len)?, &mut target.slice_mut(to..to + len)?)?;
        want[to..to + len].copy_from_slice(&source[from..from + len]);
        let got = y.read(case)?;
        case.bits("target", &got, &want)?;
        // From the same device as well.
        let x = case.guarded(&source)?;
        let mut z = case.stream().zeros::<u8>(len)?;
        case.stream().copy_from_peer(&x.view()?.slice(from..from + len)?, &mut z)?;
        let got = case.read(&z)?;
        case.bits("from the same device", &got, &source[from..from + len])
    })
}

/// Lengths that differ and a target of another device are refused, and nothing has changed.
fn lengths<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let lengths = (0..50_usize, 0..50_usize).prop_filter("lengths that differ", |(a, b)| a != b);
    session.cases(Lane::Exact, Counts::of(10), lengths, |case, (a, b)| {
        let (device, stream) = (peer(case)?, case.stream());
        let theirs = device.default_stream();
        let (from, to) = (pattern::<i32>(1, a), pattern::<i32>(2, b));
        let x = theirs.from_slice(&from)?;
        let mut y = stream.from_slice(&to)?;
        case.refused(stream.copy_from_peer(&x, &mut y), "y")?;
        case.refused(theirs.copy_from_peer(&x, &mut stream.zeros::<i32>(a)?), "y")?;
        let (x, y) = (theirs.to_vec(&x)?, case.read(&y)?);
        case.bits("x", &x, &from)?;
        case.bits("y", &y, &to)
    })
}

/// A copy waits for what the source's device, which is late, was told to write; and reads on the target's wait for the copy.
fn read_after_write<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..400_usize, 1..u32::MAX), |case, (len, value)| {
        let (device, stream) = (peer(case)?, case.stream());
        let theirs = device.default_stream();
        let mut x = theirs.zeros::<u32>(len)?;
        let mut y = stream.zeros::<u32>(len)?;
        theirs.synchronize()?;
        stream.synchronize()?;
        let held = hold(&device, &theirs)?;
        theirs.fill(&mut x, value)?;
        stream.copy_from_peer(&x, &mut y)?;
        drop(held);
        let got = case.read(&y)?;
        case.bits("copied", &got, &vec![value; len])?;
        theirs.fill(&mut x, !value)?;
        pause(stream)?;
        stream.copy_from_peer(&x, &mut y)?;
        let got = case.device().new_stream()?.to_vec(&y)?;
        case.bits("read on another stream", &got, &vec![!value; len])
    })
}

/// A late copy reads what the source held when it was called, though its device is told to write, and the source is dropped.
fn write_after_read<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(
        Lane::Exact,
        Counts::of(8),
        (1..400_usize, any::<u64>(), any::<bool>()),
        |case, (len, seed, opened)| {
            let (device, stream) = (peer_of(case, opened)?, case.stream());
            let (theirs, others) = (device.default_stream(), device.new_stream()?);
            let data = pattern::<u32>(seed, len);
            let mut x = theirs.from_slice(&data)?;
            let (mut y, mut z) = (stream.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
            pause(stream)?;
            stream.copy_from_peer(&x, &mut y)?;
            others.fill(&mut x, 5)?;
            pause(stream)?;
            stream.copy_from_peer(&x, &mut z)?;
            drop(x);
            for _ in 0..3 {
                // Would be the same memory, if that were free.
                theirs.fill(&mut theirs.alloc::<u32>(len)?, 9)?;
            }
            let (y, z) = (case.read(&y)?, case.read(&z)?);
            case.bits("copied before it was written", &y, &data)?;
            case.bits("copied before it was dropped", &z, &vec![5; len])
        },
    )
}

/// The source's device may go while a copy is under way.
fn dropped_in_flight<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..400_usize, any::<u64>()), |case, (len, seed)| {
        let (device, stream) = (peer(case)?, case.stream());
        let data = pattern::<u32>(seed, len);
        let x = device.default_stream().from_slice(&data)?;
        let mut y = stream.zeros::<u32>(len)?;
        pause(stream)?;
        stream.copy_from_peer(&x, &mut y)?;
        drop((x, device));
        let got = case.read(&y)?;
        case.bits("copied from a device that is gone", &got, &data)?;
        // And the target's.
        let device = peer(case)?;
        let other = device.new_stream()?;
        let mut x = stream.from_slice(&data)?;
        let mut y = other.zeros::<u32>(len)?;
        pause(&other)?;
        other.copy_from_peer(&x, &mut y)?;
        drop((y, other, device));
        stream.fill(&mut x, 1)?;
        let got = case.read(&x)?;
        case.bits("written after the copy", &got, &vec![1; len])
    })
}

/// Graphs on either side are ordered with the copy.
fn graphs<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..400_usize, 1..6_u32), |case, (len, rounds)| {
        let (device, stream) = (peer(case)?, case.stream());
        let theirs = device.default_stream();
        let (mut x, mut y, mut z) = (theirs.zeros::<u32>(len)?, stream.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
        let mut node = None;
        let mut produce = theirs.record_graph(|r| {
            r.fill(&mut x, 0)?;
            node = r.last();
            Ok(())
        })?;
        let mut consume = stream.record_graph(|r| r.copy(&y, &mut z))?;
        let Some(node) = node else { return case.ensure(false, "a call was recorded, and there is no last one") };
        for round in 1..=rounds {
            produce.set_scalar(node, Argument::Value, round)?;
            pause(&theirs)?;
            produce.launch(&theirs)?;
            stream.copy_from_peer(&x, &mut y)?;
            consume.launch(&case.device().new_stream()?)?;
            let got = case.read(&z)?;
            case.bits("by way of two graphs and a copy", &got, &vec![round; len])?;
        }
        Ok(())
    })
}

/// One call of a program on two devices.
#[derive(Clone, Debug)]
enum Step {
    Pause { device: usize, stream: usize },
    Fill { device: usize, stream: usize, buffer: usize, value: u32 },
    Copy { device: usize, stream: usize, buffer: usize, hop: usize },
    Peer { device: usize, stream: usize, from: usize, to: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let (device, stream, buffer) = (0..2_usize, 0..2_usize, 0..3_usize);
    prop_oneof![
        1 => (device.clone(), stream.clone()).prop_map(|(device, stream)| Step::Pause { device, stream }),
        3 => (device.clone(), stream.clone(), buffer.clone(), any::<u32>())
            .prop_map(|(device, stream, buffer, value)| Step::Fill { device, stream, buffer, value }),
        2 => (device.clone(), stream.clone(), buffer.clone(), 1..3_usize)
            .prop_map(|(device, stream, buffer, hop)| Step::Copy { device, stream, buffer, hop }),
        4 => (device, stream, buffer.clone(), buffer)
            .prop_map(|(device, stream, from, to)| Step::Peer { device, stream, from, to }),
    ]
}

/// A program on two devices computes what the same program on one stream would.
fn programs<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    const LEN: usize = 40;
    let input = (prop::collection::vec(step(), 1..30), any::<bool>());
    session.cases(Lane::Exact, Counts::of(20), input, |case, (steps, opened)| {
        let devices = [case.device().clone(), peer_of(case, opened)?];
        let mut streams = Vec::new();
        let mut buffers = Vec::new();
        for device in &devices {
            let own = [device.default_stream(), device.new_stream()?];
            let zeros = || own[0].zeros::<u32>(LEN);
            buffers.push([zeros()?, zeros()?, zeros()?]);
            streams.push(own);
        }
        let mut model = [[0_u32; 3]; 2];
        for step in steps {
            match step {
                Step::Pause { device, stream } => pause(&streams[device][stream])?,
                Step::Fill { device, stream, buffer, value } => {
                    streams[device][stream].fill(&mut buffers[device][buffer], value)?;
                    model[device][buffer] = value;
                }
                Step::Copy { device, stream, buffer, hop } => {
                    let to = (buffer + hop) % 3;
                    let [x, y] = buffers[device].get_disjoint_mut([buffer, to]).map_err(Failure::new)?;
                    streams[device][stream].copy(&*x, y)?;
                    model[device][to] = model[device][buffer];
                }
                Step::Peer { device, stream, from, to } => {
                    let [source, target] = buffers.get_disjoint_mut([1 - device, device]).map_err(Failure::new)?;
                    streams[device][stream].copy_from_peer(&source[from], &mut target[to])?;
                    model[device][to] = model[1 - device][from];
                }
            }
        }
        for device in 0..2 {
            for buffer in 0..3 {
                let got = streams[device][1].to_vec(&buffers[device][buffer])?;
                case.bits("at the end", &got, &[model[device][buffer]; LEN])?;
            }
        }
        Ok(())
    })
}
