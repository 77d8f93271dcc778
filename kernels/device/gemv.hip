// Matrices by vectors: each element of the result is the sum over a row by the reduction tree, as of `dot`: chunks of 8,192, in which lane l
// of 1,024 takes the elements l, l + 1,024, …, and neighbouring lanes are combined.
//
// Where rows are contiguous, a warp makes a row's chunk: its threads have 16 bytes of neighbouring lanes each, some of the lanes at a time.
// Where columns are, and for matrices of which one triangle is stored, a thread has a row and 8 neighbouring lanes, and the threads beside
// it have the next rows. Rows of more than one chunk leave partial results, in a matrix whose columns are chunks, to be reduced again.

const ww_u32 gemv_chunk = 8192, gemv_lanes = 1024;

// The end: of a product with `alpha` and `beta`, or, plainly, the sum.
template <class T> struct gemv_end {
    T alpha, beta;
    T* y;
    ww_i64 inc;
    bool plain;
    WW_DEVICE void operator()(ww_u64 row, T sum) const {
        T* const at = y + (ww_i64)row * inc;
        if (plain) *at = ww_canonical(sum);
        else if (ww_equal(beta, ww_zero<T>())) *at = ww_mul(alpha, sum);
        else *at = ww_canonical(ww_fma(alpha, sum, ww_mul(beta, *at)));
    }
};

// ---- Contiguous rows ----

// Combines what comes in order as a tree of neighbours: where a binary counter carries, two are combined.
template <class T> struct gemv_counter {
    static const int levels = 6;
    T waiting[levels];
    ww_u32 count = 0;
    WW_DEVICE void add(T value) {
        bool carry = true;
        WW_UNROLL for (int i = 0; i < levels; ++i) {
            if (carry) {
                if ((count >> i & 1) != 0) {
                    value = ww_plus(waiting[i], value);
                } else {
                    waiting[i] = value;
                    carry = false;
                }
            }
        }
        ++count;
    }
    WW_DEVICE T sum() const {
        T sum = ww_zero<T>();
        bool any = false;
        WW_UNROLL for (int i = 0; i < levels; ++i) {
            if ((count >> i & 1) != 0) {
                sum = any ? ww_plus(waiting[i], sum) : waiting[i];
                any = true;
            }
        }
        return sum;
    }
};

template <class T>
WW_DEVICE void gemv_rows(
    ww_u64 m, ww_u64 n, const T* a, ww_i64 ld, bool conj, const T* x, ww_i64 incx, gemv_end<T> end, T* partial
) {
    const int mine = 16 / sizeof(T), steps = gemv_chunk / gemv_lanes, ahead = sizeof(T) == 16 ? 4 : 8;
    struct alignas(16) Pack {
        T at[mine];
    };
    const bool packs = incx == 1 && (ww_u64)x % 16 == 0 && (ww_u64)a % 16 == 0 && ld % mine == 0;
    const ww_u64 chunks = (n + gemv_chunk - 1) / gemv_chunk, warps = ww_stride() / WW_WARP;
    const ww_u32 lane = ww_thread_x() % WW_WARP;
    for (ww_u64 item = ww_index() / WW_WARP; item < m * chunks; item += warps) {
        const ww_u64 chunk = chunks == 1 ? 0 : item / m, row = item - chunk * m, start = chunk * gemv_chunk;
        const ww_u32 count = n - start < gemv_chunk ? (ww_u32)(n - start) : gemv_chunk, lanes = count < gemv_lanes ? count : gemv_lanes;
        const T* const from = a + ((ww_i64)row * ld + (ww_i64)start);
        const T* const with = x + (ww_i64)start * incx;
        gemv_counter<T> nodes;
        WW_ROLLED for (ww_u32 round = 0; round < lanes; round += WW_WARP * mine) {
            const ww_u32 lane0 = round + lane * mine;
            T sum[mine];
            WW_UNROLL for (int e = 0; e < mine; ++e) sum[e] = ww_zero<T>();
            if (packs && count == gemv_chunk) {
                WW_ROLLED for (int step0 = 0; step0 < steps; step0 += ahead) {
                    Pack u[ahead], v[ahead];
                    WW_UNROLL for (int i = 0; i < ahead; ++i) {
                        const ww_u32 at = (ww_u32)(step0 + i) * gemv_lanes + lane0;
                        u[i] = *(const Pack*)(from + at);
                        v[i] = *(const Pack*)(with + at);
                    }
                    WW_UNROLL for (int i = 0; i < ahead; ++i) {
                        WW_UNROLL for (int e = 0; e < mine; ++e) {
                            const T value = conj ? ww_conj(u[i].at[e]) : u[i].at[e];
                            sum[e] = step0 + i == 0 ? ww_mul(value, v[i].at[e]) : ww_fma(value, v[i].at[e], sum[e]);
                        }
                    }
                }
            } else {
                WW_ROLLED for (ww_u32 at = lane0; at < count; at += gemv_lanes) {
                    Pack u = {}, v = {};
                    if (packs && at + mine <= count) {
                        u = *(const Pack*)(from + at);
                        v = *(const Pack*)(with + at);
                    } else {
                        WW_UNROLL for (int e = 0; e < mine; ++e) {
                            if (at + e < count) {
                                u.at[e] = from[at + e];
                                v.at[e] = with[(ww_i64)(at + e) * incx];
                            }
                        }
                    }
                    WW_UNROLL for (int e = 0; e < mine; ++e) {
                        const T value = conj ? ww_conj(u.at[e]) : u.at[e];
                        const T next = at < gemv_lanes ? ww_mul(value, v.at[e]) : ww_fma(value, v.at[e], sum[e]);
                        if (at + e < count) sum[e] = next;
                    }
                }
            }
            WW_UNROLL for (int half = 1; half < mine; half *= 2) {
                WW_UNROLL for (int e = 0; e < mine; e += 2 * half) {
                    if (lane0 + e + half < lanes) sum[e] = ww_plus(sum[e], sum[e + half]);
                }
            }
            WW_UNROLL for (ww_u32 half = 1; half < WW_WARP; half *= 2) {
                const T other = ww_shuffle_down(sum[0], half);
                if (lane0 + half * mine < lanes) sum[0] = ww_plus(sum[0], other);
            }
            nodes.add(sum[0]);
        }
        if (lane == 0) {
            if (chunks == 1) end(row, nodes.sum());
            else partial[chunk * m + row] = nodes.sum();
        }
    }
}

