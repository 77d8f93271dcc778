//! The CPU device against named peers and limits, in one run: `cargo bench -p warpwave-benches --bench cpu`.
//!
//! | row | peer or limit |
//! |---|---|
//! | `gemm` | OpenBLAS with as many threads, `2·n³` operations each; in brackets the processor whose kernels it has chosen |
//! | `axpy` … `inclusive_sum` | bytes moved per second of a plain triad loop, `a[i] = b[i] + s·c[i]`, on as many threads |
//! | `sort` | rayon's `par_sort_unstable` on as many threads (it is not stable) |
//! | `exp f32, one value` … | the standard library's function, whose time the figure is a multiple of |
//! | `exp f32, 2^20` … | a loop over the standard library's function on as many threads, which takes so many times as long |
//! | `axpy of 16` | what a call costs beyond a plain loop over slices |
//! | `alloc + free` | the time of both |
//!
//! OpenBLAS 0.3.21 takes its AVX2 kernels on AMD processors with AVX-512: `OPENBLAS_CORETYPE=SkylakeX` makes it the harder peer.
//!
//! A row that does not reach its floor ends with the words that make this program's exit status 1. Rows can be chosen by parts of their
//! names, given as arguments.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;
use warpwave::numerics::CastFrom;
use warpwave::prelude::*;
use warpwave::{CpuDevice, Result, Scalar};
use warpwave_benches::mathematics;
use warpwave_benches::openblas::{OpenBlas, SquareGemm};
use warpwave_benches::table::{Goal, Row};
use warpwave_benches::timing::{Pair, median, pair, time};

type Queue = <CpuDevice as Device>::Stream;

/// Elements of the rows about bandwidth.
const LEN: usize = 1 << 26;
/// Rows and columns of the transposition.
const ORDER: usize = 1 << 13;
const SORTED: usize = 1 << 24;
const ROUNDS: usize = 9;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|part| name.contains(part.as_str()));
    match run(&wanted) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every row reached its floor.
fn run(wanted: &dyn Fn(&str) -> bool) -> Result<bool> {
    let device = CpuDevice::open(0)?;
    let stream = device.default_stream();
    let threads = rayon::current_num_threads();
    println!("{}, {threads} threads; medians of {ROUNDS} rounds, ours and the peer's in turns", device.info().name);
    let mut good = true;
    let mut report = |row: Row| {
        println!("{row}");
        good &= !row.is_below_floor();
    };
    let blas = OpenBlas::open(threads);
    for n in [256, 1024, 2048] {
        for (name, row) in [
            (
                format!("gemm f32 {n}"),
                gemm::<f32> as fn(&Queue, &Result<OpenBlas, String>, usize, String) -> Result<Row>,
            ),
            (format!("gemm f64 {n}"), gemm::<f64>),
        ] {
            if wanted(&name) {
                report(row(&stream, &blas, n, name)?);
            }
        }
    }
    if BANDWIDTH.iter().any(|(name, ..)| wanted(name)) {
        let mut triad = Triad::new(threads);
        for &(name, bytes, (target, floor), prepare) in BANDWIDTH {
            if wanted(name) {
                let mut work = prepare(&stream)?;
                // As many bytes as the triad moves, lest what comes before the first byte weigh more.
                let repeats = Triad::BYTES.div_ceil(bytes);
                let ours = || time(|| (0..repeats).try_for_each(|_| work()));
                let pair = pair(ROUNDS, ours, || Ok(triad.run()))?;
                let rate = |bytes: usize, seconds: f64| (LEN * bytes) as f64 / seconds;
                let (ours, peer) = (rate(repeats * bytes, pair.ours), rate(Triad::BYTES, pair.peer));
                report(Row {
                    name: name.to_owned(),
                    detail: format!("{:.1} GB/s, triad {:.1} GB/s", ours / 1e9, peer / 1e9),
                    figure: Ok(ours / peer),
                    goal: Goal::AtLeast { target, floor },
                });
            }
        }
    }
    for (name, row) in [
        ("sort u32", sort as fn(&Queue, &str) -> Result<Row>),
        ("axpy of 16, inline", small_axpy),
        ("alloc + free 256 B", alloc_free),
    ] {
        if wanted(name) {
            report(row(&stream, name)?);
        }
    }
    mathematics::rows(&stream, wanted, &mut report)?;
    Ok(good)
}

