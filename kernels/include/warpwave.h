// The prelude: what a kernel may use, the same for every compiler. It is put in front of the text of a kernel; it includes no header,
// because run-time compilers have none.
//
// Three targets: nvcc and NVRTC; clang, hipcc and hipRTC for AMD; and a host C++ compiler, for which `warpwave_host.h` comes before this.
// The text below the prelude spells nothing of CUDA's, HIP's or a compiler's own.
//
// Kernels:  WW_KERNEL(name, threads, parameters…) { … }, with at most so many threads in a block. Parameters are pointers, numbers, and
//           structs of numbers. Blocks and threads are counted along x, y and z.
// Helpers:  WW_DEVICE type name(…) { … }
// Shared:   WW_SHARED(type, name, count); and WW_DYNAMIC_SHARED(type, name); in a kernel's body. Not initialised.
#if defined(WW_HOST)
// As below, in `warpwave_host.h`.
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define WW_CUDA 1
#define WW_WARP 32
#elif defined(__AMDGCN__)
#define WW_HIP 1
#if defined(__GFX9__)
#define WW_WARP 64
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define WW_WARP 32
#else
#error "the warp size of this target is not known"
#endif
#else
#error "this target is not known"
#endif

// ---- Types ----

typedef signed char ww_i8;
typedef unsigned char ww_u8;
typedef short ww_i16;
typedef unsigned short ww_u16;
typedef int ww_i32;
typedef unsigned int ww_u32;
typedef long long ww_i64;
typedef unsigned long long ww_u64;
typedef float ww_f32;
typedef double ww_f64;
// Storage of the 16-bit floats, by bits. Arithmetic is that of `float`.
struct ww_f16 {
    ww_u16 bits;
};
struct ww_bf16 {
    ww_u16 bits;
};
template <class T> struct alignas(2 * sizeof(T)) ww_complex {
    T re, im;
};
typedef ww_complex<ww_f32> ww_c32;
typedef ww_complex<ww_f64> ww_c64;

static_assert(sizeof(ww_i16) == 2 && sizeof(ww_u32) == 4 && sizeof(ww_u64) == 8, "the widths of the integers");
static_assert(sizeof(ww_f16) == 2 && sizeof(ww_c32) == 8 && sizeof(ww_c64) == 16, "the widths of the floats");

// One bit for each lane of a warp.
#if WW_WARP == 64
typedef ww_u64 ww_lane_mask;
#else
typedef ww_u32 ww_lane_mask;
#endif

// 16 bytes that are loaded and stored at once, and half as many.
struct alignas(16) ww_bytes16 {
    ww_u32 word[4];
};
struct alignas(8) ww_bytes8 {
    ww_u32 word[2];
};

// ---- The target's words ----

#if defined(WW_CUDA)

#define WW_DEVICE inline __device__ __attribute__((always_inline))
#define WW_CONSTANT static __device__ const
#define WW_KERNEL(name, threads, ...) \
    extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__); \
    extern "C" { \
    extern __device__ const ww_signature_of<decltype(name), threads>::type ww_parameters_##name; \
    __device__ const ww_signature_of<decltype(name), threads>::type ww_parameters_##name = \
        ww_signature_of<decltype(name), threads>::value; \
    } \
    extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__)
#define WW_SHARED(type, name, count) __shared__ type name[count]
#define WW_DYNAMIC_SHARED(type, name) extern __shared__ ww_bytes16 ww_dynamic_shared[]; type* const name = (type*)ww_dynamic_shared
#define WW_RESTRICT __restrict__
#define WW_UNROLL _Pragma("unroll")
#define WW_ROLLED _Pragma("unroll 1")

