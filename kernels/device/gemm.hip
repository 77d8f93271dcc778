// Products of matrices: one chain of fused multiply-adds for each element, in ascending order along the sum. So a sum is never split, and
// what is not there is not added: after −0, adding 0 · 0 would give +0.
//
// A block makes a tile of the result. Slices of both factors go through shared memory in two stages: while one is multiplied, the next is
// on its way from memory. A thread has a small square of sums in registers, and reads `side_a + side_b` numbers for `side_a · side_b`
// products. Layouts and transpositions are flags that say along which side the loads of 16 bytes go.
//
// The same tile serves the products of other routines: on one triangle (`syrk`), with real scalars (`herk`), with a triangular left factor
// (`trmm`), and as the step of `trsm` that takes what is solved from what is not (`trsm_update`).

const ww_u32 gemm_conj_a = 1, gemm_conj_b = 2;
// Only elements on and below, or on and above the diagonal of the result exist.
const ww_u32 gemm_lower = 4, gemm_upper = 8;
// The left factor is an upper triangle instead of a lower one; it has ones on its diagonal.
const ww_u32 gemm_a_upper = 16, gemm_a_unit = 32;
// The sum runs downwards.
const ww_u32 gemm_descending = 128;
// What is summed over is contiguous in the left, in the right factor, instead of the rows and columns; rows of the result are contiguous.
const ww_u32 gemm_a_by_depth = 256, gemm_b_by_depth = 512, gemm_c_by_row = 1024;

// What a kernel is for. In `gemm_swapped` the triangle is the second factor of each product, which makes a difference to the bits of
// complex ones: it is the right factor, and the matrices are transposed.
const int gemm_plain = 0, gemm_hermitian = 1, gemm_solve = 2, gemm_triangular = 3, gemm_swapped = 4;

template <class T, int N> struct alignas(sizeof(T) * N) gemm_pack {
    T at[N];
};

// `rows` × `cols` elements of the result, `depth` of the sum at a time, `side_a` × `side_b` for a thread.
template <class Acc, int ROWS, int COLS, int DEPTH, int SIDE_A, int SIDE_B> struct gemm_shape {
    typedef Acc acc;
    static const int rows = ROWS, cols = COLS, depth = DEPTH, side_a = SIDE_A, side_b = SIDE_B;
    static const int threads_a = ROWS / SIDE_A, threads_b = COLS / SIDE_B, threads = threads_a * threads_b;
    // Sums in 16 bytes: what is read from shared memory at once.
    static const int pack = 16 / (int)sizeof(Acc);
    // A row of a slice in shared memory is 16 bytes longer than the tile, so that a column of it goes to different banks.
    static const int pitch_a = ROWS + pack, pitch_b = COLS + pack;
    static const int stage_a = DEPTH * pitch_a, stage_b = DEPTH * pitch_b;
    // A part of the tile that goes through the same memory at the end, `pack` sums along the left side for each thread.
    static const int part_rows = threads_a * pack, part = part_rows * COLS;
    static const int shared = 2 * (stage_a + stage_b) / pack;
    static_assert(part / pack <= shared, "a part fits");
};
// As large as the registers allow, with two blocks on a multiprocessor.
template <class Acc> struct gemm_large_of;
template <> struct gemm_large_of<float> { typedef gemm_shape<float, 128, 128, 16, 8, 8> shape; };
template <> struct gemm_large_of<double> { typedef gemm_shape<double, 128, 64, 8, 8, 4> shape; };
template <> struct gemm_large_of<ww_c32> { typedef gemm_shape<ww_c32, 128, 64, 8, 8, 4> shape; };
template <> struct gemm_large_of<ww_c64> { typedef gemm_shape<ww_c64, 64, 64, 8, 4, 4> shape; };
template <class T> using gemm_large = typename gemm_large_of<ww_acc<T>>::shape;
// For small matrices, and for so few of them that large tiles would leave processors without work.
template <class T> using gemm_small = gemm_shape<ww_acc<T>, 32, 32, (sizeof(ww_acc<T>) == 4 ? 16 : 8), 4, 4>;

