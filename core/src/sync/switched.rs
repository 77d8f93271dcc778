//! The types of `plain`, which inside an execution of `shuttle` are shuttle's: so the ordinary test binary can run the
//! runtime itself under shuttle's schedulers. The choice is made when a value is constructed.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::LocalKey;
use std::time::Duration;

/// Which of shuttle's tasks this is, if any.
fn task() -> Option<usize> {
    shuttle::current::try_get_current_task().map(usize::from)
}

macro_rules! atomic {
    ($name:ident: $value:ty; $($method:ident($($arg:ident: $t:ty),*) -> $r:ty;)*) => {
        #[derive(Debug)]
        pub(crate) enum $name {
            Std(std::sync::atomic::$name),
            Shuttle(shuttle::sync::atomic::$name),
        }

        #[allow(dead_code)]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                match task() {
                    None => $name::Std(std::sync::atomic::$name::new(value)),
                    Some(_) => $name::Shuttle(shuttle::sync::atomic::$name::new(value)),
                }
            }

            $(pub(crate) fn $method(&self, $($arg: $t),*) -> $r {
                match self {
                    $name::Std(atomic) => atomic.$method($($arg),*),
                    $name::Shuttle(atomic) => atomic.$method($($arg),*),
                }
            })*
        }
    };
}

macro_rules! integer {
    ($name:ident: $value:ty) => {
        atomic! { $name: $value;
            load(order: Ordering) -> $value;
            store(value: $value, order: Ordering) -> ();
            swap(value: $value, order: Ordering) -> $value;
            fetch_add(value: $value, order: Ordering) -> $value;
            fetch_sub(value: $value, order: Ordering) -> $value;
            fetch_update(set: Ordering, get: Ordering, f: impl FnMut($value) -> Option<$value>)
                -> Result<$value, $value>;
        }
    };
}
integer!(AtomicU32: u32);
integer!(AtomicU64: u64);
integer!(AtomicUsize: usize);
atomic! { AtomicBool: bool;
    load(order: Ordering) -> bool;
    store(value: bool, order: Ordering) -> ();
    swap(value: bool, order: Ordering) -> bool;
}

pub(crate) enum Mutex<T> {
    Std(std::sync::Mutex<T>),
    Shuttle(shuttle::sync::Mutex<T>),
}

enum RawGuard<'a, T> {
    Std(std::sync::MutexGuard<'a, T>),
    Shuttle(shuttle::sync::MutexGuard<'a, T>),
}

pub(crate) struct MutexGuard<'a, T> {
    raw: RawGuard<'a, T>,
    held: Held,
}

thread_local! {
    static LOCKS: RefCell<HashMap<Option<usize>, usize>> = RefCell::default();
}

/// Counts a lock that this thread holds.
struct Held(());

impl Held {
    fn new() -> Self {
        LOCKS.with_borrow_mut(|locks| *locks.entry(task()).or_default() += 1);
        Held(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        LOCKS.with_borrow_mut(|locks| {
            if let Some(held) = locks.get_mut(&task()) {
                *held = held.saturating_sub(1);
            }
        });
    }
}

/// How many locks this thread holds.
pub(crate) fn locks_held() -> usize {
    LOCKS.with_borrow(|locks| locks.get(&task()).copied().unwrap_or(0))
}

/// Forgets the locks of an execution of shuttle that was given up.
pub(crate) fn forget_locks() {
    LOCKS.with_borrow_mut(HashMap::clear);
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        match task() {
            None => Mutex::Std(std::sync::Mutex::new(value)),
            Some(_) => Mutex::Shuttle(shuttle::sync::Mutex::new(value)),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let raw = match self {
            Mutex::Std(mutex) => RawGuard::Std(mutex.lock().unwrap_or_else(PoisonError::into_inner)),
            Mutex::Shuttle(mutex) => RawGuard::Shuttle(mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        };
        MutexGuard { raw, held: Held::new() }
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        match self {
            Mutex::Std(mutex) => mutex.get_mut().unwrap_or_else(PoisonError::into_inner),
            Mutex::Shuttle(mutex) => mutex.get_mut().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.raw {
            RawGuard::Std(guard) => guard,
            RawGuard::Shuttle(guard) => guard,
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.raw {
            RawGuard::Std(guard) => guard,
            RawGuard::Shuttle(guard) => guard,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Condvar {
    Std(std::sync::Condvar),
    Shuttle(shuttle::sync::Condvar),
}

impl Default for Condvar {
    fn default() -> Self {
        match task() {
            None => Condvar::Std(std::sync::Condvar::new()),
            Some(_) => Condvar::Shuttle(shuttle::sync::Condvar::new()),
        }
    }
}

impl Condvar {
    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.wait_timeout(guard, Duration::MAX).0
    }

    /// As `wait`; also says whether `limit` has passed, which it never has under shuttle: that detects deadlocks by itself.
    pub(crate) fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, limit: Duration) -> (MutexGuard<'a, T>, bool) {
        let MutexGuard { raw, held } = guard;
        let (raw, timed_out) = match (self, raw) {
            (Condvar::Std(condvar), RawGuard::Std(guard)) => {
                let (guard, result) = condvar.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner);
                (RawGuard::Std(guard), result.timed_out())
            }
            (Condvar::Shuttle(condvar), RawGuard::Shuttle(guard)) => {
                (RawGuard::Shuttle(condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)), false)
            }
            _ => unreachable!("a condition variable and a mutex of different kinds"),
        };
        (MutexGuard { raw, held }, timed_out)
    }

    pub(crate) fn notify_all(&self) {
        match self {
            Condvar::Std(condvar) => condvar.notify_all(),
            Condvar::Shuttle(condvar) => condvar.notify_all(),
        }
    }
}

/// A flag that each thread has for itself; shuttle's tasks share one thread of the system.
pub(crate) struct TaskFlag(pub(crate) &'static LocalKey<RefCell<HashSet<Option<usize>>>>);

impl TaskFlag {
    pub(crate) fn get(&self) -> bool {
        self.0.with_borrow(|set| set.contains(&task()))
    }

    pub(crate) fn replace(&self, value: bool) -> bool {
        self.0.with_borrow_mut(|set| if value { !set.insert(task()) } else { set.remove(&task()) })
    }
}

pub(crate) mod inside_host_fn {
    use super::{HashSet, RefCell, TaskFlag};

    thread_local! {
        static INSIDE: RefCell<HashSet<Option<usize>>> = RefCell::default();
    }

    pub(crate) fn get() -> bool {
        TaskFlag(&INSIDE).get()
    }

    pub(crate) fn replace(inside: bool) -> bool {
        TaskFlag(&INSIDE).replace(inside)
    }
}

pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) {
    match task() {
        None => drop(std::thread::Builder::new().name(name.into()).spawn(body)),
        Some(_) => drop(shuttle::thread::Builder::new().name(name.into()).spawn(body)),
    }
}
