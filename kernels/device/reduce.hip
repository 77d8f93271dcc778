// Reductions by the tree of `numerics::tree`: chunks of 8,192 elements; lane l of 1,024 takes l, l + 1,024, … in ascending order; lanes
// combine as a binary tree of neighbours; chunks are reduced again in the same way, by another launch. What is missing is skipped.
//
// `along` reduces lines that are contiguous, `across` lines whose elements are `ld` apart and which lie side by side.

const ww_u32 THREADS = 256, CHUNK = 8192, LANES = 1024, ROWS = CHUNK / LANES;
// What becomes of a result: 0, it stays a partial one; 1, it is rounded to the type; 2, it is divided by a count before.
const ww_u32 KEEP = 0, MEAN = 2;

// The bits of a NaN do not matter before the end.
struct sum {
    template <class A> static WW_DEVICE A of(A a, A b) {
        if constexpr (ww_is_integer<A>) return ww_add(a, b);
        else return ww_plus(a, b);
    }
};
struct prod {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_mul(a, b); }
};
struct least {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_minimum(a, b); }
};
struct most {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_maximum(a, b); }
};

template <class P> WW_DEVICE P divided(P sum, ww_u64 count) { return ww_div(sum, ww_cast<P>(count)); }
template <class P> WW_DEVICE ww_complex<P> divided(ww_complex<P> sum, ww_u64 count) {
    return {divided(sum.re, count), divided(sum.im, count)};
}
template <class T> WW_DEVICE void finish(void* out, ww_u64 i, ww_acc<T> value, ww_u32 how, ww_u64 count) {
    if (how == KEEP) {
        ((ww_acc<T>*)out)[i] = value;
        return;
    }
    if constexpr (!ww_is_integer<T>) {
        if (how == MEAN) value = divided(value, count);
    }
    ((T*)out)[i] = ww_narrow<T>(value);
}

// Lanes `lane` to `lane + 3` of a chunk of `size` elements, and these four combined; anything if there is none of them.
template <class OP, class A, class S> WW_DEVICE A four_lanes(const S* at, ww_u32 size, ww_u32 lane) {
    const int N = sizeof(S) <= 4 ? 4 : 16 / sizeof(S), PACKS = 4 / N;
    // As many rows at a time as 128 bytes hold.
    const int HELD = ROWS / PACKS;
    A acc[4] = {};
    if (size == CHUNK && ww_packed<N>(at)) {
        WW_UNROLL for (ww_u32 row = 0; row < ROWS; row += HELD) {
            ww_pack<S, N> held[HELD][PACKS];
            WW_UNROLL for (int r = 0; r < HELD; ++r)
                WW_UNROLL for (int p = 0; p < PACKS; ++p) held[r][p] = ww_load_pack<N>(at + (row + r) * LANES + lane + p * N);
            WW_UNROLL for (int r = 0; r < HELD; ++r)
                WW_UNROLL for (int j = 0; j < 4; ++j) {
                    const A x = ww_widen(held[r][j / N].at[j % N]);
                    acc[j] = row + r == 0 ? x : OP::of(acc[j], x);
                }
        }
        return OP::of(OP::of(acc[0], acc[1]), OP::of(acc[2], acc[3]));
    }
    // Fewer where each load has a condition of its own, which takes registers too.
    const int SOME = HELD < 4 ? HELD : 4;
    for (ww_u32 row = 0; row * LANES < size; row += SOME) {
        S held[SOME][4];
        WW_UNROLL for (int r = 0; r < SOME; ++r)
            WW_UNROLL for (int j = 0; j < 4; ++j) {
                const ww_u32 i = (row + r) * LANES + lane + j;
                held[r][j] = i < size ? at[i] : S{};
            }
        WW_UNROLL for (int r = 0; r < SOME; ++r)
            WW_UNROLL for (int j = 0; j < 4; ++j) {
                const ww_u32 i = (row + r) * LANES + lane + j;
                const A x = ww_widen(held[r][j]);
                if (i < size) acc[j] = i < LANES ? x : OP::of(acc[j], x);
            }
    }
    const A low = lane + 1 < size ? OP::of(acc[0], acc[1]) : acc[0];
    const A high = lane + 3 < size ? OP::of(acc[2], acc[3]) : acc[2];
    return lane + 2 < size ? OP::of(low, high) : low;
}

