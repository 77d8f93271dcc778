//! The protective steps of the ordering rules, by name.
//!
//! Each is there because leaving it out loses, corrupts or hangs something. The state machine in `tests` takes each out by
//! itself and shows what breaks; outside tests the question is answered at compile time.

/// A step that [`super::Shared::keeps`] can be told to leave out, in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A tracker's entry goes in after the enqueue, with the ticket taken then.
    EntryAfterEnqueue,
    /// A ticket is taken when the enqueue has returned.
    TicketAfterEnqueue,
    /// Reads leave entries too, for later writers to wait for.
    ReaderSet,
    /// Writes leave entries, for later readers and writers to wait for.
    WriterEntry,
    /// Entries that do not overlap do not conflict.
    ByteRange,
    /// The newest ticket of a stream is read before the event that covers it is recorded.
    TailBeforeRecord,
    /// A stream's clock advances only after its wait was enqueued.
    ClockAfterWait,
    /// An access removes only entries that its stream has waited for.
    RemoveOnlyWaited,
    /// A stream records a sealing event before it enqueues a host function.
    Seal,
    /// A wait for a point behind a host function seals the waiting stream first.
    SealTravels,
    /// A block used by other streams than its home is reused only after events recorded on them.
    ReuseEvent,
    /// A block reused on its home stream remembers the home's old work, for other streams to wait for.
    ReuseEntry,
    /// A dropped buffer's block goes back to the pool in a later call, not to the driver.
    DeferredDrop,
    /// A closing stream leaves a final event for those who have to wait for its work.
    FinalEvent,
    /// Blocks cached by a closed stream wait for its final event.
    CachedAfterFinal,
    /// While a host function is outstanding nothing is freed.
    NoFreeBesideHostFn,
    /// Calls from inside a host function are refused before they reach the driver.
    RefuseInHostFn,
    /// Memory is given back to the driver only after the work on it has ended.
    TrimWaits,
    /// The host waits for the device's work on pinned memory before it touches it.
    PinnedWaits,
}