// ---- Threads with a row each ----

template <class T> struct gemv_block {
    static const ww_u32 threads = 256, rows = sizeof(T) == 16 ? 16 : 32, groups = threads / rows, mine = 8, all = gemv_lanes / mine;
    static const ww_u32 shared = all * rows;
};

// `Rows` says how many elements a row has, `elements(row)`, and makes of element `i` of it the start of a lane, `first(row, i)`, or the next
// sum, `next(sum, row, i)`. Chunks are those of the longest row, `n`.
template <class T, class Rows>
WW_DEVICE void gemv_columns(T* shared, ww_u64 m, ww_u64 n, const Rows& rows, gemv_end<T> end, T* partial) {
    typedef gemv_block<T> B;
    const ww_u64 chunks = (n + gemv_chunk - 1) / gemv_chunk, blocks = (m + B::rows - 1) / B::rows;
    const ww_u32 in = ww_thread_x() % B::rows, group0 = ww_thread_x() / B::rows;
    for (ww_u64 item = ww_block_x(); item < blocks * chunks; item += ww_blocks_x()) {
        const ww_u64 chunk = chunks == 1 ? 0 : item / blocks, row = (item - chunk * blocks) * B::rows + in, start = chunk * gemv_chunk;
        const ww_u64 elements = row < m ? rows.elements(row) : 0, left = elements > start ? elements - start : 0;
        const ww_u32 count = left < gemv_chunk ? (ww_u32)left : gemv_chunk, lanes = count < gemv_lanes ? count : gemv_lanes;
        WW_ROLLED for (ww_u32 group = group0; group * B::mine < lanes; group += B::groups) {
            const ww_u32 lane0 = group * B::mine;
            T sum[B::mine];
            // Where there is no element, the last one is taken: what comes of it is not looked at.
            const auto clamped = [=](ww_u32 at) { return start + (at < count ? at : count - 1); };
            WW_UNROLL for (ww_u32 e = 0; e < B::mine; ++e) sum[e] = rows.first(row, clamped(lane0 + e));
            ww_u32 at = lane0 + gemv_lanes;
            WW_ROLLED for (; at + B::mine <= count; at += gemv_lanes) {
                WW_UNROLL for (ww_u32 e = 0; e < B::mine; ++e) sum[e] = rows.next(sum[e], row, start + at + e);
            }
            if (at < count) {
                WW_UNROLL for (ww_u32 e = 0; e < B::mine; ++e) {
                    const T next = rows.next(sum[e], row, clamped(at + e));
                    if (at + e < count) sum[e] = next;
                }
            }
            WW_UNROLL for (ww_u32 half = 1; half < B::mine; half *= 2) {
                WW_UNROLL for (ww_u32 e = 0; e < B::mine; e += 2 * half) {
                    if (lane0 + e + half < lanes) sum[e] = ww_plus(sum[e], sum[e + half]);
                }
            }
            shared[group * B::rows + in] = sum[0];
        }
        ww_barrier();
        WW_ROLLED for (ww_u32 half = 1; half < B::all; half *= 2) {
            WW_ROLLED for (ww_u32 group = group0 * 2 * half; group < B::all; group += B::groups * 2 * half) {
                T* const at = shared + group * B::rows + in;
                if ((group + half) * B::mine < lanes) *at = ww_plus(*at, at[half * B::rows]);
            }
            ww_barrier();
        }
        if (group0 == 0 && count > 0) {
            if (chunks == 1) end(row, shared[in]);
            else partial[chunk * m + row] = shared[in];
        }
    }
}

