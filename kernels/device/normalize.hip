// Softmax and layer normalization, as `numerics::softmax` and `numerics::layer_norm` define them: lines that are reduced by the tree of
// `numerics::tree` and then replaced.
//
// A contiguous line of one chunk, for layer normalization of half a chunk, is read once, into registers (`softmax_rows`, `layer_norm_rows`). Of other lines the chunks are reduced
// first, by `along` where lines are contiguous and by `across` where they lie side by side; then all elements are replaced.

const ww_u32 THREADS = 256, CHUNK = 8192, LANES = 1024, ROWS = CHUNK / LANES;

// ---- What the tree combines ----

template <class C> struct state {
    C max, sum;
};
template <class C> struct online {
    typedef state<C> result;
    static WW_DEVICE result first(C x, C) { return {x, (C)1}; }
    static WW_DEVICE result next(result a, C x, C) { return join(a, {x, (C)1}); }
    static WW_DEVICE result join(result a, result b) {
        const C d = b.max == a.max ? (C)0 : b.max - a.max, e = ww_exp(-ww_math_abs(d));
        const bool later = d > (C)0;
        return {later ? b.max : a.max, ww_fma(later ? a.sum : b.sum, e, later ? b.sum : a.sum)};
    }
};
template <class C> struct total {
    typedef C result;
    static WW_DEVICE C first(C x, C) { return x; }
    static WW_DEVICE C next(C a, C x, C) { return a + x; }
    static WW_DEVICE C join(C a, C b) { return a + b; }
};
template <class C> struct squares {
    typedef C result;
    static WW_DEVICE C first(C x, C mean) { return (x - mean) * (x - mean); }
    static WW_DEVICE C next(C a, C x, C mean) { return ww_fma(x - mean, x - mean, a); }
    static WW_DEVICE C join(C a, C b) { return a + b; }
};

// ---- What becomes of an element ----

template <class C> struct softmax_end {
    C max, sum, log_sum;
    bool log;

    WW_DEVICE C value(ww_u64, C x) const {
        const C below = x - max;
        return log ? below - log_sum : ww_exp(below) / sum;
    }
};
template <class C> WW_DEVICE softmax_end<C> end_of(state<C> s, bool log) {
    const C sum = s.sum + (s.max - s.max);
    return {s.max, sum, log ? ww_log(sum) : sum, log};
}

template <class T> struct norm_end {
    typedef ww_acc<T> C;
    C mean, scale;
    const T *gamma, *beta;

    WW_DEVICE C value(ww_u64 i, C x) const {
        const C factor = gamma != nullptr ? ww_widen(gamma[i]) : (C)1, summand = beta != nullptr ? ww_widen(beta[i]) : -(C)0;
        return ww_fma((x - mean) * scale, factor, summand);
    }
};
template <class T>
WW_DEVICE norm_end<T> end_of(ww_acc<T> mean, ww_acc<T> sum, ww_acc<T> n, ww_acc<T> epsilon, const T* gamma, const T* beta) {
    return {mean, (ww_acc<T>)1 / ww_sqrt_rn(sum / n + epsilon), gamma, beta};
}

// An element that is what it is to become.
template <class C> struct made {
    WW_DEVICE C value(ww_u64, C x) const { return x; }
};

// ---- A chunk in registers ----

