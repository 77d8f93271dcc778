//! Principal component analysis by block power iteration, on any device.

use super::eigen;
use super::table::Table;
use std::error::Error;
use warpwave::Result;
use warpwave::prelude::*;

/// The leading principal components of a table.
#[derive(Debug)]
pub(crate) struct Pca {
    /// The variance along each component, the largest first: the leading eigenvalues of the covariance matrix.
    pub(crate) variances: Vec<f64>,
    /// The variance of all columns together: the trace of the covariance matrix.
    pub(crate) total_variance: f64,
    /// The components, one after the other: orthonormal, each with its largest element positive.
    pub(crate) components: Vec<f64>,
    /// Each row's coordinates along the first two components, relative to the mean.
    pub(crate) scores: Vec<[f64; 2]>,
    /// Steps of the iteration.
    pub(crate) iterations: usize,
}

impl Pca {
    /// The part of the total variance that each component explains.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = f64> {
        self.variances.iter().map(|variance| variance / self.total_variance)
    }
}

/// Columns that are iterated beside those that are asked for. The error shrinks at each step by the ratio of the first
/// eigenvalue outside the block to the last one asked for, so a few more columns save many steps.
const SPARE: usize = 4;

/// When ‖C·v − λ·v‖ is below this part of the largest eigenvalue, the iteration ends. Eigenvalues are as exact as its
/// square.
const TOLERANCE: f64 = 1e-10;

const MAX_ITERATIONS: usize = 10_000;

/// The `count` leading components of a table with at least two rows and columns, or as many as it has columns.
///
/// # Errors
/// If there is no variance to explain; if it is too large for an f64; if the iteration does not
/// converge; and those of the device.
pub(crate) fn pca<D: Numerics>(device: &D, table: &Table, count: usize) -> std::result::Result<Pca, Box<dyn Error>> {
    let stream = device.default_stream();
    let (rows, cols) = (table.rows(), table.cols);
    // Asked of the data itself: a mean that had to be rounded leaves a variance that is tiny, but not zero.
    let same = table.values.chunks_exact(cols).all(|row| row == &table.values[..cols]);
    let mut x = stream.from_slice(&table.values)?;
    centre(device, &mut x, rows, cols)?;
    let x = x.view().matrix_with(rows, cols, cols, Layout::RowMajor)?;

    // C = Xᵀ·X / (n − 1)
    let mut covariance = stream.alloc::<f64>(cols * cols)?;
    let scale = 1.0 / (rows as f64 - 1.0);
    stream.gemm(Op::T, Op::N, scale, &x, &x, 0.0, &mut covariance.matrix_mut(cols, cols)?)?;

    // The diagonal is a vector with an increment; variances are not negative, so their sum is BLAS's asum.
    let total_variance = stream.asum(&Vector::new(&covariance, cols, cols as isize + 1)?)?;
    if !total_variance.is_finite() {
        return Err("the variance of the data is too large for a 64-bit number".into());
    }
    if same || total_variance < f64::MIN_POSITIVE {
        return Err(
            "there is no variance to explain: all rows are the same, or differ by too little for a 64-bit number"
                .into(),
        );
    }

    let leading = leading_eigenvectors(device, &covariance, cols, count.min(cols), total_variance)?;
    let Some(Leading { values: variances, mut vectors, iterations }) = leading else {
        return Err(format!("the power iteration did not converge in {MAX_ITERATIONS} steps").into());
    };
    fix_signs(device, &mut vectors, cols)?;

    // Row-major scores, so that each row's pair lies together on the host.
    let mut scores = stream.alloc::<f64>(rows * 2)?;
    let mut by_rows = scores.view_mut().matrix_mut_with(rows, 2, 2, Layout::RowMajor)?;
    stream.gemm(Op::N, Op::N, 1.0, &x, &vectors.matrix(cols, 2)?, 0.0, &mut by_rows)?;
    let scores = stream.to_vec(&scores)?.as_chunks().0.to_vec();
    Ok(Pca { variances, total_variance, components: stream.to_vec(&vectors)?, scores, iterations })
}

