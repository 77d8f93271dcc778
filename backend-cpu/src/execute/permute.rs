//! Arrays with their axes in another order.
//!
//! Axes that follow each other on both sides are one axis. Then either the fastest axis is the same on both sides, and
//! runs of it are copied; or the two fastest ones make matrices, and the array is a batch of transpositions. Short runs
//! and small matrices are moved by [tiles](tile) of several of them.

mod tile;

use super::axes::{Axes, Axis};
use super::memory::{GRAIN_BYTES, elements, elements_mut};
use super::transpose::{Matrices, Runs};
use crate::workers::Workers;
use warpwave_core::operation::{PermuteShape, Ptr, Span};

/// Bytes of runs, and of the shorter side of matrices, from which on they are moved by themselves.
const SHORT: usize = 32;

/// [`Operation::Permute`](warpwave_core::Operation::Permute): by the size of the elements alone. `None` if the types
/// differ.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn permute(workers: &Workers, x: Span, out: Span, shape: PermuteShape) -> Option<()> {
    if x.dtype != out.dtype {
        return None;
    }
    if x.len == 0 {
        return Some(());
    }
    let mut axes = merged(&shape);
    let mut size = x.dtype.size();
    widen(&mut axes, &mut size, [x.ptr, out.ptr]);
    let first = axes.as_slice().iter().position(|axis| axis.from == 1);
    if is_short(&axes, size, first) {
        // SAFETY: the caller's promise; `widen` has made elements larger only where they are aligned.
        return unsafe { tile::permute(workers, x.ptr, out.ptr, size, &axes) };
    }
    match (first, axes.as_slice().len()) {
        (Some(first), rank) if first + 1 < rank => {
            let (fast_out, fast_in) = (axes.remove(rank - 1), axes.remove(first));
            let matrices = Matrices {
                from: Runs { ptr: x.ptr, ld: fast_out.from },
                to: Runs { ptr: out.ptr, ld: fast_in.to },
                len: fast_in.size,
                runs: fast_out.size,
            };
            // SAFETY: the caller's promise. The two axes and those left make up all elements of both arrays, each once;
            // `widen` has made elements larger only where they are aligned.
            unsafe { matrices.transpose(workers, size, &axes) }
        }
        (_, rank) => {
            let run = if rank == 0 { 1 } else { axes.remove(rank - 1).size };
            // SAFETY: the caller's promise. The run and the axes left make up all elements of both arrays.
            unsafe { copy_runs(workers, x.ptr, out.ptr, run * size, size, &axes) };
            Some(())
        }
    }
}

/// The axes in the order of the output: none of a single element, and none that goes on where another ends on both
/// sides.
fn merged(shape: &PermuteShape) -> Axes {
    let stride = |sizes: &mut dyn Iterator<Item = usize>| sizes.product::<usize>();
    let (sizes, order) = (shape.sizes(), shape.axes());
    let mut axes = Axes::default();
    for (k, &axis) in order.iter().enumerate().filter(|&(_, &axis)| sizes[axis] != 1) {
        let next = Axis {
            size: sizes[axis],
            from: stride(&mut sizes[axis + 1..].iter().copied()),
            to: stride(&mut order[k + 1..].iter().map(|&axis| sizes[axis])),
        };
        match axes.as_mut_slice().last_mut() {
            // In the output each axis goes on where the next one ends.
            Some(last) if last.from == next.size * next.from => *last = Axis { size: last.size * next.size, ..next },
            _ => axes.push(next),
        }
    }
    axes
}

/// Takes short runs that stay together for elements, where there are elements of that size and they are aligned.
fn widen(axes: &mut Axes, size: &mut usize, arrays: [Ptr; 2]) {
    let Some((&run, slower)) = axes.as_slice().split_last() else { return };
    let wide = run.size.saturating_mul(*size);
    let alignment = match wide {
        2 | 4 => wide,
        // The types of these sizes that transpositions are made of are pairs.
        8 | 16 => wide / 2,
        _ => return,
    };
    if run.from != 1 || slower.is_empty() || arrays.iter().any(|array| !array.addr().is_multiple_of(alignment)) {
        return;
    }
    *size = wide;
    axes.remove(slower.len());
    for axis in axes.as_mut_slice() {
        axis.from /= run.size;
        axis.to /= run.size;
    }
}

/// Whether the fastest axes of the two sides, of which that of the input is `first`, are too short for a run or a
/// matrix to be worth what each costs.
fn is_short(axes: &Axes, size: usize, first: Option<usize>) -> bool {
    let axes = axes.as_slice();
    match (first, axes) {
        (Some(first), [.., last]) if axes.len() > 1 => axes[first].size.min(last.size) * size < SHORT,
        _ => false,
    }
}

/// Copies a run of `bytes` bytes for each place of `axes`, which counts in elements of `size` bytes.
///
/// # Safety
/// The runs are inside live memory of the device, and nothing else touches what is written; the two sides do
/// not overlap.
unsafe fn copy_runs(workers: &Workers, x: Ptr, out: Ptr, bytes: usize, size: usize, axes: &Axes) {
    let runs = axes.count();
    if runs == 1 {
        // SAFETY: the caller's promise.
        return unsafe { crate::transfer::copy_bytes(workers, x, out, bytes) };
    }
    workers.split(runs, GRAIN_BYTES.div_ceil(bytes), |range| {
        let mut place = axes.at(range.start);
        for _ in range {
            // SAFETY: the caller's promise; each run is copied by one part alone.
            unsafe {
                let x = elements::<u8>(x, place.from * size, bytes);
                elements_mut::<u8>(out, place.to * size, bytes).copy_from_slice(x);
            }
            place.step();
        }
    });
}
