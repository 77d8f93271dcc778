//! Tiles, turned in registers.
//!
//! A part of 16 bytes of a register holds `N` elements, and the same part of `N` registers a square of them. Interleaving part `i`
//! with part `i + N/2`, for all `i`, moves the topmost bit of an element's row number to the bottom of its column number; after
//! log₂ N rounds row and column have changed places. One kind of instruction does it for every size of element, and for all parts
//! of a wide register at once: those are squares that follow each other.

use super::register::Register;

/// The bits of an element.
pub(super) trait Turn: bytemuck::Pod + Sync {
    /// Interleaves the elements of the lower and of the upper halves of each part of `a` and `b`.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn interleave<R: Register>(a: R, b: R) -> (R, R);
}

macro_rules! turn {
    ($($t:ty: $interleave:ident);*) => { $(
        impl Turn for $t {
            #[inline(always)]
            unsafe fn interleave<R: Register>(a: R, b: R) -> (R, R) {
                // SAFETY: the caller's promise.
                unsafe { R::$interleave(a, b) }
            }
        }
    )* };
}
turn! { u8: interleave8; u16: interleave16; u32: interleave32; [u32; 2]: interleave64 }

impl Turn for [u64; 2] {
    /// One element fills a part: there is nothing to do.
    #[inline(always)]
    unsafe fn interleave<R: Register>(a: R, b: R) -> (R, R) {
        (a, b)
    }
}

/// Turns a tile of a register on each side, `W` elements: `put(i, …)` is called with the elements `x(j)[i]` for each `j`.
///
/// # Safety
/// The processor has the register.
#[inline(always)]
pub(super) unsafe fn turn_registers<'a, T: Turn, R: Register, const W: usize>(
    x: impl Fn(usize) -> &'a [T],
    mut put: impl FnMut(usize, R),
) {
    let n = 16 / size_of::<T>();
    debug_assert_eq!(n * R::PARTS, W);
    // SAFETY: the caller's promise; the slices are as long as a register.
    unsafe {
        let mut tile = [R::zero(); W];
        for (j, register) in tile.iter_mut().enumerate() {
            *register = R::load(x(j)[..W].as_ptr().cast());
        }
        for square in tile.chunks_exact_mut(n) {
            interleave::<T, R>(square);
        }
        for k in 0..n {
            let mut lines = [R::zero(); MOST_PARTS];
            for (part, line) in lines[..R::PARTS].iter_mut().enumerate() {
                *line = tile[part * n + k];
            }
            R::exchange(&mut lines[..R::PARTS]);
            for (part, &line) in lines[..R::PARTS].iter().enumerate() {
                put(part * n + k, line);
            }
        }
    }
}

/// Parts of the widest register.
const MOST_PARTS: usize = 4;

/// Turns a square in each part of as many registers as a part has elements.
///
/// # Safety
/// The processor has the register.
#[inline(always)]
unsafe fn interleave<T: Turn, R: Register>(square: &mut [R]) {
    let n = 16 / size_of::<T>();
    // SAFETY: the caller's promise.
    unsafe {
        let mut before = [R::zero(); 16];
        for _ in 0..n.trailing_zeros() {
            before[..n].copy_from_slice(square);
            for k in 0..n / 2 {
                (square[2 * k], square[2 * k + 1]) = T::interleave(before[k], before[k + n / 2]);
            }
        }
    }
}

/// `tile[i][j] = x(j)[i]` for `i < height` and `j < width`; each `x(j)` is `height` long.
///
/// # Safety
/// The processor has the register.
#[inline(always)]
pub(super) unsafe fn turn<'a, T: Turn, R: Register, const W: usize>(
    x: impl Fn(usize) -> &'a [T],
    tile: &mut [[T; W]; W],
    height: usize,
    width: usize,
) {
    // Elements of a part, and of a register.
    let (n, long) = (16 / size_of::<T>(), 16 / size_of::<T>() * R::PARTS);
    let (whole_height, whole_width) = (height / long * long, width / n * n);
    for j in (0..whole_width).step_by(n) {
        for i in (0..whole_height).step_by(long) {
            // SAFETY: the caller's promise; the slices are as long as a register and as a part.
            unsafe {
                let mut square = [R::zero(); 16];
                for (k, register) in square[..n].iter_mut().enumerate() {
                    *register = R::load(x(j + k)[i..i + long].as_ptr().cast());
                }
                interleave::<T, R>(&mut square[..n]);
                for (k, register) in square[..n].iter().enumerate() {
                    for part in 0..R::PARTS {
                        register.store(part, tile[i + part * n + k][j..j + n].as_mut_ptr().cast());
                    }
                }
            }
        }
    }
    for j in 0..width {
        let done = if j < whole_width { whole_height } else { 0 };
        for (row, &x) in tile[done..height].iter_mut().zip(&x(j)[done..]) {
            row[j] = x;
        }
    }
}
