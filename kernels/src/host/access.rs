//! Shared memory, and what an instrumented kernel may touch.

use super::stack::SIZE as SIZE_OF_STACK;
use super::worker::Worker;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr::null_mut;

/// Shared memory that a block may have, in bytes: as much as the largest GPUs give one.
pub const SHARED_LIMIT: usize = 227 << 10;
/// Bytes between two arrays, in which an access past the end of one is found.
const GAP: usize = 256;
/// Arrays that a kernel may have.
const MAX_ARRAYS: usize = 64;
/// The strictest alignment of an array's type; `warpwave_host.h` has the same.
const MAX_ALIGN: usize = 256;
/// Whatever there is of arrays, with what each may waste.
const SIZE: usize = SHARED_LIMIT + (MAX_ARRAYS + 2) * (GAP + MAX_ALIGN);
/// What memory holds that nobody has written: a NaN of each floating-point type, and no sensible index.
pub const POISON: u8 = 0xff;

/// The shared memory of the block that runs.
#[derive(Debug)]
pub(super) struct Shared {
    start: *mut u8,
    dynamic: usize,
    /// Site, offset and bytes of each array that a thread has come to.
    arrays: Vec<(usize, usize, usize)>,
    /// Bytes of all arrays, the dynamic one included.
    used: usize,
    /// Where the next array can be.
    next: usize,
    /// What arrays hold before anybody has written there.
    poison: Option<u8>,
}