// Rows of a matrix.
template <class T> struct gemv_matrix {
    const T* a;
    ww_i64 row_stride, col_stride;
    bool conj;
    const T* x;
    ww_i64 inc;
    ww_u64 n;
    WW_DEVICE ww_u64 elements(ww_u64) const { return n; }
    WW_DEVICE T at(ww_u64 row, ww_u64 i) const {
        const T value = a[(ww_i64)row * row_stride + (ww_i64)i * col_stride];
        return conj ? ww_conj(value) : value;
    }
    WW_DEVICE T first(ww_u64 row, ww_u64 i) const { return ww_mul(at(row, i), x[(ww_i64)i * inc]); }
    WW_DEVICE T next(T sum, ww_u64 row, ww_u64 i) const { return ww_fma(at(row, i), x[(ww_i64)i * inc], sum); }
};

// Rows of a symmetric or Hermitian matrix: what is not stored is mirrored.
template <class T> struct gemv_symmetric {
    const T* a;
    // Of the larger and of the smaller one of the two indices.
    ww_i64 most_stride, least_stride;
    bool upper, hermitian;
    const T* x;
    ww_i64 inc;
    ww_u64 n;
    WW_DEVICE ww_u64 elements(ww_u64) const { return n; }
    WW_DEVICE T at(ww_u64 row, ww_u64 i) const {
        // By arithmetic instead of conditions, of which there would be one for each of the elements that a thread has at a time: there are
        // not enough registers for them. A square matrix has fewer than 2³¹ rows.
        const ww_u32 r = (ww_u32)row, c = (ww_u32)i, most = r > c ? r : c, least = r > c ? c : r;
        const ww_i32 over = (ww_i32)(c - r), mirrored = (upper ? over : -over) >> 31, beside = (over | -over) >> 31;
        T value = a[most * most_stride + least * least_stride];
        if constexpr (ww_is_complex<T>) {
            typedef typename ww_type<ww_magnitude<T>>::bits U;
            if (hermitian) {
                const U sign = (U)((U)1 << (sizeof(U) * 8 - 1));
                value.im = ww_from_bits((U)((ww_bits(value.im) ^ ((U)(ww_i64)mirrored & sign)) & (U)(ww_i64)beside));
            }
        }
        return value;
    }
    WW_DEVICE T first(ww_u64 row, ww_u64 i) const { return ww_mul(at(row, i), x[(ww_i64)i * inc]); }
    WW_DEVICE T next(T sum, ww_u64 row, ww_u64 i) const { return ww_fma(at(row, i), x[(ww_i64)i * inc], sum); }
};

// How many elements a row has: all (0), or those inside a triangle.
const ww_u32 gemv_lower = 1, gemv_upper = 2;
WW_DEVICE ww_u64 gemv_elements(ww_u32 triangle, ww_u64 n, ww_u64 row) {
    return triangle == gemv_lower ? row + 1 : triangle == gemv_upper ? n - row : n;
}

