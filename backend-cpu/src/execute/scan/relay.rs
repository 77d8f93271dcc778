//! What threads that scan together pass on to each other.

use super::carry::Carry;
use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Places to wait at. Threads beyond that share them.
const PLACES: usize = 16;
/// Looks at a place before the processor is left to others: a few times what it takes to pass on.
const LOOKS: usize = 256;

/// Gives out turns, and passes on what comes before each, in their order.
///
/// No thread waits for ever: each claims a turn when it has done with the one before. So whoever has the first turn that was not
/// passed on works on it, and waits for nothing.
pub(super) struct Relay<A> {
    next: AtomicUsize,
    /// Place `i % PLACES` holds `i` when turn `i` has come. Each thread waits at a place of its own, because a line of memory that
    /// many look at changes slowly.
    places: [Place; PLACES],
    carry: Mutex<Carry<A>>,
}

#[repr(align(128))]
struct Place(AtomicUsize);

impl<A: Copy> Relay<A> {
    /// Before the first turn. `any` is any value.
    pub(super) fn new(any: A) -> Self {
        Relay {
            next: AtomicUsize::new(0),
            // Turn 0 has come at the first place, and none at the others, where 0 never comes.
            places: [const { Place(AtomicUsize::new(0)) }; PLACES],
            carry: Mutex::new(Carry::new(any)),
        }
    }

    /// The next turn, whether or not anything is left to do.
    pub(super) fn claim(&self) -> usize {
        // Relaxed: the number orders no other memory.
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for the turn to come, and passes on the carry as `push` leaves it.
    pub(super) fn pass(&self, turn: usize, push: impl FnOnce(&mut Carry<A>)) {
        let place = &self.places[turn % PLACES].0;
        let mut looks = 0;
        // Acquire and release: with the turn goes the sight of what was passed on.
        while place.load(Ordering::Acquire) != turn {
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        push(&mut lock(&self.carry));
        self.places[(turn + 1) % PLACES].0.store(turn + 1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads, more turns than places: each is claimed once, and comes after all those before it.
    #[test]
    fn turns_come_in_order() {
        const TURNS: usize = 5000;
        let relay = Relay::new(0_usize);
        let seen: Vec<AtomicUsize> = (0..TURNS).map(|_| AtomicUsize::new(usize::MAX)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let turn = relay.claim();
                        let Some(seen) = seen.get(turn) else { break };
                        relay.pass(turn, |carry| {
                            let before = carry.push(turn, |a, b| a + b);
                            assert_eq!(before.is_none(), turn == 0);
                            assert_eq!(seen.swap(before.unwrap_or(0), Ordering::Relaxed), usize::MAX);
                        });
                    }
                });
            }
        });
        for (turn, seen) in seen.iter().enumerate() {
            assert_eq!(seen.load(Ordering::Relaxed), turn * turn.saturating_sub(1) / 2);
        }
    }
}
