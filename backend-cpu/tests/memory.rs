//! Allocation and copies, in both modes, against the backend trait alone.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both, gate, pattern, watched};
use std::sync::mpsc::channel;
use std::time::Duration;
use warpwave_core::operation::{Span, Strided};
use warpwave_core::{Backend, DType, ErrorKind, Operation, Space, Transfer};
use warpwave_cpu::CpuBackend;

#[test]
fn there_is_one_device_and_it_describes_itself() {
    let devices = CpuBackend::enumerate().unwrap();
    let opened = CpuBackend::open(0).unwrap();
    assert_eq!(devices, [opened.info()]);
    assert_eq!(opened.info().mode, "inline");
    assert_eq!(CpuBackend::asynchronous().info().mode, "async");
    for index in [1, usize::MAX] {
        let error = CpuBackend::open(index).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoDevice { device, .. } if device.ends_with(&index.to_string())));
    }
}

#[test]
fn out_of_memory_leaves_the_device_usable() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        for space in [Space::Device, Space::Pinned] {
            let error = backend.allocate(space, usize::MAX / 2 - 255).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
            assert!(matches!(backend.allocate(space, 0).unwrap_err().kind(), ErrorKind::InvalidArgument { .. }));
            let ptr = backend.allocate(space, 256).unwrap();
            let mut out = [1u8; 256];
            // SAFETY: 256 bytes on both sides.
            unsafe { backend.download(&stream, ptr, out.as_mut_ptr(), 256).unwrap() };
            assert_eq!(out, [0; 256]);
            // SAFETY: allocated above, freed once, and the download has ended.
            unsafe { backend.free(space, ptr, 256).unwrap() };
        }
        backend.destroy_stream(stream).unwrap();
    }
}

/// Sizes around the staging of uploads and the sharing among threads; guard bytes show that nothing else is written.
#[test]
fn copies_of_every_size_and_offset_move_exactly_their_bytes() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let edges = [1 << 16, 1 << 18, 1 << 20].into_iter().flat_map(|n| [n - 1, n, n + 1]);
        for bytes in [0, 1, 2, 3, 7, 255, 256, 257].into_iter().chain(edges) {
            for (from_offset, to_offset) in [(0, 0), (1, 0), (3, 5), (7, 64)] {
                let data = pattern(bytes, bytes as u64);
                let size = bytes + 256;
                let guard = vec![0xee; size];
                let from = Block::of(&backend, &stream, &guard);
                let to = Block::of(&backend, &stream, &guard);
                from.upload(&stream, from_offset, &data);
                from.copy_to(&stream, from_offset, &to, to_offset, bytes);
                let mut expected = guard;
                expected[to_offset..to_offset + bytes].copy_from_slice(&data);
                assert!(to.download(&stream, 0, size) == expected, "{bytes} {from_offset} {to_offset}");
                assert!(to.download(&stream, to_offset, bytes) == data);
            }
        }
        backend.destroy_stream(stream).unwrap();
    }
}

#[test]
fn two_dimensional_copies_leave_the_gaps_alone() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let shapes = [(0, 5), (5, 0), (1, 1), (1, 9), (9, 1), (7, 13), (4096, 33), (300_000, 3), (3, 200_001)];
        for (row_bytes, rows) in shapes {
            for (src_gap, dst_gap) in [(0, 0), (0, 3), (5, 0), (1, 2)] {
                let (src_pitch, dst_pitch) = (row_bytes + src_gap, row_bytes + dst_gap);
                let data = pattern(src_pitch * rows, 11);
                let from = Block::of(&backend, &stream, &data);
                let mut expected = vec![0xee; dst_pitch * rows];
                let to = Block::of(&backend, &stream, &expected);
                let transfer = Transfer {
                    src: from.ptr,
                    src_space: Space::Device,
                    dst: to.ptr,
                    dst_space: Space::Pinned,
                    row_bytes,
                    rows,
                    src_pitch,
                    dst_pitch,
                };
                // SAFETY: `pitch * rows` bytes in two different blocks.
                unsafe { backend.copy(&stream, &transfer).unwrap() };
                for row in 0..rows {
                    let (src, dst) = (row * src_pitch, row * dst_pitch);
                    expected[dst..dst + row_bytes].copy_from_slice(&data[src..src + row_bytes]);
                }
                assert!(
                    to.download(&stream, 0, expected.len()) == expected,
                    "{row_bytes} x {rows}, {src_gap} {dst_gap}"
                );
            }
        }
        backend.destroy_stream(stream).unwrap();
    }
}