// A factor, from the tile's first row of the left or column of the right one on, of which there are `sides`; what is summed over is its depth.
// One of the strides is 1, the other `ld`.
template <class T> struct gemm_factor {
    static const int pack = 16 / (int)sizeof(T);
    const T* start;
    ww_i64 ld;
    int sides;
    bool conj, by_depth, packs;

    WW_DEVICE gemm_factor(const T* matrix, ww_i64 ld, ww_u64 side0, int sides, bool by_depth, bool conj)
        : start(matrix + (by_depth ? (ww_i64)side0 * ld : (ww_i64)side0)), ld(ld), sides(sides), conj(conj), by_depth(by_depth),
          packs((ww_u64)matrix % 16 == 0 && ld % pack == 0) {}

    // Where index `depth` along the sum is, of the first side.
    WW_DEVICE const T* at(ww_u64 depth) const { return start + (by_depth ? (ww_i64)depth : (ww_i64)depth * ld); }
};

// This thread's part of a slice, on its way from memory.
template <class T, int WIDTH, class S> struct gemm_held {
    static const int pack = gemm_factor<T>::pack;
    static const int packs = WIDTH * S::depth / pack / S::threads;
    static_assert(packs * pack * S::threads == WIDTH * S::depth, "each thread has as many packs");
    gemm_pack<T, pack> held[packs];

    // Pack `p` starts at `inner` along what is contiguous, and at `outer` along the other side of the slice.
    static WW_DEVICE int inner(bool by_depth) {
        return (int)ww_thread_x() % (by_depth ? S::depth / pack : WIDTH / pack) * pack;
    }
    static WW_DEVICE int outer(bool by_depth, int p) {
        const int per = by_depth ? S::depth / pack : WIDTH / pack;
        return (int)ww_thread_x() / per + p * (S::threads / per);
    }

    // By packs, or element by element. For an element that does not exist another is read: nothing that is made of it is kept.
    WW_DEVICE void load(const gemm_factor<T>& x, ww_u64 depth0, int depths) {
        const T* const at = x.at(depth0);
        const int last_inner = (x.by_depth ? depths : x.sides) - 1, last_outer = (x.by_depth ? x.sides : depths) - 1;
        const bool whole = x.packs && x.sides == WIDTH && depths == S::depth;
        WW_UNROLL for (int p = 0; p < packs; ++p) {
            const int line = outer(x.by_depth, p), first = inner(x.by_depth);
            const T* from = at + first;
            if (whole) {
                held[p] = *(const gemm_pack<T, pack>*)(from + line * x.ld);
            } else {
                from += (line < last_outer ? line : last_outer) * x.ld;
                WW_UNROLL for (int e = 0; e < pack; ++e) held[p].at[e] = from[first + e < last_inner ? e : last_inner - first];
            }
        }
    }

    // To shared memory at once, of a left factor that is a triangle: what is outside is not read, nor is a diagonal of ones.
    // `diagonal` is the index along the depth of the diagonal's element of the first side.
    static WW_DEVICE void copy_triangle(
        const gemm_factor<T>& x, ww_u64 depth0, int depths, int diagonal, bool upper, bool unit, ww_acc<T>* to, int pitch
    ) {
        const T* const at = x.at(depth0);
        WW_ROLLED for (int q = (int)ww_thread_x(); q < WIDTH * S::depth; q += S::threads) {
            const int side = x.by_depth ? q / S::depth : q % WIDTH, depth = x.by_depth ? q % S::depth : q / WIDTH;
            const int over = depth - side - diagonal;
            T value = ww_zero<T>();
            if (side < x.sides && depth < depths && (upper ? over : -over) >= 0) {
                if (unit && over == 0) value = ww_one<T>();
                else value = at[x.by_depth ? side * x.ld + depth : side + depth * x.ld];
                if (x.conj) value = ww_conj(value);
            }
            to[depth * pitch + side] = value;
        }
    }

    // To shared memory, with what is summed over as the outer index.
    template <bool NEGATIVE> WW_DEVICE void store(const gemm_factor<T>& x, ww_acc<T>* to, int pitch) const {
        typedef ww_acc<T> A;
        WW_UNROLL for (int p = 0; p < packs; ++p) {
            A wide[pack];
            WW_UNROLL for (int e = 0; e < pack; ++e) {
                wide[e] = ww_widen(held[p].at[e]);
                if (x.conj) wide[e] = ww_conj(wide[e]);
                if constexpr (NEGATIVE) wide[e] = ww_neg(wide[e]);
            }
            if (x.by_depth) {
                A* const at = to + inner(true) * pitch + outer(true, p);
                WW_UNROLL for (int e = 0; e < pack; ++e) at[e * pitch] = wide[e];
            } else {
                A* const at = to + outer(false, p) * pitch + inner(false);
                WW_UNROLL for (int e = 0; e < pack; e += S::pack) {
                    gemm_pack<A, S::pack> some;
                    WW_UNROLL for (int i = 0; i < S::pack; ++i) some.at[i] = wide[e + i];
                    *(gemm_pack<A, S::pack>*)(at + e) = some;
                }
            }
        }
    }
};

