//! Host functions.

use super::{PATIENCE, another, check, pattern, pause};
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, ErrorKind, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("host_fn.order", order));
    checks.push(check("host_fn.panic", panic));
    checks.push(check("host_fn.refused", refused));
    checks.push(check("host_fn.drops", drops));
}

/// Functions are called in the order of the calls, each once, after the work in front of them.
fn order<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(10), prop::collection::vec(any::<bool>(), 0..40), |case, slow| {
        let stream = case.stream();
        let called = Arc::new(Mutex::new(Vec::new()));
        for (i, &slow) in slow.iter().enumerate() {
            if slow && i % 8 == 0 {
                pause(stream)?;
            }
            let called = called.clone();
            stream.host_fn(move || called.lock().unwrap_or_else(PoisonError::into_inner).push(i as u64))?;
        }
        stream.synchronize()?;
        let got = called.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let want: Vec<u64> = (0..slow.len() as u64).collect();
        case.bits("called", &got, &want)
    })
}

/// A panic is an error of the next call that synchronizes, once, and the stream goes on.
fn panic<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (any::<bool>(), any::<u32>()), |case, (by_reading, value)| {
        let stream = case.device().new_stream()?;
        let mut x = stream.zeros::<u32>(10)?;
        stream.synchronize()?;
        // Unwinds as a panic does, without a message on the terminal.
        stream.host_fn(|| std::panic::resume_unwind(Box::new("planted")))?;
        stream.fill(&mut x, value)?;
        let result = if by_reading { stream.to_vec(&x).map(drop) } else { stream.synchronize() };
        match result {
            Ok(()) => case.ensure(false, "a panic in a host function was not reported")?,
            Err(error) => {
                let reported = matches!(error.kind(), ErrorKind::DeviceFault { what } if what.contains("planted"));
                case.ensure(reported, format_args!("expected DeviceFault with the panic's message, got: {error}"))?;
            }
        }
        stream.synchronize()?;
        let got = stream.to_vec(&x)?;
        case.bits("work after the panic", &got, &[value; 10])
    })
}

/// Calls to the device from inside a host function are refused, and do no harm.
fn refused<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let (device, stream) = (case.device().clone(), case.stream().clone());
        let data = pattern::<u32>(5, 8);
        let mut x = stream.from_slice(&data)?;
        let mut pinned = stream.pinned::<u32>(8)?;
        let event = stream.record()?;
        stream.synchronize()?;
        let (send, receive) = channel();
        let inner = stream.clone();
        stream.host_fn(move || {
            let mut host = [0; 8];
            let results = vec![
                ("alloc", inner.alloc::<u32>(8).map(drop)),
                ("pinned", inner.pinned::<u32>(8).map(drop)),
                ("write", inner.write(&mut x, &[1; 8])),
                ("read", inner.read(&x, &mut host)),
                ("fill", inner.fill(&mut x, 1)),
                ("upload", inner.upload(&mut x, &pinned)),
                ("guard", pinned.write().map(drop)),
                ("host_fn", inner.host_fn(|| ())),
                ("record", inner.record().map(drop)),
                ("wait", inner.wait(&event)),
                ("query", event.query().map(drop)),
                ("event.synchronize", event.synchronize()),
                ("synchronize", inner.synchronize()),
                ("new_stream", device.new_stream().map(drop)),
                ("trim", device.trim().map(drop)),
            ];
            // The receiver waits below.
            let _ = send.send((results, x));
        })?;
        let (results, x) = receive.recv_timeout(PATIENCE).map_err(Failure::new)?;
        for (call, result) in results {
            case.refused(result, "self").map_err(|failure| Failure::new(format_args!("{call}: {failure}")))?;
        }
        stream.synchronize()?;
        let got = case.read(&x)?;
        case.bits("untouched", &got, &data)
    })
}

/// Buffers, events, streams and devices may be dropped inside a host function.
fn drops<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(5), (1..2000_usize, any::<u64>()), |case, (len, seed)| {
        let device = another(case)?;
        let data = pattern::<u32>(seed, len);
        let (stream, extra) = (device.new_stream()?, device.new_stream()?);
        let mut in_flight = extra.from_slice(&data)?;
        pause(&extra)?;
        extra.fill(&mut in_flight, 3)?;
        let pinned = stream.pinned::<u32>(len)?;
        let event = extra.record()?;
        stream.host_fn(move || drop((in_flight, pinned, event, extra)))?;
        let x = stream.from_slice(&data)?;
        let got = stream.to_vec(&x)?;
        case.bits("after the drops", &got, &data)?;
        stream.synchronize()?;
        // The last handles of all, and the device with them.
        let (send, receive) = channel();
        let last = another(case)?;
        let buffer = last.default_stream().from_slice(&data)?;
        stream.host_fn(move || {
            drop((buffer, last));
            let _ = send.send(());
        })?;
        case.ensure(receive.recv_timeout(PATIENCE).is_ok(), "dropping a device in a host function did not return")?;
        Ok(stream.synchronize()?)
    })
}
