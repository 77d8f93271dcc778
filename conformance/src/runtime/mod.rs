//! The runtime: memory, copies, streams, events, errors.
//!
//! Producers are slow on purpose: work that should have been waited for has not happened yet when something reads too early.

mod copy;
mod device;
mod error;
mod event;
mod host_fn;
mod memory;
mod order;
mod peer;
mod pinned;
mod threads;
mod view;

use crate::failure::{Failure, Verdict};
use crate::seed::Words;
use crate::{Case, Check, Session};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use warpwave_core::{DType, Device, Element, OperationKind, Stream};

/// How long a slow producer takes: much longer than any call.
const PAUSE: Duration = Duration::from_millis(2);
/// How long to wait for what should come at once, before it counts as never coming.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    memory::add(checks);
    copy::add(checks);
    view::add(checks);
    pinned::add(checks);
    event::add(checks);
    order::add(checks);
    host_fn::add(checks);
    error::add(checks);
    threads::add(checks);
    device::add(checks);
    peer::add(checks);
}

/// A check named `runtime.name`.
fn check<D: Device>(name: &str, body: fn(&mut Session<'_, D>) -> Verdict) -> Check<D> {
    Check::new(format!("runtime.{name}"), body)
}

/// A check named `runtime.name.type`.
fn typed<D: Device>(name: &str, dtype: DType, body: fn(&mut Session<'_, D>) -> Verdict) -> Check<D> {
    let check = Check::new(format!("runtime.{name}.{dtype}"), body).typed(dtype);
    check.needing(dtype, [OperationKind::Fill, OperationKind::Copy])
}

/// Adds a check for each element type, from a function that is generic over the device and the type.
macro_rules! for_every_type {
    ($checks:ident, $device:ident, $name:literal, $body:ident) => {
        $crate::runtime::for_every_type!(
            $checks, $device, $name, $body:
            f32, f64, warpwave_core::f16, warpwave_core::bf16, i8, i16, i32, i64, u8, u16, u32, u64,
            warpwave_core::Complex32, warpwave_core::Complex64
        )
    };
    ($checks:ident, $device:ident, $name:literal, $body:ident: $($t:ty),*) => {
        $( $checks.push($crate::runtime::typed($name, <$t as Element>::DTYPE, $body::<$device, $t>)); )*
    };
}
use for_every_type;

/// Holds later work on the stream up for a while.
pub(crate) fn pause<S: Stream>(stream: &S) -> warpwave_core::Result<()> {
    stream.host_fn(|| std::thread::sleep(PAUSE))
}

/// Holds later work on the stream up until what is returned is dropped, and no longer than [`PATIENCE`]. Not at all on a stream whose
/// calls return when their work has ended.
pub(crate) fn hold<D: Device>(device: &D, stream: &D::Stream) -> warpwave_core::Result<Option<Sender<()>>> {
    if device.info().mode == "inline" {
        return Ok(None);
    }
    let (open, closed) = channel();
    stream.host_fn(move || {
        // Ends as soon as the other end is dropped.
        let _ = closed.recv_timeout(PATIENCE);
    })?;
    Ok(Some(open))
}

/// Elements of any bit pattern.
pub(crate) fn pattern<T: Element>(seed: u64, len: usize) -> Vec<T> {
    let mut data: Vec<T> = bytemuck::allocation::zeroed_vec(len);
    let mut words = Words::new(seed);
    for chunk in bytemuck::cast_slice_mut::<T, u8>(&mut data).chunks_mut(8) {
        chunk.copy_from_slice(&words.word().to_le_bytes()[..chunk.len()]);
    }
    data
}

/// The device a second time, as one that shares no stream and no memory with the first.
pub(crate) fn another<D: Device>(case: &Case<'_, D>) -> Verdict<D> {
    Ok(case.origin.again(case.device())?)
}

/// Joins a thread of a check.
pub(crate) fn join<R>(handle: std::thread::ScopedJoinHandle<'_, Verdict<R>>) -> Verdict<R> {
    handle.join().unwrap_or_else(|_| Err(Failure::new("a thread of the check panicked")))
}