// `lines` lines of `len` elements, `ld` apart: a result for each chunk of each line, those of a line together. Each chunk is the work of
// 2^log_group threads of a block, four lanes to each.
template <class OP, class T, class S>
WW_DEVICE void along(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const S* x, void* out, ww_u32 how, ww_u64 count,
                     ww_acc<T>* joined) {
    typedef ww_acc<T> A;
    const ww_u32 group = 1u << log_group, t = ww_thread_x() & (group - 1), lane = ww_lane();
    const ww_u64 chunks = (len + CHUNK - 1) / CHUNK, units = lines * chunks, step = THREADS >> log_group;
    for (ww_u64 first = ww_block_x() * step; first < units; first += ww_blocks_x() * step) {
        const ww_u64 unit = first + (ww_thread_x() >> log_group);
        const S* at = x;
        ww_u32 size = 0;
        if (unit < units) {
            const ww_u64 line = chunks == 1 ? unit : unit / chunks, start = (unit - line * chunks) * CHUNK;
            at = x + line * ld + start;
            size = (ww_u32)(len - start < CHUNK ? len - start : CHUNK);
        }
        A value = four_lanes<OP, A>(at, size, t * 4);
        // Threads that have a lane.
        ww_u32 there = ((size < LANES ? size : LANES) + 3) / 4;
        // What a thread that begins no pair gets is not looked at.
        for (ww_u32 d = 1; d < group && d < WW_WARP; d *= 2) {
            const A other = ww_shuffle_down(value, d);
            if (t + d < there) value = OP::of(value, other);
        }
        if (group > WW_WARP) {
            const ww_u32 warps = group / WW_WARP, warp = ww_thread_x() / WW_WARP;
            if (lane == 0) joined[warp] = value;
            ww_barrier();
            there = (there + WW_WARP - 1) / WW_WARP;
            value = joined[(warp & ~(warps - 1)) + (lane & (warps - 1))];
            for (ww_u32 d = 1; d < warps; d *= 2) {
                const A other = ww_shuffle_down(value, d);
                if (lane + d < there) value = OP::of(value, other);
            }
            ww_barrier();
        }
        if (t == 0 && unit < units) finish<T>(out, unit, value, how, count);
    }
}

// `lines` lines of `len` elements that are `ld` apart, line after line beginning side by side: the results for each chunk, chunk after
// chunk. A block takes V lines for each of 2^log_width threads; threads with the same lines share the lanes of a chunk, so that each
// has a whole subtree.
template <class OP, class T, int V, class S>
WW_DEVICE void across(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const S* x, void* out, ww_u32 how, ww_u64 count,
                      ww_acc<T> (*joined)[V]) {
    typedef ww_acc<T> A;
    const ww_u32 width = 1u << log_width, height = THREADS >> log_width;
    const ww_u32 t = ww_thread_x(), y = t >> log_width;
    const ww_u64 chunks = (len + CHUNK - 1) / CHUNK, beside = (lines + width * V - 1) / (width * V);
    for (ww_u64 unit = ww_block_x(); unit < chunks * beside; unit += ww_blocks_x()) {
        const ww_u64 chunk = unit / beside, line = ((unit - chunk * beside) * width + (t & (width - 1))) * V;
        const ww_u64 rest = len - chunk * CHUNK;
        const ww_u32 size = (ww_u32)(rest < CHUNK ? rest : CHUNK), lanes = size < LANES ? size : LANES;
        // Lanes of a thread: a power of two, so that they are a subtree.
        const ww_u32 log_share = 32 - ww_clz((lanes + height - 1) / height - 1), begin = y << log_share;
        const ww_u32 end = begin + (1u << log_share) < lanes ? begin + (1u << log_share) : lanes;
        const ww_u32 mine = line < lines && begin < end ? end - begin : 0;
        const S* at = x + chunk * CHUNK * ld + line;
        // Subtrees of 2^k lanes that wait for their neighbour.
        A waiting[8][V] = {};
        for (ww_u32 i = 0; i < mine; ++i) {
            const ww_u32 lane = begin + i;
            ww_pack<S, V> held[ROWS];
            WW_UNROLL for (ww_u32 r = 0; r < ROWS; ++r)
                held[r] = ww_load_pack<V>(at + (lane + r * LANES < size ? lane + r * LANES : lane) * ld);
            A value[V];
            WW_UNROLL for (int v = 0; v < V; ++v) value[v] = ww_widen(held[0].at[v]);
            WW_UNROLL for (ww_u32 r = 1; r < ROWS; ++r)
                if (lane + r * LANES < size)
                    WW_UNROLL for (int v = 0; v < V; ++v) value[v] = OP::of(value[v], ww_widen(held[r].at[v]));
            bool placed = false;
            WW_UNROLL for (int k = 0; k < 8; ++k) {
                if (!placed) {
                    if ((i >> k & 1) != 0) {
                        WW_UNROLL for (int v = 0; v < V; ++v) value[v] = OP::of(waiting[k][v], value[v]);
                    } else {
                        WW_UNROLL for (int v = 0; v < V; ++v) waiting[k][v] = value[v];
                        placed = true;
                    }
                }
            }
        }
        A value[V] = {};
        bool any = false;
        WW_UNROLL for (int k = 0; k < 8; ++k) {
            if ((mine >> k & 1) != 0) {
                WW_UNROLL for (int v = 0; v < V; ++v) value[v] = any ? OP::of(waiting[k][v], value[v]) : waiting[k][v];
                any = true;
            }
        }
        WW_UNROLL for (int v = 0; v < V; ++v) joined[t][v] = value[v];
        ww_barrier();
        const ww_u32 there = (lanes + (1u << log_share) - 1) >> log_share;
        for (ww_u32 d = 1; d < there; d *= 2) {
            if ((y & (2 * d - 1)) == 0 && y + d < there) {
                WW_UNROLL for (int v = 0; v < V; ++v) {
                    value[v] = OP::of(value[v], joined[t + (d << log_width)][v]);
                    joined[t][v] = value[v];
                }
            }
            ww_barrier();
        }
        if (y == 0 && line < lines) {
            WW_UNROLL for (int v = 0; v < V; ++v) finish<T>(out, chunk * lines + line + v, value[v], how, count);
        }
    }
}

