// A stable radix sort, least significant digit first, eight bits at a time, after A. Adinets and D. Merrill, "Onesweep: A faster least
// significant digit radix sort for GPUs", 2022: the digits of all passes are counted in one go; a pass then reads and writes each key once,
// and tiles learn by looking back where their digits go.
//
// A text is for a width of keys and of values. What is moved are bits; `order` says in which order they are.

const ww_u32 BINS = 256, COUNTERS = 256, ITEMS = 16;
struct no_values {};
// Threads of a pass: the longer a tile, the longer are the runs of a digit that it writes; as many as there are registers for.
template <class U, class V> constexpr ww_u32 threads_of = sizeof(U) < 8 && ww_same<V, no_values>::value ? 384 : 256;
// Bytes of shared memory for each element of a tile: values that are longer go part by part.
template <class U, class V> constexpr ww_u32 room_of = sizeof(U) >= sizeof(V) ? sizeof(U) : sizeof(V) < 8 ? sizeof(V) : 8;

// kind: 0, unsigned integers; 1, signed ones; 2, floats, for which everything past `infinity` in magnitude is a NaN. A digit is the bits of
// the key from `shift` on that are in `mask`, and for a descending sort their complement.
struct order {
    ww_u32 kind;
    ww_u64 infinity;
    ww_u32 descending;

    // As `ww_sort_key`.
    template <class U> WW_DEVICE U key(U bits) const {
        const U sign = (U)((U)1 << (sizeof(U) * 8 - 1));
        if (kind == 0) return bits;
        if (kind == 1) return (U)(bits ^ sign);
        const U ordered = (U)((bits & sign) != 0 ? (U)~bits : (U)(bits | sign));
        return (U)(bits & (U)~sign) > (U)infinity ? (U)~(U)0 : ordered;
    }
    template <class U> WW_DEVICE ww_u32 digit(U key, ww_u32 shift, ww_u32 mask) const {
        const ww_u32 digit = (ww_u32)(key >> shift) & mask;
        return descending != 0 ? digit ^ mask : digit;
    }
};
WW_DEVICE ww_u32 mask_of(ww_u32 shift, ww_u32 end) { return end - shift >= 8 ? 255u : (1u << (end - shift)) - 1; }

// Counts the digits of all passes. `counts` is 0 before.
template <class U>
WW_DEVICE void count_digits(ww_u64 len, const U* keys, const order& how, ww_u32 first_bit, ww_u32 end_bit, ww_u64* counts, ww_u32* held) {
    const ww_u32 t = ww_thread_x(), passes = (end_bit - first_bit + 7) / 8, AT_ONCE = 4;
    for (ww_u32 i = t; i < passes * BINS; i += COUNTERS) held[i] = 0;
    ww_barrier();
    // Every lane goes on until all are done: they look at each other's digits.
    for (ww_u64 start = ww_block_x() * (ww_u64)COUNTERS * AT_ONCE; start < len; start += ww_stride() * AT_ONCE) {
        U some[AT_ONCE];
        WW_UNROLL for (ww_u32 u = 0; u < AT_ONCE; ++u) {
            const ww_u64 i = start + u * COUNTERS + t;
            some[u] = i < len ? keys[i] : (U)0;
        }
        WW_UNROLL for (ww_u32 u = 0; u < AT_ONCE; ++u) {
            const bool there = start + u * COUNTERS + t < len;
            const U key = how.key(some[u]);
            for (ww_u32 pass = 0; pass < passes; ++pass) {
                const ww_u32 shift = first_bit + pass * 8, digit = how.digit(key, shift, mask_of(shift, end_bit));
                const ww_u32 first = ww_shuffle(digit, 0);
                // The upper digits of small numbers are all the same, and would be added up one after the other.
                if (ww_all(there && digit == first)) {
                    if (ww_lane() == 0) ww_atomic_add(held + pass * BINS + digit, (ww_u32)WW_WARP);
                } else if (there) {
                    ww_atomic_add(held + pass * BINS + digit, 1u);
                }
            }
        }
    }
    ww_barrier();
    for (ww_u32 i = t; i < passes * BINS; i += COUNTERS)
        if (held[i] != 0) ww_atomic_add(counts + i, (ww_u64)held[i]);
}

// The sum of the values of the threads before this one. `warps` is for a value of each warp, and still read when this returns.
template <class I> WW_DEVICE I sum_before(I value, I* warps) {
    I sum = value;
    for (ww_u32 d = 1; d < WW_WARP; d *= 2) {
        const I other = ww_shuffle_up(sum, d);
        if (ww_lane() >= d) sum += other;
    }
    const ww_u32 warp = ww_thread_x() / WW_WARP;
    if (ww_lane() == WW_WARP - 1) warps[warp] = sum;
    ww_barrier();
    for (ww_u32 w = 0; w < warp; ++w) sum += warps[w];
    return sum - value;
}