WW_DEVICE ww_u32 ww_thread_x() { return threadIdx.x; }
WW_DEVICE ww_u32 ww_thread_y() { return threadIdx.y; }
WW_DEVICE ww_u32 ww_thread_z() { return threadIdx.z; }
WW_DEVICE ww_u32 ww_threads_x() { return blockDim.x; }
WW_DEVICE ww_u32 ww_threads_y() { return blockDim.y; }
WW_DEVICE ww_u32 ww_threads_z() { return blockDim.z; }
WW_DEVICE ww_u32 ww_block_x() { return blockIdx.x; }
WW_DEVICE ww_u32 ww_block_y() { return blockIdx.y; }
WW_DEVICE ww_u32 ww_block_z() { return blockIdx.z; }
WW_DEVICE ww_u32 ww_blocks_x() { return gridDim.x; }
WW_DEVICE ww_u32 ww_blocks_y() { return gridDim.y; }
WW_DEVICE ww_u32 ww_blocks_z() { return gridDim.z; }

WW_DEVICE float ww_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
WW_DEVICE double ww_fma(double a, double b, double c) { return __fma_rn(a, b, c); }
WW_DEVICE float ww_sqrt_rn(float a) { return __fsqrt_rn(a); }
WW_DEVICE double ww_sqrt_rn(double a) { return __dsqrt_rn(a); }
WW_DEVICE ww_u32 ww_bits(float a) { return __float_as_uint(a); }
WW_DEVICE ww_u64 ww_bits(double a) { return (ww_u64)__double_as_longlong(a); }
WW_DEVICE float ww_from_bits(ww_u32 a) { return __uint_as_float(a); }
WW_DEVICE double ww_from_bits(ww_u64 a) { return __longlong_as_double((ww_i64)a); }
WW_DEVICE ww_u32 ww_clz(ww_u32 a) { return (ww_u32)__clz((int)a); }
WW_DEVICE ww_u32 ww_clz(ww_u64 a) { return (ww_u32)__clzll((ww_i64)a); }
WW_DEVICE ww_u32 ww_popcount(ww_u32 a) { return (ww_u32)__popc(a); }
WW_DEVICE ww_u32 ww_popcount(ww_u64 a) { return (ww_u32)__popcll(a); }
WW_DEVICE ww_u32 ww_mulhi(ww_u32 a, ww_u32 b) { return __umulhi(a, b); }
WW_DEVICE ww_u64 ww_mulhi(ww_u64 a, ww_u64 b) { return __umul64hi(a, b); }

