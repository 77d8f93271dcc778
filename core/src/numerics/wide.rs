//! Real floats with the type they are computed in.

use super::arithmetic::FloatNumeric;
use super::blas::ScalarArithmetic;
use super::cast::CastFrom;
use super::math::Math;
use super::reduction::Reducible;
use crate::element::{RealScalar, bf16, f16};

/// Real floats, for operations whose steps are taken in [`Acc`](Reducible::Acc): `f32` for `f16` and `bf16`, else the type itself.
pub trait WideFloat: FloatNumeric + Reducible<Acc: Wide> {}

impl WideFloat for f32 {}
impl WideFloat for f64 {}
impl WideFloat for f16 {}
impl WideFloat for bf16 {}

/// What steps are taken in: `f32` and `f64`, with all that they offer.
pub trait Wide: Math + RealScalar + ScalarArithmetic<Magnitude = Self> + CastFrom<u64> {}

impl Wide for f32 {}
impl Wide for f64 {}
