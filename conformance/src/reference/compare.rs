//! Comparing elements with references of higher precision.

use super::double::Pair;
use super::sample::Sample;
use crate::case::Case;
use crate::failure::Verdict;
use warpwave_core::Device;

/// The unit roundoff of the type that sums of `T` are kept in: `f32` for the 16-bit floats.
pub(crate) fn accumulation_unit<T: Sample>() -> f64 {
    T::UNIT.min(f32::UNIT)
}

/// The unit roundoff of `T` where sums are kept in a wider type; else 0.
pub(crate) fn output_unit<T: Sample>() -> f64 {
    if T::UNIT > f32::UNIT { T::UNIT } else { 0.0 }
}

/// Holds the error of one element, for a complex number the modulus of the error, to its bound.
pub(crate) fn within<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    what: &str,
    index: usize,
    got: T,
    want: Pair,
    bound: f64,
) -> Verdict {
    case.error(what, index, (Pair::new(got.values()) - want).modulus(), bound)
}

/// Compares elements as numbers: −0 is +0, and one NaN is as good as another. For integers and bits that is all there
/// is.
pub(crate) fn equal_numbers<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    what: &str,
    got: &[T],
    want: &[T],
) -> Verdict {
    if T::DTYPE.is_integer() {
        return case.bits(what, got, want);
    }
    let (zero, nan) = (T::from_integer(0).patterns()[0], T::from_values([f64::NAN, 0.0]).patterns()[0]);
    let plain = |x: &T| {
        let (values, patterns) = (x.values(), x.patterns());
        let component = |i: usize| match values[i] {
            x if x.is_nan() => nan,
            0.0 => zero,
            _ => patterns[i],
        };
        T::from_patterns([component(0), component(1)])
    };
    let all = |x: &[T]| x.iter().map(plain).collect::<Vec<T>>();
    case.bits(what, &all(got), &all(want))
}
