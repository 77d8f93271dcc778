//! The raw cuBLAS, on the stream that the driver has.

use super::driver::{Driver, pointer};
use super::load::{Handle, functions, open};
use super::measure::Outcome;
use super::product::Product;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

functions! {
    /// Those of `cublas_v2.h` that are called.
    Functions {
        fn cublasCreate_v2(*mut Handle);
        fn cublasGetProperty(c_int, *mut c_int);
        fn cublasSetStream_v2(Handle, Handle);
        fn cublasSetWorkspace_v2(Handle, *mut c_void, usize);
        fn cublasSetMathMode(Handle, c_int);
        fn cublasGemmEx_64(
            Handle, c_int, c_int, i64, i64, i64, *const c_void, *const c_void, c_int, i64, *const c_void, c_int, i64,
            *const c_void, *mut c_void, c_int, i64, c_int, c_int,
        );
    }
}

/// What NVIDIA recommends for its newest processors, and warpwave gives it.
const WORKSPACE: usize = 32 << 20;
/// `CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION`: no TF32, and sums of 16-bit floats are not joined in 16 bits.
const STRICT: c_int = 16;
/// `CUBLAS_OP_N`.
const NOT_TRANSPOSED: c_int = 0;
/// `CUBLAS_GEMM_DEFAULT`.
const DEFAULT_ALGORITHM: c_int = -1;

/// A handle of cuBLAS on the driver's stream. It is never destroyed: the process ends soon.
pub(crate) struct Cublas<'a> {
    functions: Functions,
    handle: Handle,
    /// Keeps the stream.
    _driver: &'a Driver,
}

impl<'a> Cublas<'a> {
    pub(crate) fn open(driver: &'a Driver) -> Outcome<Self> {
        let functions = Functions::of(open(&["libcublas.so.13", "libcublas.so.12"])?)?;
        let mut handle = null_mut();
        // SAFETY: the handle is there to be written, and a context is current.
        check("cublasCreate", unsafe { (functions.cublasCreate_v2)(&raw mut handle) })?;
        // SAFETY: a stream of the handle's context, which the driver keeps.
        check("cublasSetStream", unsafe { (functions.cublasSetStream_v2)(handle, driver.stream()) })?;
        let workspace = driver.workspace(WORKSPACE)?;
        // SAFETY: so much memory that nobody else uses, and that is never freed.
        let status = unsafe { (functions.cublasSetWorkspace_v2)(handle, workspace, WORKSPACE) };
        check("cublasSetWorkspace", status)?;
        // SAFETY: the handle is there.
        check("cublasSetMathMode", unsafe { (functions.cublasSetMathMode)(handle, STRICT) })?;
        Ok(Cublas { functions, handle, _driver: driver })
    }

    /// Its version.
    pub(crate) fn version(&self) -> Outcome<String> {
        let mut parts = [0; 3];
        for (property, part) in (0..).zip(&mut parts) {
            // SAFETY: the number is there to be written; the properties are major version, minor version and patch level.
            check("cublasGetProperty", unsafe { (self.functions.cublasGetProperty)(property, part) })?;
        }
        Ok(parts.map(|part| part.to_string()).join("."))
    }

    /// Enqueues `c = a · b` of column-major matrices of order `n`, without gaps.
    ///
    /// # Safety
    /// The addresses are those of `n · n` elements of `T` each, which stay until the stream has passed this; nothing else touches `c`.
    pub(crate) unsafe fn gemm<T: Product>(&self, n: usize, [a, b, c]: [u64; 3]) -> Outcome<()> {
        let n = i64::try_from(n)?;
        let (one, zero) = (T::scalar(1.0), T::scalar(0.0));
        let [alpha, beta] = [&raw const one, &raw const zero].map(|scalar| scalar.cast::<c_void>());
        // SAFETY: the caller's; the scalars are of the type that is computed in, and read before the call returns.
        let status = unsafe {
            (self.functions.cublasGemmEx_64)(
                self.handle,
                NOT_TRANSPOSED,
                NOT_TRANSPOSED,
                n,
                n,
                n,
                alpha,
                pointer(a),
                T::DATA,
                n,
                pointer(b),
                T::DATA,
                n,
                beta,
                pointer(c),
                T::DATA,
                n,
                T::COMPUTE,
                DEFAULT_ALGORITHM,
            )
        };
        check("cublasGemmEx", status)
    }
}

fn check(api: &str, status: c_int) -> Outcome<()> {
    // The numbers are those of `cublasStatus_t`: 3 is a lack of memory, 13 a failure on the device, 15 what is not supported.
    if status == 0 { Ok(()) } else { Err(format!("{api} returned {status}").into()) }
}
