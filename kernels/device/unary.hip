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

#define KERNEL(NAME, OP, n, T) \
    WW_KERNEL(NAME##_##n, 256, ww_u64 len, const T* x, T* out) { ww_map(len, ww_unary_map<T, OP>{x, out}); }
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
