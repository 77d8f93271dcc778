// out[j] = how many x[i] equal j; a number that is negative or past the end counts nowhere and sets `fault`. `out` is 0 before.

// `held` counts for the block where the bins fit, and is null where they do not.
template <class T> WW_DEVICE void histogram(ww_u64 len, const T* x, ww_u64 bins, ww_u64* out, ww_u32* fault, ww_u32* held) {
    const ww_u32 t = ww_thread_x(), threads = ww_threads_x(), AT_ONCE = 4;
    if (held != nullptr) {
        for (ww_u32 i = t; i < bins; i += threads) held[i] = 0;
        ww_barrier();
    }
    // Every lane goes on until all are done: they look at each other's numbers.
    for (ww_u64 start = ww_block_x() * (ww_u64)threads * AT_ONCE; start < len; start += ww_stride() * AT_ONCE) {
        T some[AT_ONCE];
        WW_UNROLL for (ww_u32 u = 0; u < AT_ONCE; ++u) {
            const ww_u64 i = start + u * threads + t;
            some[u] = i < len ? x[i] : (T)0;
        }
        WW_UNROLL for (ww_u32 u = 0; u < AT_ONCE; ++u) {
            const bool there = start + u * threads + t < len;
            // A negative number becomes one past every end.
            const ww_u64 bin = (ww_u64)(ww_i64)some[u];
            const ww_u64 first = ww_shuffle(bin, 0);
            const bool same = ww_all(there && bin == first);
            if (same ? ww_lane() == 0 : there) {
                // What is all one number would be added up one after the other.
                const ww_u32 more = same ? WW_WARP : 1;
                if (bin >= bins) ww_atomic_or(fault, 1u);
                else if (held != nullptr) ww_atomic_add(held + bin, more);
                else ww_atomic_add(out + bin, (ww_u64)more);
            }
        }
    }
    if (held != nullptr) {
        ww_barrier();
        for (ww_u32 i = t; i < bins; i += threads)
            if (held[i] != 0) ww_atomic_add(out + i, (ww_u64)held[i]);
    }
}

#define KERNEL(n, T) \
    WW_KERNEL(histogram_##n, 256, ww_u64 len, const T* x, ww_u64 bins, ww_u64* out, ww_u32* fault, ww_u32 in_block) { \
        WW_DYNAMIC_SHARED(ww_u32, held); \
        histogram<T>(len, x, bins, out, fault, in_block != 0 ? held : nullptr); \
    }
WW_EACH_INTEGER(KERNEL)
