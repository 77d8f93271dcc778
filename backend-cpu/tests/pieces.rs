//! Buffers that two streams use in pieces, while one of them stands still: through the whole runtime, on the asynchronous device.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::watched;
use std::sync::mpsc::{Sender, channel};
use warpwave_core::{Buffer, Device, ManagedDevice, Stream};
use warpwave_cpu::CpuBackend;

type Queue = <ManagedDevice<CpuBackend> as Device>::Stream;

const PIECES: usize = 400;

/// A device and two of its streams.
fn streams() -> (ManagedDevice<CpuBackend>, Queue, Queue) {
    let device = ManagedDevice::new(CpuBackend::asynchronous()).unwrap();
    let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    (device, a, b)
}

/// Makes a stream stop until the sender is used or dropped.
fn stop(stream: &Queue) -> Sender<()> {
    let (open, closed) = channel::<()>();
    stream.host_fn(move || closed.recv().unwrap_or_default()).unwrap();
    open
}

/// However many pieces a stream has in hand, another that touches none of them does not wait for it: what it waited for would never come,
/// as this thread opens the gate afterwards.
#[test]
fn what_a_stream_does_not_touch_nobody_waits_for() {
    watched(|| {
        let (device, a, b) = streams();
        let mut x = device.default_stream().zeros::<u8>(10 * PIECES).unwrap();
        device.default_stream().synchronize().unwrap();
        let open = stop(&a);
        for i in 0..PIECES {
            a.fill(&mut x.slice_mut(10 * i..10 * i + 5).unwrap(), 1).unwrap();
        }
        for i in [0, 1, PIECES / 2, PIECES - 1] {
            b.fill(&mut x.slice_mut(10 * i + 7..10 * i + 9).unwrap(), 2).unwrap();
            assert_eq!(b.to_vec(&x.slice(10 * i + 5..10 * i + 10).unwrap()).unwrap(), [0, 0, 2, 2, 0]);
        }
        open.send(()).unwrap();
        // What it does touch is waited for.
        let all = b.to_vec(&x).unwrap();
        assert!(all.chunks(10).all(|piece| piece[..5] == [1; 5]));
        assert_eq!(all[7..9], [2, 2]);
    });
}

/// Nor for what the first stream did after a host function, if only what came before is needed: though the pieces lie side by side.
#[test]
fn pieces_from_before_a_host_function_do_not_wait_for_those_after_it() {
    watched(|| {
        let (_device, a, b) = streams();
        let mut x = a.alloc::<u8>(10 * PIECES).unwrap();
        for i in 0..PIECES / 2 {
            a.fill(&mut x.slice_mut(10 * i..10 * (i + 1)).unwrap(), 1).unwrap();
        }
        let open = stop(&a);
        for i in PIECES / 2..PIECES {
            a.fill(&mut x.slice_mut(10 * i..10 * (i + 1)).unwrap(), 2).unwrap();
        }
        let before = x.slice(..10 * (PIECES / 2)).unwrap();
        assert_eq!(b.to_vec(&before).unwrap(), [1; 10 * (PIECES / 2)]);
        open.send(()).unwrap();
        assert_eq!(b.to_vec(&x.slice(10 * (PIECES / 2)..).unwrap()).unwrap(), [2; 10 * (PIECES - PIECES / 2)]);
    });
}
