//! Graphs and copies between devices, in both modes, against the backend trait alone.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both, gate, pattern, watched};
use warpwave_core::operation::{MatrixOperand, Span};
use warpwave_core::{Backend, DType, ErrorKind, Layout, Node, Operation, ScalarValue, Space, Transfer, UnaryOp};
use warpwave_cpu::CpuBackend;

/// Sets the first `len` bytes of a block.
fn fill(block: &Block<'_>, len: usize, value: u8) -> Node {
    let (dtype, layout) = (DType::U8, Layout::ColumnMajor);
    let out = MatrixOperand { ptr: block.ptr, dtype, rows: len, cols: 1, ld: len, layout };
    Node::Operation(Operation::Fill { value: ScalarValue::new(value), out })
}

/// Copies the first `bytes` bytes of one block to another.
fn copy(from: &Block<'_>, to: &Block<'_>, bytes: usize) -> Node {
    Node::Copy(Transfer {
        src: from.ptr,
        src_space: Space::Device,
        dst: to.ptr,
        dst_space: Space::Device,
        row_bytes: bytes,
        rows: 1,
        src_pitch: bytes,
        dst_pitch: bytes,
    })
}

/// Three launches are queued behind a gate, with other scalars each; the graph is destroyed before any has run.
#[test]
fn launches_do_what_the_graph_was_when_they_were_enqueued() {
    watched(|| {
        for backend in both() {
            let stream = backend.create_stream().unwrap();
            let (x, y) = (Block::new(&backend, 8), Block::of(&backend, &stream, &[0; 24]));
            let open = match backend.is_inline(&stream) {
                true => None,
                false => Some(gate(&backend, &stream)),
            };
            let part = |i: usize| Transfer {
                dst: y.ptr.byte_add(8 * i),
                ..match copy(&x, &y, 8) {
                    Node::Copy(transfer) => transfer,
                    _ => unreachable!(),
                }
            };
            let nodes = |value, i| [fill(&x, 8, value), Node::Copy(part(i)), fill(&x, 8, 99)];
            let mut graph = backend.instantiate(&nodes(5, 0)).unwrap();
            for (i, value) in [(0, 5), (1, 6), (2, 7)] {
                if i > 0 {
                    backend.update(&mut graph, &nodes(value, i), &[0, 1]).unwrap();
                }
                // SAFETY: the blocks outlive the stream's work.
                unsafe { backend.launch_graph(&stream, &graph).unwrap() };
            }
            backend.destroy_graph(graph);
            if let Some(open) = open {
                open.send(()).unwrap();
            }
            assert_eq!(y.download(&stream, 0, 24), [[5; 8], [6; 8], [7; 8]].concat());
            assert_eq!(x.download(&stream, 0, 8), [99; 8]);
            backend.destroy_stream(stream).unwrap();
        }
    });
}

/// An update takes over what it says has changed, and nothing else.
#[test]
fn an_update_changes_what_it_names() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let (x, y) = (Block::new(&backend, 8), Block::new(&backend, 8));
        let mut graph = backend.instantiate(&[fill(&x, 8, 1), fill(&y, 8, 2)]).unwrap();
        backend.update(&mut graph, &[fill(&x, 8, 3), fill(&y, 8, 4)], &[1]).unwrap();
        // SAFETY: the blocks outlive the stream's work.
        unsafe { backend.launch_graph(&stream, &graph).unwrap() };
        assert_eq!((x.download(&stream, 0, 8), y.download(&stream, 0, 8)), (vec![1; 8], vec![4; 8]));
        backend.destroy_graph(graph);
        backend.destroy_stream(stream).unwrap();
    }
}

/// A launch ends at the first piece that fails, and says which; the stream goes on.
#[test]
fn a_launch_that_fails_stops_there_and_names_the_operation() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let block = Block::of(&backend, &stream, &[9; 64]);
        let span = Span { ptr: block.ptr, dtype: DType::I32, len: 16 };
        let fails = Node::Operation(Operation::Unary { op: UnaryOp::Sqrt, x: span, out: span });
        let graph = backend.instantiate(&[fill(&block, 2, 1), fails, fill(&block, 8, 2)]).unwrap();
        // SAFETY: the span is the block, which outlives the stream's work; what does not exist for its type touches nothing.
        let outcome = unsafe { backend.launch_graph(&stream, &graph) };
        let error = match backend.is_inline(&stream) {
            true => outcome.unwrap_err(),
            false => outcome.and_then(|()| backend.synchronize(&stream)).unwrap_err(),
        };
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        assert_eq!(error.context().operation.as_deref(), Some("sqrt"));
        backend.synchronize(&stream).unwrap();
        assert_eq!(block.download(&stream, 0, 4), [1, 1, 9, 9]);
        backend.destroy_graph(graph);
        backend.destroy_stream(stream).unwrap();
    }
}

/// Any two devices are peers, whatever their modes: bytes arrive, and events of one hold up streams of the other.
#[test]
fn devices_copy_from_each_other_and_wait_for_each_other() {
    watched(|| {
        for (source, target) in [(false, false), (false, true), (true, false), (true, true)] {
            let new = |queued| if queued { CpuBackend::asynchronous() } else { CpuBackend::inline() };
            let (source, target) = (new(source), new(target));
            assert!(target.is_peer(&source) && source.is_peer(&target));
            let (theirs, stream) = (source.create_stream().unwrap(), target.create_stream().unwrap());
            let bytes = pattern(300_007, 5);
            let (x, y) = (Block::new(&source, bytes.len()), Block::new(&target, bytes.len()));
            // What the copy waits for happens late.
            source.host_fn(&theirs, Box::new(|| std::thread::sleep(std::time::Duration::from_millis(5)))).unwrap();
            x.upload(&theirs, 0, &bytes[..bytes.len()]);
            let event = source.record(&theirs).unwrap();
            target.wait(&stream, &event).unwrap();
            source.destroy_event(event);
            // SAFETY: both blocks are that long, outlive the work, and are used in the order of the events.
            unsafe { target.copy_peer(&stream, &source, x.ptr, y.ptr, bytes.len()).unwrap() };
            assert!(y.download(&stream, 0, bytes.len()) == bytes);
            target.destroy_stream(stream).unwrap();
            source.destroy_stream(theirs).unwrap();
        }
    });
}
