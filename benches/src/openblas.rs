//! OpenBLAS, opened at run time.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int};

type Sgemm = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);
type Dgemm = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f64,
    *const f64,
    c_int,
    *const f64,
    c_int,
    f64,
    *mut f64,
    c_int,
);

const COLUMN_MAJOR: c_int = 102;
const NOT_TRANSPOSED: c_int = 111;

/// OpenBLAS's `gemm`.
#[derive(Debug)]
pub struct OpenBlas {
    sgemm: Sgemm,
    dgemm: Dgemm,
    kernels: String,
    /// Keeps the functions where they are.
    _library: Library,
}

impl OpenBlas {
    /// Opens the library and has it use `threads` threads.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn open(threads: usize) -> Result<Self, String> {
        let missing = |error: libloading::Error| {
            format!(
                "{error}; install it (Debian: apt install libopenblas0-pthread), or name its folder in LD_LIBRARY_PATH"
            )
        };
        // SAFETY: OpenBLAS's initialisers start its threads and do nothing else to this process.
        let library = unsafe { Library::new("libopenblas.so.0") }.map_err(missing)?;
        // SAFETY: the types are those of cblas.h with 32-bit integers, which the library of this name has.
        let (sgemm, dgemm, set_threads, core_name) = unsafe {
            (
                *library.get::<Sgemm>(b"cblas_sgemm\0").map_err(missing)?,
                *library.get::<Dgemm>(b"cblas_dgemm\0").map_err(missing)?,
                *library.get::<unsafe extern "C" fn(c_int)>(b"openblas_set_num_threads\0").map_err(missing)?,
                *library.get::<unsafe extern "C" fn() -> *const c_char>(b"openblas_get_corename\0").map_err(missing)?,
            )
        };
        // SAFETY: any number is allowed; the library makes it one that it can use.
        unsafe { set_threads(c_int::try_from(threads).unwrap_or(1)) };
        // SAFETY: the library's name of a processor, a constant that ends with a zero.
        let kernels = unsafe { CStr::from_ptr(core_name()) }.to_string_lossy().into_owned();
        Ok(OpenBlas { sgemm, dgemm, kernels, _library: library })
    }

    /// The processor whose kernels it has chosen. `OPENBLAS_CORETYPE=SkylakeX` has it use AVX-512 where it does not by itself, as on
    /// AMD's processors.
    pub fn kernels(&self) -> &str {
        &self.kernels
    }
}

/// Square matrix products `c = a · b`.
pub trait SquareGemm: Sized {
    /// The product of two matrices of order `n`, column-major and without gaps. Slices that are too short are left alone.
    fn square_gemm(blas: &OpenBlas, n: usize, a: &[Self], b: &[Self], c: &mut [Self]);
}

macro_rules! square_gemm {
    ($t:ty, $function:ident) => {
        impl SquareGemm for $t {
            fn square_gemm(blas: &OpenBlas, n: usize, a: &[Self], b: &[Self], c: &mut [Self]) {
                let (Ok(order), Some(len)) = (c_int::try_from(n), n.checked_mul(n)) else { return };
                if a.len() < len || b.len() < len || c.len() < len {
                    return;
                }
                // SAFETY: the three matrices have `n · n` elements, and `c` overlaps neither of the others.
                unsafe {
                    (blas.$function)(
                        COLUMN_MAJOR,
                        NOT_TRANSPOSED,
                        NOT_TRANSPOSED,
                        order,
                        order,
                        order,
                        1.0,
                        a.as_ptr(),
                        order,
                        b.as_ptr(),
                        order,
                        0.0,
                        c.as_mut_ptr(),
                        order,
                    );
                }
            }
        }
    };
}
square_gemm!(f32, sgemm);
square_gemm!(f64, dgemm);
