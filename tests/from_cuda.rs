//! `docs/from-cuda.md`: every line of code in its tables compiles, runs, and does what the row says.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use warpwave::prelude::*;
use warpwave::{Complex32, CpuBackend, CpuDevice, bf16, f16};

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
    assert!(code.len() > 100, "{code:?}");
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
        triangles(&device).unwrap();
        hermitian(&device).unwrap();
        algorithms(&device).unwrap();
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
    let host = vec![9.0; 6];
    let pinned = stream.register(host)?;
    stream.upload(&mut x, &pinned)?;
    assert_eq!(stream.to_vec(&x)?, [9.0; 6]);

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
    assert_eq!(stream.iamin(&x)?, Some(2));
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

fn triangles<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let (alpha, beta) = (1.0f32, 0.0);
    let mut x = stream.from_slice(&[3.0f32, 0.0])?;
    let mut y = stream.from_slice(&[-4.0f32, 5.0])?;
    let rotation = warpwave::rotg(3.0f32, -4.0);
    stream.rot(&mut x, &mut y, rotation.c, rotation.s)?;
    assert_eq!(stream.to_vec(&x.slice(..1)?)?, [rotation.r]);
    assert_eq!((stream.iamin(&y)?, rotation.r.abs()), (Some(0), 5.0));
    let mut x = stream.from_slice(&[3.0f32, 1.0])?;
    let mut y = stream.from_slice(&[4.0f32, 2.0])?;
    let modified = warpwave::rotmg(1.0f32, 1.0, 3.0, 4.0);
    stream.rotm(&mut x, &mut y, modified.rotation)?;
    assert_eq!(stream.to_vec(&x.slice(..1)?)?, [modified.x1]);

    // The lower triangle of [2 3; 3 4]; what stands above it is not read but by `gemm`.
    let storage = stream.from_slice(&[2.0f32, 3.0, 7.0, 4.0])?;
    let a = storage.matrix(2, 2)?;
    let x = stream.from_slice(&[1.0f32, 10.0])?;
    let mut y = stream.zeros(2)?;
    stream.symv(Uplo::Lower, alpha, &a, &x, beta, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [32.0, 43.0]);
    stream.trmv(Uplo::Lower, Op::N, Diag::Unit, &a, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [32.0, 139.0]);
    stream.trsv(Uplo::Lower, Op::N, Diag::Unit, &a, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [32.0, 43.0]);
    let mut z = stream.zeros(4)?;
    let mut c = z.matrix_mut(2, 2)?;
    stream.fill_matrix(&mut c, 0.0)?;
    stream.syr(Uplo::Lower, alpha, &x, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [1.0, 10.0, 0.0, 100.0]);
    let ones = stream.from_slice(&[1.0f32, 0.0, 0.0, 1.0])?;
    let b = ones.matrix(2, 2)?;
    let mut c = z.matrix_mut(2, 2)?;
    stream.symm(Side::Left, Uplo::Lower, alpha, &a, &b, beta, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [2.0, 3.0, 3.0, 4.0]);
    let mut c = z.matrix_mut(2, 2)?;
    stream.trmm(Side::Right, Uplo::Lower, Op::T, Diag::Unit, alpha, &a, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [2.0, 3.0, 9.0, 13.0]);
    let mut c = z.matrix_mut(2, 2)?;
    stream.syrk(Uplo::Lower, Op::N, alpha, &a, beta, &mut c)?;
    assert_eq!(stream.to_vec(&z)?, [53.0, 34.0, 9.0, 25.0]);

    let mut other = stream.zeros(4)?;
    let (c, d) = (z.matrix_mut(2, 2)?, other.matrix_mut(2, 2)?);
    stream.gemm_batched(Op::N, Op::N, alpha, &[a, b], &[b, a], beta, &mut [c, d])?;
    assert_eq!((stream.to_vec(&z)?, stream.to_vec(&other)?), (vec![2.0, 3.0, 7.0, 4.0], vec![2.0, 3.0, 7.0, 4.0]));

    let x = stream.from_slice(&[2.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0, 4.0])?;
    let mut z = stream.from_slice(&[8.0f32; 8])?;
    let batch_a = x.view().batch(2, 2, 2, Layout::ColumnMajor, 4, 2)?;
    let mut batch_c = z.view_mut().batch_mut(2, 2, 2, Layout::ColumnMajor, 4, 2)?;
    stream.trsm_strided_batched(Side::Left, Uplo::Upper, Op::N, Diag::NonUnit, alpha, &batch_a, &mut batch_c)?;
    assert_eq!(stream.to_vec(&z)?, [4.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0]);
    Ok(())
}

