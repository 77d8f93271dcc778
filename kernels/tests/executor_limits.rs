//! The executor: what a text, a launch and a thread may have at most, and what they may not have at all.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Array, Host, compile, fault};
use std::num::NonZeroUsize;
use std::sync::Arc;
use warpwave_core::{ErrorKind, Grid};
use warpwave_kernels::host::{HostLaunch, HostModule, Options};
use warpwave_kernels::launch::{Arg, Entry, Plan, Step};

const PLAIN: Options = Options { warp: 32, check: false };

/// A plan of one launch of `name` in the file `text`.
fn one(name: &'static str, blocks: u32, threads: u32, args: Vec<Arg>) -> Plan {
    Plan::one(Step::new(Entry::plain("text", name), blocks, threads, args))
}

/// What the compiler, or who looks at what it made, says of a text that is refused.
fn refused(text: &str, options: Options) -> String {
    let module = compile("refused", text, options).map(|module: Arc<HostModule>| module.is_plain());
    let error = module.expect_err(text);
    let ErrorKind::Compile { log } = error.kind() else { panic!("{error}") };
    log.clone()
}

/// Threads of which one needs more stack than there is, at a barrier, when it leaves, or both: the fault names it, no other thread suffers, and
/// what comes after is as before.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn a_stack_that_overflows_is_a_fault() {
    let text = r#"
// Some 1 KiB for each level.
static __attribute__((noinline)) ww_u32 deep(ww_u32 levels, const ww_u32* x, bool wait) {
    volatile ww_u32 held[250];
    for (ww_u32 i = 0; i < 250; ++i) held[i] = x[i % 4] + i;
    if (levels == 0 && wait) ww_barrier();
    const ww_u32 below = levels == 0 ? 0 : deep(levels - 1, x, wait);
    return below + held[levels % 250];
}
WW_KERNEL(k, 256, const ww_u32* x, ww_u32* y, ww_u32 who, ww_u32 levels, ww_u32 wait) {
    const ww_u32 t = ww_thread_x();
    if (wait != 1) ww_barrier();
    y[ww_index()] = deep(t == who ? levels : 3, x, wait != 0) + t;
    ww_barrier();
}
"#;
    for (warp, check) in [(32, false), (64, false), (64, true)] {
        let host = Host::new(warp).with_text("text", text).checked(check);
        let x = Array::from(&[0_u32; 4]);
        let run = |who, levels, wait| {
            let y = Array::<u32>::poisoned(3 * 100);
            let args = vec![Arg::Ptr(x.ptr()), Arg::Ptr(y.ptr()), Arg::U32(who), Arg::U32(levels), Arg::U32(wait)];
            host.run(&one("k", 3, 100, args), 1).map(|()| y.to_vec())
        };
        for wait in 0..3 {
            // The thread's own sum of 0 … levels.
            let y = run(37, 80, wait).unwrap();
            assert!(y.iter().enumerate().all(|(i, &y)| {
                let t = i as u32 % 100;
                let levels = if t == 37 { 80 } else { 3 };
                y == levels * (levels + 1) / 2 + t
            }));
            for who in [37, 0, 99] {
                let what = fault(run(who, 150, wait).map(|_| ()));
                let named = what.contains(&format!("thread ({who}, 0, 0): "));
                // With checks an access past the end is found before the thread waits, if it is far enough from the frame.
                let by_access = check && what.contains("past the end of its stack of 128 KiB");
                assert!(named && (by_access || what.contains("more than 128 KiB of stack")), "{what}");
            }
        }
    }
}

/// A thread that needs more than its stack and leaves alone what is just below it, but not what was another's if stacks lay side by side: it
/// is found where it waits, and else no other thread suffers.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn a_stack_that_overflows_unseen_does_no_harm() {
    let text = r#"
