// out[i] = x[index[i]], by bits; 0 where the index is out of range, which sets `fault`.
//
// A negative index, taken as unsigned, is out of range too: `limit` is the number of elements, or half the numbers that a signed index of
// 32 bits has if that is less.

template <class T, class I> struct gather_map {
    static const int PACK = ww_pack_of<T, I>;
    const T* x;
    const I* index;
    T* out;
    ww_u64 limit;
    ww_u32* fault;

    template <int N> struct operands {
        ww_pack<T, N> x;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return ww_packed<PACK>(index + i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const {
        const ww_pack<I, N> from = ww_load_pack<N>(index + i);
        operands<N> held = {};
        bool all = true;
        WW_UNROLL for (int j = 0; j < N; ++j) {
            const bool there = from.at[j] < limit;
            if (there) held.x.at[j] = x[from.at[j]];
            all = all && there;
        }
        if (!all) ww_atomic_or(fault, 1u);
        return held;
    }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const { ww_store_pack<N>(out + i, held.x); }
};

#define KERNEL(n, T, m, I) \
    WW_KERNEL(gather_##n##_##m, 256, ww_u64 len, const T* x, const I* index, T* out, ww_u64 limit, ww_u32* fault) { \
        ww_map(len, gather_map<T, I>{x, index, out, limit, fault}); \
    }
#define BY_u32(n, T) KERNEL(n, T, u32, ww_u32)
#define BY_u64(n, T) KERNEL(n, T, u64, ww_u64)
WW_EACH_WIDTH(BY_u32)
WW_EACH_WIDTH(BY_u64)
