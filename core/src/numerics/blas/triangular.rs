//! Matrices of which one triangle is stored: symmetric, Hermitian and triangular ones.
//!
//! The triangle is that of the matrix as it is written down, rows and columns, whatever its layout in memory. Elements outside it,
//! and the diagonal of a matrix whose diagonal is [`Unit`](crate::Diag::Unit), are neither read nor written.
//!
//! # Symmetric and Hermitian matrices
//! The missing triangle is the stored one mirrored, and conjugated in a Hermitian matrix, whose diagonal is real: the imaginary
//! parts that are stored there are not read, and those that are written are +0. With [`Precision::Reproducible`](crate::Precision):
//!
//! | routine | result |
//! |---|---|
//! | `symv`, `hemv` | [`gemv`](super::gemv) of the full matrix |
//! | `symm`, `hemm` | [`gemm`](super::gemm) of the full matrix |
//! | `syrk` | [`gemm`](super::gemm) of `op(a)` and its transpose, on one triangle |
//! | `herk` | the same with the conjugate transpose; `alpha` and `beta` are real: [`herk`] |
//!
//! # Triangular matrices
//! | routine | result, with `Precision::Reproducible` |
//! |---|---|
//! | `trmv` | [`dot`](super::dot) of the part of a row of `op(a)` inside the triangle, and the elements of `x` that it meets |
//! | `trmm` | [`gemm`](super::gemm) with `beta = 0` over the part inside the triangle, in ascending `k`, the left factor first |
//! | `trsv`, `trsm` | [`solve`] |
//!
//! A diagonal of ones is multiplied like any other. `alpha = 0` makes the result of `trmm` and `trsm` +0, and reads neither matrix.
//! A zero on the diagonal is divided by as IEEE 754 says; nothing looks for one.
//!
//! With [`Strict`](crate::Precision::Strict) and `Fast`, products are within the bound of [`Bound::Dot`](crate::numerics::contract::Bound)
//! and solutions within that of `Backward`.

use super::ScalarArithmetic;
use crate::numerics::Numeric;
use crate::operation::{Diag, Op, Uplo};

/// Whether element (`i`, `j`) lies in the triangle, the diagonal included.
pub fn stored(uplo: Uplo, i: usize, j: usize) -> bool {
    match uplo {
        Uplo::Lower => j <= i,
        Uplo::Upper => i <= j,
    }
}

/// Element (`i`, `j`) of a symmetric matrix; `at` is called for a stored one.
pub fn symmetric<T>(uplo: Uplo, i: usize, j: usize, at: impl Fn(usize, usize) -> T) -> T {
    if stored(uplo, i, j) { at(i, j) } else { at(j, i) }
}

/// Element (`i`, `j`) of a Hermitian matrix; `at` is called for a stored one.
pub fn hermitian<T: ScalarArithmetic>(uplo: Uplo, i: usize, j: usize, at: impl Fn(usize, usize) -> T) -> T {
    if i == j {
        at(i, j).real()
    } else if stored(uplo, i, j) {
        at(i, j)
    } else {
        at(j, i).conj()
    }
}

/// The triangle that `op(a)` has.
pub fn transposed(uplo: Uplo, op: Op) -> Uplo {
    match (op, uplo) {
        (Op::N, uplo) => uplo,
        (Op::T | Op::C, Uplo::Lower) => Uplo::Upper,
        (Op::T | Op::C, Uplo::Upper) => Uplo::Lower,
    }
}

/// Element (`i`, `j`) of `op(a)`, which lies inside the triangle; `at` is called for a stored one, and not on a diagonal of ones.
pub fn triangular<T: ScalarArithmetic>(diag: Diag, op: Op, i: usize, j: usize, at: impl Fn(usize, usize) -> T) -> T {
    match op {
        _ if i == j && diag == Diag::Unit => T::ONE,
        Op::N => at(i, j),
        Op::T => at(j, i),
        Op::C => at(j, i).conj(),
    }
}

/// One element of `a + alpha · x · conj(x)ᵀ` with a real `alpha`: `alpha · conj(xⱼ)` is rounded by components, then multiplied by `xᵢ`
/// and added to `a`, fused. On the diagonal the imaginary part of `a` is not read, and that of the result is +0. `a` itself with
/// `alpha = 0`.
pub fn her<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    alpha: T::Magnitude,
    x_i: T,
    x_j: T,
    a: T,
    diagonal: bool,
) -> T {
    if alpha == T::Magnitude::ZERO {
        return a;
    }
    let a = if diagonal { a.real() } else { a };
    let sum = T::mul_add(T::scale(alpha, x_j.conj()), x_i, a).canonical();
    if diagonal { sum.real() } else { sum }
}

