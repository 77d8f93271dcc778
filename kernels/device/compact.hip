// The elements x[i] with mask[i] ≠ 0, in their order, at the start of `out`, and how many they are. By bits.
//
// One pass: a block takes tiles by tickets, and learns by looking back how many elements the tiles before it have selected, after
// D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016. Numbers are integers: when a tile learns
// them makes no difference.

const ww_u32 THREADS = 256, ITEMS = 16, TILE = THREADS * ITEMS, WARPS = THREADS / WW_WARP;
// Of a tile: nothing yet, how many it has selected, how many up to and with it.
const ww_u64 OWN = (ww_u64)1 << 62, ALL = (ww_u64)2 << 62, VALUE = OWN - 1;

struct compact_shared {
    ww_u64 before;
    ww_u32 tile, warps[WARPS];
};

// What the tiles before `tile` have selected: a warp looks at as many of them at a time as it has lanes.
WW_DEVICE ww_u64 look_back(ww_u64 tile, const ww_u64* state) {
    ww_u64 sum = 0;
    for (ww_u64 end = tile;; end -= WW_WARP) {
        const ww_u32 lane = ww_lane();
        // Before the first tile there is nothing.
        ww_u64 word = ALL;
        if (lane < end) {
            word = ww_load_relaxed(state + end - 1 - lane);
            while (word == 0) {
                ww_spin();
                word = ww_load_relaxed(state + end - 1 - lane);
            }
        }
        // The nearest that knows all before it.
        const ww_lane_mask all = ww_ballot(word >= ALL), behind = all & ww_lanes_below();
        ww_u64 part = behind == 0 ? word & VALUE : 0;
        for (ww_u32 d = 1; d < WW_WARP; d *= 2) part += ww_shuffle_xor(part, d);
        sum += part;
        if (all != 0) return sum;
    }
}

template <class T>
WW_DEVICE void compact(ww_u64 len, const T* x, const ww_u8* mask, T* out, ww_u64* count, ww_u32* ticket, ww_u64* state,
                       compact_shared& shared) {
    const ww_u32 t = ww_thread_x(), lane = ww_lane(), warp = t / WW_WARP;
    const ww_u64 tiles = len == 0 ? 1 : (len + TILE - 1) / TILE;
    for (;;) {
        if (t == 0) shared.tile = ww_atomic_add(ticket, 1u);
        ww_barrier();
        const ww_u64 tile = shared.tile;
        if (tile >= tiles) return;
        // A warp takes elements that lie together.
        const ww_u64 first = tile * TILE + warp * (WW_WARP * ITEMS) + lane;
        ww_lane_mask selected[ITEMS];
        ww_u32 own = 0;
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            const ww_u64 i = first + k * WW_WARP;
            ww_u8 wanted = 0;
            if (i < len) wanted = mask[i];
            selected[k] = ww_ballot(wanted != 0);
            own += ww_popcount(selected[k]);
        }
        if (lane == 0) shared.warps[warp] = own;
        ww_barrier();
        ww_u32 total = 0, place = 0;
        WW_UNROLL for (ww_u32 w = 0; w < WARPS; ++w) {
            if (w < warp) place += shared.warps[w];
            total += shared.warps[w];
        }
        if (warp == 0) {
            if (t == 0 && tile != 0) ww_store_relaxed(state + tile, OWN | total);
            const ww_u64 before = look_back(tile, state);
            if (t == 0) {
                ww_store_relaxed(state + tile, ALL | (before + total));
                shared.before = before;
                if (tile + 1 == tiles) *count = before + total;
            }
        }
        ww_barrier();
        T* to = out + shared.before + place;
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            if ((selected[k] >> lane & 1) != 0) to[ww_popcount(selected[k] & ww_lanes_below())] = x[first + k * WW_WARP];
            to += ww_popcount(selected[k]);
        }
    }
}

#define KERNEL(n, T) \
    WW_KERNEL(compact_##n, 256, ww_u64 len, const T* x, const ww_u8* mask, T* out, ww_u64* count, ww_u32* ticket, ww_u64* state) { \
        WW_SHARED(compact_shared, shared, 1); \
        compact<T>(len, x, mask, out, count, ticket, state, shared[0]); \
    }
WW_EACH_WIDTH(KERNEL)
