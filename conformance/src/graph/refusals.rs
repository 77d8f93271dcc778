//! What cannot be recorded or launched, and says so.

use super::check;
use crate::runtime::{another, pattern, pause};
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Buffer, DType, Device, ErrorKind, Indexing, OperationKind, Reduce, Result, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("refused.calls", calls));
    checks.push(check("refused.launches", launches));
    checks.push(check("pinned", pinned));
    checks.push(check("data_faults", data_faults));
}

/// Calls that wait, or that a launch could not repeat, are refused while recording, and leave no trace in the graph.
fn calls<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), (1..200_usize, any::<u64>()), |case, (len, seed)| {
        let stream = case.stream();
        let data = pattern::<u32>(seed, len);
        let (mut x, mut y) = (stream.from_slice(&data)?, stream.zeros::<u32>(len)?);
        let floats = stream.from_slice(&vec![1.0_f32; len])?;
        let mask = stream.zeros::<u8>(len)?;
        let event = stream.record()?;
        let mut other = stream.record_graph(|r| r.fill(&mut y, 3))?;
        let mut refused: Vec<(&str, Result<()>)> = Vec::new();
        let mut escaped = None;
        let mut graph = stream.record_graph(|r| {
            let mut temporary = r.alloc::<u32>(len)?;
            refused.extend([
                ("read", r.read(&x, &mut vec![0; len])),
                ("to_vec", r.to_vec(&x).map(drop)),
                ("write", r.write(&mut temporary, &data)),
                ("from_slice", r.from_slice(&data).map(drop)),
                ("synchronize", r.synchronize()),
                ("record", r.record().map(drop)),
                ("wait", r.wait(&event)),
                ("host_fn", r.host_fn(|| {})),
                ("record_graph", r.record_graph(|_| Ok(())).map(drop)),
                ("copy_from_peer", r.copy_from_peer(&x, &mut temporary)),
                ("launch", other.launch(r)),
                ("nrm2", r.nrm2(&floats).map(drop)),
                ("iamax", r.iamax(&floats).map(drop)),
                ("dot", r.dot(&floats, &floats).map(drop)),
                ("sum", r.sum(&floats).map(drop)),
                ("count", r.count(&mask).map(drop)),
            ]);
            escaped = Some((**r).clone());
            r.fill(&mut y, 5)
        })?;
        for (name, result) in refused {
            let failed = |f: Failure| Failure::new(format_args!("{name}: {f}"));
            let argument = if name == "launch" { "stream" } else { "self" };
            case.refused(result, argument).map_err(failed)?;
        }
        case.ensure(graph.len() == 1, format_args!("{} nodes of one call", graph.len()))?;
        let Some(escaped) = escaped else { return case.ensure(false, "the closure was not called") };
        case.refused(escaped.fill(&mut x, 1), "self")?;
        graph.launch(stream)?;
        let (x, y) = (case.read(&x)?, case.read(&y)?);
        case.bits("x", &x, &data)?;
        case.bits("y", &y, &vec![5; len])?;
        // An error of the closure is the call's, and what it had recorded is gone.
        let error = stream.record_graph(|r| r.alloc::<u32>(usize::MAX).map(drop)).map(drop);
        case.refused(error, "len")
    })
}

/// A launch on a stream of another device is refused, as are memory of another device and calls that do not fit.
fn launches<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), 2..100_usize, |case, len| {
        let (device, stream) = (another(case)?, case.stream());
        let theirs = device.default_stream();
        let mut x = stream.zeros::<u32>(len)?;
        let mut foreign = theirs.zeros::<u32>(len)?;
        let mut graph = stream.record_graph(|r| r.fill(&mut x, 1))?;
        case.refused(graph.launch(&theirs), "stream")?;
        case.refused(stream.record_graph(|r| r.fill(&mut foreign, 1)).map(drop), "x")?;
        case.refused(stream.record_graph(|r| r.copy(&x.slice(1..)?, &mut r.alloc(len)?)).map(drop), "y")?;
        let before = case.read(&x)?;
        case.bits("not launched", &before, &vec![0; len])?;
        // A launch in a host function is refused as every call there is.
        let (send, receive) = std::sync::mpsc::channel();
        let on = stream.clone();
        stream.host_fn(move || {
            let result = graph.launch(&on);
            // Nobody listens if the check has ended early.
            let _ = send.send((result, graph));
        })?;
        stream.synchronize()?;
        let (result, mut graph) = receive.recv().map_err(Failure::new)?;
        case.refused(result, "self")?;
        graph.launch(stream)?;
        let after = case.read(&x)?;
        case.bits("launched", &after, &vec![1; len])
    })
}

/// While a guard of the host has pinned memory, graphs that would touch it are not launched; guards wait for launches.
fn pinned<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..3000_usize, any::<u64>()), |case, (len, seed)| {
        let (stream, other) = (case.stream(), case.device().new_stream()?);
        let data = pattern::<u32>(seed, len);
        let (mut from, mut to) = (stream.pinned::<u32>(len)?, stream.pinned::<u32>(len)?);
        let mut x = stream.zeros::<u32>(len)?;
        let mut graph = stream.record_graph(|r| {
            r.upload(&mut x, &from)?;
            r.download(&x, &mut to)
        })?;
        let mut guard = from.write()?;
        case.refused(graph.launch(stream), "data")?;
        guard.copy_from_slice(&data);
        drop(guard);
        let guard = to.read()?;
        case.refused(graph.launch(&other), "data")?;
        drop(guard);
        let guard = from.read()?;
        pause(&other)?;
        graph.launch(&other)?;
        drop(guard);
        let got = to.read()?.to_vec();
        case.bits("there and back", &got, &data)?;
        pause(&other)?;
        graph.launch(&other)?;
        from.write()?.fill(0);
        let got = to.read()?.to_vec();
        case.bits("written by the host after the launch", &got, &data)
    })
}

/// An index out of range in the data of a launch is reported by the next call that waits, once for each launch.
fn data_faults<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), 1..50_usize, |case, len| {
        if !case.device().supports(OperationKind::Gather, DType::F32) {
            return case.ensure(true, "");
        }
        let stream = case.device().new_stream()?;
        let x = stream.from_slice(&vec![1.0_f32; len])?;
        let mut index = stream.from_slice(&vec![0_u32; len])?;
        let (mut y, mut z) = (stream.zeros::<f32>(len)?, stream.zeros::<f32>(len)?);
        let mut graph = stream.record_graph(|r| {
            r.gather(&x, &index, &mut y)?;
            r.copy(&y, &mut z)
        })?;
        graph.launch(&stream)?;
        stream.synchronize()?;
        stream.fill(&mut index.slice_mut(..1)?, len as u32)?;
        graph.launch(&stream)?;
        let error = stream.synchronize().err().map(|error| error.kind().clone());
        let right = matches!(error, Some(ErrorKind::DeviceFault { .. }));
        case.ensure(right, format_args!("expected a fault of the data, got {error:?}"))?;
        let mut want = vec![1.0; len];
        want[0] = 0.0;
        let got = stream.to_vec(&z)?;
        case.bits("what the rest of the graph did", &got, &want)
    })
}
