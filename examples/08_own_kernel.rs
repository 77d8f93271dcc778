//! A kernel of one's own: compiled when the program runs, and launched like any other operation.
//!
//! The text is the same for every device. On the CPU it takes a C++ compiler: `c++`, `g++` or `clang++`, or the one that `WARPWAVE_CXX`
//! names. With `WARPWAVE_CHECK=1` accesses out of bounds and barriers that not all threads reach are errors.

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::{ErrorKind, prelude::*};

/// Each thread has a point of the plane, and counts how long it takes to leave the circle of radius 2.
const TEXT: &str = r#"
struct window {
    float left, top, step;
    ww_u32 columns;
};

WW_KERNEL(mandelbrot, 256, ww_u64 points, window w, ww_u32 limit, ww_u32* out) {
    WW_GRID_LOOP(i, points) {
        const float cx = w.left + w.step * (i % w.columns), cy = w.top + w.step * 2 * (i / w.columns);
        float x = 0, y = 0;
        ww_u32 count = 0;
        while (count < limit && x * x + y * y <= 4) {
            const float next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
            ++count;
        }
        out[i] = count;
    }
}

// The largest of all counts, over shared memory: one barrier for each half of the block.
WW_KERNEL(largest, 256, ww_u64 n, const ww_u32* x, ww_u32* out) {
    WW_SHARED(ww_u32, best, 256);
    const ww_u32 t = ww_thread_x();
    ww_u32 own = 0;
    for (ww_u64 i = t; i < n; i += ww_threads_x()) own = ww_maximum(own, x[i]);
    best[t] = own;
    ww_barrier();
    for (ww_u32 half = ww_threads_x() / 2; half > 0; half /= 2) {
        if (t < half) best[t] = ww_maximum(best[t], best[t + half]);
        ww_barrier();
    }
    if (t == 0) out[0] = best[0];
}
"#;

/// As in the kernel's text.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Window {
    left: f32,
    top: f32,
    step: f32,
    columns: u32,
}

const COLUMNS: usize = 72;
const ROWS: usize = 24;
const LIMIT: u32 = 100;

fn main() -> ExitCode {
    ended(run())
}

fn run() -> Result<()> {
    let device = warpwave::open()?;
    let stream = device.default_stream();

    let module = match device.compile(KernelSource::new("mandelbrot.hip", TEXT)) {
        Ok(module) => module,
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => {
            say!("no compiler, so no kernel of one's own: {error}");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let (mandelbrot, largest) = (module.kernel("mandelbrot")?, module.kernel("largest")?);

    let n = COLUMNS * ROWS;
    let window = Window { left: -2.2, top: -1.15, step: 3.2 / COLUMNS as f32, columns: COLUMNS as u32 };
    let mut counts = stream.alloc::<u32>(n)?;
    // SAFETY: the kernel writes `n` elements of `counts`, and each by one thread.
    unsafe { stream.launch(&mandelbrot, Grid::cover(n, 256), args![n, window, LIMIT, &mut counts])? };

    // Ordered after the launch, as everything is that touches the same memory.
    let mut most = stream.alloc::<u32>(1)?;
    // SAFETY: the kernel reads `n` elements of `counts` and writes one of `most`; a block of 256 threads is a power of two.
    unsafe { stream.launch(&largest, (1, 256), args![n, &counts, &mut most])? };
    assert_eq!(stream.to_vec(&most)?, [LIMIT]);

    let counts = stream.to_vec(&counts)?;
    for row in counts.chunks(COLUMNS) {
        let shade = |&count: &u32| match count {
            LIMIT.. => '#',
            10.. => '+',
            4.. => '.',
            _ => ' ',
        };
        say!("{}", row.iter().map(shade).collect::<String>().trim_end());
    }

    // What does not fit the kernel's text is refused before anything is enqueued.
    let mut out = stream.alloc::<u32>(1)?;
    // SAFETY: it is refused.
    if let Err(error) = unsafe { stream.launch(&largest, (1, 256), args![n as u32, &most, &mut out]) } {
        say!("{error}");
    }
    Ok(())
}
