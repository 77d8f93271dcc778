// The numerics contract for kernels: line for line what `warpwave-core`'s module `numerics` defines, with the same bits.
//
// Every function is there for each type that has the operation. Floats: `float`, `double`, `ww_f16`, `ww_bf16`; complex numbers: `ww_c32`,
// `ww_c64`. Plain C operators and casts are for indices: a cast of a NaN or of what is out of range is undefined, NaNs differ.

// ---- NaN ----

// The value itself, or the canonical NaN. By the bits: for a compiler any NaN will do where a NaN is chosen, so it drops a choice that it
// can tell to be one.
WW_DEVICE float ww_canonical(float a) {
    return ww_from_bits((ww_bits(a) & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : ww_bits(a));
}
WW_DEVICE double ww_canonical(double a) {
    return ww_from_bits((ww_bits(a) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull ? 0x7ff8000000000000ull : ww_bits(a));
}
WW_DEVICE ww_f16 ww_canonical(ww_f16 a) { return {(ww_u16)((a.bits & 0x7fff) > 0x7c00 ? 0x7e00 : a.bits)}; }
WW_DEVICE ww_bf16 ww_canonical(ww_bf16 a) { return {(ww_u16)((a.bits & 0x7fff) > 0x7f80 ? 0x7fc0 : a.bits)}; }
template <class P> WW_DEVICE ww_complex<P> ww_canonical(ww_complex<P> a) { return {ww_canonical(a.re), ww_canonical(a.im)}; }
#define WW_X(T) WW_DEVICE T ww_canonical(T a) { return a; }
WW_X(ww_i8) WW_X(ww_u8) WW_X(ww_i16) WW_X(ww_u16) WW_X(ww_i32) WW_X(ww_u32) WW_X(ww_i64) WW_X(ww_u64)
#undef WW_X

// ---- What a type is ----

// kind: 0 unsigned, 1 signed, 2 float, 3 narrow float, 4 complex.
template <class T> struct ww_type;
#define WW_X(T, KIND, BITS) \
    template <> struct ww_type<T> { \
        static const int kind = KIND; \
        typedef BITS bits; \
    };
WW_X(ww_u8, 0, ww_u8) WW_X(ww_u16, 0, ww_u16) WW_X(ww_u32, 0, ww_u32) WW_X(ww_u64, 0, ww_u64)
WW_X(ww_i8, 1, ww_u8) WW_X(ww_i16, 1, ww_u16) WW_X(ww_i32, 1, ww_u32) WW_X(ww_i64, 1, ww_u64)
WW_X(float, 2, ww_u32) WW_X(double, 2, ww_u64) WW_X(ww_f16, 3, ww_u16) WW_X(ww_bf16, 3, ww_u16)
WW_X(ww_c32, 4, ww_u64) WW_X(ww_c64, 4, ww_bytes16)
#undef WW_X
template <class T> constexpr bool ww_is_integer = ww_type<T>::kind < 2;
template <class T> constexpr bool ww_is_signed = ww_type<T>::kind == 1;
template <class T> constexpr bool ww_is_float = ww_type<T>::kind == 2;
template <class T> constexpr bool ww_is_narrow = ww_type<T>::kind == 3;
template <class T> constexpr bool ww_is_complex = ww_type<T>::kind == 4;
template <class A, class B> struct ww_same { static const bool value = false; };
template <class A> struct ww_same<A, A> { static const bool value = true; };

// The type in which sums are kept: `float` for the 16-bit floats, else the type itself.
template <class T> struct ww_acc_of { typedef T type; };
template <> struct ww_acc_of<ww_f16> { typedef float type; };
template <> struct ww_acc_of<ww_bf16> { typedef float type; };
template <class T> using ww_acc = typename ww_acc_of<T>::type;
// The type of a magnitude.
template <class T> struct ww_magnitude_of { typedef T type; };
template <class P> struct ww_magnitude_of<ww_complex<P>> { typedef P type; };
template <class T> using ww_magnitude = typename ww_magnitude_of<T>::type;

// ---- 16-bit floats ----

WW_DEVICE float ww_widen(ww_f16 x) {
    const ww_u32 rebias = (127 - 15) << 23;
    const ww_u32 magnitude = (ww_u32)(x.bits & 0x7fff) << 13, normal = magnitude + rebias;
    // A denormal m · 2^-24 is the difference of two normal numbers, 2^-14 + m · 2^-24 and 2^-14.
    const ww_u32 denormal = ww_bits(ww_from_bits(normal + (1u << 23)) - ww_from_bits((ww_u32)(127 - 14) << 23));
    const ww_u32 finite = magnitude < 1u << 23 ? denormal : normal;
    const ww_u32 result = magnitude >= 0x0f800000u ? normal + rebias : finite;
    return ww_from_bits(result | (ww_u32)(x.bits & 0x8000) << 16);
}
WW_DEVICE float ww_widen(ww_bf16 x) { return ww_from_bits((ww_u32)x.bits << 16); }
template <class T> WW_DEVICE T ww_widen(T x) { return x; }

// Rounds `x`, with P fraction bits and bias B, to a 16-bit type with M fraction bits and bias S.
template <int P, int B, int M, int S, class F, class U> WW_DEVICE ww_u16 ww_round_narrow(F x, U, ww_u16 nan) {
    const int shift = P - M;
    const U infinity = (U)(2 * B + 1) << P, too_large = (U)(B + S + 1) << P, smallest_normal = (U)(B + 1 - S) << P;
    const U align = (U)(B + 1 - S - M + P) << P;
    const U bits = ww_bits(x), magnitude = bits & (~(U)0 >> 1);
    const ww_u16 sign = (ww_u16)((bits >> (sizeof(U) * 8 - 16)) & 0x8000);
    const U odd = (magnitude >> shift) & 1;
    const U normal = (magnitude - ((U)(B - S) << P) + (((U)1 << (shift - 1)) - 1 + odd)) >> shift;
    const U denormal = ww_bits(ww_from_bits(magnitude) + ww_from_bits(align)) - align;
    const U finite = magnitude < smallest_normal ? denormal : normal;
    const U result = magnitude >= too_large ? (U)(2 * S + 1) << M : finite;
    return magnitude > infinity ? nan : (ww_u16)((ww_u16)result | sign);
}
WW_DEVICE ww_f16 ww_to_f16(float x) { return {ww_round_narrow<23, 127, 10, 15>(x, (ww_u32)0, 0x7e00)}; }
WW_DEVICE ww_f16 ww_to_f16(double x) { return {ww_round_narrow<52, 1023, 10, 15>(x, (ww_u64)0, 0x7e00)}; }
WW_DEVICE ww_bf16 ww_to_bf16(double x) { return {ww_round_narrow<52, 1023, 7, 127>(x, (ww_u64)0, 0x7fc0)}; }
WW_DEVICE ww_bf16 ww_to_bf16(float x) {
    const ww_u32 bits = ww_bits(x);
    const ww_u32 rounded = (bits + (0x7fff + ((bits >> 16) & 1))) >> 16;
    return {(ww_u16)((bits & 0x7fffffff) > 0x7f800000u ? 0x7fc0 : rounded)};
}
// A double that rounds to 16-bit floats as `x` itself does.
WW_DEVICE double ww_sticky(ww_u64 x) { return (double)(x >> 53 == 0 ? x : ((x >> 11) | ((x & 0x7ff) != 0 ? 1ull : 0ull)) << 11); }

// From the type in which sums are kept: rounds once, and makes a NaN canonical.
template <class T> struct ww_narrowing {
    static WW_DEVICE T of(T x) { return ww_canonical(x); }
};
template <> struct ww_narrowing<ww_f16> {
    static WW_DEVICE ww_f16 of(float x) { return ww_to_f16(x); }
};
template <> struct ww_narrowing<ww_bf16> {
    static WW_DEVICE ww_bf16 of(float x) { return ww_to_bf16(x); }
};
template <class T> WW_DEVICE T ww_narrow(ww_acc<T> x) { return ww_narrowing<T>::of(x); }

// ---- Arithmetic ----

template <class T> WW_DEVICE T ww_zero() { return T{}; }
template <class T> WW_DEVICE T ww_one();
#define WW_X(T) template <> WW_DEVICE T ww_one<T>() { return (T)1; }
WW_X(ww_i8) WW_X(ww_u8) WW_X(ww_i16) WW_X(ww_u16) WW_X(ww_i32) WW_X(ww_u32) WW_X(ww_i64) WW_X(ww_u64) WW_X(float) WW_X(double)
#undef WW_X
template <> WW_DEVICE ww_f16 ww_one<ww_f16>() { return {0x3c00}; }
template <> WW_DEVICE ww_bf16 ww_one<ww_bf16>() { return {0x3f80}; }
template <> WW_DEVICE ww_c32 ww_one<ww_c32>() { return {1, 0}; }
template <> WW_DEVICE ww_c64 ww_one<ww_c64>() { return {1, 0}; }

// Addition, subtraction, multiplication: rounded once for floats, wrapping for integers, by parts for complex sums.
#define WW_X(NAME, OP) \
    template <class T> WW_DEVICE T NAME(T a, T b) { \
        if constexpr (ww_is_integer<T>) { \
            typedef typename ww_type<T>::bits U; \
            /* Wider than the type, so that nothing is promoted to a signed one. */ \
            return (T)(U)((ww_u64)(U)a OP (ww_u64)(U)b); \
        } else if constexpr (ww_is_narrow<T>) { \
            return ww_narrow<T>(ww_widen(a) OP ww_widen(b)); \
        } else { \
            return ww_canonical(a OP b); \
        } \
    }
WW_X(ww_mul, *)
#undef WW_X
#define WW_X(NAME, OP) \
    template <class T> WW_DEVICE T NAME(T a, T b) { \
        if constexpr (ww_is_integer<T>) { \
            typedef typename ww_type<T>::bits U; \
            return (T)(U)((ww_u64)(U)a OP (ww_u64)(U)b); \
        } else if constexpr (ww_is_narrow<T>) { \
            return ww_narrow<T>(ww_widen(a) OP ww_widen(b)); \
        } else if constexpr (ww_is_complex<T>) { \
            return ww_canonical(T{a.re OP b.re, a.im OP b.im}); \
        } else { \
            return ww_canonical(a OP b); \
        } \
    }
WW_X(ww_add, +) WW_X(ww_sub, -)
#undef WW_X
template <class P> WW_DEVICE ww_complex<P> ww_mul(ww_complex<P> a, ww_complex<P> b) {
    return ww_canonical(ww_complex<P>{ww_fma(-a.im, b.im, a.re * b.re), ww_fma(a.im, b.re, a.re * b.im)});
}

template <class T> WW_DEVICE T ww_div(T a, T b) {
    if constexpr (ww_is_integer<T>) {
        if (b == 0) return 0;
        if constexpr (ww_is_signed<T>) {
            // The smallest number by −1 is itself; so is every other number's negative.
            if (b == -1) return ww_sub((T)0, a);
        }
        return (T)(a / b);
    } else if constexpr (ww_is_narrow<T>) {
        return ww_narrow<T>(ww_widen(a) / ww_widen(b));
    } else {
        return ww_canonical(a / b);
    }
}
// The limits of a float that the quotient below needs: the smallest normal number, half of the largest, and 1/ε.
template <class P> struct ww_quotient_limits;
template <> struct ww_quotient_limits<float> {
    static WW_DEVICE float smallest() { return ww_from_bits((ww_u32)0x00800000); }
    static WW_DEVICE float large() { return ww_from_bits((ww_u32)0x7effffff); }
    static WW_DEVICE float scale() { return 8388608.0f; }
};
template <> struct ww_quotient_limits<double> {
    static WW_DEVICE double smallest() { return ww_from_bits((ww_u64)0x0010000000000000ull); }
    static WW_DEVICE double large() { return ww_from_bits((ww_u64)0x7fdfffffffffffffull); }
    static WW_DEVICE double scale() { return 4503599627370496.0; }
};
// By Smith's method, with divisors at the ends of the range scaled.
template <class P> WW_DEVICE ww_complex<P> ww_div(ww_complex<P> a, ww_complex<P> b) {
    typedef ww_quotient_limits<P> L;
    const P re = ww_from_bits(ww_bits(b.re) << 1 >> 1), im = ww_from_bits(ww_bits(b.im) << 1 >> 1);
    const bool by_real = re >= im;
    const P large = by_real ? b.re : b.im, small = by_real ? b.im : b.re, size = by_real ? re : im;
    const bool tiny = size < L::smallest(), huge = size > L::large();
    const P before = huge ? (P)0.5 : (P)1, scale = tiny ? L::scale() : before, after = tiny ? L::scale() : (P)1;
    const P ratio = small / large, denominator = ww_fma(small * scale, ratio, large * scale);
    const P x = a.re * before, y = a.im * before;
    const P up = by_real ? ww_fma(y, ratio, x) : ww_fma(x, ratio, y), down = by_real ? ww_fma(-x, ratio, y) : ww_fma(y, ratio, -x);
    return ww_canonical(ww_complex<P>{up / denominator * after, down / denominator * after});
}
template <class T> WW_DEVICE T ww_rem(T a, T b) {
    if (b == 0) return a;
    if constexpr (ww_is_signed<T>) {
        if (b == -1) return 0;
    }
    return (T)(a % b);
}
template <class T> WW_DEVICE T ww_sqrt(T a) {
    if constexpr (ww_is_narrow<T>) {
        return ww_narrow<T>(ww_sqrt_rn(ww_widen(a)));
    } else {
        return ww_canonical(ww_sqrt_rn(a));
    }
}

// Operations on bits: a NaN's sign and payload go with them.
WW_DEVICE float ww_neg(float a) { return ww_from_bits(ww_bits(a) ^ 0x80000000u); }
WW_DEVICE double ww_neg(double a) { return ww_from_bits(ww_bits(a) ^ 0x8000000000000000ull); }
WW_DEVICE ww_f16 ww_neg(ww_f16 a) { return {(ww_u16)(a.bits ^ 0x8000)}; }
WW_DEVICE ww_bf16 ww_neg(ww_bf16 a) { return {(ww_u16)(a.bits ^ 0x8000)}; }
template <class P> WW_DEVICE ww_complex<P> ww_neg(ww_complex<P> a) { return {ww_neg(a.re), ww_neg(a.im)}; }
template <class T> WW_DEVICE T ww_neg(T a) { return ww_sub((T)0, a); }
WW_DEVICE float ww_abs(float a) { return ww_from_bits(ww_bits(a) & 0x7fffffffu); }
WW_DEVICE double ww_abs(double a) { return ww_from_bits(ww_bits(a) & 0x7fffffffffffffffull); }
WW_DEVICE ww_f16 ww_abs(ww_f16 a) { return {(ww_u16)(a.bits & 0x7fff)}; }
WW_DEVICE ww_bf16 ww_abs(ww_bf16 a) { return {(ww_u16)(a.bits & 0x7fff)}; }
template <class T> WW_DEVICE T ww_abs(T a) { return a < 0 ? ww_neg(a) : a; }
template <class P> WW_DEVICE ww_complex<P> ww_conj(ww_complex<P> a) { return {a.re, ww_neg(a.im)}; }
template <class T> WW_DEVICE T ww_conj(T a) { return a; }

// ---- Comparison ----

template <class T> WW_DEVICE bool ww_equal(T a, T b) {
    if constexpr (ww_is_narrow<T>) return ww_widen(a) == ww_widen(b);
    else if constexpr (ww_is_complex<T>) return a.re == b.re && a.im == b.im;
    else return a == b;
}
template <class T> WW_DEVICE bool ww_less(T a, T b) { return ww_widen(a) < ww_widen(b); }
template <class T> WW_DEVICE bool ww_less_equal(T a, T b) { return ww_widen(a) <= ww_widen(b); }
template <class T> WW_DEVICE bool ww_is_nan(T a) { return !ww_equal(a, a); }

// −0 is smaller than +0. `ww_minimum` and `ww_maximum` are NaN if either is; for the others a NaN loses.
template <class T> WW_DEVICE T ww_minimum(T a, T b) {
    if constexpr (ww_is_integer<T>) return b < a ? b : a;
    else if constexpr (ww_is_narrow<T>) return ww_narrow<T>(ww_minimum(ww_widen(a), ww_widen(b)));
    else {
        const T equal = ww_from_bits(ww_bits(a) | ww_bits(b));
        const T ordered = a == b ? equal : a < b ? a : b;
        return a != a || b != b ? ww_canonical(a + b) : ordered;
    }
}
template <class T> WW_DEVICE T ww_maximum(T a, T b) {
    if constexpr (ww_is_integer<T>) return b > a ? b : a;
    else if constexpr (ww_is_narrow<T>) return ww_narrow<T>(ww_maximum(ww_widen(a), ww_widen(b)));
    else {
        const T equal = ww_from_bits(ww_bits(a) & ww_bits(b));
        const T ordered = a == b ? equal : a > b ? a : b;
        return a != a || b != b ? ww_canonical(a + b) : ordered;
    }
}
template <class T> WW_DEVICE T ww_minimum_number(T a, T b) {
    if constexpr (ww_is_integer<T>) return ww_minimum(a, b);
    else if constexpr (ww_is_narrow<T>) return ww_narrow<T>(ww_minimum_number(ww_widen(a), ww_widen(b)));
    else return ww_canonical(a != a ? b : b != b ? a : ww_minimum(a, b));
}
template <class T> WW_DEVICE T ww_maximum_number(T a, T b) {
    if constexpr (ww_is_integer<T>) return ww_maximum(a, b);
    else if constexpr (ww_is_narrow<T>) return ww_narrow<T>(ww_maximum_number(ww_widen(a), ww_widen(b)));
    else return ww_canonical(a != a ? b : b != b ? a : ww_maximum(a, b));
}
// What the largest, and the smallest, of nothing is.
template <class T> WW_DEVICE T ww_least() {
    typedef typename ww_type<T>::bits U;
    if constexpr (ww_is_signed<T>) return (T)((U)1 << (sizeof(T) * 8 - 1));
    else if constexpr (ww_is_integer<T>) return 0;
    else if constexpr (ww_same<T, float>::value) return ww_from_bits((ww_u32)0xff800000u);
    else if constexpr (ww_same<T, double>::value) return ww_from_bits((ww_u64)0xfff0000000000000ull);
    else return T{(ww_u16)(ww_same<T, ww_f16>::value ? 0xfc00 : 0xff80)};
}
template <class T> WW_DEVICE T ww_greatest() {
    typedef typename ww_type<T>::bits U;
    if constexpr (ww_is_signed<T>) return (T)((U)~(U)0 >> 1);
    else if constexpr (ww_is_integer<T>) return (T)~(U)0;
    else return ww_neg(ww_least<T>());
}

// ---- Integers ----

// The count is taken as unsigned; from the width on, what is shifted out leaves 0, or the sign.
template <class T> WW_DEVICE T ww_shl(T a, T b) {
    typedef typename ww_type<T>::bits U;
    const U count = (U)b;
    return count < sizeof(T) * 8 ? (T)(U)((ww_u64)(U)a << count) : (T)0;
}
template <class T> WW_DEVICE T ww_shr(T a, T b) {
    typedef typename ww_type<T>::bits U;
    const U count = (U)b;
    const U most = sizeof(T) * 8 - 1;
    if constexpr (ww_is_signed<T>) return (T)(a >> (count < most ? count : most));
    else return count <= most ? (T)(a >> count) : (T)0;
}

// ---- Conversions ----

// Truncated, clamped to the range, NaN to 0. Made of selects: a branch for each element of a pack would keep packs in memory.
template <class D, class F> WW_DEVICE D ww_float_to_integer(F x) {
    // The first power of two past the range is a float; the range's end itself need not be one.
    const int width = (int)sizeof(D) * 8 - (ww_is_signed<D> ? 1 : 0);
    const F end = (F)((ww_u64)1 << (width - 1)) * (F)2;
    const F low = ww_is_signed<D> ? -end : (F)0;
    const bool within = x >= low && x < end;
    const F inside = within ? x : (F)0;
    D result;
    if constexpr (ww_is_signed<D> && sizeof(D) == 8) result = (D)(ww_i64)inside;
    else if constexpr (sizeof(D) == 8) result = (D)(ww_u64)inside;
    else if constexpr (ww_is_signed<D> || sizeof(D) < 4) result = (D)(ww_i32)inside;
    else result = (D)(ww_u32)inside;
    result = x < low ? ww_least<D>() : result;
    return x >= end ? ww_greatest<D>() : result;
}

// Each rounds once. A complex number does not convert to a real one.
template <class D, class S> WW_DEVICE D ww_cast(S x) {
    if constexpr (ww_same<D, S>::value) return x;
    else if constexpr (ww_is_complex<D>) {
        typedef ww_magnitude<D> P;
        if constexpr (ww_is_complex<S>) return {ww_cast<P>(x.re), ww_cast<P>(x.im)};
        else return {ww_cast<P>(x), (P)0};
    } else if constexpr (ww_is_integer<D>) {
        if constexpr (ww_is_integer<S>) return (D)x;
        else return ww_float_to_integer<D>(ww_widen(x));
    } else if constexpr (ww_is_float<D>) {
        if constexpr (ww_is_integer<S>) return (D)x;
        else return ww_canonical((D)ww_widen(x));
    } else {
        // A 16-bit float.
        auto round = [](auto wide) {
            if constexpr (ww_same<D, ww_f16>::value) return ww_to_f16(wide);
            else return ww_to_bf16(wide);
        };
        if constexpr (!ww_is_integer<S>) return round(ww_widen(x));
        else if constexpr (sizeof(S) <= 2) return round((float)x);
        else if constexpr (sizeof(S) == 4) return round((double)x);
        else if constexpr (!ww_is_signed<S>) return round(ww_sticky(x));
        else {
            const D magnitude = round(ww_sticky(x < 0 ? (ww_u64)0 - (ww_u64)x : (ww_u64)x));
            return D{(ww_u16)(magnitude.bits | (x < 0 ? 0x8000 : 0))};
        }
    }
}

// Element `i` of `start, start + step, …`.
template <class T> WW_DEVICE T ww_iota(T start, T step, ww_u64 i) {
    if constexpr (ww_is_integer<T>) return ww_add(start, ww_mul((T)i, step));
    else return ww_narrow<T>(ww_fma((ww_acc<T>)i, ww_widen(step), ww_widen(start)));
}

// ---- Order ----

// The place of a value in the order that sorting goes by.
template <class T> WW_DEVICE typename ww_type<T>::bits ww_sort_key(T x) {
    typedef typename ww_type<T>::bits U;
    const U sign = (U)((U)1 << (sizeof(U) * 8 - 1));
    if constexpr (ww_is_signed<T>) return (U)((U)x ^ sign);
    else if constexpr (ww_is_integer<T>) return x;
    else {
        U bits;
        if constexpr (ww_is_narrow<T>) bits = x.bits;
        else bits = ww_bits(x);
        const U ordered = (U)((bits & sign) != 0 ? (U)~bits : (U)(bits | sign));
        return ww_is_nan(x) ? (U)~(U)0 : ordered;
    }
}

// ---- Chains of products ----

// `a · b + c`, fused; the real parts of complex products first.
template <class P> WW_DEVICE ww_complex<P> ww_fma(ww_complex<P> a, ww_complex<P> b, ww_complex<P> c) {
    return {ww_fma(-a.im, b.im, ww_fma(a.re, b.re, c.re)), ww_fma(a.im, b.re, ww_fma(a.re, b.im, c.im))};
}
// The sum of two partial results inside a chain, where the bits of a NaN do not matter.
WW_DEVICE float ww_plus(float a, float b) { return a + b; }
WW_DEVICE double ww_plus(double a, double b) { return a + b; }
template <class P> WW_DEVICE ww_complex<P> ww_plus(ww_complex<P> a, ww_complex<P> b) { return {a.re + b.re, a.im + b.im}; }

// ---- Instances ----

// `WW_EACH_REAL(X)` is `X(f32, float)` and so on for each real type. Where a text is compiled for some types only, to be quick at run time,
// WW_SOME is defined, and WW_TYPE_f32 … as 1 for those.
#if !defined(WW_SOME)
#define WW_TYPE_u8 1
#define WW_TYPE_u16 1
#define WW_TYPE_u32 1
#define WW_TYPE_u64 1
#define WW_TYPE_i8 1
#define WW_TYPE_i16 1
#define WW_TYPE_i32 1
#define WW_TYPE_i64 1
#define WW_TYPE_f32 1
#define WW_TYPE_f64 1
#define WW_TYPE_f16 1
#define WW_TYPE_bf16 1
#define WW_TYPE_c32 1
#define WW_TYPE_c64 1
#endif
#if defined(WW_TYPE_u8)
#define WW_X_u8(X) X(u8, ww_u8)
#else
#define WW_X_u8(X)
#endif
#if defined(WW_TYPE_u16)
#define WW_X_u16(X) X(u16, ww_u16)
#else
#define WW_X_u16(X)
#endif
#if defined(WW_TYPE_u32)
#define WW_X_u32(X) X(u32, ww_u32)
#else
#define WW_X_u32(X)
#endif
#if defined(WW_TYPE_u64)
#define WW_X_u64(X) X(u64, ww_u64)
#else
#define WW_X_u64(X)
#endif
#if defined(WW_TYPE_i8)
#define WW_X_i8(X) X(i8, ww_i8)
#else
#define WW_X_i8(X)
#endif
#if defined(WW_TYPE_i16)
#define WW_X_i16(X) X(i16, ww_i16)
#else
#define WW_X_i16(X)
#endif
#if defined(WW_TYPE_i32)
#define WW_X_i32(X) X(i32, ww_i32)
#else
#define WW_X_i32(X)
#endif
#if defined(WW_TYPE_i64)
#define WW_X_i64(X) X(i64, ww_i64)
#else
#define WW_X_i64(X)
#endif
#if defined(WW_TYPE_f32)
#define WW_X_f32(X) X(f32, float)
#else
#define WW_X_f32(X)
#endif
#if defined(WW_TYPE_f64)
#define WW_X_f64(X) X(f64, double)
#else
#define WW_X_f64(X)
#endif
#if defined(WW_TYPE_f16)
#define WW_X_f16(X) X(f16, ww_f16)
#else
#define WW_X_f16(X)
#endif
#if defined(WW_TYPE_bf16)
#define WW_X_bf16(X) X(bf16, ww_bf16)
#else
#define WW_X_bf16(X)
#endif
#if defined(WW_TYPE_c32)
#define WW_X_c32(X) X(c32, ww_c32)
#else
#define WW_X_c32(X)
#endif
#if defined(WW_TYPE_c64)
#define WW_X_c64(X) X(c64, ww_c64)
#else
#define WW_X_c64(X)
#endif
// 16 bytes, under the name of the element type of that width.
#if defined(WW_TYPE_c64)
#define WW_X_bytes16(X) X(c64, ww_bytes16)
#else
#define WW_X_bytes16(X)
#endif
#define WW_EACH_UNSIGNED(X) WW_X_u8(X) WW_X_u16(X) WW_X_u32(X) WW_X_u64(X)
#define WW_EACH_SIGNED_INTEGER(X) WW_X_i8(X) WW_X_i16(X) WW_X_i32(X) WW_X_i64(X)
#define WW_EACH_INTEGER(X) WW_EACH_UNSIGNED(X) WW_EACH_SIGNED_INTEGER(X)
#define WW_EACH_FLOAT(X) WW_X_f32(X) WW_X_f64(X) WW_X_f16(X) WW_X_bf16(X)
#define WW_EACH_COMPLEX(X) WW_X_c32(X) WW_X_c64(X)
#define WW_EACH_REAL(X) WW_EACH_INTEGER(X) WW_EACH_FLOAT(X)
#define WW_EACH(X) WW_EACH_REAL(X) WW_EACH_COMPLEX(X)
// The types of BLAS, and those of `gemm`.
#define WW_EACH_BLAS(X) WW_X_f32(X) WW_X_f64(X) WW_X_c32(X) WW_X_c64(X)
#define WW_EACH_GEMM(X) WW_X_f32(X) WW_X_f64(X) WW_X_f16(X) WW_X_bf16(X) WW_X_c32(X) WW_X_c64(X)
// A type for each width: for kernels that move bits.
#define WW_EACH_WIDTH(X) WW_EACH_UNSIGNED(X) WW_X_bytes16(X)
