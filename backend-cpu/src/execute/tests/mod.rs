//! What the operations compute is what [`warpwave_core::numerics`] defines, bit for bit.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod elementwise;
mod indexing;
mod math;
mod matrix;
mod random;
mod scan;
mod sort;

use super::execute;
use crate::workers::{FloatMode, Workers};
use std::sync::LazyLock;
use warpwave_core::operation::{MatrixOperand, Ptr, Span};
use warpwave_core::{Element, ErrorKind, Layout, Operation, ScalarValue, UnaryOp};

/// Sizes around vectors, blocks, lanes, chunks, and what threads share.
const SIZES: [usize; 15] = [0, 1, 2, 3, 7, 31, 32, 33, 1023, 1024, 1025, 8191, 8192, 8193, 100_003];

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::new);

fn run(operation: Operation) {
    let _mode = FloatMode::enter();
    // SAFETY: the tests below make operations of `Memory` that is alive and as large as they say.
    unsafe { execute(&WORKERS, &operation) }.unwrap();
}

/// Elements at an odd place in memory, with guard bytes on both sides.
struct Memory<T> {
    storage: Vec<u128>,
    offset: usize,
    len: usize,
    element: std::marker::PhantomData<T>,
}

const GUARD: u8 = 0xa5;
const GUARD_BYTES: usize = 64;

impl<T: Element> Memory<T> {
    fn new(values: &[T]) -> Self {
        // One element past an aligned address: aligned to nothing but the type.
        let offset = GUARD_BYTES + size_of::<T>();
        let bytes = size_of_val(values);
        let mut storage = vec![u128::from_ne_bytes([GUARD; 16]); (offset + bytes + GUARD_BYTES).div_ceil(16)];
        let target = &mut bytemuck::cast_slice_mut::<u128, u8>(&mut storage)[offset..offset + bytes];
        target.copy_from_slice(bytemuck::cast_slice(values));
        Memory { storage, offset, len: values.len(), element: std::marker::PhantomData }
    }

    fn ptr(&mut self) -> Ptr {
        Ptr::new(self.storage.as_mut_ptr().cast::<u8>().wrapping_add(self.offset))
    }

    fn span(&mut self) -> Span {
        Span { ptr: self.ptr(), dtype: T::DTYPE, len: self.len }
    }

    /// All elements as a column.
    fn column(&mut self) -> MatrixOperand {
        let (rows, layout) = (self.len, Layout::ColumnMajor);
        MatrixOperand { ptr: self.ptr(), dtype: T::DTYPE, rows, cols: 1, ld: rows.max(1), layout }
    }

    /// The elements' bytes, after a look at the guards.
    #[track_caller]
    fn bytes(&self) -> &[u8] {
        let all = bytemuck::cast_slice::<u128, u8>(&self.storage);
        let (before, rest) = all.split_at(self.offset);
        let (bytes, after) = rest.split_at(self.len * size_of::<T>());
        assert!(before.iter().chain(after).all(|&byte| byte == GUARD), "wrote outside of the output");
        bytes
    }

    /// Compares to the bit.
    #[track_caller]
    fn assert_is(&self, expected: &[T], what: impl std::fmt::Display) {
        assert_eq!(self.len, expected.len());
        let (ours, theirs) = (self.bytes(), bytemuck::cast_slice::<T, u8>(expected));
        if let Some(byte) = (0..ours.len()).find(|&i| ours[i] != theirs[i]) {
            let (i, size) = (byte / size_of::<T>(), size_of::<T>());
            let got: T = bytemuck::pod_read_unaligned(&ours[i * size..(i + 1) * size]);
            panic!(
                "{what}, {} of {}: element {i} is {got:?}, expected {:?} ({:02x?} instead of {:02x?})",
                T::DTYPE,
                self.len,
                expected[i],
                &ours[i * size..(i + 1) * size],
                &theirs[i * size..(i + 1) * size],
            );
        }
    }
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Bit patterns of all kinds: zeros, ones, extremes, denormals, infinities, NaNs of either sign with and without payload.
fn patterns<T: Element>(len: usize, seed: u64) -> Vec<T> {
    let part = if T::DTYPE.is_complex() { size_of::<T>() / 2 } else { size_of::<T>() };
    let width = 8 * part as u32;
    let top = 1u64 << (width - 1);
    let mask = top | (top - 1);
    let infinity = match width {
        16 if T::DTYPE == warpwave_core::DType::Bf16 => 0x7f80,
        16 => 0x7c00,
        32 => 0x7f80_0000,
        64 => 0x7ff0_0000_0000_0000,
        _ => 0x70,
    };
    let mut random = Random(seed);
    let mut pattern = || match random.next() % 24 {
        0 => 0,
        1 => top,
        2 => 1,
        3 => mask,
        4 => top | 1,
        5 => top - 1,
        6 => infinity,
        7 => infinity | top,
        8 => infinity + 1,
        9 => (infinity + 1) | top,
        10 => u64::from(width),
        11 => u64::from(width - 1),
        12 => infinity - 1,
        13..=15 => random.next() % 8,
        _ => random.next() & mask,
    };
    let mut bytes = Vec::with_capacity(len * size_of::<T>());
    for _ in 0..len * size_of::<T>() / part {
        bytes.extend_from_slice(&pattern().to_le_bytes()[..part]);
    }
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// Numbers of moderate size with fractions, whose sums and products round but seldom overflow.
fn moderate<T: Element>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let mut part = || 1.0 + (random.next() % 2001) as f64 / 4000.0 - 0.25;
    (0..len)
        .map(|i| {
            let sign = if i % 3 == 1 { -1.0 } else { 1.0 };
            let z = warpwave_core::Complex64::new(part() * sign, part());
            let value = if T::DTYPE.is_integer() {
                ScalarValue::new((part() * 1e6) as i64)
            } else if T::DTYPE.is_complex() {
                ScalarValue::new(z)
            } else {
                ScalarValue::new(z.re)
            };
            warpwave_core::numerics::scalar::cast(value, T::DTYPE).unwrap().get().unwrap()
        })
        .collect()
}

/// What has no definition is refused, and leaves the output as it was.
#[test]
fn what_does_not_exist_is_unsupported() {
    let mut x = Memory::new(&[1u8, 2, 3]);
    let operation = Operation::Unary { op: UnaryOp::Sqrt, x: x.span(), out: x.span() };
    // SAFETY: the operands are the bytes of `x`.
    let error = unsafe { execute(&WORKERS, &operation) }.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { what } if what == "sqrt of u8"), "{error}");
    x.assert_is(&[1, 2, 3], "untouched");
}
