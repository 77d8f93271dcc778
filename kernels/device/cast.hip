// out[i] = x[i], converted.

template <class S, class D> struct cast_map {
    static const int PACK = ww_pack_of<S, D>;
    const S* x;
    D* out;

    template <int N> struct operands {
        ww_pack<S, N> x;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return ww_packed<PACK>(x + i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {ww_load_pack<N>(x + i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<D, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = ww_cast<D>(held.x.at[j]);
        ww_store_pack<N>(out + i, result);
    }
};

#define KERNEL(n, S, m, D) \
    WW_KERNEL(cast_##n##_##m, 256, ww_u64 len, const S* x, D* out) { ww_map(len, cast_map<S, D>{x, out}); }
// An instance for each type to a given one. Between integers the target has no sign.
#define TO_u8(n, S) KERNEL(n, S, u8, ww_u8)
#define TO_u16(n, S) KERNEL(n, S, u16, ww_u16)
#define TO_u32(n, S) KERNEL(n, S, u32, ww_u32)
#define TO_u64(n, S) KERNEL(n, S, u64, ww_u64)
#define TO_i8(n, S) KERNEL(n, S, i8, ww_i8)
#define TO_i16(n, S) KERNEL(n, S, i16, ww_i16)
#define TO_i32(n, S) KERNEL(n, S, i32, ww_i32)
#define TO_i64(n, S) KERNEL(n, S, i64, ww_i64)
#define TO_f32(n, S) KERNEL(n, S, f32, float)
#define TO_f64(n, S) KERNEL(n, S, f64, double)
#define TO_f16(n, S) KERNEL(n, S, f16, ww_f16)
#define TO_bf16(n, S) KERNEL(n, S, bf16, ww_bf16)
#define TO_c32(n, S) KERNEL(n, S, c32, ww_c32)
#define TO_c64(n, S) KERNEL(n, S, c64, ww_c64)
WW_EACH_REAL(TO_u8)
WW_EACH_REAL(TO_u16)
WW_EACH_REAL(TO_u32)
WW_EACH_REAL(TO_u64)
WW_EACH_FLOAT(TO_i8)
WW_EACH_FLOAT(TO_i16)
WW_EACH_FLOAT(TO_i32)
WW_EACH_FLOAT(TO_i64)
WW_EACH_REAL(TO_f32)
WW_EACH_REAL(TO_f64)
WW_EACH_REAL(TO_f16)
WW_EACH_REAL(TO_bf16)
WW_EACH(TO_c32)
WW_EACH(TO_c64)
