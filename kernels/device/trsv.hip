// Solves a triangular system with one right-hand side, in place, in one launch. A block has 32 rows, one for each thread, whose chain goes
// over all that is solved before in order. It waits for each block before it in turn, and then solves its own rows.
//
// Which rows a block has is said by a ticket, so that a block never waits for one that has not started. Steps are counted in the order of
// the solution: row p of a lower triangle, row n − 1 − p of an upper one.

const ww_u32 trsv_conj = 1, trsv_unit = 2, trsv_upper = 4, trsv_rows = 32;

// `state`: a ticket, and for each block whether its rows are solved; 0 at first.
template <class T>
WW_DEVICE void trsv_solve(
    ww_u32* number, T* triangle, T* solved, ww_u64 n, const T* t, ww_i64 t_row, ww_i64 t_col, T* x, ww_i64 inc, ww_u32 flags, ww_u32* state
) {
    const bool conj = (flags & trsv_conj) != 0, unit = (flags & trsv_unit) != 0, upper = (flags & trsv_upper) != 0;
    const ww_u32 thread = ww_thread_x();
    if (thread == 0) *number = ww_atomic_add(state, 1u);
    ww_barrier();
    const ww_u32 mine = *number;
    const ww_u64 step0 = (ww_u64)mine * trsv_rows;
    const ww_u32 rows = n - step0 < trsv_rows ? (ww_u32)(n - step0) : trsv_rows;
    const bool exists = thread < rows;
    const auto at = [=](ww_u64 step) { return (ww_i64)(upper ? n - 1 - step : step); };
    // This thread's row; a thread without one reads along with the last.
    const ww_u64 step = step0 + (exists ? thread : rows - 1);
    const T* const row = t + at(step) * t_row;
    const auto element = [=](ww_u64 before) {
        const T value = row[at(before) * t_col];
        return conj ? ww_conj(value) : value;
    };
    T sum = x[at(step) * inc];
    // Does not depend on what others solve.
    for (ww_u32 k = 0; k < rows; ++k) {
        if (step0 + k < step || (step0 + k == step && !unit)) triangle[k * trsv_rows + thread] = element(step0 + k);
    }
    // The matrix is read ahead of the products, at the start ahead of the wait too.
    const ww_u32 ahead = sizeof(T) == 16 ? 4 : 8;
    T next[ahead];
    const auto load = [&](ww_u64 before) {
        WW_UNROLL for (ww_u32 i = 0; i < ahead; ++i) next[i] = element(before + i);
    };
    if (mine > 0) load(0);
    for (ww_u32 block = 0; block < mine; ++block) {
        if (thread == 0) {
            while (ww_load_acquire(state + 1 + block) == 0) ww_spin();
        }
        ww_barrier();
        const ww_u64 first = (ww_u64)block * trsv_rows;
        solved[thread] = x[at(first + thread) * inc];
        ww_barrier();
        WW_ROLLED for (ww_u32 k = 0; k < trsv_rows; k += ahead) {
            T now[ahead];
            WW_UNROLL for (ww_u32 i = 0; i < ahead; ++i) now[i] = next[i];
            if (k + ahead < trsv_rows || block + 1 < mine) load(first + k + ahead);
            WW_UNROLL for (ww_u32 i = 0; i < ahead; ++i) sum = ww_fma(ww_neg(now[i]), solved[k + i], sum);
        }
        ww_barrier();
    }
    for (ww_u32 k = 0; k < rows; ++k) {
        if (thread == k) {
            if (!unit) sum = ww_div(sum, triangle[k * trsv_rows + k]);
            sum = ww_canonical(sum);
            solved[k] = sum;
        }
        ww_barrier();
        if (exists && thread > k) sum = ww_fma(ww_neg(triangle[k * trsv_rows + thread]), solved[k], sum);
    }
    if (exists) x[at(step) * inc] = sum;
    ww_fence();
    ww_barrier();
    if (thread == 0) ww_store_release(state + 1 + mine, 1u);
}

#define TRSV(N, T) \
    WW_KERNEL(trsv_##N, 32, ww_u64 n, const T* t, ww_i64 t_row, ww_i64 t_col, T* x, ww_i64 inc, ww_u32 flags, ww_u32* state) { \
        WW_SHARED(ww_u32, number, 1); \
        WW_SHARED(T, triangle, trsv_rows * trsv_rows); \
        WW_SHARED(T, solved, trsv_rows); \
        trsv_solve(number, triangle, solved, n, t, t_row, t_col, x, inc, flags, state); \
    }

WW_EACH_BLAS(TRSV)
