//! Times of things that take turns.

use std::time::{Duration, Instant};

/// Medians, in seconds, of two things that were run in turns.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Of the first.
    pub ours: f64,
    /// Of the second.
    pub peer: f64,
}

/// Threads of a pool look for more work for a while before they sleep: those of OpenBLAS for some 20 ms. What comes next would
/// share the processor with them.
const REST: Duration = Duration::from_millis(50);

/// Runs both `rounds` times in turns, after one round that does not count. Each comes when the threads of the other have gone to
/// sleep, and returns the time of the part of it that counts: its own have to be woken before that.
pub fn pair<E>(
    rounds: usize,
    mut ours: impl FnMut() -> Result<Duration, E>,
    mut peer: impl FnMut() -> Result<Duration, E>,
) -> Result<Pair, E> {
    let ours = || {
        std::thread::sleep(REST);
        ours()
    };
    let peer = || {
        std::thread::sleep(REST);
        peer()
    };
    in_turns(rounds, ours, peer)
}

/// As [`pair`], without the rests: of what leaves no threads awake, as work on a GPU does.
pub fn in_turns<E>(
    rounds: usize,
    mut ours: impl FnMut() -> Result<Duration, E>,
    mut peer: impl FnMut() -> Result<Duration, E>,
) -> Result<Pair, E> {
    ours()?;
    peer()?;
    let (mut first, mut second) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for round in 0..rounds {
        // Whoever goes second finds the caches as the other left them: both do, equally often.
        if round % 2 == 0 {
            first.push(ours()?);
            second.push(peer()?);
        } else {
            second.push(peer()?);
            first.push(ours()?);
        }
    }
    Ok(Pair { ours: median(first), peer: median(second) })
}

/// How long `work` takes.
pub fn time<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// The median, in seconds; of nothing, 0.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
}
