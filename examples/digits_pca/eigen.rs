//! Eigenvalues of small symmetric matrices, on the host.

/// The eigenvalues of a symmetric matrix, the largest first, and its eigenvectors.
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    /// Orthonormal, one after the other, in the order of the values.
    pub(crate) vectors: Vec<f64>,
}

/// Jacobi converges quadratically: from any matrix of a size that is sensible here it takes fewer than ten sweeps.
const SWEEPS: usize = 30;

/// Decomposes the symmetric `n × n` matrix `a`, by the cyclic Jacobi method (Golub and Van Loan, Matrix Computations,
/// 4th ed., §8.5).
///
/// Each rotation makes one element beside the diagonal zero; the rotations together are the eigenvectors.
pub(crate) fn symmetric(mut a: Vec<f64>, n: usize) -> Eigen {
    let at = |row: usize, col: usize| row + n * col;
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[at(i, i)] = 1.0);
    // Below the rounding of the largest element nothing is left to gain.
    let negligible = f64::EPSILON / 2.0 * a.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));

    for _ in 0..SWEEPS {
        let mut rotated = false;
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let apq = a[at(p, q)];
            if apq.abs() <= negligible {
                continue;
            }
            rotated = true;
            // The smaller of the two angles for which the rotated element is zero.
            let tau = (a[at(q, q)] - a[at(p, p)]) / (2.0 * apq);
            let tan = 1f64.copysign(tau) / (tau.abs() + tau.hypot(1.0));
            let cos = 1.0 / tan.hypot(1.0);
            let rotate = |m: &mut [f64], i: usize, j: usize| {
                (m[i], m[j]) = (cos * m[i] - tan * cos * m[j], tan * cos * m[i] + cos * m[j]);
            };
            for k in 0..n {
                rotate(&mut a, at(k, p), at(k, q));
                rotate(&mut vectors, at(k, p), at(k, q));
            }
            for k in 0..n {
                rotate(&mut a, at(p, k), at(q, k));
            }
            (a[at(p, q)], a[at(q, p)]) = (0.0, 0.0);
        }
        if !rotated {
            break;
        }
    }

    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[at(j, j)].total_cmp(&a[at(i, i)]));
    Eigen {
        values: order.iter().map(|&i| a[at(i, i)]).collect(),
        vectors: order.iter().flat_map(|&i| vectors[at(0, i)..at(0, i + 1)].to_vec()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ‖A·V − V·Λ‖ and ‖Vᵀ·V − 1‖, element by element, and the order of the values.
    fn assert_decomposes(a: &[f64], n: usize) {
        let Eigen { values, vectors } = symmetric(a.to_vec(), n);
        let scale = a.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        assert!(values.is_sorted_by(|x, y| x >= y), "{values:?}");
        for (i, v) in vectors.chunks_exact(n).enumerate() {
            for row in 0..n {
                let av: f64 = (0..n).map(|k| a[row + n * k] * v[k]).sum();
                assert!((av - values[i] * v[row]).abs() <= 1e-14 * n as f64 * scale, "vector {i}, row {row}");
            }
            for (j, w) in vectors.chunks_exact(n).enumerate() {
                let dot: f64 = v.iter().zip(w).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() <= 1e-14 * n as f64, "vectors {i} and {j}");
            }
        }
    }

    /// The second-difference matrix, whose eigenvalues are known: 2 − 2·cos(kπ/(n + 1)).
    #[test]
    fn second_difference() {
        for n in [1, 2, 3, 8, 15] {
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                a[i + n * i] = 2.0;
                if i + 1 < n {
                    (a[i + n * (i + 1)], a[i + 1 + n * i]) = (-1.0, -1.0);
                }
            }
            assert_decomposes(&a, n);
            for (k, value) in symmetric(a, n).values.iter().rev().enumerate() {
                let exact = 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64).cos();
                assert!((value - exact).abs() < 1e-14, "n = {n}: {value} for {exact}");
            }
        }
    }

    /// Full, equal, zero, negative, huge and tiny matrices; one of rank one; none at all.
    #[test]
    fn awkward_matrices() {
        let full: Vec<f64> = (0..64).map(|k| (((k / 8) * (k % 8) + k / 8 + k % 8) as f64).sin()).collect();
        for scale in [1.0, -3.0, 0.0, 1e150, 1e-150] {
            assert_decomposes(&full.iter().map(|x| x * scale).collect::<Vec<_>>(), 8);
        }
        assert_decomposes(&[1.0; 25], 5);
        assert_decomposes(&[3.0, 0.0, 0.0, 3.0], 2);
        assert!(symmetric(Vec::new(), 0).values.is_empty());
    }

    /// NaN ends; the values say so.
    #[test]
    fn nan_ends() {
        assert!(symmetric(vec![f64::NAN; 9], 3).values.iter().any(|x| x.is_nan()));
    }
}