/// One element of `alpha · A · Aᴴ + beta · C` with real `alpha` and `beta`: `left(k)` and `right(k)` are the factors, `right`
/// conjugated already, `len` the dimension that is summed over. The sum is that of [`gemm`](super::gemm); `alpha · sum` is rounded by
/// components, or fused with the rounded `beta · c`. On the diagonal the imaginary part of `c` is not read, and that of the result is +0.
pub fn herk<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    len: usize,
    alpha: T::Magnitude,
    left: impl Fn(usize) -> T,
    right: impl Fn(usize) -> T,
    beta: T::Magnitude,
    c: T,
    diagonal: bool,
) -> T {
    if len == 0 || alpha == T::Magnitude::ZERO {
        return herk_scale(beta, c, diagonal);
    }
    let sum = (0..len).fold(T::ZERO, |acc, k| T::mul_add(left(k), right(k), acc));
    herk_update(alpha, sum, beta, c, diagonal)
}

/// How [`herk`] ends.
#[inline(always)]
pub fn herk_update<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    alpha: T::Magnitude,
    sum: T,
    beta: T::Magnitude,
    c: T,
    diagonal: bool,
) -> T {
    let c = if diagonal { c.real() } else { c };
    let end = match beta == T::Magnitude::ZERO {
        true => T::scale(alpha, sum),
        false => T::scale_add(alpha, sum, T::scale(beta, c)),
    };
    if diagonal { end.canonical().real() } else { end.canonical() }
}

/// The result of [`herk`] with `alpha = 0`, or with nothing to sum over.
#[inline(always)]
pub fn herk_scale<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(beta: T::Magnitude, c: T, diagonal: bool) -> T {
    let c = if diagonal { c.real() } else { c };
    let result = match beta {
        _ if beta == T::Magnitude::ZERO => T::ZERO,
        _ if beta == T::Magnitude::ONE => c,
        _ => T::scale(beta, c).canonical(),
    };
    // A negative `beta` makes the imaginary part −0.
    if diagonal { result.real() } else { result }
}

