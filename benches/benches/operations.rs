//! Times of single operations on the CPU device, by criterion: `cargo bench -p warpwave-benches --bench operations`.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use warpwave::CpuDevice;
use warpwave::prelude::*;

const LENS: [usize; 3] = [1 << 10, 1 << 16, 1 << 22];

fn elementwise(criterion: &mut Criterion) {
    let stream = CpuDevice::open(0).unwrap().default_stream();
    let mut group = criterion.benchmark_group("elementwise f32");
    for len in LENS {
        let (x, mut y) = (stream.from_slice(&vec![1.5_f32; len]).unwrap(), stream.zeros::<f32>(len).unwrap());
        group.throughput(Throughput::Bytes(8 * len as u64));
        group.bench_function(BenchmarkId::new("neg", len), |b| b.iter(|| stream.neg(&x, &mut y).unwrap()));
        group.bench_function(BenchmarkId::new("sqrt", len), |b| b.iter(|| stream.sqrt(&x, &mut y).unwrap()));
        group.bench_function(BenchmarkId::new("exp", len), |b| b.iter(|| stream.exp(&x, &mut y).unwrap()));
        group.bench_function(BenchmarkId::new("add 1", len), |b| b.iter(|| stream.add(&x, &1.0, &mut y).unwrap()));
    }
    group.finish();
}

fn reductions(criterion: &mut Criterion) {
    let stream = CpuDevice::open(0).unwrap().default_stream();
    let mut group = criterion.benchmark_group("reduction f32");
    for len in LENS {
        let (x, mut y) = (stream.from_slice(&vec![1.5_f32; len]).unwrap(), stream.zeros::<f32>(len).unwrap());
        group.throughput(Throughput::Bytes(4 * len as u64));
        group.bench_function(BenchmarkId::new("sum", len), |b| b.iter(|| stream.sum(&x).unwrap()));
        group.bench_function(BenchmarkId::new("argmax", len), |b| b.iter(|| stream.argmax(&x).unwrap()));
        group.bench_function(BenchmarkId::new("nrm2", len), |b| b.iter(|| stream.nrm2(&x).unwrap()));
        group.bench_function(BenchmarkId::new("inclusive_sum", len), |b| {
            b.iter(|| stream.inclusive_sum(&x, &mut y).unwrap());
        });
    }
    group.finish();
}

fn products(criterion: &mut Criterion) {
    let stream = CpuDevice::open(0).unwrap().default_stream();
    let mut group = criterion.benchmark_group("f64 matrix");
    for n in [64_usize, 256, 1024] {
        let (a, x) = (stream.from_slice(&vec![0.5_f64; n * n]).unwrap(), stream.from_slice(&vec![0.5; n]).unwrap());
        let (mut c, mut y) = (stream.zeros::<f64>(n * n).unwrap(), stream.zeros::<f64>(n).unwrap());
        let a = a.view().matrix(n, n).unwrap();
        group.throughput(Throughput::Elements((2 * n * n * n) as u64));
        group.bench_function(BenchmarkId::new("gemm", n), |b| {
            let mut c = c.view_mut().matrix_mut(n, n).unwrap();
            b.iter(|| stream.gemm(Op::N, Op::N, 1.0, &a, &a, 0.0, &mut c).unwrap());
        });
        group.throughput(Throughput::Elements((2 * n * n) as u64));
        group.bench_function(BenchmarkId::new("gemv", n), |b| {
            b.iter(|| stream.gemv(Op::N, 1.0, &a, &x, 0.0, &mut y).unwrap());
        });
    }
    group.finish();
}

fn sorting(criterion: &mut Criterion) {
    let stream = CpuDevice::open(0).unwrap().default_stream();
    let mut group = criterion.benchmark_group("u32");
    for len in LENS {
        let (mut numbers, mut keys) = (stream.zeros::<u32>(len).unwrap(), stream.zeros::<u32>(len).unwrap());
        group.throughput(Throughput::Elements(len as u64));
        group.bench_function(BenchmarkId::new("random", len), |b| {
            b.iter(|| stream.random(&mut Philox::new(7), &mut numbers).unwrap());
        });
        group.bench_function(BenchmarkId::new("copy and sort", len), |b| {
            b.iter(|| {
                stream.copy(&numbers, &mut keys).unwrap();
                stream.sort(&mut keys).unwrap();
            });
        });
    }
    group.finish();
}

criterion_group!(benches, elementwise, reductions, products, sorting);
criterion_main!(benches);