/// The stream stands still, so a call that waited for it would hang; and the slice is changed before the stream gets to
/// the copy.
#[test]
fn a_small_upload_neither_waits_nor_keeps_the_slice() {
    watched(|| {
        let backend = CpuBackend::asynchronous();
        let stream = backend.create_stream().unwrap();
        let block = Block::new(&backend, 1 << 16);
        let open = gate(&backend, &stream);
        let data = pattern(1 << 16, 5);
        let mut slice = data.clone();
        block.upload(&stream, 0, &slice);
        slice.fill(0);
        drop(slice);
        open.send(()).unwrap();
        assert!(block.download(&stream, 0, data.len()) == data);
        backend.destroy_stream(stream).unwrap();
    });
}

/// The caller overwrites its slice as soon as the call returns; the stream is late.
#[test]
fn a_large_upload_returns_when_the_slice_may_be_changed() {
    let backend = CpuBackend::asynchronous();
    let stream = backend.create_stream().unwrap();
    let data = pattern((1 << 16) + 1, 6);
    let block = Block::new(&backend, data.len());
    backend.host_fn(&stream, Box::new(|| std::thread::sleep(Duration::from_millis(20)))).unwrap();
    let mut slice = data.clone();
    block.upload(&stream, 0, &slice);
    slice.fill(0);
    assert!(block.download(&stream, 0, data.len()) == data);
    backend.destroy_stream(stream).unwrap();
}

/// A stream that stands still does not take all memory: beyond 64 MiB, small uploads wait as large ones do.
#[test]
fn what_is_copied_aside_is_limited() {
    watched(|| {
        const BYTES: usize = 60 << 10;
        let backend = CpuBackend::asynchronous();
        let stream = backend.create_stream().unwrap();
        let block = Block::new(&backend, BYTES);
        let open = gate(&backend, &stream);
        let (sender, done) = channel();
        std::thread::scope(|scope| {
            let (block, stream) = (&block, &stream);
            scope.spawn(move || {
                for i in 0..1500 {
                    block.upload(stream, 0, &pattern(BYTES, i));
                    sender.send(()).unwrap();
                }
            });
            let at_once = std::iter::from_fn(|| done.recv_timeout(Duration::from_secs(2)).ok()).count();
            assert!(at_once <= (64 << 20) / BYTES, "{at_once}");
            open.send(()).unwrap();
            assert_eq!(at_once + done.iter().count(), 1500);
        });
        assert!(block.download(&stream, 0, BYTES) == pattern(BYTES, 1499));
        backend.destroy_stream(stream).unwrap();
    });
}

/// No machine has the memory that this takes to work in, so the call says so and not some later one.
#[test]
fn what_can_never_be_done_is_refused_by_the_call() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let [x, out] = [(); 2].map(|()| Block::new(&backend, 4));
        let operation = Operation::Asum {
            x: Strided { base: x.ptr, dtype: DType::F32, len: 1 << 60, inc: 0 },
            out: Span { ptr: out.ptr, dtype: DType::F32, len: 1 },
        };
        // SAFETY: the same element each time, and one for the result; both outlive the work.
        let error = unsafe { backend.execute(&stream, &operation).unwrap_err() };
        assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
        assert!(error.to_string().contains("asum") && error.to_string().contains("cpu"), "{error}");
        backend.synchronize(&stream).unwrap();
        backend.destroy_stream(stream).unwrap();
    }
}
