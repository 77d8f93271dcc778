// The index of the first smallest or largest element, NaN before any number.
//
// Each element has a rank, an integer that is the smaller the sooner it wins: its place in the order, or the complement of that, and 0 for
// a NaN. Of two elements the one with the smaller rank wins, then the one with the smaller index: so they may be compared in any order.
// Lines are cut into parts; without ranks to write, a line is one part and its index the result.

const ww_u32 THREADS = 256;

template <class U> struct best_of {
    U rank;
    ww_u64 index;

    WW_DEVICE void take(U other_rank, ww_u64 other_index) {
        if (other_rank < rank || (other_rank == rank && other_index < index)) {
            rank = other_rank;
            index = other_index;
        }
    }
};
// What loses against everything.
template <class U> WW_DEVICE best_of<U> nothing() { return {(U)~(U)0, ~(ww_u64)0}; }

template <class T> WW_DEVICE typename ww_type<T>::bits rank_of(T x, bool largest) {
    typedef typename ww_type<T>::bits U;
    const U key = ww_sort_key(x);
    // The key of a NaN is the greatest, so that its complement is 0 as it should be.
    if (largest) return (U)~key;
    if constexpr (ww_is_integer<T>) return key;
    else return key == (U)~(U)0 ? (U)0 : key;
}

// The best of a group of 2^log_group threads of a block, which all have one; thread 0 of the group gets it.
template <class U> WW_DEVICE void join_group(best_of<U>& best, ww_u32 log_group, best_of<U>* joined) {
    const ww_u32 group = 1u << log_group, lane = ww_lane();
    for (ww_u32 d = 1; d < group && d < WW_WARP; d *= 2) {
        const U rank = ww_shuffle_xor(best.rank, d);
        const ww_u64 index = ww_shuffle_xor(best.index, d);
        best.take(rank, index);
    }
    if (group > WW_WARP) {
        const ww_u32 warps = group / WW_WARP, warp = ww_thread_x() / WW_WARP;
        if (lane == 0) joined[warp] = best;
        ww_barrier();
        if ((ww_thread_x() & (group - 1)) == 0)
            for (ww_u32 w = 1; w < warps; ++w) best.take(joined[warp + w].rank, joined[warp + w].index);
        ww_barrier();
    }
}

template <class U> WW_DEVICE void finish(ww_u64 i, const best_of<U>& best, ww_u64* ranks, ww_u64* out) {
    if (ranks != nullptr) ranks[i] = best.rank;
    out[i] = best.index;
}

// `lines` lines of `len` elements, `ld` apart, in parts of `part` elements: the results of the parts of a line are together.
template <class T>
WW_DEVICE void along(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u64 part, ww_u32 log_group, const T* x, bool largest, ww_u64* ranks,
                     ww_u64* out, best_of<typename ww_type<T>::bits>* joined) {
    typedef typename ww_type<T>::bits U;
    constexpr ww_u32 PACK = ww_pack_of<T>, HELD = 4;
    const ww_u32 group = 1u << log_group, t = ww_thread_x() & (group - 1);
    const ww_u64 parts = (len + part - 1) / part, units = lines * parts, step = THREADS >> log_group;
    for (ww_u64 first = ww_block_x() * step; first < units; first += ww_blocks_x() * step) {
        const ww_u64 unit = first + (ww_thread_x() >> log_group);
        best_of<U> best = nothing<U>();
        if (unit < units) {
            const ww_u64 line = parts == 1 ? unit : unit / parts, begin = (unit - line * parts) * part;
            const ww_u64 size = len - begin < part ? len - begin : part;
            const T* at = x + line * ld + begin;
            ww_u64 head = ww_before_pack<PACK>(at);
            head = head < size ? head : size;
            const ww_u64 packs = (size - head) / PACK, stride = group;
            for (ww_u64 i = t; i < packs; i += stride * HELD) {
                ww_pack<T, PACK> held[HELD];
                // What is past the end is the first again, which does no harm.
                WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u)
                    held[u] = ww_load_pack<PACK>(at + head + (i + u * stride < packs ? i + u * stride : i) * PACK);
                WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) {
                    const ww_u64 from = head + (i + u * stride < packs ? i + u * stride : i) * PACK;
                    WW_UNROLL for (ww_u32 j = 0; j < PACK; ++j) best.take(rank_of(held[u].at[j], largest), begin + from + j);
                }
            }
            for (ww_u64 i = t; i < size - packs * PACK; i += stride) {
                const ww_u64 from = i < head ? i : i + packs * PACK;
                best.take(rank_of(at[from], largest), begin + from);
            }
        }
        join_group(best, log_group, joined);
        if (t == 0 && unit < units) finish(unit, best, ranks, out);
    }
}

