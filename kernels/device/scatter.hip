// out[index[i]] = x[i], by bits, the highest i winning; nothing where the index is out of range, which sets `fault`.
//
// Three launches: each place that is named has no owner; its owner is the highest element that names it; owners write. An owner is the
// number of the element and 1, so fewer than 2³² − 1 elements go at a time. `limit` is as for a gather.

template <class I> WW_DEVICE void clear(ww_u64 len, const I* index, ww_u64 limit, ww_u32* owners) {
    WW_GRID_LOOP(i, len)
        if (index[i] < limit) owners[index[i]] = 0;
}
template <class I> WW_DEVICE void claim(ww_u64 len, const I* index, ww_u64 limit, ww_u32* owners, ww_u32* fault) {
    WW_GRID_LOOP(i, len) {
        if (index[i] < limit) ww_atomic_max(owners + index[i], (ww_u32)i + 1);
        else ww_atomic_or(fault, 1u);
    }
}
template <class T, class I>
WW_DEVICE void place(ww_u64 len, const T* WW_RESTRICT x, const I* WW_RESTRICT index, T* WW_RESTRICT out, ww_u64 limit,
                     const ww_u32* WW_RESTRICT owners) {
    const ww_u32 HELD = 4;
    for (ww_u64 i = ww_index(); i < len; i += ww_stride() * HELD) {
        bool mine[HELD];
        ww_u64 to[HELD];
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) {
            const ww_u64 j = i + u * ww_stride();
            to[u] = j < len ? (ww_u64)index[j] : limit;
        }
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) mine[u] = to[u] < limit && owners[to[u]] == (ww_u32)(i + u * ww_stride()) + 1;
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u)
            if (mine[u]) out[to[u]] = x[i + u * ww_stride()];
    }
}

#define OWN(m, I) \
    WW_KERNEL(clear_##m, 256, ww_u64 len, const I* index, ww_u64 limit, ww_u32* owners) { clear<I>(len, index, limit, owners); } \
    WW_KERNEL(claim_##m, 256, ww_u64 len, const I* index, ww_u64 limit, ww_u32* owners, ww_u32* fault) { \
        claim<I>(len, index, limit, owners, fault); \
    }
OWN(u32, ww_u32)
OWN(u64, ww_u64)
#define KERNEL(n, T, m, I) \
    WW_KERNEL(place_##n##_##m, 256, ww_u64 len, const T* x, const I* index, T* out, ww_u64 limit, const ww_u32* owners) { \
        place<T, I>(len, x, index, out, limit, owners); \
    }
#define BY_u32(n, T) KERNEL(n, T, u32, ww_u32)
#define BY_u64(n, T) KERNEL(n, T, u64, ww_u64)
WW_EACH_WIDTH(BY_u32)
WW_EACH_WIDTH(BY_u64)
