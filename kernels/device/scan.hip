// Prefix sums, products, minima and maxima by the tree of `numerics::scan`: runs of 16 elements, groups of 32 runs, tiles of 8 groups,
// nodes of 32 tiles, of 32 nodes, and so on.
//
// One pass over memory. A block takes tiles by tickets; each thread has a run. The total of a tile is known from the tile alone, and is
// published at once; the total of a node is published by its last tile, as soon as that has the totals of the tiles before it. A tile
// scans the totals of its earlier siblings, of its node's earlier siblings, and so on, each level in other threads: its prefix is
// combined from one number of each level. So nothing waits for a prefix, only for totals of tiles with earlier tickets, and no result
// depends on when they come.

const ww_u32 THREADS = 256, RUN = 16, FAN = 32, GROUPS = 8, TILE = RUN * FAN * GROUPS;

// The bits of a NaN do not matter before the end.
struct sum {
    template <class A> static WW_DEVICE A of(A a, A b) {
        if constexpr (ww_is_integer<A>) return ww_add(a, b);
        else return ww_plus(a, b);
    }
    template <class T> static WW_DEVICE T of_nothing() { return ww_zero<T>(); }
};
struct prod {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_mul(a, b); }
    template <class T> static WW_DEVICE T of_nothing() { return ww_one<T>(); }
};
struct least {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_minimum(a, b); }
    template <class T> static WW_DEVICE T of_nothing() { return ww_greatest<T>(); }
};
struct most {
    template <class A> static WW_DEVICE A of(A a, A b) { return ww_maximum(a, b); }
    template <class T> static WW_DEVICE T of_nothing() { return ww_least<T>(); }
};

// Totals that blocks hand to each other. A word is 0 until its total is there; totals of up to 4 bytes are in the word itself.
template <class A> struct totals {
    ww_u64* words;
    A* values;

    WW_DEVICE void publish(ww_u64 i, A value) const {
        if constexpr (sizeof(A) <= 4) {
            ww_store_relaxed(words + i, (ww_u64)1 << 32 | ww_to_words(value).word[0]);
        } else {
            values[i] = value;
            ww_store_release(words + i, (ww_u64)1);
        }
    }
    WW_DEVICE A wait(ww_u64 i) const {
        // Where the word is all there is, nothing has to be ordered.
        auto load = [&] { return sizeof(A) <= 4 ? ww_load_relaxed(words + i) : ww_load_acquire(words + i); };
        ww_u64 word = load();
        while (word == 0) {
            ww_spin();
            word = load();
        }
        if constexpr (sizeof(A) <= 4) return ww_from_words<A>(ww_words<A>{{(ww_u32)word}});
        else return values[i];
    }
};

// After Kogge and Stone, among `width` lanes of which this is number `i`.
template <class OP, class A> WW_DEVICE A scanned(A value, ww_u32 i, ww_u32 width) {
    for (ww_u32 d = 1; d < width; d *= 2) {
        const A other = ww_shuffle_up(value, d, width);
        if (i >= d) value = OP::of(other, value);
    }
    return value;
}
template <class OP, class A> WW_DEVICE void join(A& prefix, bool& any, A more) {
    prefix = any ? OP::of(prefix, more) : more;
    any = true;
}

// The tile in shared memory, in packs of 16 bytes. A thread reads a run, packs that follow each other, and what a warp reads at once must
// lie in different banks: pack v is at v ^ (v / 8 % 8).
template <class T> struct tile_of {
    static const int PACK = 16 / sizeof(T);
    static const ww_u32 PACKS = TILE / PACK;
    // Too much for shared memory, and elements are as long as a pack: threads load and store their runs themselves.
    static const bool DIRECT = sizeof(T) == 16;
    typedef ww_pack<T, PACK> pack;
};
WW_DEVICE ww_u32 place(ww_u32 pack) { return pack ^ (pack >> 3 & 7); }

template <class T> struct scan_shared {
    ww_acc<T> groups[GROUPS], before[8];
    ww_u32 tile;
};

