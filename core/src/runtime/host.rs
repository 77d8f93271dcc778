//! Host functions: what may not happen inside one, and what may not happen beside one.

use super::stream::Blocker;
use crate::error::{Error, Result};
use crate::sync::{Arc, Condvar, Mutex, Ordering, inside_host_fn};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, Weak};

/// Runs `body` as a host function: device calls from inside it are refused.
pub(crate) fn inside<R>(body: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            inside_host_fn::replace(self.0);
        }
    }
    let _restore = Restore(inside_host_fn::replace(true));
    body()
}

/// Runs `function`; the text of its panic, if it panics. Never unwinds: what a panic carries may be of any type, and its destructor may
/// panic too.
pub(crate) fn caught(function: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(function)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text =
            text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        text
    })
}

/// Refuses a call that comes from inside a host function.
pub(crate) fn refuse_inside() -> Result<()> {
    if inside_host_fn::get() {
        return Err(Error::invalid("self", "a call from outside every host function", "a call from inside one"));
    }
    Ok(())
}

/// Keeps freeing and host functions apart: a free may wait for the device, and the device for a host function that waits for
/// the thread that frees.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    outstanding: usize,
    freeing: usize,
    /// Host functions of other devices that work on this one comes after.
    of_peers: Vec<Blocker>,
}

impl State {
    /// Whether device work may be waiting for the host.
    fn may_wait(&mut self) -> bool {
        self.of_peers.retain(|blocker| !blocker.load(Ordering::Acquire));
        self.outstanding > 0 || !self.of_peers.is_empty()
    }
}

/// The gates of physical devices that are open. The standard library's mutex: it is held for this file's own few lines only.
static GATES: std::sync::Mutex<BTreeMap<String, Weak<Gate>>> = std::sync::Mutex::new(BTreeMap::new());

impl Gate {
    /// The gate of a physical device, by its UUID: whoever has opened it shares the driver's frees, so all share the gate. What has
    /// no UUID has a gate of its own.
    pub(crate) fn of(uuid: Option<&str>) -> Arc<Gate> {
        let Some(uuid) = uuid else { return Arc::default() };
        let mut gates = GATES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(uuid).and_then(Weak::upgrade) {
            return gate;
        }
        gates.retain(|_, gate| gate.strong_count() > 0);
        let gate = Arc::default();
        gates.insert(uuid.to_owned(), Arc::downgrade(&gate));
        gate
    }

    /// Counts a host function about to be enqueued. With `wait`, waits while memory is being freed: that waits for device work
    /// only, so it ends.
    pub(crate) fn host_fn_enters(&self, wait: bool) {
        let mut state = self.state.lock();
        while wait && state.freeing > 0 {
            state = self.changed.wait(state);
        }
        state.outstanding += 1;
    }

    /// A host function has ended, or will never run.
    pub(crate) fn host_fn_leaves(&self) {
        self.state.lock().outstanding -= 1;
    }

    /// Work on the device is about to be made to wait for work on another one, which comes after what `blockers` stands for. Waits
    /// while memory is being freed.
    pub(crate) fn host_fn_of_peer(&self, blockers: &[Blocker]) {
        let mut state = self.state.lock();
        while state.freeing > 0 {
            state = self.changed.wait(state);
        }
        for blocker in blockers {
            if !state.of_peers.iter().any(|known| Arc::ptr_eq(known, blocker)) {
                state.of_peers.push(blocker.clone());
            }
        }
    }

    /// Runs `free` unless a host function is outstanding, here or on a peer that work on the device waits for.
    pub(crate) fn free<R>(&self, free: impl FnOnce() -> R) -> Option<R> {
        {
            let mut state = self.state.lock();
            if state.may_wait() {
                return None;
            }
            state.freeing += 1;
        }
        let result = free();
        self.state.lock().freeing -= 1;
        self.changed.notify_all();
        Some(result)
    }
}
