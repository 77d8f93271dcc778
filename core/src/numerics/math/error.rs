//! The errors of the functions as numbers: what the table of the [module](super) has, for programs.

use crate::element::DType;
use crate::operation::OperationKind;

/// The largest error found, in units in the last place, of `f32` and of `f64`.
const LARGEST: [(OperationKind, f64, f64); 16] = {
    use OperationKind as K;
    [
        (K::Exp, 0.86, 0.84),
        (K::Exp2, 0.91, 0.95),
        (K::Expm1, 0.97, 0.91),
        (K::Log, 0.86, 0.86),
        (K::Log2, 0.93, 0.83),
        (K::Log1p, 0.90, 0.78),
        (K::Sin, 0.82, 0.79),
        (K::Cos, 0.82, 0.78),
        (K::Sinpi, 1.00, 0.98),
        (K::Cospi, 0.81, 0.80),
        (K::Tanh, 0.85, 0.78),
        (K::Sigmoid, 0.78, 0.75),
        (K::Erf, 0.98, 0.90),
        (K::Pow, 0.54, 1.08),
        (K::Rsqrt, 0.51, 0.51),
        (K::Cbrt, 0.51, 0.51),
    ]
};

/// The largest error of an elementary function, as [`contract::max_ulp`](crate::numerics::contract::max_ulp) says.
pub(in crate::numerics) fn max_ulp(kind: OperationKind, dtype: DType) -> Option<f64> {
    let &(_, single, double) = LARGEST.iter().find(|&&(known, ..)| known == kind)?;
    match dtype {
        DType::F32 => Some(single),
        DType::F64 => Some(double),
        // Half a unit for the rounding, and what an error of 1 unit of `f32` is in units of the narrow type.
        DType::F16 => Some(0.5 + 1.0 / f64::from(1 << 13)),
        DType::Bf16 => Some(0.5 + 1.0 / f64::from(1 << 16)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// The table in the documentation has these numbers, in this order, and no others.
    #[test]
    fn the_documentation_has_the_same_numbers() {
        let table = include_str!("mod.rs").lines().filter_map(|line| line.strip_prefix("//! | `"));
        let documented: Vec<[String; 3]> = table
            .map(|row| {
                let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
                [cells[0], cells[3], cells[4]].map(str::to_owned)
            })
            .collect();
        let known = LARGEST.map(|(kind, f32, f64)| [kind.name().to_owned(), format!("{f32:.2}"), format!("{f64:.2}")]);
        assert_eq!(documented, known);
    }

    #[test]
    fn narrow_types_have_the_error_of_their_rounding() {
        for (kind, single, _) in LARGEST {
            assert!(single <= 1.0, "{kind}");
            let [half, brain] = [DType::F16, DType::Bf16].map(|dtype| max_ulp(kind, dtype).unwrap());
            assert!(0.5 < brain && brain < half && half < 0.5002, "{kind}");
        }
        assert_eq!(max_ulp(OperationKind::Sqrt, DType::F32), None);
        assert_eq!(max_ulp(OperationKind::Exp, DType::I32), None);
    }
}
