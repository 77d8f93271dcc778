//! A kernel of one's own, compiled when the program is built.
//!
//! `WARPWAVE_BUILD_ARCHS=sm_90,gfx90a cargo run --release -p own_kernel_at_build_time` embeds an image for each of the two, made by nvcc and
//! by hipcc or clang. A device of another architecture, and the CPU, compile the text when the program runs.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;
use warpwave::{ErrorKind, prelude::*};

mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    let _ = writeln!(stderr(), "{error}");
    ExitCode::from(if matches!(error.kind(), ErrorKind::Unavailable { .. } | ErrorKind::NoDevice { .. }) {
        2
    } else {
        1
    })
}

fn run() -> Result<()> {
    let out = &mut stdout().lock();
    let embedded: Vec<&str> = kernels::SMOOTH.images.iter().map(|image| image.arch).collect();
    // Who stops reading has read enough.
    let _ = writeln!(
        out,
        "{}: images for {}",
        kernels::SMOOTH.name,
        if embedded.is_empty() { "no GPU".into() } else { embedded.join(", ") }
    );

    let device = warpwave::open()?;
    let stream = device.default_stream();
    let module = match device.compile(kernels::SMOOTH) {
        Ok(module) => module,
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. } | ErrorKind::NoImage { .. }) => {
            let _ = writeln!(out, "nothing to run on {}: {error}", device.info().name);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let smooth = module.kernel("smooth")?;

    // One end at 100 degrees: the rod comes to a straight line.
    let n = 33;
    let mut start = vec![0.0; n];
    start[0] = 100.0;
    let (mut x, mut next) = (stream.from_slice(&start)?, stream.alloc::<f64>(n)?);
    for _ in 0..4000 {
        // SAFETY: the kernel reads `n` elements of `x`, and writes `n` of `next`, each by one thread.
        unsafe { stream.launch(&smooth, Grid::cover(n, 256), args![n, 0.5, &x, &mut next])? };
        std::mem::swap(&mut x, &mut next);
    }
    let x = stream.to_vec(&x)?;
    let worst = (0..n).map(|i| (x[i] - 100.0 * (1.0 - i as f64 / (n - 1) as f64)).abs()).fold(0.0, f64::max);
    let _ = writeln!(out, "{}: after 4000 steps {worst:.1e} degrees from the straight line", device.info().name);
    assert!(worst < 1e-6);
    Ok(())
}
