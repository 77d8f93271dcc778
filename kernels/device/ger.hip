// Updates of rank 1: `a + alpha · x · yᵀ`, of a whole matrix or of one triangle. Each element is made by itself: `alpha · y` is rounded, then
// multiplied by `x` and added, fused.
//
// A run is what is contiguous: a column, or a row. A thread has 16 bytes of 4 neighbouring runs at a time.

const ww_u32 ger_conj = 1, ger_by_row = 2, ger_hermitian = 4;

template <class T, class Scalar>
WW_DEVICE void ger_update(
    ww_u64 run, ww_u64 runs, Scalar alpha, const T* x, ww_i64 incx, const T* y, ww_i64 incy, T* a, ww_i64 ld, ww_u32 triangle, ww_u32 flags
) {
    const ww_u64 mine = 16 / sizeof(T), some = 4;
    struct alignas(16) Pack {
        T at[mine];
    };
    const bool conj = (flags & ger_conj) != 0, by_row = (flags & ger_by_row) != 0, hermitian = (flags & ger_hermitian) != 0;
    const auto update = [&](T u, T v, T old, bool diagonal) -> T {
        if (conj) v = ww_conj(v);
        if constexpr (ww_same<Scalar, T>::value) {
            return ww_canonical(ww_fma(ww_mul(alpha, v), u, old));
        } else {
            // Hermitian: the diagonal is real, whatever is stored there.
            if (diagonal) old.im = 0;
            T sum = ww_canonical(ww_fma(T{alpha * v.re, alpha * v.im}, u, old));
            if (diagonal) sum.im = 0;
            return sum;
        }
    };
    const bool packs = (ww_u64)a % 16 == 0 && ld % (ww_i64)mine == 0;
    const ww_u64 across = (run + mine - 1) / mine, groups = (runs + some - 1) / some, items = across * groups;
    for (ww_u64 item = ww_index(); item < items; item += ww_stride()) {
        // Few matrices have as many items as need the long division.
        const ww_u64 group = items >> 32 == 0 ? (ww_u32)item / (ww_u32)across : item / across;
        const ww_u64 inner = (item - group * across) * mine, outer0 = group * some;
        const ww_u64 end = outer0 + some < runs ? outer0 + some : runs;
        // The parts of the vectors: along the run, and across.
        const T* const along = by_row ? y : x;
        const T* const beside = by_row ? x : y;
        const ww_i64 step_along = by_row ? incy : incx, step_beside = by_row ? incx : incy;
        // Of one triangle, whole packs inside it.
        const bool inside = triangle == 0 || (triangle == 1 ? inner >= end : inner + mine <= outer0);
        if (triangle == 1 && inner + mine <= outer0) continue;
        if (triangle == 2 && inner >= end) continue;
        if (packs && inside && inner + mine <= run && end - outer0 == some) {
            T u[mine];
            WW_UNROLL for (ww_u64 e = 0; e < mine; ++e) u[e] = along[(ww_i64)(inner + e) * step_along];
            Pack old[some];
            WW_UNROLL for (ww_u64 r = 0; r < some; ++r) old[r] = *(const Pack*)(a + ((ww_i64)(outer0 + r) * ld + (ww_i64)inner));
            WW_UNROLL for (ww_u64 r = 0; r < some; ++r) {
                const T v = beside[(ww_i64)(outer0 + r) * step_beside];
                WW_UNROLL for (ww_u64 e = 0; e < mine; ++e) {
                    old[r].at[e] = by_row ? update(v, u[e], old[r].at[e], false) : update(u[e], v, old[r].at[e], false);
                }
                *(Pack*)(a + ((ww_i64)(outer0 + r) * ld + (ww_i64)inner)) = old[r];
            }
        } else {
            WW_ROLLED for (ww_u64 outer = outer0; outer < end; ++outer) {
                const T v = beside[(ww_i64)outer * step_beside];
                WW_ROLLED for (ww_u64 i = inner; i < inner + mine && i < run; ++i) {
                    if ((triangle == 1 && i < outer) || (triangle == 2 && i > outer)) continue;
                    const T u = along[(ww_i64)i * step_along];
                    T* const at = a + ((ww_i64)outer * ld + (ww_i64)i);
                    const bool diagonal = hermitian && i == outer;
                    *at = by_row ? update(v, u, *at, diagonal) : update(u, v, *at, diagonal);
                }
            }
        }
    }
}

// triangle: 0, or 1 for the elements whose number in their run is at least that of the run, 2 for those whose number is at most that.
#define GER_KERNEL(NAME, T, SCALAR) \
    WW_KERNEL( \
        NAME, 256, ww_u64 run, ww_u64 runs, SCALAR alpha, const T* x, ww_i64 incx, const T* y, ww_i64 incy, T* a, ww_i64 ld, \
        ww_u32 triangle, ww_u32 flags \
    ) { \
        ger_update<T, SCALAR>(run, runs, alpha, x, incx, y, incy, a, ld, triangle, flags); \
    }
#define GER(N, T) GER_KERNEL(ger_##N, T, T)
#define HER(N, T) GER_KERNEL(her_##N, T, ww_magnitude<T>)

WW_EACH_BLAS(GER)
WW_EACH_COMPLEX(HER)