// Of a digit of a tile: nothing yet, how many the tile has, how many there are up to and with the tile, from the start of the output on.
const ww_u64 OWN = (ww_u64)1 << 62, ALL = (ww_u64)2 << 62, VALUE = OWN - 1;

template <class U, class V> struct sort_shared {
    // Of 16 bits: a tile has no more elements.
    ww_u16 counts[threads_of<U, V> / WW_WARP][BINS];
    ww_u64 base[BINS], wide[threads_of<U, V> / WW_WARP];
    ww_u32 narrow[threads_of<U, V> / WW_WARP], tile;
};

// One pass. `counts` are those of its digits; `state` holds a word for each digit of each tile, 0 before, as is the ticket.
template <class U, class V>
WW_DEVICE void sort_pass(ww_u64 len, const order& how, ww_u32 shift, ww_u32 end_bit, const U* keys, U* keys_out, const V* values,
                         V* values_out, const ww_u64* counts, ww_u32* ticket, ww_u64* state, void* buffer, sort_shared<U, V>& shared) {
    constexpr ww_u32 THREADS = threads_of<U, V>, TILE = THREADS * ITEMS, WARPS = THREADS / WW_WARP;
    const ww_u32 t = ww_thread_x(), lane = ww_lane(), warp = t / WW_WARP, mask = mask_of(shift, end_bit);
    const ww_u64 tiles = (len + TILE - 1) / TILE;
    U* const held = (U*)buffer;
    for (;;) {
        if (t == 0) shared.tile = ww_atomic_add(ticket, 1u);
        for (ww_u32 i = t; i < WARPS * BINS; i += THREADS) shared.counts[i / BINS][i % BINS] = 0;
        ww_barrier();
        const ww_u64 tile = shared.tile;
        if (tile >= tiles) return;
        const ww_u64 start = tile * TILE;
        const ww_u32 size = (ww_u32)(len - start < TILE ? len - start : TILE);

        // A warp takes elements that lie together, so that the order of lanes and of turns is theirs.
        const ww_u32 first = warp * (WW_WARP * ITEMS) + lane;
        U mine[ITEMS];
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            const ww_u32 i = first + k * WW_WARP;
            mine[k] = (U)0;
            if (i < size) mine[k] = keys[start + i];
        }
        // The place of each among those of its warp with the same digit, and above it the digit.
        ww_u32 slot[ITEMS];
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            // Past the end come the last digits: so they are behind all others.
            const ww_u32 digit = first + k * WW_WARP < size ? how.digit(how.key(mine[k]), shift, mask) : mask;
            ww_lane_mask same = ~(ww_lane_mask)0;
            WW_UNROLL for (ww_u32 b = 0; b < 8; ++b) {
                const bool set = (digit >> b & 1) != 0;
                const ww_lane_mask votes = ww_ballot(set);
                same &= set ? votes : ~votes;
            }
            const ww_u32 below = ww_popcount(same & ww_lanes_below()), before = shared.counts[warp][digit];
            ww_warp_barrier();
            if (below == 0) shared.counts[warp][digit] = (ww_u16)(before + ww_popcount(same));
            ww_warp_barrier();
            slot[k] = digit << 16 | (before + below);
        }
        ww_barrier();

        // Thread `t` has digit `t`, if there is one.
        ww_u32 own = 0;
        if (t < BINS) {
            WW_UNROLL for (ww_u32 w = 0; w < WARPS; ++w) {
                const ww_u32 count = shared.counts[w][t];
                shared.counts[w][t] = (ww_u16)own;
                own += count;
            }
            if (tile != 0) ww_store_relaxed(state + tile * BINS + t, OWN | own);
        }
        const ww_u32 digits_before = sum_before(own, shared.narrow);
        if (t < BINS) {
            WW_UNROLL for (ww_u32 w = 0; w < WARPS; ++w) shared.counts[w][t] = (ww_u16)(shared.counts[w][t] + digits_before);
        }
        ww_barrier();
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            slot[k] = (slot[k] & 0xffff) + shared.counts[warp][slot[k] >> 16];
            held[slot[k]] = mine[k];
        }

        ww_u64 before = 0;
        if (tile == 0) {
            before = sum_before(t < BINS ? counts[t] : 0, shared.wide);
        } else if (t < BINS) {
            for (ww_u64 other = tile - 1;; --other) {
                ww_u64 word = ww_load_relaxed(state + other * BINS + t);
                while (word == 0) {
                    ww_spin();
                    word = ww_load_relaxed(state + other * BINS + t);
                }
                before += word & VALUE;
                // The first tile has nothing before it that it would have to wait for.
                if (word >= ALL) break;
            }
        }
        if (t < BINS) {
            ww_store_relaxed(state + tile * BINS + t, ALL | (before + own));
            shared.base[t] = before - digits_before;
        }
        ww_barrier();

        // The digits of the keys written, four to a word, for their values.
        ww_u32 digits[ITEMS / 4];
        WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
            const ww_u32 i = k * THREADS + t;
            if (k % 4 == 0) digits[k / 4] = 0;
            if (i < size) {
                const U key = held[i];
                const ww_u32 digit = how.digit(how.key(key), shift, mask);
                digits[k / 4] |= digit << (k % 4 * 8);
                keys_out[shared.base[digit] + i] = key;
            }
        }
        if constexpr (!ww_same<V, no_values>::value) {
            V* const held_values = (V*)buffer;
            constexpr ww_u32 ROOM = room_of<U, V>, PART = sizeof(V) <= ROOM ? TILE : TILE / sizeof(V) * ROOM;
            WW_UNROLL for (ww_u32 part = 0; part < TILE / PART; ++part) {
                ww_barrier();
                WW_UNROLL for (ww_u32 k = 0; k < ITEMS; ++k) {
                    const ww_u32 i = first + k * WW_WARP;
                    if (i < size && slot[k] / PART == part) held_values[slot[k] - part * PART] = ww_load(values + (start + i));
                }
                ww_barrier();
                WW_UNROLL for (ww_u32 k = part * (PART / THREADS); k < (part + 1) * (PART / THREADS); ++k) {
                    const ww_u32 i = k * THREADS + t;
                    if (i < size) ww_store(values_out + (shared.base[digits[k / 4] >> (k % 4 * 8) & 255] + i), held_values[i - part * PART]);
                }
            }
        }
    }
}