// `lines` lines that begin side by side and whose elements are `ld` apart; as `along` otherwise. A block takes 2^log_width lines.
template <class T>
WW_DEVICE void across(ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u64 part, ww_u32 log_width, const T* x, bool largest, ww_u64* ranks,
                      ww_u64* out, best_of<typename ww_type<T>::bits>* joined) {
    typedef typename ww_type<T>::bits U;
    const ww_u32 HELD = 4;
    const ww_u32 width = 1u << log_width, height = THREADS >> log_width, t = ww_thread_x(), y = t >> log_width;
    const ww_u64 parts = (len + part - 1) / part, beside = (lines + width - 1) / width;
    for (ww_u64 unit = ww_block_x(); unit < parts * beside; unit += ww_blocks_x()) {
        const ww_u64 which = unit / beside, line = (unit - which * beside) * width + (t & (width - 1)), begin = which * part;
        const ww_u64 end = len - begin < part ? len : begin + part;
        best_of<U> best = nothing<U>();
        if (line < lines) {
            for (ww_u64 i = begin + y; i < end; i += height * HELD) {
                T held[HELD];
                WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) held[u] = x[(i + u * height < end ? i + u * height : i) * ld + line];
                WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u)
                    best.take(rank_of(held[u], largest), i + u * height < end ? i + u * height : i);
            }
        }
        joined[t] = best;
        ww_barrier();
        for (ww_u32 d = height / 2; d > 0; d /= 2) {
            if (y < d) {
                best.take(joined[t + (d << log_width)].rank, joined[t + (d << log_width)].index);
                joined[t] = best;
            }
            ww_barrier();
        }
        if (y == 0 && line < lines) finish(line * parts + which, best, ranks, out);
    }
}

#define KERNEL(n, T) \
    WW_KERNEL(along_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u64 part, ww_u32 log_group, const T* x, ww_u32 largest, \
              ww_u64* ranks, ww_u64* out) { \
        WW_SHARED(best_of<ww_type<T>::bits>, joined, 8); \
        along<T>(len, lines, ld, part, log_group, x, largest != 0, ranks, out, joined); \
    } \
    WW_KERNEL(across_##n, 256, ww_u64 len, ww_u64 lines, ww_u64 ld, ww_u64 part, ww_u32 log_width, const T* x, ww_u32 largest, \
              ww_u64* ranks, ww_u64* out) { \
        WW_SHARED(best_of<ww_type<T>::bits>, joined, 256); \
        across<T>(len, lines, ld, part, log_width, x, largest != 0, ranks, out, joined); \
    }
WW_EACH_REAL(KERNEL)

// The best part of each line. A block takes a line.
WW_KERNEL(join, 256, ww_u64 parts, ww_u64 lines, const ww_u64* ranks, const ww_u64* indices, ww_u64* out) {
    WW_SHARED(best_of<ww_u64>, joined, 8);
    for (ww_u64 line = ww_block_x(); line < lines; line += ww_blocks_x()) {
        best_of<ww_u64> best = nothing<ww_u64>();
        for (ww_u64 i = ww_thread_x(); i < parts; i += THREADS) best.take(ranks[line * parts + i], indices[line * parts + i]);
        join_group(best, 8, joined);
        if (ww_thread_x() == 0) out[line] = best.index;
    }
}