/// Subtracts from each column of the row-major `x` its mean: `x −= 1·meanᵀ`.
fn centre<D: Numerics>(device: &D, x: &mut D::Buffer<f64>, rows: usize, cols: usize) -> Result<()> {
    let stream = device.default_stream();
    let mut mean = stream.alloc::<f64>(cols)?;
    stream.sum_cols(&x.view().matrix_with(rows, cols, cols, Layout::RowMajor)?, &mut mean)?;
    stream.div_assign(&mut mean, &(rows as f64))?;
    let mut ones = stream.alloc::<f64>(rows)?;
    stream.fill(&mut ones, 1.0)?;
    stream.ger(-1.0, &ones, &mean, &mut x.view_mut().matrix_mut_with(rows, cols, cols, Layout::RowMajor)?)
}

/// What the iteration ends with.
struct Leading<D: Numerics> {
    values: Vec<f64>,
    /// One after the other, orthonormal.
    vectors: D::Buffer<f64>,
    iterations: usize,
}

/// The `count` largest eigenvalues of the covariance matrix `c` (`n × n`, with trace `trace`) and their eigenvectors,
/// by block power iteration with Rayleigh–Ritz projection (Saad, Numerical Methods for Large Eigenvalue Problems, 2nd
/// ed., §5.2). `None` if it does not converge.
fn leading_eigenvectors<D: Numerics>(
    device: &D,
    c: &D::Buffer<f64>,
    n: usize,
    count: usize,
    trace: f64,
) -> Result<Option<Leading<D>>> {
    let stream = device.default_stream();
    let block = (count + SPARE).min(n);
    // Iterating with C + shift·1, which has the same eigenvectors, keeps the block's columns independent even where C
    // has no further directions. So small a shift costs no steps.
    let shift = 1e-6 * trace;

    // Any start will do that is not orthogonal to what is looked for; this one is the same on every run.
    let start: Vec<f64> = (0..n * block).map(|i| ((i * i) as f64).sin()).collect();
    let mut next = stream.from_slice(&start)?;
    let (mut q, mut cq) = (stream.alloc::<f64>(n * block)?, stream.alloc::<f64>(n * block)?);
    let mut ritz = stream.alloc::<f64>(n * block)?;
    let mut residual = stream.alloc::<f64>(n * count)?;
    let mut projected = stream.alloc::<f64>(block * block)?;

    for iterations in 1..=MAX_ITERATIONS {
        std::mem::swap(&mut q, &mut next);
        orthonormalise(device, &mut q, n, block)?;

        // Rayleigh–Ritz: C seen from inside the block, QᵀCQ, is small enough to be solved on the host.
        let (c, basis) = (c.matrix(n, n)?, q.matrix(n, block)?);
        stream.gemm(Op::N, Op::N, 1.0, &c, &basis, 0.0, &mut cq.matrix_mut(n, block)?)?;
        let image = cq.matrix(n, block)?;
        stream.gemm(Op::T, Op::N, 1.0, &basis, &image, 0.0, &mut projected.matrix_mut(block, block)?)?;
        let small = eigen::symmetric(stream.to_vec(&projected)?, block);

        // Its eigenvectors rotate the basis to the best approximations in the block, V, and CQ to C·V.
        let rotation = stream.from_slice(&small.vectors)?;
        let rotation = rotation.matrix(block, block)?;
        stream.gemm(Op::N, Op::N, 1.0, &basis, &rotation, 0.0, &mut ritz.matrix_mut(n, block)?)?;
        stream.gemm(Op::N, Op::N, 1.0, &image, &rotation, 0.0, &mut next.matrix_mut(n, block)?)?;

        // ‖C·v − λ·v‖ over the vectors that are asked for.
        stream.copy(&next.slice(..n * count)?, &mut residual)?;
        for (j, &value) in small.values[..count].iter().enumerate() {
            let column = j * n..(j + 1) * n;
            stream.axpy(-value, &ritz.slice(column.clone())?, &mut residual.slice_mut(column)?)?;
        }
        if stream.nrm2(&residual)? <= TOLERANCE * small.values[0] {
            let mut vectors = stream.alloc::<f64>(n * count)?;
            stream.copy(&ritz.slice(..n * count)?, &mut vectors)?;
            return Ok(Some(Leading { values: small.values[..count].to_vec(), vectors, iterations }));
        }
        stream.axpy(shift, &ritz, &mut next)?;
    }
    Ok(None)
}

