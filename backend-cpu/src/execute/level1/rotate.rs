//! `rot` and `rotm`, to the bits of [`warpwave_core::numerics::blas::rotation`].

use super::{GRAIN, Vector};
use crate::simd;
use crate::workers::Workers;
use warpwave_core::ScalarValue;
use warpwave_core::numerics::blas::{ScalarArithmetic, rotation};
use warpwave_core::operation::RotmFlag;

/// `x = c · x + s · y`, `y = c · y − conj(s) · x`.
///
/// # Safety
/// The vectors have the same length and do not overlap; both may be written.
pub(super) unsafe fn rot<T: ScalarArithmetic>(workers: &Workers, c: T::Magnitude, s: T, x: Vector<T>, y: Vector<T>) {
    // SAFETY: the caller's promise.
    unsafe { points(workers, x, y, |x, y| rotation::rot(c, s, x, y)) }
}

/// `x = h11 · x + h12 · y`, `y = h21 · x + h22 · y`, with the elements that `flag` says. `None` if they are of another type.
///
/// # Safety
/// As for [`rot`].
pub(super) unsafe fn rotm<T: ScalarArithmetic>(
    workers: &Workers,
    flag: RotmFlag,
    h: [ScalarValue; 4],
    x: Vector<T>,
    y: Vector<T>,
) -> Option<()> {
    let h: [T; 4] = [h[0].get()?, h[1].get()?, h[2].get()?, h[3].get()?];
    // A loop for each flag: none of them has to look at it.
    macro_rules! with {
        ($flag:ident) => {
            // SAFETY: the caller's promise.
            unsafe { points(workers, x, y, |x, y| rotation::rotm(RotmFlag::$flag, h, x, y)) }
        };
    }
    match flag {
        RotmFlag::Full => with!(Full),
        RotmFlag::UnitDiagonal => with!(UnitDiagonal),
        RotmFlag::UnitOffDiagonal => with!(UnitOffDiagonal),
        RotmFlag::Identity => {}
        _ => return None,
    }
    Some(())
}

/// Every point (`x[i]`, `y[i]`) becomes `f` of it.
///
/// # Safety
/// As for [`rot`].
#[inline(always)]
unsafe fn points<T: ScalarArithmetic>(
    workers: &Workers,
    x: Vector<T>,
    y: Vector<T>,
    f: impl Fn(T, T) -> (T, T) + Copy + Sync,
) {
    workers.split(y.len(), GRAIN, |range| {
        simd::vectorize(
            #[inline(always)]
            || {
                // SAFETY: no two ranges overlap, and neither do the vectors, which the caller lets us read and write.
                unsafe {
                    match (x.slice_mut(range.clone()), y.slice_mut(range.clone())) {
                        (Some(x), Some(y)) => x.iter_mut().zip(y).for_each(|(x, y)| (*x, *y) = f(*x, *y)),
                        _ => {
                            for i in range {
                                let (new_x, new_y) = f(x.get(i), y.get(i));
                                x.set(i, new_x);
                                y.set(i, new_y);
                            }
                        }
                    }
                }
            },
        );
    });
}
