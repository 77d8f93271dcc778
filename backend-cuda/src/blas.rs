//! Calls of cuBLAS.

use crate::context::Context;
use crate::cublas::{Blas, NOT_SUPPORTED};
use crate::error::Api;
use cudarc::cublas::sys::*;
use cudarc::driver::sys::CUstream;
use std::ffi::c_void;
use warpwave_core::operation::Ptr;
use warpwave_core::{DType, Diag, Error, Op, Precision, Result, ScalarValue, Side, Uplo};
use warpwave_kernels::blas::{Batch, Call};

fn operation(op: Op) -> cublasOperation_t {
    match op {
        Op::T => cublasOperation_t::CUBLAS_OP_T,
        Op::C => cublasOperation_t::CUBLAS_OP_C,
        _ => cublasOperation_t::CUBLAS_OP_N,
    }
}

fn fill(uplo: Uplo) -> cublasFillMode_t {
    match uplo {
        Uplo::Upper => cublasFillMode_t::CUBLAS_FILL_MODE_UPPER,
        _ => cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
    }
}

fn side_of(side: Side) -> cublasSideMode_t {
    match side {
        Side::Right => cublasSideMode_t::CUBLAS_SIDE_RIGHT,
        _ => cublasSideMode_t::CUBLAS_SIDE_LEFT,
    }
}

fn diagonal(diag: Diag) -> cublasDiagType_t {
    match diag {
        Diag::Unit => cublasDiagType_t::CUBLAS_DIAG_UNIT,
        _ => cublasDiagType_t::CUBLAS_DIAG_NON_UNIT,
    }
}

/// An element type, and the type that products are made in.
fn types(dtype: DType, precision: Precision) -> Option<(cudaDataType, cublasComputeType_t)> {
    use cublasComputeType_t as Compute;
    use cudaDataType_t as Data;
    let single = match precision {
        Precision::Fast => Compute::CUBLAS_COMPUTE_32F_FAST_TF32,
        _ => Compute::CUBLAS_COMPUTE_32F,
    };
    Some(match dtype {
        DType::F32 => (Data::CUDA_R_32F, single),
        DType::C32 => (Data::CUDA_C_32F, single),
        DType::F64 => (Data::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F),
        DType::C64 => (Data::CUDA_C_64F, Compute::CUBLAS_COMPUTE_64F),
        DType::F16 => (Data::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F),
        DType::Bf16 => (Data::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F),
        _ => return None,
    })
}

/// Enqueues a call. `false` if cuBLAS does not do it, in which case nothing is enqueued.
///
/// # Safety
/// The matrices lie where the call says, and stay so until the stream has passed it; the handle is on a stream of the context, which is
/// current.
///
/// # Errors
/// Those of the library.
pub(crate) unsafe fn run(context: &Context, stream: CUstream, blas: &mut Blas, call: &Call) -> Result<bool> {
    let fast = matches!(call, Call::Gemm { precision: Precision::Fast, batch: Batch::One | Batch::Strided(_), .. });
    let named = |error: Error| context.seen(error);
    blas.set_fast(fast).map_err(named)?;
    // SAFETY: the caller's.
    let (api, status) = unsafe {
        match call {
            Call::Gemm { .. } => gemm(blas, call),
            Call::Gemv { .. } => gemv(blas, call),
            Call::Symm { .. } => symm(blas, call),
            Call::Syrk { .. } => syrk(blas, call),
            Call::Triangular { .. } => triangular(blas, call),
        }
    };
    if status == NOT_SUPPORTED {
        return Ok(false);
    }
    if matches!(status, EXECUTION_FAILED | INTERNAL_ERROR) {
        // What it was the driver knows, if the device is lost.
        // SAFETY: a stream of the context.
        let state = unsafe { (context.driver.cuStreamQuery)(stream) };
        if state != NOT_READY {
            context.check(api, state)?;
        }
    }
    blas.library.check(api, status).map_err(named)?;
    Ok(true)
}

/// What a library says of a device that is lost, among others.
const EXECUTION_FAILED: u32 = 13;
const INTERNAL_ERROR: u32 = 14;
/// The status of a stream whose work has not ended.
const NOT_READY: u32 = 600;

