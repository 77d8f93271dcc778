// Sums over vectors by the reduction tree: chunks of 8,192, in which lane l of 1,024 takes the elements l, l + 1,024, … in ascending order,
// and lanes are combined with their neighbours. A thread has as many neighbouring lanes as 16 bytes hold elements, so that it loads them at
// once; it asks for several before it adds. Each chunk has a block; the results of chunks are reduced in the same way.

const ww_u32 dot_chunk = 8192, dot_lanes = 1024;

// `first(x, y)` starts a lane, `next` adds to it, `join` combines two, `end` makes the result of the last one.
template <class T> struct dot_product {
    typedef T acc;
    typedef T out;
    static WW_DEVICE acc first(T x, T y) { return ww_mul(x, y); }
    static WW_DEVICE acc next(acc sum, T x, T y) { return ww_fma(x, y, sum); }
    static WW_DEVICE acc join(acc a, acc b) { return ww_plus(a, b); }
    static WW_DEVICE acc none() { return ww_zero<T>(); }
    static WW_DEVICE out end(acc sum) { return ww_canonical(sum); }
};
WW_DEVICE float dot_add_abs(float sum, float x) { return sum + ww_abs(x); }
WW_DEVICE double dot_add_abs(double sum, double x) { return sum + ww_abs(x); }
template <class P> WW_DEVICE P dot_add_abs(P sum, ww_complex<P> x) { return (sum + ww_abs(x.re)) + ww_abs(x.im); }
template <class T> struct dot_abs {
    typedef ww_magnitude<T> acc;
    typedef ww_magnitude<T> out;
    static WW_DEVICE acc first(T x, T y) { return next((acc)0, x, y); }
    static WW_DEVICE acc next(acc sum, T x, T) { return dot_add_abs(sum, x); }
    static WW_DEVICE acc join(acc a, acc b) { return a + b; }
    static WW_DEVICE acc none() { return 0; }
    static WW_DEVICE out end(acc sum) { return ww_canonical(sum); }
};

// Squares of floats are exact in double. Those of doubles are kept in three sums by magnitude, the outer two scaled, after Blue.
struct dot_blue {
    double small, mid, big;
};
// 2^exponent.
WW_DEVICE double dot_power(int exponent) { return ww_from_bits((ww_u64)(exponent + 1023) << 52); }
WW_DEVICE double dot_add_square(double sum, float x) { return ww_fma((double)x, (double)x, sum); }
WW_DEVICE dot_blue dot_add_square(dot_blue sum, double x) {
    const bool big = ww_abs(x) > dot_power(486), small = ww_abs(x) < dot_power(-511);
    // One product for all: which sum it enters is chosen without a branch.
    const double s = big ? x * dot_power(-538) : small ? x * dot_power(537) : x;
    const double next = ww_fma(s, s, big ? sum.big : small ? sum.small : sum.mid);
    return {small ? next : sum.small, big || small ? sum.mid : next, big ? next : sum.big};
}
template <class A, class P> WW_DEVICE A dot_add_square(A sum, ww_complex<P> x) { return dot_add_square(dot_add_square(sum, x.re), x.im); }
WW_DEVICE double dot_join(double a, double b) { return a + b; }
WW_DEVICE dot_blue dot_join(dot_blue a, dot_blue b) { return {a.small + b.small, a.mid + b.mid, a.big + b.big}; }
WW_DEVICE float dot_root(double sum) { return ww_canonical((float)ww_sqrt_rn(sum)); }
WW_DEVICE double dot_root(dot_blue sum) {
    double root;
    if (sum.big > 0) {
        root = ww_sqrt_rn(sum.big + (sum.mid * dot_power(-538)) * dot_power(-538)) * dot_power(538);
    } else if (sum.small > 0) {
        const double small = ww_sqrt_rn(sum.small) * dot_power(-537);
        if (sum.mid == 0) {
            root = small;
        } else {
            const double mid = ww_sqrt_rn(sum.mid), low = small > mid ? mid : small, high = small > mid ? small : mid;
            const double ratio = low / high;
            root = ww_sqrt_rn((high * high) * (1 + ratio * ratio));
        }
    } else {
        root = ww_sqrt_rn(sum.mid);
    }
    return ww_canonical(root);
}
template <class P> struct dot_squares_of;
template <> struct dot_squares_of<float> { typedef double acc; };
template <> struct dot_squares_of<double> { typedef dot_blue acc; };
template <class T> struct dot_squares {
    typedef typename dot_squares_of<ww_magnitude<T>>::acc acc;
    typedef ww_magnitude<T> out;
    static WW_DEVICE acc first(T x, T y) { return next(acc{}, x, y); }
    static WW_DEVICE acc next(acc sum, T x, T) { return dot_add_square(sum, x); }
    static WW_DEVICE acc join(acc a, acc b) { return dot_join(a, b); }
    static WW_DEVICE acc none() { return acc{}; }
    static WW_DEVICE out end(acc sum) { return dot_root(sum); }
};

