//! Faults in sorting and in random numbers.

use super::elements::{Bytes, Elements};
use super::rework::Rework;
use crate::reference::{Sample, philox};
use std::cmp::Reverse;
use warpwave_core::numerics::order::{SortKey, digits};
use warpwave_core::operation::{Sort, Span};
use warpwave_core::{DType, Operation, match_dtype};

/// What is looked at of each key. Without `nan_alike` a NaN has the key that its bits make if it is taken for a number.
fn keys(x: &Elements, sort: &Sort, nan_alike: bool) -> Vec<u64> {
    fn by_definition<T: SortKey>(x: T) -> u64 {
        x.key().into()
    }
    fn by_bits<T: Sample>(x: T) -> u64 {
        let (pattern, sign) = (x.patterns()[0], 1_u64 << (8 * T::DTYPE.size() - 1));
        if pattern & sign == 0 { pattern | sign } else { pattern ^ (sign | (sign - 1)) }
    }
    let (bits, is_integer) = (sort.first_bit..sort.end_bit, x.dtype.is_integer());
    match_dtype!(x.dtype, real T => {
        let key = |x: T| -> u64 {
            let key = if nan_alike || is_integer { by_definition(x) } else { by_bits(x) };
            digits(key, bits.clone())
        };
        x.read::<T>().into_iter().map(key).collect()
    }, _ => Vec::new())
}

/// A sort in an order of its own.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn sorted(
    operation: &Operation,
    nan_alike: bool,
    order: impl Fn(&Sort, &[u64]) -> Vec<usize> + Send + 'static,
) -> Rework {
    let Operation::Sort(sort) = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (elements, bytes) = unsafe { (Elements::span(sort.keys), Bytes::of(sort.keys)) };
    // SAFETY: the caller's.
    let values = sort.values.map(|values| unsafe { Bytes::of(values) });
    Rework::instead(move || {
        let order = order(&sort, &keys(&elements, &sort, nan_alike));
        bytes.rearrange(&order);
        if let Some(values) = values {
            values.rearrange(&order);
        }
    })
}

/// Element numbers in the order of their keys; equal keys in the order that they have in `numbers`.
fn by_keys(mut numbers: Vec<usize>, keys: &[u64], descending: bool) -> Vec<usize> {
    if descending {
        numbers.sort_by_key(|&i| Reverse(keys[i]));
    } else {
        numbers.sort_by_key(|&i| keys[i]);
    }
    numbers
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn unstable_sort(operation: &Operation) -> Rework {
    let order = |sort: &Sort, keys: &[u64]| by_keys((0..keys.len()).rev().collect(), keys, sort.descending);
    // SAFETY: the caller's.
    unsafe { sorted(operation, true, order) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn reversed_descending(operation: &Operation) -> Rework {
    let order = |sort: &Sort, keys: &[u64]| {
        let mut order = by_keys((0..keys.len()).collect(), keys, false);
        if sort.descending {
            order.reverse();
        }
        order
    };
    // SAFETY: the caller's.
    unsafe { sorted(operation, true, order) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn nan_by_bits(operation: &Operation) -> Rework {
    let order = |sort: &Sort, keys: &[u64]| by_keys((0..keys.len()).collect(), keys, sort.descending);
    // SAFETY: the caller's.
    unsafe { sorted(operation, false, order) }
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn round_missing(operation: &Operation) -> Rework {
    fn run<T: Sample>(seed: u64, subsequence: u64, offset: u64, out: Elements) {
        let per_element = philox::words_of::<T>();
        let words = philox::words(philox::ROUNDS - 1, seed, subsequence, offset, out.rows * per_element);
        for (i, words) in words.chunks(per_element).enumerate() {
            out.set(i, 0, philox::number::<T>(words));
        }
    }
    let Operation::Random { seed, subsequence, offset, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::instead(move || match_dtype!(out.dtype, real T => run::<T>(seed, subsequence, offset, out), _ => ()))
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn low_bit_bias(operation: &Operation) -> Rework {
    let Operation::Random { out: out @ Span { dtype: DType::U32, .. }, .. } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::after(move || (0..out.rows).step_by(8).for_each(|i| out.set(i, 0, out.get::<u32>(i, 0) | 1)))
}
