// The kernels of the group "warp and block": what a device of any warp size makes of the words of the prelude.

// What each thread gets from another lane by the four shuffles.
#define WW_X(NAME, T) \
    WW_KERNEL(shuffles_##NAME, 256, ww_u32 by, ww_u32 width, const T* x, T* out) { \
        const ww_u64 i = ww_index(), n = ww_stride(); \
        const T value = x[i]; \
        const T exchanged = ww_shuffle(value, by), up = ww_shuffle_up(value, by, width); \
        const T down = ww_shuffle_down(value, by, width), across = ww_shuffle_xor(value, by & (WW_WARP - 1)); \
        out[i] = exchanged; \
        out[n + i] = up; \
        out[2 * n + i] = down; \
        out[3 * n + i] = across; \
    }
WW_X(u8, ww_u8) WW_X(u16, ww_u16) WW_X(u32, ww_u32) WW_X(u64, ww_u64) WW_X(f32, float) WW_X(f64, double) WW_X(c64, ww_c64)
#undef WW_X

// Of every lane: those that vote for it, whether any and whether all do, the lane and the size of a warp.
WW_KERNEL(ballots, 256, const ww_u32* votes, ww_u64* mask, ww_u32* out) {
    const ww_u64 i = ww_index(), n = ww_stride();
    const bool vote = votes[i] != 0;
    const ww_lane_mask all = ww_ballot(vote);
    const bool any = ww_any(vote), every = ww_all(vote);
    mask[i] = all;
    mask[n + i] = ww_lanes_below();
    out[i] = any;
    out[n + i] = every;
    out[2 * n + i] = ww_lane();
    out[3 * n + i] = WW_WARP;
}

// Threads leave one after the other; those that are left count each other.
WW_KERNEL(leave, 256, ww_u32* out) {
    const ww_u64 i = ww_index();
    const ww_u32 lane = ww_lane();
    for (ww_u32 round = 0; round <= lane; ++round) out[i] = ww_popcount(ww_ballot(true));
}

// A step that only half of the lanes take, and a barrier of the warp that all take.
WW_KERNEL(diverge, 256, const ww_u32* x, ww_u32* out) {
    WW_SHARED(ww_u32, s, 256);
    const ww_u32 t = ww_thread_x();
    if (t % 2 == 0) s[t] = x[ww_index()];
    ww_warp_barrier();
    if (t % 2 != 0) s[t] = s[t - 1] + 1;
    ww_warp_barrier();
    out[ww_index()] = s[t ^ 1];
}

// Neighbours in shared memory, within the warp and across the block, many times over.
WW_KERNEL(rotate_warp, 256, ww_u32 rounds, const ww_u32* x, ww_u32* out) {
    WW_SHARED(ww_u32, s, 256);
    const ww_u32 t = ww_thread_x(), first = t - ww_lane();
    ww_u32 value = x[ww_index()];
    for (ww_u32 round = 0; round < rounds; ++round) {
        s[t] = value;
        ww_warp_barrier();
        value = s[first + (ww_lane() + 1) % WW_WARP];
        ww_warp_barrier();
    }
    out[ww_index()] = value;
}
WW_KERNEL(rotate_block, 256, ww_u32 rounds, const ww_u32* x, ww_u32* out) {
    WW_SHARED(ww_u32, s, 256);
    const ww_u32 t = ww_thread_x(), n = ww_threads_x();
    ww_u32 value = x[ww_index()];
    for (ww_u32 round = 0; round < rounds; ++round) {
        s[t] = value;
        ww_barrier();
        value = s[(t + 1) % n];
        ww_barrier();
    }
    out[ww_index()] = value;
}

// Dynamic shared memory beside static one: reverses the numbers of a block, from element `first` of it on.
WW_KERNEL(reverse, 256, ww_u32 first, const ww_u64* x, ww_u64* out) {
    WW_SHARED(ww_u32, total, 1);
    WW_DYNAMIC_SHARED(ww_u64, s);
    const ww_u32 t = ww_thread_x(), n = ww_threads_x();
    if (t == 0) total[0] = n;
    s[first + t] = x[ww_index()];
    ww_barrier();
    out[ww_index()] = s[first + total[0] - 1 - t];
}