template <class OP, class T>
WW_DEVICE void scan(ww_u64 len, ww_u32 levels, ww_u32 exclusive, const T* x_all, T* out_all, ww_u32* ticket, ww_u64* words, void* values,
                    typename tile_of<T>::pack* held, scan_shared<T>& shared) {
    typedef ww_acc<T> A;
    typedef tile_of<T> tile_type;
    const int PACK = tile_type::PACK;
    const ww_u32 t = ww_thread_x(), group = t / FAN, r = t % FAN;
    const ww_u64 tiles = (len + TILE - 1) / TILE;
    const totals<A> published = {words, (A*)values};
    // Where the totals of this thread's level begin: those of tiles, then those of nodes, level after level.
    ww_u64 level_start = 0;
    for (ww_u64 l = 0, nodes = tiles; l < group; ++l, nodes = (nodes + FAN - 1) / FAN) level_start += nodes;

    for (;;) {
        if (t == 0) shared.tile = ww_atomic_add(ticket, 1u);
        ww_barrier();
        const ww_u64 tile = shared.tile;
        if (tile >= tiles) return;
        const T* x = x_all + tile * TILE;
        T* out = out_all + tile * TILE;
        const ww_u32 size = (ww_u32)(len - tile * TILE < TILE ? len - tile * TILE : TILE);

        // The sums within this thread's run. What is not there is 0 and comes after all that is.
        A run[RUN];
        if constexpr (tile_type::DIRECT) {
            WW_UNROLL for (ww_u32 j = 0; j < RUN; ++j) {
                run[j] = A{};
                if (t * RUN + j < size) run[j] = ww_load(x + (t * RUN + j));
            }
        } else {
            if (size == TILE && ww_packed<PACK>(x)) {
                WW_UNROLL for (ww_u32 q = 0; q < tile_type::PACKS / THREADS; ++q) {
                    const ww_u32 v = q * THREADS + t;
                    held[place(v)].raw = ww_load_pack<PACK>(x + v * PACK).raw;
                }
            } else {
                WW_UNROLL for (ww_u32 q = 0; q < RUN; ++q) {
                    const ww_u32 e = q * THREADS + t;
                    held[place(e / PACK)].at[e % PACK] = e < size ? x[e] : T{};
                }
            }
            ww_barrier();
            WW_UNROLL for (ww_u32 q = 0; q < RUN / PACK; ++q) {
                typename tile_type::pack pack;
                pack.raw = held[place(t * (RUN / PACK) + q)].raw;
                WW_UNROLL for (int j = 0; j < PACK; ++j) run[q * PACK + j] = ww_widen(pack.at[j]);
            }
        }
        WW_UNROLL for (ww_u32 j = 1; j < RUN; ++j) run[j] = OP::of(run[j - 1], run[j]);

        // Runs of a group, groups of the tile.
        const A runs = scanned<OP>(run[RUN - 1], r, FAN);
        const A before_run = ww_shuffle_up(runs, 1, FAN);
        if (r == FAN - 1) shared.groups[group] = runs;
        ww_barrier();
        const A groups = scanned<OP>(shared.groups[r % GROUPS], r % GROUPS, GROUPS);
        const ww_u32 first_lane = ww_lane() & ~(GROUPS - 1);
        const A total = ww_shuffle(groups, first_lane + GROUPS - 1);
        const A before_group = ww_shuffle(groups, first_lane + (group == 0 ? 0 : group - 1));

        if (levels > 0) {
            // Only the last tile can be short, and nobody asks for its total.
            if (t == 0) published.publish(tile, total);
            // Level `group`: siblings of the tile, of its node, ….
            const ww_u64 node = tile >> (5 * group);
            const ww_u32 k = (ww_u32)(node % FAN);
            A siblings = total;
            if (group < levels && r < k) siblings = published.wait(level_start + node - k + r);
            siblings = scanned<OP>(siblings, r, FAN);
            if (group < levels && r + 1 == k) shared.before[group] = siblings;
            // The last tile of a node has its total: in the lanes of level 0, the last of which has counted in the tile's own.
            ww_u64 start = 0, nodes = tiles, child = tile;
            for (ww_u32 l = 1; l < levels && child % FAN == FAN - 1; ++l) {
                start += nodes;
                nodes = (nodes + FAN - 1) / FAN;
                child /= FAN;
                const ww_u32 m = (ww_u32)(child % FAN);
                const A node_total = ww_shuffle(siblings, (ww_lane() & ~(FAN - 1)) + FAN - 1);
                if (t == 0) published.publish(start + child, node_total);
                siblings = node_total;
                // Asks again for what another level's threads have had: rarely, and without waiting for those.
                if (m == FAN - 1 && group == 0 && r < m) siblings = published.wait(start + child - m + r);
                siblings = scanned<OP>(siblings, r, FAN);
            }
        }
        ww_barrier();

        A prefix = A{};
        bool any = false;
        for (ww_u32 l = levels; l-- > 0;)
            if ((tile >> (5 * l)) % FAN != 0) join<OP>(prefix, any, shared.before[l]);
        if (group > 0) join<OP>(prefix, any, before_group);
        if (r > 0) join<OP>(prefix, any, before_run);
        if (exclusive != 0) {
            WW_UNROLL for (ww_u32 j = RUN - 1; j > 0; --j) run[j] = run[j - 1];
        }
        auto result = [&](ww_u32 j) -> T {
            if (j == 0 && exclusive != 0) return any ? ww_narrow<T>(prefix) : OP::template of_nothing<T>();
            return ww_narrow<T>(any ? OP::of(prefix, run[j]) : run[j]);
        };

        if constexpr (tile_type::DIRECT) {
            WW_UNROLL for (ww_u32 j = 0; j < RUN; ++j)
                if (t * RUN + j < size) ww_store(out + (t * RUN + j), result(j));
        } else {
            WW_UNROLL for (ww_u32 q = 0; q < RUN / PACK; ++q) {
                typename tile_type::pack pack;
                WW_UNROLL for (int j = 0; j < PACK; ++j) pack.at[j] = result(q * PACK + j);
                held[place(t * (RUN / PACK) + q)].raw = pack.raw;
            }
            ww_barrier();
            if (size == TILE && ww_packed<PACK>(out)) {
                WW_UNROLL for (ww_u32 q = 0; q < tile_type::PACKS / THREADS; ++q) {
                    const ww_u32 v = q * THREADS + t;
                    ww_store_pack<PACK>(out + v * PACK, held[place(v)]);
                }
            } else {
                WW_UNROLL for (ww_u32 q = 0; q < RUN; ++q) {
                    const ww_u32 e = q * THREADS + t;
                    if (e < size) out[e] = held[place(e / PACK)].at[e % PACK];
                }
            }
        }
    }
}

// The ticket and as many words as there are totals are 0 before. (With elements of 16 bits nvcc takes so few registers that it spills some.)
#define KERNEL(NAME, OP, n, T) \
    WW_KERNEL(NAME##_##n, WW_ONE_BLOCK(WW_CROWDED(256, sizeof(T) == 2 ? 512 : 256)), ww_u64 len, ww_u32 levels, ww_u32 exclusive, const T* x, T* out, ww_u32* ticket, ww_u64* words, \
              void* values) { \
        WW_SHARED(tile_of<T>::pack, held, tile_of<T>::DIRECT ? 1 : tile_of<T>::PACKS); \
        WW_SHARED(scan_shared<T>, shared, 1); \
        scan<OP, T>(len, levels, exclusive, x, out, ticket, words, values, held, shared[0]); \
    }
#define SUM(n, T) KERNEL(sum, sum, n, T)
#define PROD(n, T) KERNEL(prod, prod, n, T)
#define MIN(n, T) KERNEL(min, least, n, T)
#define MAX(n, T) KERNEL(max, most, n, T)
WW_EACH(SUM)
WW_EACH(PROD)
WW_EACH_REAL(MIN)
WW_EACH_REAL(MAX)
