// A symmetric or Hermitian matrix written out: what is not stored is mirrored, and conjugated in a Hermitian matrix, whose diagonal is real.
// The product is then that of `gemm`, to the bit; to write the matrix out costs one product in as many as it has columns.

template <class T>
WW_DEVICE void symm_full(ww_u64 n, const T* a, ww_i64 ld, ww_u32 triangle, bool hermitian, T* full, ww_i64 full_ld) {
    for (ww_u64 i = ww_index(); i < n * n; i += ww_stride()) {
        const ww_u64 outer = i / n, inner = i - outer * n;
        const bool stored = triangle == 1 ? inner >= outer : inner <= outer;
        T value = stored ? a[(ww_i64)outer * ld + (ww_i64)inner] : a[(ww_i64)inner * ld + (ww_i64)outer];
        if constexpr (ww_is_complex<T>) {
            if (hermitian && !stored) value = ww_conj(value);
            if (hermitian && inner == outer) value.im = 0;
        }
        full[(ww_i64)outer * full_ld + (ww_i64)inner] = value;
    }
}

// triangle: 1 for the elements whose number in their run is at least that of the run, 2 for those whose number is at most that.
#define SYMM(N, T) \
    WW_KERNEL( \
        symm_full_##N, 256, ww_u64 n, const T* a, ww_i64 ld, ww_u32 triangle, ww_u32 hermitian, T* full, ww_i64 full_ld \
    ) { \
        symm_full(n, a, ld, triangle, hermitian != 0, full, full_ld); \
    }

WW_EACH_BLAS(SYMM)
