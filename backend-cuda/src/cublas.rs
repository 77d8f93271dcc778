//! The vendor's BLAS: `libcublas`.

use crate::context::{Context, Entered, Handle, lock};
use crate::driver::Driver;
use crate::error::Api;
use crate::load::{Wanted, functions, open};
use cudarc::cublas::sys::{self, *};
use cudarc::driver::sys::CUstream;
use std::cell::Cell;
use std::ffi::{c_int, c_longlong, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, ErrorKind, Result};

/// Any element of a matrix.
type Any = *const c_void;
type AnyMut = *mut c_void;
type Complex = *const cuComplex;
type Complex64 = *const cuDoubleComplex;

functions! {
    /// cuBLAS' functions.
    pub(crate) struct Library of sys -> cublasStatus_t;
    required {
        fn cublasCreate_v2(handle: *mut cublasHandle_t);
        fn cublasGetProperty(property: libraryPropertyType, value: *mut c_int);
        fn cublasSetStream_v2(handle: cublasHandle_t, stream: cudaStream_t);
        fn cublasSetWorkspace_v2(handle: cublasHandle_t, workspace: AnyMut, bytes: usize);
        fn cublasSetMathMode(handle: cublasHandle_t, mode: cublasMath_t);
        fn cublasGemmEx_64(
            handle: cublasHandle_t, op_a: cublasOperation_t, op_b: cublasOperation_t, m: i64, n: i64, k: i64,
            alpha: Any, a: Any, a_type: cudaDataType, lda: i64, b: Any, b_type: cudaDataType, ldb: i64,
            beta: Any, c: AnyMut, c_type: cudaDataType, ldc: i64, compute: cublasComputeType_t, algo: cublasGemmAlgo_t,
        );
        fn cublasGemmStridedBatchedEx_64(
            handle: cublasHandle_t, op_a: cublasOperation_t, op_b: cublasOperation_t, m: i64, n: i64, k: i64,
            alpha: Any, a: Any, a_type: cudaDataType, lda: i64, a_stride: c_longlong,
            b: Any, b_type: cudaDataType, ldb: i64, b_stride: c_longlong,
            beta: Any, c: AnyMut, c_type: cudaDataType, ldc: i64, c_stride: c_longlong,
            count: i64, compute: cublasComputeType_t, algo: cublasGemmAlgo_t,
        );
        fn cublasGemmBatchedEx_64(
            handle: cublasHandle_t, op_a: cublasOperation_t, op_b: cublasOperation_t, m: i64, n: i64, k: i64,
            alpha: Any, a: *const Any, a_type: cudaDataType, lda: i64, b: *const Any, b_type: cudaDataType, ldb: i64,
            beta: Any, c: *const AnyMut, c_type: cudaDataType, ldc: i64,
            count: i64, compute: cublasComputeType_t, algo: cublasGemmAlgo_t,
        );
        fn cublasSgemv_v2_64(handle: cublasHandle_t, op: cublasOperation_t, m: i64, n: i64, alpha: *const f32, a: *const f32, lda: i64, x: *const f32, incx: i64, beta: *const f32, y: *mut f32, incy: i64);
        fn cublasDgemv_v2_64(handle: cublasHandle_t, op: cublasOperation_t, m: i64, n: i64, alpha: *const f64, a: *const f64, lda: i64, x: *const f64, incx: i64, beta: *const f64, y: *mut f64, incy: i64);
        fn cublasCgemv_v2_64(handle: cublasHandle_t, op: cublasOperation_t, m: i64, n: i64, alpha: Complex, a: Complex, lda: i64, x: Complex, incx: i64, beta: Complex, y: *mut cuComplex, incy: i64);
        fn cublasZgemv_v2_64(handle: cublasHandle_t, op: cublasOperation_t, m: i64, n: i64, alpha: Complex64, a: Complex64, lda: i64, x: Complex64, incx: i64, beta: Complex64, y: *mut cuDoubleComplex, incy: i64);
        fn cublasSsymm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: *const f32, a: *const f32, lda: i64, b: *const f32, ldb: i64, beta: *const f32, c: *mut f32, ldc: i64);
        fn cublasDsymm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: *const f64, a: *const f64, lda: i64, b: *const f64, ldb: i64, beta: *const f64, c: *mut f64, ldc: i64);
        fn cublasCsymm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: Complex, a: Complex, lda: i64, b: Complex, ldb: i64, beta: Complex, c: *mut cuComplex, ldc: i64);
        fn cublasZsymm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: Complex64, a: Complex64, lda: i64, b: Complex64, ldb: i64, beta: Complex64, c: *mut cuDoubleComplex, ldc: i64);
        fn cublasChemm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: Complex, a: Complex, lda: i64, b: Complex, ldb: i64, beta: Complex, c: *mut cuComplex, ldc: i64);
        fn cublasZhemm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, m: i64, n: i64, alpha: Complex64, a: Complex64, lda: i64, b: Complex64, ldb: i64, beta: Complex64, c: *mut cuDoubleComplex, ldc: i64);
        fn cublasSsyrk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const f32, a: *const f32, lda: i64, beta: *const f32, c: *mut f32, ldc: i64);
        fn cublasDsyrk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const f64, a: *const f64, lda: i64, beta: *const f64, c: *mut f64, ldc: i64);
        fn cublasCsyrk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: Complex, a: Complex, lda: i64, beta: Complex, c: *mut cuComplex, ldc: i64);
        fn cublasZsyrk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: Complex64, a: Complex64, lda: i64, beta: Complex64, c: *mut cuDoubleComplex, ldc: i64);
        fn cublasCherk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const f32, a: Complex, lda: i64, beta: *const f32, c: *mut cuComplex, ldc: i64);
        fn cublasZherk_v2_64(handle: cublasHandle_t, uplo: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const f64, a: Complex64, lda: i64, beta: *const f64, c: *mut cuDoubleComplex, ldc: i64);
        fn cublasStrmm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: *const f32, a: *const f32, lda: i64, b: *const f32, ldb: i64, c: *mut f32, ldc: i64);
        fn cublasDtrmm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: *const f64, a: *const f64, lda: i64, b: *const f64, ldb: i64, c: *mut f64, ldc: i64);
        fn cublasCtrmm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: Complex, a: Complex, lda: i64, b: Complex, ldb: i64, c: *mut cuComplex, ldc: i64);
        fn cublasZtrmm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: Complex64, a: Complex64, lda: i64, b: Complex64, ldb: i64, c: *mut cuDoubleComplex, ldc: i64);
        fn cublasStrsm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: *const f32, a: *const f32, lda: i64, b: *mut f32, ldb: i64);
        fn cublasDtrsm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: *const f64, a: *const f64, lda: i64, b: *mut f64, ldb: i64);
        fn cublasCtrsm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: Complex, a: Complex, lda: i64, b: *mut cuComplex, ldb: i64);
        fn cublasZtrsm_v2_64(handle: cublasHandle_t, side: cublasSideMode_t, uplo: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: i64, n: i64, alpha: Complex64, a: Complex64, lda: i64, b: *mut cuDoubleComplex, ldb: i64);
    }
}