// A thread has lanes `lane` to `lane + 3` of a chunk of `size` elements.
template <class T, ww_u32 HELD> WW_DEVICE void hold(const T* at, ww_u32 size, ww_u32 lane, ww_acc<T> (&held)[HELD][4]) {
    const int N = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
    if (ww_packed<N>(at) && size % 4 == 0) {
        WW_IN_REGISTERS for (ww_u32 row = 0; row < HELD; ++row)
            if (row * LANES + lane < size)
                WW_UNROLL for (int p = 0; p < 4 / N; ++p) {
                    const ww_pack<T, N> pack = ww_load_pack<N>(at + row * LANES + lane + p * N);
                    WW_UNROLL for (int k = 0; k < N; ++k) held[row][p * N + k] = ww_widen(pack.at[k]);
                }
    } else {
        WW_IN_REGISTERS for (ww_u32 row = 0; row < HELD; ++row)
            WW_UNROLL for (int j = 0; j < 4; ++j)
                if (row * LANES + lane + j < size) held[row][j] = ww_widen(at[row * LANES + lane + j]);
    }
}
template <class T, class E, ww_u32 HELD>
WW_DEVICE void put(T* out, ww_u64 step, ww_u32 size, ww_u32 lane, const ww_acc<T> (&held)[HELD][4], const E& end) {
    const int N = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
    if (step == 1 && ww_packed<N>(out) && size % 4 == 0) {
        WW_IN_REGISTERS for (ww_u32 row = 0; row < HELD; ++row)
            if (row * LANES + lane < size)
                WW_UNROLL for (int p = 0; p < 4 / N; ++p) {
                    const ww_u32 i = row * LANES + lane + p * N;
                    T results[N];
                    WW_UNROLL for (int k = 0; k < N; ++k) results[k] = ww_narrow<T>(end.value(i + k, held[row][p * N + k]));
                    ww_pack<T, N> pack;
                    WW_UNROLL for (int k = 0; k < N; ++k) pack.at[k] = results[k];
                    ww_store_pack<N>(out + i, pack);
                }
    } else {
        WW_IN_REGISTERS for (ww_u32 row = 0; row < HELD; ++row)
            WW_UNROLL for (int j = 0; j < 4; ++j) {
                const ww_u32 i = row * LANES + lane + j;
                if (i < size) out[i * step] = ww_narrow<T>(end.value(i, held[row][j]));
            }
    }
}

// The four lanes combined; anything if there is none of them.
template <class OP, class R> WW_DEVICE R four_lanes(const R (&acc)[4], ww_u32 size, ww_u32 lane) {
    const R low = lane + 1 < size ? OP::join(acc[0], acc[1]) : acc[0];
    const R high = lane + 3 < size ? OP::join(acc[2], acc[3]) : acc[2];
    return lane + 2 < size ? OP::join(low, high) : low;
}
template <class OP, class C, ww_u32 HELD>
WW_DEVICE typename OP::result of_thread(const C (&held)[HELD][4], ww_u32 size, ww_u32 lane, C shift) {
    typename OP::result acc[4] = {};
    WW_IN_REGISTERS for (ww_u32 row = 0; row < HELD; ++row)
        if (row * LANES < size)
            WW_IN_REGISTERS for (int j = 0; j < 4; ++j)
                if (row * LANES + lane + j < size)
                    acc[j] = row == 0 ? OP::first(held[row][j], shift) : OP::next(acc[j], held[row][j], shift);
    return four_lanes<OP>(acc, size, lane);
}
// The result of a chunk from those of 2^log_group threads, for all of them.
template <class OP, class R> WW_DEVICE R of_group(R value, ww_u32 size, ww_u32 log_group, R* joined) {
    const ww_u32 group = 1u << log_group, t = ww_thread_x() & (group - 1), lane = ww_lane();
    // Threads that have a lane. What a thread that begins no pair gets is not looked at.
    ww_u32 there = ((size < LANES ? size : LANES) + 3) / 4;
    for (ww_u32 d = 1; d < group && d < WW_WARP; d *= 2) {
        const R other = ww_shuffle_down(value, d);
        if (t + d < there) value = OP::join(value, other);
    }
    if (group <= WW_WARP) return ww_shuffle(value, lane & ~(group - 1));
    const ww_u32 warps = group / WW_WARP, warp = ww_thread_x() / WW_WARP;
    if (lane == 0) joined[warp] = value;
    ww_barrier();
    // Every warp does the rest for itself.
    there = (there + WW_WARP - 1) / WW_WARP;
    value = joined[(warp & ~(warps - 1)) + (lane & (warps - 1))];
    for (ww_u32 d = 1; d < warps; d *= 2) {
        const R other = ww_shuffle_down(value, d);
        if (lane + d < there) value = OP::join(value, other);
    }
    ww_barrier();
    return ww_shuffle(value, 0);
}