// Some 55 KiB for each level, of which few words are written: on the third, 129 to 136 KiB below the highest of the stack.
static __attribute__((noinline)) ww_u32 deep(ww_u32 levels, const ww_u32* x, bool wait) {
    volatile ww_u32 held[14000];
    held[x[0] + 100] = levels;
    for (ww_u32 i = 9900; i < 10600; ++i) held[x[0] + i] = levels;
    if (levels == 0 && wait) ww_barrier();
    const ww_u32 below = levels == 0 ? 0 : deep(levels - 1, x, wait);
    return below + held[100];
}
WW_KERNEL(k, 256, const ww_u32* x, ww_u32* y, ww_u32 who, ww_u32 wait) {
    const ww_u32 t = ww_thread_x();
    volatile ww_u32 mine[2000];
    for (ww_u32 i = 0; i < 2000; ++i) mine[i] = t + i;
    ww_barrier();
    y[ww_index()] = deep(t == who ? 2 : 0, x, wait != 0);
    ww_barrier();
    for (ww_u32 i = 0; i < 2000; ++i) y[ww_index()] += mine[i] - t;
}
"#;
    for warp in [32, 64] {
        let host = Host::new(warp).with_text("text", text).checked(false);
        let x = Array::from(&[0_u32; 4]);
        for who in [0, 37, 99] {
            let run = |wait| {
                let y = Array::<u32>::poisoned(100);
                let args = vec![Arg::Ptr(x.ptr()), Arg::Ptr(y.ptr()), Arg::U32(who), Arg::U32(wait)];
                host.run(&one("k", 1, 100, args), 1).map(|()| y.to_vec())
            };
            let expected: Vec<u32> = (0..100).map(|t| 1999 * 1000 + if t == who { 3 } else { 0 }).collect();
            assert_eq!(run(0).unwrap(), expected);
            let what = fault(run(1).map(|_| ()));
            assert!(what.contains(&format!("thread ({who}, 0, 0): more than 128 KiB of stack")), "{what}");
            assert_eq!(run(0).unwrap(), expected);
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn what_a_text_may_not_have() {
    let checked = Options { warp: 64, check: true };
    // Whatever would run when the module is loaded, named or not, in a plain text and in another.
    for object in [
        "static volatile int one = 1; struct s { int x; s(); }; s::s() { x = one; } static s global;",
        "static int f() { return *(volatile int*)&ww_host_kernel_.count; } static int global = f();",
        "static volatile int one = 1; struct s { int x = 5; ~s(); }; s::~s() { one = x; } extern \"C\" { void* __dso_handle; } static s global;",
        "static volatile int one = 1; __attribute__((constructor)) static void at_load() { one = 2; }",
        "static volatile int one = 1; __attribute__((destructor)) static void at_unload() { one = 2; }",
        "static void one() {} extern \"C\" void (*choose())() { return one; } \
         __attribute__((ifunc(\"choose\"))) void chosen(); void (*volatile pointer)() = chosen;",
    ] {
        let log = refused(&format!("{object}\nWW_KERNEL(k, 32) {{}}\n"), PLAIN);
        assert!(log.contains("refused.hip") && log.contains("would run when the module is loaded"), "{object}\n{log}");
    }
    for (text, why) in [
        ("struct alignas(32) s { float x[8]; };\nWW_KERNEL(k, 32, s a) {}", "is aligned to 16 bytes at most"),
        ("struct s { int x[0]; };\nWW_KERNEL(k, 32, s a) {}", "has a byte at least"),
        (
            "struct alignas(512) s { int x; };\nWW_KERNEL(k, 32) { WW_SHARED(s, a, 2); a[0].x = 1; }",
            "256 bytes at most",
        ),
        ("WW_KERNEL(k, 32) { WW_SHARED(int, a, 1ull << 30); a[0] = 1; }", "that no block can have"),
        (
            "WW_KERNEL(k, 32, int* y) { volatile int a[50000]; for (int i = 0; i < 50000; ++i) a[i] = i; y[0] = a[y[1]]; }",
            "frame",
        ),
    ] {
        let log = refused(text, if text.contains("WW_SHARED") { checked } else { PLAIN });
        assert!(log.contains(why), "{text}\n{log}");
    }
    for (line, word) in
        [("#include <cstdint>", "#include"), (" # include \"a.h\"", "#include"), ("#embed \"a\"", "#embed")]
    {
        let log = refused(&format!("WW_KERNEL(k, 32) {{}}\n{line}\n"), PLAIN);
        assert!(log.starts_with(&format!("refused.hip:2: {word}: a kernel's text includes nothing")), "{log}");
    }
    // What looks like it and is allowed: constants, and objects that a compiler makes without code.
    let text = "struct s { int x; constexpr s(int y) : x(y) {} }; static s global(5); WW_CONSTANT float table[2] = {1, 2};\n\
                WW_KERNEL(k, 32, float* y) { y[0] = table[global.x % 2]; }";
    assert!(compile("text", text, PLAIN).is_ok());
    // No kernel at all.
    assert!(compile("text", "", PLAIN).unwrap().kernels().is_empty());
    assert!(compile("text", "", checked).unwrap().kernels().is_empty());
}

/// Whatever order the compiler puts them in, and the text.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn kernels_are_in_the_order_of_their_names() {
    let text = "#define KERNELS(X) X(z) X(a) X(m)\n#define K(n) WW_KERNEL(n##_k, 32, n##_t x) {}\ntypedef int z_t; typedef float a_t; \
                typedef double m_t;\nKERNELS(K)\nWW_KERNEL(b, 64, const int* x) { ww_barrier(); }\nWW_KERNEL(c, 128) {}\n";
    for check in [false, true] {
        let module = compile("text", text, Options { warp: 32, check }).unwrap();
        let names: Vec<_> = module.kernels().iter().map(|kernel| (kernel.name(), kernel.max_threads())).collect();
        assert_eq!(names, [("a_k", 32), ("b", 64), ("c", 128), ("m_k", 32), ("z_k", 32)]);
        let sizes: Vec<_> = module.kernels().iter().flat_map(|kernel| kernel.parameters()).map(|p| p.size).collect();
        assert_eq!(sizes, [4, 8, 8, 4]);
    }
}

/// Threads of a plain text have their own arrays, however the compiler makes vectors of them.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn private_arrays_are_private() {
    let text = r#"
#define BODY(t) { \
    ww_u32 a[4]; \
    for (ww_u32 i = 0; i < 4; ++i) a[(x[t] + i) % 4] = i * 10 + (ww_u32)t; \
    y[t] = a[x[t] / 4 % 4]; \
}
WW_KERNEL(threads, 256, ww_u64 n, const ww_u32* x, ww_u32* y) { const ww_u64 t = ww_index(); if (t < n) BODY(t) }
WW_KERNEL(all, 256, ww_u64 n, const ww_u32* x, ww_u32* y) { const ww_u64 t = ww_index(); BODY(t) }
WW_KERNEL(loop, 256, ww_u64 n, const ww_u32* x, ww_u32* y) { WW_GRID_LOOP(t, n) BODY(t) }
"#;
    let n = 1024_u32;
    let x: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7).collect();
    let expected: Vec<u32> = (0..n)
        .map(|t| {
            let (x, mut a) = (x[t as usize], [0; 4]);
            (0..4).for_each(|i| a[((x + i) % 4) as usize] = i * 10 + t);
            a[(x / 4 % 4) as usize]
        })
        .collect();
    for check in [false, true] {
        let host = Host::new(32).with_text("text", text).checked(check);
        for name in ["threads", "all", "loop"] {
            let (x, y) = (Array::from(&x), Array::<u32>::poisoned(n as usize));
            host.run(&one(name, 4, 256, vec![Arg::U64(n.into()), Arg::Ptr(x.ptr()), Arg::Ptr(y.ptr())]), 5).unwrap();
            assert_eq!(y.to_vec(), expected, "{name} checked {check}");
        }
    }
}

