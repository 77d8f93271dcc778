//! Level 3 of BLAS for symmetric, Hermitian and triangular matrices.
//!
//! Each routine is `None`, and has touched nothing, where it does not exist for the type.

mod copy;
mod stored;
mod symm;
mod syrk;
#[cfg(test)]
pub(super) mod tests;
mod triangle;

pub(super) use copy::{straight, turned};
pub(super) use stored::Stored;
pub(super) use symm::symm;
pub(super) use syrk::syrk;
pub(super) use triangle::{trmm, trsm};

use super::scratch::room;
use warpwave_core::Result;
use warpwave_core::numerics::Numeric;

/// Room for `len` elements, which are 0.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory).
pub(super) fn zeros<T: Numeric>(len: usize) -> Result<Vec<T>> {
    let mut room = room(len)?;
    room.resize(len, T::ZERO);
    Ok(room)
}
