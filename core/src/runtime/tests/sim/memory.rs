//! The simulated device's memory: who may touch what, and in which order.

use crate::backend::Space;
use crate::operation::Ptr;
use std::alloc::Layout;
use std::collections::BTreeMap;

/// For each stream, by index, how many of its steps come before something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    pub(crate) fn get(&self, stream: usize) -> u64 {
        self.0.get(stream).copied().unwrap_or(0)
    }

    pub(crate) fn raise(&mut self, stream: usize, step: u64) {
        if self.0.len() <= stream {
            self.0.resize(stream + 1, 0);
        }
        self.0[stream] = self.0[stream].max(step);
    }

    pub(crate) fn join(&mut self, other: &Clock) {
        other.0.iter().enumerate().for_each(|(stream, &step)| self.raise(stream, step));
    }
}

/// Bytes that a step touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) addr: usize,
    pub(crate) bytes: usize,
    pub(crate) write: bool,
}

#[derive(Debug)]
struct Past {
    touch: Touch,
    stream: usize,
    step: u64,
}

#[derive(Debug)]
struct Allocation {
    space: Space,
    bytes: usize,
    live: bool,
    past: Vec<Past>,
}

/// Allocations by address. Freed memory is poisoned and kept, so that no address is used twice and a use after free is seen.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    allocations: BTreeMap<usize, Allocation>,
    real: Vec<Ptr>,
    live_bytes: usize,
}

const ALIGN: usize = 256;
const FRESH: u8 = 0xa5;
const FREED: u8 = 0xdd;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, ALIGN).unwrap()
}

impl Memory {
    pub(crate) fn live_bytes(&self) -> usize {
        self.live_bytes
    }

    pub(crate) fn allocate(&mut self, space: Space, bytes: usize) -> Ptr {
        assert!(bytes > 0 && bytes.is_multiple_of(ALIGN), "{bytes} bytes asked for");
        // SAFETY: the size was just checked not to be zero.
        let address = unsafe { std::alloc::alloc(layout(bytes)) };
        assert!(!address.is_null());
        // SAFETY: as many bytes were just allocated there.
        unsafe { address.write_bytes(FRESH, bytes) };
        self.allocations.insert(address.addr(), Allocation { space, bytes, live: true, past: Vec::new() });
        self.real.push(Ptr::new(address));
        self.live_bytes += bytes;
        Ptr::new(address)
    }

    /// Takes memory of the host's own for pinned.
    pub(crate) fn register(&mut self, ptr: Ptr, bytes: usize) {
        self.allocations.insert(ptr.addr(), Allocation { space: Space::Pinned, bytes, live: true, past: Vec::new() });
        self.live_bytes += bytes;
    }

    /// Gives it back; as for [`free`](Self::free).
    pub(crate) fn unregister(&mut self, ptr: Ptr, bytes: usize, observed: &Clock) -> Result<(), String> {
        let ended = self.end(Space::Pinned, ptr, bytes, observed);
        // Its address may come again.
        self.allocations.remove(&ptr.addr());
        ended
    }

    /// Frees an allocation; `observed` is what the host knows to have ended.
    pub(crate) fn free(&mut self, space: Space, ptr: Ptr, bytes: usize, observed: &Clock) -> Result<(), String> {
        let ended = self.end(space, ptr, bytes, observed);
        if self.allocations.get(&ptr.addr()).is_some_and(|allocation| !allocation.live) {
            // SAFETY: the allocation is `bytes` long, and is deallocated only when the world ends.
            unsafe { ptr.as_ptr().write_bytes(FREED, bytes) };
        }
        ended
    }

    fn end(&mut self, space: Space, ptr: Ptr, bytes: usize, observed: &Clock) -> Result<(), String> {
        let Some(allocation) = self.allocations.get_mut(&ptr.addr()) else {
            return Err(format!("free of {ptr:?}, which was never allocated"));
        };
        if !allocation.live {
            return Err(format!("double free of {ptr:?}"));
        }
        if (allocation.space, allocation.bytes) != (space, bytes) {
            return Err(format!("free of {ptr:?} with another size or space"));
        }
        allocation.live = false;
        self.live_bytes -= bytes;
        match allocation.past.iter().find(|past| past.step > observed.get(past.stream)) {
            Some(past) => Err(format!("early free of {ptr:?}: {past:?} is not known to have ended")),
            None => Ok(()),
        }
    }

    fn find(&mut self, touch: Touch) -> Result<&mut Allocation, String> {
        let Touch { addr, bytes, .. } = touch;
        match self.allocations.range_mut(..=addr).next_back() {
            Some((&base, allocation)) if addr + bytes <= base + allocation.bytes => {
                if allocation.live {
                    Ok(allocation)
                } else {
                    Err(format!("use after free at {addr:#x}"))
                }
            }
            _ => Err(format!("{bytes} bytes at {addr:#x} are not inside an allocation")),
        }
    }

    /// Whether memory may be touched at all.
    pub(crate) fn check(&mut self, touch: Touch) -> Result<(), String> {
        self.find(touch).map(drop)
    }

    /// Notes what step `step` of `stream` will touch, given all that comes before it: an earlier touch that conflicts and is not
    /// ordered before it is a race, whatever the schedule.
    pub(crate) fn touch(
        &mut self,
        touch: Touch,
        stream: usize,
        step: u64,
        before: &Clock,
        observed: &Clock,
    ) -> Result<(), String> {
        let allocation = self.find(touch)?;
        let known = |past: &Past| past.step <= observed.get(past.stream);
        let ordered = |past: &Past| past.stream == stream || past.step <= before.get(past.stream) || known(past);
        let race = allocation.past.iter().find(|past| conflict(&past.touch, &touch) && !ordered(past));
        let result = race.map_or(Ok(()), |past| Err(format!("race of {touch:?} on stream {stream} with {past:?}")));
        if allocation.past.len() >= 16 {
            // What this one covers is ordered before whatever is ordered after this one.
            let covered = |past: &Past| touch.write && inside(&past.touch, &touch) && ordered(past);
            allocation.past.retain(|past| !known(past) && !covered(past));
        }
        allocation.past.push(Past { touch, stream, step });
        result
    }

    /// The host touches pinned memory by itself: everything that conflicts must have ended, and the host must know.
    pub(crate) fn host_touch(&mut self, touch: Touch, observed: &Clock) -> Result<(), String> {
        let allocation = self.find(touch)?;
        let pending = allocation.past.iter().find(|p| conflict(&p.touch, &touch) && p.step > observed.get(p.stream));
        pending.map_or(Ok(()), |past| Err(format!("the host's {touch:?} races {past:?}")))
    }

    pub(crate) fn live(&self) -> usize {
        self.allocations.values().filter(|allocation| allocation.live).count()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for &ptr in &self.real {
            let bytes = self.allocations[&ptr.addr()].bytes;
            // SAFETY: allocated in `allocate` with this layout; each address is listed once.
            unsafe { std::alloc::dealloc(ptr.as_ptr(), layout(bytes)) };
        }
    }
}

fn conflict(a: &Touch, b: &Touch) -> bool {
    (a.write || b.write) && a.addr < b.addr + b.bytes && b.addr < a.addr + a.bytes
}

fn inside(inner: &Touch, outer: &Touch) -> bool {
    outer.addr <= inner.addr && inner.addr + inner.bytes <= outer.addr + outer.bytes
}
