// out[i] = value, and out[i] = start + i · step.

template <class T> struct fill_map {
    static const int PACK = ww_pack_of<T>;
    T value;
    T* out;

    template <int N> struct operands {};
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64) const { return true; }
    template <int N> WW_DEVICE operands<N> load(ww_u64) const { return {}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N>) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = value;
        ww_store_pack<N>(out + i, result);
    }
};

template <class T> struct iota_map {
    static const int PACK = ww_pack_of<T>;
    T start, step;
    T* out;

    template <int N> struct operands {};
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64) const { return true; }
    template <int N> WW_DEVICE operands<N> load(ww_u64) const { return {}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N>) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = ww_iota(start, step, i + j);
        ww_store_pack<N>(out + i, result);
    }
};

// By bits: one kernel for each width.
#define FILL(n, T) \
    WW_KERNEL(fill_##n, 256, ww_u64 len, T value, T* out) { ww_map(len, fill_map<T>{value, out}); }
WW_EACH_WIDTH(FILL)
#define FILL_LINES(n, T) \
    WW_KERNEL(fill_lines_##n, 256, ww_u64 run, ww_u64 runs, ww_u32 log_width, T value, T* out, ww_u64 ld) { \
        ww_lines(run, runs, log_width, [=](ww_u64 line, ww_u64 i) { out[line * ld + i] = value; }); \
    }
WW_EACH_WIDTH(FILL_LINES)
#define IOTA(n, T) \
    WW_KERNEL(iota_##n, 256, ww_u64 len, T start, T step, T* out) { ww_map(len, iota_map<T>{start, step, out}); }
WW_EACH_REAL(IOTA)
