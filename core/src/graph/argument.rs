//! Scalar arguments of operations, by name.

use crate::element::{DType, ScalarValue};
use crate::error::{Error, Result};
use crate::operation::{Operation, RotmFlag, Source};
use std::fmt;

macro_rules! arguments {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// A scalar argument that [`Graph::set_scalar`](crate::Graph::set_scalar) can change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Argument { $($(#[$doc])* $variant),* }

        impl Argument {
            /// Every one, in declaration order.
            pub const ALL: &[Argument] = &[$(Argument::$variant),*];

            /// The name that the methods have for it.
            pub const fn name(self) -> &'static str {
                match self { $(Argument::$variant => $name),* }
            }
        }
    };
}

arguments! {
    /// The factor `alpha` of BLAS. For `f16` and `bf16` it is an `f32`, for `herk` and `her` of the magnitude's type.
    Alpha = "alpha",
    /// The factor `beta` of BLAS; types as for `alpha`.
    Beta = "beta",
    /// What `fill` writes.
    Value = "value",
    /// The first element of `iota`.
    Start = "start",
    /// The distance between the elements of `iota`.
    Step = "step",
    /// The cosine of `rot`, of the magnitude's type.
    C = "c",
    /// The sine of `rot`.
    S = "s",
    /// First row, first column of `rotm`, where it was given.
    H11 = "h11",
    /// Second row, first column of `rotm`, where it was given.
    H21 = "h21",
    /// First row, second column of `rotm`, where it was given.
    H12 = "h12",
    /// Second row, second column of `rotm`, where it was given.
    H22 = "h22",
    /// The first input of an element-wise operation, where it was a number.
    A = "a",
    /// The second input of an element-wise operation, where it was a number.
    B = "b",
    /// What `layer_norm` adds to the variance. For `f16` and `bf16` it is an `f32`.
    Epsilon = "epsilon",
    /// The mean of `normal`; types as for `epsilon`.
    Mean = "mean",
    /// The standard deviation of `normal`; types as for `epsilon`.
    Deviation = "deviation",
    /// The seed of `random` and `normal`, a `u64`.
    Seed = "seed",
    /// The subsequence of `random` and `normal`, a `u64`.
    Subsequence = "subsequence",
    /// The offset of `random` and `normal`, a `u64`: see [`Philox::offset`](crate::Philox::offset).
    Offset = "offset",
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where an operation has an argument.
enum Place<'a> {
    Scalar(&'a mut ScalarValue),
    Word(&'a mut u64),
}

impl Place<'_> {
    fn dtype(&self) -> DType {
        match self {
            Place::Scalar(scalar) => scalar.dtype(),
            Place::Word(_) => DType::U64,
        }
    }

    /// `value` is of [`dtype`](Self::dtype).
    fn set(self, value: ScalarValue) {
        match self {
            Place::Scalar(scalar) => *scalar = value,
            Place::Word(word) => *word = value.get().unwrap_or(*word),
        }
    }
}

/// Gives an argument of an operation a value; `None` is a copy.
pub(super) fn set(operation: Option<&mut Operation>, argument: Argument, value: ScalarValue) -> Result<()> {
    let Some(operation) = operation else {
        return Err(Error::invalid("argument", "none: a copy has no scalars", argument));
    };
    let kind = operation.kind();
    let has: Vec<&str> =
        Argument::ALL.iter().filter(|&&a| place(&mut operation.clone(), a).is_some()).map(|a| a.name()).collect();
    let Some(place) = place(operation, argument) else {
        let has = if has.is_empty() { "none".to_owned() } else { has.join(" or ") };
        return Err(Error::invalid("argument", format_args!("a number that {kind} was given: {has}"), argument));
    };
    if place.dtype() != value.dtype() {
        let expected = format_args!("{argument} of {kind} as {}", place.dtype()).to_string();
        return Err(Error::invalid("value", expected, value.dtype()));
    }
    place.set(value);
    Ok(())
}

fn place(operation: &mut Operation, argument: Argument) -> Option<Place<'_>> {
    use Argument as A;
    let scalar = match (operation, argument) {
        (Operation::Fill { value, .. }, A::Value) => value,
        (Operation::Iota { start, .. }, A::Start) => start,
        (Operation::Iota { step, .. }, A::Step) => step,
        (Operation::Binary { a, .. } | Operation::Compare { a, .. } | Operation::Select { a, .. }, A::A) => number(a)?,
        (Operation::Binary { b, .. } | Operation::Compare { b, .. } | Operation::Select { b, .. }, A::B) => number(b)?,
        (Operation::Random { seed, .. } | Operation::Normal { seed, .. }, A::Seed) => return Some(Place::Word(seed)),
        (Operation::Random { subsequence, .. } | Operation::Normal { subsequence, .. }, A::Subsequence) => {
            return Some(Place::Word(subsequence));
        }
        (Operation::Random { offset, .. } | Operation::Normal { offset, .. }, A::Offset) => {
            return Some(Place::Word(offset));
        }
        (Operation::Normal { mean, .. }, A::Mean) => mean,
        (Operation::Normal { deviation, .. }, A::Deviation) => deviation,
        (Operation::LayerNorm(arguments), A::Epsilon) => &mut arguments.epsilon,
        (Operation::Rot { c, .. }, A::C) => c,
        (Operation::Rot { s, .. }, A::S) => s,
        (Operation::Rotm { flag, h, .. }, argument) => &mut h[given(*flag, argument)?],
        (
            Operation::Scal { alpha, .. }
            | Operation::Axpy { alpha, .. }
            | Operation::Ger { alpha, .. }
            | Operation::Syr { alpha, .. },
            A::Alpha,
        ) => alpha,
        (Operation::Gemv(gemv), A::Alpha) => &mut gemv.alpha,
        (Operation::Gemv(gemv), A::Beta) => &mut gemv.beta,
        (Operation::Symv(symv), A::Alpha) => &mut symv.alpha,
        (Operation::Symv(symv), A::Beta) => &mut symv.beta,
        (Operation::Gemm(gemm) | Operation::GemmBatched { gemm, .. }, A::Alpha) => &mut gemm.alpha,
        (Operation::Gemm(gemm) | Operation::GemmBatched { gemm, .. }, A::Beta) => &mut gemm.beta,
        (Operation::Symm(symm), A::Alpha) => &mut symm.alpha,
        (Operation::Symm(symm), A::Beta) => &mut symm.beta,
        (Operation::Syrk(update), A::Alpha) => &mut update.alpha,
        (Operation::Syrk(update), A::Beta) => &mut update.beta,
        (Operation::Trmm(product) | Operation::Trsm(product), A::Alpha) => &mut product.alpha,
        _ => return None,
    };
    Some(Place::Scalar(scalar))
}

