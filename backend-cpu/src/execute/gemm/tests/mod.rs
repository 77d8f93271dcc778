//! `gemm`: with `Reproducible` against its definition, bit for bit; else against sums of twice the precision, within
//! the bound.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod fixture;
mod listed;
mod memory;
mod reference;
mod registers;
mod scalars;
mod shapes;
mod values;

use crate::execute::level1::fixture::{Random, Sample};
use fixture::{Case, Data};
use reference::{bounded, definition};
use warpwave_core::Precision;
use warpwave_core::numerics::blas::GemmArithmetic;

fn check<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case, random: &mut Random) {
    let data = Data::<T>::new(&case, random, T::ordinary);
    definition(case, &data);
    bounded(case, &data, &[Precision::Strict, Precision::Fast]);
}

/// Calls `check::<T>(arguments)` for the six types of `gemm`.
macro_rules! for_gemm_types {
    ($check:ident $arguments:tt) => {
        $check::<f32> $arguments;
        $check::<f64> $arguments;
        $check::<Complex32> $arguments;
        $check::<Complex64> $arguments;
        $check::<f16> $arguments;
        $check::<bf16> $arguments;
    };
}
use for_gemm_types;
