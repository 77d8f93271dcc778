//! Calls without elements: checked like all others, and never enqueued.

use super::lifecycle::{check, is_invalid, open};
use super::program::SimDevice;
use super::sim::Options;
use crate::blas::Blas;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{Layout, Op};
use crate::ops::{Ops, Reduce};
use crate::pinned::Pinned;
use crate::stream::{BufferOf, Stream};
use crate::view::{AsView, AsViewMut, Vector, VectorMut};
use std::sync::mpsc;

type SimStream = <SimDevice as Device>::Stream;

/// The name of a call that has no arguments of a device.
const NO_LISTS: &str = "gemm_batched";

/// Memory without elements, and some with.
struct Memory {
    x: BufferOf<SimStream, f32>,
    y: BufferOf<SimStream, f32>,
    z: BufferOf<SimStream, f32>,
    mask: BufferOf<SimStream, u8>,
    truths: BufferOf<SimStream, u8>,
    from: Pinned<f32, SimDevice>,
    to: Pinned<f32, SimDevice>,
    six: BufferOf<SimStream, f32>,
}

impl Memory {
    fn of(device: &SimDevice) -> Memory {
        let stream = device.default_stream();
        let none = || stream.alloc(0).unwrap();
        Memory {
            x: none(),
            y: none(),
            z: none(),
            mask: stream.alloc(0).unwrap(),
            truths: stream.alloc(0).unwrap(),
            from: stream.pinned(0).unwrap(),
            to: stream.pinned(0).unwrap(),
            six: stream.alloc(6).unwrap(),
        }
    }

    /// Makes every call that there is with nothing to write. Each comes with the operation that its errors name, and with whether
    /// the simulated device has it.
    fn calls(&mut self, on: &SimStream) -> Vec<(&'static str, bool, Result<()>)> {
        const COLUMNS: Layout = Layout::ColumnMajor;
        let Memory { x, y, z, mask, truths, from, to, six } = self;
        // One of the dimensions is not 0, and neither is every operand empty.
        let (three, wide) = (six.slice(..3).unwrap(), six.matrix(2, 3).unwrap());
        let [tall, flat, narrow] = [(3, 0), (0, 3), (2, 0)].map(|(rows, cols)| x.matrix(rows, cols).unwrap());
        let rows = x.view().matrix_with(3, 0, usize::MAX, Layout::RowMajor).unwrap();
        let none = x.view().batch(2, 2, 2, COLUMNS, 4, 0).unwrap();
        macro_rules! made {
            ($($name:tt $has:literal $call:expr;)*) => { vec![$( ($name, $has, $call) ),*] };
        }
        made! {
            "write" true on.write(y, &[]);
            "read" true on.read(x, &mut []);
            "upload" true on.upload(y, from);
            "download" true on.download(x, to);
            "copy" true on.copy(x, y);
            "copy" true on.copy(&Vector::new(x, 0, 2).unwrap(), &mut VectorMut::new(y, 0, -3).unwrap());
            "copy_matrix" true on.copy_matrix(&tall, &mut y.matrix_mut(3, 0).unwrap());
            "transpose" false on.copy_matrix(&rows, &mut y.matrix_mut(3, 0).unwrap());
            "fill" true on.fill(y, 1.0);
            "fill" true on.fill_matrix(&mut y.matrix_mut(0, 3).unwrap(), 1.0);
            "iota" false on.iota(0.0, 1.0, y);
            "cast" false on.cast(mask, y);
            "neg" false on.neg(x, y);
            "neg" false on.neg_assign(y);
            "add" false on.add(x, &1.0, y);
            "add" false on.add_assign(y, x);
            "eq" false on.eq(x, &1.0, truths);
            "select" false on.select(mask, x, &1.0, y);
            "select" false on.select_assign(y, mask, x);
            "sum_rows" false on.sum_rows(&flat, y);
            "sum_cols" false on.sum_cols(&tall, y);
            "transpose" false on.transpose(&flat, &mut y.matrix_mut(3, 0).unwrap());
            "swap" false on.swap(y, z);
            "scal" false on.scal(2.0, y);
            "axpy" false on.axpy(2.0, x, y);
            "gemv" false on.gemv(Op::N, 1.0, &flat, &three, 0.0, y);
            "ger" false on.ger(1.0, &three, x, &mut y.matrix_mut(3, 0).unwrap());
            "gemm" false on.gemm(Op::T, Op::N, 1.0, &wide, &narrow, 0.0, &mut y.matrix_mut(3, 0).unwrap());
            "gemm" false on.gemm_strided_batched(
                Op::N, Op::N, 1.0, &none, &none, 0.0, &mut y.view_mut().batch_mut(2, 2, 2, COLUMNS, 4, 0).unwrap());
            "gemm_batched" false on.gemm_batched(
                Op::T, Op::N, 1.0, &[wide, wide], &[narrow, narrow], 0.0,
                &mut [y.matrix_mut(3, 0).unwrap(), z.matrix_mut(3, 0).unwrap()]);
            NO_LISTS false on.gemm_batched::<f32>(Op::N, Op::N, 1.0, &[], &[], 0.0, &mut []);
        }
    }
}

/// The error of a call that has to be refused.
fn refused((name, _, result): (&'static str, bool, Result<()>)) -> Error {
    let error = result.expect_err(name);
    assert_eq!(error.context().operation.as_deref(), Some(name), "{error}");
    error
}

#[test]
fn they_reach_the_device_never_and_are_refused_where_it_lacks_the_operation() {
    let (world, device) = open(Options::default());
    let mut memory = Memory::of(&device);
    // Were something enqueued, it would be refused.
    world.lock().refuse.full = u32::MAX;
    for call in memory.calls(&device.default_stream()) {
        match call {
            (name, true, result) => result.expect(name),
            call => assert!(matches!(refused(call).kind(), ErrorKind::Unsupported { .. })),
        }
    }
    world.lock().refuse.full = 0;
    drop((memory, device));
    check(&world);
}

#[test]
fn they_are_refused_on_memory_of_another_device() {
    let ((w1, d1), (w2, d2)) = (open(Options::default()), open(Options::default()));
    let mut memory = Memory::of(&d1);
    // The last call has no memory at all.
    let mut calls = memory.calls(&d2.default_stream());
    assert!(matches!(calls.pop(), Some((NO_LISTS, ..))));
    for call in calls {
        let error = refused(call);
        assert!(is_invalid(&error) && error.to_string().contains("opened separately"), "{error}");
    }
    drop((memory, d1, d2));
    check(&w1);
    check(&w2);
}

#[test]
fn they_are_refused_inside_a_host_function() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let (send, receive) = mpsc::channel();
    let (mut memory, on) = (Memory::of(&device), stream.clone());
    stream
        .host_fn(move || {
            let results = memory.calls(&on);
            send.send((memory, results)).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    let (memory, results) = receive.recv().unwrap();
    for call in results {
        let error = refused(call);
        assert!(is_invalid(&error) && error.to_string().contains("inside"), "{error}");
    }
    drop((memory, stream, device));
    check(&world);
}

#[test]
fn they_are_refused_on_a_lost_device() {
    let (world, device) = open(Options::default());
    let mut memory = Memory::of(&device);
    world.lock().refuse.lost = true;
    device.default_stream().synchronize().unwrap_err();
    world.lock().refuse.lost = false;
    for call in memory.calls(&device.default_stream()) {
        assert!(matches!(refused(call).kind(), ErrorKind::DeviceLost { .. }));
    }
    drop((memory, device));
    world.wait_closed();
    assert!(world.violations().is_empty(), "{:?}", world.violations());
}
