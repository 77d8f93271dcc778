//! Graphs beside other work on the same memory.

use super::check;
use crate::runtime::{hold, join, pause};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("order.read_after_write", read_after_write));
    checks.push(check("order.write_after_read", write_after_read));
    checks.push(check("order.two_graphs", two_graphs));
    checks.push(check("order.threads", threads));
}

/// A launch on one stream reads what another, which is late, was told to write before; and what reads afterwards, on either, finds what the
/// launch has written.
fn read_after_write<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..400_usize, 1..u32::MAX), |case, (len, value)| {
        let (producer, stream) = (case.stream(), case.device().new_stream()?);
        let (mut x, mut y) = (producer.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
        let mut graph = stream.record_graph(|r| {
            r.copy(&x, &mut y)?;
            r.fill(&mut x.slice_mut(..1)?, 7)
        })?;
        stream.synchronize()?;
        producer.synchronize()?;
        let held = hold(case.device(), producer)?;
        producer.fill(&mut x, value)?;
        graph.launch(&stream)?;
        drop(held);
        let got = case.read(&y)?;
        case.bits("read by the launch", &got, &vec![value; len])?;
        pause(&stream)?;
        graph.launch(&stream)?;
        let got = case.read(&y.slice(..1)?)?;
        case.bits("written by a late launch", &got, &[7])
    })
}

/// A launch leaves what another stream, which is late, was told to read before; and what writes afterwards leaves what the launch reads.
fn write_after_read<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), (1..400_usize, any::<u32>()), |case, (len, value)| {
        let (reader, stream) = (case.stream(), case.device().new_stream()?);
        let (mut x, mut y, mut z) = (reader.zeros::<u32>(len)?, reader.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
        let mut graph = stream.record_graph(|r| {
            r.copy(&x, &mut z)?;
            r.fill(&mut x, value)
        })?;
        pause(reader)?;
        reader.copy(&x, &mut y)?;
        graph.launch(&stream)?;
        pause(&stream)?;
        graph.launch(&stream)?;
        reader.fill(&mut x, 1)?;
        let (x, y, z) = (case.read(&x)?, case.read(&y)?, case.read(&z)?);
        case.bits("read before the launch", &y, &vec![0; len])?;
        case.bits("read by the launch", &z, &vec![value; len])?;
        case.bits("written after it", &x, &vec![1; len])
    })
}

/// Two graphs that share buffers, launched in any order on two streams, one of which is late now and then.
fn two_graphs<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let launches = prop::collection::vec((any::<bool>(), 0..2_usize, prop::bool::weighted(0.2)), 1..15);
    session.cases(Lane::Exact, Counts::of(12), (1..200_usize, launches), |case, (len, launches)| {
        let streams = [case.stream().clone(), case.device().new_stream()?];
        let filled = |value: u32| streams[0].from_slice(&vec![value; len]);
        let (mut x, mut y, mut z) = (filled(1)?, filled(2)?, filled(3)?);
        // x, y, z become y, z, x; and z, x, 5.
        let mut turn = streams[0].record_graph(|r| {
            let mut old = r.alloc::<u32>(len)?;
            r.copy(&x, &mut old)?;
            r.copy(&y, &mut x)?;
            r.copy(&z, &mut y)?;
            r.copy(&old, &mut z)
        })?;
        let mut shift = streams[1].record_graph(|r| {
            let mut old = r.alloc::<u32>(len)?;
            r.copy(&x, &mut old)?;
            r.copy(&z, &mut x)?;
            r.copy(&old, &mut y)?;
            r.fill(&mut z, 5)
        })?;
        let mut model = [1, 2, 3];
        for (turns, on, late) in launches {
            if late {
                pause(&streams[on])?;
            }
            if turns {
                turn.launch(&streams[on])?;
                model.rotate_left(1);
            } else {
                shift.launch(&streams[on])?;
                model = [model[2], model[0], 5];
            }
        }
        for (buffer, value) in [&x, &y, &z].into_iter().zip(model) {
            let got = case.read(buffer)?;
            case.bits("after the launches", &got, &vec![value; len])?;
        }
        Ok(())
    })
}

/// Threads launch graphs that change a buffer and change it back, while others read and copy it: nobody sees the change.
fn threads<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = (2..4_usize, any::<bool>(), 1..6_000_usize);
    session.cases(Lane::Exact, Counts::of(8), input, |case, (threads, common, len)| {
        let (device, stream) = (case.device(), case.stream());
        let mut x = stream.zeros::<u32>(len)?;
        let graphs = (0..threads).map(|thread| {
            stream.record_graph(|r| {
                r.fill(&mut x, thread as u32 + 1)?;
                let mut kept = r.alloc::<u32>(len)?;
                // Long enough for others to look.
                for _ in 0..10 {
                    r.copy(&x, &mut kept)?;
                }
                r.fill(&mut x, 0)
            })
        });
        let graphs = graphs.collect::<Result<Vec<_>, _>>()?;
        let (x, done) = (&x, AtomicBool::new(false));
        let done = &done;
        let own = || if common { Ok(stream.clone()) } else { device.new_stream() };
        let seen = std::thread::scope(|scope| {
            let launching = graphs.into_iter().map(|mut graph| {
                scope.spawn(move || -> Verdict<Vec<u32>> {
                    let own = own()?;
                    while !done.load(Ordering::Relaxed) {
                        graph.launch(&own)?;
                        own.synchronize()?;
                    }
                    Ok(vec![first_change(&own.to_vec(x)?)])
                })
            });
            let launching: Vec<_> = launching.collect();
            let reading = scope.spawn(move || -> Verdict<Vec<u32>> {
                let _done = Done(done);
                let own = own()?;
                let (mut copy, mut seen) = (own.zeros::<u32>(len)?, Vec::new());
                for _ in 0..20 {
                    own.copy(x, &mut copy)?;
                    seen.push(first_change(&own.to_vec(&copy)?));
                    seen.push(first_change(&own.to_vec(x)?));
                    std::thread::yield_now();
                }
                Ok(seen)
            });
            launching.into_iter().chain([reading]).map(join).collect::<Vec<_>>()
        });
        for seen in seen {
            let seen = seen?;
            case.bits("seen beside the launches", &seen, &vec![0; seen.len()])?;
        }
        Ok(())
    })
}

/// Says so when it is dropped.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The first element that is not 0, or 0.
fn first_change(data: &[u32]) -> u32 {
    data.iter().copied().find(|&value| value != 0).unwrap_or(0)
}