// A thread's sums.
template <class S, int MODE> struct gemm_sums {
    typedef typename S::acc A;
    static const int pack = S::pack;
    A sum[S::side_a][S::side_b];

    // Threads of a warp lie 8 × 4: both factors are read from shared memory as broadcasts, and both layouts of the result are stored in
    // whole sectors of 32 bytes.
    static WW_DEVICE int thread_a() {
        const int thread = (int)ww_thread_x();
        return thread % 8 + thread / 32 % (S::threads_a / 8) * 8;
    }
    static WW_DEVICE int thread_b() {
        const int thread = (int)ww_thread_x();
        return thread / 8 % 4 + thread / 32 / (S::threads_a / 8) * 4;
    }
    // Where sum `i` lies in the tile, along a side with so many threads.
    static WW_DEVICE int row(int i) { return i / pack * (S::threads_a * pack) + thread_a() * pack + i % pack; }
    static WW_DEVICE int col(int j) { return j / pack * (S::threads_b * pack) + thread_b() * pack + j % pack; }

    // The products of one index along the sum.
    template <class Keep> WW_DEVICE void add(const A* a, const A* b, Keep keep) {
        gemm_pack<A, pack> left[S::side_a / pack], right[S::side_b / pack];
        WW_UNROLL for (int i = 0; i < S::side_a / pack; ++i) left[i] = *(const gemm_pack<A, pack>*)(a + row(i * pack));
        WW_UNROLL for (int j = 0; j < S::side_b / pack; ++j) right[j] = *(const gemm_pack<A, pack>*)(b + col(j * pack));
        WW_UNROLL for (int i = 0; i < S::side_a; ++i) {
            if (keep(i)) {
                WW_UNROLL for (int j = 0; j < S::side_b; ++j) {
                    const A x = left[i / pack].at[i % pack], y = right[j / pack].at[j % pack];
                    sum[i][j] = MODE == gemm_swapped ? ww_fma(y, x, sum[i][j]) : ww_fma(x, y, sum[i][j]);
                }
            }
        }
    }

    // The first `steps` of a slice. With more at a time compilers read so much from shared memory ahead that the registers do not suffice;
    // large warps do two, as few of them are at work at a time that could hide the wait for shared memory.
    template <bool DESCENDING> WW_DEVICE void add_slice(const A* a, const A* b, int steps) {
        const auto all = [](int) { return true; };
        if (WW_WARP == 64 && steps == S::depth) {
            const int next = DESCENDING ? -1 : 1;
            WW_ROLLED for (int s = 0; s < S::depth; s += 2) {
                const int k = DESCENDING ? S::depth - 1 - s : s;
                add(a + k * S::pitch_a, b + k * S::pitch_b, all);
                add(a + (k + next) * S::pitch_a, b + (k + next) * S::pitch_b, all);
            }
        } else {
            WW_ROLLED for (int s = 0; s < steps; ++s) {
                const int k = DESCENDING ? steps - 1 - s : s;
                add(a + k * S::pitch_a, b + k * S::pitch_b, all);
            }
        }
    }
};

// Where part `g` of a tile lies in shared memory, in the order in which the result lies in device memory. Rows are turned around by 16 bytes
// each, so that threads that write below each other use different banks.
template <class S> struct gemm_part {
    static const int pack = S::pack;
    static WW_DEVICE int place(bool by_row, int row, int col) {
        if (!by_row) return col * S::part_rows + row;
        return row * S::cols + ((col / pack) ^ (row / pack % 8)) * pack + col % pack;
    }
    template <class Sums, class A> static WW_DEVICE void put(const Sums& sums, int g, bool by_row, A* to) {
        typedef gemm_pack<A, pack> Pack;
        const int row = Sums::thread_a() * pack;
        if (by_row) {
            WW_UNROLL for (int e = 0; e < pack; ++e) {
                WW_UNROLL for (int j = 0; j < S::side_b; j += pack) {
                    Pack some;
                    WW_UNROLL for (int f = 0; f < pack; ++f) some.at[f] = sums.sum[g * pack + e][j + f];
                    *(Pack*)(to + place(true, row + e, Sums::col(j))) = some;
                }
            }
        } else {
            WW_UNROLL for (int j = 0; j < S::side_b; ++j) {
                Pack some;
                WW_UNROLL for (int e = 0; e < pack; ++e) some.at[e] = sums.sum[g * pack + e][j];
                *(Pack*)(to + place(false, row, Sums::col(j))) = some;
            }
        }
    }
    template <class Sums, class A> static WW_DEVICE void get(Sums& sums, int g, bool by_row, const A* from) {
        const int row = Sums::thread_a() * pack;
        WW_UNROLL for (int j = 0; j < S::side_b; ++j) {
            WW_UNROLL for (int e = 0; e < pack; ++e) sums.sum[g * pack + e][j] = from[place(by_row, row + e, Sums::col(j))];
        }
    }
};

