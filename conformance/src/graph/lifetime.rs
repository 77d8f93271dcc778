//! What graphs keep, and where they end.

use super::check;
use crate::runtime::{PATIENCE, another, pattern, pause};
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use std::sync::mpsc::channel;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{DType, Device, OperationKind, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("temporaries", temporaries));
    checks.push(
        check("dropped_buffers", dropped_buffers).needing(DType::U16, [OperationKind::Fill, OperationKind::Copy]),
    );
    checks.push(check("dropped_in_flight", dropped_in_flight));
    checks.push(check("outlives_device", outlives_device));
    checks.push(check("memory", memory));
}

/// Temporaries are nobody else's while the graph lives, also those that are used several times in it.
fn temporaries<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (1..2000_usize, 1..5_usize, any::<u64>());
    session.cases(Lane::Exact, Counts::of(8), input, |case, (len, hops, seed)| {
        let stream = case.stream();
        let data = pattern::<u32>(seed, len);
        let x = stream.from_slice(&data)?;
        let mut y = stream.zeros::<u32>(len)?;
        let mut graph = stream.record_graph(|r| {
            let mut kept = r.alloc::<u32>(len)?;
            r.copy(&x, &mut kept)?;
            for _ in 0..hops {
                // Dropped each time, and got again.
                let mut passing = r.alloc::<u32>(len)?;
                r.copy(&kept, &mut passing)?;
                r.fill(&mut kept, 0)?;
                r.copy(&passing, &mut kept)?;
            }
            r.copy(&kept, &mut y)
        })?;
        let mut others = (0..6_u32).map(|_| stream.alloc::<u32>(len)).collect::<Result<Vec<_>, _>>()?;
        for _ in 0..2 {
            for (i, other) in (0..).zip(&mut others) {
                stream.fill(other, i)?;
            }
            stream.fill(&mut y, 0)?;
            graph.launch(stream)?;
            let got = case.read(&y)?;
            case.bits("by way of temporaries", &got, &data)?;
            for (i, other) in (0..).zip(&others) {
                let got = case.read(other)?;
                case.bits("memory got beside the graph", &got, &vec![i; len])?;
            }
        }
        Ok(())
    })
}

/// What a graph touches stays there when its buffers are dropped.
fn dropped_buffers<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..2000_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let data = pattern::<u16>(seed, len);
        let (x, mut y) = (stream.from_slice(&data)?, stream.zeros::<u16>(len)?);
        let mut via = stream.zeros::<u16>(len)?;
        let mut graph = stream.record_graph(|r| {
            r.copy(&x, &mut via)?;
            r.copy(&via, &mut y)
        })?;
        drop((x, via));
        let mut others = (0..6).map(|_| stream.alloc::<u16>(len)).collect::<Result<Vec<_>, _>>()?;
        for other in &mut others {
            stream.fill(other, 9)?;
        }
        for stream in [stream, &case.device().new_stream()?] {
            stream.fill(&mut y, 0)?;
            graph.launch(stream)?;
            let got = case.read(&y)?;
            case.bits("copied from a buffer that was dropped", &got, &data)?;
        }
        for other in &others {
            let got = case.read(other)?;
            case.bits("memory got afterwards", &got, &vec![9; len])?;
        }
        Ok(())
    })
}

/// A graph may be dropped while it runs, in a host function too: what was launched still happens.
fn dropped_in_flight<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (1..500_usize, any::<bool>(), any::<u32>());
    session.cases(Lane::Exact, Counts::of(8), input, |case, (len, in_host_fn, value)| {
        let stream = case.device().new_stream()?;
        let (mut x, mut y) = (stream.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
        let mut graph = stream.record_graph(|r| {
            let mut temporary = r.alloc::<u32>(len)?;
            r.fill(&mut temporary, value)?;
            r.copy(&temporary, &mut x)
        })?;
        pause(&stream)?;
        graph.launch(&stream)?;
        if in_host_fn {
            case.device().new_stream()?.host_fn(move || drop(graph))?;
        } else {
            drop(graph);
        }
        stream.copy(&x, &mut y)?;
        drop(stream);
        let got = case.read(&y)?;
        case.bits("written by a graph that is gone", &got, &vec![value; len])
    })
}

/// A graph works on when all other handles of its device are gone, and may be the last of them.
fn outlives_device<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(5), (1..500_usize, any::<u32>()), |case, (len, value)| {
        let device = another(case)?;
        let stream = device.new_stream()?;
        let mut pinned = stream.pinned::<u32>(len)?;
        let mut graph = stream.record_graph(|r| {
            let mut x = r.alloc::<u32>(len)?;
            r.fill(&mut x, value)?;
            r.download(&x, &mut pinned)
        })?;
        drop(device);
        pause(&stream)?;
        graph.launch(&stream)?;
        let (send, receive) = channel();
        stream.host_fn(move || {
            // Nobody listens if the check has ended early.
            let _ = send.send(());
        })?;
        drop(stream);
        let got = pinned.read()?.to_vec();
        drop(pinned);
        case.bits("written without a device", &got, &vec![value; len])?;
        case.ensure(receive.recv_timeout(PATIENCE).is_ok(), "work was lost with the handles")?;
        drop(graph);
        Ok(())
    })
}

/// Memory counts as in use while a buffer or a graph has it, and no longer.
fn memory<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), 1000..100_000_usize, |case, len| {
        let device = another(case)?;
        let stream = device.default_stream();
        let in_use = || device.memory().in_use;
        let mut x = stream.alloc::<u8>(len)?;
        let one = in_use();
        let mut graphs = Vec::new();
        for _ in 0..2 {
            let graph = stream.record_graph(|r| {
                let mut temporary = r.alloc::<u8>(len)?;
                r.fill(&mut temporary, 1)?;
                r.copy(&temporary, &mut x)
            });
            graphs.push(graph?);
        }
        case.ensure(in_use() == 3 * one, format_args!("{} bytes in use by a buffer and two temporaries", in_use()))?;
        drop(x);
        case.ensure(in_use() == 3 * one, "a dropped buffer that graphs touch does not count as in use")?;
        for (left, mut graph) in [(2, graphs.pop()), (0, graphs.pop())] {
            if let Some(graph) = &mut graph {
                graph.launch(&stream)?;
            }
            drop(graph);
            if in_use() != left * one {
                return Err(Failure::new(format_args!("{} bytes in use, and not {}", in_use(), left * one)));
            }
        }
        Ok(())
    })
}
