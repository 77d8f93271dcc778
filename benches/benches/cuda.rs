//! The CUDA device beside the raw driver and cuBLAS, called directly in the same process and on the same stream:
//! `cargo bench -p warpwave-benches --features cuda --bench cuda`, on a machine whose GPU does nothing else.
//!
//! | row | peer | time |
//! |---|---|---|
//! | `launch` | `cuLaunchKernel` of the same kernel, which NVRTC has compiled | of the host, with the wait at the end, of 10,000 |
//! | `alloc + free` | `cuMemAllocAsync` and `cuMemFreeAsync` | of the host, of 20,000 |
//! | `graph` | `cuGraphLaunch` of as many launches, captured | between two events, divided by the nodes |
//! | `upload`, `download` | `cuMemcpyHtoDAsync`, `cuMemcpyDtoHAsync` of pinned memory | between two events |
//! | `gemm f32 256` … | `cublasGemmEx` of the same type to compute in, on the same matrices | between two events |
//! | the rest | none in this process; figures of other programs in another run (H200, driver 580.159, CUDA 13.0) | between two events |
//!
//! What lies between events is repeated until a sample takes 5 ms or more. A floor is what cannot be left out: each operand once from and to
//! memory, or `2·n³` operations. `of the copy` is the floor's bytes per second as a part of those that a copy moves, in this run; sorts read
//! and write their keys several times.
//!
//! Rows can be chosen by parts of their names, given as arguments; `--json FILE` writes the table there as well. The exit status is 0 whatever
//! the rows say, and 2 without a CUDA device.

#![allow(clippy::print_stdout)]

#[path = "cuda/calls.rs"]
mod calls;
#[path = "cuda/copies.rs"]
mod copies;
#[path = "cuda/cublas.rs"]
mod cublas;
#[path = "cuda/driver.rs"]
mod driver;
#[path = "cuda/kernels.rs"]
mod kernels;
#[path = "cuda/load.rs"]
mod load;
#[path = "cuda/measure.rs"]
mod measure;
#[path = "cuda/nvrtc.rs"]
mod nvrtc;
#[path = "cuda/product.rs"]
mod product;
#[path = "cuda/report.rs"]
mod report;

use cublas::Cublas;
use driver::Driver;
use measure::{Outcome, ROUNDS};
use report::{Row, one_line};
use std::process::ExitCode;
use std::time::Instant;
use warpwave::prelude::*;
use warpwave::{BufferOf, bf16, f16};
use warpwave_cuda::CudaDevice;

type Queue = <CudaDevice as Device>::Stream;
type DeviceBuffer<T> = BufferOf<Queue, T>;

/// What all rows use.
struct Bench {
    device: CudaDevice,
    /// What both sides enqueue on.
    stream: Queue,
    driver: Driver,
}

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", one_line(&error));
            ExitCode::from(2)
        }
    }
}

struct Arguments {
    /// Parts of the names of the rows that are wanted; all are if there is none.
    chosen: Vec<String>,
    /// The file for the table as JSON.
    json: Option<String>,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let (mut chosen, mut json) = (Vec::new(), None);
        while let Some(argument) = arguments.next() {
            if argument == "--json" {
                json = Some(arguments.next().ok_or("--json needs the name of a file")?);
            } else if !argument.starts_with("--") {
                // Cargo adds `--bench`.
                chosen.push(argument);
            }
        }
        Ok(Arguments { chosen, json })
    }

    fn wants(&self, name: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|part| name.contains(part.as_str()))
    }
}

/// The rows so far.
struct Table<'a> {
    arguments: &'a Arguments,
    rows: Vec<Row>,
}

impl Table<'_> {
    /// Measures and prints a row if it is wanted. One that fails leaves the others to be measured.
    fn add(&mut self, name: &str, take: impl FnOnce(&str) -> Outcome<Row>) {
        if self.arguments.wants(name) {
            self.add_always(name, take);
        }
    }

    /// Measures and prints a row. Gives our figure.
    fn add_always(&mut self, name: &str, take: impl FnOnce(&str) -> Outcome<Row>) -> Option<f64> {
        let row = take(name).unwrap_or_else(|error| Row::missing(name, &error));
        println!("{row}");
        let ours = row.ours.as_ref().ok().copied();
        self.rows.push(row);
        ours
    }
}