// A pointer to device memory from its address, by way of another one: from the address alone a compiler could not tell that it is not to
// shared memory, and its loads would wait for those from there.
template <class T> WW_DEVICE T* gemm_pointer(T* other, ww_u64 address) {
    return (T*)((const ww_u8*)other + (ww_i64)(address - (ww_u64)other));
}

template <class T, class S, int MODE, class Scalar>
WW_DEVICE void gemm_tiles(
    ww_bytes16* shared, ww_u64 m, ww_u64 n, ww_u64 k, Scalar alpha, const T* a, ww_i64 a_ld, ww_i64 a_batch, const T* b, ww_i64 b_ld,
    ww_i64 b_batch, Scalar beta, T* c, ww_i64 c_ld, ww_i64 c_batch, const ww_u64* pointers, ww_u64 batch, ww_u64 tile0, ww_u32 flags
) {
    typedef ww_acc<T> A;
    typedef gemm_sums<S, MODE> Sums;
    typedef gemm_part<S> Part;
    const int pack = S::pack;
    A* const slice_a = (A*)shared;
    A* const slice_b = slice_a + 2 * S::stage_a;
    const bool a_upper = (flags & gemm_a_upper) != 0, a_unit = (flags & gemm_a_unit) != 0;
    const bool descending = MODE == gemm_solve && (flags & gemm_descending) != 0;
    bool reads_c = false;
    if constexpr (MODE == gemm_plain || MODE == gemm_hermitian) reads_c = !ww_equal(beta, ww_zero<Scalar>());

    const ww_u64 tiles_m = (m + S::rows - 1) / S::rows, tiles_n = (n + S::cols - 1) / S::cols, tiles = tiles_m * tiles_n;
    const ww_u64 tile = tile0 + ww_block_x(), z = batch == 1 ? 0 : tile / tiles, number = tile - z * tiles;
    // Along bands of 8 tiles' columns: the tiles that are made at a time share what they read.
    const ww_u64 band = number / (8 * tiles_m), in_band = number - band * 8 * tiles_m;
    const ww_u64 width = tiles_n - band * 8 < 8 ? tiles_n - band * 8 : 8;
    const ww_u64 row0 = in_band / width * S::rows, col0 = (band * 8 + in_band % width) * S::cols;
    if ((flags & gemm_lower) != 0 && row0 + S::rows <= col0) return;
    if ((flags & gemm_upper) != 0 && col0 + S::cols <= row0) return;

    if (pointers == nullptr) {
        a += (ww_i64)z * a_batch;
        b += (ww_i64)z * b_batch;
        c += (ww_i64)z * c_batch;
    } else {
        a = gemm_pointer(a, pointers[z]);
        b = gemm_pointer(b, pointers[batch + z]);
        c = gemm_pointer(c, pointers[2 * batch + z]);
    }
    // Rows and columns of the tile that exist.
    const int rows = m - row0 < S::rows ? (int)(m - row0) : S::rows, cols = n - col0 < S::cols ? (int)(n - col0) : S::cols;
    const gemm_factor<T> left(a, a_ld, row0, rows, (flags & gemm_a_by_depth) != 0, (flags & gemm_conj_a) != 0);
    const gemm_factor<T> right(b, b_ld, col0, cols, (flags & gemm_b_by_depth) != 0, (flags & gemm_conj_b) != 0);

    // What of the sum no row of the tile has is left out. Where it starts later, it starts at a multiple of the tile's rows.
    ww_u64 first = 0, end = k;
    if constexpr (MODE >= gemm_triangular) {
        if (a_upper) first = row0;
        else if (row0 + S::rows < k) end = row0 + S::rows;
    }
    // Slices are counted by what is summed over; the last of a sum that runs downwards is the first of the matrix.
    const ww_u64 whole = (end - first + S::depth - 1) / S::depth * S::depth;
    const auto slice_start = [&](ww_u64 done) { return descending ? first + whole - S::depth - done : first + done; };
    const auto depths = [&](ww_u64 k0) { return end - k0 < S::depth ? (int)(end - k0) : S::depth; };
    // Whether the diagonal of a triangular factor goes through the slice.
    const auto on_diagonal = [&](ww_u64 k0) {
        return MODE >= gemm_triangular && (a_upper ? k0 < row0 + S::rows : k0 + S::depth > row0);
    };

    gemm_held<T, S::rows, S> held_a;
    gemm_held<T, S::cols, S> held_b;
    const auto load = [&](ww_u64 k0) {
        if (!on_diagonal(k0)) held_a.load(left, k0, depths(k0));
        held_b.load(right, k0, depths(k0));
    };
    const auto store = [&](int stage, ww_u64 k0) {
        A* const to = slice_a + stage * S::stage_a;
        if (on_diagonal(k0)) {
            if constexpr (MODE >= gemm_triangular) {
                held_a.copy_triangle(left, k0, depths(k0), (int)(ww_i64)(row0 - k0), a_upper, a_unit, to, S::pitch_a);
            }
        } else {
            held_a.template store<MODE == gemm_solve>(left, to, S::pitch_a);
        }
        held_b.template store<false>(right, slice_b + stage * S::stage_b, S::pitch_b);
    };

    const bool by_row = (flags & gemm_c_by_row) != 0;
    T* const corner = c + (by_row ? (ww_i64)row0 * c_ld + (ww_i64)col0 : (ww_i64)row0 + (ww_i64)col0 * c_ld);
    Sums sums;
    if constexpr (MODE == gemm_solve) {
        WW_UNROLL for (int g = 0; g < S::side_a / pack; ++g) {
            WW_ROLLED for (int q = (int)ww_thread_x(); q < S::part; q += S::threads) {
                const int at = by_row ? q / S::cols : q % S::part_rows, col = by_row ? q % S::cols : q / S::part_rows;
                const int row = g * S::part_rows + at;
                const bool exists = row < rows && col < cols;
                slice_a[Part::place(by_row, at, col)] = exists ? corner[by_row ? row * c_ld + col : row + col * c_ld] : ww_zero<A>();
            }
            ww_barrier();
            Part::get(sums, g, by_row, slice_a);
            ww_barrier();
        }
    } else {
        WW_UNROLL for (int i = 0; i < S::side_a; ++i) {
            WW_UNROLL for (int j = 0; j < S::side_b; ++j) sums.sum[i][j] = ww_zero<A>();
        }
    }

    if (whole > 0) {
        load(slice_start(0));
        store(0, slice_start(0));
    }
    ww_barrier();
    for (ww_u64 done = 0; done < whole; done += S::depth) {
        const ww_u64 k0 = slice_start(done);
        const int steps = depths(k0), stage = (int)(done / S::depth % 2);
        if (done + S::depth < whole) load(slice_start(done + S::depth));
        const A* const now_a = slice_a + stage * S::stage_a;
        const A* const now_b = slice_b + stage * S::stage_b;
        if (on_diagonal(k0)) {
            // Rows are skipped by branches: a choice for each would keep all conditions at hand.
            const int distance = (int)(ww_i64)(k0 - row0);
            WW_ROLLED for (int s = 0; s < steps; ++s) {
                sums.add(now_a + s * S::pitch_a, now_b + s * S::pitch_b, [&](int i) {
                    const int over = Sums::row(i) - s - distance;
                    return (a_upper ? over : -over) <= 0;
                });
            }
        } else if (descending) {
            sums.template add_slice<true>(now_a, now_b, steps);
        } else {
            sums.template add_slice<false>(now_a, now_b, steps);
        }
        if (done + S::depth < whole) store(1 - stage, slice_start(done + S::depth));
        ww_barrier();
    }

    // What becomes of a sum.
    const auto result = [&](A sum, T old, bool diagonal) -> T {
        if constexpr (MODE == gemm_solve) {
            return sum;
        } else if constexpr (MODE >= gemm_triangular) {
            return ww_mul(alpha, sum);
        } else if constexpr (MODE == gemm_hermitian) {
            if (diagonal) old.im = 0;
            T end = {alpha * sum.re, alpha * sum.im};
            if (reads_c) end = {ww_fma(alpha, sum.re, beta * old.re), ww_fma(alpha, sum.im, beta * old.im)};
            end = ww_canonical(end);
            if (diagonal) end.im = 0;
            return end;
        } else {
            if (!reads_c) return ww_narrow<T>(ww_mul(alpha, sum));
            return ww_narrow<T>(ww_fma(alpha, sum, ww_mul(beta, ww_widen(old))));
        }
    };
    const bool inside = rows == S::rows && cols == S::cols && ((flags & gemm_lower) == 0 || col0 + S::cols <= row0 + 1)
        && ((flags & gemm_upper) == 0 || row0 + S::rows <= col0 + 1);
    const bool packed = inside && (ww_u64)c % (sizeof(T) * pack) == 0 && c_ld % pack == 0;
    typedef gemm_pack<T, pack> Pack;
    WW_UNROLL for (int g = 0; g < S::side_a / pack; ++g) {
        Part::put(sums, g, by_row, slice_a);
        ww_barrier();
        WW_ROLLED for (int q = (int)ww_thread_x() * pack; q < S::part; q += S::threads * pack) {
            const int at = by_row ? q / S::cols : q % S::part_rows, col = by_row ? q % S::cols : q / S::part_rows;
            const int row = g * S::part_rows + at;
            const gemm_pack<A, pack> some = *(const gemm_pack<A, pack>*)(slice_a + Part::place(by_row, at, col));
            // How far above the diagonal the first element is.
            const ww_i64 above = (ww_i64)(col0 + col) - (ww_i64)(row0 + row);
            T* const to = corner + (by_row ? row * c_ld + col : row + col * c_ld);
            if (packed) {
                Pack ends = {};
                if (reads_c) ends = *(const Pack*)to;
                WW_UNROLL for (int e = 0; e < pack; ++e) ends.at[e] = result(some.at[e], ends.at[e], above + (by_row ? e : -e) == 0);
                *(Pack*)to = ends;
            } else {
                WW_UNROLL for (int e = 0; e < pack; ++e) {
                    const ww_i64 over = above + (by_row ? e : -e);
                    const bool exists = row + (by_row ? 0 : e) < rows && col + (by_row ? e : 0) < cols;
                    if (exists && ((flags & gemm_lower) == 0 || over <= 0) && ((flags & gemm_upper) == 0 || over >= 0)) {
                        T old = ww_zero<T>();
                        if (reads_c) old = to[e];
                        to[e] = result(some.at[e], old, over == 0);
                    }
                }
            }
        }
        ww_barrier();
    }
}

