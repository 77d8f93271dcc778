//! Proof of the ordering rules.
//!
//! - `sim`: a device that does what drivers do at their worst, and detects races whatever the schedule.
//! - `program`, `random`: random programs on it, from one thread and several, against a sequential model.
//! - `scenarios`, `interleavings`: small programs, each for one protective step; the latter run under `shuttle`.
//! - `knockouts`: each protective step taken out by itself is noticed.
//! - `lifecycle`: drops in any order, exhausted memory, loss of the device; `host_fn`: what host functions may not do.
//! - `recording`, `graph`: recording, launching and dropping graphs; `peer`: copies between devices.
//! - `schedules`: graphs, copies between devices and drops on several threads at once, in many schedules.
//! - `backlog`: what memory costs that waits for busy streams; `empty`: calls without elements.
//! - `tracker`: the tracker against a model that forgets nothing.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backlog;
mod empty;
mod graph;
mod host_fn;
mod interleavings;
mod knockouts;
mod lifecycle;
mod peer;
mod program;
mod random;
mod recording;
mod scenarios;
mod schedules;
mod sim;
mod tracker;
