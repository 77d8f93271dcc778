//! Work of several streams on the same memory.

use super::{PATIENCE, PAUSE, check, hold, join, pattern, pause};
use crate::{Case, Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::mpsc::channel;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{AsView, AsViewMut, Buffer, Device, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("order.read_after_write", read_after_write));
    checks.push(check("order.write_after_read", write_after_read));
    checks.push(check("order.write_after_write", write_after_write));
    checks.push(check("order.programs", programs));
    checks.push(check("order.disjoint", disjoint));
    checks.push(check("order.disjoint_chunks", disjoint_chunks));
    checks.push(check("order.sealed", sealed));
}

/// A length, and two ranges in it that overlap.
fn overlapping() -> impl Strategy<Value = (usize, Range<usize>, Range<usize>)> {
    (1..400_usize).prop_flat_map(|len| (Just(len), 0..len, 0..len, 0..len, 0..len, 0..len)).prop_map(
        |(len, shared, a, b, c, d)| {
            let around = |x: usize, y: usize| shared.min(x).min(y)..shared.max(x).max(y) + 1;
            (len, around(a, b), around(c, d))
        },
    )
}

/// A stream that reads sees what another, which is late, was told to write before.
fn read_after_write<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let (producer, consumer) = (case.stream(), case.device().new_stream()?);
        let mut x = producer.from_slice(&[7_u32; 3])?;
        let mut y = consumer.zeros::<u32>(3)?;
        producer.synchronize()?;
        // So late that what does not wait comes first on the busiest machine.
        producer.host_fn(|| std::thread::sleep(10 * PAUSE))?;
        producer.fill(&mut x, 42)?;
        consumer.copy(&x, &mut y)?;
        case.bits("written before it was read: y", &consumer.to_vec(&y)?, &[42; 3])
    })?;
    session.cases(Lane::Exact, Counts::of(8), overlapping(), |case, (len, written, read)| {
        let (producer, consumer) = (case.stream(), case.device().new_stream()?);
        let mut want = pattern::<u32>(1, len);
        let mut x = producer.from_slice(&want)?;
        let mut y = consumer.zeros::<u32>(len)?;
        pause(producer)?;
        producer.fill(&mut x.slice_mut(written.clone())?, 42)?;
        consumer.copy(&x.slice(read.clone())?, &mut y.slice_mut(read.clone())?)?;
        want[written].fill(42);
        let got = case.read(&y.slice(read.clone())?)?;
        case.bits("y", &got, &want[read])
    })
}

/// A stream that writes leaves what another, which is late, was told to read before.
fn write_after_read<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), overlapping(), |case, (len, read, written)| {
        let (reader, writer) = (case.stream(), case.device().new_stream()?);
        let old = pattern::<u32>(2, len);
        let mut x = reader.from_slice(&old)?;
        let mut y = reader.zeros::<u32>(len)?;
        pause(reader)?;
        reader.copy(&x.slice(read.clone())?, &mut y.slice_mut(read.clone())?)?;
        writer.fill(&mut x.slice_mut(written.clone())?, 42)?;
        let mut new = old.clone();
        new[written].fill(42);
        let (x, y) = (case.read(&x)?, case.read(&y.slice(read.clone())?)?);
        case.bits("y", &y, &old[read])?;
        case.bits("x", &x, &new)
    })
}

/// Of two streams that write, the one that was told later wins, though the other is late.
fn write_after_write<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(8), overlapping(), |case, (len, first, second)| {
        let (early, late) = (case.device().new_stream()?, case.stream());
        let mut want = pattern::<u32>(3, len);
        let mut x = late.from_slice(&want)?;
        pause(late)?;
        late.fill(&mut x.slice_mut(first.clone())?, 1)?;
        early.fill(&mut x.slice_mut(second.clone())?, 2)?;
        want[first].fill(1);
        want[second].fill(2);
        let got = case.read(&x)?;
        case.bits("x", &got, &want)
    })
}

const STREAMS: usize = 3;
const BUFFERS: usize = 3;
const LEN: usize = 48;