/// Solves `T · x = alpha · b` for one right-hand side, in place, where `T` has `n` rows and the triangle `uplo`.
///
/// Rows go downwards for a lower triangle, upwards for an upper one. The chain of row `i` starts at `alpha · bᵢ`, rounded (`bᵢ` itself
/// with `alpha = 1`), takes every `k` solved before it in the order of its solution as `mul_add(−tᵢₖ, xₖ, acc)`, and is divided by
/// `tᵢᵢ`, unless the diagonal is one of ones. `t(i, k)` is called inside the triangle alone, and not with `alpha = 0`, where `x` is +0.
///
/// For `X · T = alpha · B`, `T` here is the transpose, and a row of `B` the right-hand side.
pub fn solve<T: ScalarArithmetic>(uplo: Uplo, diag: Diag, alpha: T, t: impl Fn(usize, usize) -> T, x: &mut [T]) {
    if alpha == T::ZERO {
        x.fill(T::ZERO);
        return;
    }
    let n = x.len();
    let row = |step: usize| if uplo == Uplo::Lower { step } else { n - 1 - step };
    for step in 0..n {
        let i = row(step);
        let start = if alpha == T::ONE { x[i] } else { Numeric::mul(alpha, x[i]) };
        let sum = (0..step).map(row).fold(start, |acc, k| T::mul_add(T::negate(t(i, k)), x[k], acc));
        x[i] = if diag == Diag::Unit { sum } else { T::divide(sum, t(i, i)) }.canonical();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::element::{Complex, Complex32, Complex64};

    /// Solving undoes multiplying, for exact numbers, in both triangles, and reads nothing outside.
    #[test]
    fn solve_is_the_inverse_of_multiply() {
        for uplo in [Uplo::Lower, Uplo::Upper] {
            for diag in [Diag::Unit, Diag::NonUnit] {
                let t = |i: usize, j: usize| {
                    assert!(stored(uplo, i, j) && (i != j || diag == Diag::NonUnit), "({i}, {j})");
                    if i == j { 2.0 } else { (i as f64) - 2.0 * (j as f64) }
                };
                let full = |i, j| if stored(uplo, i, j) { triangular(diag, Op::N, i, j, t) } else { 0.0 };
                let x: Vec<f64> = (0..7).map(|i| f64::from(i * i - 9)).collect();
                let mut b: Vec<f64> = (0..7).map(|i| (0..7).map(|j| full(i, j) * x[j]).sum::<f64>() / 4.0).collect();
                solve(uplo, diag, 4.0, t, &mut b);
                assert_eq!(b, x);
                solve(uplo, diag, 0.0, |_, _| unreachable!(), &mut b);
                assert_eq!(b, [0.0; 7]);
            }
        }
    }

    #[test]
    fn hermitian_diagonals_are_real() {
        let a = |i: usize, j: usize| Complex64::new((10 * i + j) as f64, 5.0);
        assert_eq!(hermitian(Uplo::Lower, 1, 1, a), Complex::new(11.0, 0.0));
        assert_eq!(hermitian(Uplo::Lower, 1, 2, a), Complex::new(21.0, -5.0));
        assert_eq!(hermitian(Uplo::Upper, 1, 2, a), Complex::new(12.0, 5.0));
        assert_eq!(symmetric(Uplo::Upper, 2, 1, a), Complex::new(12.0, 5.0));
        let x = Complex64::new(3.0, 4.0);
        let sum = her(2.0, x, x, Complex64::new(1.0, f64::NAN), true);
        assert_eq!((sum.re, sum.im.to_bits()), (51.0, 0));
        let sum = herk(2, 2.0, |_| x, |_| x.conj(), 0.5, Complex64::new(4.0, f64::NAN), true);
        assert_eq!((sum.re, sum.im.to_bits()), (102.0, 0));
        assert_eq!(herk(0, 1.0, |_| x, |_| x, 1.0, x, false), x);
        for (len, beta) in [(0, -2.0), (0, 1.0), (0, 0.0), (1, -2.0), (1, 0.0)] {
            let sum = herk(len, -1.0, |_| x, |_| x.conj(), beta, Complex64::new(4.0, 7.0), true);
            assert_eq!((sum.re, sum.im.to_bits()), (4.0 * beta - 25.0 * len as f64, 0), "{len} {beta}");
        }
    }

    /// Quotients against exact ones, in both branches; dividing by zero is no fault.
    #[test]
    fn complex_quotients() {
        let z = Complex64::new;
        assert_eq!(Complex64::divide(z(1.0, 2.0) * z(3.0, -1.0), z(3.0, -1.0)), z(1.0, 2.0));
        assert_eq!(Complex64::divide(z(1.0, 2.0) * z(1.0, 4.0), z(1.0, 4.0)), z(1.0, 2.0));
        assert_eq!(Complex64::divide(z(6.0, -4.0), z(2.0, 0.0)), z(3.0, -2.0));
        assert_eq!(Complex64::divide(z(6.0, -4.0), z(0.0, 2.0)), z(-2.0, -3.0));
        assert!(Complex64::divide(z(1.0, 1.0), z(0.0, 0.0)).re.is_nan());
        let large = z(1e300, 1e300);
        assert_eq!(Complex64::divide(large, large), z(1.0, 0.0));
    }

    /// Powers of 2 in front of both numbers are one in front of the quotient, to the bit, for divisors at the ends of
    /// the range.
    #[test]
    fn complex_quotients_scale() {
        // In two steps: the power itself may be out of range.
        let by = |x: f64, exponent: i32| x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        let scaled = |z: Complex64, exponent: i32| Complex64::new(by(z.re, exponent), by(z.im, exponent));
        let numbers = [(1.3, -0.7), (0.1, 1.9), (-1.0, 0.0), (0.0, 1.5)].map(|(re, im)| Complex64::new(re, im));
        let divisors = [(3.0, 2.0), (-2.0, 3.0), (3.0, -3.0), (0.0, 1.0), (1.0, 0.0)];
        for b in divisors.map(|(re, im)| Complex64::new(re, im)) {
            for (of_b, of_a) in [(-1074, -960), (-1073, -1000), (-1024, -20), (1022, 1023), (1021, 1020), (1022, 10)] {
                for a in numbers {
                    let got = Complex64::divide(scaled(a, of_a), scaled(b, of_b));
                    assert_eq!(got, scaled(Complex64::divide(a, b), of_a - of_b), "{a} · 2^{of_a} / {b} · 2^{of_b}");
                }
            }
        }
        let z = Complex64::new;
        let (tiny, most) = (z(1e-310, 0.0), z(1.5e308, 1.5e308));
        assert_eq!(Complex64::divide(most, most), z(1.0, 0.0));
        // What overflows takes no other part with it.
        assert_eq!(Complex64::divide(z(1e300, 0.0), tiny), z(f64::INFINITY, 0.0));
    }

    /// Single precision at every pair of exponents, against `f64`, in which nothing of it overflows or vanishes.
    #[test]
    fn complex_quotients_at_every_scale() {
        let number = |re: f64, im: f64, exponent: i32| {
            let scale = 2f64.powi(exponent);
            Complex::new((re * scale) as f32, (im * scale) as f32)
        };
        let wide = |z: Complex32| Complex64::new(z.re.into(), z.im.into());
        let size = |z: Complex64| z.re.hypot(z.im);
        let (unit, smallest) = (2f64.powi(-24), 2f64.powi(-149));
        for i in (-149..=126).step_by(3) {
            for j in (-149..=127).step_by(2) {
                for (a, b) in [([1.3, -0.9], [1.8, 1.7]), ([0.2, 1.5], [-1.25, 1.99]), ([1.9, 1.9], [1.0, -1e-20])] {
                    let (a, b) = (number(a[0], a[1], i), number(b[0], b[1], j));
                    let (x, y) = (wide(a), wide(b));
                    let exact = x * y.conj() / (y.re * y.re + y.im * y.im);
                    if size(exact) > f64::from(f32::MAX) / 2.0 || size(x) > f64::from(f32::MAX) / 2.0 {
                        continue;
                    }
                    let error = size(wide(Complex32::divide(a, b)) - exact);
                    // The sum above the line may be a denormal, and the quotient too.
                    let lost = smallest / size(y) + smallest;
                    assert!(error <= 8.0 * unit * size(exact) + 2.0 * lost, "{a} / {b}: {error:e} of {exact}");
                }
            }
        }
    }
}