#define COUNT(n, U) \
    WW_KERNEL(count_##n, 256, ww_u64 len, const U* keys, ww_u32 kind, ww_u64 infinity, ww_u32 descending, ww_u32 first_bit, \
              ww_u32 end_bit, ww_u64* counts) { \
        WW_SHARED(ww_u32, held, sizeof(U) * BINS); \
        count_digits<U>(len, keys, order{kind, infinity, descending}, first_bit, end_bit, counts, held); \
    }
WW_EACH_UNSIGNED(COUNT)
#define KEYS(n, U, BOUND) \
    WW_KERNEL(keys_##n, BOUND, ww_u64 len, ww_u32 kind, ww_u64 infinity, ww_u32 descending, ww_u32 shift, ww_u32 end_bit, const U* keys, \
              U* keys_out, const ww_u64* counts, ww_u32* ticket, ww_u64* state) { \
        WW_SHARED(ww_bytes16, held, (threads_of<U, no_values> * ITEMS * sizeof(U) / 16)); \
        typedef sort_shared<U, no_values> pass_shared; \
        WW_SHARED(pass_shared, shared, 1); \
        sort_pass<U, no_values>(len, order{kind, infinity, descending}, shift, end_bit, keys, keys_out, nullptr, nullptr, counts, ticket, \
                                state, held, shared[0]); \
    }
#define KEYS_SHORT(n, U) KEYS(n, U, WW_CROWDED(384, 768))
#define KEYS_LONG(n, U) KEYS(n, U, 256)
WW_X_u8(KEYS_SHORT) WW_X_u16(KEYS_SHORT) WW_X_u32(KEYS_SHORT) WW_X_u64(KEYS_LONG)
#define PAIRS(n, U, m, V) \
    WW_KERNEL(pairs_##n##_##m, 256, ww_u64 len, ww_u32 kind, ww_u64 infinity, ww_u32 descending, ww_u32 shift, ww_u32 end_bit, \
              const U* keys, U* keys_out, const ww_u64* counts, ww_u32* ticket, ww_u64* state, const V* values, V* values_out) { \
        WW_SHARED(ww_bytes16, held, (threads_of<U, V> * ITEMS * room_of<U, V> / 16)); \
        typedef sort_shared<U, V> pass_shared; \
        WW_SHARED(pass_shared, shared, 1); \
        sort_pass<U, V>(len, order{kind, infinity, descending}, shift, end_bit, keys, keys_out, values, values_out, counts, ticket, state, \
                        held, shared[0]); \
    }
#define PAIRS_u8(m, V) PAIRS(u8, ww_u8, m, V)
#define PAIRS_u16(m, V) PAIRS(u16, ww_u16, m, V)
#define PAIRS_u32(m, V) PAIRS(u32, ww_u32, m, V)
#define PAIRS_u64(m, V) PAIRS(u64, ww_u64, m, V)
WW_EACH_WIDTH(PAIRS_u8)
WW_EACH_WIDTH(PAIRS_u16)
WW_EACH_WIDTH(PAIRS_u32)
WW_EACH_WIDTH(PAIRS_u64)
