//! Events and synchronization.

use super::{PAUSE, another, check, pause};
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("event.query", query));
    checks.push(check("event.elapsed", elapsed));
    checks.push(check("event.wait", wait));
    checks.push(check("event.synchronize", synchronize));
}

/// An event that has occurred comes after all that was enqueued before it.
fn query<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), 0..4_u32, |case, before| {
        let stream = case.device().new_stream()?;
        // A point after nothing.
        let empty = stream.record()?;
        empty.synchronize()?;
        case.ensure(empty.query()?, "an event has not occurred after it was waited for")?;
        let ended = Arc::new(AtomicU32::new(0));
        for _ in 0..=before {
            let ended = ended.clone();
            stream.host_fn(move || {
                std::thread::sleep(PAUSE);
                ended.fetch_add(1, Ordering::SeqCst);
            })?;
        }
        let event = stream.record()?;
        // It may have occurred already, but not before the work.
        let occurred = event.query()?;
        let all = ended.load(Ordering::SeqCst) == before + 1;
        case.ensure(!occurred || all, "an event occurred before the work in front of it ended")?;
        event.synchronize()?;
        case.ensure(
            ended.load(Ordering::SeqCst) == before + 1,
            "waited for an event, and the work in front has not ended",
        )?;
        case.ensure(event.query()? && empty.query()?, "an event has occurred, and then has not")
    })
}

/// Times between events are not negative, add up in order, and are not shorter than what lay between.
fn elapsed<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), 2..5_usize, |case, points| {
        let stream = case.device().new_stream()?;
        let mut events = vec![stream.record()?];
        for _ in 1..points {
            pause(&stream)?;
            events.push(stream.record()?);
        }
        let mut last = Duration::ZERO;
        for event in &events[1..] {
            let since = event.elapsed_since(&events[0])?;
            // Half of it: the device's clock is not the one that the pause was measured by.
            case.ensure(since >= last + PAUSE / 2, format_args!("{since:?} after {last:?}, with {PAUSE:?} between"))?;
            last = since;
        }
        let back = events[0].elapsed_since(&events[points - 1])?;
        case.ensure(back.is_zero(), format_args!("{back:?} to an earlier event"))?;
        let same = events[0].elapsed_since(&events[0].clone())?;
        case.ensure(same.is_zero(), format_args!("{same:?} from an event to itself"))
    })
}

/// Work after a wait for an event starts when the work before the event has ended.
fn wait<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(6), 1..6_usize, |case, hops| {
        let streams = (0..3).map(|_| case.device().new_stream()).collect::<Result<Vec<_>, _>>()?;
        let order = Arc::new(Mutex::new(Vec::new()));
        for hop in 0..=hops {
            let stream = &streams[hop % 3];
            let order = order.clone();
            stream.host_fn(move || {
                std::thread::sleep(PAUSE / 4);
                order.lock().unwrap_or_else(PoisonError::into_inner).push(hop as u64);
            })?;
            let event = stream.record()?;
            streams[(hop + 1) % 3].wait(&event)?;
            // The wait holds although the event is gone.
            drop(event);
        }
        streams[(hops + 1) % 3].synchronize()?;
        let got = order.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let want: Vec<u64> = (0..=hops as u64).collect();
        case.bits("order", &got, &want)?;
        let foreign = another(case)?.default_stream().record()?;
        case.refused(streams[0].wait(&foreign), "event")?;
        case.refused(streams[0].record()?.elapsed_since(&foreign), "earlier")
    })
}

/// `synchronize` returns when all work has ended, and nothing else is needed for that.
fn synchronize<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(5), any::<bool>(), |case, by_event| {
        let stream = case.stream();
        let ended = Arc::new(AtomicBool::new(false));
        let flag = ended.clone();
        stream.host_fn(move || {
            std::thread::sleep(PAUSE);
            flag.store(true, Ordering::SeqCst);
        })?;
        if by_event {
            stream.record()?.synchronize()?
        } else {
            stream.synchronize()?
        }
        case.ensure(ended.load(Ordering::SeqCst), "returned before the work had ended")
    })
}
