//! Devices, and what outlives them.

use super::{PATIENCE, another, check, pattern, pause};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use std::sync::mpsc::channel;
use warpwave_core::numerics::contract::{self, Lane};
use warpwave_core::{Buffer, DType, Device, OperationKind, Precision, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("device.describes_itself", describes_itself));
    checks.push(check("device.outlived_by_stream", outlived_by_stream));
    checks.push(check("device.stream_dropped", stream_dropped));
    checks.push(check("device.dropped_in_flight", dropped_in_flight));
}

/// The description is complete and does not change, and nothing is claimed that the contract does not have.
fn describes_itself<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let device = case.device();
        let info = device.info();
        case.ensure(!info.id.is_empty() && !info.name.is_empty() && !info.arch.is_empty(), format_args!("{info:?}"))?;
        case.ensure(info.warp_size.is_power_of_two() && info.units > 0, format_args!("{info:?}"))?;
        case.ensure(["inline", "async", "gpu"].contains(&info.mode.as_str()), format_args!("mode {}", info.mode))?;
        let stream = case.stream();
        case.ensure(stream.device().info() == info, "a stream has another device than the one it was made on")?;
        case.ensure(stream.clone().id() == stream.id(), "a clone of a stream has another number")?;
        case.ensure(device.new_stream()?.id() != stream.id(), "two streams have one number")?;
        case.ensure(stream.precision() == Precision::Strict, "the precision is not strict at first")?;
        let fast = stream.with_precision(Precision::Fast);
        case.ensure(fast.precision() == Precision::Fast && fast.id() == stream.id(), "precision is not of a handle")?;
        for &kind in OperationKind::ALL {
            for dtype in DType::ALL {
                case.ensure(
                    !device.supports(kind, dtype) || contract::supports(kind, dtype),
                    format_args!("claims {kind} of {dtype}, which the contract does not have"),
                )?;
            }
        }
        Ok(())
    })
}

/// A stream and its buffers work on when all handles of the device are gone.
fn outlived_by_stream<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(5), (1..2000_usize, any::<u64>()), |case, (len, seed)| {
        let device = another(case)?;
        let id = device.info().id.clone();
        let stream = device.new_stream()?;
        let data = pattern::<u8>(seed, len);
        let x = stream.from_slice(&data)?;
        pause(&stream)?;
        drop(device);
        let mut y = stream.zeros::<u8>(len)?;
        stream.copy(&x, &mut y)?;
        let got = stream.to_vec(&y)?;
        case.bits("copied without a device", &got, &data)?;
        case.ensure(stream.device().info().id == id, "a stream has lost its device")?;
        let second = stream.device().new_stream()?;
        drop(stream);
        let got = second.to_vec(&x)?;
        case.bits("read on a stream made later", &got, &data)?;
        drop(second);
        // A buffer may be the last of all.
        case.ensure(x.len() == len, "a buffer has lost its length")
    })
}

/// The work of a stream whose last handle is gone still runs, and what it writes can be used.
fn stream_dropped<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..2000_usize, any::<u32>()), |case, (len, value)| {
        let stream = case.device().new_stream()?;
        let mut x = stream.zeros::<u32>(len)?;
        let (send, receive) = channel();
        pause(&stream)?;
        stream.fill(&mut x, value)?;
        stream.host_fn(move || {
            // Nobody listens if the check has ended early.
            let _ = send.send(());
        })?;
        drop(stream);
        let got = case.read(&x)?;
        case.bits("written by a stream that is gone", &got, &vec![value; len])?;
        case.ensure(receive.recv_timeout(PATIENCE).is_ok(), "a host function of a dropped stream was not called")
    })
}

/// Everything may be dropped at once, in any order, with work under way: drops do not wait, and the work still runs.
fn dropped_in_flight<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let order = Just(vec![0_usize, 1, 2, 3]).prop_shuffle();
    session.cases(Lane::Exact, Counts::of(6), (order, 1..500_usize), |case, (order, len)| {
        let device = another(case)?;
        let (a, b) = (device.new_stream()?, device.new_stream()?);
        let mut x = a.zeros::<u64>(len)?;
        let mut y = b.zeros::<u64>(len)?;
        let (send, receive) = channel();
        pause(&a)?;
        a.fill(&mut x, 7)?;
        b.copy(&x, &mut y)?;
        b.host_fn(move || {
            // Nobody listens if the check has ended early.
            let _ = send.send(());
        })?;
        let (mut buffers, mut first, mut second, mut handle) = (Some((x, y)), Some(a), Some(b), Some(device));
        for what in order {
            match what {
                0 => drop(buffers.take()),
                1 => drop(first.take()),
                2 => drop(second.take()),
                _ => drop(handle.take()),
            }
        }
        case.ensure(receive.recv_timeout(PATIENCE).is_ok(), "work was lost with the handles")
    })
}