/// Atomic operations of signed integers, by the values that they leave and return.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn signed_integers_are_atomic_too() {
    let text = r#"
template <class T> WW_DEVICE bool all(T* a) {
    bool good = ww_atomic_add(a, (T)-7) == -5 && ww_load_relaxed(a) == -12 && ww_load_acquire(a) == -12;
    good &= ww_atomic_exchange(a, (T)-3) == -12 && ww_atomic_cas(a, (T)3, (T)9) == -3 && ww_atomic_cas(a, (T)-3, (T)-9) == -3;
    ww_store_relaxed(a + 1, (T)-100);
    ww_store_release(a + 2, (T)-200);
    return good && a[0] == -9 && a[1] == -100 && a[2] == -200;
}
WW_KERNEL(k, 32, ww_i32* a, ww_i64* b, ww_u32* good) { good[0] = all(a); good[1] = all(b); }
"#;
    for check in [false, true] {
        let host = Host::new(32).with_text("text", text).checked(check);
        let (a, b, good) = (Array::from(&[-5_i32, 0, 0]), Array::from(&[-5_i64, 0, 0]), Array::<u32>::zeros(2));
        host.run(&one("k", 1, 1, [a.ptr(), b.ptr(), good.ptr()].map(Arg::Ptr).to_vec()), 1).unwrap();
        assert_eq!(good.to_vec(), [1, 1]);
    }
}