// ---- Lines of one chunk ----

// Rows for which a thread of `layer_norm_rows` has registers, beside all else that it needs: `launch::normalize` knows.
const ww_u32 KEPT = ROWS / 2;

// `lines` contiguous lines of `len` elements, each the work of 2^log_group threads of a block.
template <class T>
WW_DEVICE void softmax_lines(ww_u64 len, ww_u64 lines, ww_u32 log_group, const T* x, ww_u64 x_line, T* out, ww_u64 out_line,
                             ww_u64 out_step, bool log, state<ww_acc<T>>* joined) {
    typedef ww_acc<T> C;
    const ww_u32 lane = (ww_thread_x() & ((1u << log_group) - 1)) * 4;
    const ww_u64 step = THREADS >> log_group;
    for (ww_u64 first = ww_block_x() * step; first < lines; first += ww_blocks_x() * step) {
        const ww_u64 line = first + (ww_thread_x() >> log_group);
        const ww_u32 size = line < lines ? (ww_u32)len : 0;
        C held[ROWS][4] = {};
        hold(x + line * x_line, size, lane, held);
        const state<C> s = of_group<online<C>>(of_thread<online<C>>(held, size, lane, (C)0), size, log_group, joined);
        put(out + line * out_line, out_step, size, lane, held, end_of(s, log));
    }
}
template <class T>
WW_DEVICE void norm_lines(ww_u64 len, ww_u64 lines, ww_u32 log_group, const T* x, ww_u64 x_line, T* out, ww_u64 out_line,
                          ww_u64 out_step, const T* gamma, const T* beta, ww_acc<T> epsilon, ww_acc<T>* joined) {
    typedef ww_acc<T> C;
    const ww_u32 lane = (ww_thread_x() & ((1u << log_group) - 1)) * 4;
    const ww_u64 step = THREADS >> log_group;
    const C n = ww_cast<C>(len);
    for (ww_u64 first = ww_block_x() * step; first < lines; first += ww_blocks_x() * step) {
        const ww_u64 line = first + (ww_thread_x() >> log_group);
        const ww_u32 size = line < lines ? (ww_u32)len : 0;
        C held[KEPT][4] = {};
        hold(x + line * x_line, size, lane, held);
        const C mean = of_group<total<C>>(of_thread<total<C>>(held, size, lane, (C)0), size, log_group, joined) / n;
        const C sum = of_group<squares<C>>(of_thread<squares<C>>(held, size, lane, mean), size, log_group, joined);
        const norm_end<T> end = end_of<T>(mean, sum, n, epsilon, gamma, beta);
        WW_IN_REGISTERS for (ww_u32 row = 0; row < KEPT; ++row) {
            if (row * LANES < len) {
                // Else the factors and summands of all rows are loaded at once, and there are no registers for so many.
                ww_warp_barrier();
                WW_UNROLL for (int j = 0; j < 4; ++j)
                    if (row * LANES + lane + j < size) held[row][j] = end.value(row * LANES + lane + j, held[row][j]);
            }
        }
        put(out + line * out_line, out_step, size, lane, held, made<C>{});
    }
}

// ---- Chunks of longer lines, and of lines side by side ----

// A result for each chunk of each line, those of a line together. With `sums` the elements are taken less the mean of their line.
template <class OP, class T>
WW_DEVICE void along(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const T* x, const ww_acc<T>* sums, typename OP::result* to,
                     typename OP::result* joined) {
    typedef ww_acc<T> C;
    const ww_u32 lane = (ww_thread_x() & ((1u << log_group) - 1)) * 4;
    const ww_u64 chunks = (len + CHUNK - 1) / CHUNK, units = lines * chunks, step = THREADS >> log_group;
    for (ww_u64 first = ww_block_x() * step; first < units; first += ww_blocks_x() * step) {
        const ww_u64 unit = first + (ww_thread_x() >> log_group);
        const T* at = x;
        ww_u32 size = 0;
        C shift = (C)0;
        if (unit < units) {
            const ww_u64 line = chunks == 1 ? unit : unit / chunks, start = (unit - line * chunks) * CHUNK;
            at = x + line * ld + start;
            size = (ww_u32)(len - start < CHUNK ? len - start : CHUNK);
            if (sums != nullptr) shift = sums[line] / ww_cast<C>(len);
        }
        C held[ROWS][4] = {};
        hold(at, size, lane, held);
        const typename OP::result value = of_group<OP>(of_thread<OP>(held, size, lane, shift), size, log_group, joined);
        if (lane == 0 && unit < units) to[unit] = value;
    }
}

