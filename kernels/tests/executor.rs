//! The executor: what waits for what, and what it finds wrong.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Array, Host, compile, fault};
use std::num::NonZeroUsize;
use warpwave_core::ErrorKind;
use warpwave_core::Grid;
use warpwave_kernels::host::{Compiler, HostLaunch, Options};
use warpwave_kernels::launch::{Arg, Entry, Plan, Step};

/// A plan of one launch of `name` in the file `text`.
fn one(name: &'static str, blocks: u32, threads: u32, args: Vec<Arg>) -> Plan {
    Plan::one(Step::new(Entry::plain("text", name), blocks, threads, args))
}

fn hosts(text: &'static str) -> impl Iterator<Item = Host> {
    Host::both()
        .into_iter()
        .flat_map(move |host| [true, false].map(|check| host.clone().with_text("text", text).checked(check)))
}

const SUM: &str = r#"
WW_KERNEL(sum, 1024, const ww_u64* x, ww_u64* out) {
    WW_SHARED(ww_u64, s, 1024);
    const ww_u32 t = ww_thread_x();
    s[t] = x[ww_index()];
    ww_barrier();
    for (ww_u32 d = ww_threads_x() / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        ww_barrier();
    }
    if (t == 0) out[ww_block_x()] = s[0];
}
"#;
const SUM_WITHOUT_BARRIER: &str = r#"
WW_KERNEL(sum, 1024, const ww_u64* x, ww_u64* out) {
    WW_SHARED(ww_u64, s, 1024);
    const ww_u32 t = ww_thread_x();
    s[t] = x[ww_index()];
    ww_barrier();
    for (ww_u32 d = ww_threads_x() / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        if (d > WW_WARP) ww_barrier();
    }
    if (t == 0) out[ww_block_x()] = s[0];
}
"#;

fn sums(host: &Host, threads: u32, seed: u64) -> bool {
    let blocks = 5;
    let x: Vec<u64> = (0..u64::from(blocks * threads)).map(|i| i * i).collect();
    let expected: Vec<u64> = x.chunks(threads as usize).map(|chunk| chunk.iter().sum()).collect();
    let (x, out) = (Array::from(&x), Array::<u64>::poisoned(blocks as usize));
    host.run(&one("sum", blocks, threads, vec![Arg::Ptr(x.ptr()), Arg::Ptr(out.ptr())]), seed).unwrap();
    out.to_vec() == expected
}

/// The largest block, the smallest, and those between.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn blocks_of_all_sizes_meet_at_barriers() {
    for host in hosts(SUM) {
        for threads in [1, 2, 32, 64, 128, 1024] {
            assert!((0..3).all(|seed| sums(&host, threads, seed)), "{threads}");
        }
    }
}