// The tree over the lanes of a block, of which the first `lanes` have elements and each thread has `MINE`. Thread 0 has the result.
template <class O, int MINE> WW_DEVICE typename O::acc dot_tree(typename O::acc (&lane)[MINE], ww_u32 lanes, typename O::acc* shared) {
    typedef typename O::acc A;
    const ww_u32 thread = ww_thread_x();
    WW_UNROLL for (int half = 1; half < MINE; half *= 2) {
        WW_UNROLL for (int i = 0; i < MINE; i += 2 * half) {
            if (thread * MINE + i + half < lanes) lane[i] = O::join(lane[i], lane[i + half]);
        }
    }
    A sum = lane[0];
    WW_UNROLL for (ww_u32 half = 1; half < WW_WARP; half *= 2) {
        const A other = ww_shuffle_down(sum, half);
        if ((thread + half) * MINE < lanes) sum = O::join(sum, other);
    }
    const ww_u32 warps = dot_lanes / MINE / WW_WARP;
    // What was there before has been read.
    ww_barrier();
    if (thread % WW_WARP == 0) shared[thread / WW_WARP] = sum;
    ww_barrier();
    if (thread < WW_WARP) {
        sum = shared[thread < warps ? thread : 0];
        WW_UNROLL for (ww_u32 half = 1; half < warps; half *= 2) {
            const A other = ww_shuffle_down(sum, half);
            if ((thread + half) * (WW_WARP * MINE) < lanes) sum = O::join(sum, other);
        }
    }
    return sum;
}

// The chunks of one or two vectors. One chunk is all there is: it makes the result, others partial ones.
template <class O, bool TWO, class T>
WW_DEVICE void dot_chunks(
    typename O::acc* shared, ww_u64 n, const T* x, ww_i64 incx, const T* y, ww_i64 incy, bool conj, typename O::acc* partial,
    typename O::out* out
) {
    typedef typename O::acc A;
    const int mine = 16 / sizeof(T), steps = dot_chunk / dot_lanes;
    // Loads on their way at a time, so that the registers suffice for as many threads as a block has.
    const int ahead = sizeof(T) == 16 || sizeof(A) > sizeof(T) ? 4 : 8;
    struct alignas(16) Pack {
        T at[mine];
    };
    const ww_u64 chunks = n == 0 ? 1 : (n + dot_chunk - 1) / dot_chunk;
    const bool packs = incx == 1 && (ww_u64)x % 16 == 0 && (!TWO || (incy == 1 && (ww_u64)y % 16 == 0));
    const ww_u32 lane0 = ww_thread_x() * mine;
    for (ww_u64 chunk = ww_block_x(); chunk < chunks; chunk += ww_blocks_x()) {
        const ww_u64 start = chunk * dot_chunk;
        const ww_u32 count = n - start < dot_chunk ? (ww_u32)(n - start) : dot_chunk;
        A lane[mine];
        WW_UNROLL for (int e = 0; e < mine; ++e) lane[e] = O::none();
        if (packs && count == dot_chunk) {
            WW_ROLLED for (int step0 = 0; step0 < steps; step0 += ahead) {
                Pack a[ahead], b[ahead];
                WW_UNROLL for (int i = 0; i < ahead; ++i) {
                    const ww_u64 at = start + (ww_u32)((step0 + i) * dot_lanes) + lane0;
                    a[i] = *(const Pack*)(x + at);
                    if constexpr (TWO) b[i] = *(const Pack*)(y + at);
                    else b[i] = a[i];
                }
                WW_UNROLL for (int i = 0; i < ahead; ++i) {
                    WW_UNROLL for (int e = 0; e < mine; ++e) {
                        const T u = conj ? ww_conj(a[i].at[e]) : a[i].at[e];
                        lane[e] = step0 + i == 0 ? O::first(u, b[i].at[e]) : O::next(lane[e], u, b[i].at[e]);
                    }
                }
            }
        } else {
            WW_UNROLL for (int e = 0; e < mine; ++e) {
                for (ww_u32 at = lane0 + e; at < count; at += dot_lanes) {
                    const ww_i64 i = (ww_i64)(start + at);
                    T u = x[i * incx], v = ww_zero<T>();
                    if constexpr (TWO) v = y[i * incy];
                    if (conj) u = ww_conj(u);
                    lane[e] = at < dot_lanes ? O::first(u, v) : O::next(lane[e], u, v);
                }
            }
        }
        const A sum = dot_tree<O, mine>(lane, count < dot_lanes ? count : dot_lanes, shared);
        if (ww_thread_x() == 0) {
            if (chunks == 1) *out = O::end(sum);
            else partial[chunk] = sum;
        }
    }
}

