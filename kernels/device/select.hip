// out[i] = mask[i] ≠ 0 ? a[i] : b[i], by bits: one kernel for each width. The output may be an input.

template <class T> struct select_map {
    static const int PACK = ww_pack_of<T>;
    const ww_u8* mask;
    ww_source<T> a, b;
    T* out;

    template <int N> struct operands {
        ww_pack<ww_u8, N> mask;
        ww_pack<T, N> a, b;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const {
        return ww_packed<PACK>(mask + i) && a.template packed<PACK>(i) && b.template packed<PACK>(i);
    }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const {
        return {ww_load_pack<N>(mask + i), a.template load<N>(i), b.template load<N>(i)};
    }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = held.mask.at[j] != 0 ? held.a.at[j] : held.b.at[j];
        ww_store_pack<N>(out + i, result);
    }
};

// Without a pointer an operand is its value.
#define KERNEL(n, T) \
    WW_KERNEL(select_##n, 256, ww_u64 len, const ww_u8* mask, const T* a, T a_value, const T* b, T b_value, T* out) { \
        ww_map(len, select_map<T>{mask, {a, a_value}, {b, b_value}, out}); \
    }
WW_EACH_WIDTH(KERNEL)
