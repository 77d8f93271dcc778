// BLAS level 1, element by element. Pointers are to element 0, increments may be negative, or 0 for what is only read.
//
// Contiguous vectors that lie alike go by 16 bytes, each thread with one access to each vector at a time: what is before the first and
// behind the last whole 16 bytes goes by elements. Nothing is read twice, so loads and stores go past the caches.

template <class T> struct alignas(16) level1_pack {
    T at[16 / sizeof(T)];
};
template <class T> WW_DEVICE level1_pack<T> level1_load(const T* from) {
    union {
        ww_bytes16 bytes;
        level1_pack<T> pack;
    } both;
    both.bytes = ww_load_streaming((const ww_bytes16*)from);
    return both.pack;
}
template <class T> WW_DEVICE void level1_store(T* to, level1_pack<T> pack) {
    union {
        ww_bytes16 bytes;
        level1_pack<T> pack;
    } both;
    both.pack = pack;
    ww_store_streaming((ww_bytes16*)to, both.bytes);
}

// `f(x, y)` for each pair of elements, of which those that are not read are 0.
template <bool READ_Y, bool WRITE_X, bool WRITE_Y, class T, class F>
WW_DEVICE void level1_each(ww_u64 n, T* x, ww_i64 incx, T* y, ww_i64 incy, F f) {
    const auto one = [&](ww_u64 i) {
        T* const at_x = x + (ww_i64)i * incx;
        T* const at_y = y + (ww_i64)i * incy;
        T a = *at_x, b = ww_zero<T>();
        if constexpr (READ_Y) b = *at_y;
        f(a, b);
        if constexpr (WRITE_X) *at_x = a;
        if constexpr (WRITE_Y) *at_y = b;
    };
    const ww_u64 many = 16 / sizeof(T);
    if (incx == 1 && incy == 1 && ((ww_u64)x - (ww_u64)y) % 16 == 0) {
        const ww_u64 before = (16 - (ww_u64)x % 16) % 16 / sizeof(T), head = before < n ? before : n, packs = (n - head) / many;
        for (ww_u64 i = ww_index(); i < packs; i += ww_stride()) {
            T* const at_x = x + (head + i * many);
            T* const at_y = y + (head + i * many);
            level1_pack<T> a = level1_load(at_x), b = {};
            if constexpr (READ_Y) b = level1_load(at_y);
            WW_UNROLL for (ww_u64 e = 0; e < many; ++e) f(a.at[e], b.at[e]);
            if constexpr (WRITE_X) level1_store(at_x, a);
            if constexpr (WRITE_Y) level1_store(at_y, b);
        }
        for (ww_u64 i = ww_index(); i < n - packs * many; i += ww_stride()) one(i < head ? i : i + packs * many);
    } else {
        for (ww_u64 i = ww_index(); i < n; i += ww_stride()) one(i);
    }
}

// `by · x + c` with a real `by`.
template <class P> WW_DEVICE P level1_scale_add(P by, P x, P c) { return ww_fma(by, x, c); }
template <class P> WW_DEVICE ww_complex<P> level1_scale_add(P by, ww_complex<P> x, ww_complex<P> c) {
    return {ww_fma(by, x.re, c.re), ww_fma(by, x.im, c.im)};
}

// For every type of the size.
#define COPY(N, T) \
    WW_KERNEL(copy_##N, 256, ww_u64 n, const T* x, ww_i64 incx, T* y, ww_i64 incy) { \
        level1_each<false, false, true>(n, (T*)x, incx, y, incy, [](T& a, T& b) { b = a; }); \
    }
#define LEVEL1(N, T) \
    WW_KERNEL(swap_##N, 256, ww_u64 n, T* x, ww_i64 incx, T* y, ww_i64 incy) { \
        level1_each<true, true, true>(n, x, incx, y, incy, [](T& a, T& b) { \
            const T c = a; \
            a = b; \
            b = c; \
        }); \
    } \
    WW_KERNEL(scal_##N, 256, ww_u64 n, T alpha, T* x, ww_i64 incx) { \
        level1_each<false, true, false>(n, x, incx, x, incx, [=](T& a, T&) { a = ww_mul(alpha, a); }); \
    } \
    WW_KERNEL(axpy_##N, 256, ww_u64 n, T alpha, const T* x, ww_i64 incx, T* y, ww_i64 incy) { \
        level1_each<true, false, true>(n, (T*)x, incx, y, incy, [=](T& a, T& b) { b = ww_canonical(ww_fma(alpha, a, b)); }); \
    } \
    WW_KERNEL(rot_##N, 256, ww_u64 n, ww_magnitude<T> c, T s, T* x, ww_i64 incx, T* y, ww_i64 incy) { \
        level1_each<true, true, true>(n, x, incx, y, incy, [=](T& a, T& b) { \
            const T sy = ww_mul(s, b), sx = ww_mul(ww_conj(s), a); \
            a = ww_canonical(level1_scale_add(c, a, sy)); \
            b = ww_canonical(level1_scale_add(c, b, ww_neg(sx))); \
        }); \
    } \
    /* flag: 0 for a full matrix, 1 for ones on the diagonal, 2 for 1 and −1 beside it. */ \
    WW_KERNEL(rotm_##N, 256, ww_u64 n, ww_u32 flag, T h11, T h21, T h12, T h22, T* x, ww_i64 incx, T* y, ww_i64 incy) { \
        level1_each<true, true, true>(n, x, incx, y, incy, [=](T& a, T& b) { \
            const T u = a, v = b; \
            if (flag == 0) { \
                a = ww_fma(h11, u, ww_mul(h12, v)); \
                b = ww_fma(h21, u, ww_mul(h22, v)); \
            } else if (flag == 1) { \
                a = ww_fma(h12, v, u); \
                b = ww_fma(h21, u, v); \
            } else { \
                a = ww_fma(h11, u, v); \
                b = ww_fma(h22, v, ww_neg(u)); \
            } \
            a = ww_canonical(a); \
            b = ww_canonical(b); \
        }); \
    }

WW_EACH_UNSIGNED(COPY)
WW_X_c64(COPY)
WW_EACH_BLAS(LEVEL1)