// All threads of the block wait for each other; what each wrote before, to shared or device memory, every other sees after.
WW_DEVICE void ww_barrier() { __syncthreads(); }
// The same for the threads of a warp.
WW_DEVICE void ww_warp_barrier() { __syncwarp(); }
WW_DEVICE ww_u32 ww_lane() {
    ww_u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
WW_DEVICE ww_lane_mask ww_ballot(bool condition) { return __ballot_sync(0xffffffffu, condition); }
WW_DEVICE ww_u32 ww_shuffle_word(ww_u32 value, ww_u32 lane) { return __shfl_sync(0xffffffffu, value, (int)lane); }

// What this thread wrote before is seen, by whoever sees what it writes after.
WW_DEVICE void ww_fence() { __threadfence(); }
WW_DEVICE ww_u32 ww_load_acquire(const ww_u32* at) {
    ww_u32 value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
WW_DEVICE ww_u64 ww_load_acquire(const ww_u64* at) {
    ww_u64 value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
WW_DEVICE void ww_store_release(ww_u32* at, ww_u32 value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
WW_DEVICE void ww_store_release(ww_u64* at, ww_u64 value) {
    asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}
// A word that is all there is to see: nothing else is ordered by it.
WW_DEVICE ww_u32 ww_load_relaxed(const ww_u32* at) {
    ww_u32 value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
WW_DEVICE void ww_store_relaxed(ww_u32* at, ww_u32 value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
WW_DEVICE ww_u64 ww_load_relaxed(const ww_u64* at) {
    ww_u64 value;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
WW_DEVICE void ww_store_relaxed(ww_u64* at, ww_u64 value) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}
// To be called in a loop that waits for another block.
WW_DEVICE void ww_spin() { __nanosleep(20); }

WW_DEVICE ww_u32 ww_atomic_add(ww_u32* at, ww_u32 value) { return atomicAdd(at, value); }
WW_DEVICE ww_u64 ww_atomic_add(ww_u64* at, ww_u64 value) { return atomicAdd(at, value); }
WW_DEVICE float ww_atomic_add(float* at, float value) {
    // By exchanges: `atom.add.f32` takes denormals for zeros (PTX ISA).
    ww_u32 old = *(volatile ww_u32*)at, seen;
    do {
        seen = old;
        old = atomicCAS((ww_u32*)at, seen, __float_as_uint(__uint_as_float(seen) + value));
    } while (old != seen);
    return __uint_as_float(old);
}
WW_DEVICE double ww_atomic_add(double* at, double value) { return atomicAdd(at, value); }
WW_DEVICE ww_u32 ww_atomic_or(ww_u32* at, ww_u32 value) { return atomicOr(at, value); }
WW_DEVICE ww_u32 ww_atomic_and(ww_u32* at, ww_u32 value) { return atomicAnd(at, value); }
WW_DEVICE ww_u32 ww_atomic_max(ww_u32* at, ww_u32 value) { return atomicMax(at, value); }
WW_DEVICE ww_u32 ww_atomic_exchange(ww_u32* at, ww_u32 value) { return atomicExch(at, value); }
WW_DEVICE ww_u64 ww_atomic_exchange(ww_u64* at, ww_u64 value) { return atomicExch(at, value); }
WW_DEVICE ww_u32 ww_atomic_cas(ww_u32* at, ww_u32 expected, ww_u32 value) { return atomicCAS(at, expected, value); }
WW_DEVICE ww_u64 ww_atomic_cas(ww_u64* at, ww_u64 expected, ww_u64 value) { return atomicCAS(at, expected, value); }

// Past the caches: for what is read or written once.
WW_DEVICE ww_bytes16 ww_load_streaming(const ww_bytes16* at) {
    const uint4 v = __ldcs((const uint4*)at);
    return {{v.x, v.y, v.z, v.w}};
}
WW_DEVICE void ww_store_streaming(ww_bytes16* at, ww_bytes16 v) {
    __stcs((uint4*)at, make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
}
// Bytes of device memory that go at once. Spelled out: nvcc makes four stores of one of a structure, more often than not.
WW_DEVICE ww_bytes16 ww_load_raw(const ww_bytes16* at) {
    const uint4 v = *(const uint4*)at;
    return {{v.x, v.y, v.z, v.w}};
}
WW_DEVICE ww_bytes8 ww_load_raw(const ww_bytes8* at) {
    const uint2 v = *(const uint2*)at;
    return {{v.x, v.y}};
}
WW_DEVICE void ww_store_raw(ww_bytes16* at, ww_bytes16 v) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
}
WW_DEVICE void ww_store_raw(ww_bytes8* at, ww_bytes8 v) {
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(v.word[0]), "r"(v.word[1]) : "memory");
}

#elif defined(WW_HIP)

#define WW_DEVICE inline __attribute__((device, always_inline))
#define WW_CONSTANT static __attribute__((device)) const
#define WW_KERNEL(name, threads, ...) \
    extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, threads))) name(__VA_ARGS__); \
    extern "C" { \
    extern __attribute__((device, used, visibility("protected"))) \
        const ww_signature_of<decltype(name), threads>::type ww_parameters_##name; \
    __attribute__((device, used, visibility("protected"))) \
        const ww_signature_of<decltype(name), threads>::type ww_parameters_##name = ww_signature_of<decltype(name), threads>::value; \
    } \
    extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, threads))) name(__VA_ARGS__)
#define WW_SHARED(type, name, count) static __attribute__((shared)) type name[count]
#define WW_DYNAMIC_SHARED(type, name) \
    extern __attribute__((shared)) ww_bytes16 ww_dynamic_shared[]; type* const name = (type*)ww_dynamic_shared
#define WW_RESTRICT __restrict__
#define WW_UNROLL _Pragma("unroll")
#define WW_ROLLED _Pragma("unroll 1")

