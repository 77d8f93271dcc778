//! Matrix products on parts of matrices: blocks, layouts, transposes, and beta. No view copies an element.
//!
//! `cargo run --release --example 03_gemm_with_views`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;

fn main() -> ExitCode {
    ended(warpwave::open().and_then(|device| gemm_with_views(&device)))
}

fn gemm_with_views<D: Numerics>(device: &D) -> Result<()> {
    let stream = device.default_stream();

    // Twelve numbers, seen as a 4 × 3 matrix in BLAS's own order: column by column.
    let a_host: Vec<f64> = (1..=12).map(f64::from).collect();
    let a = stream.from_slice(&a_host)?;
    let a = a.matrix(4, 3)?;
    let b_host = [1.0, 0.0, 2.0, -1.0, 3.0, 1.0];
    let b = stream.from_slice(&b_host)?;
    let b = b.matrix(3, 2)?;
    let mut c = stream.alloc::<f64>(8)?;

    // C = A·B. With beta = 0 the old C is not read, so it need not be initialised.
    stream.gemm(Op::N, Op::N, 1.0, &a, &b, 0.0, &mut c.matrix_mut(4, 2)?)?;
    let expected = product(4, 3, 2, |i, k| a_host[i + 4 * k], |k, j| b_host[k + 3 * j]);
    let product_of_all = stream.to_vec(&c)?;
    say!("A·B, column by column: {product_of_all:?}");
    assert_eq!(product_of_all, expected);

    // C = 2·A·B − C, which is A·B again: beta keeps what is there.
    stream.gemm(Op::N, Op::N, 2.0, &a, &b, -1.0, &mut c.matrix_mut(4, 2)?)?;
    assert_eq!(stream.to_vec(&c)?, expected);

    // The same memory read row by row is a 3 × 4 matrix; its transpose is A again. `transposed` turns the view around,
    // `Op::T` asks gemm to; they are the same product.
    let rows = stream.from_slice(&a_host)?;
    let rows = rows.view().matrix_with(3, 4, 4, Layout::RowMajor)?;
    stream.gemm(Op::T, Op::N, 1.0, &rows, &b, 0.0, &mut c.matrix_mut(4, 2)?)?;
    assert_eq!(stream.to_vec(&c)?, expected);
    stream.gemm(Op::N, Op::N, 1.0, &rows.transposed(), &b, 0.0, &mut c.matrix_mut(4, 2)?)?;
    assert_eq!(stream.to_vec(&c)?, expected);

    // A row-major result: operands of different layouts mix freely.
    let mut c_rows = c.view_mut().matrix_mut_with(4, 2, 2, Layout::RowMajor)?;
    stream.gemm(Op::N, Op::N, 1.0, &a, &b, 0.0, &mut c_rows)?;
    let by_rows = stream.to_vec(&c)?;
    say!("A·B, row by row:       {by_rows:?}");
    assert!((0..4).all(|i| (0..2).all(|j| by_rows[2 * i + j] == expected[i + 4 * j])));

    // Blocks: the 2 × 2 corner of a 5 × 4 matrix becomes the product of two blocks of A. The rest stays as it is,
    // and nothing outside the blocks is read: the leading dimension carries their distance in memory.
    let mut big = stream.alloc::<f64>(20)?;
    stream.fill(&mut big, 9.0)?;
    let mut big_matrix = big.matrix_mut(5, 4)?;
    let mut corner = big_matrix.block_mut(3, 2, 2, 2)?;
    stream.gemm(Op::T, Op::N, 1.0, &a.block(1, 0, 3, 2)?, &a.block(0, 1, 3, 2)?, 0.0, &mut corner)?;
    let expected = product(2, 3, 2, |i, k| a_host[1 + k + 4 * i], |k, j| a_host[k + 4 * (1 + j)]);
    let big = stream.to_vec(&big)?;
    say!("a block of a 5 × 4 matrix:");
    for row in 0..5 {
        say!("  {:?}", (0..4).map(|col| big[row + 5 * col]).collect::<Vec<_>>());
    }
    for (row, col) in (0..5).flat_map(|row| (0..4).map(move |col| (row, col))) {
        let want = if row >= 3 && col >= 2 { expected[(row - 3) + 2 * (col - 2)] } else { 9.0 };
        assert_eq!(big[row + 5 * col], want, "element ({row}, {col})");
    }
    Ok(())
}

/// The `m × n` product over `k`, column-major, by the definition. All the numbers here are small and whole: exact in
/// any order.
fn product(m: usize, k: usize, n: usize, a: impl Fn(usize, usize) -> f64, b: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut c = vec![0.0; m * n];
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        c[i + m * j] = (0..k).map(|l| a(i, l) * b(l, j)).sum();
    }
    c
}
