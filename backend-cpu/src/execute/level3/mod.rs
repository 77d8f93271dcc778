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
