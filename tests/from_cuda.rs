//! `docs/from-cuda.md`: every line of code in its tables compiles, runs, and does what the row says.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use warpwave::prelude::*;
use warpwave::{CpuBackend, CpuDevice, bf16, f16};

/// The code in the last column of each table.
fn code() -> Vec<String> {
    let mut code = Vec::new();
    for row in include_str!("../docs/from-cuda.md").lines().filter(|line| line.starts_with("| ")) {
        // A bar inside code is written `\|` in a table.
        let row = row.replace("\\|", "\u{1}");
        let last = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap().replace('\u{1}', "|");
        code.extend(last.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    code
}

/// What the tables say stands below, to the letter.
#[test]
fn the_tables_are_this_program() {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let program = dense(include_str!("from_cuda.rs"));
    let code = code();
    assert!(code.len() > 60, "{code:?}");
    for code in code {
        assert!(program.contains(&dense(&code)), "not in tests/from_cuda.rs: {code}");
    }
}

#[test]
fn the_rows_do_what_they_say() {
    for backend in [CpuBackend::inline(), CpuBackend::asynchronous()] {
        let device = CpuDevice::new(backend).unwrap();
        memory(&device).unwrap();
        streams(&device).unwrap();
        graphs(&device).unwrap();
        vectors(&device).unwrap();
        matrices(&device).unwrap();
        halves(&device).unwrap();
    }
    graphs(&warpwave::open_named("cpu").unwrap()).unwrap();
    assert!(!warpwave::device_names().is_empty());
    assert_eq!(opened().unwrap(), ["cpu", "cpu"]);
}

fn opened() -> Result<[String; 2]> {
    let devices = [warpwave::open()?.info().id.clone(), warpwave::open_named("cpu")?.info().id.clone()];
    Ok(devices)
}

fn memory<D: Numerics>(device: &D) -> Result<()> {
    let (n, k) = (6, 2);
    let stream = device.default_stream();
    let host = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(stream.alloc::<f32>(n)?.len(), n);
    let zeros = stream.zeros::<f32>(n)?;
    assert_eq!(stream.to_vec(&zeros)?, [0.0; 6]);

    let mut x = stream.from_slice(&host)?;
    let mut y = stream.from_slice(&[0.0; 6])?;
    stream.copy(&x, &mut y)?;
    stream.fill(&mut x, 1.5)?;
    assert_eq!(stream.to_vec(&x)?, [1.5; 6]);
    assert_eq!(stream.to_vec(&y)?, host);
    stream.write(&mut x, &host)?;
    assert_eq!(stream.to_vec(&x.slice(k..)?)?, host[k..]);
    stream.fill(&mut x.slice_mut(..k)?, 0.0)?;
    let mut host = [0.0; 6];
    stream.read(&x, &mut host)?;
    assert_eq!(host, [0.0, 0.0, 3.0, 4.0, 5.0, 6.0]);

    let mut pinned = stream.pinned::<f32>(n)?;
    pinned.write()?.fill(7.0);
    stream.upload(&mut x, &pinned)?;
    assert_eq!(stream.to_vec(&x)?, [7.0; 6]);
    stream.fill(&mut x, 8.0)?;
    stream.download(&x, &mut pinned)?;
    assert_eq!(*pinned.read()?, [8.0; 6]);

    let in_use = device.memory().in_use;
    drop(y);
    stream.synchronize()?;
    device.trim()?;
    assert!(device.memory().in_use < in_use);
    assert!(device.info().units > 0);
    Ok(())
}

fn streams<D: Numerics>(device: &D) -> Result<()> {
    let (first, stream) = (device.default_stream(), device.new_stream()?);
    let start = first.record()?;
    let event = start.clone();
    stream.wait(&event)?;
    let done = Arc::new(AtomicBool::new(false));
    let seen = done.clone();
    stream.host_fn(move || done.store(true, Relaxed))?;
    let end = stream.record()?;
    event.synchronize()?;
    assert!(event.query()?);
    stream.synchronize()?;
    assert!(seen.load(Relaxed));
    // Wall-clock time of a test is not known better than this.
    assert!(end.elapsed_since(&start)?.as_secs() < 600);
    Ok(())
}

fn graphs<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let mut x = stream.zeros::<f32>(3)?;
    let mut graph = stream.record_graph(|r| r.fill(&mut x, 1.5))?;
    graph.launch(&stream)?;
    assert_eq!(stream.to_vec(&x)?, [1.5; 3]);
    let mut last = None;
    let mut graph = stream.record_graph(|r| {
        r.fill(&mut x, 1.5)?;
        last = r.last();
        Ok(())
    })?;
    let node = last.unwrap();
    graph.set_scalar(node, Argument::Value, 2.5f32)?;
    graph.launch(&stream)?;
    assert_eq!(stream.to_vec(&x)?, [2.5; 3]);
    let other = D::open(0)?;
    let there = other.default_stream().from_slice(&[7.0f32; 3])?;
    stream.copy_from_peer(&there, &mut x)?;
    assert_eq!(stream.to_vec(&x)?, [7.0; 3]);
    Ok(())
}

fn vectors<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let alpha = 2.0f32;
    let mut x = stream.from_slice(&[3.0f32, -4.0, 0.0])?;
    let mut y = stream.from_slice(&[1.0f32, 2.0, 3.0])?;
    stream.axpy(alpha, &x, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [7.0, -6.0, 3.0]);
    stream.scal(alpha, &mut x)?;
    assert_eq!(stream.to_vec(&x)?, [6.0, -8.0, 0.0]);
    assert_eq!((stream.dot(&x, &y)?, stream.dotc(&x, &y)?), (90.0, 90.0));
    let mut out = stream.alloc(1)?;
    stream.dot_into(&x, &y, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [90.0]);
    assert_eq!((stream.nrm2(&x)?, stream.asum(&x)?), (10.0, 14.0));
    stream.nrm2_into(&x, &mut out)?;
    stream.asum_into(&x, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [14.0]);
    assert_eq!(stream.iamax(&x)?, Some(1));
    assert_eq!(stream.iamax(&x.slice(..0)?)?, None);
    stream.swap(&mut x, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [6.0, -8.0, 0.0]);
    stream.axpy(alpha, &Vector::new(&x, 2, 2)?, &mut VectorMut::new(&mut y, 2, 2)?)?;
    assert_eq!(stream.to_vec(&y)?, [20.0, -8.0, 6.0]);
    Ok(())
}