// The results for each chunk, chunk after chunk. A block takes a line for each of 2^log_width threads; threads with the same line share the
// lanes of a chunk, so that each has a whole subtree.
template <class OP, class T>
WW_DEVICE void across(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const T* x, const ww_acc<T>* sums, typename OP::result* to,
                      typename OP::result* joined) {
    typedef ww_acc<T> C;
    typedef typename OP::result R;
    const ww_u32 width = 1u << log_width, height = THREADS >> log_width;
    const ww_u32 t = ww_thread_x(), y = t >> log_width;
    const ww_u64 chunks = (len + CHUNK - 1) / CHUNK, beside = (lines + width - 1) / width;
    for (ww_u64 unit = ww_block_x(); unit < chunks * beside; unit += ww_blocks_x()) {
        const ww_u64 chunk = unit / beside, line = (unit - chunk * beside) * width + (t & (width - 1));
        const ww_u64 rest = len - chunk * CHUNK;
        const ww_u32 size = (ww_u32)(rest < CHUNK ? rest : CHUNK), lanes = size < LANES ? size : LANES;
        // Lanes of a thread: a power of two, so that they are a subtree.
        const ww_u32 log_share = 32 - ww_clz((lanes + height - 1) / height - 1), begin = y << log_share;
        const ww_u32 end = begin + (1u << log_share) < lanes ? begin + (1u << log_share) : lanes;
        const ww_u32 mine = line < lines && begin < end ? end - begin : 0;
        const T* at = x + chunk * CHUNK * ld + line;
        const C shift = sums != nullptr && line < lines ? sums[line] / ww_cast<C>(len) : (C)0;
        // Subtrees of 2^k lanes that wait for their neighbour.
        R waiting[8] = {};
        for (ww_u32 i = 0; i < mine; ++i) {
            const ww_u32 lane = begin + i;
            T held[ROWS];
            WW_UNROLL for (ww_u32 r = 0; r < ROWS; ++r) held[r] = at[(lane + r * LANES < size ? lane + r * LANES : lane) * ld];
            R value = OP::first(ww_widen(held[0]), shift);
            WW_UNROLL for (ww_u32 r = 1; r < ROWS; ++r)
                if (lane + r * LANES < size) value = OP::next(value, ww_widen(held[r]), shift);
            bool placed = false;
            WW_UNROLL for (int k = 0; k < 8; ++k) {
                if (!placed) {
                    if ((i >> k & 1) != 0) {
                        value = OP::join(waiting[k], value);
                    } else {
                        waiting[k] = value;
                        placed = true;
                    }
                }
            }
        }
        R value = {};
        bool any = false;
        WW_UNROLL for (int k = 0; k < 8; ++k) {
            if ((mine >> k & 1) != 0) {
                value = any ? OP::join(waiting[k], value) : waiting[k];
                any = true;
            }
        }
        joined[t] = value;
        ww_barrier();
        const ww_u32 there = (lanes + (1u << log_share) - 1) >> log_share;
        for (ww_u32 d = 1; d < there; d *= 2) {
            if ((y & (2 * d - 1)) == 0 && y + d < there) {
                value = OP::join(value, joined[t + (d << log_width)]);
                joined[t] = value;
            }
            ww_barrier();
        }
        if (y == 0 && line < lines) to[chunk * lines + line] = value;
    }
}