/// One call of a program.
#[derive(Clone, Debug)]
enum Step {
    Pause {
        stream: usize,
    },
    Fill {
        stream: usize,
        buffer: usize,
        at: usize,
        len: usize,
        value: u32,
    },
    Copy {
        stream: usize,
        from: usize,
        hop: usize,
        source: usize,
        target: usize,
        len: usize,
    },
    /// The buffer is dropped, and another takes its place.
    Replace {
        stream: usize,
        buffer: usize,
        value: u32,
    },
    Read {
        stream: usize,
        buffer: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let (stream, buffer, at) = (0..STREAMS, 0..BUFFERS, 0..LEN);
    prop_oneof![
        1 => stream.clone().prop_map(|stream| Step::Pause { stream }),
        4 => (stream.clone(), buffer.clone(), at.clone(), at.clone(), any::<u32>())
            .prop_map(|(stream, buffer, at, len, value)| Step::Fill { stream, buffer, at, len, value }),
        5 => (stream.clone(), buffer.clone(), 1..BUFFERS, at.clone(), at.clone(), at)
            .prop_map(|(stream, from, hop, source, target, len)| Step::Copy { stream, from, hop, source, target, len }),
        1 => (stream.clone(), buffer.clone(), any::<u32>())
            .prop_map(|(stream, buffer, value)| Step::Replace { stream, buffer, value }),
        1 => (stream, buffer).prop_map(|(stream, buffer)| Step::Read { stream, buffer }),
    ]
}

/// A program on many streams computes what the same program on one would.
fn programs<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let input = prop::collection::vec(step(), 1..40);
    session.cases(Lane::Exact, Counts::of(25), input, |case, steps| {
        let streams = (0..STREAMS).map(|_| case.device().new_stream()).collect::<Result<Vec<_>, _>>()?;
        let mut model = vec![vec![0_u32; LEN]; BUFFERS];
        let mut buffers = model.iter().map(|data| streams[0].from_slice(data)).collect::<Result<Vec<_>, _>>()?;
        for step in steps {
            match step {
                Step::Pause { stream } => pause(&streams[stream])?,
                Step::Fill { stream, buffer, at, len, value } => {
                    let range = at..(at + len).min(LEN);
                    streams[stream].fill(&mut buffers[buffer].slice_mut(range.clone())?, value)?;
                    model[buffer][range].fill(value);
                }
                Step::Copy { stream, from, hop, source, target, len } => {
                    let len = len.min(LEN - source.max(target));
                    let to = (from + hop) % BUFFERS;
                    let part = model[from][source..source + len].to_vec();
                    model[to][target..target + len].copy_from_slice(&part);
                    let [x, y] = buffers.get_disjoint_mut([from, to]).map_err(Failure::new)?;
                    streams[stream].copy(&x.slice(source..source + len)?, &mut y.slice_mut(target..target + len)?)?;
                }
                Step::Replace { stream, buffer, value } => {
                    // The block of the old one is free for the new one, as soon as pending work allows.
                    buffers[buffer] = streams[stream].alloc(LEN)?;
                    streams[stream].fill(&mut buffers[buffer], value)?;
                    model[buffer].fill(value);
                }
                Step::Read { stream, buffer } => {
                    let got = streams[stream].to_vec(&buffers[buffer])?;
                    case.bits("read on the way", &got, &model[buffer])?;
                }
            }
        }
        for (buffer, want) in buffers.iter().zip(&model) {
            let got = case.read(buffer)?;
            case.bits("at the end", &got, want)?;
        }
        Ok(())
    })
}

