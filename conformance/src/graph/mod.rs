//! Graphs: what is recorded once and launched many times does what the same calls would, in the order of all that touches the same
//! memory.

mod lifetime;
mod operations;
mod order;
mod refusals;
mod replay;
mod scalars;

use crate::failure::Verdict;
use crate::{Check, Session};
use warpwave_core::Device;

pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    replay::add(checks);
    scalars::add(checks);
    order::add(checks);
    lifetime::add(checks);
    refusals::add(checks);
}

/// A check named `graph.name`.
fn check<D: Device>(name: &str, body: fn(&mut Session<'_, D>) -> Verdict) -> Check<D> {
    Check::new(format!("graph.{name}"), body)
}