/// Makes the `block` columns of `q`, each `n` long, orthonormal: Gram–Schmidt, twice, because once leaves errors as
/// large as the columns are nearly dependent (Giraud, Langou, Rozložník, Computers & Mathematics with Applications 50,
/// 2005).
fn orthonormalise<D: Numerics>(device: &D, q: &mut D::Buffer<f64>, n: usize, block: usize) -> Result<()> {
    let stream = device.default_stream();
    let mut overlap = stream.alloc::<f64>(block)?;
    for j in 0..block {
        let (before, mut rest) = q.split_at_mut(j * n)?;
        let before = before.view().matrix(n, j)?;
        let mut column = rest.slice_mut(..n)?;
        for _ in 0..2 {
            let mut overlap = overlap.slice_mut(..j)?;
            stream.gemv(Op::T, 1.0, &before, &column, 0.0, &mut overlap)?;
            stream.gemv(Op::N, -1.0, &before, &overlap, 1.0, &mut column)?;
        }
        let norm = stream.nrm2(&column)?;
        stream.div_assign(&mut column, &norm)?;
    }
    Ok(())
}

/// An eigenvector's sign is arbitrary. Here its largest element is positive, the first of equals.
fn fix_signs<D: Numerics>(device: &D, vectors: &mut D::Buffer<f64>, n: usize) -> Result<()> {
    let stream = device.default_stream();
    for start in (0..vectors.len()).step_by(n) {
        let mut vector = vectors.slice_mut(start..start + n)?;
        if let Some(largest) = stream.iamax(&vector)? {
            let mut element = [0.0];
            stream.read(&vector.view().slice(largest..=largest)?, &mut element)?;
            if element[0] < 0.0 {
                stream.scal(-1.0, &mut vector)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use warpwave::{CpuBackend, CpuDevice};

    fn solve(table: &Table, count: usize) -> Pca {
        pca(&warpwave::open_named("cpu").unwrap(), table, count).unwrap()
    }

    fn table(cols: usize, values: &[f64]) -> Table {
        Table { values: values.to_vec(), cols, digits: vec![0; values.len() / cols] }
    }

    /// The published results for the digits, on both kinds of CPU device.
    #[test]
    fn digits() {
        let variances =
            [179.00693009797203, 163.71774688167744, 141.78843909228397, 101.10037520284787, 69.51316559098744];
        let ratios = [0.14890593584, 0.13618771240, 0.11794593764];
        let table = Table::read(None).unwrap();
        let asynchronous = CpuDevice::new(CpuBackend::asynchronous()).unwrap();
        for pca in [solve(&table, 5), pca(&asynchronous, &table, 5).unwrap()] {
            assert!((pca.total_variance - 1202.1477121607033).abs() < 1e-9, "{}", pca.total_variance);
            assert_eq!(pca.variances.len(), 5);
            for (got, want) in pca.variances.iter().zip(variances) {
                assert!((got - want).abs() < 1e-9, "{got} for {want}");
            }
            for (got, want) in pca.ratios().zip(ratios) {
                assert!((got - want).abs() < 1e-11, "{got} for {want}");
            }
        }
    }

    /// Components are orthonormal with the sign that is promised; scores have mean 0, the variances that were
    /// computed, and no correlation. None of this uses the covariance matrix.
    #[test]
    fn scores_have_the_variances() {
        let table = Table::read(None).unwrap();
        let pca = solve(&table, 5);
        let vectors: Vec<&[f64]> = pca.components.chunks_exact(64).collect();
        for (i, v) in vectors.iter().enumerate() {
            for (j, w) in vectors.iter().enumerate() {
                let dot: f64 = v.iter().zip(*w).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-12, "components {i} and {j}");
            }
            assert!(v.iter().all(|x| x.abs() <= v.iter().copied().fold(0.0, f64::max)), "sign of component {i}");
        }
        let n = table.rows() as f64;
        let moment = |f: &dyn Fn(&[f64; 2]) -> f64| pca.scores.iter().map(f).sum::<f64>();
        assert!(moment(&|s| s[0]).abs() / n < 1e-12 && moment(&|s| s[1]).abs() / n < 1e-12);
        for i in 0..2 {
            let variance = moment(&|s| s[i] * s[i]) / (n - 1.0);
            assert!((variance / pca.variances[i] - 1.0).abs() < 1e-12, "component {i}");
        }
        assert!((moment(&|s| s[0] * s[1]) / (n - 1.0)).abs() < 1e-8);
    }

    /// Points on a line: one component explains all, and the others, of variance 0, are still orthonormal.
    #[test]
    fn rank_one() {
        let pca = solve(&table(3, &[1.0, 2.0, -2.0, 2.0, 4.0, -4.0, 4.0, 8.0, -8.0]), 5);
        // The line has direction (1, 2, −2)/3; along it the points are at 3, 6 and 12, of variance 21.
        assert_eq!(pca.variances.len(), 3);
        assert!((pca.variances[0] - 21.0).abs() < 1e-13 && (pca.total_variance - 21.0).abs() < 1e-13);
        assert!(pca.variances[1..].iter().all(|v| v.abs() < 1e-13), "{:?}", pca.variances);
        for (got, want) in pca.components.iter().zip([1.0f64 / 3.0, 2.0 / 3.0, -2.0 / 3.0]) {
            assert!((got.abs() - want.abs()).abs() < 1e-12, "{:?}", pca.components);
        }
        let dot: f64 = (0..3).map(|i| pca.components[i] * pca.components[3 + i]).sum();
        assert!(dot.abs() < 1e-14);
    }

    /// Two rows, and columns of which most are constant.
    #[test]
    fn fewest_rows() {
        let mut values = vec![5.0; 40];
        (values[3], values[23]) = (-1.0, 1.0);
        let pca = solve(&table(20, &values), 5);
        assert!((pca.variances[0] - 2.0).abs() < 1e-14, "{:?}", pca.variances);
        assert!((pca.components[3] - 1.0).abs() < 1e-14);
    }

    /// Equal eigenvalues, where single vectors are arbitrary and their space is not.
    #[test]
    fn equal_variances() {
        let pca = solve(&table(2, &[1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0]), 2);
        assert!(pca.variances.iter().all(|v| (v - 2.0 / 3.0).abs() < 1e-14), "{:?}", pca.variances);
    }

    /// Data without variance, and with one that is no f64, are errors.
    #[test]
    fn no_answer() {
        let device = warpwave::open_named("cpu").unwrap();
        let error = |values: &[f64]| pca(&device, &table(2, values), 2).unwrap_err().to_string();
        assert!(error(&[1.0, 2.0, 1.0, 2.0]).contains("all rows are the same"));
        assert!(error(&[0.1, 0.7, 0.1, 0.7, 0.1, 0.7]).contains("all rows are the same"));
        assert!(error(&[1e-200, 0.0, 0.0, 1e-200]).contains("differ by too little"));
        assert!(error(&[1e200, 0.0, -1e200, 1.0]).contains("too large"));
        assert!(error(&[1e308, 0.0, 1e308, 1.0]).contains("too large"));
    }
}