// Results of chunks that are reduced once more: `len` for each of `lines` lines, result c of line l at l · line + c · step. Those of a line
// come together.
template <class OP>
WW_DEVICE void join(ww_u64 len, ww_u64 lines, ww_u64 line_step, ww_u64 step, ww_u32 log_group, const typename OP::result* from,
                    typename OP::result* to, typename OP::result* joined) {
    typedef typename OP::result R;
    const ww_u32 lane = (ww_thread_x() & ((1u << log_group) - 1)) * 4;
    const ww_u64 chunks = (len + CHUNK - 1) / CHUNK, units = lines * chunks, many = THREADS >> log_group;
    for (ww_u64 first = ww_block_x() * many; first < units; first += ww_blocks_x() * many) {
        const ww_u64 unit = first + (ww_thread_x() >> log_group);
        const ww_u64 line = unit / chunks, start = (unit - line * chunks) * CHUNK;
        const ww_u32 size = unit < units ? (ww_u32)(len - start < CHUNK ? len - start : CHUNK) : 0;
        const R* at = from + line * line_step + start * step;
        R acc[4] = {};
        WW_ROLLED for (ww_u32 row = 0; row * LANES < size; ++row)
            WW_UNROLL for (int j = 0; j < 4; ++j) {
                const ww_u32 i = row * LANES + lane + j;
                if (i < size) acc[j] = row == 0 ? at[i * step] : OP::join(acc[j], at[i * step]);
            }
        const R value = of_group<OP>(four_lanes<OP>(acc, size, lane), size, log_group, joined);
        if (lane == 0 && unit < units) to[unit] = value;
    }
}

// ---- Elements replaced ----

template <class T> struct softmax_ends {
    const state<ww_acc<T>>* states;
    bool log;
    WW_DEVICE softmax_end<ww_acc<T>> of(ww_u64 line) const { return end_of(states[line], log); }
};
template <class T> struct norm_ends {
    const ww_acc<T> *sums, *squares;
    ww_acc<T> n, epsilon;
    const T *gamma, *beta;
    WW_DEVICE norm_end<T> of(ww_u64 line) const { return end_of<T>(sums[line] / n, squares[line], n, epsilon, gamma, beta); }
};

// A block takes 2^log_width neighbours in memory: elements of a line, or if `beside` is not 0 lines. A thread takes MANY elements of one line.
template <class T, class E>
WW_DEVICE void apply(ww_u64 len, ww_u64 lines, ww_u32 log_width, ww_u32 beside, const T* x, ww_u64 x_line, ww_u64 x_step, T* out,
                     ww_u64 out_line, ww_u64 out_step, const E& ends) {
    const ww_u32 MANY = 8;
    const ww_u32 width = 1u << log_width, height = THREADS >> log_width;
    const ww_u32 near = ww_thread_x() & (width - 1), far = ww_thread_x() >> log_width;
    const ww_u32 line_threads = beside != 0 ? width : height, element_threads = beside != 0 ? height : width;
    const ww_u64 stretch = (ww_u64)element_threads * MANY, stretches = (len + stretch - 1) / stretch;
    const ww_u64 units = (lines + line_threads - 1) / line_threads * stretches;
    for (ww_u64 unit = ww_block_x(); unit < units; unit += ww_blocks_x()) {
        const ww_u64 block = unit / stretches, line = block * line_threads + (beside != 0 ? near : far);
        const ww_u64 first = (unit - block * stretches) * stretch + (beside != 0 ? far : near);
        if (line < lines) {
            const T* at = x + line * x_line;
            T held[MANY] = {};
            WW_UNROLL for (ww_u32 k = 0; k < MANY; ++k)
                if (first + k * element_threads < len) held[k] = at[(first + k * element_threads) * x_step];
            const auto end = ends.of(line);
            WW_UNROLL for (ww_u32 k = 0; k < MANY; ++k) {
                const ww_u64 i = first + k * element_threads;
                if (i < len) out[line * out_line + i * out_step] = ww_narrow<T>(end.value(i, ww_widen(held[k])));
            }
        }
    }
}