/// With a = x · xᴴ, and 2 the square of the length of x, a · x is 2 · x, and a · a is 2 · a.
fn hermitian<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let (zero, one, i) = (Complex32::new(0.0, 0.0), Complex32::new(1.0, 0.0), Complex32::new(0.0, 1.0));
    let x = stream.from_slice(&[i, one])?;
    let mut storage = stream.zeros(4)?;
    stream.gerc(one, &x, &x, &mut storage.matrix_mut(2, 2)?)?;
    assert_eq!(stream.to_vec(&storage)?, [one, -i, i, one]);
    let a = storage.matrix(2, 2)?;
    let mut y = stream.zeros(2)?;
    stream.hemv(Uplo::Lower, one, &a, &x, zero, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [i + i, one + one]);
    let mut z = stream.zeros(4)?;
    stream.hemm(Side::Left, Uplo::Lower, one, &a, &a, zero, &mut z.matrix_mut(2, 2)?)?;
    assert_eq!(stream.to_vec(&z)?, [one + one, -i - i, i + i, one + one]);
    stream.herk(Uplo::Lower, Op::N, 1.0, &a, 0.0, &mut z.matrix_mut(2, 2)?)?;
    stream.her(Uplo::Lower, 1.0, &x, &mut z.matrix_mut(2, 2)?)?;
    assert_eq!(stream.to_vec(&z)?, [one * 3.0, -i * 3.0, i + i, one * 3.0]);
    Ok(())
}

fn algorithms<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();
    let x = stream.from_slice(&[3.0, -1.0, 4.0, 0.0])?;
    assert_eq!((stream.sum(&x)?, stream.min(&x)?, stream.max(&x)?), (6.0, -1.0, 4.0));
    assert_eq!((stream.argmin(&x)?, stream.argmax(&x)?), (Some(1), Some(2)));
    let a = x.matrix(2, 2)?;
    let mut out = stream.zeros(2)?;
    stream.sum_rows(&a, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [7.0, -1.0]);
    let mut mask = stream.zeros(4)?;
    stream.gt(&x, &0.0, &mut mask)?;
    assert_eq!((stream.count(&mask)?, stream.any(&mask)?, stream.all(&mask)?), (2, true, false));
    let mut out = stream.zeros(4)?;
    stream.inclusive_sum(&x, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [3.0, 2.0, 6.0, 6.0]);
    stream.exclusive_sum(&x, &mut out)?;
    stream.sort(&mut out)?;
    assert_eq!(stream.to_vec(&out)?, [0.0, 2.0, 3.0, 6.0]);
    assert_eq!(stream.compact(&x, &mask, &mut out)?, 2);
    assert_eq!(stream.to_vec(&out)?, [3.0, 4.0, 3.0, 6.0]);
    let index = stream.from_slice(&[3_u32, 2, 1, 0])?;
    stream.gather(&x, &index, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [0.0, 4.0, -1.0, 3.0]);
    stream.scatter(&x, &index, &mut out)?;
    assert_eq!(stream.to_vec(&out)?, [0.0, 4.0, -1.0, 3.0]);
    stream.iota(0.0, 0.5, &mut out)?;
    let mut y = stream.zeros(4)?;
    stream.mul(&x, &out, &mut y)?;
    assert_eq!(stream.to_vec(&y)?, [0.0, -0.5, 4.0, 0.0]);

    stream.exp(&x, &mut out)?;
    stream.log1p_assign(&mut out)?;
    let softplus = stream.to_vec(&out)?;
    assert_eq!(softplus[3], std::f32::consts::LN_2);
    assert!((softplus[0] - 3.048_587_4).abs() < 1e-6, "{softplus:?}");
    stream.rsqrt(&x, &mut y)?;
    assert_eq!(stream.to_vec(&y)?[2..], [0.5, f32::INFINITY]);
    stream.pow(&x, &0.5, &mut out)?;
    assert_eq!(stream.to_vec(&out)?[2..], [2.0, 0.0]);

    // Keys that agree in their lowest byte keep their order.
    let mut keys = stream.from_slice(&[0x101_u32, 0x002, 0x001])?;
    let mut values = stream.from_slice(&['a', 'b', 'c'].map(u32::from))?;
    stream.sort_pairs_with(SortOptions::new().descending().bits(0..8), &mut keys, &mut values)?;
    assert_eq!(stream.to_vec(&values)?, ['b', 'a', 'c'].map(u32::from));
    let mut keys = stream.from_slice(&[2_u32, 0, 2])?;
    let mut counts = stream.zeros(3)?;
    stream.histogram(&keys, &mut counts)?;
    assert_eq!(stream.to_vec(&counts)?, [1, 0, 2]);

    let mut generator = Philox::new(42);
    stream.random(&mut generator, &mut out)?;
    let first = stream.to_vec(&out)?;
    assert!(first.iter().all(|x| (0.0..1.0).contains(x)));
    generator.skip(1000);
    stream.random(&mut generator, &mut out)?;
    assert_ne!(stream.to_vec(&out)?, first);
    // The same seed, and integers of any value.
    stream.random(&mut Philox::new(42), &mut out)?;
    assert_eq!(stream.to_vec(&out)?, first);
    stream.normal(&mut generator, 0.0, 1.0, &mut out)?;
    assert!(stream.to_vec(&out)?.iter().any(|x| *x < 0.0 || *x > 1.0));
    stream.random(&mut generator, &mut keys)?;
    assert!(stream.to_vec(&keys)?.iter().any(|&key| key > u32::MAX / 1024));
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
