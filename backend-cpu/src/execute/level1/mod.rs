//! Level 1 of BLAS, to the bits of [`warpwave_core::numerics::blas`].

mod iamax;
mod norm;
mod reduce;
#[cfg(test)]
mod tests;
mod tree;
mod update;
mod vector;

pub(super) use reduce::dot_chunk;
pub(super) use tree::join;
pub(super) use vector::{Vector, scalar, unsupported};

use crate::workers::Workers;
use warpwave_core::operation::{Span, Strided};
use warpwave_core::{DType, Result, ScalarValue};

/// Elements that are not worth waking another thread for.
pub(super) const GRAIN: usize = 1 << 15;

/// Runs code that is generic over the scalar type, for the type that `$dtype` names.
macro_rules! match_scalar {
    ($name:expr, $dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            warpwave_core::DType::F32 => {
                type $t = f32;
                $body
            }
            warpwave_core::DType::F64 => {
                type $t = f64;
                $body
            }
            warpwave_core::DType::C32 => {
                type $t = warpwave_core::Complex32;
                $body
            }
            warpwave_core::DType::C64 => {
                type $t = warpwave_core::Complex64;
                $body
            }
            other => Err(crate::execute::level1::unsupported($name, other)),
        }
    };
}
pub(super) use match_scalar;

/// `y = x`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn copy(workers: &Workers, x: Strided, y: Strided) -> Result<()> {
    // SAFETY: a copy moves bytes, so any integers of the size and alignment will do; else the caller's promise.
    unsafe {
        match x.dtype.size() {
            1 => update::copy::<u8>(workers, Vector::new(&x), Vector::new(&y)),
            2 => update::copy::<u16>(workers, Vector::new(&x), Vector::new(&y)),
            4 => update::copy::<u32>(workers, Vector::new(&x), Vector::new(&y)),
            8 if x.dtype == DType::C32 => update::copy::<[u32; 2]>(workers, Vector::new(&x), Vector::new(&y)),
            8 => update::copy::<u64>(workers, Vector::new(&x), Vector::new(&y)),
            16 => update::copy::<[u64; 2]>(workers, Vector::new(&x), Vector::new(&y)),
            _ => return Err(unsupported("copy", x.dtype)),
        }
    }
    Ok(())
}

/// `x ↔ y`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn swap(workers: &Workers, x: Strided, y: Strided) -> Result<()> {
    // SAFETY: the caller's promise.
    match_scalar!("swap", x.dtype, T => unsafe { update::swap::<T>(workers, Vector::new(&x), Vector::new(&y)); Ok(()) })
}

/// `x = alpha · x`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn scal(workers: &Workers, alpha: ScalarValue, x: Strided) -> Result<()> {
    match_scalar!("scal", x.dtype, T => {
        let alpha: T = scalar("alpha", alpha)?;
        // SAFETY: the caller's promise.
        unsafe { update::scal(workers, alpha, Vector::new(&x)) };
        Ok(())
    })
}

/// `y = alpha · x + y`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn axpy(workers: &Workers, alpha: ScalarValue, x: Strided, y: Strided) -> Result<()> {
    match_scalar!("axpy", x.dtype, T => {
        let alpha: T = scalar("alpha", alpha)?;
        // SAFETY: the caller's promise.
        unsafe { update::axpy(workers, alpha, Vector::new(&x), Vector::new(&y)) };
        Ok(())
    })
}

/// `out = Σ x · y`, or with `x` conjugated.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn dot(workers: &Workers, conj: bool, x: Strided, y: Strided, out: Span) -> Result<()> {
    match_scalar!("dot", x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast::<T>().write(reduce::dot(workers, conj, Vector::new(&x), Vector::new(&y))) };
        Ok(())
    })
}

/// `out = √Σ|x|²`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn nrm2(workers: &Workers, x: Strided, out: Span) -> Result<()> {
    match_scalar!("nrm2", x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast().write(norm::nrm2(workers, Vector::<T>::new(&x))) };
        Ok(())
    })
}

/// `out = Σ |re x| + |im x|`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn asum(workers: &Workers, x: Strided, out: Span) -> Result<()> {
    match_scalar!("asum", x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast().write(reduce::asum(workers, Vector::<T>::new(&x))) };
        Ok(())
    })
}

/// `out` = the index of the first largest magnitude, or `u64::MAX` of nothing.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn iamax(workers: &Workers, x: Strided, out: Span) -> Result<()> {
    match_scalar!("iamax", x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast::<u64>().write(iamax::iamax(workers, Vector::<T>::new(&x))) };
        Ok(())
    })
}