WW_DEVICE ww_u32 ww_thread_x() { return __builtin_amdgcn_workitem_id_x(); }
WW_DEVICE ww_u32 ww_thread_y() { return __builtin_amdgcn_workitem_id_y(); }
WW_DEVICE ww_u32 ww_thread_z() { return __builtin_amdgcn_workitem_id_z(); }
WW_DEVICE ww_u32 ww_threads_x() { return __builtin_amdgcn_workgroup_size_x(); }
WW_DEVICE ww_u32 ww_threads_y() { return __builtin_amdgcn_workgroup_size_y(); }
WW_DEVICE ww_u32 ww_threads_z() { return __builtin_amdgcn_workgroup_size_z(); }
WW_DEVICE ww_u32 ww_block_x() { return __builtin_amdgcn_workgroup_id_x(); }
WW_DEVICE ww_u32 ww_block_y() { return __builtin_amdgcn_workgroup_id_y(); }
WW_DEVICE ww_u32 ww_block_z() { return __builtin_amdgcn_workgroup_id_z(); }
WW_DEVICE ww_u32 ww_blocks_x() { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); }
WW_DEVICE ww_u32 ww_blocks_y() { return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(); }
WW_DEVICE ww_u32 ww_blocks_z() { return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z(); }

WW_DEVICE float ww_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WW_DEVICE double ww_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WW_DEVICE float ww_sqrt_rn(float a) { return __builtin_sqrtf(a); }
WW_DEVICE double ww_sqrt_rn(double a) { return __builtin_sqrt(a); }
WW_DEVICE ww_u32 ww_bits(float a) { return __builtin_bit_cast(ww_u32, a); }
WW_DEVICE ww_u64 ww_bits(double a) { return __builtin_bit_cast(ww_u64, a); }
WW_DEVICE float ww_from_bits(ww_u32 a) { return __builtin_bit_cast(float, a); }
WW_DEVICE double ww_from_bits(ww_u64 a) { return __builtin_bit_cast(double, a); }
WW_DEVICE ww_u32 ww_clz(ww_u32 a) { return a == 0 ? 32u : (ww_u32)__builtin_clz(a); }
WW_DEVICE ww_u32 ww_clz(ww_u64 a) { return a == 0 ? 64u : (ww_u32)__builtin_clzll(a); }
WW_DEVICE ww_u32 ww_popcount(ww_u32 a) { return (ww_u32)__builtin_popcount(a); }
WW_DEVICE ww_u32 ww_popcount(ww_u64 a) { return (ww_u32)__builtin_popcountll(a); }
WW_DEVICE ww_u32 ww_mulhi(ww_u32 a, ww_u32 b) { return (ww_u32)(((ww_u64)a * b) >> 32); }
WW_DEVICE ww_u64 ww_mulhi(ww_u64 a, ww_u64 b) { return (ww_u64)(((unsigned __int128)a * b) >> 64); }

WW_DEVICE void ww_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
WW_DEVICE void ww_warp_barrier() {
    // The lanes go together, but what they read and write may be moved past a bare barrier.
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#if WW_WARP == 64
WW_DEVICE ww_u32 ww_lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
WW_DEVICE ww_lane_mask ww_ballot(bool condition) { return __builtin_amdgcn_ballot_w64(condition); }
#else
WW_DEVICE ww_u32 ww_lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }
WW_DEVICE ww_lane_mask ww_ballot(bool condition) { return __builtin_amdgcn_ballot_w32(condition); }
#endif
WW_DEVICE ww_u32 ww_shuffle_word(ww_u32 value, ww_u32 lane) {
    return (ww_u32)__builtin_amdgcn_ds_bpermute((int)(lane << 2), (int)value);
}