/// Numbers in −1..1 that compress badly.
fn numbers(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

fn gemm<T: SquareGemm + Scalar + CastFrom<f32>>(
    stream: &Queue,
    blas: &Result<OpenBlas, String>,
    n: usize,
    name: String,
) -> Result<Row> {
    let goal = Goal::AtLeast { target: 0.98, floor: 0.9 };
    let blas = match blas {
        Ok(blas) => blas,
        Err(why) => return Ok(Row { name, detail: String::new(), figure: Err(why.clone()), goal }),
    };
    let (one, zero) = (warpwave::numerics::cast(1.0_f32), warpwave::numerics::cast(0.0_f32));
    let host: Vec<T> = numbers(n * n).into_iter().map(warpwave::numerics::cast).collect();
    let (a, b) = (stream.from_slice(&host)?, stream.from_slice(&host)?);
    let mut c = stream.zeros::<T>(n * n)?;
    let mut host_c = vec![zero; n * n];
    // Small products are repeated until the clock can see them.
    let repeats = (1_usize << 30).div_ceil(2 * n * n * n);
    let ours = || {
        let mut product = || {
            let mut c = c.view_mut().matrix_mut(n, n)?;
            stream.gemm(Op::N, Op::N, one, &a.view().matrix(n, n)?, &b.view().matrix(n, n)?, zero, &mut c)
        };
        product()?;
        time(|| (0..repeats).try_for_each(|_| product()))
    };
    let peer = || {
        let mut product = || {
            T::square_gemm(blas, n, &host, &host, &mut host_c);
            black_box(&mut host_c);
        };
        product();
        time(|| {
            (0..repeats).for_each(|_| product());
            Ok(())
        })
    };
    let Pair { ours, peer } = pair(ROUNDS, ours, peer)?;
    let rate = |seconds: f64| (2 * n * n * n * repeats) as f64 / seconds / 1e9;
    let detail = format!("{:.1} GFLOP/s, OpenBLAS ({}) {:.1} GFLOP/s", rate(ours), blas.kernels(), rate(peer));
    Ok(Row { name, detail, figure: Ok(peer / ours), goal })
}

/// The limit: a plain loop that reads two arrays and writes a third.
struct Triad {
    threads: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Triad {
    /// Moved for an element.
    const BYTES: usize = 12;

    fn new(threads: usize) -> Self {
        Triad { threads, a: vec![0.0; LEN], b: numbers(LEN), c: numbers(LEN) }
    }

    fn run(&mut self) -> Duration {
        let part = LEN.div_ceil(self.threads);
        let start = std::time::Instant::now();
        std::thread::scope(|scope| {
            for ((a, b), c) in self.a.chunks_mut(part).zip(self.b.chunks(part)).zip(self.c.chunks(part)) {
                scope.spawn(move || {
                    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                        *a = b + 3.0 * c;
                    }
                });
            }
        });
        black_box(&mut self.a);
        start.elapsed()
    }
}

type Work = Box<dyn FnMut() -> Result<()>>;

/// Name, bytes moved for an element, target and floor, and the work on [`LEN`] elements.
type Bandwidth = (&'static str, usize, (f64, f64), fn(&Queue) -> Result<Work>);

const BANDWIDTH: &[Bandwidth] = &[
    ("axpy f32", 12, (0.9, 0.8), |stream| {
        let (stream, x) = (stream.clone(), stream.from_slice(&numbers(LEN))?);
        let mut y = stream.from_slice(&numbers(LEN))?;
        Ok(Box::new(move || stream.axpy(0.5, &x, &mut y)))
    }),
    ("dot f32", 8, (0.9, 0.8), |stream| {
        let (stream, x, y) = (stream.clone(), stream.from_slice(&numbers(LEN))?, stream.from_slice(&numbers(LEN))?);
        Ok(Box::new(move || stream.dot(&x, &y).map(|sum| _ = black_box(sum))))
    }),
    ("sum f32", 4, (0.9, 0.8), |stream| {
        let (stream, x) = (stream.clone(), stream.from_slice(&numbers(LEN))?);
        Ok(Box::new(move || stream.sum(&x).map(|sum| _ = black_box(sum))))
    }),
    ("transpose f32", 8, (0.9, 0.8), |stream| {
        let (stream, x, mut y) = (stream.clone(), stream.from_slice(&numbers(LEN))?, stream.zeros::<f32>(LEN)?);
        Ok(Box::new(move || {
            stream.transpose(&x.view().matrix(ORDER, ORDER)?, &mut y.view_mut().matrix_mut(ORDER, ORDER)?)
        }))
    }),
    ("cast f32 to i32", 8, (0.9, 0.8), |stream| {
        let (stream, x, mut y) = (stream.clone(), stream.from_slice(&numbers(LEN))?, stream.zeros::<i32>(LEN)?);
        Ok(Box::new(move || stream.cast(&x, &mut y)))
    }),
    ("cast f32 to f64", 12, (0.9, 0.8), |stream| {
        let (stream, x, mut y) = (stream.clone(), stream.from_slice(&numbers(LEN))?, stream.zeros::<f64>(LEN)?);
        Ok(Box::new(move || stream.cast(&x, &mut y)))
    }),
    ("inclusive_sum f32", 8, (0.8, 0.6), |stream| {
        let (stream, x, mut y) = (stream.clone(), stream.from_slice(&numbers(LEN))?, stream.zeros::<f32>(LEN)?);
        Ok(Box::new(move || stream.inclusive_sum(&x, &mut y)))
    }),
];

fn sort(stream: &Queue, name: &str) -> Result<Row> {
    let mut unsorted = stream.zeros::<u32>(SORTED)?;
    stream.random(&mut Philox::new(1), &mut unsorted)?;
    let host = stream.to_vec(&unsorted)?;
    let mut keys = stream.zeros::<u32>(SORTED)?;
    let ours = || {
        stream.copy(&unsorted, &mut keys)?;
        time(|| stream.sort(&mut keys))
    };
    let mut host_keys = host.clone();
    let peer = || {
        host_keys.copy_from_slice(&host);
        time(|| {
            rayon::slice::ParallelSliceMut::par_sort_unstable(host_keys.as_mut_slice());
            Ok(())
        })
    };
    let Pair { ours, peer } = pair(ROUNDS, ours, peer)?;
    let rate = |seconds: f64| SORTED as f64 / seconds / 1e6;
    Ok(Row {
        name: name.to_owned(),
        detail: format!("{:.0} Mkeys/s, par_sort_unstable {:.0} Mkeys/s", rate(ours), rate(peer)),
        figure: Ok(peer / ours),
        goal: Goal::AtLeast { target: 1.2, floor: 1.0 },
    })
}

/// Calls in a measurement of something that takes nanoseconds.
const CALLS: usize = 100_000;

fn small_axpy(stream: &Queue, name: &str) -> Result<Row> {
    let (x, mut y) = (stream.from_slice(&numbers(16))?, stream.from_slice(&numbers(16))?);
    let ours = || {
        time(|| {
            for _ in 0..CALLS {
                stream.axpy(black_box(0.5), &x, &mut y)?;
            }
            Ok::<(), warpwave::Error>(())
        })
    };
    let (host_x, mut host_y) = (numbers(16), numbers(16));
    let peer = || {
        time(|| {
            for _ in 0..CALLS {
                let alpha = black_box(0.5_f32);
                for (y, x) in host_y.iter_mut().zip(&host_x) {
                    *y += alpha * x;
                }
                black_box(&mut host_y);
            }
            Ok(())
        })
    };
    let Pair { ours, peer } = pair(ROUNDS, ours, peer)?;
    let nanoseconds = |seconds: f64| seconds * 1e9 / CALLS as f64;
    Ok(Row {
        name: name.to_owned(),
        detail: format!("{:.1} ns, a plain loop {:.1} ns", nanoseconds(ours), nanoseconds(peer)),
        figure: Ok(nanoseconds(ours) - nanoseconds(peer)),
        goal: Goal::AtMost { target: 100.0, floor: 300.0 },
    })
}

fn alloc_free(stream: &Queue, name: &str) -> Result<Row> {
    let mut times = Vec::new();
    for _ in 0..=ROUNDS {
        times.push(time(|| {
            for _ in 0..CALLS {
                black_box(stream.alloc::<u8>(256)?);
            }
            Ok::<(), warpwave::Error>(())
        })?);
    }
    let nanoseconds = median(times.split_off(1)) * 1e9 / CALLS as f64;
    Ok(Row {
        name: name.to_owned(),
        detail: "from the pool, on the stream that freed it".to_owned(),
        figure: Ok(nanoseconds),
        goal: Goal::AtMost { target: 60.0, floor: 150.0 },
    })
}
