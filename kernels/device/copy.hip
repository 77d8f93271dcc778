// Copies by bits: one kernel for each width.

template <class T> struct copy_map {
    static const int PACK = ww_pack_of<T>;
    const T* x;
    T* out;

    template <int N> struct operands {
        ww_pack<T, N> x;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return ww_packed<PACK>(x + i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {ww_load_pack<N>(x + i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const { ww_store_pack<N>(out + i, held.x); }
};

#define COPY(n, T) \
    WW_KERNEL(copy_##n, 256, ww_u64 len, const T* x, T* out) { ww_map(len, copy_map<T>{x, out}); }
WW_EACH_WIDTH(COPY)
// `runs` lines of `run` elements, `ld` apart.
#define COPY_LINES(n, T) \
    WW_KERNEL(copy_lines_##n, 256, ww_u64 run, ww_u64 runs, ww_u32 log_width, const T* WW_RESTRICT x, ww_u64 ldx, T* WW_RESTRICT out, \
              ww_u64 ldo) { \
        ww_lines(run, runs, log_width, [=](ww_u64 line, ww_u64 i) { out[line * ldo + i] = x[line * ldx + i]; }); \
    }
WW_EACH_WIDTH(COPY_LINES)