/// What CUDA or HIP would refuse, and products that do not fit 64 bits.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn grids_that_are_too_large_are_refused() {
    let module = compile("text", "WW_KERNEL(k, 1024) {}", PLAIN).unwrap();
    let kernel = module.kernel("k").unwrap();
    let launch = |blocks, threads| {
        let grid = Grid::of(blocks, threads);
        HostLaunch::new(&kernel, grid, std::iter::empty(), None, Vec::new()).map(|_| ()).map_err(|e| e.to_string())
    };
    let all = u32::MAX;
    for (blocks, threads) in
        [([i32::MAX as u32, 1, 1], [1, 1, 1]), ([1, 65_535, 65_535], [1, 1, 64]), ([(1 << 22) - 1, 1, 1], [1024, 1, 1])]
    {
        assert_eq!(launch(blocks, threads), Ok(()));
    }
    for (blocks, threads, expected) in [
        ([1 << 31, 1, 1], [1, 1, 1], "blocks: expected at most 2147483647 along x, got 2147483648 [kernel k]"),
        ([1, 65_536, 1], [1, 1, 1], "blocks: expected at most 65535 along y, got 65536 [kernel k]"),
        ([1, 1, all], [1, 1, 1], "blocks: expected at most 65535 along z, got 4294967295 [kernel k]"),
        ([1 << 22, 1, 1], [1024, 1, 1], "blocks: expected fewer than 2^32 threads along x, got 4294967296 [kernel k]"),
        ([1, 1, 1], [all, all, all], "threads: expected 1 to 1024 in a block, got 18446744073709551615 [kernel k]"),
        ([1, 1, 1], [all, 0, all], "threads: expected 1 to 1024 in a block, got 0 [kernel k]"),
    ] {
        assert_eq!(launch(blocks, threads), Err(expected.to_owned()));
    }
}

/// The same buffer twice, a view inside of another, one that is empty in the middle of another: what is inside of any may be touched.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn ranges_of_arguments_may_overlap() {
    let text = "WW_KERNEL(k, 64, float* x, ww_u32 n) { for (ww_u32 i = ww_thread_x(); i < n; i += 64) x[i] += 1; }";
    let module = compile("text", text, Options { warp: 32, check: true }).unwrap();
    let kernel = module.kernel("k").unwrap();
    let x = Array::<f32>::zeros(100);
    let (start, ptr) = (x.ptr().addr(), x.ptr().expose().to_ne_bytes());
    let run = |n: u32, ranges: &[(usize, usize)]| {
        let ranges = ranges.iter().map(|(from, to)| (start + 4 * from, start + 4 * to)).collect();
        let n = n.to_ne_bytes();
        let launch =
            HostLaunch::new(&kernel, Grid::new(1, 64), [&ptr[..], &n[..]].into_iter(), Some(3), ranges).unwrap();
        // SAFETY: an element that is not in the ranges is not touched.
        unsafe { launch.run(NonZeroUsize::MIN) }
    };
    for ranges in [
        &[(0, 100), (0, 100)][..],
        &[(0, 100), (20, 30), (50, 50)],
        &[(0, 60), (40, 100), (99, 99), (30, 35)],
        &[(50, 100), (0, 0), (0, 50)],
    ] {
        run(100, ranges).unwrap();
    }
    for ranges in [&[(0, 99), (20, 30), (99, 99), (100, 100)][..], &[(0, 50), (51, 100)], &[]] {
        fault(run(100, ranges));
    }
}

/// Blocks that wait for what no block says are found, by whom they are, long before anybody would stop the test.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn blocks_that_wait_for_ever_are_a_fault() {
    let text = "WW_KERNEL(k, 64, ww_u32* flag) { if (ww_thread_x() == 5) while (ww_load_acquire(flag) == 0) ww_spin(); ww_barrier(); }";
    let host = Host::new(32).with_text("text", text).checked(true);
    let flag = Array::<u32>::zeros(1);
    let start = std::time::Instant::now();
    let what = fault(host.run(&one("k", 7, 64, vec![Arg::Ptr(flag.ptr())]), 3));
    assert!(what.contains("thread (5, 0, 0): has been waiting for another block for"), "{what}");
    assert!(start.elapsed().as_secs() < 30);
}
