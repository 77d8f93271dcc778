//! Products of square matrices, beside cuBLAS called directly.

use super::cublas::Cublas;
use super::driver::address_of;
use super::measure::{Outcome, medians};
use super::report::{Floor, Goal, Row};
use super::{Bench, DeviceBuffer};
use std::ffi::c_int;
use warpwave::numerics::philox::RandomElement;
use warpwave::prelude::*;
use warpwave::{Float, GemmElement, bf16, f16};

/// Elements of the products.
pub(crate) trait Product: Float + RandomElement + GemmElement<Compute: RealScalar> {
    /// A `cudaDataType_t`.
    const DATA: c_int;
    /// A `cublasComputeType_t`: what warpwave asks for unless a stream is of another precision than `Strict`.
    const COMPUTE: c_int;

    /// A number of the type that is computed in.
    fn scalar(x: f64) -> Self::Compute {
        Scalar::from_f64(x)
    }
}

/// `CUBLAS_COMPUTE_32F`.
const COMPUTE_32F: c_int = 68;
/// `CUBLAS_COMPUTE_64F`.
const COMPUTE_64F: c_int = 70;

impl Product for f32 {
    const DATA: c_int = 0;
    const COMPUTE: c_int = COMPUTE_32F;
}

impl Product for f64 {
    const DATA: c_int = 1;
    const COMPUTE: c_int = COMPUTE_64F;
}

impl Product for f16 {
    const DATA: c_int = 2;
    const COMPUTE: c_int = COMPUTE_32F;
}

impl Product for bf16 {
    const DATA: c_int = 14;
    const COMPUTE: c_int = COMPUTE_32F;
}

/// `c = a · b` of order `n`, by both on the same matrices and the same stream.
pub(crate) fn gemm<T: Product>(bench: &Bench, blas: &Result<Cublas<'_>, String>, n: usize, name: &str) -> Outcome<Row> {
    let Bench { driver, stream, .. } = bench;
    // Numbers as they come: zeros would take less power, and so run faster.
    let normal = |seed: u64| -> Outcome<DeviceBuffer<T>> {
        let mut x = stream.alloc::<T>(n * n)?;
        stream.normal(&mut Philox::new(seed), T::scalar(0.0), T::scalar(1.0), &mut x)?;
        Ok(x)
    };
    let (mut a, mut b, mut c) = (normal(1)?, normal(2)?, stream.zeros::<T>(n * n)?);
    let addresses = [address_of(stream, &mut a)?, address_of(stream, &mut b)?, address_of(stream, &mut c)?];
    let mut ours = |calls| {
        driver.device_time(calls, &mut || {
            let (a, b, mut c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
            Ok(stream.gemm(Op::N, Op::N, T::scalar(1.0), &a, &b, T::scalar(0.0), &mut c)?)
        })
    };
    let operations = 2.0 * (n as f64).powi(3);
    let rate = |seconds: f64| operations / seconds / 1e12;
    let (ours, peer) = match blas {
        Ok(blas) => {
            // SAFETY: the three matrices have `n · n` elements of `T` and stay until all products have been made; `c` is written by this
            // stream alone.
            let mut product = || unsafe { blas.gemm::<T>(n, addresses) };
            let mut peer = |calls| driver.device_time(calls, &mut product);
            let (ours, peer) = medians(&mut ours, Some(&mut peer))?;
            (ours, peer.map(|seconds| Ok(rate(seconds))))
        }
        Err(why) => (medians(&mut ours, None)?.0, Some(Err(why.clone()))),
    };
    Ok(Row {
        peer: peer.map(|peer| ("cuBLAS", peer)),
        goal: Goal::Ratio(0.98),
        floor: Some(Floor { amount: operations, unit: "FLOP" }),
        ..Row::new(name, rate(ours), "TFLOP/s")
    })
}
