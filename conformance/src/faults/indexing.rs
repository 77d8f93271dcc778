//! Faults in moving by indices, masks and axes.

use super::elements::{Bytes, Elements};
use super::rework::Rework;
use crate::reference::Sample;
use warpwave_core::operation::PermuteShape;
use warpwave_core::{Operation, match_dtype};

/// The indices of `index`.
fn indices(index: &Elements) -> Vec<i128> {
    match_dtype!(
        index.dtype,
        integer I => index.read::<I>().into_iter().map(Sample::integer).collect(),
        _ => Vec::new()
    )
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn gather_wraps(operation: &Operation) -> Rework {
    let Operation::Gather { x, index, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (places, index, from, to) = unsafe { (x.len as i128, Elements::span(index), Bytes::of(x), Bytes::of(out)) };
    Rework::after(move || {
        if places > 0 {
            for (i, index) in indices(&index).into_iter().enumerate() {
                to.copy(i, &from, index.rem_euclid(places) as usize);
            }
        }
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn scatter_lowest(operation: &Operation) -> Rework {
    let Operation::Scatter { x, index, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (places, index, from, to) = unsafe { (out.len as i128, Elements::span(index), Bytes::of(x), Bytes::of(out)) };
    Rework::after(move || {
        for (i, index) in indices(&index).into_iter().enumerate().rev() {
            if (0..places).contains(&index) {
                to.copy(index as usize, &from, i);
            }
        }
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn compact_miscounted(operation: &Operation) -> Rework {
    let Operation::Compact { count, .. } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let count = unsafe { Elements::span(count) };
    // The last selected element is not counted.
    Rework::after(move || count.map(|count: u64| count.saturating_sub(1)))
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn compact_disordered(operation: &Operation) -> Rework {
    let Operation::Compact { out, count, .. } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (bytes, len, count) = unsafe { (Bytes::of(out), out.len, Elements::span(count)) };
    Rework::after(move || {
        let selected = (count.get::<u64>(0, 0) as usize).min(len);
        bytes.rearrange(&(0..selected).rev().chain(selected..len).collect::<Vec<_>>());
    })
}

/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn histogram_bin_dropped(operation: &Operation) -> Rework {
    let Operation::Histogram { out, .. } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::after(move || {
        if let Some(last) = out.rows.checked_sub(1) {
            out.set(last, 0, 0_u64);
        }
    })
}

/// The permutation that undoes the one asked for: axis `axes[k]` of the output is axis `k` of the input.
pub(super) fn axes_inverted(shape: PermuteShape) -> PermuteShape {
    let mut inverse = vec![0; shape.axes().len()];
    shape.axes().iter().enumerate().for_each(|(k, &axis)| inverse[axis] = k);
    PermuteShape::new(shape.sizes(), &inverse).unwrap_or(shape)
}