/// What helps without cuBLAS.
const REMEDY: &str = "install cuBLAS 12 or later, of the toolkit or as the package nvidia-cublas of Python, or name its folder in \
                      WARPWAVE_CUDA_LIBRARY_PATH";

/// Bytes that cuBLAS is given to work in: what NVIDIA recommends for its newest processors (cuBLAS documentation, `cublasSetWorkspace`).
pub(crate) const WORKSPACE: usize = 32 << 20;

/// What came before a call was refused for want of memory.
const ALLOC_FAILED: u32 = 3;
/// The status of a call that this library does not do for these arguments.
pub(crate) const NOT_SUPPORTED: u32 = 15;

impl Library {
    /// Opens cuBLAS, and sees whether it works on the device; with the handle that was made for that.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable).
    fn open(driver: &Driver, _entered: &Entered, exhausted: &Cell<bool>) -> Result<(Library, Handle<cublasContext>)> {
        let newest = driver.version()? / 1000;
        let names: Vec<String> = (12..=newest.max(12))
            .rev()
            .map(|major| if cfg!(windows) { format!("cublas64_{major}.dll") } else { format!("libcublas.so.{major}") })
            .collect();
        open(&Wanted { library: "cuBLAS", names: &names, remedy: REMEDY }, |library, file| {
            let library = Library::of(library, file)?;
            let mut handle = null_mut();
            // SAFETY: the handle is there to be written, and a context is current.
            match unsafe { (library.cublasCreate_v2)(&raw mut handle) } {
                0 => Ok((library, Handle(handle))),
                status => {
                    exhausted.set(status == ALLOC_FAILED);
                    Err(format!("{}: cublasCreate returned {} ({status})", library.file, library.name(status)))
                }
            }
        })
    }

    /// Its version.
    pub(crate) fn version(&self) -> String {
        let property = |property| {
            let mut value = 0;
            // SAFETY: the number is there to be written.
            unsafe { (self.cublasGetProperty)(property, &raw mut value) };
            value
        };
        let parts =
            [libraryPropertyType::MAJOR_VERSION, libraryPropertyType::MINOR_VERSION, libraryPropertyType::PATCH_LEVEL];
        parts.map(|part| property(part).to_string()).join(".")
    }
}

