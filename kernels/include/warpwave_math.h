// Elementary functions: the same operations in the same order as `core/src/numerics/math`, and so the same bits. That page has the
// errors, the special values and the sources; change both together.
//
// Needs `warpwave.h` before it, and a compiler that contracts nothing (`--fmad=false`, `-ffp-contract=off`), keeps denormals, and
// divides as IEEE 754 says.

#define WW_MATH_INFINITY32 ww_from_bits(0x7f800000u)
#define WW_MATH_INFINITY64 ww_from_bits(0x7ff0000000000000ull)

// The sign bit cleared.
WW_DEVICE float ww_math_abs(float x) {
    return ww_from_bits(ww_bits(x) & 0x7fffffffu);
}

// As ww_math_abs.
WW_DEVICE double ww_math_abs(double x) {
    return ww_from_bits(ww_bits(x) & 0x7fffffffffffffffull);
}

// What the functions share: polynomials, powers of two, exact sums.
#define WW_MATH_NAN32 ww_from_bits(0x7fc00000u)
#define WW_MATH_NAN64 ww_from_bits(0x7ff8000000000000ull)
// ln 2 in two parts, and in two parts of which the first, times an exponent, is exact.
#define WW_MATH_LN2_HI32 0.6931472f
#define WW_MATH_LN2_LO32 (-1.9046542e-9f)
#define WW_MATH_LN2_SHORT32 0.69314575f
#define WW_MATH_LN2_REST32 1.4286068e-6f
#define WW_MATH_LN2_HI64 0.6931471805599453
#define WW_MATH_LN2_LO64 2.3190468138462996e-17
#define WW_MATH_LN2_SHORT64 0.6931471805598903
#define WW_MATH_LN2_REST64 5.497923018708371e-14
// 1/ln 2 in two parts.
#define WW_MATH_LOG2E_HI32 1.442695f
#define WW_MATH_LOG2E_LO32 1.925963e-8f
#define WW_MATH_LOG2E_HI64 1.4426950408889634
#define WW_MATH_LOG2E_LO64 2.0355273740931033e-17
// 1.5 · 2^23 and 1.5 · 2^52: adding one rounds a smaller number to an integer, which is then in the low bits of the sum.
#define WW_MATH_ROUND32 12582912.0f
#define WW_MATH_ROUND64 6755399441055744.0

// 2^n, for the exponents of normal numbers. Others give some number, and do no harm.
WW_DEVICE float ww_math_power_of_two(ww_i32 n) {
    return ww_from_bits(((ww_u32)(n + 127)) << 23);
}

// As ww_math_power_of_two.
WW_DEVICE double ww_math_power_of_two(ww_i64 n) {
    return ww_from_bits(((ww_u64)(n + 1023)) << 52);
}

// `x` · 2^n for `x` near 1, rounded once, with n from −252 to 254.
WW_DEVICE float ww_math_scale(float x, ww_i32 n) {
    ww_i32 half = n >> 1;
    return x * ww_math_power_of_two(half) * ww_math_power_of_two(n - half);
}

// `x` · 2^n for `x` near 1, rounded once, with n from −2044 to 2046.
WW_DEVICE double ww_math_scale(double x, ww_i64 n) {
    // An unsigned shift, because AVX2 has no signed one for 64 bits.
    ww_i64 half = ((ww_i64)(((ww_u64)(n + 4096)) >> 1)) - 2048;
    return x * ww_math_power_of_two(half) * ww_math_power_of_two(n - half);
}

// `a + b`, and what its rounding lost (Knuth's TwoSum).
WW_DEVICE void ww_math_two_sum(float a, float b, float& out_sum, float& out_rest) {
    float sum = a + b;
    float part = sum - a;
    float rest = (a - (sum - part)) + (b - part);
    out_sum = sum;
    out_rest = rest;
}

// As ww_math_two_sum.
WW_DEVICE void ww_math_two_sum(double a, double b, double& out_sum, double& out_rest) {
    double sum = a + b;
    double part = sum - a;
    double rest = (a - (sum - part)) + (b - part);
    out_sum = sum;
    out_rest = rest;
}

// `magnitude`, not negative, with the sign of `sign`.
WW_DEVICE float ww_math_with_sign(float magnitude, float sign) {
    return ww_from_bits(ww_bits(magnitude) | (ww_bits(sign) & 0x80000000u));
}

// As ww_math_with_sign.
WW_DEVICE double ww_math_with_sign(double magnitude, double sign) {
    return ww_from_bits(ww_bits(magnitude) | (ww_bits(sign) & 0x8000000000000000ull));
}

// Exponentials.
//
// e^x = 2^n · e^r with n = round(x / ln 2), where x − n · ln 2 loses nothing: ln 2 comes in two parts (W. J. Cody and W. Waite,
// "Software Manual for the Elementary Functions", 1980), and an `fma` makes the first difference exact.
//
// Arguments are clamped to where the result still changes, in a way that also replaces a NaN by a number; so the compiler cannot
// take the choice of the canonical NaN at the end for superfluous.

// n, and e^r − 1 as a sum of two numbers, for `x + rest` = n · ln 2 + r; `x` finite and within the range of `exp`.
WW_DEVICE void ww_math_exp_parts(float x, float rest, ww_i32& out_n, float& out_hi, float& out_lo) {
    float shifted = ww_fma(x, WW_MATH_LOG2E_HI32, WW_MATH_ROUND32);
    ww_i32 n = (ww_i32)(ww_bits(shifted) - ww_bits(WW_MATH_ROUND32));
    float k = shifted - WW_MATH_ROUND32;
    float head = ww_fma(k, -WW_MATH_LN2_HI32, x);
    float tail = ww_fma(k, -WW_MATH_LN2_LO32, rest);
    float r = head + tail;
    float low = (head - r) + tail;
    float r2 = r * r;
    float q = ww_fma(r, 0.00019767026f, 0.0013933228f);
    q = ww_fma(r2, q, ww_fma(r, 0.008333541f, 0.041666485f));
    q = ww_fma(r2, q, ww_fma(r, 0.16666666f, 0.5f));
    out_n = n;
    out_hi = r;
    out_lo = ww_fma(r2, q, low);
}

// As ww_math_exp_parts.
WW_DEVICE void ww_math_exp_parts(double x, double rest, ww_i64& out_n, double& out_hi, double& out_lo) {
    double shifted = ww_fma(x, WW_MATH_LOG2E_HI64, WW_MATH_ROUND64);
    ww_i64 n = (ww_i64)(ww_bits(shifted) - ww_bits(WW_MATH_ROUND64));
    double k = shifted - WW_MATH_ROUND64;
    double head = ww_fma(k, -WW_MATH_LN2_HI64, x);
    double tail = ww_fma(k, -WW_MATH_LN2_LO64, rest);
    double r = head + tail;
    double low = (head - r) + tail;
    double r2 = r * r;
    double q = 2.087977200392417e-9;
    q = ww_fma(r2, q, ww_fma(r, 2.5109857805413178e-8, 2.7557386586957743e-7));
    q = ww_fma(r2, q, ww_fma(r, 2.7557242180570673e-6, 2.480158719642029e-5));
    q = ww_fma(r2, q, ww_fma(r, 0.00019841269887759563, 0.0013888888888944392));
    q = ww_fma(r2, q, ww_fma(r, 0.008333333333321171, 0.041666666666666574));
    q = ww_fma(r2, q, ww_fma(r, 0.16666666666666677, 0.5));
    // What is left of r, times the derivative.
    out_n = n;
    out_hi = r;
    out_lo = ww_fma(r2, q, ww_fma(low, r, low));
}

