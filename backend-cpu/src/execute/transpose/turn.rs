//! A whole tile, turned in registers.
//!
//! A register of 16 bytes holds `N` elements, and `N` registers a square of them. Interleaving register `i` with register
//! `i + N/2`, for all `i`, moves the topmost bit of an element's row number to the bottom of its column number; after log₂ N
//! rounds row and column have changed places. One kind of instruction does it for every size of element.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_setzero_si128, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
    _mm_unpacklo_epi64,
};

/// The bits of an element.
pub(super) trait Turn: bytemuck::Pod + Sync {
    /// Interleaves the elements of the lower and of the upper halves of `a` and `b`.
    #[cfg(target_arch = "x86_64")]
    fn interleave(a: __m128i, b: __m128i) -> (__m128i, __m128i);
}

macro_rules! turn {
    ($($t:ty: $low:ident, $high:ident);*) => { $(
        impl Turn for $t {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn interleave(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
                // SAFETY: every x86-64 processor has SSE2.
                unsafe { ($low(a, b), $high(a, b)) }
            }
        }
    )* };
}
turn! {
    u8: _mm_unpacklo_epi8, _mm_unpackhi_epi8;
    u16: _mm_unpacklo_epi16, _mm_unpackhi_epi16;
    u32: _mm_unpacklo_epi32, _mm_unpackhi_epi32;
    [u32; 2]: _mm_unpacklo_epi64, _mm_unpackhi_epi64
}

impl Turn for [u64; 2] {
    /// One element fills a register: there is nothing to do.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn interleave(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (a, b)
    }
}

/// `tile[i][j] = x(j)[i]`. `TILE` is a multiple of what fits into 16 bytes; each `x(j)` is `TILE` long.
#[cfg(target_arch = "x86_64")]
pub(super) fn turn<'a, T: Turn, const TILE: usize>(x: impl Fn(usize) -> &'a [T], tile: &mut [[T; TILE]; TILE]) {
    let n = 16 / size_of::<T>();
    for j in (0..TILE).step_by(n) {
        for i in (0..TILE).step_by(n) {
            let mut square = [zero(); 16];
            for (k, register) in square[..n].iter_mut().enumerate() {
                let elements = &x(j + k)[i..i + n];
                // SAFETY: `n` elements are 16 bytes.
                *register = unsafe { _mm_loadu_si128(elements.as_ptr().cast()) };
            }
            for _ in 0..n.trailing_zeros() {
                let before = square;
                for k in 0..n / 2 {
                    (square[2 * k], square[2 * k + 1]) = T::interleave(before[k], before[k + n / 2]);
                }
            }
            for (k, &register) in square[..n].iter().enumerate() {
                let elements = &mut tile[i + k][j..j + n];
                // SAFETY: `n` elements are 16 bytes.
                unsafe { _mm_storeu_si128(elements.as_mut_ptr().cast(), register) };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn zero() -> __m128i {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { _mm_setzero_si128() }
}

/// `tile[i][j] = x(j)[i]`.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn turn<'a, T: Turn, const TILE: usize>(x: impl Fn(usize) -> &'a [T], tile: &mut [[T; TILE]; TILE]) {
    for j in 0..TILE {
        for (row, &x) in tile.iter_mut().zip(x(j)) {
            row[j] = x;
        }
    }
}
