//! The synchronization types of this crate, in one place so that tests can put a scheduler under them.

#[cfg(not(test))]
mod plain;
#[cfg(test)]
mod switched;

#[cfg(not(test))]
pub(crate) use plain::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, inside_host_fn, spawn};
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::Ordering;
#[cfg(test)]
pub(crate) use switched::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, TaskFlag, forget_locks, inside_host_fn,
    locks_held, spawn,
};