/// A barrier that is missing among the lanes of one warp, at both sizes.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn a_missing_barrier_is_found() {
    for host in Host::both() {
        let host = host.with_text("text", SUM_WITHOUT_BARRIER);
        assert!((0..10).any(|seed| !sums(&host, 256, seed)), "{}", host.warp);
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn a_barrier_that_not_all_reach_is_a_fault() {
    let text = r#"
WW_KERNEL(some, 256, ww_u32 n) { if (ww_thread_x() < n) ww_barrier(); }
WW_KERNEL(branch, 256) { if (ww_thread_x() % 2 == 0) ww_barrier(); else ww_warp_barrier(); }
"#;
    for host in hosts(text) {
        host.run(&one("some", 3, 70, vec![Arg::U32(70)]), 1).unwrap();
        host.run(&one("some", 3, 70, vec![Arg::U32(0)]), 1).unwrap();
        let what = fault(host.run(&one("some", 1, 70, vec![Arg::U32(69)]), 1));
        assert_eq!(
            what,
            "kernel some, block (0, 0, 0), thread (0, 0, 0): the thread waits at a barrier of its block, which thread (69, 0, 0) does not \
             reach: it has left the kernel"
        );
        let what = fault(host.run(&one("branch", 1, 70, vec![]), 1));
        assert!(what.contains("at a barrier of its block") && what.contains("at a barrier of its warp"), "{what}");
        // What comes after a fault is as before.
        host.run(&one("some", 3, 70, vec![Arg::U32(70)]), 1).unwrap();
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn lanes_that_meet_at_different_things_are_a_fault() {
    let text = "WW_KERNEL(k, 256) { if (ww_lane() == 3) ww_ballot(true); else ww_warp_barrier(); }";
    for host in hosts(text) {
        let what = fault(host.run(&one("k", 1, 64, vec![]), 5));
        assert!(what.contains("ballot") && what.contains("waits at a barrier of its warp"), "{what}");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn accesses_out_of_bounds_are_faults() {
    let text = r#"
WW_KERNEL(store, 64, float* x, ww_u64 i) { if (ww_thread_x() == 5) x[i] = 1; }
WW_KERNEL(load, 64, const double* x, double* y, ww_u64 i) { if (ww_thread_x() == 5) y[0] = x[i]; }
WW_KERNEL(shared, 64, float* y, ww_u32 i) {
    WW_SHARED(float, s, 64); WW_SHARED(float, t, 64);
    s[ww_thread_x()] = 1; t[ww_thread_x()] = 2;
    ww_barrier();
    if (ww_thread_x() == 5) y[0] = s[i];
}
WW_KERNEL(dynamic, 64, ww_u32 i) { WW_DYNAMIC_SHARED(ww_u8, s); if (ww_thread_x() == 5) s[i] = 1; ww_barrier(); }
WW_KERNEL(local, 64, float* y, ww_u32 n) { float a[16]; for (ww_u32 i = 0; i < n; ++i) a[i % 16] = i; y[0] = a[n % 16]; }
WW_CONSTANT ww_u32 table[3] = {1, 2, 3};
WW_KERNEL(constant, 64, ww_u32* y, ww_u32 n) { y[0] = table[n]; }
"#;
    for host in Host::both() {
        let host = host.with_text("text", text).checked(true);
        let (x, y, out) = (Array::<f32>::zeros(10), Array::<f64>::zeros(7), Array::<f64>::zeros(1));
        let run = |name, args| host.run(&one(name, 2, 64, args), 3);
        run("store", vec![Arg::Ptr(x.ptr()), Arg::U64(9)]).unwrap();
        let what = fault(run("store", vec![Arg::Ptr(x.ptr()), Arg::U64(10)]));
        let end = x.ptr().addr() + 40;
        assert!(
            what.starts_with("kernel store, block (") && what.contains("thread (5, 0, 0): writes 4 bytes at"),
            "{what}"
        );
        assert!(what.ends_with(&format!("at {end:#x}, 40 bytes behind the start of a buffer of 40 bytes")), "{what}");
        fault(run("store", vec![Arg::Ptr(x.ptr()), Arg::U64(u64::MAX)]));
        run("load", vec![Arg::Ptr(y.ptr()), Arg::Ptr(out.ptr()), Arg::U64(6)]).unwrap();
        let what = fault(run("load", vec![Arg::Ptr(y.ptr()), Arg::Ptr(out.ptr()), Arg::U64(7)]));
        assert!(what.contains("reads 8 bytes"), "{what}");
        run("shared", vec![Arg::Ptr(x.ptr()), Arg::U32(63)]).unwrap();
        let what = fault(run("shared", vec![Arg::Ptr(x.ptr()), Arg::U32(64)]));
        assert!(what.ends_with("256 bytes behind the start of an array of 256 bytes of shared memory"), "{what}");
        let mut plan = one("dynamic", 2, 64, vec![Arg::U32(99)]);
        plan.steps[0].shared = 100;
        host.run(&plan, 3).unwrap();
        plan.steps[0].shared = 99;
        fault(host.run(&plan, 3));
        run("local", vec![Arg::Ptr(x.ptr()), Arg::U32(100)]).unwrap();
        run("constant", vec![Arg::Ptr(x.ptr()), Arg::U32(2)]).unwrap();
    }
}

/// A thread that has read before another has written is found, though both only add.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn an_addition_that_is_not_atomic_is_found() {
    let text = r#"
WW_KERNEL(plain, 256, ww_u32* x) { const ww_u32 old = x[0]; x[1] = old; x[0] = old + 1; }
WW_KERNEL(atomic, 256, ww_u32* x) { ww_atomic_add(x, 1u); }
"#;
    for host in Host::both() {
        let host = host.with_text("text", text).checked(true);
        let count = |name, seed| {
            let x = Array::<u32>::zeros(2);
            host.run(&one(name, 20, 256, vec![Arg::Ptr(x.ptr())]), seed).unwrap();
            x.to_vec()[0]
        };
        assert!((0..5).all(|seed| count("atomic", seed) == 5120));
        assert!((0..5).any(|seed| count("plain", seed) < 5120));
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn atomics_count_under_contention() {
    let text = r#"
WW_KERNEL(k, 256, ww_u32* a, ww_u64* b, float* c, double* d, ww_u32* e, ww_u64* f, ww_u32* g) {
    const ww_u32 t = ww_thread_x();
    ww_atomic_add(a, 1u); ww_atomic_add(b, (ww_u64)t); ww_atomic_add(c, 1.0f); ww_atomic_add(d, -0.5);
    ww_atomic_or(e, 1u << (t % 32)); ww_atomic_and(e + 1, ~(1u << (t % 32)));
    ww_u64 old = *f;
    for (;;) { const ww_u64 seen = ww_atomic_cas(f, old, old + 3); if (seen == old) break; old = seen; }
    // Each number goes from hand to hand: what is taken out is put in by one other.
    ww_atomic_add(g + 1, ww_atomic_exchange(g, t + 1));
}
"#;
    for host in hosts(text) {
        let (a, b, c) = (Array::<u32>::zeros(1), Array::<u64>::zeros(1), Array::<f32>::zeros(1));
        let (d, e, f) = (Array::<f64>::zeros(1), Array::from(&[0_u32, u32::MAX]), Array::<u64>::zeros(1));
        let g = Array::<u32>::zeros(2);
        let args = [a.ptr(), b.ptr(), c.ptr(), d.ptr(), e.ptr(), f.ptr(), g.ptr()].map(Arg::Ptr).to_vec();
        host.run(&one("k", 30, 200, args), 11).unwrap();
        let n = 30 * 200;
        let sum = 30 * (0..200_u64).sum::<u64>();
        assert_eq!((a.to_vec()[0], b.to_vec()[0]), (n, sum));
        assert_eq!((c.to_vec()[0], d.to_vec()[0]), (n as f32, -0.5 * f64::from(n)));
        assert_eq!((e.to_vec(), f.to_vec()[0]), (vec![u32::MAX, 0], u64::from(3 * n)));
        let [last, passed] = g.to_vec()[..] else { panic!() };
        assert_eq!(u64::from(last) + u64::from(passed), sum + u64::from(n));
    }
}

/// Shuffles at every width, of 1, 2, 4, 8 and 16 bytes, ballots, and lanes that have left.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn warps_exchange_values() {
    let text = r#"
template <class T> WW_DEVICE bool exchange(T (*make)(ww_u32)) {
    bool good = true;
    const ww_u32 lane = ww_lane();
    const T own = make(lane);
    for (ww_u32 width = 1; width <= WW_WARP; width *= 2) {
        for (ww_u32 d = 0; d < width; ++d) {
            const T up = ww_shuffle_up(own, d, width), down = ww_shuffle_down(own, d, width);
            const ww_u32 in = lane % width;
            good &= ww_equal(up, make(in < d ? lane : lane - d)) && ww_equal(down, make(in + d >= width ? lane : lane + d));
        }
    }
    for (ww_u32 m = 0; m < WW_WARP; ++m) {
        good &= ww_equal(ww_shuffle_xor(own, m), make(lane ^ m)) && ww_equal(ww_shuffle(own, m), make(m));
        good &= ww_equal(ww_shuffle(own, lane + m), make((lane + m) % WW_WARP));
    }
    return good;
}
static ww_u8 as_u8(ww_u32 i) { return (ww_u8)(i * 3); }
static ww_i16 as_i16(ww_u32 i) { return (ww_i16)(1000 - (int)i * 77); }
static float as_f32(ww_u32 i) { return i * 0.25f; }
static double as_f64(ww_u32 i) { return i * -1e100; }
static ww_c64 as_c64(ww_u32 i) { return {i * 2.0, -(double)i}; }
WW_KERNEL(widths, 256, ww_u32* bad) {
    const bool good = exchange(as_u8) & exchange(as_i16) & exchange(as_f32) & exchange(as_f64) & exchange(as_c64);
    if (!good) ww_atomic_add(bad, 1u);
}
WW_KERNEL(votes, 256, ww_u32* bad) {
    const ww_u32 lane = ww_lane();
    bool good = true;
    for (ww_u32 i = 0; i < WW_WARP; ++i) {
        good &= ww_ballot(lane == i) == (ww_lane_mask)1 << i && ww_any(lane == i) && ww_all(lane != i || lane == i);
        good &= !ww_any(lane > WW_WARP) && (ww_all(lane != i) == false);
        good &= ww_ballot(lane < i) == (((ww_lane_mask)1 << i) - 1);
    }
    good &= ww_popcount(ww_lanes_below()) == lane;
    if (!good) ww_atomic_add(bad, 1u);
}
WW_KERNEL(leaving, 256, ww_u32* bad) {
    const ww_u32 lane = ww_lane();
    // One lane after the other leaves; those that stay go on.
    for (ww_u32 i = 0; i + 1 < WW_WARP; ++i) {
        if (lane == i) return;
        if (ww_ballot(true) != (ww_lane_mask)~(((ww_lane_mask)2 << i) - 1)) ww_atomic_add(bad, 1u);
        if (ww_shuffle(lane, WW_WARP - 1) != WW_WARP - 1) ww_atomic_add(bad, 1u);
    }
}
WW_KERNEL(exchange_through_shared, 256, ww_u32* bad) {
    WW_SHARED(ww_u32, s, 256);
    const ww_u32 t = ww_thread_x();
    for (ww_u32 i = 0; i < 10; ++i) {
        s[t] = t * 10 + i;
        ww_warp_barrier();
        if (s[t ^ 1] != (t ^ 1) * 10 + i) ww_atomic_add(bad, 1u);
        ww_warp_barrier();
    }
}
"#;
    for host in hosts(text) {
        for name in ["widths", "votes", "leaving", "exchange_through_shared"] {
            for seed in 0..3 {
                let bad = Array::<u32>::zeros(1);
                host.run(&one(name, 2, 128, vec![Arg::Ptr(bad.ptr())]), seed).unwrap();
                assert_eq!(bad.to_vec(), [0], "{name} {}", host.warp);
            }
        }
    }
}

/// A chain over blocks: each waits for the one before, which has its ticket and so has started.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn blocks_wait_for_blocks() {
    let text = r#"
WW_KERNEL(chain, 64, ww_u32* ticket, ww_u64* state, ww_u64* out) {
    WW_SHARED(ww_u32, mine, 1);
    if (ww_thread_x() == 0) mine[0] = ww_atomic_add(ticket, 1u);
    ww_barrier();
    const ww_u32 tile = mine[0];
    if (ww_thread_x() == 0) {
        ww_u64 before = 0;
        if (tile > 0) while ((before = ww_load_acquire(state + tile - 1)) == 0) ww_spin();
        out[tile] = before + tile;
        ww_store_release(state + tile, before + tile + 1);
    }
}
"#;
    for host in hosts(text) {
        for seed in 0..3 {
            let (ticket, state, out) = (Array::<u32>::zeros(1), Array::<u64>::zeros(500), Array::<u64>::zeros(500));
            let args = [ticket.ptr(), state.ptr(), out.ptr()].map(Arg::Ptr).to_vec();
            host.run(&one("chain", 500, 64, args), seed).unwrap();
            let mut sum = 0;
            let expected: Vec<u64> = (0..500)
                .map(|i| {
                    let out = sum + i;
                    sum += i + 1;
                    out
                })
                .collect();
            assert_eq!(out.to_vec(), expected);
        }
    }
}

/// A processor that keeps stores in order hides a missing fence; the executor does not.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn a_missing_fence_is_found() {
    let text = r#"
#define KERNEL(name, FENCE, RELEASE) \
    WW_KERNEL(name, 64, ww_u32* ticket, ww_u32* partial, ww_u32* out) { \
        WW_SHARED(ww_u32, mine, 1); \
        partial[ww_index()] = ww_thread_x(); \
        FENCE; \
        ww_barrier(); \
        if (ww_thread_x() == 0) { RELEASE; mine[0] = ww_atomic_add(ticket, 1u); } \
        ww_barrier(); \
        if (mine[0] + 1 < ww_blocks_x() || ww_thread_x() != 0) return; \
        ww_u32 sum = 0; \
        for (ww_u32 i = 0; i < ww_blocks_x() * ww_threads_x(); ++i) sum += partial[i]; \
        out[0] = sum; \
    }
KERNEL(by_all, ww_fence(), )
KERNEL(by_one, , ww_fence())
KERNEL(by_release, , ww_store_release(out + 1, 1u))
KERNEL(by_nobody, , )
"#;
    for host in Host::both() {
        let host = host.with_text("text", text).checked(true);
        let run = |name, seed| {
            let (ticket, partial, out) = (Array::<u32>::zeros(1), Array::<u32>::poisoned(320), Array::<u32>::zeros(2));
            let args = [ticket.ptr(), partial.ptr(), out.ptr()].map(Arg::Ptr).to_vec();
            host.run(&one(name, 5, 64, args), seed).map(|()| out.to_vec()[0])
        };
        for seed in 0..3 {
            for name in ["by_all", "by_one", "by_release"] {
                assert_eq!(run(name, seed), Ok(5 * 63 * 32), "{name}");
            }
            let what = fault(run("by_nobody", seed).map(|_| ()));
            // As many bytes at a time as the compiler likes.
            assert!(what.contains(": reads ") && what.ends_with("has written with no fence since"), "{what}");
        }
    }
}

/// Each index once, with fewer threads than indices and with more.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn loops_over_the_grid() {
    let text = "WW_KERNEL(k, 256, ww_u64 n, ww_u32* x) { WW_GRID_LOOP(i, n) { if (i % 3 == 0) continue; x[i] += 1; } }";
    for host in hosts(text) {
        for (n, blocks, threads) in
            [(0, 3, 7), (1, 3, 7), (20, 3, 7), (21, 3, 7), (22, 3, 7), (1000, 2, 33), (63, 4, 16)]
        {
            let x = Array::<u32>::zeros(n);
            host.run(&one("k", blocks, threads, vec![Arg::U64(n as u64), Arg::Ptr(x.ptr())]), 4).unwrap();
            assert!(x.to_vec().iter().enumerate().all(|(i, &x)| x == u32::from(i % 3 != 0)), "{n}");
        }
    }
}

/// Every thread of every block runs once, whatever the grid, and is told where it is.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn grids_of_three_axes() {
    let text = r#"
WW_KERNEL(k, 1024, ww_u32* counts, ww_u32 wait) {
    const ww_u64 block = ww_block_x() + (ww_u64)ww_blocks_x() * (ww_block_y() + (ww_u64)ww_blocks_y() * ww_block_z());
    const ww_u64 thread = ww_thread_x() + ww_threads_x() * (ww_thread_y() + ww_threads_y() * ww_thread_z());
    const ww_u64 threads = ww_threads_x() * ww_threads_y() * ww_threads_z();
    if (ww_lane() != thread % WW_WARP) return;
    ww_atomic_add(&counts[block * threads + thread], ww_blocks_z());
    WAIT
}
"#;
    for wait in ["", "if (wait) ww_barrier();"] {
        let text = text.replace("WAIT", wait);
        for (warp, check) in [(32, true), (32, false), (64, true), (64, false)] {
            let module = compile("text", &text, Options { warp, check }).unwrap();
            assert_eq!(module.is_plain(), wait.is_empty() && !check);
            let kernel = module.kernel("k").unwrap();
            for (blocks, threads) in
                [([3, 2, 5], [4, 3, 2]), ([1, 1, 1], [1024, 1, 1]), ([0, 1, 1], [8, 1, 1]), ([7, 1, 1], [1, 16, 64])]
            {
                let n = blocks.iter().chain(&threads).product::<u32>() as usize;
                let counts = Array::<u32>::zeros(n);
                let (ptr, wait) = (counts.ptr().expose().to_ne_bytes(), 1_u32.to_ne_bytes());
                let range = vec![(counts.ptr().addr(), counts.ptr().addr() + 4 * n)];
                let args = [&ptr[..], &wait[..]];
                let grid = Grid::of(blocks, threads);
                let launch = HostLaunch::new(&kernel, grid, args.into_iter(), check.then_some(9), range).unwrap();
                // SAFETY: each thread counts in an element of its own.
                unsafe { launch.run(NonZeroUsize::new(2).unwrap()) }.unwrap();
                assert!(counts.to_vec().iter().all(|&count| count == blocks[2]), "{blocks:?} {threads:?}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn what_does_not_fit_is_refused() {
    let text = "WW_KERNEL(a, 128, float* x, ww_u32 n) { x[n] = 1; }\nWW_KERNEL(big, 32) { WW_SHARED(float, s, 100000); s[ww_thread_x()] = 1; ww_barrier(); }";
    let module = compile("text", text, Options { warp: 32, check: false }).unwrap();
    let error = module.kernel("b").unwrap_err();
    assert_eq!(error.to_string(), "name: expected a kernel of the module: `a`, `big`, got `b`");
    let kernel = module.kernel("a").unwrap();
    let launch = |threads: [u32; 3], shared, sizes: &[usize]| {
        let bytes = [0_u8; 16];
        let args: Vec<_> = sizes.iter().map(|&size| &bytes[..size]).collect();
        let grid = Grid::of([1, 1, 1], threads).shared(shared);
        HostLaunch::new(&kernel, grid, args.into_iter(), None, Vec::new()).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(launch([128, 1, 1], 232_448, &[8, 4]), Ok(()));
    let errors = [
        (launch([129, 1, 1], 0, &[8, 4]), "threads: expected 1 to 128 in a block, got 129 [kernel a]"),
        (launch([0, 1, 1], 0, &[8, 4]), "threads: expected 1 to 128 in a block, got 0 [kernel a]"),
        (
            launch([1, 1, 1], 232_449, &[8, 4]),
            "shared: expected at most 232448 bytes of dynamic shared memory, got 232449 [kernel a]",
        ),
        (launch([1, 1, 1], 0, &[8]), "args: expected 2 arguments, got 1 [kernel a]"),
        (
            launch([1, 1, 1], 0, &[8, 8]),
            "args[1]: expected a value: unsigned integer of 4 bytes, got 8 bytes [kernel a]",
        ),
        (launch([1, 1, 1], 0, &[4, 4]), "args[0]: expected a pointer to float of 4 bytes, got 4 bytes [kernel a]"),
    ];
    for (error, expected) in errors {
        assert_eq!(error, Err(expected.to_owned()));
    }
    let host = Host::new(32).with_text("text", text);
    let what = fault(host.run(&one("big", 1, 32, vec![]), 1));
    assert!(what.contains("400000 bytes of shared memory"), "{what}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn the_compiler_speaks_of_the_texts_own_lines() {
    let text = "WW_KERNEL(a, 128) {\n    int x = ;\n}";
    let error = compile("mine", text, Options { warp: 32, check: false }).unwrap_err();
    let ErrorKind::Compile { log } = error.kind() else { panic!("{error}") };
    assert!(log.contains("mine.hip:2:"), "{log}");
}

#[test]
fn a_compiler_that_is_absent_is_named_with_what_was_tried() {
    let find = |set: &'static [(&str, &str)]| {
        let own = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
        Compiler::find_with(|name| own(name).or_else(|| std::env::var_os(name).filter(|_| name == "PATH"))).map(|_| ())
    };
    let nowhere = "/nowhere/g++";
    for set in [&[("WARPWAVE_CXX", "/nowhere/g++ -m64")][..], &[("CXX", "/nowhere/g++ -m64"), ("WARPWAVE_CXX", " ")]] {
        let error = find(set).unwrap_err();
        let ErrorKind::Unavailable { tried, remedy, .. } = error.kind() else { panic!("{error}") };
        assert!(tried.len() == 1 && tried[0].contains(nowhere) && remedy.contains("WARPWAVE_CXX"), "{error}");
    }
    // The first of them counts.
    assert!(find(&[("WARPWAVE_CXX", "/nowhere/g++"), ("CXX", "g++")]).is_err());
    // What is no compiler says so.
    let error = find(&[("WARPWAVE_CXX", "false")]).unwrap_err().to_string();
    assert!(error.contains("WARPWAVE_CXX=false: `--version` ended with"), "{error}");
    if cfg!(cxx) && std::env::var_os("WARPWAVE_CXX").is_none() && std::env::var_os("CXX").is_none() {
        assert_eq!(find(&[]), Ok(()));
    }
    // Without folders to look in there is none, whatever the system takes for granted.
    let error = find(&[("PATH", "")]).unwrap_err();
    let ErrorKind::Unavailable { tried, remedy, .. } = error.kind() else { panic!("{error}") };
    assert!(tried.len() == 3 && tried[0].contains("PATH is not set") && remedy.contains("install g++"), "{error}");
}
