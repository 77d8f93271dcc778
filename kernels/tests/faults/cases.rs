//! What is run of each text: operations that come to every place in it, small ones, on a device so small that its blocks have several
//! rounds to do.

use crate::common::{Array, Host};
use crate::samples::{Random, Sample, bits, sample};
use warpwave_core::operation::{
    ArgOp, Axis, Gemm, Gemv, LayerNorm, Layout, MatrixOperand, Sort, TriangularMatrix, TriangularProduct,
};
use warpwave_core::{Diag, Element, Op, Operation, Precision, ReduceOp, Result, ScalarValue, Side, Uplo};
use warpwave_kernels::launch::{Arg, Plan, Properties, plan};

/// Runs an operation, in an order by the seed; gives the bytes that it has written.
pub(crate) type Case = fn(&Host, u64) -> Result<Vec<u8>>;

/// The cases of a text.
pub(crate) fn cases(text: &str) -> Vec<Case> {
    match text {
        "arg" => vec![
            |host, seed| arg(host, seed, Axis::Rows, [400, 9]),
            |host, seed| arg(host, seed, Axis::Cols, [30, 50]),
            |host, seed| arg(host, seed, Axis::Cols, [2000, 9]),
            |host, seed| arg(host, seed, Axis::Rows, [40, 300]),
            |host, seed| arg(host, seed, Axis::Whole, [70_000, 1]),
        ],
        "compact" => vec![
            compact,
            |host, seed| look_back(host, seed, 0),
            |host, seed| look_back(host, seed, 10),
            |host, seed| look_back(host, seed, 50),
        ],
        "dot" => vec![dot, zeros, |host, seed| norm(host, seed, false), |host, seed| norm(host, seed, true)],
        "gemm" => vec![
            |host, seed| gemm(host, seed, [130, 70, 40]),
            |host, seed| gemm(host, seed, [37, 21, 33]),
            |host, seed| triangular(host, seed, true, Layout::ColumnMajor, [100, 40]),
            |host, seed| triangular(host, seed, false, Layout::ColumnMajor, [100, 40]),
        ],
        "gemv" => vec![
            |host, seed| gemv(host, seed, Layout::RowMajor, [40, 300]),
            |host, seed| gemv(host, seed, Layout::ColumnMajor, [300, 90]),
            |host, seed| gemv(host, seed, Layout::RowMajor, [5, 9000]),
            |host, seed| gemv(host, seed, Layout::ColumnMajor, [70, 1100]),
        ],
        "histogram" => {
            vec![|host, seed| histogram(host, seed, 50), |host, seed| histogram(host, seed, 1), |host, seed| {
                histogram(host, seed, 0)
            }]
        }
        "iamax" => vec![iamax],
        "normalize" => vec![
            // Groups of 8, 32, 64, 128 and 256 threads, the last with warps that have nothing to join.
            |host, seed| softmax(host, seed, Axis::Rows, Layout::RowMajor, [70, 30]),
            |host, seed| softmax(host, seed, Axis::Rows, Layout::RowMajor, [18, 120]),
            |host, seed| softmax(host, seed, Axis::Rows, Layout::RowMajor, [9, 230]),
            |host, seed| softmax(host, seed, Axis::Rows, Layout::RowMajor, [5, 300]),
            |host, seed| softmax(host, seed, Axis::Cols, Layout::ColumnMajor, [600, 6]),
            // Lines side by side, and lines of several chunks.
            |host, seed| softmax(host, seed, Axis::Cols, Layout::RowMajor, [50, 100]),
            |host, seed| softmax(host, seed, Axis::Cols, Layout::RowMajor, [8300, 2]),
            |host, seed| softmax(host, seed, Axis::Rows, Layout::RowMajor, [2, 8300]),
            |host, seed| softmax(host, seed, Axis::Whole, Layout::ColumnMajor, [20_000, 1]),
            |host, seed| layer_norm(host, seed, Axis::Rows, Layout::RowMajor, [5, 300]),
            |host, seed| layer_norm(host, seed, Axis::Cols, Layout::ColumnMajor, [600, 6]),
            |host, seed| layer_norm(host, seed, Axis::Cols, Layout::RowMajor, [50, 100]),
            |host, seed| layer_norm(host, seed, Axis::Rows, Layout::ColumnMajor, [2, 8300]),
            |host, seed| layer_norm(host, seed, Axis::Whole, Layout::ColumnMajor, [20_000, 1]),
        ],
        "reduce" => vec![
            |host, seed| reduce(host, seed, Axis::Rows, [400, 9]),
            |host, seed| reduce(host, seed, Axis::Cols, [30, 50]),
            |host, seed| reduce(host, seed, Axis::Cols, [1500, 9]),
            |host, seed| reduce(host, seed, Axis::Cols, [500, 13]),
            |host, seed| reduce_zeros(host, seed, 700),
            |host, seed| reduce_zeros(host, seed, 530),
            |host, seed| reduce(host, seed, Axis::Whole, [530, 1]),
            |host, seed| reduce(host, seed, Axis::Rows, [40, 300]),
            |host, seed| reduce(host, seed, Axis::Whole, [40_000, 1]),
            count,
        ],
        "scan" => vec![|host, seed| scan(host, seed, false, 4096 * 4 + 100), |host, seed| {
            scan(host, seed, true, 4096 * 33 + 100)
        }],
        "sort" => vec![
            |host, seed| sort(host, seed, |i, random| random as u32 + i, 14_000, false),
            |host, seed| sort(host, seed, |_, random| random as u32 % 5, 9_000, true),
            // The same digits in whole warps, and in halves of warps.
            |host, seed| sort(host, seed, |i, _| i / 64 % 7 * 37, 7_000, false),
            |host, seed| sort(host, seed, |i, _| i / 16 % 3 * 37, 7_000, false),
        ],
        "transpose" => vec![transpose],
        "trsm" => vec![|host, seed| triangular(host, seed, true, Layout::RowMajor, [20, 300])],
        "trsv" => vec![trsv],
        _ => Vec::new(),
    }
}

