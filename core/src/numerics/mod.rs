//! Numerics.
pub mod tree;
