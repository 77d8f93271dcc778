//! Kernels of the user's own on the CPU device: what its executor costs.

use super::{Queue, ROUNDS, numbers};
use std::hint::black_box;
use std::time::Duration;
use warpwave::prelude::*;
use warpwave::{CpuDevice, ErrorKind, Result};
use warpwave_benches::table::{Goal, Row};
use warpwave_benches::timing::{Pair, pair, time};

/// The parts of these rows' names.
pub(super) const NAMES: [&str; 4] =
    ["kernel sum f64", "kernel gemm f32 256", "kernel axpy, once each", "kernel axpy, grid loop"];

/// A tree in shared memory, a product by tiles, and a loop: as one writes them for a GPU.
const TEXT: &str = r#"
WW_KERNEL(block_sums, 256, const double* x, double* out) {
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

/// Without a word that waits: the executor makes a loop of it.
const LOOPS: &str = r#"
WW_KERNEL(once, 256, ww_u64 n, float a, const float* WW_RESTRICT x, float* WW_RESTRICT y) {
    const ww_u64 i = ww_index();
    if (i < n) y[i] = ww_fma(a, x[i], y[i]);
}
WW_KERNEL(grid_loop, 256, ww_u64 n, float a, const float* WW_RESTRICT x, float* WW_RESTRICT y) {
    WW_GRID_LOOP(i, n) y[i] = ww_fma(a, x[i], y[i]);
}
"#;

/// Numbers that are summed.
const SUMMED: usize = 1 << 20;
/// Elements of the loops: more than the caches hold.
const LEN: usize = 1 << 25;

/// The rows, of which those that `wanted` names are measured.
pub(super) fn rows(device: &CpuDevice, stream: &Queue, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Row>> {
    let [sum, gemm, once, grid_loop] = NAMES;
    let mut rows = Vec::new();
    let compiled = device.compile(KernelSource::new("executor.hip", TEXT));
    let modules = compiled.and_then(|module| Ok((module, device.compile(KernelSource::new("loops.hip", LOOPS))?)));
    let (module, loops) = match modules {
        Ok(modules) => modules,
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => {
            let row = |name: &str| Row {
                name: name.to_owned(),
                detail: String::new(),
                figure: Err(error.to_string()),
                goal: Goal::AtMost { target: 0.0, floor: 0.0, unit: "ms" },
            };
            return Ok(NAMES.into_iter().filter(|name| wanted(name)).map(row).collect());
        }
        Err(error) => return Err(error),
    };
    if wanted(sum) {
        rows.push(block_sums(stream, &module.kernel("block_sums")?, sum)?);
    }
    if wanted(gemm) {
        rows.push(product(stream, &module.kernel("gemm")?, gemm)?);
    }
    for (name, kernel, blocks) in [(once, "once", LEN as u32 / 256), (grid_loop, "grid_loop", 1024)] {
        if wanted(name) {
            rows.push(axpy(stream, &loops.kernel(kernel)?, blocks, name)?);
        }
    }
    Ok(rows)
}

fn milliseconds(name: &str, Pair { ours, peer }: Pair, native: &str, (target, floor): (f64, f64)) -> Row {
    Row {
        name: name.to_owned(),
        detail: format!("{:.2} ms, `{native}` {:.2} ms", ours * 1e3, peer * 1e3),
        figure: Ok(ours * 1e3),
        goal: Goal::AtMost { target, floor, unit: "ms" },
    }
}

fn block_sums(stream: &Queue, kernel: &Kernel<CpuDevice>, name: &str) -> Result<Row> {
    let x: Vec<f64> = numbers(SUMMED).into_iter().map(f64::from).collect();
    let (x, mut out) = (stream.from_slice(&x)?, stream.zeros::<f64>(SUMMED / 256)?);
    let ours = || {
        // SAFETY: the kernel reads an element of `x` for each thread, and writes one of `out` for each block.
        time(|| unsafe { stream.launch(kernel, (SUMMED as u32 / 256, 256), args![&x, &mut out]) })
    };
    let peer = || time(|| stream.sum(&x).map(|sum| _ = black_box(sum)));
    Ok(milliseconds(name, pair(ROUNDS, ours, peer)?, "sum", (60.0, 120.0)))
}

fn product(stream: &Queue, kernel: &Kernel<CpuDevice>, name: &str) -> Result<Row> {
    let n = 256_usize;
    let (a, b) = (stream.from_slice(&numbers(n * n))?, stream.from_slice(&numbers(n * n))?);
    let (mut c, mut native) = (stream.zeros::<f32>(n * n)?, stream.zeros::<f32>(n * n)?);
    let ours = || {
        let grid = Grid::of([16, 16, 1], [16, 16, 1]);
        // SAFETY: the kernel reads `n · n` elements of `a` and `b`, and writes as many of `c`, each by one thread.
        time(|| unsafe { stream.launch(kernel, grid, args![n as u32, &a, &b, &mut c]) })
    };
    let peer = || {
        time(|| {
            let mut c = native.view_mut().matrix_mut(n, n)?;
            stream.gemm(Op::N, Op::N, 1.0, &a.view().matrix(n, n)?, &b.view().matrix(n, n)?, 0.0, &mut c)
        })
    };
    Ok(milliseconds(name, pair(ROUNDS, ours, peer)?, "gemm", (20.0, 40.0)))
}

fn axpy(stream: &Queue, kernel: &Kernel<CpuDevice>, blocks: u32, name: &str) -> Result<Row> {
    let (x, mut y) = (stream.from_slice(&numbers(LEN))?, stream.from_slice(&numbers(LEN))?);
    let ours = || {
        // SAFETY: the kernel reads `LEN` elements of both, and writes those of `y`, each by one thread.
        time(|| unsafe { stream.launch(kernel, (blocks, 256), args![LEN, 0.5_f32, &x, &mut y]) })
    };
    let (host_x, mut host_y) = (numbers(LEN), numbers(LEN));
    let peer = || Ok::<_, warpwave::Error>(plain(&host_x, &mut host_y));
    let Pair { ours, peer } = pair(ROUNDS, ours, peer)?;
    Ok(Row {
        name: name.to_owned(),
        detail: format!("{:.2} ms, a plain loop on as many threads {:.2} ms", ours * 1e3, peer * 1e3),
        figure: Ok(ours / peer),
        goal: Goal::AtMost { target: 3.0, floor: 6.0, unit: "×" },
    })
}

/// The loop, on as many threads as the device has.
fn plain(x: &[f32], y: &mut [f32]) -> Duration {
    let part = LEN.div_ceil(rayon::current_num_threads());
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for (x, y) in x.chunks(part).zip(y.chunks_mut(part)) {
            scope.spawn(move || {
                for (x, y) in x.iter().zip(y) {
                    *y += 0.5 * x;
                }
            });
        }
    });
    black_box(y);
    start.elapsed()
}