// Where each thread finds itself, on a grid of three axes.
WW_KERNEL(places, 256, ww_u32* out) {
    const ww_u32 tx = ww_thread_x(), ty = ww_thread_y(), tz = ww_thread_z();
    const ww_u32 nx = ww_threads_x(), ny = ww_threads_y(), nz = ww_threads_z();
    const ww_u32 bx = ww_block_x(), by = ww_block_y(), bz = ww_block_z();
    const ww_u64 block = bx + (ww_u64)ww_blocks_x() * (by + (ww_u64)ww_blocks_y() * bz);
    const ww_u64 i = block * nx * ny * nz + tx + nx * (ty + ny * tz);
    out[i] = tx | ty << 5 | tz << 10 | bx << 15 | by << 20 | bz << 25;
}

// Every thread of every block adds to the same few words.
WW_KERNEL(additions, 256, ww_u32* u32, ww_u64* u64, float* f32, double* f64, ww_i32* i32, ww_i64* i64) {
    const ww_u64 i = ww_index();
    ww_atomic_add(&i32[i % 3], -(ww_i32)i);
    ww_atomic_add(&i64[i % 3], -((ww_i64)i << 20));
    ww_atomic_add(&u32[i % 3], (ww_u32)i);
    ww_atomic_add(&u64[i % 3], (ww_u64)i << 20);
    // Whole numbers: the sum is exact in any order. Of either sign.
    ww_atomic_add(&f32[i % 3], i % 2 == 0 ? 1.0f : -3.0f);
    ww_atomic_add(&f64[i % 3], i % 2 == 0 ? 1.0 : -3.0);
}
// The same in shared memory.
WW_KERNEL(shared_additions, 256, ww_u32* out) {
    WW_SHARED(ww_u32, sums, 3);
    const ww_u32 t = ww_thread_x();
    if (t < 3) sums[t] = 0;
    ww_barrier();
    ww_atomic_add(&sums[t % 3], t);
    ww_barrier();
    if (t < 3) out[ww_block_x() * 3 + t] = sums[t];
}
// What a float becomes by an atomic addition of each number: zeros of both signs, infinities, NaN, denormals.
WW_KERNEL(special_additions, 256, ww_u64 n, const float* a, const double* b, float* x, double* y) {
    WW_GRID_LOOP(i, n) {
        ww_atomic_add(&x[i], a[i]);
        ww_atomic_add(&y[i], b[i]);
    }
}
// The largest number, all bits that occur, and all that occur everywhere.
WW_KERNEL(bits, 256, const ww_u32* x, ww_u32* out) {
    const ww_u32 value = x[ww_index()];
    ww_atomic_max(&out[0], value);
    ww_atomic_or(&out[1], value);
    ww_atomic_and(&out[2], value);
}
// A chain of exchanges hands every number on once; a loop that compares and swaps counts.
WW_KERNEL(exchanges, 256, ww_u32* u32, ww_u64* u64, ww_u32* seen) {
    const ww_u32 i = (ww_u32)ww_index();
    seen[i] = ww_atomic_exchange(&u32[0], i + 1);
    ww_u64 old = 0;
    for (;;) {
        const ww_u64 found = ww_atomic_cas(&u64[0], old, old + 3);
        if (found == old) break;
        old = found;
    }
}
// Blocks take tickets, and wait for the one before: each adds to what it has published.
WW_KERNEL(relay, 256, ww_u32* ticket, ww_u32* flag, ww_u64* sum, ww_u64* out) {
    WW_SHARED(ww_u32, mine, 1);
    if (ww_thread_x() == 0) mine[0] = ww_atomic_add(ticket, 1u);
    ww_barrier();
    if (ww_thread_x() == 0) {
        while (ww_load_acquire(flag) != mine[0]) ww_spin();
        *sum = *sum * 3 + mine[0] + 1;
        out[mine[0]] = *sum;
        ww_store_release(flag, mine[0] + 1);
    }
}
