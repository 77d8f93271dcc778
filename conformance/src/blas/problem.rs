//! A product `c = alpha · a · b + beta · c` of small integers or of numbers, and what it should give.

use super::Factors;
use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Data, Pair, Random, Sample, Scale, equal_numbers, within};
use warpwave_core::numerics::contract::{self, Bound, Class, Row};
use warpwave_core::numerics::{blas, tree};
use warpwave_core::{DType, Device, Op, OperationKind, Precision};

/// The matrices as they enter the product, row by row: what transposes and conjugates them, and where they lie, is the
/// caller's business.
#[derive(Clone, Debug)]
pub(super) struct Problem<T: Factors> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) alpha: T::Compute,
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
    pub(super) beta: T::Compute,
    /// NaN if `beta` is 0: nothing must read it. So are `a` and `b` if `alpha` is.
    pub(super) c: Vec<T>,
}

/// The largest magnitude of integers whose sums of products any accumulation that the row allows holds.
pub(super) fn magnitude(row: &Row) -> u32 {
    match (row.precision, row.dtype) {
        // bf16 holds the integers up to 256.
        (Some(Precision::Fast), _) => 1,
        // Beyond what the type itself holds: an accumulation in it would be off.
        (_, DType::F16 | DType::Bf16) => 32,
        _ => 8,
    }
}

impl<T: Factors> Problem<T> {
    /// Values for alpha and beta.
    pub(super) fn factors([alpha, beta]: [Scale; 2], data: Data, random: &mut Random) -> [T::Compute; 2] {
        let generic = match data {
            Data::Integers(magnitude) => Data::Integers(magnitude.min(3)),
            other => other,
        };
        [alpha.value(random, generic), beta.value(random, generic)]
    }

    /// A product with random matrices.
    pub(super) fn new([m, n, k]: [usize; 3], [alpha, beta]: [T::Compute; 2], data: Data, random: &mut Random) -> Self {
        let zero = T::Compute::from_integer(0);
        let mut matrix = |len: usize, unread: bool| {
            if unread { vec![T::poison(); len] } else { random.vector(data, len) }
        };
        Problem {
            m,
            n,
            k,
            a: matrix(m * k, alpha == zero),
            b: matrix(k * n, alpha == zero),
            c: matrix(m * n, beta == zero),
            alpha,
            beta,
        }
    }

    fn elements<R>(&self, one: impl Fn(usize, usize) -> R) -> Vec<R> {
        (0..self.m).flat_map(|i| (0..self.n).map(move |j| (i, j))).map(|(i, j)| one(i, j)).collect()
    }

    fn is_product(&self) -> bool {
        self.k > 0 && self.alpha != T::Compute::from_integer(0)
    }

    /// The definition of `gemm` in class R.
    pub(super) fn gemm(&self) -> Vec<T> {
        let Problem { n, k, alpha, beta, .. } = *self;
        self.elements(|i, j| {
            blas::gemm(k, alpha, |l| self.a[i * k + l], |l| self.b[l * n + j], beta, self.c[i * n + j])
        })
    }

    /// The result, all of it being integers.
    pub(super) fn integers(&self) -> Vec<T> {
        let parts = |x: [f64; 2]| x.map(|x| x as i64);
        let product = |[a, b]: [i64; 2], [c, d]: [i64; 2]| [a * c - b * d, a * d + b * c];
        let add = |[a, b]: [i64; 2], [c, d]: [i64; 2]| [a + c, b + d];
        let (alpha, beta) = (parts(self.alpha.values()), parts(self.beta.values()));
        self.elements(|i, j| {
            // Where a factor is 0 there is NaN, of which an integer is 0.
            let one =
                |l: usize| product(parts(self.a[i * self.k + l].values()), parts(self.b[l * self.n + j].values()));
            let sum = (0..self.k).map(one).fold([0, 0], add);
            T::from_integers(add(product(alpha, sum), product(beta, parts(self.c[i * self.n + j].values()))))
        })
    }

    /// Compares with what integer arithmetic gives.
    pub(super) fn compare_integers<D: Device>(&self, case: &mut Case<'_, D>, got: &[T]) -> Verdict {
        equal_numbers(case, "c", got, &self.integers())
    }