// `beta · c`, where there is nothing to add. `triangle`: 0, or 1 for the elements whose number in their run is at least that of the run, 2
// for those whose number is at most that.
template <bool HERMITIAN, class T, class Scalar>
WW_DEVICE void gemm_scale(
    ww_u64 run, ww_u64 runs, Scalar beta, T* c, ww_i64 ld, ww_i64 c_batch, const ww_u64* pointers, ww_u64 batch, ww_u32 triangle
) {
    const ww_u64 matrix = run * runs;
    const bool clear = ww_equal(beta, ww_zero<Scalar>()), same = ww_equal(beta, ww_one<Scalar>());
    for (ww_u64 i = ww_index(); i < matrix * batch; i += ww_stride()) {
        const ww_u64 z = batch == 1 ? 0 : i / matrix, in = i - z * matrix, outer = in / run, inner = in - outer * run;
        if ((triangle == 1 && inner < outer) || (triangle == 2 && inner > outer)) continue;
        T* const start = pointers == nullptr ? c + (ww_i64)z * c_batch : gemm_pointer(c, pointers[2 * batch + z]);
        T* const at = start + (ww_i64)outer * ld + (ww_i64)inner;
        T value = ww_zero<T>();
        if constexpr (HERMITIAN) {
            // The diagonal is real, whatever is stored there.
            if (!clear) value = *at;
            if (inner == outer) value.im = 0;
            if (!clear && !same) value = ww_canonical(T{beta * value.re, beta * value.im});
            if (inner == outer) value.im = 0;
        } else {
            if (same) continue;
            if (!clear) value = ww_narrow<T>(ww_mul(beta, ww_widen(*at)));
        }
        *at = value;
    }
}