/// Runs `free` while a host function blocks a stream; the work `before` comes in front of it, the work `behind` after it.
///
/// The blocked stream gets a thread of its own: an inline stream blocks the thread that calls it.
fn beside_blocked<D: Device, R: Send>(
    case: &mut Case<'_, D>,
    behind: impl FnOnce(&D::Stream) -> warpwave_core::Result<()> + Send,
    free: impl FnOnce() -> Verdict<R>,
) -> Verdict<R> {
    let stream = case.stream();
    let (entered, inside) = channel();
    let (open, gate) = channel::<()>();
    let (opened, result) = std::thread::scope(|scope| {
        let blocked = scope.spawn(move || {
            let (tell, outcome) = channel();
            stream.host_fn(move || {
                // Nobody listens if the check has ended early.
                let _ = entered.send(());
                let _ = tell.send(gate.recv_timeout(PATIENCE).is_ok());
            })?;
            behind(stream)?;
            stream.synchronize()?;
            outcome.recv().map_err(Failure::new)
        });
        let result = match inside.recv_timeout(PATIENCE) {
            Ok(()) => free(),
            Err(_) => Err(Failure::new("a host function was never called")),
        };
        // Fails if the function has given up; it says so itself.
        let _ = open.send(());
        (join(blocked), result)
    });
    let result = result?;
    case.ensure(opened?, "work that does not depend on a blocked stream waited for it")?;
    Ok(result)
}

/// Parts of one buffer that do not overlap can be used by two streams at the same time.
fn disjoint<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..200_usize, 1..200_usize), |case, (left, right)| {
        let mut x = case.stream().zeros::<u32>(left + right)?;
        case.stream().synchronize()?;
        let other = case.device().new_stream()?;
        let (mut a, mut b) = x.split_at_mut(left)?;
        let got = beside_blocked(
            case,
            |stream| stream.fill(&mut a, 1),
            || {
                other.fill(&mut b, 2)?;
                Ok(other.to_vec(&b)?)
            },
        )?;
        case.bits("written beside the blocked stream", &got, &vec![2; right])?;
        let got = case.read(&x)?;
        let want: Vec<u32> = [vec![1; left], vec![2; right]].concat();
        case.bits("x", &got, &want)
    })
}

/// The same with more parts than a device may want to keep account of one by one: a stream that is held up has been told to
/// write every other chunk, and one that writes and reads those between them does not wait for it.
fn disjoint_chunks<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    const CHUNKS: usize = 300;
    const LEN: usize = 24;
    session.once(Lane::Exact, |case| {
        let mut x = case.stream().zeros::<u32>(2 * CHUNKS * LEN)?;
        case.stream().synchronize()?;
        let other = case.device().new_stream()?;
        let held = hold(case.device(), case.stream())?;
        let (mut rest, mut free) = (x.slice_mut(..)?, Vec::new());
        for value in (1..).take(CHUNKS) {
            let (mut chunk, behind) = rest.split_at_mut(LEN)?;
            case.stream().fill(&mut chunk, value)?;
            let (chunk, behind) = behind.split_at_mut(LEN)?;
            free.push(chunk);
            rest = behind;
        }
        let written = case.stream().record()?;
        let mut got = Vec::new();
        for (chunk, value) in free.iter_mut().zip(1001..) {
            other.fill(chunk, value)?;
            got.extend(other.to_vec(chunk)?);
        }
        // What waited came back when the hold ran out of patience.
        let beside = held.is_none() || !written.query()?;
        drop(held);
        case.ensure(beside, "work on other bytes of a buffer waited for a stream that is held up")?;
        let chunks = |first: u32| (first..).take(CHUNKS).map(|value| vec![value; LEN]);
        case.bits("written beside the other stream", &got, &chunks(1001).collect::<Vec<_>>().concat())?;
        let got = case.read(&x)?;
        let want: Vec<u32> = chunks(1).zip(chunks(1001)).flat_map(|(a, b)| [a, b].concat()).collect();
        case.bits("x", &got, &want)
    })
}

/// Work in front of a host function can be waited for while that function blocks.
fn sealed<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), (1..300_usize, any::<u32>()), |case, (len, value)| {
        let mut x = case.stream().zeros::<u32>(len)?;
        let mut later = case.stream().zeros::<u32>(len)?;
        case.stream().fill(&mut x.view_mut(), value)?;
        let other = case.device().new_stream()?;
        let got = beside_blocked(
            case,
            |stream| stream.fill(&mut later, 1),
            || {
                let mut y = other.alloc::<u32>(len)?;
                other.copy(&x.view(), &mut y)?;
                Ok(other.to_vec(&y)?)
            },
        )?;
        case.bits("written in front of the function", &got, &vec![value; len])?;
        let got = case.read(&later)?;
        case.bits("written behind it", &got, &vec![1; len])
    })
}