fn run(arguments: &Arguments) -> Outcome<()> {
    let start = Instant::now();
    let device = CudaDevice::open(0).map_err(|error| format!("no CUDA device: {error}"))?;
    let stream = device.default_stream();
    let driver = Driver::open(&stream)?;
    let bench = Bench { device, stream, driver };
    let blas = Cublas::open(&bench.driver).map_err(|error| error.to_string());
    let info = bench.device.info();
    println!("{}; medians of {ROUNDS} samples, ours and the peer's in turns", info.name);

    let mut table = Table { arguments, rows: Vec::new() };
    rows_of_calls(&bench, &mut table);
    table.add("upload 256 MiB", |name| copies::upload(&bench, name));
    table.add("download 256 MiB", |name| copies::download(&bench, name));
    rows_of_products(&bench, &blas, &mut table);
    rows_of_kernels(&bench, &mut table);

    let seconds = start.elapsed().as_secs_f64();
    let version = |what: &str| info.versions.iter().find(|(name, _)| name == what).map(|(_, version)| version.clone());
    let module = driver::module_version().unwrap_or_else(|| "of an unknown version".to_owned());
    let about = [
        ("device", format!("{} ({})", info.name, info.arch)),
        ("driver", format!("{module}, CUDA {}", bench.driver.cuda_version()?)),
        (
            "cuBLAS",
            match &blas {
                Ok(blas) => blas.version()?,
                Err(why) => format!("not there: {why}"),
            },
        ),
        ("cuBLAS of warpwave", version("cuBLAS").unwrap_or_else(|| "not there".to_owned())),
    ];
    for (what, text) in &about {
        println!("{what:<20}{text}");
    }
    println!("{:<20}{seconds:.1}", "seconds");
    if let Some(file) = &arguments.json {
        std::fs::write(file, report::json(&about, seconds, &table.rows)).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

fn rows_of_calls(bench: &Bench, table: &mut Table<'_>) {
    const LAUNCH: &str = "launch, empty kernel";
    const GRAPH: &str = "graph of 1,000 launches";
    if [LAUNCH, GRAPH].iter().any(|name| table.arguments.wants(name)) {
        let kernels = calls::Kernels::compile(bench).map_err(|error| error.to_string());
        let kernels = kernels.as_ref().map_err(String::as_str);
        table.add(LAUNCH, |name| calls::launch(bench, kernels?, name));
        table.add(GRAPH, |name| calls::graph(bench, kernels?, name));
    }
    for (name, bytes) in [("alloc + free 256 B", 256), ("alloc + free 1 MiB", 1 << 20)] {
        table.add(name, |name| calls::allocate(bench, bytes, name));
    }
}

fn rows_of_products(bench: &Bench, blas: &Result<Cublas<'_>, String>, table: &mut Table<'_>) {
    type Take = fn(&Bench, &Result<Cublas<'_>, String>, usize, &str) -> Outcome<Row>;
    let types: [(&str, Take); 4] = [
        ("f32", product::gemm::<f32>),
        ("f64", product::gemm::<f64>),
        ("f16", product::gemm::<f16>),
        ("bf16", product::gemm::<bf16>),
    ];
    for n in [256, 1024, 4096, 8192] {
        for (dtype, take) in types {
            table.add(&format!("gemm {dtype} {n}"), |name| take(bench, blas, n, name));
        }
    }
}

fn rows_of_kernels(bench: &Bench, table: &mut Table<'_>) {
    let wanted = |entry: &&kernels::Entry| table.arguments.wants(entry.name);
    let others: Vec<_> = kernels::OTHERS.iter().filter(wanted).collect();
    if others.is_empty() && !wanted(&&kernels::COPY) {
        return;
    }
    // The copy comes first, wanted or not: the others are compared with it.
    let copy = table.add_always(kernels::COPY.name, |_| kernels::measure(bench, &kernels::COPY, None));
    for entry in others {
        table.add_always(entry.name, |_| kernels::measure(bench, entry, copy));
    }
}
