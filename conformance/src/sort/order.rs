//! What sorting is compared with: a stable sort by the values of the keys, or by their bits.

use crate::reference::Sample;
use std::cmp::Ordering;
use std::ops::Range;

/// Bits of a key.
pub(super) fn width<T: Sample>() -> u32 {
    8 * T::DTYPE.size() as u32
}

/// Where the elements come from in their sorted order. By all bits, values are compared; by some, the bits of the key.
pub(super) fn order<T: Sample>(keys: &[T], descending: bool, bits: Range<u32>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    let all = bits == (0..width::<T>());
    order.sort_by(|&a, &b| {
        let ordering = if all { by_value(keys[a], keys[b]) } else { by_bits(keys[a], keys[b], &bits) };
        if descending { ordering.reverse() } else { ordering }
    });
    order
}

/// −0 before +0, and every NaN after everything else.
fn by_value<T: Sample>(a: T, b: T) -> Ordering {
    if T::DTYPE.is_integer() {
        return a.integer().cmp(&b.integer());
    }
    match (a.values()[0], b.values()[0]) {
        (a, b) if a.is_nan() || b.is_nan() => a.is_nan().cmp(&b.is_nan()),
        (a, b) => a.total_cmp(&b),
    }
}

fn by_bits<T: Sample>(a: T, b: T, bits: &Range<u32>) -> Ordering {
    let kept = |x: T| bits.clone().filter(move |&bit| key(x) >> bit & 1 == 1).fold(0_u64, |kept, bit| kept | 1 << bit);
    kept(a).cmp(&kept(b))
}

/// The unsigned integer of the width of `T` whose order is that of the values.
fn key<T: Sample>(x: T) -> u64 {
    let (pattern, sign) = (x.patterns()[0], 1_u64 << (width::<T>() - 1));
    let all = sign | (sign - 1);
    match T::DTYPE {
        dtype if dtype.is_integer() && T::from_integer(-1).integer() > 0 => pattern,
        dtype if dtype.is_integer() => pattern ^ sign,
        _ if x.has_nan() => all,
        _ if pattern & sign != 0 => pattern ^ all,
        _ => pattern | sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwave_core::{bf16, f16};

    /// By all bits of the key the order is that by value.
    #[test]
    fn keys_are_ordered_as_values() {
        fn check<T: Sample>() {
            let all: Vec<T> = T::specials().iter().map(|&bits| T::from_patterns([bits, 0])).collect();
            for &a in &all {
                for &b in &all {
                    assert_eq!(by_value(a, b), key(a).cmp(&key(b)), "{a:?} {b:?}");
                    assert_eq!(by_value(a, b), by_bits(a, b, &(0..width::<T>())), "{a:?} {b:?}");
                }
            }
        }
        check::<f16>();
        check::<bf16>();
        check::<f32>();
        check::<f64>();
        check::<i8>();
        check::<i64>();
        check::<u16>();
        check::<u64>();
    }

    #[test]
    fn equal_keys_stay_in_order_both_ways() {
        assert_eq!(order(&[3_u32, 1, 3, 2, 1], false, 0..32), [1, 4, 3, 0, 2]);
        assert_eq!(order(&[3_u32, 1, 3, 2, 1], true, 0..32), [0, 2, 3, 1, 4]);
        assert_eq!(order(&[0x12_u8, 0x21, 0x11, 0x22], false, 4..8), [0, 2, 1, 3]);
        assert_eq!(order(&[-1_i8, 1, 0], false, 7..8), [0, 1, 2]);
        assert_eq!(order(&[f32::NAN, -f32::NAN, 0.0, -0.0], true, 0..32), [0, 1, 2, 3]);
    }
}