/// The call, and its status.
type Called = (&'static str, u32);

/// What is enqueued for arguments that there is no call for.
const NONE: Called = ("", NOT_SUPPORTED);

/// A scalar as the library reads it: aligned to what any element type is.
#[repr(C, align(16))]
struct Scalar([u8; 16]);

impl Scalar {
    fn of(value: &ScalarValue) -> Self {
        let (mut bytes, from) = ([0; 16], value.bytes());
        bytes[..from.len()].copy_from_slice(from);
        Scalar(bytes)
    }

    fn get<T>(&self) -> *const T {
        (&raw const self.0).cast()
    }
}

fn at<T>(ptr: Ptr) -> *mut T {
    ptr.as_ptr().cast()
}

unsafe fn gemm(blas: &Blas, call: &Call) -> Called {
    let Call::Gemm { op_a, op_b, size, alpha, a, b, beta, c, dtype, batch, precision } = call else { return NONE };
    // Of a list of matrices cuBLAS sees no address, and takes them for aligned to 16 bytes wherever it has fast ways: for 16-bit floats, and
    // with TF32 (cuBLAS documentation, `cublasGemmBatchedEx`). What lies around one that is not is then overwritten.
    let precision = match batch {
        Batch::Pointers(_) if matches!(dtype, DType::F16 | DType::Bf16) => return NONE,
        Batch::Pointers(_) => Precision::Strict,
        Batch::One | Batch::Strided(_) => *precision,
    };
    let Some((data, compute)) = types(*dtype, precision) else { return NONE };
    let (library, [m, n, k]) = (blas.library, *size);
    let (op_a, op_b, algo) = (operation(*op_a), operation(*op_b), cublasGemmAlgo_t::CUBLAS_GEMM_DFALT);
    // They are of the type that is computed in.
    let (factor, kept) = (Scalar::of(alpha), Scalar::of(beta));
    let (alpha, beta) = (factor.get::<c_void>(), kept.get::<c_void>());
    // SAFETY: the caller's; scalars are read before the call returns.
    unsafe {
        match *batch {
            Batch::One => (
                "cublasGemmEx",
                (library.cublasGemmEx_64)(
                    blas.raw.0,
                    op_a,
                    op_b,
                    m,
                    n,
                    k,
                    alpha,
                    at(a.ptr),
                    data,
                    a.ld,
                    at(b.ptr),
                    data,
                    b.ld,
                    beta,
                    at(c.ptr),
                    data,
                    c.ld,
                    compute,
                    algo,
                ),
            ),
            Batch::Strided(count) => (
                "cublasGemmStridedBatchedEx",
                (library.cublasGemmStridedBatchedEx_64)(
                    blas.raw.0,
                    op_a,
                    op_b,
                    m,
                    n,
                    k,
                    alpha,
                    at(a.ptr),
                    data,
                    a.ld,
                    a.stride,
                    at(b.ptr),
                    data,
                    b.ld,
                    b.stride,
                    beta,
                    at(c.ptr),
                    data,
                    c.ld,
                    c.stride,
                    count,
                    compute,
                    algo,
                ),
            ),
            Batch::Pointers(count) => (
                "cublasGemmBatchedEx",
                (library.cublasGemmBatchedEx_64)(
                    blas.raw.0,
                    op_a,
                    op_b,
                    m,
                    n,
                    k,
                    alpha,
                    at(a.ptr),
                    data,
                    a.ld,
                    at(b.ptr),
                    data,
                    b.ld,
                    beta,
                    at(c.ptr),
                    data,
                    c.ld,
                    count,
                    compute,
                    algo,
                ),
            ),
        }
    }
}

/// The call of an element type: the same function under four names.
macro_rules! by_type {
    ($dtype:expr, $library:expr, [$s:ident, $d:ident, $c:ident, $z:ident], ($($argument:expr),* $(,)?)) => {
        match $dtype {
            DType::F32 => (stringify!($s), ($library.$s)($($argument),*)),
            DType::F64 => (stringify!($d), ($library.$d)($($argument),*)),
            DType::C32 => (stringify!($c), ($library.$c)($($argument),*)),
            DType::C64 => (stringify!($z), ($library.$z)($($argument),*)),
            _ => NONE,
        }
    };
}

unsafe fn gemv(blas: &Blas, call: &Call) -> Called {
    let Call::Gemv { op, size: [m, n], alpha, a, x, beta, y } = call else { return NONE };
    let (factor, kept) = (Scalar::of(alpha), Scalar::of(beta));
    // SAFETY: the caller's; scalars are read before the call returns.
    unsafe {
        by_type!(
            alpha.dtype(),
            blas.library,
            [cublasSgemv_v2_64, cublasDgemv_v2_64, cublasCgemv_v2_64, cublasZgemv_v2_64],
            (blas.raw.0, operation(*op), *m, *n, factor.get(), at(a.ptr), a.ld, at(x.0), x.1, kept.get(), at(y.0), y.1)
        )
    }
}

unsafe fn symm(blas: &Blas, call: &Call) -> Called {
    let Call::Symm { hermitian, side, uplo, size: [m, n], alpha, a, b, beta, c } = call else { return NONE };
    let (side, uplo, factor, kept) = (side_of(*side), fill(*uplo), Scalar::of(alpha), Scalar::of(beta));
    macro_rules! call {
        ($routines:tt) => {
            by_type!(
                alpha.dtype(),
                blas.library,
                $routines,
                (
                    blas.raw.0,
                    side,
                    uplo,
                    *m,
                    *n,
                    factor.get(),
                    at(a.ptr),
                    a.ld,
                    at(b.ptr),
                    b.ld,
                    kept.get(),
                    at(c.ptr),
                    c.ld
                )
            )
        };
    }
    // SAFETY: the caller's; scalars are read before the call returns.
    unsafe {
        match hermitian {
            false => call!([cublasSsymm_v2_64, cublasDsymm_v2_64, cublasCsymm_v2_64, cublasZsymm_v2_64]),
            true => call!([cublasSsymm_v2_64, cublasDsymm_v2_64, cublasChemm_v2_64, cublasZhemm_v2_64]),
        }
    }
}

unsafe fn syrk(blas: &Blas, call: &Call) -> Called {
    let Call::Syrk { hermitian, uplo, op, size: [n, k], alpha, a, beta, c, dtype } = call else { return NONE };
    let (uplo, op, factor, kept) = (fill(*uplo), operation(*op), Scalar::of(alpha), Scalar::of(beta));
    macro_rules! call {
        ($routines:tt) => {
            by_type!(
                *dtype,
                blas.library,
                $routines,
                (blas.raw.0, uplo, op, *n, *k, factor.get(), at(a.ptr), a.ld, kept.get(), at(c.ptr), c.ld)
            )
        };
    }
    // SAFETY: the caller's; scalars are read before the call returns.
    unsafe {
        match hermitian {
            false => call!([cublasSsyrk_v2_64, cublasDsyrk_v2_64, cublasCsyrk_v2_64, cublasZsyrk_v2_64]),
            true => call!([cublasSsyrk_v2_64, cublasDsyrk_v2_64, cublasCherk_v2_64, cublasZherk_v2_64]),
        }
    }
}

unsafe fn triangular(blas: &Blas, call: &Call) -> Called {
    let Call::Triangular { solve, side, uplo, op, diag, size: [m, n], alpha, a, b } = call else { return NONE };
    let (side, uplo, op, diag) = (side_of(*side), fill(*uplo), operation(*op), diagonal(*diag));
    let factor = Scalar::of(alpha);
    // SAFETY: the caller's; scalars are read before the call returns, and a product may be made in place.
    unsafe {
        match solve {
            true => by_type!(
                alpha.dtype(),
                blas.library,
                [cublasStrsm_v2_64, cublasDtrsm_v2_64, cublasCtrsm_v2_64, cublasZtrsm_v2_64],
                (blas.raw.0, side, uplo, op, diag, *m, *n, factor.get(), at(a.ptr), a.ld, at(b.ptr), b.ld)
            ),
            false => by_type!(
                alpha.dtype(),
                blas.library,
                [cublasStrmm_v2_64, cublasDtrmm_v2_64, cublasCtrmm_v2_64, cublasZtrmm_v2_64],
                (
                    blas.raw.0,
                    side,
                    uplo,
                    op,
                    diag,
                    *m,
                    *n,
                    factor.get(),
                    at(a.ptr),
                    a.ld,
                    at(b.ptr),
                    b.ld,
                    at(b.ptr),
                    b.ld
                )
            ),
        }
    }
}
