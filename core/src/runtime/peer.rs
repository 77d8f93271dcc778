//! Copies from the memory of another device, ordered on both.
//!
//! The target's stream waits for what wrote the source, wherever that is, and copies. The source's device then has to have the copy
//! waited for by whoever writes the source next: one of its own streams, which does nothing else, waits for the copy, and an entry of
//! that stream stands for it. So each device orders its own streams as always, and neither has to live as long as the other.
//!
//! On an inline device that stream's wait is the calling thread's. The entry could stand for the event of the copy instead, and have later
//! writers wait for that. But a dropped block keeps the events that it waits for, and would keep that one beyond the life of its device.
//!
//! A wait for another device's event can lie behind a host function there. It is sealed as within one device, and the
//! [gate](super::host::Gate) of the waiting device learns of the function too: a free may have to wait for it.

use super::claim::Claims;
use super::stream::{Blocker, Point, StreamCore};
use super::submit::Access;
use super::{Inner, NewStream, Step};
use crate::backend::Backend;
use crate::error::{Error, ErrorKind, Result};
use crate::sync::{Arc, Ordering};

impl<B: Backend> Inner<B> {
    /// Enqueues a copy on `stream`, whose raw stream is `raw`, from the memory `read` of another device to `write` of this one, which are
    /// of one length.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) if the devices are no peers, and those of the backend. If a wait for earlier work fails
    /// nothing was copied.
    pub(crate) fn copy_from_peer(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        source: &Inner<B>,
        read: Access<'_>,
        write: Access<'_>,
    ) -> Result<()> {
        source.enter()?;
        self.admit(&[write])?;
        if !self.backend.is_peer(&source.backend) {
            let (from, to) = (&source.info.id, &self.info.id);
            let what = "a copy between devices that cannot reach each other; stage it through the host, with `read` and `write`";
            return Err(Error::unsupported(format_args!("{what} ({from} to {to})")));
        }
        let bytes = write.end - write.start;
        if bytes == 0 {
            return Ok(());
        }
        let claims = if self.keeps(Step::PeerClaims) { self.claim(&[read, write]) } else { Claims::default() };
        self.wait_for_source(stream, raw, source, &read)?;
        let result = self.enqueue_claimed(stream, raw, &[write], |backend| {
            let (src, dst) = (read.block.ptr.byte_add(read.start), write.block.ptr.byte_add(write.start));
            // SAFETY: both lie in live blocks of their devices, which are peers, and are `bytes` long; the target is borrowed exclusively.
            // This stream has been ordered after conflicting work on either, and `protect` below orders later work on the source.
            unsafe { backend.copy_peer(raw, &source.backend, src, dst, bytes) }
        });
        // Work on an inline stream has ended. A call that failed may have left some behind.
        if !stream.inline && source.keeps(Step::PeerEntry) {
            source.protect(&read, self, stream, raw);
        }
        drop(claims);
        result
    }

    /// Makes `stream` wait for the work of `source` that conflicts with reading `read`.
    fn wait_for_source(
        &self,
        stream: &StreamCore<B>,
        raw: &B::Stream,
        source: &Inner<B>,
        read: &Access<'_>,
    ) -> Result<()> {
        if !self.keeps(Step::PeerWaits) {
            return Ok(());
        }
        let mut needed = Vec::new();
        // No stream of the source has number 0: this one is none of them.
        read.block.tracker.lock().conflicts((0, read.start, read.end, false), |_| 0, &mut needed);
        for (other, ticket) in needed {
            if let Some(point) = source.point_after(other, ticket).map_err(|e| source.note(e))? {
                self.wait_for_point_of_peer(stream, raw, &point)?;
            }
        }
        Ok(())
    }

    /// Makes `stream` wait for a point in the work of another device.
    fn wait_for_point_of_peer(&self, stream: &StreamCore<B>, raw: &B::Stream, point: &Point<B>) -> Result<()> {
        let Some(event) = point.event.raw() else { return Ok(()) };
        let blockers: Vec<Blocker> = point.blockers.iter().filter(|b| !b.load(Ordering::Acquire)).cloned().collect();
        // On an inline stream the wait is over when the call returns.
        if !blockers.is_empty() && !stream.inline {
            if self.keeps(Step::PeerSeals) {
                self.seal(stream, raw, blockers.clone())?;
            }
            if self.keeps(Step::PeerGate) {
                self.gate.host_fn_of_peer(&blockers);
            }
        }
        self.backend.wait(raw, event)
    }

    /// Has whoever writes `read`, memory of this device, wait for all that `stream` of the device `reader` was told to do.
    fn protect(&self, read: &Access<'_>, reader: &Inner<B>, stream: &StreamCore<B>, raw: &B::Stream) {
        let point = reader.record_point(stream, raw);
        let protected = point.as_ref().is_ok_and(|point| self.protect_until(read, point).is_ok());
        if protected {
            return;
        }
        // Else the copy has to end now.
        let event = point.as_ref().ok().and_then(|point| point.event.raw());
        let ended = match event {
            Some(event) => reader.backend.synchronize_event(event),
            None => match reader.backend.synchronize(raw) {
                Err(error) if !matches!(error.kind(), ErrorKind::DeviceLost { .. } | ErrorKind::Driver { .. }) => {
                    // It has waited, and found what the next synchronizing call is to report.
                    stream.fault(error);
                    Ok(())
                }
                result => result,
            },
        };
        if ended.is_err() {
            // Nobody knows when this device's memory can be written again.
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    fn protect_until(&self, read: &Access<'_>, point: &Point<B>) -> Result<()> {
        let (core, raw) = self.take_stream_for_peers(&point.blockers)?;
        let result = self.wait_for_point_of_peer(&core, &raw, point);
        if result.is_ok() {
            let ticket = core.next_ticket();
            // On an inline stream the wait has been for the end of the copy.
            if !core.inline {
                self.leave_entries(&core, std::slice::from_ref(read), ticket, &core.clock());
            }
        }
        self.peers.lock().push((core, raw));
        result
    }

    /// A stream of this device that waits for others, and for nothing that `blockers` does not stand for: who waits for it must not
    /// come to depend on a host function that has nothing to do with the copy. It is taken out of the list, since another thread could
    /// have it wait for such a function before the entry of this copy is in; whoever takes it puts it back.
    fn take_stream_for_peers(&self, blockers: &[Blocker]) -> Result<NewStream<B>> {
        let is_needed = |blocker: &Blocker| blockers.iter().any(|needed| Arc::ptr_eq(needed, blocker));
        let fits = |(core, _): &NewStream<B>| core.blockers().iter().all(is_needed);
        let found = {
            let mut peers = self.peers.lock();
            peers.iter().position(fits).map(|at| peers.swap_remove(at))
        };
        found.map_or_else(|| self.new_stream(), Ok)
    }
}