// A dense copy of a batch, runs being `to_ld` apart.
template <class T>
WW_DEVICE void gemm_copy(
    ww_u64 run, ww_u64 runs, const T* from, ww_i64 ld, ww_i64 from_batch, T* to, ww_i64 to_ld, ww_i64 to_batch, ww_u64 batch
) {
    const ww_u64 matrix = run * runs;
    for (ww_u64 i = ww_index(); i < matrix * batch; i += ww_stride()) {
        const ww_u64 z = batch == 1 ? 0 : i / matrix, in = i - z * matrix, outer = in / run, inner = in - outer * run;
        to[(ww_i64)z * to_batch + (ww_i64)outer * to_ld + (ww_i64)inner] = from[(ww_i64)z * from_batch + (ww_i64)outer * ld + (ww_i64)inner];
    }
}

#define GEMM_KERNEL(NAME, T, SHAPE, MODE, SCALAR) \
    WW_KERNEL( \
        NAME, (SHAPE<T>::threads), ww_u64 m, ww_u64 n, ww_u64 k, SCALAR alpha, const T* a, ww_i64 a_ld, ww_i64 a_batch, const T* b, \
        ww_i64 b_ld, ww_i64 b_batch, SCALAR beta, T* c, ww_i64 c_ld, ww_i64 c_batch, const ww_u64* pointers, ww_u64 batch, ww_u64 tile0, \
        ww_u32 flags \
    ) { \
        WW_SHARED(ww_bytes16, slices, (SHAPE<T>::shared)); \
        gemm_tiles<T, SHAPE<T>, MODE>( \
            slices, m, n, k, alpha, a, a_ld, a_batch, b, b_ld, b_batch, beta, c, c_ld, c_batch, pointers, batch, tile0, flags \
        ); \
    }
