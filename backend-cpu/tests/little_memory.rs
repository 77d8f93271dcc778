//! What a device does when the system gives no more memory: it says so or does without, and the process goes on.
//!
//! Each test runs itself again in a process whose addresses are limited, where the parent sees an abort.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both, gate};
use std::process::Command;
use std::time::Duration;
use warpwave_core::operation::{Gemm, MatrixOperand};
use warpwave_core::{Backend, DType, ErrorKind, Layout, Op, Operation, Precision, ScalarValue};
use warpwave_cpu::CpuBackend;

/// Set in the limited process.
const INSIDE: &str = "WARPWAVE_TEST_INSIDE";
/// KiB of addresses that it may have.
const LIMIT: usize = 1_500_000;

/// Whether this is the limited process; if not, runs the test `name` in one.
fn is_limited(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let output = Command::new("sh")
        .args(["-c", &format!(r#"ulimit -v {LIMIT}; exec "$0" "$@""#)])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads=1"])
        .env(INSIDE, "1")
        // Each thread may reserve addresses for an allocator of its own.
        .env("RAYON_NUM_THREADS", "2")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{}: {text}", output.status);
    false
}

/// Takes all memory that there is in pieces of at least `least` bytes.
fn take_all(least: usize) -> Vec<Vec<u8>> {
    // The list must not have to grow when nothing is left.
    let mut taken = Vec::with_capacity(1 << 16);
    let mut size = 1 << 30;
    while size >= least && taken.len() < taken.capacity() {
        let mut piece = Vec::<u8>::new();
        match piece.try_reserve_exact(size) {
            Ok(()) => taken.push(std::hint::black_box(piece)),
            Err(_) => size /= 2,
        }
    }
    taken
}

/// `blocks[2] = blocks[0] · blocks[1]`, all of order `n`.
fn product(blocks: &[Block<'_>; 3], n: usize, precision: Precision) -> Operation {
    let operand = |block: &Block<'_>| {
        let (ptr, dtype, layout) = (block.ptr, DType::F64, Layout::ColumnMajor);
        MatrixOperand { ptr, dtype, rows: n, cols: n, ld: n, layout }
    };
    Operation::Gemm(Gemm {
        op_a: Op::N,
        op_b: Op::N,
        alpha: ScalarValue::new(1.0f64),
        a: operand(&blocks[0]),
        b: operand(&blocks[1]),
        beta: ScalarValue::new(0.0f64),
        c: operand(&blocks[2]),
        batch: 1,
        strides: [0; 3],
        precision,
    })
}

/// The crate that makes strict products would end the process.
#[test]
fn a_strict_product_is_made_without_memory() {
    const N: usize = 300;
    if !is_limited("a_strict_product_is_made_without_memory") {
        return;
    }
    let ones: Vec<u8> = std::iter::repeat_n(1f64.to_ne_bytes(), N * N).flatten().collect();
    for least in [4096, 1 << 18, 1 << 20, 1 << 22] {
        for backend in both() {
            let stream = backend.create_stream().unwrap();
            let blocks = [(); 3].map(|()| Block::of(&backend, &stream, &ones));
            // The threads are started by the first operation: there is memory for them.
            // SAFETY: three matrices that outlive the work.
            unsafe { backend.execute(&stream, &product(&blocks, N, Precision::Reproducible)).unwrap() };
            backend.synchronize(&stream).unwrap();
            let taken = take_all(least);
            // SAFETY: as above.
            let enqueued = unsafe { backend.execute(&stream, &product(&blocks, N, Precision::Strict)) };
            let outcome = enqueued.and_then(|()| backend.synchronize(&stream));
            drop(taken);
            outcome.unwrap();
            let result = blocks[2].download(&stream, 0, N * N * 8);
            assert!(result.chunks(8).all(|sum| sum == (N as f64).to_ne_bytes()), "{least}");
            drop(blocks);
            backend.destroy_stream(stream).unwrap();
        }
    }
}

/// Calls are refused when the queue cannot grow, and what waits for the stream still does.
#[test]
fn a_queue_that_cannot_grow_refuses() {
    if !is_limited("a_queue_that_cannot_grow_refuses") {
        return;
    }
    let backend = CpuBackend::asynchronous();
    let stream = backend.create_stream().unwrap();
    let block = Block::new(&backend, 4);
    let out = MatrixOperand { ptr: block.ptr, dtype: DType::F32, rows: 1, cols: 1, ld: 1, layout: Layout::ColumnMajor };
    // SAFETY: one element, which outlives the work.
    let fill =
        |value: f32| unsafe { backend.execute(&stream, &Operation::Fill { value: ScalarValue::new(value), out }) };
    let open = gate(&backend, &stream);
    let mut enqueued = 0;
    let error = loop {
        match fill(enqueued as f32) {
            Ok(()) => enqueued += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
    assert!(enqueued > 100_000, "{enqueued}");
    assert!(matches!(backend.record(&stream).unwrap_err().kind(), ErrorKind::OutOfMemory { .. }));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            open.send(()).unwrap();
        });
        backend.synchronize(&stream).unwrap();
    });
    let last = (enqueued - 1) as f32;
    assert_eq!(block.download(&stream, 0, 4), last.to_ne_bytes());
    fill(7.0).unwrap();
    assert_eq!(block.download(&stream, 0, 4), 7f32.to_ne_bytes());
    backend.destroy_stream(stream).unwrap();
}
