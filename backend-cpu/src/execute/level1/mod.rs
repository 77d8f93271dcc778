//! Level 1 of BLAS, to the bits of [`warpwave_core::numerics::blas`].
//!
//! Each routine is `None`, and has touched nothing, where it does not exist for the type.

#[cfg(test)]
pub(super) mod fixture;
mod iamax;
mod norm;
mod reduce;
mod rotate;
#[cfg(test)]
mod tests;
mod update;
mod vector;

pub(super) use reduce::{Products, dot as dot_product, dot_chunk};
pub(super) use vector::Vector;

use crate::workers::Workers;
use warpwave_core::operation::{RotmFlag, Span, Strided};
use warpwave_core::{DType, Result, Scalar, ScalarValue};

type Magnitude<T> = <T as Scalar>::Magnitude;

/// Elements that are not worth waking another thread for.
pub(super) const GRAIN: usize = 1 << 15;

/// Runs code that is generic over the scalar type, for the type that `$dtype` names; `None` if that is no scalar type.
macro_rules! match_scalar {
    ($dtype:expr, $t:ident => $body:expr) => {
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
            _ => None,
        }
    };
}
pub(super) use match_scalar;

/// The place of a result.
fn single<T: Copy>(out: Span) -> Vector<T> {
    Vector::from_parts(out.ptr.as_ptr().cast(), 1, out.len)
}

/// `y = x`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn copy(workers: &Workers, x: Strided, y: Strided) -> Option<()> {
    // SAFETY: a copy moves bytes, so any integers of the size and alignment will do; else the caller's promise.
    unsafe {
        match x.dtype.size() {
            1 => update::copy::<u8>(workers, Vector::new(&x), Vector::new(&y)),
            2 => update::copy::<u16>(workers, Vector::new(&x), Vector::new(&y)),
            4 => update::copy::<u32>(workers, Vector::new(&x), Vector::new(&y)),
            8 if x.dtype == DType::C32 => update::copy::<[u32; 2]>(workers, Vector::new(&x), Vector::new(&y)),
            8 => update::copy::<u64>(workers, Vector::new(&x), Vector::new(&y)),
            16 => update::copy::<[u64; 2]>(workers, Vector::new(&x), Vector::new(&y)),
            _ => return None,
        }
    }
    Some(())
}

/// `x ↔ y`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn swap(workers: &Workers, x: Strided, y: Strided) -> Option<()> {
    // SAFETY: the caller's promise.
    match_scalar!(x.dtype, T => unsafe { update::swap::<T>(workers, Vector::new(&x), Vector::new(&y)); Some(()) })
}

/// `x = alpha · x`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn scal(workers: &Workers, alpha: ScalarValue, x: Strided) -> Option<()> {
    match_scalar!(x.dtype, T => {
        let alpha: T = alpha.get()?;
        // SAFETY: the caller's promise.
        unsafe { update::scal(workers, alpha, Vector::new(&x)) };
        Some(())
    })
}

/// `y = alpha · x + y`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn axpy(workers: &Workers, alpha: ScalarValue, x: Strided, y: Strided) -> Option<()> {
    match_scalar!(x.dtype, T => {
        let alpha: T = alpha.get()?;
        // SAFETY: the caller's promise.
        unsafe { update::axpy(workers, alpha, Vector::new(&x), Vector::new(&y)) };
        Some(())
    })
}

/// `out = Σ x · y`, or with `x` conjugated.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(crate) unsafe fn dot(workers: &Workers, conj: bool, x: Strided, y: Strided, out: Span) -> Option<Result<()>> {
    match_scalar!(x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        Some(unsafe { reduce::dot::<T>(workers, conj, Vector::new(&x), Vector::new(&y), single(out)) })
    })
}

/// `out = √Σ|x|²`.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(crate) unsafe fn nrm2(workers: &Workers, x: Strided, out: Span) -> Option<Result<()>> {
    match_scalar!(x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        Some(unsafe { norm::nrm2::<T>(workers, Vector::new(&x), single(out)) })
    })
}

/// `out = Σ |re x| + |im x|`.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(crate) unsafe fn asum(workers: &Workers, x: Strided, out: Span) -> Option<Result<()>> {
    match_scalar!(x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        Some(unsafe { reduce::asum::<T>(workers, Vector::new(&x), single(out)) })
    })
}

/// `out` = the index of the first largest magnitude, or `u64::MAX` of nothing.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn iamax(workers: &Workers, x: Strided, out: Span) -> Option<()> {
    match_scalar!(x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast::<u64>().write(iamax::extreme::<T, false>(workers, Vector::new(&x))) };
        Some(())
    })
}

/// `out` = the index of the first smallest magnitude, or `u64::MAX` of nothing.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn iamin(workers: &Workers, x: Strided, out: Span) -> Option<()> {
    match_scalar!(x.dtype, T => {
        // SAFETY: the caller's promise; `out` has one element.
        unsafe { out.ptr.as_ptr().cast::<u64>().write(iamax::extreme::<T, true>(workers, Vector::new(&x))) };
        Some(())
    })
}

/// The points (`x[i]`, `y[i]`) rotated by the cosine `c` and the sine `s`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn rot(workers: &Workers, c: ScalarValue, s: ScalarValue, x: Strided, y: Strided) -> Option<()> {
    match_scalar!(x.dtype, T => {
        let (c, s): (Magnitude<T>, T) = (c.get()?, s.get()?);
        // SAFETY: the caller's promise.
        unsafe { rotate::rot(workers, c, s, Vector::new(&x), Vector::new(&y)) };
        Some(())
    })
}

/// The points (`x[i]`, `y[i]`) under a modified rotation.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn rotm(
    workers: &Workers,
    flag: RotmFlag,
    h: [ScalarValue; 4],
    x: Strided,
    y: Strided,
) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match x.dtype {
            DType::F32 => rotate::rotm::<f32>(workers, flag, h, Vector::new(&x), Vector::new(&y)),
            DType::F64 => rotate::rotm::<f64>(workers, flag, h, Vector::new(&x), Vector::new(&y)),
            _ => None,
        }
    }
}
