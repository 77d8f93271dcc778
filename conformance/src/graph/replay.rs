//! Graphs do what the calls that were recorded would have done.

use super::check;
use super::operations::{Memory, entry};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, ErrorKind, Layout, OperationKind, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("operations", operations));
    checks.push(check("copies", copies));
    checks.push(check("programs", programs));
}

/// Each operation by itself: recording does nothing, and each launch does it once more. One that the device does not have is
/// refused while recording as it is elsewhere.
fn operations<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, OperationKind::ALL.iter().copied(), |case, kind| {
        let Some(entry) = entry::<D>(kind) else { return case.ensure(false, "the suite has no call of it") };
        let stream = case.stream();
        let new = || Memory::<D>::new(stream, 1);
        let (mut direct, untouched, mut memory) = (new()?, new()?, new()?);
        let graph = stream.record_graph(|r| (entry.call)(r, &mut memory));
        memory.same(case, &untouched, "recorded and not launched")?;
        if !entry.is_offered(case.device()) {
            let error = graph.err().map(|error| error.kind().clone());
            let right = matches!(error, Some(ErrorKind::Unsupported { .. }));
            return case.ensure(right, format_args!("{kind} is not offered, and recording it gave {error:?}"));
        }
        let mut graph = graph?;
        for launches in 1..=2 {
            (entry.call)(stream, &mut direct)?;
            graph.launch(stream)?;
            memory.same(case, &direct, format_args!("launched {launches} times"))?;
        }
        Ok(())
    })
}

/// Copies, of every kind that can be recorded.
fn copies<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), any::<u64>(), |case, seed| {
        let stream = case.stream();
        let (first, second) = (words(seed), words(!seed));
        let mut pinned = stream.pinned::<u32>(60)?;
        let mut back = stream.pinned::<u32>(60)?;
        let (mut x, mut y) = (stream.zeros::<u32>(60)?, stream.zeros::<u32>(70)?);
        let mut graph = stream.record_graph(|r| {
            r.upload(&mut x, &pinned)?;
            r.copy(&x.slice(..20)?, &mut y.slice_mut(40..60)?)?;
            let mut rows = y.slice_mut(..40)?.matrix_mut_with(4, 5, 7, Layout::ColumnMajor)?;
            r.copy_matrix(&x.slice(20..)?.matrix_with(4, 5, 8, Layout::ColumnMajor)?, &mut rows)?;
            r.copy(&y.slice(..60)?, &mut x)?;
            r.download(&x, &mut back)
        })?;
        for data in [first, second] {
            pinned.write()?.copy_from_slice(&data);
            graph.launch(stream)?;
            let mut want = vec![0; 60];
            want[40..].copy_from_slice(&data[..20]);
            for col in 0..5 {
                want[7 * col..7 * col + 4].copy_from_slice(&data[20 + 8 * col..24 + 8 * col]);
            }
            let got = back.read()?.to_vec();
            case.bits("downloaded", &got, &want)?;
        }
        Ok(())
    })
}

fn words(seed: u64) -> Vec<u32> {
    (0..60_u32).map(|i| (seed as u32).wrapping_mul(2 * i + 1)).collect()
}

/// Programs of many operations, launched several times on streams that take turns.
fn programs<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kinds = prop::collection::vec(prop::sample::select(OperationKind::ALL), 1..40);
    session.cases(Lane::Exact, Counts::of(12), (kinds, 1..5_usize, any::<u64>()), |case, (kinds, launches, seed)| {
        let (stream, other) = (case.stream(), case.device().new_stream()?);
        let (mut direct, mut memory) = (Memory::<D>::new(stream, seed)?, Memory::<D>::new(stream, seed)?);
        let entries: Vec<_> = kinds.into_iter().filter_map(entry::<D>).collect();
        let offered = || entries.iter().filter(|entry| entry.is_offered(case.device()));
        let mut graph = stream.record_graph(|r| offered().try_for_each(|entry| (entry.call)(r, &mut memory)))?;
        for launch in 0..launches {
            offered().try_for_each(|entry| (entry.call)(stream, &mut direct))?;
            graph.launch(if launch % 2 == 0 { &other } else { stream })?;
        }
        memory.same(case, &direct, format_args!("launched {launches} times"))
    })
}
