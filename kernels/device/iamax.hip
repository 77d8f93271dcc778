// The first element of the largest, or smallest, |re| + |im|, a NaN before all others. Each magnitude is made a number that is the larger
// the better the element is: magnitudes have no sign, so their bits are in their order, and the largest number of all is for a NaN. Which
// element is best then does not depend on the order of looking.

template <class B> struct iamax_best {
    B key;
    ww_u64 index;
};
WW_DEVICE float iamax_size(float x) { return ww_abs(x); }
WW_DEVICE double iamax_size(double x) { return ww_abs(x); }
template <class P> WW_DEVICE P iamax_size(ww_complex<P> x) { return ww_abs(x.re) + ww_abs(x.im); }

template <class B> WW_DEVICE iamax_best<B> iamax_better(iamax_best<B> a, iamax_best<B> b) {
    return a.key > b.key || (a.key == b.key && a.index <= b.index) ? a : b;
}

// The best of a block; thread 0 has it.
template <class B> WW_DEVICE iamax_best<B> iamax_block(iamax_best<B> best, iamax_best<B>* shared) {
    const ww_u32 thread = ww_thread_x(), warps = 256 / WW_WARP;
    WW_UNROLL for (ww_u32 half = 1; half < WW_WARP; half *= 2) best = iamax_better(best, ww_shuffle_xor(best, half));
    if (thread % WW_WARP == 0) shared[thread / WW_WARP] = best;
    ww_barrier();
    if (thread < WW_WARP) {
        best = shared[thread % warps];
        WW_UNROLL for (ww_u32 half = 1; half < warps; half *= 2) best = iamax_better(best, ww_shuffle_xor(best, half));
    }
    return best;
}

// The best of each block's elements; of one block, the result. Of nothing it is the largest number.
template <class T, class B>
WW_DEVICE void iamax_vector(iamax_best<B>* shared, ww_u64 n, const T* x, ww_i64 inc, bool smallest, iamax_best<B>* partial, ww_u64* out) {
    const ww_u64 many = 16 / sizeof(T);
    const B most = (B)~(B)0, half = most >> 1;
    struct alignas(16) Pack {
        T at[many];
    };
    iamax_best<B> best = {0, ~(ww_u64)0};
    const auto look = [&](T element, ww_u64 i) {
        const ww_magnitude<T> size = iamax_size(element);
        const B bits = ww_bits(size), key = size != size ? most : smallest ? half - bits : bits;
        // Indices ascend within a thread.
        if (key > best.key || best.index == ~(ww_u64)0) best = {key, i};
    };
    if (inc == 1 && (ww_u64)x % 16 == 0) {
        const ww_u64 packs = n / many, stride = ww_stride();
        ww_u64 i = ww_index();
        for (; i + 3 * stride < packs; i += 4 * stride) {
            Pack some[4];
            WW_UNROLL for (int s = 0; s < 4; ++s) some[s] = *(const Pack*)(x + (i + s * stride) * many);
            WW_UNROLL for (int s = 0; s < 4; ++s) {
                WW_UNROLL for (ww_u64 e = 0; e < many; ++e) look(some[s].at[e], (i + s * stride) * many + e);
            }
        }
        for (; i < packs; i += stride) {
            const Pack some = *(const Pack*)(x + i * many);
            WW_UNROLL for (ww_u64 e = 0; e < many; ++e) look(some.at[e], i * many + e);
        }
        for (ww_u64 i = packs * many + ww_index(); i < n; i += stride) look(x[i], i);
    } else {
        for (ww_u64 i = ww_index(); i < n; i += ww_stride()) look(x[(ww_i64)i * inc], i);
    }
    best = iamax_block(best, shared);
    if (ww_thread_x() == 0) {
        if (ww_blocks_x() == 1) *out = best.index;
        else partial[ww_block_x()] = best;
    }
}

// The best of the blocks' results, by one block.
template <class B> WW_DEVICE void iamax_rest(iamax_best<B>* shared, ww_u64 n, const iamax_best<B>* partial, ww_u64* out) {
    iamax_best<B> best = {0, ~(ww_u64)0};
    for (ww_u64 i = ww_index(); i < n; i += ww_stride()) best = iamax_better(best, partial[i]);
    best = iamax_block(best, shared);
    if (ww_thread_x() == 0) *out = best.index;
}

template <class T> using iamax_of = iamax_best<typename ww_type<ww_magnitude<T>>::bits>;

#define IAMAX(N, T) \
    WW_KERNEL(iamax_##N, 256, ww_u64 n, const T* x, ww_i64 inc, ww_u32 smallest, iamax_of<T>* partial, ww_u64* out) { \
        WW_SHARED(iamax_of<T>, shared, 256 / WW_WARP); \
        iamax_vector(shared, n, x, inc, smallest != 0, partial, out); \
    } \
    WW_KERNEL(iamax_rest_##N, 256, ww_u64 n, const iamax_of<T>* partial, ww_u64* out) { \
        WW_SHARED(iamax_of<T>, shared, 256 / WW_WARP); \
        iamax_rest(shared, n, partial, out); \
    }

WW_EACH_BLAS(IAMAX)
