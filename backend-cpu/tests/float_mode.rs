//! Operations compute in IEEE mode whatever mode the calling thread is in, and leave it as it was.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both};
use std::arch::asm;
use warpwave_core::operation::{Ptr, Source, Span};
use warpwave_core::{Backend, BinaryOp, DType, Operation, ScalarValue};

/// MXCSR with every exception masked.
const IEEE: u32 = 0x1f80;
const DENORMALS_ARE_ZERO: u32 = 1 << 6;
const FLUSH_TO_ZERO: u32 = 1 << 15;
const ROUND_TO_ZERO: u32 = 0b11 << 13;
/// The sticky flags of what has happened.
const FLAGS: u32 = 0x3f;

fn set_mode(mode: u32) {
    // SAFETY: loads four readable bytes, in which no reserved bit is set.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly)) };
}

fn mode() -> u32 {
    let mut mode = 0u32;
    // SAFETY: stores to four writable bytes.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
    mode & !FLAGS
}

fn span(ptr: Ptr, len: usize) -> Span {
    Span { ptr, dtype: DType::F32, len }
}

/// One element, and enough for the device's own threads to take part.
const LENGTHS: [usize; 2] = [1, 1 << 20];

#[test]
fn the_callers_mode_neither_reaches_an_operation_nor_changes() {
    let (smallest, half) = (f32::from_bits(1), 0.5f32);
    // (operation, a, b, a op b in IEEE arithmetic, and what the odd mode would give)
    let cases = [
        (BinaryOp::Mul, f32::MIN_POSITIVE, half, f32::MIN_POSITIVE.to_bits() >> 1, 0),
        (BinaryOp::Add, smallest, smallest, 2, 0),
        (BinaryOp::Add, 1.0, 0.75 * f32::EPSILON, 1f32.to_bits() + 1, 1f32.to_bits()),
        (BinaryOp::Div, 2.0, 3.0, 0x3f2a_aaab, 0x3f2a_aaaa),
    ];
    let odd = IEEE | DENORMALS_ARE_ZERO | FLUSH_TO_ZERO | ROUND_TO_ZERO;
    // Threads inherit the mode of the one that starts them, so the device's own must be started in the odd mode too.
    set_mode(odd);
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        for (op, a, b, expected, wrong) in cases {
            assert_ne!(expected, wrong);
            for len in LENGTHS {
                let input = Block::of(&backend, &stream, bytemuck::cast_slice(&vec![a; len]));
                let output = Block::new(&backend, len * 4);
                let operation = Operation::Binary {
                    op,
                    a: Source::Span(span(input.ptr, len)),
                    b: Source::Scalar(ScalarValue::new(b)),
                    out: span(output.ptr, len),
                };
                // A host function may change the mode of a stream's thread; the operation after it must not notice.
                backend.host_fn(&stream, Box::new(move || set_mode(odd))).unwrap();
                // SAFETY: both spans fill their blocks, which are aligned and live until the download has waited.
                unsafe { backend.execute(&stream, &operation) }.unwrap();
                assert_eq!(mode(), odd);
                let bytes = output.download(&stream, 0, len * 4);
                for element in bytes.chunks_exact(4) {
                    let bits = u32::from_ne_bytes(element.try_into().unwrap());
                    assert_eq!(bits, expected, "{a} {op} {b}: {bits:#x}, not {expected:#x}");
                }
            }
        }
        backend.destroy_stream(stream).unwrap();
    }
}