impl Shared {
    pub(super) fn new() -> Option<Self> {
        // SAFETY: a new private mapping touches no memory that exists.
        let start = unsafe {
            mmap_anonymous(
                null_mut(),
                SIZE,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        };
        let arrays = Vec::with_capacity(MAX_ARRAYS);
        Some(Shared { start: start.ok()?.cast(), dynamic: 0, arrays, used: 0, next: 0, poison: None })
    }

    /// For a launch with so many bytes of dynamic shared memory, at most [`SHARED_LIMIT`]; gives where they are.
    pub(super) fn begin(&mut self, dynamic: usize, poisoned: bool) -> *mut u8 {
        self.arrays.clear();
        self.poison = poisoned.then_some(POISON);
        (self.dynamic, self.used, self.next) = (dynamic, dynamic, dynamic + GAP);
        self.start
    }

    /// The array that is declared at `site`.
    pub(super) fn array(&mut self, site: usize, bytes: usize, align: usize) -> Result<*mut u8, String> {
        let at = match self.arrays.iter().find(|array| array.0 == site) {
            Some(array) => array.1,
            None => {
                if align > MAX_ALIGN {
                    return Err(format!("an array of shared memory aligned to {align} bytes; the most is {MAX_ALIGN}"));
                }
                self.used = self.used.saturating_add(bytes);
                if self.used > SHARED_LIMIT || self.arrays.len() == MAX_ARRAYS {
                    return Err(format!(
                        "{} bytes of shared memory in {} arrays; a block may have {SHARED_LIMIT} in {MAX_ARRAYS}",
                        self.used,
                        self.arrays.len() + 1
                    ));
                }
                // The line of a cache at least, so that 16 bytes can be read at once.
                let at = self.next.next_multiple_of(align.max(64));
                self.arrays.push((site, at, bytes));
                self.next = at + bytes + if self.poison.is_some() { GAP - 64 } else { 0 };
                if let Some(poison) = self.poison {
                    // SAFETY: inside the mapping, by the limits above.
                    unsafe { self.start.add(at).write_bytes(poison, bytes) };
                }
                at
            }
        };
        // SAFETY: inside the mapping.
        Ok(unsafe { self.start.add(at) })
    }

    /// Leaves nothing to a block of what another has written. Not always the same: [`POISON`] is the largest of all numbers without a sign,
    /// which who looks for the smallest does not notice, and 0 is the least.
    pub(super) fn poison(&mut self, zeros: bool) {
        let poison = if zeros { 0 } else { POISON };
        self.poison = Some(poison);
        // SAFETY: inside the mapping; no kernel runs.
        unsafe { self.start.write_bytes(poison, self.next.min(SIZE)) };
    }

    /// Whether these bytes are in one array: its bounds. `None` if they are not in shared memory at all.
    fn find(&self, at: usize, bytes: usize) -> Option<Result<(usize, usize), String>> {
        let offset = at.checked_sub(self.start as usize).filter(|&offset| offset < SIZE)?;
        let arrays = self.arrays.iter().map(|&(_, at, bytes)| (at, bytes)).chain([(0, self.dynamic)]);
        let inside = arrays.clone().find(|&(start, len)| start <= offset && offset + bytes <= start + len);
        if let Some((start, len)) = inside {
            let start = self.start as usize + start;
            return Some(Ok((start, start + len)));
        }
        let before = arrays.filter(|&(start, len)| start + len <= offset + bytes).max();
        Some(Err(match before {
            Some((start, len)) => {
                format!("{} bytes behind the start of an array of {len} bytes of shared memory", offset - start)
            }
            None => "in shared memory, in front of every array".into(),
        }))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this size; no kernel runs.
        let _ = unsafe { munmap(self.start.cast(), SIZE) };
    }
}

fn set_known(worker: &mut Worker, (start, end): (usize, usize)) {
    worker.head.known[worker.oldest] = [start as u64, end as u64];
    worker.oldest = (worker.oldest + 1) % worker.head.known.len();
}

/// Whether the running thread may touch these bytes, by what there is beside the range that it touched last.
pub(super) fn find(worker: &mut Worker, at: usize, bytes: usize, write: bool, atomic: bool) -> Result<(), String> {
    let end = at.wrapping_add(bytes);
    let inside = |(start, stop): (usize, usize)| start <= at && end <= stop && at <= end;
    if inside(worker.stack()) {
        return Ok(());
    }
    let does = if write { "writes" } else { "reads" };
    match worker.shared.find(at, bytes) {
        Some(Ok(range)) => {
            set_known(worker, range);
            return Ok(());
        }
        Some(Err(place)) => return Err(format!("{does} {bytes} bytes at {at:#x}, {place}")),
        None => {}
    }
    let work = worker.work();
    let ranges = &work.ranges;
    let behind = ranges.partition_point(|range| range.0 <= at);
    let before = behind.checked_sub(1).map(|i| ranges[i]);
    if let Some(range) = before.filter(|&range| inside(range)) {
        let Some(published) = &work.published else {
            set_known(worker, range);
            return Ok(());
        };
        if atomic {
            return Ok(());
        }
        return published.access(worker.block_number(), at, bytes, write).map_err(|block| {
            let [x, y, z] = work.place_of(block);
            format!("{does} {bytes} bytes at {at:#x} that block ({x}, {y}, {z}) has written with no fence since")
        });
    }
    if inside(work.module.data) {
        return Ok(());
    }
    if worker.stacks.hold(at) {
        let stack = SIZE_OF_STACK >> 10;
        return Err(format!(
            "{does} {bytes} bytes at {at:#x}, past the end of its stack of {stack} KiB, or on another thread's"
        ));
    }
    let place = match before {
        Some((start, stop)) if at - start < 1 << 40 => {
            format!("{} bytes behind the start of a buffer of {} bytes", at - start, stop - start)
        }
        _ => "in no buffer".into(),
    };
    Err(format!("{does} {bytes} bytes at {at:#x}, {place}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// As many arrays as there may be, of all the bytes that there may be, each as badly aligned as can be: inside the mapping, apart from
    /// each other, and aligned.
    #[test]
    fn arrays_stay_in_the_mapping() {
        for poisoned in [false, true] {
            for align in [1, 16, 64, 256] {
                let mut shared = Shared::new().unwrap();
                let start = shared.begin(1, poisoned) as usize;
                let each = (SHARED_LIMIT - 1) / MAX_ARRAYS;
                let mut last = start + 1;
                for site in 0..MAX_ARRAYS {
                    let at = shared.array(site, each, align).unwrap() as usize;
                    assert!(at.is_multiple_of(align) && last <= at && at + each <= start + SIZE);
                    last = at + each;
                    assert_eq!(shared.array(site, each, align).unwrap() as usize, at);
                }
                assert!(shared.array(MAX_ARRAYS, 1, 1).is_err());
                shared.poison(false);
            }
        }
    }

    #[test]
    fn what_is_too_large_or_too_strict_is_refused() {
        let mut shared = Shared::new().unwrap();
        shared.begin(SHARED_LIMIT - 8, false);
        assert!(shared.array(1, 4, 512).unwrap_err().contains("aligned to 512 bytes"));
        assert!(shared.array(1, 8, 256).is_ok());
        assert!(shared.array(2, 1, 1).unwrap_err().contains("bytes of shared memory in 2 arrays"));
        shared.begin(0, false);
        assert!(shared.array(1, usize::MAX, 1).is_err() && shared.array(2, usize::MAX, 1).is_err());
    }
}