fn plan_of(host: &Host, operation: &Operation) -> Result<Plan> {
    plan(operation, &Properties::new(host.warp, 1, 512, 48 << 10))
}

fn run(host: &Host, operation: &Operation, seed: u64) -> Result<()> {
    host.run(&plan_of(host, operation)?, seed)
}

/// The same with two blocks in all, where kernels go through the rest in strides of the grid.
fn run_few(host: &Host, operation: &Operation, seed: u64) -> Result<()> {
    let mut plan = plan_of(host, operation)?;
    for step in &mut plan.steps {
        step.grid[0] = step.grid[0].min(2);
    }
    host.run(&plan, seed)
}

/// Numbers among which no NaN makes all results the same.
fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| f32::ordinary(&mut random)).collect()
}

/// A matrix of so many rows and columns.
fn matrix<T: Element>(x: &Array<T>, [rows, cols]: [usize; 2], layout: Layout) -> MatrixOperand {
    x.matrix(0, rows, cols, if layout == Layout::ColumnMajor { rows } else { cols }, layout)
}

fn results(axis: Axis, [rows, cols]: [usize; 2]) -> usize {
    match axis {
        Axis::Rows => rows,
        Axis::Cols => cols,
        _ => 1,
    }
}

fn reduce(host: &Host, seed: u64, axis: Axis, size: [usize; 2]) -> Result<Vec<u8>> {
    let (x, out) = (Array::from(&numbers(size[0] * size[1], 1)), Array::<f32>::poisoned(results(axis, size)));
    let x = matrix(&x, size, Layout::ColumnMajor);
    run_few(host, &Operation::Reduce { op: ReduceOp::Sum, axis, x, out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

/// Zeros whose sign shows where something is added that is not there.
fn reduce_zeros(host: &Host, seed: u64, len: usize) -> Result<Vec<u8>> {
    let (x, out) = (Array::from(&vec![-0.0_f32; len]), Array::<f32>::poisoned(1));
    let x = matrix(&x, [len, 1], Layout::ColumnMajor);
    run_few(host, &Operation::Reduce { op: ReduceOp::Sum, axis: Axis::Whole, x, out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn arg(host: &Host, seed: u64, axis: Axis, size: [usize; 2]) -> Result<Vec<u8>> {
    let (x, out) = (Array::from(&numbers(size[0] * size[1], 2)), Array::<u64>::poisoned(results(axis, size)));
    let x = matrix(&x, size, Layout::ColumnMajor);
    run_few(host, &Operation::ArgReduce { op: ArgOp::Max, axis, x, out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn count(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let mask: Vec<u8> = sample(30_000, 3);
    let (mask, out) = (Array::from(&mask), Array::<u64>::poisoned(1));
    run_few(host, &Operation::Count { mask: mask.span(), out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn compact(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let len = 4096 * 5 + 100;
    let (x, mask): (Vec<u32>, Vec<u8>) = (sample(len, 4), sample(len, 5));
    let mask: Vec<u8> = mask.iter().map(|m| m & 1).collect();
    let (x, mask) = (Array::from(&x), Array::from(&mask));
    let (out, count) = (Array::<u32>::poisoned(len), Array::<u64>::poisoned(1));
    let operation = Operation::Compact { x: x.span(), mask: mask.span(), out: out.span(), count: count.span() };
    run(host, &operation, seed)?;
    Ok([bits(&out.to_vec()), bits(&count.to_vec())].concat())
}

/// The last tiles of many, as if those before them had been taken and had said how many they have selected, and `known` and the first also
/// how many there are up to them.
fn look_back(host: &Host, seed: u64, known: usize) -> Result<Vec<u8>> {
    const TILE: usize = 4096;
    let (tiles, from) = (72, 70);
    let mask: Vec<u8> = sample(TILE * tiles, 23);
    let mask: Vec<u8> = mask.iter().map(|m| m & 1).collect();
    let selected: Vec<u64> = mask.chunks(TILE).map(|tile| tile.iter().map(|&m| u64::from(m)).sum()).collect();
    let state: Vec<u64> = (0..tiles)
        .map(|tile| match tile {
            tile if tile >= from => 0,
            tile if tile == known || tile == 0 => 2 << 62 | selected[..=tile].iter().sum::<u64>(),
            tile => 1 << 62 | selected[tile],
        })
        .collect();
    let (x, mask) = (Array::<u32>::zeros(TILE * tiles), Array::from(&mask));
    let (out, count) = (Array::<u32>::zeros(TILE * tiles), Array::<u64>::poisoned(1));
    let (ticket, state) = (Array::from(&[from as u32]), Array::from(&state));
    let operation = Operation::Compact { x: x.span(), mask: mask.span(), out: out.span(), count: count.span() };
    let mut plan = plan_of(host, &operation)?;
    let args = &mut plan.steps[0].args;
    let at = args.len() - 2;
    (args[at], args[at + 1]) = (Arg::Ptr(ticket.ptr()), Arg::Ptr(state.ptr()));
    host.run(&plan, seed)?;
    Ok(bits(&count.to_vec()))
}

fn dot(host: &Host, seed: u64) -> Result<Vec<u8>> {
    // The last lanes are some, but not all, of a warp's.
    let n = 8192 * 5 + 200;
    let (x, y, out) = (Array::from(&numbers(n, 6)), Array::from(&numbers(n, 7)), Array::<f32>::poisoned(1));
    run_few(host, &Operation::Dot { conj: false, x: x.strided(n, 1), y: y.strided(n, 1), out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

/// Zeros whose sign shows where something is added that is not there.
fn zeros(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let (x, y, out) = (Array::from(&[-0.0_f32; 200]), Array::from(&[1.0_f32; 200]), Array::<f32>::poisoned(1));
    run(host, &Operation::Dot { conj: false, x: x.strided(200, 1), y: y.strided(200, 1), out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn norm(host: &Host, seed: u64, sum: bool) -> Result<Vec<u8>> {
    let n = 700;
    let (x, out) = (Array::from(&numbers(n, 8)), Array::<f32>::poisoned(1));
    let (x, out_span) = (x.strided(n, 1), out.span());
    let operation = if sum { Operation::Asum { x, out: out_span } } else { Operation::Nrm2 { x, out: out_span } };
    run_few(host, &operation, seed)?;
    Ok(bits(&out.to_vec()))
}

fn iamax(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let mut result = Vec::new();
    // The one that it is, in each warp and at each end of a warp.
    for at in [3, 40, 77, 121, 160, 200, 231, 255, 5000] {
        let mut x: Vec<f32> = numbers(if at < 256 { 256 } else { 20_000 }, 9);
        x[at] = 100.0;
        let (x, out) = (Array::from(&x), Array::<u64>::poisoned(1));
        run_few(host, &Operation::Iamax { x: x.strided(x.len(), 1), out: out.span() }, seed)?;
        result.extend(bits(&out.to_vec()));
    }
    Ok(result)
}

/// Numbers below 0, of which each matters to a softmax, and so does a 0 where there is no element.
fn negatives(len: usize) -> Vec<f32> {
    let mut random = Random::new(24);
    (0..len).map(|_| -1.0 - random.below(4000) as f32 / 1000.0).collect()
}

fn softmax(host: &Host, seed: u64, axis: Axis, layout: Layout, size: [usize; 2]) -> Result<Vec<u8>> {
    let len = size[0] * size[1];
    let (x, out) = (Array::from(&negatives(len)), Array::<f32>::poisoned(len));
    let (from, to) = (matrix(&x, size, layout), matrix(&out, size, layout));
    run_few(host, &Operation::Softmax { log: false, axis, x: from, out: to }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn layer_norm(host: &Host, seed: u64, axis: Axis, layout: Layout, size: [usize; 2]) -> Result<Vec<u8>> {
    let len = size[0] * size[1];
    let (x, out) = (Array::from(&negatives(len)), Array::<f32>::poisoned(len));
    let each = len / results(axis, size);
    let (gamma, beta) = (Array::from(&numbers(each, 25)), Array::from(&numbers(each, 26)));
    let operation = Operation::LayerNorm(LayerNorm {
        axis,
        x: matrix(&x, size, layout),
        gamma: Some(gamma.span()),
        beta: Some(beta.span()),
        epsilon: ScalarValue::new(1e-5_f32),
        out: matrix(&out, size, layout),
    });
    run_few(host, &operation, seed)?;
    Ok(bits(&out.to_vec()))
}

fn histogram(host: &Host, seed: u64, bins: usize) -> Result<Vec<u8>> {
    let mut random = Random::new(10);
    // Without a number of bins, half a warp has the same number.
    let number = |i: u32| if bins == 0 { i / 16 % 3 } else { random.below(bins) as u32 };
    let x: Vec<u32> = (0..9000).map(number).collect();
    let (x, out) = (Array::from(&x), Array::<u64>::poisoned(50));
    run(host, &Operation::Histogram { x: x.span(), out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn scan(host: &Host, seed: u64, exclusive: bool, len: usize) -> Result<Vec<u8>> {
    let (x, out) = (Array::from(&numbers(len, 11)), Array::<f32>::poisoned(len));
    run(host, &Operation::Scan { op: ReduceOp::Sum, exclusive, x: x.span(), out: out.span() }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn sort(host: &Host, seed: u64, key: fn(u32, u64) -> u32, len: usize, pairs: bool) -> Result<Vec<u8>> {
    let mut random = Random::new(12);
    let keys: Vec<u32> = (0..len as u32).map(|i| key(i, random.next())).collect();
    let (keys, values) = (Array::from(&keys), Array::from(&(0..len as u32).collect::<Vec<_>>()));
    let values_span = pairs.then(|| values.span());
    let sort = Sort { keys: keys.span(), values: values_span, descending: pairs, first_bit: 0, end_bit: 10 };
    run(host, &Operation::Sort(sort), seed)?;
    Ok([bits(&keys.to_vec()), bits(&values.to_vec())].concat())
}

fn transpose(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let size = [200, 330];
    let (x, out) = (Array::from(&numbers(size[0] * size[1], 13)), Array::<f32>::poisoned(size[0] * size[1]));
    let (from, to) = (matrix(&x, size, Layout::ColumnMajor), matrix(&out, [size[1], size[0]], Layout::ColumnMajor));
    run_few(host, &Operation::Transpose { x: from, out: to }, seed)?;
    Ok(bits(&out.to_vec()))
}

fn gemv(host: &Host, seed: u64, layout: Layout, [m, n]: [usize; 2]) -> Result<Vec<u8>> {
    let (a, x, y) = (Array::from(&numbers(m * n, 14)), Array::from(&numbers(n, 15)), Array::from(&numbers(m, 16)));
    let operation = Operation::Gemv(Gemv {
        op: Op::N,
        alpha: ScalarValue::new(0.75_f32),
        a: matrix(&a, [m, n], layout),
        x: x.strided(n, 1),
        beta: ScalarValue::new(0.5_f32),
        y: y.strided(m, 1),
        precision: Precision::Reproducible,
    });
    run_few(host, &operation, seed)?;
    Ok(bits(&y.to_vec()))
}

fn gemm(host: &Host, seed: u64, [m, n, k]: [usize; 3]) -> Result<Vec<u8>> {
    let (a, b, c) =
        (Array::from(&numbers(m * k, 17)), Array::from(&numbers(k * n, 18)), Array::from(&numbers(m * n, 19)));
    let operation = Operation::Gemm(Gemm {
        op_a: Op::N,
        op_b: Op::N,
        alpha: ScalarValue::new(0.75_f32),
        a: matrix(&a, [m, k], Layout::ColumnMajor),
        b: matrix(&b, [k, n], Layout::ColumnMajor),
        beta: ScalarValue::new(0.5_f32),
        c: matrix(&c, [m, n], Layout::ColumnMajor),
        batch: 1,
        strides: [0; 3],
        precision: Precision::Reproducible,
    });
    run(host, &operation, seed)?;
    Ok(bits(&c.to_vec()))
}

/// A triangle whose solutions neither vanish nor overflow.
fn triangle(n: usize) -> Array<f32> {
    Array::from(&numbers(n * n, 20).iter().map(|x| x * 0.02).collect::<Vec<_>>())
}

fn triangular(host: &Host, seed: u64, solve: bool, layout: Layout, [n, sides]: [usize; 2]) -> Result<Vec<u8>> {
    let (a, b) = (triangle(n), Array::from(&numbers(n * sides, 21)));
    let product = TriangularProduct {
        side: Side::Left,
        alpha: ScalarValue::new(1.0_f32),
        a: TriangularMatrix {
            uplo: Uplo::Lower,
            op: Op::N,
            diag: Diag::Unit,
            matrix: matrix(&a, [n, n], Layout::ColumnMajor),
        },
        b: matrix(&b, [n, sides], layout),
        batch: 1,
        strides: [0; 2],
        precision: Precision::Reproducible,
    };
    // One launch that solves goes through the sides in strides.
    let run = if n <= 32 { run_few } else { run };
    run(host, &if solve { Operation::Trsm(product) } else { Operation::Trmm(product) }, seed)?;
    Ok(bits(&b.to_vec()))
}

fn trsv(host: &Host, seed: u64) -> Result<Vec<u8>> {
    let n = 300;
    let (a, x) = (triangle(n), Array::from(&numbers(n, 22)));
    let operation = Operation::Trsv {
        a: TriangularMatrix {
            uplo: Uplo::Lower,
            op: Op::N,
            diag: Diag::Unit,
            matrix: matrix(&a, [n, n], Layout::ColumnMajor),
        },
        x: x.strided(n, 1),
        precision: Precision::Reproducible,
    };
    run(host, &operation, seed)?;
    Ok(bits(&x.to_vec()))
}
