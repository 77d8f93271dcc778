//! Medians of samples that are long enough for the clock, ours and the peer's in turns.

use std::time::Duration;
use warpwave_benches::timing::{Pair, in_turns, median};

/// What can go wrong on either side.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What is measured: one call of it.
pub(crate) type Work<'a> = &'a mut dyn FnMut() -> Outcome<()>;

/// How long so many calls take.
pub(crate) type Sample<'a> = &'a mut dyn FnMut(usize) -> Outcome<Duration>;

/// Samples of which the median is taken.
pub(crate) const ROUNDS: usize = 9;
/// Calls before anything is measured: libraries are loaded, kernels compiled, and algorithms chosen in the first.
const WARM_UP: usize = 3;
/// A sample is to take 5 ms; a fifth more here, as clocks may still go up.
const SHORTEST: Duration = Duration::from_millis(6);
/// No sample has more calls, whatever the clock says.
const MOST_CALLS: usize = 1 << 20;

/// Seconds of a call: ours, and the peer's if there is one.
pub(crate) type Medians = (f64, Option<f64>);

/// Measures with as many calls in a sample as make it long enough on both sides.
pub(crate) fn medians(ours: Sample<'_>, mut peer: Option<Sample<'_>>) -> Outcome<Medians> {
    let mut calls = calls(ours)?;
    if let Some(peer) = &mut peer {
        calls = calls.max(self::calls(peer)?);
    }
    medians_of(calls, ours, peer)
}

/// Measures with so many calls in a sample, after one that does not count.
pub(crate) fn medians_of(calls: usize, ours: Sample<'_>, peer: Option<Sample<'_>>) -> Outcome<Medians> {
    let of_one = |seconds: f64| seconds / calls as f64;
    match peer {
        Some(peer) => {
            let Pair { ours, peer } = in_turns(ROUNDS, || ours(calls), || peer(calls))?;
            Ok((of_one(ours), Some(of_one(peer))))
        }
        None => {
            ours(calls)?;
            let times = (0..ROUNDS).map(|_| ours(calls)).collect::<Outcome<Vec<_>>>()?;
            Ok((of_one(median(times)), None))
        }
    }
}

/// How many calls make a sample that is long enough.
fn calls(sample: Sample<'_>) -> Outcome<usize> {
    sample(WARM_UP)?;
    let mut calls = 1;
    while calls < MOST_CALLS && sample(calls)? < SHORTEST {
        calls *= 2;
    }
    Ok(calls)
}
