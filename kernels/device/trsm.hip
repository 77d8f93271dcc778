// Solves with a block of a triangular matrix, of at most 32 rows, in place. The launch code takes what is solved from the rows that are not
// yet, by `trsm_update` of `gemm.hip`: both go on with the chain of each element in the order of the solution, so that how the rows are cut
// into blocks does not show in the bits.
//
// Steps are counted in the order of the solution: row p of a lower triangle, row n − 1 − p of an upper one.

const ww_u32 trsm_conj = 1, trsm_unit = 2, trsm_upper = 4;

template <class T> struct trsm_block {
    static const int order = 32, threads = 64;
    // Right-hand sides at a time, each a thread's. One more in a row, so that a column goes to different banks.
    static const int sides = sizeof(T) == 16 ? 32 : 64, pitch = sides + 1;
    // Rows that a thread has in registers, and how many lie in 16 bytes of the triangle, whose columns are contiguous.
    static const int rows = 8, pack = 16 / (int)sizeof(T);
    static const int shared = order * order / pack;
    struct alignas(16) Pack {
        T at[pack];
    };
};

template <class T>
WW_DEVICE void trsm_solve(
    ww_bytes16* columns, T* x, int n, ww_u64 m, const T* t, ww_i64 t_row, ww_i64 t_col, ww_i64 t_batch, T* b, ww_i64 b_row, ww_i64 b_col,
    ww_i64 b_batch, ww_u64 batch, ww_u32 flags
) {
    typedef trsm_block<T> B;
    const bool conj = (flags & trsm_conj) != 0, unit = (flags & trsm_unit) != 0, upper = (flags & trsm_upper) != 0;
    const int thread = (int)ww_thread_x();
    T* const triangle = (T*)columns;
    const ww_u64 blocks = (m + B::sides - 1) / B::sides;
    for (ww_u64 item = ww_block_x(); item < blocks * batch; item += ww_blocks_x()) {
        const ww_u64 z = item / blocks, side0 = (item - z * blocks) * B::sides;
        const int sides = m - side0 < B::sides ? (int)(m - side0) : B::sides;
        const T* const t_here = t + (ww_i64)z * t_batch;
        T* const b_here = b + ((ww_i64)z * b_batch + (ww_i64)side0 * b_col);
        // Off the diagonal with the other sign, as it is multiplied.
        WW_ROLLED for (int q = thread; q < n * n; q += B::threads) {
            const int i = t_row == 1 ? q % n : q / n, k = t_row == 1 ? q / n : q % n;
            const int p = upper ? n - 1 - i : i, before = upper ? n - 1 - k : k;
            if (before < p || (before == p && !unit)) {
                T value = t_here[i * t_row + k * t_col];
                if (conj) value = ww_conj(value);
                triangle[before * B::order + p] = before == p ? value : ww_neg(value);
            }
        }
        WW_ROLLED for (int q = thread; q < n * sides; q += B::threads) {
            const int i = b_row == 1 ? q % n : q / sides, side = b_row == 1 ? q / n : q % sides;
            x[(upper ? n - 1 - i : i) * B::pitch + side] = b_here[i * b_row + side * b_col];
        }
        ww_barrier();
        if (thread < sides) {
            // Some rows at a time, whose chains go on side by side. Rows past the last take what happens to be there, and are dropped.
            WW_ROLLED for (int p = 0; p < n; p += B::rows) {
                T sum[B::rows];
                WW_UNROLL for (int i = 0; i < B::rows; ++i) sum[i] = x[(p + i) * B::pitch + thread];
                const auto column = [&](int k, T (&to)[B::rows]) {
                    WW_UNROLL for (int i = 0; i < B::rows; i += B::pack) {
                        const typename B::Pack some = *(const typename B::Pack*)(triangle + k * B::order + p + i);
                        WW_UNROLL for (int e = 0; e < B::pack; ++e) to[i + e] = some.at[e];
                    }
                };
                WW_ROLLED for (int k = 0; k < p; ++k) {
                    T t[B::rows];
                    column(k, t);
                    const T solved = x[k * B::pitch + thread];
                    WW_UNROLL for (int i = 0; i < B::rows; ++i) sum[i] = ww_fma(t[i], solved, sum[i]);
                }
                WW_UNROLL for (int k = 0; k < B::rows; ++k) {
                    T t[B::rows];
                    column(p + k, t);
                    if (!unit) sum[k] = ww_div(sum[k], t[k]);
                    sum[k] = ww_canonical(sum[k]);
                    WW_UNROLL for (int i = k + 1; i < B::rows; ++i) sum[i] = ww_fma(t[i], sum[k], sum[i]);
                }
                WW_UNROLL for (int i = 0; i < B::rows; ++i) {
                    if (p + i < n) x[(p + i) * B::pitch + thread] = sum[i];
                }
            }
        }
        ww_barrier();
        WW_ROLLED for (int q = thread; q < n * sides; q += B::threads) {
            const int i = b_row == 1 ? q % n : q / sides, side = b_row == 1 ? q / n : q % sides;
            b_here[i * b_row + side * b_col] = x[(upper ? n - 1 - i : i) * B::pitch + side];
        }
        ww_barrier();
    }
}

#define TRSM(N, T) \
    WW_KERNEL( \
        trsm_##N, 64, ww_u32 n, ww_u64 m, const T* t, ww_i64 t_row, ww_i64 t_col, ww_i64 t_batch, T* b, ww_i64 b_row, ww_i64 b_col, \
        ww_i64 b_batch, ww_u64 batch, ww_u32 flags \
    ) { \
        WW_SHARED(ww_bytes16, columns, (trsm_block<T>::shared)); \
        WW_SHARED(T, x, (trsm_block<T>::order * trsm_block<T>::pitch)); \
        trsm_solve(columns, x, (int)n, m, t, t_row, t_col, t_batch, b, b_row, b_col, b_batch, batch, flags); \
    }

WW_EACH_BLAS(TRSM)
