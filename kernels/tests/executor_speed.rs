//! What the executor costs: `cargo test --release -p warpwave-kernels --test executor_speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{Array, compile};
use std::num::NonZeroUsize;
use std::time::Instant;
use warpwave_core::Grid;
use warpwave_kernels::host::{HostLaunch, Options};

const TEXT: &str = r#"
WW_KERNEL(empty, 256) {}
WW_KERNEL(reduce, 256, const double* x, double* out) {
    WW_SHARED(double, s, 256);
    const ww_u32 t = ww_thread_x();
    s[t] = x[ww_index()];
    ww_barrier();
    for (ww_u32 d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        ww_barrier();
    }
    if (t == 0) out[ww_block_x()] = s[0];
}
WW_KERNEL(barriers, 256) { for (ww_u32 i = 0; i < 100; ++i) ww_barrier(); }
WW_KERNEL(shuffles, 256, ww_u32* out) {
    ww_u32 v = ww_thread_x();
    for (ww_u32 i = 0; i < 100; ++i) v += ww_shuffle_word(v, i);
    out[ww_index()] = v;
}
WW_KERNEL(warp_reduce, 256, const double* x, double* out) {
    double v = x[ww_index()];
    for (ww_u32 d = WW_WARP / 2; d > 0; d /= 2) v += ww_shuffle_xor(v, d);
    if (ww_lane() == 0) out[ww_index() / WW_WARP] = v;
}
WW_KERNEL(gemm, 256, ww_u32 n, const float* WW_RESTRICT a, const float* WW_RESTRICT b, float* WW_RESTRICT c) {
    WW_SHARED(float, ta, 256);
    WW_SHARED(float, tb, 256);
    const ww_u32 x = ww_thread_x(), y = ww_thread_y(), row = ww_block_y() * 16 + y, col = ww_block_x() * 16 + x;
    float acc = 0;
    for (ww_u32 k = 0; k < n; k += 16) {
        ta[y * 16 + x] = a[row * n + k + x];
        tb[y * 16 + x] = b[(k + y) * n + col];
        ww_barrier();
        for (ww_u32 i = 0; i < 16; ++i) acc = ww_fma(ta[y * 16 + i], tb[i * 16 + x], acc);
        ww_barrier();
    }
    c[row * n + col] = acc;
}
"#;

const PLAIN: &str = r#"
WW_KERNEL(strides, 256, ww_u64 n, float a, const float* WW_RESTRICT x, float* WW_RESTRICT y) {
    for (ww_u64 i = ww_index(); i < n; i += ww_stride()) y[i] = ww_canonical(ww_fma(a, x[i], y[i]));
}
WW_KERNEL(loop, 256, ww_u64 n, float a, const float* WW_RESTRICT x, float* WW_RESTRICT y) {
    WW_GRID_LOOP(i, n) y[i] = ww_canonical(ww_fma(a, x[i], y[i]));
}
WW_KERNEL(once, 256, ww_u64 n, float a, const float* WW_RESTRICT x, float* WW_RESTRICT y) {
    const ww_u64 i = ww_index();
    if (i < n) y[i] = ww_canonical(ww_fma(a, x[i], y[i]));
}
"#;

/// Seconds that this process has had of all processors: other programs do not count.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn time(text: &str, name: &str, blocks: [u32; 3], threads: [u32; 3], args: &[&[u8]], check: bool) -> f64 {
    let module = compile("speed", text, Options { warp: 32, check }).unwrap();
    let kernel = module.kernel(name).unwrap();
    let grid = Grid::of(blocks, threads);
    (0..if check { 2 } else { 9 })
        .map(|_| {
            let all = vec![(0, usize::MAX)];
            let launch = HostLaunch::new(&kernel, grid, args.iter().copied(), check.then_some(1), all).unwrap();
            let start = processor_time();
            // SAFETY: the kernels stay inside the arrays.
            unsafe { launch.run(NonZeroUsize::new(2).unwrap()) }.unwrap();
            (processor_time() - start) * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    println!("processor time, of all threads");
    let n = 1 << 20;
    let (x, out) = (Array::<f64>::zeros(n), Array::<f64>::zeros(n));
    let (x, out) = (x.ptr().expose().to_ne_bytes(), out.ptr().expose().to_ne_bytes());
    let pair = [&x[..], &out[..]];
    let (line, blocks) = ([256, 1, 1], [4096, 1, 1]);
    for check in [false, true] {
        println!("instrumented: {check}");
        let empty = time(TEXT, "empty", blocks, line, &[], check);
        println!("  empty, per thread: {:.1} ns", empty * 1e6 / n as f64);
        let barriers = time(TEXT, "barriers", [64, 1, 1], line, &[], check);
        println!("  barrier, per thread: {:.1} ns", barriers * 1e6 / (64.0 * 256.0 * 100.0));
        let shuffles = time(TEXT, "shuffles", [64, 1, 1], line, &pair[1..], check);
        println!("  shuffle, per thread: {:.1} ns", shuffles * 1e6 / (64.0 * 256.0 * 100.0));
        println!("  reduction of 1M f64: {:.1} ms", time(TEXT, "reduce", blocks, line, &pair, check));
        println!("  by warps: {:.1} ms", time(TEXT, "warp_reduce", blocks, line, &pair, check));
        let side = 256_u32.to_ne_bytes();
        let gemm = time(TEXT, "gemm", [16, 16, 1], [16, 16, 1], &[&side, &x, &out, &out], check);
        println!("  gemm 256³ f32: {gemm:.1} ms");
    }
    let (count, a) = ((n as u64).to_ne_bytes(), 0.5_f32.to_ne_bytes());
    let args = [&count[..], &a, &x, &out];
    println!("axpy of 1M f32, strides of the grid: {:.2} ms", time(PLAIN, "strides", [64, 1, 1], line, &args, false));
    println!("axpy of 1M f32, WW_GRID_LOOP: {:.2} ms", time(PLAIN, "loop", [64, 1, 1], line, &args, false));
    println!("axpy of 1M f32, once each: {:.2} ms", time(PLAIN, "once", blocks, line, &args, false));
    let (xs, mut ys) = (vec![1.0_f32; n], vec![2.0_f32; n]);
    let start = Instant::now();
    ys.iter_mut().zip(&xs).for_each(|(y, x)| *y = 0.5_f32.mul_add(*x, *y));
    println!("a loop on one thread: {:.2} ms {}", start.elapsed().as_secs_f64() * 1e3, ys[7]);
}