    /// Holds each element to the bound of its row.
    pub(super) fn compare_bounded<D: Device>(&self, case: &mut Case<'_, D>, row: &Row, got: &[T]) -> Verdict {
        self.compare_bounded_at(case, row, got.iter().copied().enumerate())
    }

    /// Holds the elements at some places, row by row, to the bound of their row of the contract.
    pub(super) fn compare_bounded_at<D: Device>(
        &self,
        case: &mut Case<'_, D>,
        row: &Row,
        got: impl Iterator<Item = (usize, T)>,
    ) -> Verdict {
        let pairs = |x: &[T]| x.iter().map(|x| Pair::new(x.values())).collect::<Vec<_>>();
        let (a, b, c) = (pairs(&self.a), pairs(&self.b), pairs(&self.c));
        let moduli = |x: &[Pair]| x.iter().map(|x| x.modulus()).collect::<Vec<f64>>();
        let (a_sizes, b_sizes) = (moduli(&a), moduli(&b));
        let (alpha, beta) = (Pair::new(self.alpha.values()), Pair::new(self.beta.values()));
        for (at, got) in got {
            let (i, j) = (at / self.n, at % self.n);
            let (mut exact, mut size) = (Pair::ZERO, 0.0);
            if self.is_product() {
                let places = || (0..self.k).map(|l| (i * self.k + l, l * self.n + j));
                exact = alpha * places().fold(Pair::ZERO, |sum, (p, q)| sum + a[p] * b[q]);
                size = alpha.modulus() * places().map(|(p, q)| a_sizes[p] * b_sizes[q]).sum::<f64>();
            }
            if beta != Pair::ZERO {
                exact = exact + beta * c[at];
                size += beta.modulus() * c[at].modulus();
            }
            within(case, "c", at, got, exact, self.bound(row, size, exact.modulus()))?;
        }
        Ok(())
    }

    /// The bound of [`Bound::Dot`], with the depth of the tree for what is summed by it.
    fn bound(&self, row: &Row, size: f64, result: f64) -> f64 {
        // Class R is at least as exact as strict.
        let precision = if row.class == Class::Reproducible { Some(Precision::Strict) } else { row.precision };
        let bound = contract::find(row.kind, row.dtype, precision).map(|row| row.bound);
        let Some(Bound::Dot { factor, unit, output }) = bound else { return 0.0 };
        let steps = match (row.class, row.kind) {
            (
                Class::Reproducible,
                OperationKind::Gemv | OperationKind::Symv | OperationKind::Hemv | OperationKind::Trmv,
            ) => tree::depth(self.k) + 3,
            _ => self.k + 2,
        } as f64;
        let inner = factor * steps * unit * size;
        // What underflows in a sum is multiplied by alpha.
        let underflow = factor * steps * T::TINY * Pair::new(self.alpha.values()).modulus().max(1.0);
        inner + output * (result + inner) + underflow
    }
}

/// The conjugate.
pub(super) fn conjugate<T: Sample>(x: T) -> T {
    if !T::DTYPE.is_complex() {
        return x;
    }
    let [re, im] = x.patterns();
    T::from_patterns([re, im ^ (1 << (T::DTYPE.size() * 4 - 1))])
}

/// A matrix as it has to be stored, row by row, so that it enters a product as the `rows × cols` matrix `entering`.
pub(super) fn stored<T: Sample>(op: Op, entering: &[T], rows: usize, cols: usize) -> Vec<T> {
    match op {
        Op::N => entering.to_vec(),
        _ => {
            let at = |(col, row): (usize, usize)| entering[row * cols + col];
            let transposed = (0..cols).flat_map(|col| (0..rows).map(move |row| (col, row))).map(at);
            if op == Op::C { transposed.map(conjugate).collect() } else { transposed.collect() }
        }
    }
}

/// How a matrix of `rows × cols` as it enters a product is stored: its (rows, columns).
pub(super) fn stored_shape(op: Op, rows: usize, cols: usize) -> (usize, usize) {
    if op == Op::N { (rows, cols) } else { (cols, rows) }
}
