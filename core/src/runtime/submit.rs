//! Enqueueing: wait for what conflicts, enqueue, leave an entry.

use super::block::Block;
use super::claim::Claims;
use super::deferred::EventCell;
use super::stream::{Blocker, Phase, Point, StreamCore};
use super::tracker::{Entry, StreamId, Ticket};
use super::{Inner, Step, host};
use crate::backend::{Backend, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::sync::{Arc, AtomicBool, Ordering};

/// What an operation does to bytes `start..end` of a block.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Access<'a> {
    pub(crate) block: &'a Arc<Block>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) write: bool,
    /// The argument of the public method that it comes from.
    pub(crate) argument: &'static str,
}

/// Says that a typed method has checked an operation. Only this crate can make one, so that what takes it cannot be called from
/// outside, though it is a method of a public trait.
#[derive(Clone, Copy, Debug)]
pub struct Checked(());

impl Checked {
    pub(crate) const TYPED: Checked = Checked(());
}

impl<B: Backend> Inner<B> {
    /// Refuses what must not reach the driver: a call from inside a host function or to a lost device, and an operand that is another
    /// device's or that a guard gives the host. Calls without elements pass through here too, so that they are refused alike.
    pub(crate) fn admit(&self, accesses: &[Access<'_>]) -> Result<()> {
        self.enter()?;
        self.check_all(accesses)
    }

    fn check_all(&self, accesses: &[Access<'_>]) -> Result<()> {
        accesses.iter().try_for_each(|access| self.check(access))
    }

    /// Enqueues work that does `accesses`, which have been [admitted](Self::admit). `raw` is `stream`'s own.
    ///
    /// # Errors
    /// Those of the backend. If the wait for earlier work fails nothing was enqueued.
    pub(crate) fn enqueue(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        accesses: &[Access<'_>],
        enqueue: impl FnOnce(&B) -> Result<()>,
    ) -> Result<()> {
        let claims = if self.keeps(Step::AccessClaims) { self.claim(accesses) } else { Claims::default() };
        self.enqueue_with(claims, stream, raw, accesses, enqueue)
    }

    /// Enqueues a graph that does `accesses`. Nobody has borrowed what it touches.
    ///
    /// # Errors
    /// As for [`enqueue`](Self::enqueue).
    pub(crate) fn launch(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        accesses: &[Access<'_>],
        launch: impl FnOnce(&B) -> Result<()>,
    ) -> Result<()> {
        self.admit(accesses)?;
        let claims = if self.keeps(Step::LaunchClaims) { self.claim(accesses) } else { Claims::default() };
        self.enqueue_with(claims, stream, raw, accesses, launch)
    }

    /// Claims what `accesses` touch of blocks that graphs share.
    pub(crate) fn claim<'a>(&self, accesses: &[Access<'a>]) -> Claims<'a> {
        Claims::of(accesses, self.keeps(Step::ClaimOrder))
    }

    fn enqueue_with(
        &self,
        claims: Claims<'_>,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        accesses: &[Access<'_>],
        enqueue: impl FnOnce(&B) -> Result<()>,
    ) -> Result<()> {
        if !claims.is_empty() && self.keeps(Step::GuardAfterClaim) {
            // The host may have taken pinned memory since it was admitted; it claims that first, so from here on it cannot.
            self.check_all(accesses)?;
        }
        let mut claims = Some(claims);
        let enqueue = |backend: &B| {
            let result = enqueue(backend);
            if !self.keeps(Step::ClaimUntilEntry) {
                claims = None;
            }
            result
        };
        let result = self.enqueue_claimed(stream, raw, accesses, enqueue);
        drop(claims);
        result
    }

