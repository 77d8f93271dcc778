// out[i] = an elementary function of x[i], or a[i] to the power of b[i], either operand being one value for all. The output may be an
// input. The 16-bit floats are computed in float.

// Elements that go at once make 4 bytes, so that the loads of a warp fill lines of memory. More of them would be as many more copies of a
// function.
template <class T> constexpr int together = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

#define FUNCTION(NAME) \
    struct NAME##_of { \
        template <class T> static WW_DEVICE T of(T x) { return ww_narrow<T>(ww_##NAME(ww_widen(x))); } \
    };
FUNCTION(exp) FUNCTION(exp2) FUNCTION(expm1) FUNCTION(log) FUNCTION(log2) FUNCTION(log1p)
FUNCTION(sin) FUNCTION(cos) FUNCTION(sinpi) FUNCTION(cospi)
FUNCTION(tanh) FUNCTION(sigmoid) FUNCTION(erf) FUNCTION(rsqrt) FUNCTION(cbrt)
struct pow_of {
    template <class T> static WW_DEVICE T of(T a, T b) { return ww_narrow<T>(ww_pow(ww_widen(a), ww_widen(b))); }
};

#define KERNEL(NAME, n, T) \
    WW_KERNEL(NAME##_##n, 256, ww_u64 len, const T* x, T* out) { ww_map(len, ww_unary_map<T, NAME##_of, together<T>>{x, out}); }
// Without a pointer an operand is its value.
#define KERNELS(n, T) \
    KERNEL(exp, n, T) KERNEL(exp2, n, T) KERNEL(expm1, n, T) KERNEL(log, n, T) KERNEL(log2, n, T) KERNEL(log1p, n, T) \
    KERNEL(sin, n, T) KERNEL(cos, n, T) KERNEL(sinpi, n, T) KERNEL(cospi, n, T) \
    KERNEL(tanh, n, T) KERNEL(sigmoid, n, T) KERNEL(erf, n, T) KERNEL(rsqrt, n, T) KERNEL(cbrt, n, T) \
    WW_KERNEL(pow_##n, 256, ww_u64 len, const T* a, T a_value, const T* b, T b_value, T* out) { \
        ww_map(len, ww_binary_map<T, pow_of, together<T>>{{a, a_value}, {b, b_value}, out}); \
    }
WW_EACH_FLOAT(KERNELS)
