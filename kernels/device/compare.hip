// out[i] = a[i] op b[i], as 1 or 0; either operand is one value for all, if need be. The two comparisons the other way round are these
// with the operands swapped.

#define OPERATOR(NAME, EXPRESSION) \
    struct NAME { \
        template <class T> static WW_DEVICE bool of(T a, T b) { return EXPRESSION; } \
    };
OPERATOR(eq, ww_equal(a, b))
OPERATOR(ne, !ww_equal(a, b))
OPERATOR(lt, ww_less(a, b))
OPERATOR(le, ww_less_equal(a, b))

template <class T, class OP> struct compare_map {
    static const int PACK = ww_pack_of<T>;
    ww_source<T> a, b;
    ww_u8* out;

    template <int N> struct operands {
        ww_pack<T, N> a, b;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return a.template packed<PACK>(i) && b.template packed<PACK>(i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {a.template load<N>(i), b.template load<N>(i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<ww_u8, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = OP::of(held.a.at[j], held.b.at[j]) ? 1 : 0;
        ww_store_pack<N>(out + i, result);
    }
};

// Without a pointer an operand is its value.
#define KERNEL(NAME, n, T) \
    WW_KERNEL(NAME##_##n, 256, ww_u64 len, const T* a, T a_value, const T* b, T b_value, ww_u8* out) { \
        ww_map(len, compare_map<T, NAME>{{a, a_value}, {b, b_value}, out}); \
    }
#define EQ(n, T) KERNEL(eq, n, T)
#define NE(n, T) KERNEL(ne, n, T)
#define LT(n, T) KERNEL(lt, n, T)
#define LE(n, T) KERNEL(le, n, T)
WW_EACH(EQ)
WW_EACH(NE)
WW_EACH_REAL(LT)
WW_EACH_REAL(LE)
