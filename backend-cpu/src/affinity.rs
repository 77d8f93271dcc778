//! Which processor each of the device's threads runs on.
//!
//! A thread that wakes is put where the kernel finds room without looking far, and on some machines, virtual ones above all, that is
//! the processor of the thread that woke it, for many milliseconds: two threads then take turns on one processor, and another has
//! nothing to do. Threads that keep to a processor each cannot meet.

/// The processors that threads keep to; none if it is left to the system.
#[derive(Debug)]
pub(crate) struct Places(Vec<usize>);

impl Places {
    /// One for each of `threads` threads, if the calling thread may run on exactly so many processors. With fewer threads than that
    /// there is a choice, which is the system's to make.
    pub(crate) fn new(threads: usize) -> Self {
        Places(allowed()).filter(threads)
    }

    fn filter(self, threads: usize) -> Self {
        if self.0.len() == threads { self } else { Places(Vec::new()) }
    }

    /// Has the calling thread, which is number `index` of them, keep to its place. A system that refuses decides by itself.
    pub(crate) fn keep(&self, index: usize) {
        if let Some(&processor) = self.0.get(index) {
            keep_to(processor);
        }
    }
}

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    sched_getaffinity(None).map_or(Vec::new(), |set| (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

#[cfg(target_os = "linux")]
fn keep_to(processor: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn keep_to(_: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_for_each_processor() {
        assert_eq!(Places(vec![2, 5]).filter(2).0, [2, 5]);
        assert!(Places(vec![2, 5]).filter(3).0.is_empty());
        assert!(Places(vec![2, 5]).filter(1).0.is_empty());
        // Out of range is nobody's place.
        Places(vec![]).keep(0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_keeps_to_its_place() {
        let all = allowed();
        assert!(!all.is_empty());
        let kept = std::thread::spawn(move || {
            let last = all.len() - 1;
            Places::new(all.len()).keep(last);
            (allowed(), all[last])
        });
        let (now, place) = kept.join().unwrap_or_default();
        assert_eq!(now, [place]);
    }
}