fn matrices<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    assert_eq!(stream.precision(), Precision::Strict);
    let (alpha, beta) = (1.0f64, 0.0);
    // Column by column: [1 3; 2 4], then [5 7; 6 8].
    let x = stream.from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
    let (a, b) = (x.matrix(2, 2)?, x.slice(4..)?.matrix(2, 2)?);
    let mut z = stream.zeros(4)?;
    let mut c = z.matrix_mut(2, 2)?;
    stream.gemm(Op::N, Op::T, alpha, &a, &b, beta, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [26.0, 38.0, 30.0, 44.0]);
    let mut c = z.matrix_mut(2, 2)?;
    // Real numbers are their own conjugates.
    stream.with_precision(Precision::Reproducible).gemm(Op::N, Op::C, alpha, &a, &b, beta, &mut c)?;
    stream.with_precision(Precision::Fast).gemm(Op::N, Op::C, alpha, &a, &b, 1.0, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [52.0, 76.0, 60.0, 88.0]);

    let mut c = z.matrix_mut(2, 2)?;
    stream.copy_matrix(&a, &mut c)?;
    stream.transpose(&a, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [1.0, 3.0, 2.0, 4.0]);
    let a = x.view().matrix_with(2, 2, 3, Layout::ColumnMajor)?;
    let mut c = z.matrix_mut(2, 2)?;
    stream.copy_matrix(&a, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [1.0, 2.0, 4.0, 5.0]);

    let x = stream.from_slice(&[1.0, 10.0])?;
    let mut y = stream.zeros(2)?;
    stream.gemv(Op::N, alpha, &a, &x, beta, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [41.0, 52.0]);
    let mut c = z.matrix_mut(2, 2)?;
    stream.ger(alpha, &x, &y, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [42.0, 412.0, 56.0, 525.0]);

    let x = stream.from_slice(&[1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 2.0])?;
    let mut z = stream.zeros(8)?;
    let batch_a = x.view().batch(2, 2, 2, Layout::ColumnMajor, 4, 2)?;
    let batch_b = x.view().batch(2, 2, 2, Layout::ColumnMajor, 4, 2)?;
    let mut batch_c = z.view_mut().batch_mut(2, 2, 2, Layout::ColumnMajor, 4, 2)?;
    stream.gemm_strided_batched(Op::N, Op::N, alpha, &batch_a, &batch_b, beta, &mut batch_c)?;
    assert_eq!(stream.to_vec(&z)?, [1.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 4.0]);
    Ok(())
}

/// Sums of 4,096 ones: past 2,048 in `f16` and past 256 in `bf16` one more would be lost.
fn halves<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let (alpha, beta) = (1.0f32, 0.0f32);
    let x = stream.from_slice(&[f16::ONE; 4096])?;
    let mut z = stream.zeros(1)?;
    stream.gemm(Op::N, Op::N, alpha, &x.matrix(1, 4096)?, &x.matrix(4096, 1)?, beta, &mut z.matrix_mut(1, 1)?)?;
    assert_eq!(stream.to_vec(&z)?, [f16::from_f32(4096.0)]);
    let x = stream.from_slice(&[bf16::ONE; 4096])?;
    let mut z = stream.zeros(1)?;
    stream.gemm(Op::N, Op::N, alpha, &x.matrix(1, 4096)?, &x.matrix(4096, 1)?, beta, &mut z.matrix_mut(1, 1)?)?;
    assert_eq!(stream.to_vec(&z)?, [bf16::from_f32(4096.0)]);
    Ok(())
}