#define GEMM_SCALE(NAME, T, HERMITIAN, SCALAR) \
    WW_KERNEL( \
        NAME, 256, ww_u64 run, ww_u64 runs, SCALAR beta, T* c, ww_i64 ld, ww_i64 c_batch, const ww_u64* pointers, ww_u64 batch, \
        ww_u32 triangle \
    ) { \
        gemm_scale<HERMITIAN>(run, runs, beta, c, ld, c_batch, pointers, batch, triangle); \
    }
#define GEMM(N, T) \
    GEMM_SCALE(gemm_scale_##N, T, false, ww_acc<T>) \
    GEMM_KERNEL(gemm_##N, T, gemm_large, gemm_plain, ww_acc<T>) GEMM_KERNEL(gemm_small_##N, T, gemm_small, gemm_plain, ww_acc<T>)
#define GEMM_HERMITIAN(N, T) \
    GEMM_SCALE(herk_scale_##N, T, true, ww_magnitude<T>) \
    GEMM_KERNEL(herk_##N, T, gemm_large, gemm_hermitian, ww_magnitude<T>) \
    GEMM_KERNEL(herk_small_##N, T, gemm_small, gemm_hermitian, ww_magnitude<T>)
#define GEMM_TRIANGULAR(N, T) \
    WW_KERNEL( \
        gemm_copy_##N, 256, ww_u64 run, ww_u64 runs, const T* from, ww_i64 ld, ww_i64 from_batch, T* to, ww_i64 to_ld, ww_i64 to_batch, \
        ww_u64 batch \
    ) { \
        gemm_copy(run, runs, from, ld, from_batch, to, to_ld, to_batch, batch); \
    } \
    GEMM_KERNEL(trmm_##N, T, gemm_large, gemm_triangular, T) GEMM_KERNEL(trmm_small_##N, T, gemm_small, gemm_triangular, T) \
    GEMM_KERNEL(trsm_update_##N, T, gemm_large, gemm_solve, T) GEMM_KERNEL(trsm_update_small_##N, T, gemm_small, gemm_solve, T)

#define GEMM_SWAPPED(N, T) \
    GEMM_KERNEL(trmm_swapped_##N, T, gemm_large, gemm_swapped, T) \
    GEMM_KERNEL(trmm_swapped_small_##N, T, gemm_small, gemm_swapped, T)

WW_EACH_GEMM(GEMM)
WW_EACH_COMPLEX(GEMM_HERMITIAN)
WW_EACH_BLAS(GEMM_TRIANGULAR)
WW_EACH_COMPLEX(GEMM_SWAPPED)
