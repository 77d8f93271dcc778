//! Copies between pinned memory of the host and the device.

use super::Bench;
use super::driver::address_of;
use super::measure::{Medians, Outcome, medians};
use super::report::{Floor, Goal, Row};
use warpwave::prelude::*;

/// Bytes of a copy.
const BYTES: usize = 256 << 20;

/// From the host to the device.
pub(crate) fn upload(bench: &Bench, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    let (pinned, mut x) = (stream.pinned::<u8>(BYTES)?, stream.zeros::<u8>(BYTES)?);
    let (source, address) = (driver.pinned(BYTES)?, address_of(stream, &mut x)?);
    let mut ours = |calls| driver.device_time(calls, &mut || Ok(stream.upload(&mut x, &pinned)?));
    // SAFETY: the buffer is as long and stays until all copies have ended, as the pinned memory does.
    let mut peer = |calls| driver.device_time(calls, &mut || unsafe { driver.upload(address, &source) });
    Ok(row(name, medians(&mut ours, Some(&mut peer))?, "cuMemcpyHtoDAsync"))
}

/// From the device to the host.
pub(crate) fn download(bench: &Bench, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    let (mut pinned, mut x) = (stream.pinned::<u8>(BYTES)?, stream.zeros::<u8>(BYTES)?);
    let (mut target, address) = (driver.pinned(BYTES)?, address_of(stream, &mut x)?);
    let mut ours = |calls| driver.device_time(calls, &mut || Ok(stream.download(&x, &mut pinned)?));
    // SAFETY: the buffer is as long and stays until all copies have ended, as the pinned memory does.
    let mut peer = |calls| driver.device_time(calls, &mut || unsafe { driver.download(&mut target, address) });
    Ok(row(name, medians(&mut ours, Some(&mut peer))?, "cuMemcpyDtoHAsync"))
}

fn row(name: &str, (ours, peer): Medians, peer_name: &'static str) -> Row {
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    Row {
        peer: peer.map(|seconds| (peer_name, Ok(rate(seconds)))),
        goal: Goal::Ratio(0.98),
        floor: Some(Floor { amount: BYTES as f64, unit: "B" }),
        ..Row::new(name, rate(ours), "GB/s")
    }
}
