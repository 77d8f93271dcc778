//! Operations on bits, whose kernels are named after a type of the elements' width.

use warpwave_core::operation::{Ptr, Source, Span};
use warpwave_core::{Complex64, DType, Element, ScalarValue, match_dtype};

/// The type after which kernels for elements of this many bytes are named.
pub(super) const fn width(bytes: usize) -> DType {
    match bytes {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C64,
    }
}

/// The widest type that divides all of these numbers, which are addresses and distances in bytes.
pub(super) fn widest(bytes: impl IntoIterator<Item = usize>) -> DType {
    let all = bytes.into_iter().fold(16, |all, bytes| all | bytes);
    width(1 << all.trailing_zeros().min(4))
}

/// The same bytes as an element of the type of their width.
pub(super) fn value(value: ScalarValue) -> ScalarValue {
    let dtype = width(value.dtype().size());
    repeated(value, dtype)
}

/// A value of a type that is at least as wide, the bytes of `value` over and over.
pub(super) fn repeated(value: ScalarValue, dtype: DType) -> ScalarValue {
    let mut bytes = [0; 16];
    value.bytes().iter().cycle().zip(&mut bytes).for_each(|(&from, to)| *to = from);
    let [low, high] =
        [0, 8].map(|at| bytes[at..].iter().take(8).rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte)));
    match dtype {
        DType::U8 => ScalarValue::new(low as u8),
        DType::U16 => ScalarValue::new(low as u16),
        DType::U32 => ScalarValue::new(low as u32),
        DType::U64 => ScalarValue::new(low),
        _ => ScalarValue::new(Complex64::new(f64::from_bits(low), f64::from_bits(high))),
    }
}

/// The value whose bytes are 0.
pub(super) fn zero(dtype: DType) -> ScalarValue {
    fn of<T: Element>() -> ScalarValue {
        ScalarValue::new(T::default())
    }
    match_dtype!(dtype, any T => of::<T>(), _ => ScalarValue::new(0_u8))
}

/// An operand as a kernel takes it: a pointer, or none and a value.
pub(super) fn source(source: Source) -> (Ptr, ScalarValue) {
    match source {
        Source::Span(Span { ptr, dtype, .. }) => (ptr, zero(dtype)),
        Source::Scalar(value) => (Ptr::NULL, value),
    }
}
