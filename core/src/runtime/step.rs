//! The protective steps of the ordering rules, by name.
//!
//! Each is there because leaving it out loses, corrupts or hangs something. The tests take each out by itself and show what
//! breaks; outside tests the question is answered at compile time.

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// A step that [`super::Inner::keeps`] can be told to leave out, in tests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Step {
            $($(#[$doc])* $name),*
        }

        #[cfg(test)]
        impl Step {
            pub(crate) const ALL: &[Step] = &[$(Step::$name),*];
        }
    };
}

steps! {
    /// A tracker's entry goes in after the enqueue, with the ticket taken then.
    EntryAfterEnqueue,
    /// A ticket is taken when the enqueue has returned.
    TicketAfterEnqueue,
    /// Reads leave entries too, for later writers to wait for.
    ReaderSet,
    /// Writes leave entries, for later readers and writers to wait for.
    WriterEntry,
    /// A call that failed leaves entries too: it may have left work behind.
    EntryOfFailedCall,
    /// Entries that do not overlap do not conflict.
    ByteRange,
    /// What a stream has waited for it does not wait for again.
    WaitOnce,
    /// The newest ticket of a stream is read before the event that covers it is recorded.
    TailBeforeRecord,
    /// A stream's clock advances only after its wait was enqueued.
    ClockAfterWait,
    /// An access removes only entries that its stream has waited for.
    RemoveOnlyWaited,
    /// What its stream has waited for is read before an access is enqueued, not after.
    ClockBeforeEnqueue,
    /// An entry does not replace one of the same stream with a later ticket.
    NewestEntry,
    /// A stream records a sealing event before it enqueues a host function.
    Seal,
    /// A wait for a point behind a host function seals the waiting stream first.
    SealTravels,
    /// Seals are kept in the order in which they were left, not in that of their tickets.
    SealOrder,
    /// Who has recorded a point looks again for a seal before it.
    SealAgain,
    /// Who takes a point that was recorded earlier looks for a seal before it afterwards, not first.
    RecentBeforeSeal,
    /// A block used by other streams than its home is reused only after events recorded on them.
    ReuseEvent,
    /// A block reused on its home stream remembers the home's old work, for other streams to wait for.
    ReuseEntry,
    /// What a refused call could not release is left to the next call.
    ReleaseAgain,
    /// A dropped buffer's block goes back to the pool in a later call.
    DeferredDrop,
    /// A closing stream leaves a final event for those who have to wait for its work.
    FinalEvent,
    /// Blocks cached by a closed stream wait for its final event.
    CachedAfterFinal,
    /// While a host function is outstanding nothing is freed.
    NoFreeBesideHostFn,
    /// While memory is being freed no host function is enqueued.
    HostFnAfterFree,
    /// Devices opened on one physical device keep these two apart together.
    GateOfPhysicalDevice,
    /// Calls from inside a host function are refused before they reach the driver.
    RefuseInHostFn,
    /// A device is closed on a thread of its own.
    CloseElsewhere,
    /// Memory is given back to the driver only after the work on it has ended.
    TrimWaits,
    /// A stream that is closed while memory is given back is waited for all the same.
    TrimWaitsForClosed,
    /// The host waits for the device's work on pinned memory before it touches it.
    PinnedWaits,
    /// Device work on pinned memory that a guard gives the host is refused.
    PinnedGuard,
    /// Recording marks the memory that it touches as shared with a graph.
    MarkShared,
    /// A launch claims what it touches before it looks for conflicts.
    LaunchClaims,
    /// So does an access to memory that is shared with a graph.
    AccessClaims,
    /// A claim is withdrawn only when the entry that takes its place is in.
    ClaimUntilEntry,
    /// Blocks are claimed in the order of their addresses.
    ClaimOrder,
    /// The host claims pinned memory before it marks it as its own.
    GuardClaims,
    /// Who has claimed pinned memory looks again whether the host has it.
    GuardAfterClaim,
    /// A mark that became no guard, as the host could not wait for the device, is taken back.
    UndoGuard,
    /// A block that a graph touches goes back to the pool only when no graph and no handle has it.
    GraphKeepsBlocks,
    /// Memory that the backend has not allocated goes back to who keeps it only after the work on it has ended.
    OwnerAfterWork,
    /// A graph is destroyed only after its launches have ended.
    GraphAfterLaunches,
    /// A copy from a peer claims its source and its target.
    PeerClaims,
    /// A copy from a peer waits for what its source was written by.
    PeerWaits,
    /// A copy from a peer leaves an entry at its source.
    PeerEntry,
    /// Waits between peers seal as others do.
    PeerSeals,
    /// While work of a device comes after a host function of a peer nothing is freed.
    PeerGate,
}
