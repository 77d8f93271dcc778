// The prelude's third target: a host C++ compiler, C++17. Comes between `warpwave_parameter.h` and
// `warpwave.h`, with WW_WARP defined as 32 or 64.
//
// A translation unit becomes a shared object with one exported function, `ww_host_module`: it hands over the kernels, each with what its
// text declares its parameters to be, and takes the executor's functions (`kernels/src/host`). An OS thread runs one block at a time.
//
// WW_HOST_PLAIN:  the text uses no word that waits for another thread. A kernel is then a loop over the threads of a block, into which its
//                 body is inlined. Without it each thread is run by the executor, on a stack of its own if it comes to wait.
// WW_HOST_COMMUNICATES:  beside WW_HOST_CHECK: the text has words by which blocks tell each other something.
// WW_HOST_CHECK:  the compiler has been asked for a call before each access to memory (-fsanitize=kernel-address); never with
//                 WW_HOST_PLAIN.
//
// Includes no header, so that a bare compiler is enough.
#if !defined(WW_WARP) || (WW_WARP != 32 && WW_WARP != 64)
#error "WW_WARP has to be 32 or 64"
#endif

typedef unsigned int ww_u32;
typedef unsigned long long ww_u64;
#if WW_WARP == 64
typedef ww_u64 ww_lane_mask;
#else
typedef ww_u32 ww_lane_mask;
#endif

#define WW_DEVICE inline __attribute__((always_inline))
#define WW_CONSTANT static const
#define WW_RESTRICT __restrict__
#if defined(__clang__)
#define WW_UNROLL _Pragma("unroll")
// The threads are independent, but clang has their private arrays at one place: told to assume that no trip depends on another
// (`assume_safety`), it has lanes of a vector write over each other's. It finds out by itself, when the kernel runs where it must.
#define WW_HOST_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#else
#define WW_UNROLL _Pragma("GCC unroll 32")
// g++ makes vectors of no loop that has an array inside, whatever it is told.
#define WW_HOST_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define WW_IN_REGISTERS

// ---- What the executor and a module share: `kernels/src/host/abi.rs` has the same ----

struct ww_host_thread;
// Each may go on with other threads before it returns.
struct ww_host_calls {
    void (*barrier)(ww_host_thread*);
    void (*warp_barrier)(ww_host_thread*);
    void (*ballot)(ww_host_thread*, ww_u64 condition, ww_u64* out);
    // `out` becomes what lane `lane` has at its `value`, of so many bytes.
    void (*shuffle)(ww_host_thread*, const void* value, void* out, ww_u64 bytes_and_lane);
    void (*spin)(ww_host_thread*);
    // `out` becomes where the array declared at `site` is.
    void (*shared)(ww_host_thread*, const void* site, void** out, ww_u64 bytes_and_align);
    // An access is about to happen; does not return if it must not. The highest bit of `bytes` says that it writes, the next one that it
    // is atomic.
    void (*access)(ww_host_thread*, const void* at, ww_u64 bytes);
    // What the block has written before, it publishes.
    void (*fence)(ww_host_thread*);
};
struct ww_host_block {
    const ww_host_calls* calls;
    void* dynamic_shared;
    // What an access may lie in without being asked about: starts and ends. So many times.
    ww_u64 known[4][2], quiet;
    ww_u32 block[3], blocks[3], threads[3];
};
struct ww_host_thread {
    ww_host_block* block;
    ww_u32 index[3];
    ww_u32 lane;
};
struct ww_host_kernel {
    const char* name;
    // Runs the thread that the executor has set; with WW_HOST_PLAIN all threads of the block.
    void (*run)(const ww_host_block*, void* const* args);
    const ww_parameter* parameters;
    ww_u32 count, threads;
};
struct ww_host_description {
    ww_u32 version, warp, plain, check, communicates;
    // A section of pointers to kernels, and to what has no name and is none.
    const ww_host_kernel *const *first, *const *last;
    // The variable of the calling OS thread in which the executor says which thread runs.
    ww_host_thread** (*current)();
    // What the module itself has as constants and variables.
    const void *start, *end;
};