#define SOFTMAX(n, T) \
    WW_KERNEL(softmax_rows_##n, 256, ww_u64 len, ww_u64 lines, ww_u32 log_group, const T* x, ww_u64 x_line, T* out, ww_u64 out_line, \
              ww_u64 out_step, ww_u32 log) { \
        WW_SHARED(state<ww_acc<T>>, joined, 8); \
        softmax_lines<T>(len, lines, log_group, x, x_line, out, out_line, out_step, log != 0, joined); \
    } \
    WW_KERNEL(softmax_along_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const T* x, void* to) { \
        WW_SHARED(state<ww_acc<T>>, joined, 8); \
        along<online<ww_acc<T>>, T>(len, lines, ld, log_group, x, nullptr, (state<ww_acc<T>>*)to, joined); \
    } \
    WW_KERNEL(softmax_across_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const T* x, void* to) { \
        WW_SHARED(state<ww_acc<T>>, joined, 256); \
        across<online<ww_acc<T>>, T>(len, lines, ld, log_width, x, nullptr, (state<ww_acc<T>>*)to, joined); \
    } \
    WW_KERNEL(softmax_join_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 line_step, ww_u64 step, ww_u32 log_group, const void* from, void* to) { \
        WW_SHARED(state<ww_acc<T>>, joined, 8); \
        join<online<ww_acc<T>>>(len, lines, line_step, step, log_group, (const state<ww_acc<T>>*)from, (state<ww_acc<T>>*)to, joined); \
    } \
    WW_KERNEL(softmax_apply_##n, 256, ww_u64 len, ww_u64 lines, ww_u32 log_width, ww_u32 beside, const T* x, ww_u64 x_line, \
              ww_u64 x_step, T* out, ww_u64 out_line, ww_u64 out_step, const void* states, ww_u32 log) { \
        apply(len, lines, log_width, beside, x, x_line, x_step, out, out_line, out_step, \
              softmax_ends<T>{(const state<ww_acc<T>>*)states, log != 0}); \
    }
WW_EACH_FLOAT(SOFTMAX)

#define LAYER_NORM(n, T) \
    WW_KERNEL(layer_norm_rows_##n, WW_ONE_BLOCK(256), ww_u64 len, ww_u64 lines, ww_u32 log_group, const T* x, ww_u64 x_line, T* out, \
              ww_u64 out_line, ww_u64 out_step, const T* gamma, const T* beta, ww_acc<T> epsilon) { \
        WW_SHARED(ww_acc<T>, joined, 8); \
        norm_lines<T>(len, lines, log_group, x, x_line, out, out_line, out_step, gamma, beta, epsilon, joined); \
    } \
    WW_KERNEL(squares_along_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const T* x, const void* sums, void* to) { \
        WW_SHARED(ww_acc<T>, joined, 8); \
        along<squares<ww_acc<T>>, T>(len, lines, ld, log_group, x, (const ww_acc<T>*)sums, (ww_acc<T>*)to, joined); \
    } \
    WW_KERNEL(squares_across_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const T* x, const void* sums, void* to) { \
        WW_SHARED(ww_acc<T>, joined, 256); \
        across<squares<ww_acc<T>>, T>(len, lines, ld, log_width, x, (const ww_acc<T>*)sums, (ww_acc<T>*)to, joined); \
    } \
    WW_KERNEL(layer_norm_apply_##n, 256, ww_u64 len, ww_u64 lines, ww_u32 log_width, ww_u32 beside, const T* x, ww_u64 x_line, \
              ww_u64 x_step, T* out, ww_u64 out_line, ww_u64 out_step, const void* sums, const void* sums_of_squares, const T* gamma, \
              const T* beta, ww_acc<T> epsilon) { \
        typedef const ww_acc<T>* of_lines; \
        apply(len, lines, log_width, beside, x, x_line, x_step, out, out_line, out_step, \
              norm_ends<T>{(of_lines)sums, (of_lines)sums_of_squares, ww_cast<ww_acc<T>>(len), epsilon, gamma, beta}); \
    }
WW_EACH_FLOAT(LAYER_NORM)