WW_DEVICE void ww_fence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
WW_DEVICE ww_u32 ww_load_acquire(const ww_u32* at) { return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE ww_u64 ww_load_acquire(const ww_u64* at) { return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE void ww_store_release(ww_u32* at, ww_u32 v) { __hip_atomic_store(at, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE void ww_store_release(ww_u64* at, ww_u64 v) { __hip_atomic_store(at, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE ww_u32 ww_load_relaxed(const ww_u32* at) { return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE ww_u64 ww_load_relaxed(const ww_u64* at) { return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE void ww_store_relaxed(ww_u32* at, ww_u32 v) { __hip_atomic_store(at, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE void ww_store_relaxed(ww_u64* at, ww_u64 v) { __hip_atomic_store(at, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
WW_DEVICE void ww_spin() { __builtin_amdgcn_s_sleep(1); }

#define WW_X(T) \
    WW_DEVICE T ww_atomic_add(T* at, T value) { \
        return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    }
WW_X(ww_u32) WW_X(ww_u64) WW_X(float) WW_X(double)
#undef WW_X
#define WW_X(T) \
    WW_DEVICE T ww_atomic_exchange(T* at, T value) { \
        return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    } \
    WW_DEVICE T ww_atomic_cas(T* at, T expected, T value) { \
        __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
        return expected; \
    }
WW_X(ww_u32) WW_X(ww_u64)
#undef WW_X
WW_DEVICE ww_u32 ww_atomic_or(ww_u32* at, ww_u32 value) {
    return __hip_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
WW_DEVICE ww_u32 ww_atomic_and(ww_u32* at, ww_u32 value) {
    return __hip_atomic_fetch_and(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
WW_DEVICE ww_u32 ww_atomic_max(ww_u32* at, ww_u32 value) {
    return __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
WW_DEVICE ww_bytes16 ww_load_streaming(const ww_bytes16* at) {
    typedef ww_u32 words __attribute__((ext_vector_type(4)));
    const words v = __builtin_nontemporal_load((const words*)at);
    return {{v.x, v.y, v.z, v.w}};
}
WW_DEVICE void ww_store_streaming(ww_bytes16* at, ww_bytes16 v) {
    typedef ww_u32 words __attribute__((ext_vector_type(4)));
    __builtin_nontemporal_store((words){v.word[0], v.word[1], v.word[2], v.word[3]}, (words*)at);
}
WW_DEVICE ww_bytes16 ww_load_raw(const ww_bytes16* at) {
    typedef ww_u32 words __attribute__((ext_vector_type(4)));
    const words v = *(const words*)at;
    return {{v.x, v.y, v.z, v.w}};
}
WW_DEVICE ww_bytes8 ww_load_raw(const ww_bytes8* at) {
    typedef ww_u32 words __attribute__((ext_vector_type(2)));
    const words v = *(const words*)at;
    return {{v.x, v.y}};
}
WW_DEVICE void ww_store_raw(ww_bytes16* at, ww_bytes16 v) {
    typedef ww_u32 words __attribute__((ext_vector_type(4)));
    *(words*)at = (words){v.word[0], v.word[1], v.word[2], v.word[3]};
}
WW_DEVICE void ww_store_raw(ww_bytes8* at, ww_bytes8 v) {
    typedef ww_u32 words __attribute__((ext_vector_type(2)));
    *(words*)at = (words){v.word[0], v.word[1]};
}

#endif

// The same of signed integers, by their bits. So of 32 and 64 bits there are loads, stores, additions, exchanges, and exchanges where the
// value is as expected; additions of floats as well, and of `ww_u32` also the maximum, `or` and `and`.
#define WW_X(I, U) \
    WW_DEVICE I ww_load_acquire(const I* at) { return (I)ww_load_acquire((const U*)at); } \
    WW_DEVICE I ww_load_relaxed(const I* at) { return (I)ww_load_relaxed((const U*)at); } \
    WW_DEVICE void ww_store_release(I* at, I value) { ww_store_release((U*)at, (U)value); } \
    WW_DEVICE void ww_store_relaxed(I* at, I value) { ww_store_relaxed((U*)at, (U)value); } \
    WW_DEVICE I ww_atomic_add(I* at, I value) { return (I)ww_atomic_add((U*)at, (U)value); } \
    WW_DEVICE I ww_atomic_exchange(I* at, I value) { return (I)ww_atomic_exchange((U*)at, (U)value); } \
    WW_DEVICE I ww_atomic_cas(I* at, I expected, I value) { return (I)ww_atomic_cas((U*)at, (U)expected, (U)value); }
WW_X(ww_i32, ww_u32) WW_X(ww_i64, ww_u64)
#undef WW_X

// In front of a loop: WW_UNROLL is for one whose trips all become code of their own, WW_ROLLED for one that is to stay a loop.
#if !defined(WW_ROLLED)
#define WW_ROLLED
#endif
// As WW_UNROLL, where only registers ask for it: on the host it stays a loop, which is compiled sooner.
#if !defined(WW_IN_REGISTERS)
#define WW_IN_REGISTERS WW_UNROLL
#endif

// ---- Warps ----

// The bits of `value` as words and back.
template <class T> struct ww_words {
    ww_u32 word[(sizeof(T) + 3) / 4];
};
template <class T> WW_DEVICE ww_words<T> ww_to_words(T value) {
    union {
        ww_words<T> words;
        T value;
    } both = {{}};
    both.value = value;
    return both.words;
}
template <class T> WW_DEVICE T ww_from_words(ww_words<T> words) {
    union {
        ww_words<T> words;
        T value;
    } both = {words};
    return both.value;
}

// The value that lane `lane` of this warp has, modulo the size of a warp. All lanes that have not left the kernel take part; what a lane
// gets from one that has left is not defined.
template <class T> WW_DEVICE T ww_shuffle(T value, ww_u32 lane) {
#if defined(WW_HOST)
    return ww_host_shuffle(value, lane & (WW_WARP - 1));
#else
    ww_words<T> words = ww_to_words(value);
    WW_UNROLL for (ww_u32 i = 0; i < sizeof(words.word) / 4; ++i) words.word[i] = ww_shuffle_word(words.word[i], lane & (WW_WARP - 1));
    return ww_from_words<T>(words);
#endif
}
// The value of the lane so many below; its own where there is none in its group of `width` lanes (a power of two).
template <class T> WW_DEVICE T ww_shuffle_up(T value, ww_u32 distance, ww_u32 width = WW_WARP) {
    const ww_u32 lane = ww_lane();
    return ww_shuffle(value, (lane & (width - 1)) < distance ? lane : lane - distance);
}
// The value of the lane so many above; its own where there is none in its group.
template <class T> WW_DEVICE T ww_shuffle_down(T value, ww_u32 distance, ww_u32 width = WW_WARP) {
    const ww_u32 lane = ww_lane();
    return ww_shuffle(value, (lane & (width - 1)) + distance >= width ? lane : lane + distance);
}
// The value of the lane whose number differs in the bits of `mask`.
template <class T> WW_DEVICE T ww_shuffle_xor(T value, ww_u32 mask) {
    return ww_shuffle(value, ww_lane() ^ mask);
}
WW_DEVICE bool ww_any(bool condition) { return ww_ballot(condition) != 0; }
WW_DEVICE bool ww_all(bool condition) { return ww_ballot(!condition) == 0; }
// The lanes below this one.
WW_DEVICE ww_lane_mask ww_lanes_below() { return ((ww_lane_mask)1 << ww_lane()) - 1; }

// ---- Indices ----

// This thread among all of the grid, along x, and how many there are.
WW_DEVICE ww_u64 ww_index() { return (ww_u64)ww_block_x() * ww_threads_x() + ww_thread_x(); }
WW_DEVICE ww_u64 ww_stride() { return (ww_u64)ww_blocks_x() * ww_threads_x(); }
// Runs what follows for each `i` below `n`, in whichever thread of the grid and in no order. A loop by `ww_index` and `ww_stride` says which
// thread does what, and on the host is slow for that.
#if !defined(WW_GRID_LOOP)
#define WW_GRID_LOOP(i, n) for (ww_u64 i = ww_index(); i < (n); i += ww_stride())
#endif

// ---- Packs ----

// So many bytes that go at once.
template <int BYTES> struct ww_raw_of;
template <> struct ww_raw_of<1> { typedef ww_u8 type; };
template <> struct ww_raw_of<2> { typedef ww_u16 type; };
template <> struct ww_raw_of<4> { typedef ww_u32 type; };
template <> struct ww_raw_of<8> { typedef ww_bytes8 type; };
template <> struct ww_raw_of<16> { typedef ww_bytes16 type; };
// N elements that are loaded and stored at once, from an address in device memory that is a multiple of their size: at most 16 bytes.
template <class T, int N> union ww_pack {
    typename ww_raw_of<(int)sizeof(T) * N>::type raw;
    T at[N];
};
#if defined(WW_HOST)
WW_DEVICE ww_bytes16 ww_load_raw(const ww_bytes16* at) { return *at; }
WW_DEVICE ww_bytes8 ww_load_raw(const ww_bytes8* at) { return *at; }
WW_DEVICE void ww_store_raw(ww_bytes16* at, ww_bytes16 value) { *at = value; }
WW_DEVICE void ww_store_raw(ww_bytes8* at, ww_bytes8 value) { *at = value; }
#endif
#define WW_X(T) \
    WW_DEVICE T ww_load_raw(const T* at) { return *at; } \
    WW_DEVICE void ww_store_raw(T* at, T value) { *at = value; }
WW_X(ww_u8) WW_X(ww_u16) WW_X(ww_u32)
#undef WW_X
template <int N, class T> WW_DEVICE ww_pack<T, N> ww_load_pack(const T* at) {
    ww_pack<T, N> pack;
    pack.raw = ww_load_raw((const typename ww_raw_of<(int)sizeof(T) * N>::type*)at);
    return pack;
}
template <int N, class T> WW_DEVICE void ww_store_pack(T* at, ww_pack<T, N> pack) {
    ww_store_raw((typename ww_raw_of<(int)sizeof(T) * N>::type*)at, pack.raw);
}
// An element that goes at once, whatever it is made of.
template <class T> WW_DEVICE T ww_load(const T* at) { return ww_load_pack<1>(at).at[0]; }
template <class T> WW_DEVICE void ww_store(T* at, T value) {
    ww_pack<T, 1> pack;
    pack.at[0] = value;
    ww_store_pack<1>(at, pack);
}
// Whether a pack of N elements may be loaded from here.
template <int N, class T> WW_DEVICE bool ww_packed(const T* at) { return (ww_u64)at % (sizeof(T) * N) == 0; }
// Elements from here to the first place where a pack of N begins.
template <int N, class T> WW_DEVICE ww_u32 ww_before_pack(const T* at) {
    return (N - (ww_u32)((ww_u64)at / sizeof(T)) % N) % N;
}
// Elements of the types A and B of which one pack each fits into 16 bytes.
template <class A, class B = A> constexpr int ww_pack_of = 16 / (sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B));

// ---- Maps ----

// An element-wise kernel is a map:
//   PACK                                            elements that a thread takes at once, where the operands are aligned alike;
//   template <int N> struct operands;               what has been loaded;
//   template <int N> operands<N> load(i) const      loads elements i … i + N − 1;
//   template <int N> void store(i, operands) const  computes and stores them;
//   ww_u32 head() const                             elements before the first whole pack of the output;
//   bool packed(i) const                            whether packs may be loaded from element i on, everywhere.
// An output may be an input: a thread stores nothing that another has yet to load.
template <int N, int UNROLL, class M> WW_DEVICE void ww_map_packs(ww_u64 first, ww_u64 packs, const M& map) {
    const ww_u64 tile = (ww_u64)ww_threads_x() * UNROLL;
    for (ww_u64 start = ww_block_x() * tile; start < packs; start += ww_blocks_x() * tile) {
        const ww_u64 i = first + (start + ww_thread_x()) * N;
        const ww_u64 step = (ww_u64)ww_threads_x() * N;
        if (start + tile <= packs) {
            // All loads before the first store, so that they are under way at the same time.
            typename M::template operands<N> held[UNROLL];
            WW_UNROLL for (int u = 0; u < UNROLL; ++u) held[u] = map.template load<N>(i + u * step);
            WW_UNROLL for (int u = 0; u < UNROLL; ++u) map.template store<N>(i + u * step, held[u]);
        } else {
            for (ww_u64 j = i; j < first + packs * N; j += step) map.template store<N>(j, map.template load<N>(j));
        }
    }
}
template <class M> WW_DEVICE void ww_map(ww_u64 n, const M& map) {
    if constexpr (M::PACK > 1) {
        const ww_u64 head = map.head();
        if (n >= head + M::PACK && map.packed(head)) {
            const ww_u64 packs = (n - head) / M::PACK, tail = head + packs * M::PACK;
            ww_map_packs<M::PACK, 2>(head, packs, map);
            if (ww_block_x() == 0) {
                for (ww_u64 i = ww_thread_x(); i < head; i += ww_threads_x()) map.template store<1>(i, map.template load<1>(i));
                for (ww_u64 i = tail + ww_thread_x(); i < n; i += ww_threads_x())
                    map.template store<1>(i, map.template load<1>(i));
            }
            return;
        }
    }
    ww_map_packs<1, 4>(0, n, map);
}

// An input of an element-wise kernel: elements, or without a pointer one value for all.
template <class T> struct ww_source {
    const T* at;
    T value;

    template <int N> WW_DEVICE ww_pack<T, N> load(ww_u64 i) const {
        if (at != nullptr) return ww_load_pack<N>(at + i);
        ww_pack<T, N> pack;
        WW_UNROLL for (int j = 0; j < N; ++j) pack.at[j] = value;
        return pack;
    }
    template <int N> WW_DEVICE bool packed(ww_u64 i) const { return at == nullptr || ww_packed<N>(at + i); }
};

// out[i] = OP::of(x[i]), and out[i] = OP::of(a[i], b[i]).
template <class T, class OP, int TOGETHER = ww_pack_of<T>> struct ww_unary_map {
    static const int PACK = TOGETHER;
    const T* x;
    T* out;

    template <int N> struct operands {
        ww_pack<T, N> x;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return ww_packed<PACK>(x + i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {ww_load_pack<N>(x + i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = OP::of(held.x.at[j]);
        ww_store_pack<N>(out + i, result);
    }
};
template <class T, class OP, int TOGETHER = ww_pack_of<T>> struct ww_binary_map {
    static const int PACK = TOGETHER;
    ww_source<T> a, b;
    T* out;

    template <int N> struct operands {
        ww_pack<T, N> a, b;
    };
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64 i) const { return a.template packed<PACK>(i) && b.template packed<PACK>(i); }
    template <int N> WW_DEVICE operands<N> load(ww_u64 i) const { return {a.template load<N>(i), b.template load<N>(i)}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N> held) const {
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j) result.at[j] = OP::of(held.a.at[j], held.b.at[j]);
        ww_store_pack<N>(out + i, result);
    }
};

// ---- Registers ----

// How many threads a kernel is said to have: `threads`, but for CUDA `more`, where that leaves a thread so few registers that several blocks
// share a multiprocessor.
#if defined(WW_CUDA)
#define WW_CROWDED(threads, more) more
#else
#define WW_CROWDED(threads, more) threads
#endif
// The same number, but for CUDA with the word that one block on a multiprocessor is enough. Without it ptxas takes registers away for the
// sake of more blocks, and for sm_80 spills them.
#if defined(WW_CUDA)
#define WW_ONE_BLOCK(threads) threads, 1
#else
#define WW_ONE_BLOCK(threads) threads
#endif

// ---- Lines ----

// Calls each(line, i) for every element i of `runs` lines of `run` elements. A block covers 2^log_width elements of each of so many lines
// as it has threads for, four times over along the line.
template <class F> WW_DEVICE void ww_lines(ww_u64 run, ww_u64 runs, ww_u32 log_width, F each) {
    const ww_u32 width = 1u << log_width, height = ww_threads_x() >> log_width, wide = width * 4;
    const ww_u32 x = ww_thread_x() & (width - 1), y = ww_thread_x() >> log_width;
    const ww_u64 across = (run + wide - 1) / wide, tiles = across * ((runs + height - 1) / height);
    for (ww_u64 tile = ww_block_x(); tile < tiles; tile += ww_blocks_x()) {
        const ww_u64 down = tile / across, line = down * height + y, i = (tile - down * across) * wide + x;
        if (line < runs) {
            WW_UNROLL for (ww_u32 u = 0; u < 4; ++u)
                if (i + u * width < run) each(line, i + u * width);
        }
    }
}