fn number(source: &mut Source) -> Option<&mut ScalarValue> {
    match source {
        Source::Scalar(value) => Some(value),
        Source::Span(_) => None,
    }
}

/// The index of an element of a modified rotation, if the flag gives it.
fn given(flag: RotmFlag, argument: Argument) -> Option<usize> {
    let (index, is_diagonal) = match argument {
        Argument::H11 => (0, true),
        Argument::H21 => (1, false),
        Argument::H12 => (2, false),
        Argument::H22 => (3, true),
        _ => return None,
    };
    let is_given = match flag {
        RotmFlag::Full => true,
        RotmFlag::UnitDiagonal => !is_diagonal,
        RotmFlag::UnitOffDiagonal => is_diagonal,
        RotmFlag::Identity => false,
    };
    is_given.then_some(index)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::operation::{Ptr, Strided};

    fn strided() -> Strided {
        Strided { base: Ptr::NULL, dtype: DType::F64, len: 1, inc: 1 }
    }

    /// The elements of a rotation that its flag gives can be changed, and each changes itself.
    #[test]
    fn the_elements_of_a_rotation_that_are_given_can_be_set() {
        let names = [Argument::H11, Argument::H21, Argument::H12, Argument::H22];
        let flags = [
            (RotmFlag::Full, [true; 4]),
            (RotmFlag::UnitDiagonal, [false, true, true, false]),
            (RotmFlag::UnitOffDiagonal, [true, false, false, true]),
            (RotmFlag::Identity, [false; 4]),
        ];
        for (flag, given) in flags {
            for i in 0..4 {
                let h = [ScalarValue::new(0.0); 4];
                let mut operation = Operation::Rotm { flag, h, x: strided(), y: strided() };
                let result = set(Some(&mut operation), names[i], ScalarValue::new(7.0));
                assert_eq!(result.is_ok(), given[i], "{flag} {}", names[i]);
                let Operation::Rotm { h, .. } = operation else { unreachable!() };
                for (j, h) in h.iter().enumerate() {
                    assert_eq!(h.get(), Some(if i == j && given[i] { 7.0 } else { 0.0 }), "{flag} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn errors_say_what_there_is() {
        let mut scal = Operation::Scal { alpha: ScalarValue::new(1.0), x: strided() };
        let error = set(Some(&mut scal), Argument::Beta, ScalarValue::new(1.0)).unwrap_err().to_string();
        assert_eq!(error, "argument: expected a number that scal was given: alpha, got beta");
        let error = set(Some(&mut scal), Argument::Alpha, ScalarValue::new(1.0_f32)).unwrap_err().to_string();
        assert_eq!(error, "value: expected alpha of scal as f64, got f32");
        let mut copy = Operation::Copy { x: strided(), y: strided() };
        let error = set(Some(&mut copy), Argument::Alpha, ScalarValue::new(1.0)).unwrap_err().to_string();
        assert_eq!(error, "argument: expected a number that copy was given: none, got alpha");
        let error = set(None, Argument::Value, ScalarValue::new(1.0)).unwrap_err().to_string();
        assert_eq!(error, "argument: expected none: a copy has no scalars, got value");
        assert_eq!(scal, Operation::Scal { alpha: ScalarValue::new(1.0), x: strided() });
    }
}
