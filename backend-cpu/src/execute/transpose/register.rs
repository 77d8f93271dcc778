//! Registers as parts of 16 bytes.

/// A register of one or several parts.
pub(super) trait Register: Copy {
    /// How many.
    const PARTS: usize;

    /// A register of zeros.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn zero() -> Self;

    /// The bytes at `from`.
    ///
    /// # Safety
    /// So many bytes can be read there, at any alignment, and the processor has the register.
    unsafe fn load(from: *const u8) -> Self;

    /// Puts a part at `to`.
    ///
    /// # Safety
    /// 16 bytes can be written there, at any alignment; there is such a part, and the processor has the register.
    unsafe fn store(self, part: usize, to: *mut u8);

    /// Puts it at `to`.
    ///
    /// # Safety
    /// So many bytes can be written there, at any alignment, and the processor has the register.
    unsafe fn store_all(self, to: *mut u8);

    /// Puts it at `to`, past the caches.
    ///
    /// # Safety
    /// So many bytes can be written there, and the processor has the register. `to` is a multiple of their number.
    unsafe fn stream(self, to: *mut u8);

    /// Exchanges part `i` of register `j` with part `j` of register `i`, for as many registers as there are parts.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn exchange(registers: &mut [Self]);

    /// Interleaves the bytes of the lower and of the upper halves of each part.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn interleave8(a: Self, b: Self) -> (Self, Self);

    /// The same for elements of two bytes.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn interleave16(a: Self, b: Self) -> (Self, Self);

    /// The same for elements of four bytes.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn interleave32(a: Self, b: Self) -> (Self, Self);

    /// The same for elements of eight bytes.
    ///
    /// # Safety
    /// The processor has the register.
    unsafe fn interleave64(a: Self, b: Self) -> (Self, Self);
}

/// What any processor can do.
#[derive(Clone, Copy)]
#[cfg(not(target_arch = "x86_64"))]
pub(super) struct Any([u8; 16]);