// e^x.
WW_DEVICE float ww_exp(float x) {
    float y = (x > -104.0f) ? x : -104.0f;
    y = (y > 89.0f) ? 89.0f : y;
    ww_i32 n;
    float hi, lo;
    ww_math_exp_parts(y, 0.0f, n, hi, lo);
    float result = ww_math_scale(1.0f + (hi + lo), n);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_exp.
WW_DEVICE double ww_exp(double x) {
    double y = (x > -746.0) ? x : -746.0;
    y = (y > 710.0) ? 710.0 : y;
    ww_i64 n;
    double hi, lo;
    ww_math_exp_parts(y, 0.0, n, hi, lo);
    double result = ww_math_scale(1.0 + (hi + lo), n);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// 2^x.
WW_DEVICE float ww_exp2(float x) {
    float y = (x > -151.0f) ? x : -151.0f;
    y = (y > 129.0f) ? 129.0f : y;
    float shifted = y + WW_MATH_ROUND32;
    ww_i32 n = (ww_i32)(ww_bits(shifted) - ww_bits(WW_MATH_ROUND32));
    float r = y - (shifted - WW_MATH_ROUND32);
    float r2 = r * r;
    float q = 0.00015457954f;
    q = ww_fma(r2, q, ww_fma(r, 0.0013390376f, 0.009618074f));
    q = ww_fma(r2, q, ww_fma(r, 0.055503618f, 0.2402265f));
    float result = ww_math_scale(1.0f + ww_fma(r, WW_MATH_LN2_HI32, r2 * q), n);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_exp2.
WW_DEVICE double ww_exp2(double x) {
    double y = (x > -1076.0) ? x : -1076.0;
    y = (y > 1025.0) ? 1025.0 : y;
    double shifted = y + WW_MATH_ROUND64;
    ww_i64 n = (ww_i64)(ww_bits(shifted) - ww_bits(WW_MATH_ROUND64));
    double r = y - (shifted - WW_MATH_ROUND64);
    double r2 = r * r;
    double q = ww_fma(r, 4.456343064741507e-10, 7.073860581549192e-9);
    q = ww_fma(r2, q, ww_fma(r, 1.0178053838175187e-7, 1.3215434814021518e-6));
    q = ww_fma(r2, q, ww_fma(r, 1.5252733848454711e-5, 0.00015403530458086385));
    q = ww_fma(r2, q, ww_fma(r, 0.0013333558146400855, 0.009618129107593326));
    q = ww_fma(r2, q, ww_fma(r, 0.05550410866482164, 0.24022650695910133));
    double result = ww_math_scale(1.0 + ww_fma(r, WW_MATH_LN2_HI64, r2 * q), n);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// e^x − 1.
WW_DEVICE float ww_expm1(float x) {
    float y = (x > -20.0f) ? x : -20.0f;
    y = (y > 89.0f) ? 89.0f : y;
    ww_i32 n;
    float hi, lo;
    ww_math_exp_parts(y, 0.0f, n, hi, lo);
    // Half the result, lest 2^128 overflow: t · (1 + hi + lo) − ½ with t = 2^(n−1).
    float t = ww_math_power_of_two(n - 1);
    float base = t - 0.5f;
    float base_rest = (t - base) - 0.5f;
    float product = t * hi;
    float sum = base + product;
    float sum_rest = (base - sum) + product;
    float half = sum + (sum_rest + ww_fma(t, lo, base_rest));
    float result = (ww_math_abs(x) < 2.9802322e-8f) ? x : half + half;
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_expm1.
WW_DEVICE double ww_expm1(double x) {
    double y = (x > -40.0) ? x : -40.0;
    y = (y > 710.0) ? 710.0 : y;
    ww_i64 n;
    double hi, lo;
    ww_math_exp_parts(y, 0.0, n, hi, lo);
    double t = ww_math_power_of_two(n - 1);
    double base = t - 0.5;
    double base_rest = (t - base) - 0.5;
    double product = t * hi;
    double sum = base + product;
    double sum_rest = (base - sum) + product;
    double half = sum + (sum_rest + ww_fma(t, lo, base_rest));
    double result = (ww_math_abs(x) < 5.551115123125783e-17) ? x : half + half;
    return (x != x) ? WW_MATH_NAN64 : result;
}

// Logarithms.
//
// x = 2^k · m with m around 1, and log x = k · ln 2 + log m. In `f32` log m is a polynomial in r = m − 1 between −1/3 and 1/3. In
// `f64` it is r − r²/2 + s · (r²/2 + R(s²)) with s = r / (2 + r), between √½ and √2, as in fdlibm (K. C. Ng, Sun Microsystems,
// 1993). Either way the sum of k · ln 2 and r, the two large terms, keeps what its rounding loses.

// k and m − 1, for `x` positive and finite.
WW_DEVICE void ww_math_log_parts(float x, float& out_k, float& out_r) {
    bool denormal = ww_bits(x) < 0x00800000u;
    ww_u32 bits = denormal ? ww_bits(x * 8388608.0f) : ww_bits(x);
    // From 2/3 to 4/3.
    ww_i32 e = ((ww_i32)(bits - 0x3f2aaaabu)) >> 23;
    float m = ww_from_bits(bits - (((ww_u32)e) << 23));
    ww_i32 k = e - (denormal ? 23 : 0);
    out_k = (float)k;
    out_r = m - 1.0f;
}

// As ww_math_log_parts, from √½ to √2.
WW_DEVICE void ww_math_log_parts(double x, double& out_k, double& out_r) {
    bool denormal = ww_bits(x) < 0x0010000000000000ull;
    ww_u64 bits = denormal ? ww_bits(x * 4503599627370496.0) : ww_bits(x);
    // The exponent, as an unsigned number of 2048 more.
    ww_u64 above = ((bits - 0x3fe6a09e667f3bcdull) + 0x8000000000000000ull) >> 52;
    ww_u64 e = above - 2048;
    double m = ww_from_bits(bits - (e << 52));
    // An integer becomes a float by an addition, because AVX2 has no conversion from 64 bits.
    ww_u64 k = e - (denormal ? 52 : 0);
    out_k = ww_from_bits(k + ww_bits(WW_MATH_ROUND64)) - WW_MATH_ROUND64;
    out_r = m - 1.0;
}

// (log(1 + r) − r + r²/2) / r³.
WW_DEVICE float ww_math_log_cubic(float r, float r2) {
    return ww_fma(r2, ww_fma(r2, ww_fma(r2, ww_fma(r, -0.12871052f, 0.13986671f), ww_fma(r, -0.121888936f, 0.14005344f)),
        ww_fma(r, -0.1668016f, 0.20010445f)), ww_fma(r, -0.24999805f, 0.33333215f));
}

// s, and r²/2 + R, where log(1 + r) = r − r²/2 + s · (r²/2 + R); given r²/2.
WW_DEVICE void ww_math_log_curve(double r, double half_square, double& out_s, double& out_curve) {
    double s = ww_div(r, (2.0 + r));
    double z = s * s;
    double z2 = z * z;
    double q = 0.07399295987818195;
    q = ww_fma(z2, q, ww_fma(z, 0.07656901943431016, 0.09091786627391091));
    q = ww_fma(z2, q, ww_fma(z, 0.11111099207890864, 0.14285714371886607));
    q = ww_fma(z2, q, ww_fma(z, 0.1999999999970458, 0.33333333333333676));
    out_s = s;
    out_curve = ww_fma(z + z, q, half_square);
}

// k · ln 2 + log(1 + r) + `more`.
WW_DEVICE float ww_math_log_sum(float k, float r, float more) {
    float base = k * WW_MATH_LN2_SHORT32;
    float hi = base + r;
    float lo = (base - hi) + r;
    float r2 = r * r;
    return hi + ww_fma(r2, -0.5f, ww_fma(r2 * r, ww_math_log_cubic(r, r2), ww_fma(k, WW_MATH_LN2_REST32, lo + more)));
}

// As ww_math_log_sum.
WW_DEVICE double ww_math_log_sum(double k, double r, double more) {
    double base = k * WW_MATH_LN2_SHORT64;
    double hi = base + r;
    double lo = (base - hi) + r;
    double half_square = 0.5 * r * r;
    double s, curve;
    ww_math_log_curve(r, half_square, s, curve);
    return hi + (ww_fma(s, curve, ww_fma(k, WW_MATH_LN2_REST64, lo + more)) - half_square);
}

// The result, `x` being the argument: a NaN below 0, and the limits.
WW_DEVICE float ww_math_log_limits(float x, float result) {
    ww_u32 bits = ww_bits(x);
    float limit = (x == 0.0f) ? -WW_MATH_INFINITY32 : WW_MATH_NAN32;
    limit = (bits == 0x7f800000u) ? x : limit;
    // Positive and finite.
    bool inside = (bits - 1) < 0x7f7fffffu;
    return inside ? result : limit;
}

// As ww_math_log_limits.
WW_DEVICE double ww_math_log_limits(double x, double result) {
    ww_u64 bits = ww_bits(x);
    double limit = (x == 0.0) ? -WW_MATH_INFINITY64 : WW_MATH_NAN64;
    limit = (bits == 0x7ff0000000000000ull) ? x : limit;
    bool inside = (bits - 1) < 0x7fefffffffffffffull;
    return inside ? result : limit;
}

// The natural logarithm.
WW_DEVICE float ww_log(float x) {
    float k, r;
    ww_math_log_parts(x, k, r);
    return ww_math_log_limits(x, ww_math_log_sum(k, r, 0.0f));
}

// As ww_log.
WW_DEVICE double ww_log(double x) {
    double k, r;
    ww_math_log_parts(x, k, r);
    return ww_math_log_limits(x, ww_math_log_sum(k, r, 0.0));
}

// The logarithm to base 2; of a power of two, exact.
WW_DEVICE float ww_log2(float x) {
    float k, r;
    ww_math_log_parts(x, k, r);
    float product = r * WW_MATH_LOG2E_HI32;
    float rest = ww_fma(r, WW_MATH_LOG2E_HI32, -product);
    float hi = k + product;
    float lo = (k - hi) + product;
    float r2 = r * r;
    float cubic = r2 * r * ww_math_log_cubic(r, r2);
    float tail = ww_fma(r2, -0.5f * WW_MATH_LOG2E_HI32, ww_fma(cubic, WW_MATH_LOG2E_HI32, ww_fma(r, WW_MATH_LOG2E_LO32, lo +
        rest)));
    return ww_math_log_limits(x, hi + tail);
}

// As ww_log2.
WW_DEVICE double ww_log2(double x) {
    double k, r;
    ww_math_log_parts(x, k, r);
    double product = r * WW_MATH_LOG2E_HI64;
    double rest = ww_fma(r, WW_MATH_LOG2E_HI64, -product);
    double hi = k + product;
    double lo = (k - hi) + product;
    double half = 0.5 * r;
    double half_square = half * r;
    double half_square_rest = ww_fma(half, r, -half_square);
    double s, curve;
    ww_math_log_curve(r, half_square, s, curve);
    double small = ww_fma(r, WW_MATH_LOG2E_LO64, ww_fma(half_square_rest, -WW_MATH_LOG2E_HI64, lo + rest));
    double tail = ww_fma(half_square, -WW_MATH_LOG2E_HI64, ww_fma(s * curve, WW_MATH_LOG2E_HI64, small));
    return ww_math_log_limits(x, hi + tail);
}

// log(1 + x).
//
// With k and m from 1 + x rounded, r = x · 2^−k + (2^−k − 1) comes from `x` itself.
WW_DEVICE float ww_log1p(float x) {
    ww_i32 e = ((ww_i32)(ww_bits(1.0f + x) - 0x3f2aaaabu)) >> 23;
    float scaled = ww_from_bits(ww_bits(x) - (((ww_u32)e) << 23));
    // From 2^126 on the power is nothing beside 1.
    ww_i32 small = (e > 126) ? 126 : e;
    float power = ww_math_power_of_two(-small);
    float base = power - 1.0f;
    float r = base + scaled;
    float rest = (base - r) + scaled;
    // log(1 + r + rest), to the first order in the rest and the second in r.
    float result = ww_math_log_sum((float)e, r, ww_fma(r, -rest, rest));
    result = (x == 0.0f) ? x : result;
    result = (x == -1.0f) ? -WW_MATH_INFINITY32 : result;
    result = (x == WW_MATH_INFINITY32) ? x : result;
    return (x >= -1.0f) ? result : WW_MATH_NAN32;
}

// As ww_log1p.
WW_DEVICE double ww_log1p(double x) {
    ww_u64 bits = ww_bits(1.0 + x);
    ww_u64 above = ((bits - 0x3fe6a09e667f3bcdull) + 0x8000000000000000ull) >> 52;
    ww_u64 e = above - 2048;
    double scaled = ww_from_bits(ww_bits(x) - (e << 52));
    ww_u64 small = (above > 3070) ? 1022 : e;
    double power = ww_from_bits(((ww_u64)1023 - small) << 52);
    double base = power - 1.0;
    double r = base + scaled;
    double rest = (base - r) + scaled;
    double k = ww_from_bits(e + ww_bits(WW_MATH_ROUND64)) - WW_MATH_ROUND64;
    double result = ww_math_log_sum(k, r, ww_fma(r, -rest, rest));
    result = (x == 0.0) ? x : result;
    result = (x == -1.0) ? -WW_MATH_INFINITY64 : result;
    result = (x == WW_MATH_INFINITY64) ? x : result;
    return (x >= -1.0) ? result : WW_MATH_NAN64;
}

// Sines and cosines.
//
// x = n · π/2 + r, r a sum of two numbers, and a polynomial each for the sine and the cosine of r, chosen by n. Up to a bound, n · π/2
// is subtracted in three parts, by `fma` (Cody and Waite, as for the exponentials). Past it, the bits of 2/π that matter are multiplied
// by the integer that `x` is but for its exponent: in integers, so that nothing is lost (M. Payne and R. Hanek, "Radian reduction for
// trigonometric functions", 1983).
// Up to here ww_math_sin_small and ww_math_cos_small hold.
#define WW_MATH_SMALL32 65536.0f
// Up to here ww_math_sin_small and ww_math_cos_small hold.
#define WW_MATH_SMALL64 1073741824.0
#define WW_MATH_TWO_BY_PI32 0.63661975f
#define WW_MATH_HALF_PI_A32 1.5707964f
#define WW_MATH_HALF_PI_B32 (-4.371139e-8f)
#define WW_MATH_HALF_PI_C32 (-1.7151245e-15f)
#define WW_MATH_PI_HI32 3.1415927f
#define WW_MATH_PI_LO32 (-8.742278e-8f)
#define WW_MATH_TWO_BY_PI64 0.6366197723675814
#define WW_MATH_HALF_PI_A64 1.5707963267948966
#define WW_MATH_HALF_PI_B64 6.123233995736766e-17
#define WW_MATH_HALF_PI_C64 (-1.4973849048591698e-33)
#define WW_MATH_PI_HI64 3.141592653589793
#define WW_MATH_PI_LO64 1.2246467991473532e-16

// n modulo 4 in its two lowest bits, and r as a sum, for |x| ≤ WW_MATH_SMALL32.
WW_DEVICE void ww_math_reduce_small(float x, ww_u32& out_n, float& out_r, float& out_rest) {
    float shifted = ww_fma(x, WW_MATH_TWO_BY_PI32, WW_MATH_ROUND32);
    float k = shifted - WW_MATH_ROUND32;
    // Exact, and so is the product in two parts.
    float first = ww_fma(k, -WW_MATH_HALF_PI_A32, x);
    float product = k * -WW_MATH_HALF_PI_B32;
    float product_rest = ww_fma(k, -WW_MATH_HALF_PI_B32, -product);
    float r, rest;
    ww_math_two_sum(first, product, r, rest);
    out_n = ww_bits(shifted);
    out_r = r;
    out_rest = rest + ww_fma(k, -WW_MATH_HALF_PI_C32, product_rest);
}

// As ww_math_reduce_small.
WW_DEVICE void ww_math_reduce_small(double x, ww_u64& out_n, double& out_r, double& out_rest) {
    double shifted = ww_fma(x, WW_MATH_TWO_BY_PI64, WW_MATH_ROUND64);
    double k = shifted - WW_MATH_ROUND64;
    double first = ww_fma(k, -WW_MATH_HALF_PI_A64, x);
    double product = k * -WW_MATH_HALF_PI_B64;
    double product_rest = ww_fma(k, -WW_MATH_HALF_PI_B64, -product);
    double r, rest;
    ww_math_two_sum(first, product, r, rest);
    out_n = ww_bits(shifted);
    out_r = r;
    out_rest = rest + ww_fma(k, -WW_MATH_HALF_PI_C64, product_rest);
}

// 2/π, after 32 bits of its integer part.
WW_CONSTANT ww_u64 ww_math_two_by_pi32[8] = {
    0x0ull, 0xa2f9836eull, 0x4e441529ull, 0xfc2757d1ull,
    0xf534ddc0ull, 0xdb629599ull, 0x3c439041ull, 0xfe5163abull
};

// As ww_math_reduce_small, for |x| ≥ 2^16, finite.
WW_DEVICE void ww_math_reduce_large(float x, ww_u32& out_n, float& out_r, float& out_rest) {
    ww_u32 bits = ww_bits(x);
    ww_u64 m = (ww_u64)((bits & 0x007fffffu) | 0x00800000u);
    // Bits worth 4 or more in the product can go; from here on 96 bits are enough, in which the product is taken modulo 4.
    ww_u32 start = ((bits >> 23) & 255) - 120;
    ww_u32 word = (start >> 5) & 7;
    ww_u32 shift = 32 - (start & 31);
    ww_u64 a = ww_math_two_by_pi32[word & 7];
    ww_u64 b = ww_math_two_by_pi32[(word + 1) & 7];
    ww_u64 c = ww_math_two_by_pi32[(word + 2) & 7];
    ww_u64 d = ww_math_two_by_pi32[(word + 3) & 7];
    ww_u64 w0 = ((a << 32 | b) >> shift) & 0xffffffffu;
    ww_u64 w1 = ((b << 32 | c) >> shift) & 0xffffffffu;
    ww_u64 w2 = ((c << 32 | d) >> shift) & 0xffffffffu;
    ww_u64 p1 = m * w1 + ((m * w2) >> 32);
    ww_u64 p0 = m * w0 + (p1 >> 32);
    ww_u64 product = (p0 << 32) | (p1 & 0xffffffffu);
    ww_u32 n = (ww_u32)((product >> 62) + ((product >> 61) & 1));
    // Two bits of integer are gone; what is left is a signed fraction.
    ww_u64 fraction = product << 2;
    bool negative = fraction >> 63 != 0;
    ww_u64 magnitude = negative ? (0ull - fraction) : fraction;
    ww_u32 zeros = ww_clz(magnitude);
    ww_u64 normal = magnitude << (zeros & 63);
    float unit = ww_math_power_of_two(-24 - (ww_i32)zeros);
    float hi = (float)(normal >> 40) * unit;
    float lo = (float)((normal >> 16) & 0x00ffffffu) * (unit * 5.9604645e-8f);
    float r = hi * WW_MATH_HALF_PI_A32;
    float rest = ww_fma(hi, WW_MATH_HALF_PI_A32, -r) + ww_fma(hi, WW_MATH_HALF_PI_B32, lo * WW_MATH_HALF_PI_A32);
    bool flip = negative != (bits >> 31 != 0);
    ww_u32 turns = (bits >> 31 != 0) ? (0u - n) : n;
    out_n = turns;
    out_r = flip ? -r : r;
    out_rest = flip ? -rest : rest;
}

// 2/π, after 64 bits of its integer part.
WW_CONSTANT ww_u64 ww_math_two_by_pi64[20] = {
    0x0ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull
};

// As ww_math_reduce_large, for |x| ≥ 2^30, finite.
WW_DEVICE void ww_math_reduce_large(double x, ww_u64& out_n, double& out_r, double& out_rest) {
    ww_u64 bits = ww_bits(x);
    ww_u64 m = (bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
    ww_u32 start = ((ww_u32)((bits >> 52) & 2047)) - 1013;
    ww_u32 word = (start >> 6) & 31;
    word = (word > 16) ? 16 : word;
    ww_u32 shift = start & 63;
    ww_u64 a = ww_math_two_by_pi64[word];
    ww_u64 b = ww_math_two_by_pi64[word + 1];
    ww_u64 c = ww_math_two_by_pi64[word + 2];
    ww_u64 d = ww_math_two_by_pi64[word + 3];
    ww_u64 w0 = (a << shift) | (b >> 1 >> (63 - shift));
    ww_u64 w1 = (b << shift) | (c >> 1 >> (63 - shift));
    ww_u64 w2 = (c << shift) | (d >> 1 >> (63 - shift));
    ww_u64 carried = ww_mulhi(m, w2);
    ww_u64 p1 = (m * w1) + carried;
    ww_u64 carry = (p1 < carried) ? 1 : 0;
    ww_u64 p0 = ((m * w0) + (ww_mulhi(m, w1))) + carry;
    ww_u64 n = (p0 >> 62) + ((p0 >> 61) & 1);
    ww_u64 upper = (p0 << 2) | (p1 >> 62);
    ww_u64 lower = p1 << 2;
    bool negative = upper >> 63 != 0;
    ww_u64 borrow = (lower == 0) ? 0 : 1;
    upper = negative ? ((0ull - upper) - borrow) : upper;
    lower = negative ? (0ull - lower) : lower;
    // No double comes so near to a multiple of π/2 that the upper word is 0.
    ww_u32 zeros = ww_clz(upper) & 63;
    ww_u64 normal = (upper << zeros) | (lower >> 1 >> (63 - zeros));
    ww_u64 below = lower << zeros;
    double unit = ww_math_power_of_two(-53 - (ww_i64)zeros);
    double hi = (double)(normal >> 11) * unit;
    double lo = (double)(((normal & 0x7ffull) << 42) | (below >> 22)) * (unit * 1.1102230246251565e-16);
    double r = hi * WW_MATH_HALF_PI_A64;
    double rest = ww_fma(hi, WW_MATH_HALF_PI_A64, -r) + ww_fma(hi, WW_MATH_HALF_PI_B64, lo * WW_MATH_HALF_PI_A64);
    bool flip = negative != (bits >> 63 != 0);
    ww_u64 turns = (bits >> 63 != 0) ? (0ull - n) : n;
    out_n = turns;
    out_r = flip ? -r : r;
    out_rest = flip ? -rest : rest;
}

// The sine of n · π/2 + r + rest.
WW_DEVICE float ww_math_sin_of(ww_u32 n, float r, float rest) {
    float z = r * r;
    float z2 = z * z;
    float nearly = ww_fma(z, -0.5f, 1.0f);
    float s = -0.00019506023f;
    s = ww_fma(z2, s, ww_fma(z, 0.008332098f, -0.16666654f));
    float sine = r + ww_fma(z * r, s, rest * nearly);
    float c = 2.4412086e-5f;
    c = ww_fma(z2, c, ww_fma(z, -0.001388713f, 0.04166664f));
    float cosine = nearly + (ww_fma(z, -0.5f, 1.0f - nearly) + ww_fma(z2, c, -r * rest));
    float value = ((n & 1) == 0) ? sine : cosine;
    return ww_from_bits(ww_bits(value) ^ ((n & 2) << 30));
}

// As ww_math_sin_of.
WW_DEVICE double ww_math_sin_of(ww_u64 n, double r, double rest) {
    double z = r * r;
    double z2 = z * z;
    double nearly = ww_fma(z, -0.5, 1.0);
    double s = ww_fma(z, 1.5890886869598678e-10, -2.505065813354024e-8);
    s = ww_fma(z2, s, ww_fma(z, 2.755731306859788e-6, -0.0001984126982806559));
    s = ww_fma(z2, s, ww_fma(z, 0.008333333333320325, -0.16666666666666624));
    double sine = r + ww_fma(z * r, s, rest * nearly);
    double c = ww_fma(z, -1.1354275414202467e-11, 2.0875618852679877e-9);
    c = ww_fma(z2, c, ww_fma(z, -2.7557313579064577e-7, 2.4801587286786753e-5));
    c = ww_fma(z2, c, ww_fma(z, -0.0013888888888869775, 0.041666666666666574));
    double cosine = nearly + (ww_fma(z, -0.5, 1.0 - nearly) + ww_fma(z2, c, -r * rest));
    double value = ((n & 1) == 0) ? sine : cosine;
    return ww_from_bits(ww_bits(value) ^ ((n & 2) << 62));
}

// The sine, for |x| ≤ WW_MATH_SMALL32 and NaN.
WW_DEVICE float ww_math_sin_small(float x) {
    float y = (ww_math_abs(x) <= WW_MATH_SMALL32) ? x : 0.0f;
    ww_u32 n;
    float r, rest;
    ww_math_reduce_small(y, n, r, rest);
    float result = (x == 0.0f) ? x : ww_math_sin_of(n, r, rest);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// The cosine, for |x| ≤ WW_MATH_SMALL32 and NaN.
WW_DEVICE float ww_math_cos_small(float x) {
    float y = (ww_math_abs(x) <= WW_MATH_SMALL32) ? x : 0.0f;
    ww_u32 n;
    float r, rest;
    ww_math_reduce_small(y, n, r, rest);
    float result = ww_math_sin_of((n + 1), r, rest);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// The sine, for |x| ≤ WW_MATH_SMALL64 and NaN.
WW_DEVICE double ww_math_sin_small(double x) {
    double y = (ww_math_abs(x) <= WW_MATH_SMALL64) ? x : 0.0;
    ww_u64 n;
    double r, rest;
    ww_math_reduce_small(y, n, r, rest);
    double result = (x == 0.0) ? x : ww_math_sin_of(n, r, rest);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// The cosine, for |x| ≤ WW_MATH_SMALL64 and NaN.
WW_DEVICE double ww_math_cos_small(double x) {
    double y = (ww_math_abs(x) <= WW_MATH_SMALL64) ? x : 0.0;
    ww_u64 n;
    double r, rest;
    ww_math_reduce_small(y, n, r, rest);
    double result = ww_math_sin_of((n + 1), r, rest);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// The sine of x + `quarter` · π/2, for |x| > WW_MATH_SMALL32.
WW_DEVICE float ww_math_sin_large(float x, ww_u32 quarter) {
    bool finite = ww_math_abs(x) < WW_MATH_INFINITY32;
    ww_u32 n;
    float r, rest;
    ww_math_reduce_large(finite ? x : WW_MATH_SMALL32, n, r, rest);
    float result = ww_math_sin_of((n + quarter), r, rest);
    return finite ? result : WW_MATH_NAN32;
}

// The sine of x + `quarter` · π/2, for |x| > WW_MATH_SMALL64.
WW_DEVICE double ww_math_sin_large(double x, ww_u64 quarter) {
    bool finite = ww_math_abs(x) < WW_MATH_INFINITY64;
    ww_u64 n;
    double r, rest;
    ww_math_reduce_large(finite ? x : WW_MATH_SMALL64, n, r, rest);
    double result = ww_math_sin_of((n + quarter), r, rest);
    return finite ? result : WW_MATH_NAN64;
}

// The sine.
WW_DEVICE float ww_sin(float x) {
    return (ww_math_abs(x) > WW_MATH_SMALL32) ? ww_math_sin_large(x, 0) : ww_math_sin_small(x);
}

// The cosine.
WW_DEVICE float ww_cos(float x) {
    return (ww_math_abs(x) > WW_MATH_SMALL32) ? ww_math_sin_large(x, 1) : ww_math_cos_small(x);
}

// The sine.
WW_DEVICE double ww_sin(double x) {
    return (ww_math_abs(x) > WW_MATH_SMALL64) ? ww_math_sin_large(x, 0) : ww_math_sin_small(x);
}

// The cosine.
WW_DEVICE double ww_cos(double x) {
    return (ww_math_abs(x) > WW_MATH_SMALL64) ? ww_math_sin_large(x, 1) : ww_math_cos_small(x);
}

// n and the parts of r with π · x = n · π/2 + r, but for whole turns.
WW_DEVICE void ww_math_reduce_pi(float x, ww_u32& out_n, float& out_r, float& out_rest) {
    float magnitude = ww_math_abs(x);
    // From 2^23 on there are integers only, and from 2^24 on only even ones.
    bool odd = magnitude < 16777216.0f && (ww_bits(x) & 1) != 0;
    float integer = odd ? 1.0f : 0.0f;
    float y = (magnitude < 8388608.0f) ? x : integer;
    y = y - 2.0f * (ww_fma(y, 0.5f, WW_MATH_ROUND32) - WW_MATH_ROUND32);
    float shifted = ww_fma(y, 2.0f, WW_MATH_ROUND32);
    float r = ww_fma(shifted - WW_MATH_ROUND32, -0.5f, y);
    float hi = r * WW_MATH_PI_HI32;
    out_n = ww_bits(shifted);
    out_r = hi;
    out_rest = ww_fma(r, WW_MATH_PI_HI32, -hi) + r * WW_MATH_PI_LO32;
}

// As ww_math_reduce_pi.
WW_DEVICE void ww_math_reduce_pi(double x, ww_u64& out_n, double& out_r, double& out_rest) {
    double magnitude = ww_math_abs(x);
    bool odd = magnitude < 9007199254740992.0 && (ww_bits(x) & 1) != 0;
    double integer = odd ? 1.0 : 0.0;
    double y = (magnitude < 4503599627370496.0) ? x : integer;
    y = y - 2.0 * (ww_fma(y, 0.5, WW_MATH_ROUND64) - WW_MATH_ROUND64);
    double shifted = ww_fma(y, 2.0, WW_MATH_ROUND64);
    double r = ww_fma(shifted - WW_MATH_ROUND64, -0.5, y);
    double hi = r * WW_MATH_PI_HI64;
    out_n = ww_bits(shifted);
    out_r = hi;
    out_rest = ww_fma(r, WW_MATH_PI_HI64, -hi) + r * WW_MATH_PI_LO64;
}

// sin πx and cos πx. The sine of an integer is a zero with the sign of `x`, the cosine of a half is +0.
WW_DEVICE void ww_sincospi(float x, float& out_sine, float& out_cosine) {
    ww_u32 n;
    float r, rest;
    ww_math_reduce_pi(x, n, r, rest);
    float sine = ww_math_sin_of(n, r, rest);
    sine = (sine == 0.0f) ? ww_math_with_sign(0.0f, x) : sine;
    float cosine = ww_math_sin_of((n + 1), r, rest) + 0.0f;
    bool finite = ww_math_abs(x) < WW_MATH_INFINITY32;
    out_sine = finite ? sine : WW_MATH_NAN32;
    out_cosine = finite ? cosine : WW_MATH_NAN32;
}

// As ww_sincospi.
WW_DEVICE void ww_sincospi(double x, double& out_sine, double& out_cosine) {
    ww_u64 n;
    double r, rest;
    ww_math_reduce_pi(x, n, r, rest);
    double sine = ww_math_sin_of(n, r, rest);
    sine = (sine == 0.0) ? ww_math_with_sign(0.0, x) : sine;
    double cosine = ww_math_sin_of((n + 1), r, rest) + 0.0;
    bool finite = ww_math_abs(x) < WW_MATH_INFINITY64;
    out_sine = finite ? sine : WW_MATH_NAN64;
    out_cosine = finite ? cosine : WW_MATH_NAN64;
}

// sin πx.
WW_DEVICE float ww_sinpi(float x) {
    float sine, _cosine;
    ww_sincospi(x, sine, _cosine);
    return sine;
}

// cos πx.
WW_DEVICE float ww_cospi(float x) {
    float _sine, cosine;
    ww_sincospi(x, _sine, cosine);
    return cosine;
}

// sin πx.
WW_DEVICE double ww_sinpi(double x) {
    double sine, _cosine;
    ww_sincospi(x, sine, _cosine);
    return sine;
}

// cos πx.
WW_DEVICE double ww_cospi(double x) {
    double _sine, cosine;
    ww_sincospi(x, _sine, cosine);
    return cosine;
}

// The hyperbolic tangent, and the logistic function.
//
// Both are quotients of sums with an exponential e^y = 2^n · (1 + hi + lo), which stay sums of two numbers each up to the end; one
// division gives 1/denominator, and the quotient is then corrected by its exact remainder.

// As ww_math_exp_parts, the second number being what the rounding of the first has lost.
WW_DEVICE void ww_math_exp_pair(float x, ww_i32& out_n, float& out_hi, float& out_lo) {
    ww_i32 n;
    float r, lo;
    ww_math_exp_parts(x, 0.0f, n, r, lo);
    float hi = r + lo;
    out_n = n;
    out_hi = hi;
    out_lo = (r - hi) + lo;
}

// As ww_math_exp_pair.
WW_DEVICE void ww_math_exp_pair(double x, ww_i64& out_n, double& out_hi, double& out_lo) {
    ww_i64 n;
    double r, lo;
    ww_math_exp_parts(x, 0.0, n, r, lo);
    double hi = r + lo;
    out_n = n;
    out_hi = hi;
    out_lo = (r - hi) + lo;
}

// (a + a_rest) / (b + b_rest).
WW_DEVICE float ww_math_quotient(float a, float a_rest, float b, float b_rest) {
    float inverse = ww_div(1.0f, b);
    float q = a * inverse;
    float remainder = ww_fma(q, -b, a) + ww_fma(q, -b_rest, a_rest);
    return ww_fma(remainder, inverse, q);
}

// As ww_math_quotient.
WW_DEVICE double ww_math_quotient(double a, double a_rest, double b, double b_rest) {
    double inverse = ww_div(1.0, b);
    double q = a * inverse;
    double remainder = ww_fma(q, -b, a) + ww_fma(q, -b_rest, a_rest);
    return ww_fma(remainder, inverse, q);
}

// The hyperbolic tangent: (e^2|x| − 1) / (e^2|x| + 1), with the sign of x.
WW_DEVICE float ww_tanh(float x) {
    float y = (ww_math_abs(x) < 10.0f) ? ww_math_abs(x) : 10.0f;
    ww_i32 n;
    float hi, lo;
    ww_math_exp_pair(y + y, n, hi, lo);
    float power = ww_math_power_of_two(n);
    float product = power * hi;
    float minus = power - 1.0f;
    float minus_rest = (power - minus) - 1.0f;
    float a = minus + product;
    float a_rest = ww_fma(power, lo, ((minus - a) + product) + minus_rest);
    float plus = power + 1.0f;
    float plus_rest = (power - plus) + 1.0f;
    float b = plus + product;
    float b_rest = ww_fma(power, lo, ((plus - b) + product) + plus_rest);
    float result = ww_math_with_sign(ww_math_quotient(a, a_rest, b, b_rest), x);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_tanh.
WW_DEVICE double ww_tanh(double x) {
    double y = (ww_math_abs(x) < 20.0) ? ww_math_abs(x) : 20.0;
    ww_i64 n;
    double hi, lo;
    ww_math_exp_pair(y + y, n, hi, lo);
    double power = ww_math_power_of_two(n);
    double product = power * hi;
    double minus = power - 1.0;
    double minus_rest = (power - minus) - 1.0;
    double a = minus + product;
    double a_rest = ww_fma(power, lo, ((minus - a) + product) + minus_rest);
    double plus = power + 1.0;
    double plus_rest = (power - plus) + 1.0;
    double b = plus + product;
    double b_rest = ww_fma(power, lo, ((plus - b) + product) + plus_rest);
    double result = ww_math_with_sign(ww_math_quotient(a, a_rest, b, b_rest), x);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// 1 / (1 + e^−x): with e = e^−|x|, 1 / (1 + e) for a positive x, and e / (1 + e) for a negative one.
WW_DEVICE float ww_sigmoid(float x) {
    float y = (ww_math_abs(x) < 104.0f) ? -ww_math_abs(x) : -104.0f;
    ww_i32 n;
    float hi, lo;
    ww_math_exp_pair(y, n, hi, lo);
    float e = 1.0f + hi;
    float e_rest = ((1.0f - e) + hi) + lo;
    // Far below 1 the exponential is nothing in the denominator.
    float power = ww_math_power_of_two((n > -60) ? n : -60);
    float product = power * e;
    float b = 1.0f + product;
    float b_rest = ww_fma(power, e_rest, (1.0f - b) + product);
    bool positive = x >= 0.0f;
    float a = positive ? 1.0f : e;
    float a_rest = positive ? 0.0f : e_rest;
    ww_i32 exponent = positive ? 0 : n;
    float result = ww_math_scale(ww_math_quotient(a, a_rest, b, b_rest), exponent);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_sigmoid.
WW_DEVICE double ww_sigmoid(double x) {
    double y = (ww_math_abs(x) < 746.0) ? -ww_math_abs(x) : -746.0;
    ww_i64 n;
    double hi, lo;
    ww_math_exp_pair(y, n, hi, lo);
    double e = 1.0 + hi;
    double e_rest = ((1.0 - e) + hi) + lo;
    double power = ww_math_power_of_two((n > -120) ? n : -120);
    double product = power * e;
    double b = 1.0 + product;
    double b_rest = ww_fma(power, e_rest, (1.0 - b) + product);
    bool positive = x >= 0.0;
    double a = positive ? 1.0 : e;
    double a_rest = positive ? 0.0 : e_rest;
    ww_i64 exponent = positive ? 0 : n;
    double result = ww_math_scale(ww_math_quotient(a, a_rest, b, b_rest), exponent);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// The error function.
//
// Up to 1, x + x · P(x²). From there on 1 − e^−Q(x − 2), where Q is a polynomial for −log erfc, fitted so that the error of the whole is
// even, and what the rounding of its last sum loses goes into the exponential too. (The exponential of a polynomial, in place of
// rational functions, is an idea of N. Juffa's.)

// The error function.
WW_DEVICE float ww_erf(float x) {
    float magnitude = ww_math_abs(x);
    float z = x * x;
    float z2 = z * z;
    float p = 7.810084e-5f;
    p = ww_fma(z2, p, ww_fma(z, -0.0007998475f, 0.005187201f));
    p = ww_fma(z2, p, ww_fma(z, -0.026853355f, 0.11283579f));
    p = ww_fma(z2, p, ww_fma(z, -0.37612626f, 0.12837917f));
    float near = ww_fma(magnitude, p, magnitude);
    float u = (magnitude < 4.0f) ? magnitude - 2.0f : 2.0f;
    float u2 = u * u;
    float line = ww_fma(u, 4.41816f, 5.364941f);
    float curve = -0.00018696518f;
    curve = ww_fma(u2, curve, ww_fma(u, 0.00070863625f, -0.0035474529f));
    curve = ww_fma(u2, curve, ww_fma(u, 0.016486922f, 0.92375433f));
    float q = ww_fma(u2, curve, line);
    float q_rest = ww_fma(u2, curve, line - q);
    ww_i32 n;
    float hi, lo;
    ww_math_exp_parts(-q, -q_rest, n, hi, lo);
    float power = ww_math_power_of_two(n);
    float far = ww_fma(hi + lo, -power, 1.0f - power);
    float result = ww_math_with_sign(((magnitude < 1.0f) ? near : far), x);
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_erf.
WW_DEVICE double ww_erf(double x) {
    double magnitude = ww_math_abs(x);
    double z = x * x;
    double z2 = z * z;
    double p = ww_fma(z, -7.723643707901719e-10, 1.3679262387406713e-8);
    p = ww_fma(z2, p, ww_fma(z, -1.6198497995868556e-7, 1.6446037433922426e-6));
    p = ww_fma(z2, p, ww_fma(z, -1.4924616562602756e-5, 0.00012055288149826462));
    p = ww_fma(z2, p, ww_fma(z, -0.000854832572954962, 0.005223977601464994));
    p = ww_fma(z2, p, ww_fma(z, -0.02686617064246542, 0.11283791670939435));
    p = ww_fma(z2, p, ww_fma(z, -0.37612638903183376, 0.12837916709551256));
    double near = ww_fma(magnitude, p, magnitude);
    double u = (magnitude < 6.0) ? magnitude - 2.0 : 4.0;
    double u2 = u * u;
    double line = ww_fma(u, 4.418160805994414, 5.364941264616636);
    double curve = ww_fma(u, 4.916038088724194e-12, -3.6862295501846635e-11);
    curve = ww_fma(u2, curve, ww_fma(u, 7.155917850385286e-11, 2.580562800346192e-10));
    curve = ww_fma(u2, curve, ww_fma(u, -2.6101914307227346e-9, 1.3987444313588355e-8));
    curve = ww_fma(u2, curve, ww_fma(u, -5.76949216985778e-8, 1.7317481116105505e-7));
    curve = ww_fma(u2, curve, ww_fma(u, -2.0372823836096838e-7, -1.952189062343122e-6));
    curve = ww_fma(u2, curve, ww_fma(u, 2.0706470907128394e-5, -0.00013530932997101998));
    curve = ww_fma(u2, curve, ww_fma(u, 0.000732399377976352, -0.0035707563479539413));
    curve = ww_fma(u2, curve, ww_fma(u, 0.016465118137379303, 0.9237508418239503));
    double q = ww_fma(u2, curve, line);
    double q_rest = ww_fma(u2, curve, line - q);
    ww_i64 n;
    double hi, lo;
    ww_math_exp_parts(-q, -q_rest, n, hi, lo);
    double power = ww_math_power_of_two(n);
    double far = ww_fma(hi + lo, -power, 1.0 - power);
    double result = ww_math_with_sign(((magnitude < 1.0) ? near : far), x);
    return (x != x) ? WW_MATH_NAN64 : result;
}

// Powers.
//
// Of float, |x|^y = 2^(y · log2 |x|) in double. Of double it is e^(y · log |x|), the logarithm and its product with y as sums of two numbers.
// Either way log m = 2 · artanh s, s = (m − 1) / (m + 1); in double s and the first two terms of the series in s² have the double precision
// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971), and a polynomial does for the rest. Special
// values as in C99, Annex F.9.4.4.

// k + log2(1 + r), to 2^−36 of itself; r from √½ − 1 to √2 − 1.
WW_DEVICE double ww_math_log2_short(double k, double r) {
    double s = ww_div(r, r + 2.0);
    double z = s * s;
    double z2 = z * z;
    double q = 0.3407405025056763;
    q = ww_fma(z2, q, ww_fma(z, 0.4116721065781846, 0.5770835962413388));
    q = ww_fma(z2, q, ww_fma(z, 0.9617966732753579, 2.8853900817901468));
    return ww_fma(s, q, k);
}

// 2^x for |`x`| up to 1000, to 2^−28.9 of itself; of integers exact.
WW_DEVICE double ww_math_exp2_short(double x) {
    double shifted = x + WW_MATH_ROUND64;
    double r = x - (shifted - WW_MATH_ROUND64);
    double r2 = r * r;
    double p = 0.0001535336191502007;
    p = ww_fma(r2, p, ww_fma(r, 0.0013398874414031203, 0.009618437357658874));
    p = ww_fma(r2, p, ww_fma(r, 0.05550332471125832, 0.2402264791362895));
    p = ww_fma(r2, p, ww_fma(r, 0.693147202855066, 1.0));
    return ww_from_bits(ww_bits(p) + (ww_bits(shifted) << 52));
}

// log `x` as a sum of two numbers, for `x` positive and finite.
WW_DEVICE void ww_math_log_pair(double x, double& out_hi, double& out_lo) {
    double k, above;
    ww_math_log_parts(x, k, above);
    double m = above + 1.0;
    double below = m + 1.0;
    double below_rest = m - (below - 1.0);
    double inverse = ww_div(1.0, below);
    double s = above * inverse;
    double s_rest = (ww_fma(s, -below, above) - s * below_rest) * inverse;
    double z = s * s;
    double z_rest = ww_fma(s, s, -z) + (s + s) * s_rest;
    double z2 = z * z;
    double q = 0.06599480956125113;
    q = ww_fma(z2, q, ww_fma(z, 0.06628271479979451, 0.07693384364292583));
    q = ww_fma(z2, q, ww_fma(z, 0.09090892064457141, 0.11111111261267233));
    q = ww_fma(z2, q, ww_fma(z, 0.142857142850428, 0.20000000000001142));
    double third = 0.3333333333333333;
    double term = z * q;
    double sum = third + term;
    double sum_rest = ((third - sum) + term) + 1.850371707708594e-17;
    double v = z * sum;
    double v_rest = ww_fma(z, sum, -v) + ww_fma(z, sum_rest, z_rest * sum);
    double product = s * v;
    double product_rest = ww_fma(s, v, -product) + ww_fma(s, v_rest, s_rest * v);
    double artanh = s + product;
    double artanh_rest = ((s - artanh) + product) + (product_rest + s_rest);
    double base = k * WW_MATH_LN2_SHORT64;
    double twice = artanh + artanh;
    double hi = base + twice;
    double lo = ((base - hi) + twice) + ww_fma(k, WW_MATH_LN2_REST64, artanh_rest + artanh_rest);
    out_hi = hi;
    out_lo = lo;
}

// x^y.
WW_DEVICE float ww_pow(float x, float y) {
    float magnitude = ww_math_abs(x);
    double wide = (double)magnitude;
    double k, r;
    ww_math_log_parts(wide, k, r);
    double log = ww_math_log2_short(k, r);
    log = (wide == 0.0) ? -WW_MATH_INFINITY64 : log;
    bool infinite = magnitude == WW_MATH_INFINITY32;
    log = infinite ? WW_MATH_INFINITY64 : log;
    // As far as the size of the exponent makes a difference; and a NaN becomes a number.
    float exponent = (ww_math_abs(y) < 1.0995116e12f) ? y : ww_math_with_sign(1.0995116e12f, y);
    double product = (double)exponent * log;
    double end = (product > 0.0) ? 160.0 : -160.0;
    float result = (float)ww_math_exp2_short((ww_math_abs(product) < 160.0) ? product : end);
    // Whether y is an integer, and whether it is an even one, as all are from 2^24 on.
    float size = (ww_math_abs(y) < 16777216.0f) ? ww_math_abs(y) : 16777216.0f;
    float small = (size < 8388608.0f) ? size : 8388608.0f;
    bool whole = (small + 8388608.0f) - 8388608.0f == small;
    bool even = (0.5f * size + 8388608.0f) - 8388608.0f == 0.5f * size;
    bool odd = whole && !even;
    result = odd ? ww_from_bits(ww_bits(result) | (ww_bits(x) & 0x80000000u)) : result;
    bool undefined = x < 0.0f && !whole && !infinite;
    result = (undefined || (x != x) || (y != y)) ? WW_MATH_NAN32 : result;
    return (y == 0.0f || x == 1.0f) ? 1.0f : result;
}

// As ww_pow.
WW_DEVICE double ww_pow(double x, double y) {
    double magnitude = ww_math_abs(x);
    double log, log_rest;
    ww_math_log_pair(magnitude, log, log_rest);
    log = (magnitude == 0.0) ? -WW_MATH_INFINITY64 : log;
    bool infinite = magnitude == WW_MATH_INFINITY64;
    log = infinite ? magnitude : log;
    // As far as the size of the exponent makes a difference; and a NaN becomes a number.
    double exponent = (ww_math_abs(y) < 1.8446744073709552e19) ? y : ww_math_with_sign(1.8446744073709552e19, y);
    double product = exponent * log;
    double product_rest = ww_fma(exponent, log, -product) + exponent * log_rest;
    bool inside = ww_math_abs(product) < 747.0;
    double end = (product > 0.0) ? 747.0 : -747.0;
    double argument = inside ? product : end;
    ww_i64 n;
    double hi, lo;
    ww_math_exp_parts(argument, inside ? product_rest : 0.0, n, hi, lo);
    double sum = 1.0 + hi;
    double result = ww_math_scale(sum + (((1.0 - sum) + hi) + lo), n);
    // Whether y is an integer, and whether it is an even one, as all are from 2^53 on.
    double size = (ww_math_abs(y) < 9007199254740992.0) ? ww_math_abs(y) : 9007199254740992.0;
    double small = (size < 4503599627370496.0) ? size : 4503599627370496.0;
    bool whole = (small + 4503599627370496.0) - 4503599627370496.0 == small;
    bool even = (0.5 * size + 4503599627370496.0) - 4503599627370496.0 == 0.5 * size;
    bool odd = whole && !even;
    result = odd ? ww_from_bits(ww_bits(result) | (ww_bits(x) & 0x8000000000000000ull)) : result;
    bool undefined = x < 0.0 && !whole && !infinite;
    result = (undefined || (x != x) || (y != y)) ? WW_MATH_NAN64 : result;
    return (y == 0.0 || x == 1.0) ? 1.0 : result;
}

// Reciprocal square root, and cube root.
//
// The reciprocal of the square root, rounded twice, gets one Newton step with an exact remainder. The cube root starts from the bits
// of `x`, whose third, negated, is nearly the logarithm of x^−⅓ (as in W. Kahan's "Computing a real cube root", 1991); two steps of
// third order (Householder's) without a division follow, and one Newton step for x^⅓ with an exact remainder.

// 1/√x; of −0, −∞, as IEEE 754-2019 has it for rSqrt.
WW_DEVICE float ww_rsqrt(float x) {
    float v = (x > 0.0f) ? x : 1.0f;
    float y = ww_div(1.0f, ww_sqrt(v));
    // 1 − v · y².
    float product = v * y;
    float product_rest = ww_fma(v, y, -product);
    float remainder = ww_fma(product, -y, 1.0f) - product_rest * y;
    float result = ww_fma(0.5f * y, remainder, y);
    result = (x == WW_MATH_INFINITY32) ? 0.0f : result;
    result = (x == 0.0f) ? ww_math_with_sign(WW_MATH_INFINITY32, x) : result;
    return (x >= 0.0f) ? result : WW_MATH_NAN32;
}

// As ww_rsqrt.
WW_DEVICE double ww_rsqrt(double x) {
    double v = (x > 0.0) ? x : 1.0;
    double y = ww_div(1.0, ww_sqrt(v));
    double product = v * y;
    double product_rest = ww_fma(v, y, -product);
    double remainder = ww_fma(product, -y, 1.0) - product_rest * y;
    double result = ww_fma(0.5 * y, remainder, y);
    result = (x == WW_MATH_INFINITY64) ? 0.0 : result;
    result = (x == 0.0) ? ww_math_with_sign(WW_MATH_INFINITY64, x) : result;
    return (x >= 0.0) ? result : WW_MATH_NAN64;
}

// The real cube root.
WW_DEVICE float ww_cbrt(float x) {
    float magnitude = ww_math_abs(x);
    // A zero stays one; infinity and NaN are left aside.
    bool inside = magnitude < WW_MATH_INFINITY32;
    float v = inside ? magnitude : 1.0f;
    // Lest the remainder be denormal.
    bool tiny = v < 6.617445e-24f;
    v = tiny ? v * 281474976710656.0f : v;
    float y = ww_from_bits(0x54a21d2au - (ww_bits(v) / 3));
    float e = ww_fma(v * y * y, -y, 1.0f);
    y = ww_fma(y * e, ww_fma(e, 0.22222222f, 0.33333334f), y);
    e = ww_fma(v * y * y, -y, 1.0f);
    y = ww_fma(y * e, ww_fma(e, 0.22222222f, 0.33333334f), y);
    float y2 = y * y;
    float root = v * y2;
    float square = root * root;
    float square_rest = ww_fma(root, root, -square);
    float remainder = ww_fma(square, -root, v) - square_rest * root;
    root = ww_fma(y2 * 0.33333334f, remainder, root);
    root = tiny ? root * 1.5258789e-5f : root;
    float result = inside ? ww_math_with_sign(root, x) : x;
    return (x != x) ? WW_MATH_NAN32 : result;
}

// As ww_cbrt.
WW_DEVICE double ww_cbrt(double x) {
    double magnitude = ww_math_abs(x);
    // A zero stays one; infinity and NaN are left aside.
    bool inside = magnitude < WW_MATH_INFINITY64;
    double v = inside ? magnitude : 1.0;
    bool tiny = v < 1.1830521861667747e-271;
    v = tiny ? v * 3.2451855365842673e32 : v;
    // The upper half of the bits, by three.
    ww_u64 third = ((ww_bits(v) >> 32) * 0x55555556ull) >> 32;
    double y = ww_from_bits((0x553ef0ffull - third) << 32);
    double e = ww_fma(v * y * y, -y, 1.0);
    y = ww_fma(y * e, ww_fma(e, 0.2222222222222222, 0.3333333333333333), y);
    e = ww_fma(v * y * y, -y, 1.0);
    y = ww_fma(y * e, ww_fma(e, 0.2222222222222222, 0.3333333333333333), y);
    double y2 = y * y;
    double root = v * y2;
    double square = root * root;
    double square_rest = ww_fma(root, root, -square);
    double remainder = ww_fma(square, -root, v) - square_rest * root;
    root = ww_fma(y2 * 0.3333333333333333, remainder, root);
    root = tiny ? root * 1.4551915228366852e-11 : root;
    double result = inside ? ww_math_with_sign(root, x) : x;
    return (x != x) ? WW_MATH_NAN64 : result;
}
