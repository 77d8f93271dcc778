//! Conversions between the 16-bit floating-point types and `f32`, `f64`, `u64`: each rounds once, to nearest even.
//!
//! They are made of integer operations and selects, with no branch and no table, so that a loop over them is vectorised, and the
//! same lines can stand in a kernel. (The conversions of the `half` crate look for instructions at run time at every element,
//! and those from `f64` round twice.) Where they round, a NaN becomes the canonical one.

use crate::element::{bf16, f16};

/// `f16` to `f32`, exact. A NaN stays one, with sign and payload.
#[inline(always)]
pub(crate) fn f32_from_f16(x: f16) -> f32 {
    const REBIAS: u32 = (127 - 15) << 23;
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    let normal = magnitude + REBIAS;
    // A denormal m · 2^-24 is the difference of two normal numbers, 2^-14 + m · 2^-24 and 2^-14.
    let offset = f32::from_bits((127 - 14) << 23);
    let denormal = (f32::from_bits(normal + (1 << 23)) - offset).to_bits();
    let finite = if magnitude < 1 << 23 { denormal } else { normal };
    // The exponent of all ones stays all ones.
    let result = if magnitude >= 0x0f80_0000 { normal + REBIAS } else { finite };
    f32::from_bits(result | (bits & 0x8000) << 16)
}

/// `bf16` to `f32`, exact. A NaN stays one, with sign and payload.
#[inline(always)]
pub(crate) fn f32_from_bf16(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// `f32` to `bf16`.
#[inline(always)]
pub(crate) fn bf16_from_f32(x: f32) -> bf16 {
    let bits = x.to_bits();
    // The types differ in length only: rounding is an addition that carries into the exponent, and to infinity, by itself.
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    bf16::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fc0 } else { rounded as u16 })
}