// ---- Where a thread is ----

#if defined(WW_HOST_PLAIN)

// Their address is never taken, so a compiler can keep them in registers, whatever a kernel writes.
static thread_local ww_u32 ww_host_tx, ww_host_ty, ww_host_tz, ww_host_ntx, ww_host_nty, ww_host_ntz;
static thread_local ww_u32 ww_host_bx, ww_host_by, ww_host_bz, ww_host_nbx, ww_host_nby, ww_host_nbz;

WW_DEVICE ww_u32 ww_thread_x() { return ww_host_tx; }
WW_DEVICE ww_u32 ww_thread_y() { return ww_host_ty; }
WW_DEVICE ww_u32 ww_thread_z() { return ww_host_tz; }
WW_DEVICE ww_u32 ww_threads_x() { return ww_host_ntx; }
WW_DEVICE ww_u32 ww_threads_y() { return ww_host_nty; }
WW_DEVICE ww_u32 ww_threads_z() { return ww_host_ntz; }
WW_DEVICE ww_u32 ww_block_x() { return ww_host_bx; }
WW_DEVICE ww_u32 ww_block_y() { return ww_host_by; }
WW_DEVICE ww_u32 ww_block_z() { return ww_host_bz; }
WW_DEVICE ww_u32 ww_blocks_x() { return ww_host_nbx; }
WW_DEVICE ww_u32 ww_blocks_y() { return ww_host_nby; }
WW_DEVICE ww_u32 ww_blocks_z() { return ww_host_nbz; }
WW_DEVICE ww_u32 ww_lane() { return (ww_host_tx + ww_host_ntx * (ww_host_ty + ww_host_nty * ww_host_tz)) % WW_WARP; }