    /// Enqueues work; no other call touches what it touches meanwhile.
    ///
    /// # Errors
    /// As for [`enqueue`](Self::enqueue).
    pub(super) fn enqueue_claimed(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        accesses: &[Access<'_>],
        enqueue: impl FnOnce(&B) -> Result<()>,
    ) -> Result<()> {
        self.wait_for_conflicts(stream, raw, accesses)?;
        if !self.keeps(Step::EntryAfterEnqueue) {
            self.leave_entries(stream, accesses, stream.tail() + 1, &stream.clock());
        }
        // What the stream waits for from here on may come after this operation, if another thread has it wait.
        let clock = if self.keeps(Step::ClockBeforeEnqueue) && !stream.inline { stream.clock() } else { Vec::new() };
        let early = (!self.keeps(Step::TicketAfterEnqueue)).then(|| stream.next_ticket());
        let result = enqueue(&self.backend);
        // A call that failed half-way may have left work behind, so it leaves an entry as well.
        let ticket = early.unwrap_or_else(|| stream.next_ticket());
        // Work on an inline stream has ended: nobody has to wait for it.
        let leaves = !stream.inline && (result.is_ok() || self.keeps(Step::EntryOfFailedCall));
        if self.keeps(Step::EntryAfterEnqueue) && leaves {
            let clock = if self.keeps(Step::ClockBeforeEnqueue) { clock } else { stream.clock() };
            self.leave_entries(stream, accesses, ticket, &clock);
        }
        result
    }

    fn check(&self, access: &Access<'_>) -> Result<()> {
        self.check_opening(&access.block.device, access.argument, "memory")?;
        let guarded = access.block.space == Space::Pinned && access.block.is_guarded_against(access.write);
        if guarded && self.keeps(Step::PinnedGuard) {
            let expected = "pinned memory without a live guard of the host";
            return Err(Error::invalid(access.argument, expected, "memory that a guard gives the host"));
        }
        Ok(())
    }

    fn wait_for_conflicts(&self, stream: &StreamCore<B>, raw: &B::Stream, accesses: &[Access<'_>]) -> Result<()> {
        let waited = |other| if self.keeps(Step::WaitOnce) { stream.waited_for(other) } else { 0 };
        let mut needed: Vec<(StreamId, Ticket)> = Vec::new();
        for access in accesses {
            let (start, end) = if self.keeps(Step::ByteRange) { (access.start, access.end) } else { (0, usize::MAX) };
            let tracker = access.block.tracker.lock();
            // On inline streams it always is.
            if !tracker.is_empty() {
                tracker.conflicts((stream.id, start, end, access.write), waited, &mut needed);
            }
        }
        let is_gone = |&(other, _): &(StreamId, Ticket)| self.stream(other).is_none();
        let gone: Vec<_> = needed.iter().copied().filter(is_gone).map(|(other, _)| (other, Ticket::MAX)).collect();
        if !gone.is_empty() {
            // Streams whose work has ended: nobody waits for their entries, and their numbers are never used again.
            accesses.iter().for_each(|access| access.block.tracker.lock().forget(&gone));
        }
        for (other, ticket) in needed {
            if waited(other) < ticket {
                self.wait_for(stream, raw, other, ticket)?;
            }
        }
        Ok(())
    }

    /// Makes `stream` wait for the launch that was operation `ticket` of `other`, unless it is known to come after that.
    pub(crate) fn wait_for_launch(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        other: StreamId,
        ticket: Ticket,
    ) -> Result<()> {
        if other == stream.id || stream.waited_for(other) >= ticket {
            return Ok(());
        }
        self.wait_for(stream, raw, other, ticket)
    }

    /// Makes `stream` wait for operation `ticket` of `other`.
    fn wait_for(&self, stream: &StreamCore<B>, raw: &B::Stream, other: StreamId, ticket: Ticket) -> Result<()> {
        match self.point_after(other, ticket)? {
            Some(point) => self.wait_for_point(stream, raw, other, &point),
            None => Ok(()),
        }
    }

    /// Makes `stream` wait for a point in the work of `other`.
    pub(crate) fn wait_for_point(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        other: StreamId,
        point: &Point<B>,
    ) -> Result<()> {
        let Some(event) = point.event.raw().filter(|_| other != stream.id) else { return Ok(()) };
        if self.stream(other).is_none() {
            // All its work has ended. An entry in the clock would never be removed again.
            return Ok(());
        }
        if !self.keeps(Step::ClockAfterWait) {
            stream.advance_clock(other, point.ticket);
        }
        let blockers: Vec<_> = point.blockers.iter().filter(|b| !b.load(Ordering::Acquire)).cloned().collect();
        if !blockers.is_empty() && !stream.inline && self.keeps(Step::SealTravels) {
            self.seal(stream, raw, blockers)?;
        }
        self.backend.wait(raw, event)?;
        if self.keeps(Step::ClockAfterWait) {
            stream.advance_clock(other, point.ticket);
        }
        if self.stream(other).is_none() {
            // Forgotten meanwhile, perhaps before the clock knew of it.
            stream.forget(other);
        }
        Ok(())
    }

    /// A point of stream `other` after its operation `ticket`; `None` if all its work is known to have ended.
    pub(crate) fn point_after(&self, other: StreamId, ticket: Ticket) -> Result<Option<Point<B>>> {
        let Some(core) = self.stream(other) else { return Ok(None) };
        // In this order: a host function before the recent point's event has left its seal before that was recorded.
        let recent = if self.keeps(Step::RecentBeforeSeal) { core.recent_point(ticket) } else { None };
        let sealed = core.sealed_point(ticket);
        let recent = if self.keeps(Step::RecentBeforeSeal) { recent } else { core.recent_point(ticket) };
        if let Some(point) = sealed.or(recent) {
            return Ok(Some(point));
        }
        let tail = match core.raw() {
            None => closed_point(&core),
            Some(raw) => {
                let newest = core.tail();
                let event = self.record(&raw)?;
                let newest = if self.keeps(Step::TailBeforeRecord) { newest } else { core.tail() };
                let point = Point { event, ticket: newest, blockers: core.blockers() };
                core.keep_recent(&point);
                Some(point)
            }
        };
        // Another thread may have enqueued a host function meanwhile, before the event. It has left a seal before that.
        let sealed = if self.keeps(Step::SealAgain) { core.sealed_point(ticket) } else { None };
        Ok(sealed.or(tail))
    }

    /// A point after all that `stream` has enqueued.
    pub(crate) fn record_point(&self, stream: &StreamCore<B>, raw: &B::Stream) -> Result<Point<B>> {
        let ticket = stream.tail();
        let event = self.record(raw)?;
        Ok(Point { event, ticket, blockers: stream.blockers() })
    }

    /// Records an event.
    pub(crate) fn record(&self, raw: &B::Stream) -> Result<Arc<EventCell<B>>> {
        Ok(EventCell::new(self.backend.record(raw)?, &self.deferred))
    }

    /// Records a sealing event on `stream`, after all that it has enqueued, before something that `blockers` stands for.
    pub(super) fn seal(&self, stream: &StreamCore<B>, raw: &B::Stream, blockers: Vec<Blocker>) -> Result<()> {
        let ticket = stream.tail();
        let event = self.record(raw)?;
        stream.seal(ticket, event, blockers, self.keeps(Step::SealOrder));
        Ok(())
    }

    /// `clock` is what the stream had waited for before the enqueue.
    pub(super) fn leave_entries(
        &self,
        stream: &StreamCore<B>,
        accesses: &[Access<'_>],
        ticket: Ticket,
        clock: &[(StreamId, Ticket)],
    ) {
        for access in accesses {
            if !self.keeps(if access.write { Step::WriterEntry } else { Step::ReaderSet }) {
                continue;
            }
            let &Access { start, end, write, .. } = access;
            let precedes = |other, old| {
                if other == stream.id {
                    // Another thread may have left the entry of a later operation on this stream first.
                    old <= ticket || !self.keeps(Step::NewestEntry)
                } else {
                    let waited = clock.iter().any(|&(known, newest)| known == other && newest >= old);
                    waited || !self.keeps(Step::RemoveOnlyWaited)
                }
            };
            let new = Entry { stream: stream.id, ticket, start, end, write };
            let is_crowded = access.block.tracker.lock().insert(new, precedes);
            if is_crowded {
                self.make_room(stream, access.block);
            }
        }
    }

    /// Makes room in a crowded tracker, to which `stream` has added the last access: what has ended holds nobody up.
    fn make_room(&self, stream: &StreamCore<B>, block: &Block) {
        let (newest, is_large) = {
            let tracker = block.tracker.lock();
            (tracker.newest(), tracker.is_large())
        };
        let ended = newest.into_iter().map(|(id, _)| (id, self.ended(id, is_large))).filter(|&(_, ticket)| ticket > 0);
        let ended: Vec<_> = ended.collect();
        block.tracker.lock().make_room(&ended);
        if is_large && let Some(raw) = stream.raw() {
            // For the next time. Without it the tracker only stays large.
            match self.record_point(stream, &raw) {
                Ok(point) => stream.keep_recent(&point),
                Err(error) => drop(self.note(error)),
            }
        }
    }

    /// The newest operation of a stream that is known to have ended with all before it; 0 if none is. `ask` says whether to ask the
    /// device.
    fn ended(&self, id: StreamId, ask: bool) -> Ticket {
        // A stream's number is never used again, so what is gone stays gone.
        let Some(core) = self.stream(id) else { return Ticket::MAX };
        let point = if ask { core.recent_point(0) } else { None };
        point.filter(|point| self.has_occurred(&point.event)).map_or(0, |point| point.ticket)
    }

    /// Enqueues a function of the user's.
    pub(crate) fn host_fn(
        &self,
        stream: &Arc<StreamCore<B>>,
        raw: &B::Stream,
        function: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        self.enter()?;
        let blocker: Blocker = Arc::new(AtomicBool::new(false));
        if self.keeps(Step::Seal) && !stream.inline {
            self.seal(stream, raw, vec![blocker.clone()])?;
        }
        self.gate.host_fn_enters(self.keeps(Step::HostFnAfterFree));
        // Ends with the function, whether it ran, panicked, or was dropped unrun.
        let outstanding = Outstanding { blocker, gate: self.gate.clone() };
        let core = stream.clone();
        let call = move || {
            if let Err(text) = host::inside(|| host::caught(function)) {
                core.fault(ErrorKind::DeviceFault { what: format!("a host function panicked: {text}") }.into());
            }
            drop(outstanding);
        };
        let result = self.backend.host_fn(raw, Box::new(call));
        stream.next_ticket();
        result
    }

    /// Waits on the host for all work of `stream`, and reports what went wrong in it.
    pub(crate) fn synchronize(&self, stream: &StreamCore<B>, raw: &B::Stream) -> Result<()> {
        self.enter()?;
        let result = self.backend.synchronize(raw);
        self.report(stream, result)
    }

    /// The result of a call that has synchronized `stream`, or an error of its earlier work.
    pub(crate) fn report(&self, stream: &StreamCore<B>, result: Result<()>) -> Result<()> {
        // A call that failed has reported that, and leaves the fault to the next.
        result.and_then(|()| stream.take_fault().map_or(Ok(()), Err))
    }

    /// Gives all of `block` to the host: marks it so, and waits for the work of every stream that conflicts with that. No more comes
    /// in once it is marked.
    pub(crate) fn give_host(&self, block: &Arc<Block>, write: bool) -> Result<()> {
        self.enter()?;
        let access = Access { block, start: 0, end: usize::MAX, write, argument: "self" };
        // Until then a graph may be on the way to it.
        let claims = if self.keeps(Step::GuardClaims) { self.claim(&[access]) } else { Claims::default() };
        let before = block.guard(write);
        drop(claims);
        let result = self.wait_on_host(block, write);
        if result.is_err() && self.keeps(Step::UndoGuard) {
            block.undo_guard(write, before);
        }
        result
    }

    /// Waits on the host for the work of every stream that conflicts with an access to all of `block`.
    fn wait_on_host(&self, block: &Block, write: bool) -> Result<()> {
        if !self.keeps(Step::PinnedWaits) {
            return Ok(());
        }
        let mut needed = Vec::new();
        // No stream has number 0: the host conflicts with every one.
        block.tracker.lock().conflicts((0, 0, usize::MAX, write), |_| 0, &mut needed);
        for (other, ticket) in needed {
            let wait = || match self.point_after(other, ticket)?.as_ref().and_then(|p| p.event.raw()) {
                Some(event) => self.backend.synchronize_event(event),
                None => Ok(()),
            };
            wait()?;
        }
        Ok(())
    }
}

fn closed_point<B: Backend>(core: &StreamCore<B>) -> Option<Point<B>> {
    match &*core.phase.lock() {
        Phase::Open(_) | Phase::Closed { event: None, .. } => None,
        Phase::Closed { event: Some(event), ticket } => {
            Some(Point { event: event.clone(), ticket: *ticket, blockers: core.blockers() })
        }
    }
}

/// A host function that has not ended.
struct Outstanding {
    blocker: Blocker,
    gate: Arc<host::Gate>,
}

impl Drop for Outstanding {
    fn drop(&mut self) {
        self.blocker.store(true, Ordering::Release);
        self.gate.host_fn_leaves();
    }
}