impl Api for Library {
    fn name(&self, status: u32) -> String {
        // As in `cublas_api.h`; their numbers have never changed.
        let name = match status {
            1 => "NOT_INITIALIZED",
            ALLOC_FAILED => "ALLOC_FAILED",
            7 => "INVALID_VALUE",
            8 => "ARCH_MISMATCH",
            11 => "MAPPING_ERROR",
            13 => "EXECUTION_FAILED",
            14 => "INTERNAL_ERROR",
            NOT_SUPPORTED => "NOT_SUPPORTED",
            16 => "LICENSE_ERROR",
            _ => "an unknown status",
        };
        format!("CUBLAS_STATUS_{name}")
    }
}

/// cuBLAS on a device, if it is there.
#[derive(Debug)]
pub(crate) struct Provider {
    library: Result<&'static Library>,
    /// Handles that nobody uses.
    handles: Mutex<Vec<Blas>>,
}

impl Provider {
    /// Looks for cuBLAS.
    ///
    /// # Errors
    /// [`OutOfMemory`](ErrorKind::OutOfMemory) if it finds no memory for a handle.
    pub(crate) fn find(context: &Context, entered: &Entered) -> Result<Self> {
        let exhausted = Cell::new(false);
        Ok(match Library::open(context.driver, entered, &exhausted) {
            Ok((library, first)) => {
                let library: &'static Library = Box::leak(Box::new(library));
                let first = Blas { library, raw: first, fast: true };
                Provider { library: Ok(library), handles: Mutex::new(vec![first]) }
            }
            Err(_) if exhausted.get() => return Err(context.out_of_memory(WORKSPACE)),
            Err(error) => Provider { library: Err(error), handles: Mutex::default() },
        })
    }

    /// The library, or why there is none.
    pub(crate) fn library(&self) -> Result<&'static Library, &Error> {
        self.library.as_ref().copied()
    }

    /// A handle for one stream or graph at a time; `None` without the library.
    ///
    /// # Errors
    /// [`OutOfMemory`](ErrorKind::OutOfMemory), and those of the library.
    pub(crate) fn handle(&self, context: &Context, entered: &Entered) -> Result<Option<Blas>> {
        let Ok(library) = self.library() else { return Ok(None) };
        if let Some(blas) = lock(&self.handles).pop() {
            return Ok(Some(blas));
        }
        Blas::new(context, entered, library).map(Some)
    }

    /// Gives a handle back. Work that was enqueued with it may go on.
    pub(crate) fn reuse(&self, blas: Blas) {
        lock(&self.handles).push(blas);
    }
}

/// A handle of cuBLAS. It is never destroyed, as that would wait for the device.
#[derive(Debug)]
pub(crate) struct Blas {
    pub(crate) library: &'static Library,
    pub(crate) raw: Handle<cublasContext>,
    /// Whether products may be less exact now. A handle starts with a mode that is neither.
    fast: bool,
}

impl Blas {
    fn new(context: &Context, _entered: &Entered, library: &'static Library) -> Result<Self> {
        let _disturbs = context.disturb();
        let mut raw = null_mut();
        // SAFETY: the handle is there to be written, and the context is current.
        match unsafe { (library.cublasCreate_v2)(&raw mut raw) } {
            ALLOC_FAILED => return Err(context.out_of_memory(WORKSPACE)),
            status => library.check("cublasCreate", status)?,
        }
        Ok(Blas { library, raw: Handle(raw), fast: true })
    }

    /// Puts it on a stream, with memory to work in there.
    pub(crate) fn set_stream(&mut self, _entered: &Entered, stream: CUstream, workspace: Ptr) -> Result<()> {
        // SAFETY: a stream of the handle's context; the types are two names of one.
        let status = unsafe { (self.library.cublasSetStream_v2)(self.raw.0, stream.cast()) };
        self.library.check("cublasSetStream", status)?;
        // SAFETY: so much memory, which is used on that stream alone.
        let status = unsafe { (self.library.cublasSetWorkspace_v2)(self.raw.0, workspace.as_ptr().cast(), WORKSPACE) };
        self.library.check("cublasSetWorkspace", status)?;
        self.fast = true;
        self.set_fast(false)
    }

    /// Says whether products may be less exact.
    pub(crate) fn set_fast(&mut self, fast: bool) -> Result<()> {
        if self.fast == fast {
            return Ok(());
        }
        let mode = match fast {
            true => cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH,
            // No TF32, and sums of 16-bit floats are not joined in 16 bits.
            false => cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION,
        };
        // SAFETY: the handle is there.
        self.library.check("cublasSetMathMode", unsafe { (self.library.cublasSetMathMode)(self.raw.0, mode) })?;
        self.fast = fast;
        Ok(())
    }
}

/// Why there is no library, in a line.
pub(crate) fn absent(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable { tried, .. } => format!("not available ({})", tried.join("; ")),
        kind => kind.to_string(),
    }
}