/// Defines the rounding of `$wide` (stored in `$bits`, with `$p` fraction bits and bias `$b`) to a 16-bit type with `$m` fraction
/// bits and bias `$s`.
macro_rules! narrow {
    ($(#[$doc:meta])* $name:ident: $wide:ty, $bits:ty, $p:literal, $b:literal => $narrow:ty, $m:literal, $s:literal, $nan:literal) => {
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(x: $wide) -> $narrow {
            const SHIFT: u32 = $p - $m;
            const INFINITY: $bits = (2 * $b + 1) << $p;
            const TOO_LARGE: $bits = ($b + $s + 1) << $p;
            const SMALLEST_NORMAL: $bits = ($b + 1 - $s) << $p;
            // Adding this number, whose last bit is worth as much as the narrow type's smallest denormal, rounds to a denormal.
            const ALIGN: $bits = ($b + 1 - $s - $m + $p) << $p;
            let bits = x.to_bits();
            let sign = ((bits >> (<$bits>::BITS - 16)) & 0x8000) as u16;
            let magnitude = bits & (<$bits>::MAX >> 1);
            let odd = (magnitude >> SHIFT) & 1;
            let rebased = magnitude.wrapping_sub(($b - $s) << $p);
            let normal = rebased.wrapping_add((1 << (SHIFT - 1)) - 1 + odd) >> SHIFT;
            let denormal = (<$wide>::from_bits(magnitude) + <$wide>::from_bits(ALIGN)).to_bits().wrapping_sub(ALIGN);
            let finite = if magnitude < SMALLEST_NORMAL { denormal } else { normal };
            let result = if magnitude >= TOO_LARGE { (2 * $s + 1) << $m } else { finite };
            <$narrow>::from_bits(if magnitude > INFINITY { $nan } else { result as u16 | sign })
        }
    };
}
narrow! {
    /// `f32` to `f16`.
    f16_from_f32: f32, u32, 23, 127 => f16, 10, 15, 0x7e00
}
narrow! {
    /// `f64` to `f16`.
    f16_from_f64: f64, u64, 52, 1023 => f16, 10, 15, 0x7e00
}
narrow! {
    /// `f64` to `bf16`.
    bf16_from_f64: f64, u64, 52, 1023 => bf16, 7, 127, 0x7fc0
}

/// A double that rounds to 16-bit floats as `x` itself does: `x` with what does not fit into 53 bits replaced by a last bit that
/// says whether there was anything ("round to odd").
#[inline(always)]
pub(crate) fn f64_sticky(x: u64) -> f64 {
    let sticky = ((x >> 11) | u64::from(x & 0x7ff != 0)) << 11;
    (if x >> 53 == 0 { x } else { sticky }) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pattern against `half`'s own exact conversion.
    #[test]
    fn widening_is_exact_for_every_pattern() {
        for bits in 0..=u16::MAX {
            let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            let same = |ours: f32, exact: f64| {
                if exact.is_nan() {
                    assert!(ours.is_nan());
                    assert_eq!(ours.is_sign_negative(), bits >> 15 == 1);
                } else {
                    assert_eq!(f64::from(ours).to_bits(), exact.to_bits(), "{bits:04x}");
                }
            };
            same(f32_from_f16(h), h.to_f64_const());
            same(f32_from_bf16(b), b.to_f64_const());
        }
    }

    /// The nearest value of a 16-bit type found by search among all its values, by exact comparisons in f64: no bit trick shared
    /// with the code under test. `values` are the finite magnitudes in ascending order of their bit patterns.
    fn nearest(values: &[f64], x: f64) -> u16 {
        let magnitude = x.abs();
        let last = values.len() - 1;
        // Past the largest finite value by half its last step or more: infinity, whose pattern follows.
        let step = values[last] - values[last - 1];
        let pattern = if magnitude >= values[last] + step / 2.0 {
            last + 1
        } else {
            let above = values.partition_point(|&v| v < magnitude).min(last);
            let below = if values[above] >= magnitude && above > 0 { above - 1 } else { above };
            // Differences of neighbours in a grid this coarse are exact in f64, up to sticky bits that cannot tie.
            let (down, up) = (magnitude - values[below], values[above] - magnitude);
            if below == above {
                above
            } else if down < up {
                below
            } else if up < down {
                above
            } else {
                below + below % 2
            }
        };
        pattern as u16 | if x.is_sign_negative() { 0x8000 } else { 0 }
    }

    fn probes(values: &[f64]) -> Vec<f64> {
        let mut probes = vec![0.0, f64::MIN_POSITIVE, 5e-324, 1e-300, f64::MAX, 1e39, f64::INFINITY, 65519.99, 65520.0];
        for pair in values.windows(2) {
            let halfway = f64::midpoint(pair[0], pair[1]);
            probes.extend([pair[0], pair[1], halfway, halfway.next_up(), halfway.next_down()]);
            // Halfway in f32 as well: where rounding first to f32 goes wrong.
            probes.extend([halfway * (1.0 + 2f64.powi(-30)), halfway * (1.0 - 2f64.powi(-30))]);
            probes.push(pair[0] + (pair[1] - pair[0]) * 0.3);
        }
        let last = values[values.len() - 1];
        let overflow = last + (last - values[values.len() - 2]) / 2.0;
        probes.extend([last, overflow, overflow.next_down(), overflow.next_up()]);
        let negative: Vec<f64> = probes.iter().map(|x| -x).collect();
        probes.extend(negative);
        probes
    }

    /// Around every value and every halfway point of both types, denormals and overflow included.
    #[test]
    fn narrowing_rounds_once_to_nearest_even() {
        let values: Vec<f64> = (0..0x7c00).map(|b| f64::from(f32_from_f16(f16::from_bits(b)))).collect();
        for x in probes(&values) {
            assert_eq!(f16_from_f64(x).to_bits(), nearest(&values, x), "{x:e}");
            let single = x as f32;
            assert_eq!(f16_from_f32(single).to_bits(), nearest(&values, f64::from(single)), "{single:e}");
        }
        let values: Vec<f64> = (0..0x7f80).map(|b| f64::from(f32_from_bf16(bf16::from_bits(b)))).collect();
        for x in probes(&values) {
            assert_eq!(bf16_from_f64(x).to_bits(), nearest(&values, x), "{x:e}");
            let single = x as f32;
            assert_eq!(bf16_from_f32(single).to_bits(), nearest(&values, f64::from(single)), "{single:e}");
        }
        for nan in [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)] {
            assert_eq!((f16_from_f64(nan).to_bits(), bf16_from_f64(nan).to_bits()), (0x7e00, 0x7fc0));
        }
        for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(u32::MAX)] {
            assert_eq!((f16_from_f32(nan).to_bits(), bf16_from_f32(nan).to_bits()), (0x7e00, 0x7fc0));
        }
    }

    /// Integers one off a halfway point of `bf16` or `f16`, by less than an `f64` can hold: compared in exact 128-bit integers.
    #[test]
    fn integers_round_once() {
        let exact = |x: u64, fraction_bits: u32| -> f64 {
            let length = 64 - x.leading_zeros();
            let shift = length.saturating_sub(fraction_bits + 1);
            let (kept, rest) = (x >> shift, u128::from(x) & ((1 << shift) - 1));
            let half = (1u128 << shift) >> 1;
            let up = shift > 0 && (rest > half || (rest == half && kept & 1 == 1));
            // At most `fraction_bits + 2` bits: exact.
            (kept + u64::from(up)) as f64 * 2f64.powi(shift as i32)
        };
        for top in (0..64).map(|n| 1u64 << n) {
            for middle in (0..64).map(|n| 1u64 << n) {
                for x in [
                    top | middle,
                    (top | middle).wrapping_add(1),
                    (top | middle).wrapping_sub(1),
                    top.wrapping_sub(middle),
                ] {
                    assert_eq!(f64::from(f32_from_bf16(bf16_from_f64(f64_sticky(x)))), exact(x, 7), "{x:x}");
                    let expected = if exact(x, 10) > 65504.0 { f64::INFINITY } else { exact(x, 10) };
                    assert_eq!(f64::from(f32_from_f16(f16_from_f64(f64_sticky(x)))), expected, "{x:x}");
                }
            }
        }
    }
}
