//! What the benchmarks share: pairs of measurements made in one run, and the table of their ratios.
//!
//! A figure by itself says little on a machine whose clock and load change. Every row here compares two things whose runs alternate,
//! and gives the ratio of their medians.

pub mod mathematics;
pub mod openblas;
pub mod table;
pub mod timing;
