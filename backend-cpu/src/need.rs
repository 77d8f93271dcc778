//! How much memory operations need.

use warpwave_core::Operation;
use warpwave_core::operation::Sort;

/// Elements that are reduced to one before the rest is: a chunk of the [tree](warpwave_core::numerics).
const CHUNK: usize = 8192;

/// No more bytes than the operation needs, with its operands: without so many it cannot be done at all.
///
/// It is worth saying only where that can be more than a machine has although the operands exist: elements that are repeated, at an
/// increment of 0, take no memory, but the result of each chunk of them does; and a sort takes once more what it sorts.
pub(crate) fn at_least(operation: &Operation) -> usize {
    match *operation {
        Operation::Dot { x, .. } | Operation::Nrm2 { x, .. } | Operation::Asum { x, .. } if x.len > CHUNK => {
            // Each result has a part of an element at least, a real one.
            x.len.div_ceil(CHUNK).saturating_mul(size_of::<f32>())
        }
        Operation::Sort(Sort { keys, values, first_bit, end_bit, .. }) if first_bit < end_bit && keys.len > CHUNK => {
            let size = keys.dtype.size() + values.map_or(0, |values| values.dtype.size());
            keys.len.saturating_mul(2 * size)
        }
        _ => 0,
    }
}