// Each thread takes a run of indices, which a compiler can make vectors of.
struct ww_host_run {
    ww_u64 start, end;
    WW_DEVICE ww_host_run(ww_u64 n) {
        const ww_u64 threads = (ww_u64)ww_host_nbx * ww_host_ntx, each = n / threads + (n % threads != 0);
        start = each * ((ww_u64)ww_host_bx * ww_host_ntx + ww_host_tx);
        start = start < n ? start : n;
        end = each < n - start ? start + each : n;
    }
};
#define WW_GRID_LOOP(i, n) \
    for (const ww_host_run ww_host_run_##i(n), *ww_host_once_##i = &ww_host_run_##i; ww_host_once_##i; ww_host_once_##i = nullptr) \
        WW_HOST_INDEPENDENT for (ww_u64 i = ww_host_run_##i.start; i < ww_host_run_##i.end; ++i)

// Not defined: a text that uses them is not compiled so.
void ww_barrier();
void ww_warp_barrier();
ww_lane_mask ww_ballot(bool condition);
ww_u32 ww_shuffle_word(ww_u32 value, ww_u32 lane);
template <class T> T ww_host_shuffle(T value, ww_u32 lane);
void ww_spin();

#else

static thread_local ww_host_thread* ww_host_now;

#if defined(WW_HOST_CHECK)
#define WW_HOST_UNCHECKED __attribute__((no_sanitize_address)) __attribute__((no_sanitize("kernel-address")))
// What is the executor's own is not looked at.
#define WW_HOST_PLACE __attribute__((noinline, unused)) static WW_HOST_UNCHECKED
#else
#define WW_HOST_UNCHECKED
#define WW_HOST_PLACE WW_DEVICE
#endif

WW_HOST_PLACE ww_u32 ww_thread_x() { return ww_host_now->index[0]; }
WW_HOST_PLACE ww_u32 ww_thread_y() { return ww_host_now->index[1]; }
WW_HOST_PLACE ww_u32 ww_thread_z() { return ww_host_now->index[2]; }
WW_HOST_PLACE ww_u32 ww_threads_x() { return ww_host_now->block->threads[0]; }
WW_HOST_PLACE ww_u32 ww_threads_y() { return ww_host_now->block->threads[1]; }
WW_HOST_PLACE ww_u32 ww_threads_z() { return ww_host_now->block->threads[2]; }
WW_HOST_PLACE ww_u32 ww_block_x() { return ww_host_now->block->block[0]; }
WW_HOST_PLACE ww_u32 ww_block_y() { return ww_host_now->block->block[1]; }
WW_HOST_PLACE ww_u32 ww_block_z() { return ww_host_now->block->block[2]; }
WW_HOST_PLACE ww_u32 ww_blocks_x() { return ww_host_now->block->blocks[0]; }
WW_HOST_PLACE ww_u32 ww_blocks_y() { return ww_host_now->block->blocks[1]; }
WW_HOST_PLACE ww_u32 ww_blocks_z() { return ww_host_now->block->blocks[2]; }
WW_HOST_PLACE ww_u32 ww_lane() { return ww_host_now->lane; }

WW_HOST_PLACE void ww_barrier() { ww_host_now->block->calls->barrier(ww_host_now); }
WW_HOST_PLACE void ww_warp_barrier() { ww_host_now->block->calls->warp_barrier(ww_host_now); }
WW_HOST_PLACE ww_lane_mask ww_ballot(bool condition) {
    ww_u64 mask;
    ww_host_now->block->calls->ballot(ww_host_now, condition, &mask);
    return (ww_lane_mask)mask;
}
WW_HOST_PLACE void ww_host_exchange(const void* value, void* out, ww_u32 bytes, ww_u32 lane) {
    ww_host_now->block->calls->shuffle(ww_host_now, value, out, (ww_u64)bytes << 32 | lane);
}
// Of any size at once: `ww_shuffle` is this.
template <class T> WW_DEVICE T ww_host_shuffle(T value, ww_u32 lane) {
    T out;
    ww_host_exchange(&value, &out, sizeof(T), lane);
    return out;
}
WW_DEVICE ww_u32 ww_shuffle_word(ww_u32 value, ww_u32 lane) { return ww_host_shuffle(value, lane); }
WW_HOST_PLACE void ww_spin() { ww_host_now->block->calls->spin(ww_host_now); }

WW_HOST_PLACE void* ww_host_shared(const void* site, ww_u32 bytes, ww_u32 align) {
    void* at;
    ww_host_now->block->calls->shared(ww_host_now, site, &at, (ww_u64)bytes << 32 | align);
    return at;
}
WW_HOST_PLACE void* ww_host_dynamic_shared() { return ww_host_now->block->dynamic_shared; }
// Their place is the block's: every thread that comes to the declaration gets the same.
#define WW_SHARED(type, name, count) \
    static_assert(alignof(type) <= 256, "an array of shared memory is aligned to 256 bytes at most"); \
    static_assert(sizeof(type) * (ww_u64)(count) < 1ull << 31, "an array of shared memory that no block can have"); \
    static char ww_host_site_##name; \
    type(&name)[count] = *(type(*)[count])ww_host_shared(&ww_host_site_##name, sizeof(type) * (count), alignof(type))
#define WW_DYNAMIC_SHARED(type, name) type* const name = (type*)ww_host_dynamic_shared()

#endif

// ---- Numbers ----

// Fused also where the processor cannot: then it is the C library's.
WW_DEVICE float ww_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WW_DEVICE double ww_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WW_DEVICE float ww_sqrt_rn(float a) { return __builtin_sqrtf(a); }
WW_DEVICE double ww_sqrt_rn(double a) { return __builtin_sqrt(a); }
template <class To, class From> WW_DEVICE To ww_host_cast(From from) {
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
WW_DEVICE ww_u32 ww_bits(float a) { return ww_host_cast<ww_u32>(a); }
WW_DEVICE ww_u64 ww_bits(double a) { return ww_host_cast<ww_u64>(a); }
WW_DEVICE float ww_from_bits(ww_u32 a) { return ww_host_cast<float>(a); }
WW_DEVICE double ww_from_bits(ww_u64 a) { return ww_host_cast<double>(a); }
WW_DEVICE ww_u32 ww_clz(ww_u32 a) { return a == 0 ? 32u : (ww_u32)__builtin_clz(a); }
WW_DEVICE ww_u32 ww_clz(ww_u64 a) { return a == 0 ? 64u : (ww_u32)__builtin_clzll(a); }
WW_DEVICE ww_u32 ww_popcount(ww_u32 a) { return (ww_u32)__builtin_popcount(a); }
WW_DEVICE ww_u32 ww_popcount(ww_u64 a) { return (ww_u32)__builtin_popcountll(a); }
WW_DEVICE ww_u32 ww_mulhi(ww_u32 a, ww_u32 b) { return (ww_u32)(((ww_u64)a * b) >> 32); }
WW_DEVICE ww_u64 ww_mulhi(ww_u64 a, ww_u64 b) { return (ww_u64)(((unsigned __int128)a * b) >> 64); }

// ---- Memory ----

#if defined(WW_HOST_CHECK)
// An atomic access is looked at for its place alone. What is before a fence or a release is published.
extern "C" {
static void ww_host_access(const void* at, ww_u64 bytes, ww_u64 flags);
}
#define WW_HOST_TOUCH(at) ww_host_access(at, sizeof(*(at)), 1ull << 62);
#define WW_HOST_PUBLISH ww_host_now->block->calls->fence(ww_host_now);
#define WW_HOST_ATOMIC WW_HOST_PLACE
#else
#define WW_HOST_TOUCH(at)
#define WW_HOST_PUBLISH
#define WW_HOST_ATOMIC WW_DEVICE
#endif

WW_HOST_ATOMIC void ww_fence() {
    WW_HOST_PUBLISH
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <class T> WW_HOST_ATOMIC T ww_host_atomic_add(T* at, T value) {
    WW_HOST_TOUCH(at)
    T old;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    for (;;) {
        T sum = old + value;
        if (__atomic_compare_exchange(at, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}
WW_DEVICE float ww_atomic_add(float* at, float value) { return ww_host_atomic_add(at, value); }
WW_DEVICE double ww_atomic_add(double* at, double value) { return ww_host_atomic_add(at, value); }
#define WW_X(T) \
    WW_HOST_ATOMIC T ww_load_acquire(const T* at) { \
        WW_HOST_TOUCH(at) \
        return __atomic_load_n(at, __ATOMIC_ACQUIRE); \
    } \
    WW_HOST_ATOMIC T ww_load_relaxed(const T* at) { \
        WW_HOST_TOUCH(at) \
        return __atomic_load_n(at, __ATOMIC_RELAXED); \
    } \
    WW_HOST_ATOMIC void ww_store_relaxed(T* at, T value) { \
        WW_HOST_TOUCH(at) \
        __atomic_store_n(at, value, __ATOMIC_RELAXED); \
    } \
    WW_HOST_ATOMIC void ww_store_release(T* at, T value) { \
        WW_HOST_TOUCH(at) \
        WW_HOST_PUBLISH \
        __atomic_store_n(at, value, __ATOMIC_RELEASE); \
    } \
    WW_HOST_ATOMIC T ww_atomic_add(T* at, T value) { \
        WW_HOST_TOUCH(at) \
        return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); \
    } \
    WW_HOST_ATOMIC T ww_atomic_exchange(T* at, T value) { \
        WW_HOST_TOUCH(at) \
        return __atomic_exchange_n(at, value, __ATOMIC_RELAXED); \
    } \
    WW_HOST_ATOMIC T ww_atomic_cas(T* at, T expected, T value) { \
        WW_HOST_TOUCH(at) \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected; \
    }
WW_X(ww_u32) WW_X(ww_u64)
#undef WW_X
WW_HOST_ATOMIC ww_u32 ww_atomic_max(ww_u32* at, ww_u32 value) {
    WW_HOST_TOUCH(at)
    ww_u32 old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
WW_HOST_ATOMIC ww_u32 ww_atomic_or(ww_u32* at, ww_u32 value) {
    WW_HOST_TOUCH(at)
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
WW_HOST_ATOMIC ww_u32 ww_atomic_and(ww_u32* at, ww_u32 value) {
    WW_HOST_TOUCH(at)
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}

// Of `ww_bytes16`, which is not known yet.
template <class B> WW_DEVICE B ww_load_streaming(const B* at) { return *at; }
template <class B> WW_DEVICE void ww_store_streaming(B* at, B v) { *at = v; }

// ---- Kernels ----

template <ww_u32... I> struct ww_host_indices {};
template <ww_u32 N, ww_u32... I> struct ww_host_count : ww_host_count<N - 1, N - 1, I...> {};
template <ww_u32... I> struct ww_host_count<0, I...> { typedef ww_host_indices<I...> type; };

template <auto F> struct ww_host_thunk;
template <class... P, void (*F)(P...)> struct ww_host_thunk<F> {
    // Arguments lie 16 bytes apart.
    static_assert(((alignof(P) <= 16) && ...), "a parameter of a kernel is aligned to 16 bytes at most");
    static_assert(((sizeof(P) > 0) && ...), "a parameter of a kernel has a byte at least");
    static constexpr ww_u32 count = sizeof...(P);
    // One more, as there are no arrays of nothing.
    static constexpr ww_parameter parameters[count + 1] = {ww_describe<P>::value..., {0, 0, 0, 0}};

    template <ww_u32... I> static WW_DEVICE void pass(const ww_host_block* block, void* const* args, ww_host_indices<I...>) {
        call(block, *(P*)args[I]...);
    }
#if defined(WW_HOST_PLAIN)
    static WW_DEVICE void call(const ww_host_block* block, P... p) {
        ww_host_bx = block->block[0], ww_host_by = block->block[1], ww_host_bz = block->block[2];
        ww_host_nbx = block->blocks[0], ww_host_nby = block->blocks[1], ww_host_nbz = block->blocks[2];
        const ww_u32 nx = ww_host_ntx = block->threads[0];
        const ww_u32 ny = ww_host_nty = block->threads[1];
        const ww_u32 nz = ww_host_ntz = block->threads[2];
        for (ww_u32 z = 0; z < nz; ++z) {
            for (ww_u32 y = 0; y < ny; ++y) {
                // The threads of a block run in no order that a kernel may rely on, so they may as well run side by side.
                WW_HOST_INDEPENDENT for (ww_u32 x = 0; x < nx; ++x) {
                    ww_host_tx = x, ww_host_ty = y, ww_host_tz = z;
                    F(p...);
                }
            }
        }
    }
#else
    static WW_DEVICE void call(const ww_host_block*, P... p) { F(p...); }
#endif
#if !defined(WW_HOST_PLAIN)
    WW_HOST_UNCHECKED
#endif
    static void run(const ww_host_block* block, void* const* args) {
        pass(block, args, typename ww_host_count<count>::type());
    }
};

#if defined(WW_HOST_PLAIN)
#define WW_HOST_BODY static WW_DEVICE
#else
#define WW_HOST_BODY static __attribute__((noinline))
#endif
#define WW_KERNEL(name, threads, ...) WW_HOST_KERNEL(name, threads, __VA_ARGS__)
#define WW_HOST_KERNEL(name, threads, ...) \
    WW_HOST_BODY void ww_host_body_##name(__VA_ARGS__); \
    static constexpr ww_host_kernel ww_host_kernel_##name = {#name, ww_host_thunk<ww_host_body_##name>::run, \
        ww_host_thunk<ww_host_body_##name>::parameters, ww_host_thunk<ww_host_body_##name>::count, threads}; \
    WW_HOST_LIST(name) \
    WW_HOST_BODY void ww_host_body_##name(__VA_ARGS__)
// Constants in a section of their own: a list that is made by constructors would be made by code that runs when the module is loaded.
#define WW_HOST_LIST(name) \
    __attribute__((used, section("ww_kernels"))) static const ww_host_kernel* const ww_host_entry_##name = &ww_host_kernel_##name;
// The section is there if the text has no kernel.
static constexpr ww_host_kernel ww_host_kernel_ = {nullptr, nullptr, nullptr, 0, 0};
WW_HOST_LIST()

extern "C" {
__attribute__((visibility("hidden"))) extern char __ehdr_start[];
__attribute__((visibility("hidden"))) extern char _end[];
// The linker's, for a section of that name.
__attribute__((visibility("hidden"))) extern const ww_host_kernel* const __start_ww_kernels[];
__attribute__((visibility("hidden"))) extern const ww_host_kernel* const __stop_ww_kernels[];
#if defined(WW_HOST_PLAIN)
static ww_host_thread** ww_host_current() {
    // Called before a kernel, so that the system makes this thread's variables now.
    ww_host_tx = 0;
    return nullptr;
}
#else
static ww_host_thread** ww_host_current() { return &ww_host_now; }
#endif
__attribute__((visibility("default"))) ww_host_description ww_host_module() {
    ww_host_description d = {3, WW_WARP, 0, 0, 0, __start_ww_kernels, __stop_ww_kernels, ww_host_current, __ehdr_start, _end};
#if defined(WW_HOST_PLAIN)
    d.plain = 1;
#endif
#if defined(WW_HOST_CHECK)
    d.check = 1;
#endif
#if defined(WW_HOST_COMMUNICATES)
    d.communicates = 1;
#endif
    return d;
}

#if defined(WW_HOST_CHECK)
#define WW_HOST_HOOK WW_HOST_UNCHECKED __attribute__((visibility("hidden"))) void
static WW_HOST_UNCHECKED __attribute__((noinline)) void ww_host_access(const void* at, ww_u64 bytes, ww_u64 flags) {
    // What is just above this frame is a variable of the thread's own: most accesses, where the compiler keeps arrays in memory.
    if ((ww_u64)at - (ww_u64)__builtin_frame_address(0) < 2048) return;
    ww_host_thread* const now = ww_host_now;
    // While the module is described no thread runs.
    if (!now) return;
    ww_host_block* const block = now->block;
    for (int i = 0; i < 4; ++i) {
        if ((ww_u64)at < block->known[i][0] || (ww_u64)at + bytes > block->known[i][1]) continue;
        if (block->quiet-- != 0) return;
        break;
    }
    block->calls->access(now, at, bytes | flags);
}
#define WW_X(N) \
    WW_HOST_HOOK __asan_load##N##_noabort(const void* at) { ww_host_access(at, N, 0); } \
    WW_HOST_HOOK __asan_store##N##_noabort(const void* at) { ww_host_access(at, N, 1ull << 63); }
WW_X(1) WW_X(2) WW_X(4) WW_X(8) WW_X(16)
#undef WW_X
WW_HOST_HOOK __asan_loadN_noabort(const void* at, unsigned long bytes) { ww_host_access(at, bytes, 0); }
WW_HOST_HOOK __asan_storeN_noabort(const void* at, unsigned long bytes) { ww_host_access(at, bytes, 1ull << 63); }
WW_HOST_HOOK __asan_handle_no_return() {}
WW_HOST_HOOK __asan_before_dynamic_init(const void*) {}
WW_HOST_HOOK __asan_after_dynamic_init() {}
#endif
}