// The parts of rows inside a triangle.
template <class T> struct gemv_triangle {
    const T* a;
    ww_i64 row_stride, col_stride;
    bool conj, unit;
    ww_u32 triangle;
    const T* x;
    ww_u64 n;
    WW_DEVICE ww_u64 elements(ww_u64 row) const { return gemv_elements(triangle, n, row); }
    WW_DEVICE ww_u64 column(ww_u64 row, ww_u64 i) const { return triangle == gemv_upper ? row + i : i; }
    WW_DEVICE T at(ww_u64 row, ww_u64 col) const {
        if (unit && row == col) return ww_one<T>();
        const T value = a[(ww_i64)row * row_stride + (ww_i64)col * col_stride];
        return conj ? ww_conj(value) : value;
    }
    WW_DEVICE T first(ww_u64 row, ww_u64 i) const { return ww_mul(at(row, column(row, i)), x[column(row, i)]); }
    WW_DEVICE T next(T sum, ww_u64 row, ww_u64 i) const { return ww_fma(at(row, column(row, i)), x[column(row, i)], sum); }
};

// Partial results: one for each `unit` elements of a row.
template <class T> struct gemv_partial {
    const T* from;
    ww_u64 m, n, unit;
    ww_u32 triangle;
    WW_DEVICE ww_u64 elements(ww_u64 row) const { return (gemv_elements(triangle, n, row) + unit - 1) / unit; }
    WW_DEVICE T first(ww_u64 row, ww_u64 i) const { return from[i * m + row]; }
    WW_DEVICE T next(T sum, ww_u64 row, ww_u64 i) const { return ww_plus(sum, from[i * m + row]); }
};

#define GEMV(N, T) \
    WW_KERNEL( \
        gemv_rows_##N, 256, ww_u64 m, ww_u64 n, T alpha, const T* a, ww_i64 ld, ww_u32 conj, const T* x, ww_i64 incx, T beta, T* y, \
        ww_i64 incy, T* partial \
    ) { \
        gemv_rows<T>(m, n, a, ld, conj != 0, x, incx, {alpha, beta, y, incy, false}, partial); \
    } \
    WW_KERNEL( \
        gemv_columns_##N, 256, ww_u64 m, ww_u64 n, T alpha, const T* a, ww_i64 ld, ww_u32 conj, const T* x, ww_i64 incx, T beta, T* y, \
        ww_i64 incy, T* partial \
    ) { \
        WW_SHARED(T, shared, gemv_block<T>::shared); \
        const gemv_matrix<T> rows = {a, 1, ld, conj != 0, x, incx, n}; \
        gemv_columns<T>(shared, m, n, rows, {alpha, beta, y, incy, false}, partial); \
    } \
    WW_KERNEL( \
        symv_##N, 256, ww_u64 n, T alpha, const T* a, ww_i64 row_stride, ww_i64 col_stride, ww_u32 upper, ww_u32 hermitian, const T* x, \
        ww_i64 incx, T beta, T* y, ww_i64 incy, T* partial \
    ) { \
        WW_SHARED(T, shared, gemv_block<T>::shared); \
        const gemv_symmetric<T> rows = { \
            a, upper != 0 ? col_stride : row_stride, upper != 0 ? row_stride : col_stride, upper != 0, hermitian != 0, x, incx, n \
        }; \
        gemv_columns<T>(shared, n, n, rows, {alpha, beta, y, incy, false}, partial); \
    } \
    /* From a contiguous copy of the vector. */ \
    WW_KERNEL( \
        trmv_##N, 256, ww_u64 n, const T* a, ww_i64 row_stride, ww_i64 col_stride, ww_u32 conj, ww_u32 unit, ww_u32 triangle, \
        const T* old, T* x, ww_i64 incx, T* partial \
    ) { \
        WW_SHARED(T, shared, gemv_block<T>::shared); \
        const gemv_triangle<T> rows = {a, row_stride, col_stride, conj != 0, unit != 0, triangle, old, n}; \
        gemv_columns<T>(shared, n, n, rows, {T{}, T{}, x, incx, true}, partial); \
    } \
    WW_KERNEL( \
        gemv_level_##N, 256, ww_u64 m, ww_u64 n, ww_u64 unit, ww_u32 triangle, const T* from, T alpha, T beta, T* y, ww_i64 incy, \
        ww_u32 plain, T* partial \
    ) { \
        WW_SHARED(T, shared, gemv_block<T>::shared); \
        const gemv_partial<T> rows = {from, m, n, unit, triangle}; \
        gemv_columns<T>(shared, m, (n + unit - 1) / unit, rows, {alpha, beta, y, incy, plain != 0}, partial); \
    }

WW_EACH_BLAS(GEMV)