// `partial`: what is read are partial results.
template <class OP, class T>
WW_DEVICE void along_any(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const void* x, ww_u32 partial, void* out, ww_u32 how,
                         ww_u64 count, ww_acc<T>* joined) {
    if constexpr (ww_is_narrow<T>) {
        if (partial != 0) return along<OP, T>(len, lines, ld, log_group, (const float*)x, out, how, count, joined);
    }
    along<OP, T>(len, lines, ld, log_group, (const T*)x, out, how, count, joined);
}
template <class OP, class T, int V>
WW_DEVICE void across_any(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const void* x, ww_u32 partial, void* out, ww_u32 how,
                          ww_u64 count, ww_acc<T> (*joined)[V]) {
    ww_acc<T>(*const single)[1] = (ww_acc<T>(*)[1])joined;
    if constexpr (ww_is_narrow<T>) {
        if (partial != 0) return across<OP, T, 1>(len, lines, ld, log_width, (const float*)x, out, how, count, single);
    }
    if constexpr (V > 1) {
        if (ww_packed<V>((const T*)x) && ld % V == 0 && lines % V == 0)
            return across<OP, T, V>(len, lines, ld, log_width, (const T*)x, out, how, count, joined);
    }
    across<OP, T, 1>(len, lines, ld, log_width, (const T*)x, out, how, count, single);
}

#define KERNEL(NAME, OP, n, T) \
    WW_KERNEL(NAME##_along_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_group, const void* x, ww_u32 partial, void* out, \
              ww_u32 how, ww_u64 count) { \
        WW_SHARED(ww_acc<T>, joined, 8); \
        along_any<OP, T>(len, lines, ld, log_group, x, partial, out, how, count, joined); \
    } \
    WW_KERNEL(NAME##_across_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u32 log_width, const void* x, ww_u32 partial, void* out, \
              ww_u32 how, ww_u64 count) { \
        typedef ww_acc<T> lines_of_thread[sizeof(T) < 4 ? 4 / sizeof(T) : 1]; \
        WW_SHARED(lines_of_thread, joined, 256); \
        across_any<OP, T>(len, lines, ld, log_width, x, partial, out, how, count, joined); \
    }
#define SUM(n, T) KERNEL(sum, sum, n, T)
#define PROD(n, T) KERNEL(prod, prod, n, T)
#define MIN(n, T) KERNEL(min, least, n, T)
#define MAX(n, T) KERNEL(max, most, n, T)
WW_EACH(SUM)
WW_EACH(PROD)
WW_EACH_REAL(MIN)
WW_EACH_REAL(MAX)

// How many elements of a mask are not 0: a number for each block.
WW_KERNEL(count, 256, ww_u64 len, const ww_u8* mask, ww_u64* out) {
    WW_SHARED(ww_u64, joined, 8);
    ww_u64 total = 0;
    ww_u64 head = ww_before_pack<16>(mask);
    head = head < len ? head : len;
    const ww_u64 packs = (len - head) / 16;
    for (ww_u64 i = ww_index(); i < packs; i += ww_stride() * 2) {
        ww_bytes16 held[2];
        WW_UNROLL for (int u = 0; u < 2; ++u) {
            const ww_u64 j = i + u * ww_stride();
            held[u] = j < packs ? *(const ww_bytes16*)(mask + head + j * 16) : ww_bytes16{};
        }
        WW_UNROLL for (int u = 0; u < 2; ++u)
            WW_UNROLL for (int w = 0; w < 4; ++w) {
                // The top bit of each byte that is not 0.
                const ww_u32 word = held[u].word[w];
                total += ww_popcount((((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u);
            }
    }
    const ww_u64 outside = head + (len - head - packs * 16);
    for (ww_u64 i = ww_index(); i < outside; i += ww_stride()) total += mask[i < head ? i : i + packs * 16] != 0 ? 1 : 0;
    for (ww_u32 d = 1; d < WW_WARP; d *= 2) total += ww_shuffle_xor(total, d);
    if (ww_lane() == 0) joined[ww_thread_x() / WW_WARP] = total;
    ww_barrier();
    if (ww_thread_x() == 0) {
        total = 0;
        for (ww_u32 w = 0; w < THREADS / WW_WARP; ++w) total += joined[w];
        out[ww_block_x()] = total;
    }
}
