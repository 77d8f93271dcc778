// out[i] = op x[i]. The output may be the input.

#define OPERATOR(NAME, EXPRESSION) \
    struct NAME { \
        template <class T> static WW_DEVICE T of(T x) { return EXPRESSION; } \
    };
OPERATOR(neg, ww_neg(x))
OPERATOR(abs_of, ww_abs(x))
OPERATOR(sqrt_of, ww_sqrt(x))
OPERATOR(conj_of, ww_conj(x))
OPERATOR(not_of, (T)~x)

template <class T, class OP> struct unary_map {
    static const int PACK = ww_pack_of<T>;
    const T* x;
    T* out;

    template <int N> struct operands {
        ww_pack<T, N> x;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return ww_packed<PACK>(x + i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {ww_load_pack<N>(x + i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = OP::of(held.x.at[j]);
        ww_store_pack<N>(out + i, result);
    }
};

#define KERNEL(NAME, OP, n, T) \
    WW_KERNEL(NAME##_##n, 256, ww_u64 len, const T* x, T* out) { ww_map(len, unary_map<T, OP>{x, out}); }
#define NEG(n, T) KERNEL(neg, neg, n, T)
#define ABS(n, T) KERNEL(abs, abs_of, n, T)
#define SQRT(n, T) KERNEL(sqrt, sqrt_of, n, T)
#define CONJ(n, T) KERNEL(conj, conj_of, n, T)
#define NOT(n, T) KERNEL(not, not_of, n, T)
WW_EACH_SIGNED_INTEGER(NEG)
WW_EACH_FLOAT(NEG)
WW_EACH_COMPLEX(NEG)
WW_EACH_SIGNED_INTEGER(ABS)
WW_EACH_FLOAT(ABS)
WW_EACH_FLOAT(SQRT)
WW_EACH_COMPLEX(CONJ)
WW_EACH_INTEGER(NOT)