// The same for `n` results of chunks.
template <class O>
WW_DEVICE void dot_levels(typename O::acc* shared, ww_u64 n, const typename O::acc* from, typename O::acc* to, typename O::out* out) {
    typedef typename O::acc A;
    const int mine = 4;
    const ww_u64 chunks = (n + dot_chunk - 1) / dot_chunk;
    const ww_u32 lane0 = ww_thread_x() * mine;
    for (ww_u64 chunk = ww_block_x(); chunk < chunks; chunk += ww_blocks_x()) {
        const ww_u64 start = chunk * dot_chunk;
        const ww_u32 count = n - start < dot_chunk ? (ww_u32)(n - start) : dot_chunk;
        A lane[mine];
        WW_UNROLL for (int e = 0; e < mine; ++e) {
            lane[e] = O::none();
            for (ww_u32 at = lane0 + e; at < count; at += dot_lanes) {
                const A value = from[start + at];
                lane[e] = at < dot_lanes ? value : O::join(lane[e], value);
            }
        }
        const A sum = dot_tree<O, mine>(lane, count < dot_lanes ? count : dot_lanes, shared);
        if (ww_thread_x() == 0) {
            if (chunks == 1) *out = O::end(sum);
            else to[chunk] = sum;
        }
    }
}

#define DOT_LEVELS(NAME, O) \
    WW_KERNEL(NAME, 256, ww_u64 n, const O::acc* from, O::acc* to, O::out* out) { \
        WW_SHARED(O::acc, shared, 32); \
        dot_levels<O>(shared, n, from, to, out); \
    }
#define DOT(N, T) \
    WW_KERNEL( \
        dot_##N, (64 * sizeof(T)), ww_u64 n, const T* x, ww_i64 incx, const T* y, ww_i64 incy, ww_u32 conj, T* partial, T* out \
    ) { \
        WW_SHARED(T, shared, 32); \
        dot_chunks<dot_product<T>, true>(shared, n, x, incx, y, incy, conj != 0, partial, out); \
    } \
    WW_KERNEL(asum_##N, (64 * sizeof(T)), ww_u64 n, const T* x, ww_i64 incx, dot_abs<T>::acc* partial, dot_abs<T>::out* out) { \
        WW_SHARED(dot_abs<T>::acc, shared, 32); \
        dot_chunks<dot_abs<T>, false>(shared, n, x, incx, x, incx, false, partial, out); \
    } \
    WW_KERNEL(nrm2_##N, (64 * sizeof(T)), ww_u64 n, const T* x, ww_i64 incx, dot_squares<T>::acc* partial, dot_squares<T>::out* out) { \
        WW_SHARED(dot_squares<T>::acc, shared, 32); \
        dot_chunks<dot_squares<T>, false>(shared, n, x, incx, x, incx, false, partial, out); \
    } \
    DOT_LEVELS(dot_level_##N, dot_product<T>) \
    DOT_LEVELS(asum_level_##N, dot_abs<T>) \
    DOT_LEVELS(nrm2_level_##N, dot_squares<T>)

WW_EACH_BLAS(DOT)
