//! Turning a block of elements in registers.

use super::tile::BLOCK;

/// Interleaves the two halves: `to[2i] = from[i]`, `to[2i + 1] = from[BLOCK / 2 + i]`.
///
/// This moves the topmost bit of an element's index to the bottom. Of a block seen as `2^r` rows, `r` times exchange rows and
/// columns. The loop becomes one instruction for a register's worth of elements, on every processor that has vectors.
#[inline(always)]
pub(super) fn interleave<T: Copy>(from: &[T; BLOCK], to: &mut [T; BLOCK]) {
    for i in 0..BLOCK / 2 {
        to[2 * i] = from[i];
        to[2 * i + 1] = from[BLOCK / 2 + i];
    }
}
