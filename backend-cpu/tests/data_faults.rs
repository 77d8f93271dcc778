//! Indices out of range in device data: the call that meets them succeeds, in both modes, and the next that synchronizes says so.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both};
use warpwave_core::operation::Span;
use warpwave_core::{Backend, DType, ErrorKind, Operation};

/// The fault names the operation, the place and the index, is reported once and by its own stream, and the outputs are as defined.
#[test]
fn an_index_out_of_range_is_kept_for_the_next_synchronizing_call() {
    for backend in both() {
        let [stream, other] = [(); 2].map(|()| backend.create_stream().unwrap());
        let x = Block::of(&backend, &stream, &[10, 11, 12]);
        let index: Vec<u8> = [1_i32, -7, 3, 2].iter().flat_map(|i| i.to_ne_bytes()).collect();
        let index = Block::of(&backend, &stream, &index);
        let out = Block::of(&backend, &stream, &[9; 4]);
        let span = |block: &Block<'_>, dtype, len| Span { ptr: block.ptr, dtype, len };
        let gather = Operation::Gather {
            x: span(&x, DType::U8, 3),
            index: span(&index, DType::I32, 4),
            out: span(&out, DType::U8, 4),
        };
        // SAFETY: the spans are the blocks.
        unsafe { backend.execute(&stream, &gather).unwrap() };
        let later = Block::of(&backend, &stream, &[5]);
        backend.synchronize(&other).unwrap();
        let mut got = [0; 4];
        // SAFETY: four bytes of the block, four of `got`.
        let error = unsafe { backend.download(&stream, out.ptr, got.as_mut_ptr(), 4) }.unwrap_err();
        let told = "the index at position 1 is -7, which is outside of 0..3";
        assert!(matches!(error.kind(), ErrorKind::DeviceFault { what } if what == told), "{error}");
        assert_eq!(error.context().operation.as_deref(), Some("gather"));
        assert_eq!(error.context().device.as_deref(), Some("cpu"));
        assert_eq!(got, [11, 0, 0, 12]);
        backend.synchronize(&stream).unwrap();
        assert_eq!(later.download(&stream, 0, 1), [5]);
        for stream in [stream, other] {
            backend.destroy_stream(stream).unwrap();
        }
    }
}