#[cfg(not(target_arch = "x86_64"))]
impl Any {
    #[inline(always)]
    fn interleave<const SIZE: usize>(a: Self, b: Self) -> (Self, Self) {
        let element = |byte: usize| {
            let (index, within) = (byte / SIZE, byte % SIZE);
            let from = if index % 2 == 0 { a.0 } else { b.0 };
            from[index / 2 * SIZE + within]
        };
        (Any(std::array::from_fn(element)), Any(std::array::from_fn(|byte| element(byte + 16))))
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Register for Any {
    const PARTS: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Any([0; 16])
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Any(unsafe { from.cast::<[u8; 16]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, _: usize, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u8; 16]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn store_all(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.store(0, to) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.store(0, to) }
    }

    #[inline(always)]
    unsafe fn exchange(_: &mut [Self]) {}

    #[inline(always)]
    unsafe fn interleave8(a: Self, b: Self) -> (Self, Self) {
        Any::interleave::<1>(a, b)
    }

    #[inline(always)]
    unsafe fn interleave16(a: Self, b: Self) -> (Self, Self) {
        Any::interleave::<2>(a, b)
    }

    #[inline(always)]
    unsafe fn interleave32(a: Self, b: Self) -> (Self, Self) {
        Any::interleave::<4>(a, b)
    }

    #[inline(always)]
    unsafe fn interleave64(a: Self, b: Self) -> (Self, Self) {
        Any::interleave::<8>(a, b)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use std::arch::x86_64::{__m128i as Any, __m256i as Half, __m512i as Full};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Register;
    use std::arch::x86_64::*;

    /// # Safety
    /// None.
    #[inline(always)]
    unsafe fn exchange1(_: &mut [__m128i]) {}

    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn exchange2(registers: &mut [__m256i]) {
        let &mut [a, b] = registers else { return };
        // SAFETY: the caller's promise.
        let exchanged = unsafe { [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)] };
        registers.copy_from_slice(&exchanged);
    }

    /// # Safety
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn exchange4(registers: &mut [__m512i]) {
        let &mut [a, b, c, d] = registers else { return };
        // SAFETY: the caller's promise.
        let exchanged = unsafe {
            // The even parts of two registers, and the odd ones; then the same of those.
            let (ab_even, ab_odd) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
            let (cd_even, cd_odd) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
            [
                _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even),
                _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd),
                _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even),
                _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd),
            ]
        };
        registers.copy_from_slice(&exchanged);
    }

    macro_rules! register {
        ($r:ty, $parts:literal, $exchange:ident, $stream:ident, $zero:ident, $load:ident, $low8:ident, $high8:ident, $low16:ident, $high16:ident,
            $low32:ident, $high32:ident, $low64:ident, $high64:ident) => {
            impl Register for $r {
                const PARTS: usize = $parts;

                #[inline(always)]
                unsafe fn zero() -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $zero() }
                }

                #[inline(always)]
                unsafe fn load(from: *const u8) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $load(from.cast()) }
                }

                #[inline(always)]
                unsafe fn store(self, part: usize, to: *mut u8) {
                    // SAFETY: the register is so many parts, of which the caller asks for one; it lets us write.
                    unsafe {
                        let parts: [__m128i; $parts] = std::mem::transmute(self);
                        _mm_storeu_si128(to.cast(), parts[part]);
                    }
                }

                #[inline(always)]
                unsafe fn store_all(self, to: *mut u8) {
                    // SAFETY: the caller's promise.
                    unsafe { to.cast::<$r>().write_unaligned(self) }
                }

                #[inline(always)]
                unsafe fn stream(self, to: *mut u8) {
                    // SAFETY: the caller's promise.
                    unsafe { $stream(to.cast(), self) }
                }

                #[inline(always)]
                unsafe fn exchange(registers: &mut [Self]) {
                    // SAFETY: the caller's promise.
                    unsafe { $exchange(registers) }
                }

                #[inline(always)]
                unsafe fn interleave8(a: Self, b: Self) -> (Self, Self) {
                    // SAFETY: the caller's promise.
                    unsafe { ($low8(a, b), $high8(a, b)) }
                }

                #[inline(always)]
                unsafe fn interleave16(a: Self, b: Self) -> (Self, Self) {
                    // SAFETY: the caller's promise.
                    unsafe { ($low16(a, b), $high16(a, b)) }
                }

                #[inline(always)]
                unsafe fn interleave32(a: Self, b: Self) -> (Self, Self) {
                    // SAFETY: the caller's promise.
                    unsafe { ($low32(a, b), $high32(a, b)) }
                }

                #[inline(always)]
                unsafe fn interleave64(a: Self, b: Self) -> (Self, Self) {
                    // SAFETY: the caller's promise.
                    unsafe { ($low64(a, b), $high64(a, b)) }
                }
            }
        };
    }
    register!(
        __m128i,
        1,
        exchange1,
        _mm_stream_si128,
        _mm_setzero_si128,
        _mm_loadu_si128,
        _mm_unpacklo_epi8,
        _mm_unpackhi_epi8,
        _mm_unpacklo_epi16,
        _mm_unpackhi_epi16,
        _mm_unpacklo_epi32,
        _mm_unpackhi_epi32,
        _mm_unpacklo_epi64,
        _mm_unpackhi_epi64
    );
    register!(
        __m256i,
        2,
        exchange2,
        _mm256_stream_si256,
        _mm256_setzero_si256,
        _mm256_loadu_si256,
        _mm256_unpacklo_epi8,
        _mm256_unpackhi_epi8,
        _mm256_unpacklo_epi16,
        _mm256_unpackhi_epi16,
        _mm256_unpacklo_epi32,
        _mm256_unpackhi_epi32,
        _mm256_unpacklo_epi64,
        _mm256_unpackhi_epi64
    );
    register!(
        __m512i,
        4,
        exchange4,
        _mm512_stream_si512,
        _mm512_setzero_si512,
        _mm512_loadu_si512,
        _mm512_unpacklo_epi8,
        _mm512_unpackhi_epi8,
        _mm512_unpacklo_epi16,
        _mm512_unpackhi_epi16,
        _mm512_unpacklo_epi32,
        _mm512_unpackhi_epi32,
        _mm512_unpacklo_epi64,
        _mm512_unpackhi_epi64
    );
}
