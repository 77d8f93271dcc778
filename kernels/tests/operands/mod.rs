//! Operands of BLAS for tests: numbers, vectors and matrices with poison around them, and their bits.
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::unwrap_used, clippy::expect_used)]

use crate::common::{Array, Host};
use warpwave_core::numerics::blas::{GemmArithmetic, offset};
use warpwave_core::operation::{Layout, MatrixOperand, Strided};
use warpwave_core::{Element, Operation, Scalar, ScalarValue};
use warpwave_kernels::launch::plan;

/// Numbers from a seed.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    pub fn choose<X: Copy>(&mut self, of: &[X]) -> X {
        of[self.below(of.len())]
    }

    fn real(&mut self) -> f64 {
        let unit = (self.word() % (1 << 30)) as f64 / f64::from(1 << 29) - 1.0;
        match self.below(40) {
            0 => 0.0,
            1 => -0.0,
            2 => unit * 1e-40,
            3 => unit * 1e6,
            _ => unit,
        }
    }

    /// A number of the type that `gemm` computes in.
    pub fn scalar<S: Scalar>(&mut self) -> S {
        let re = S::from_f64(self.real());
        // i is the root of −1, or nothing.
        match ScalarValue::new(re).dtype().is_complex() {
            true => complex(re, S::from_f64(self.real())),
            false => re,
        }
    }

    pub fn element<T: GemmArithmetic>(&mut self) -> T {
        T::narrow(self.scalar::<T::Compute>())
    }
}

/// `re.re + i · im.re`.
fn complex<S: Scalar>(re: S, im: S) -> S {
    let (re, im) = (ScalarValue::new(re), ScalarValue::new(im));
    let half = re.bytes().len() / 2;
    let mut bytes = re.bytes()[..half].to_vec();
    bytes.extend(&im.bytes()[..half]);
    from_bytes(&bytes)
}

pub fn from_bytes<T: Element>(bytes: &[u8]) -> T {
    assert_eq!(bytes.len(), size_of::<T>());
    // SAFETY: any bytes are a number.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

/// Scalars that have rules of their own, and one that has none.
pub fn scalars<S: Scalar>() -> [S; 4] {
    [S::ZERO, S::ONE, S::from_f64(-1.0), complex_or(S::from_f64(0.7), S::from_f64(-1.3))]
}

fn complex_or<S: Scalar>(re: S, im: S) -> S {
    if ScalarValue::new(re).dtype().is_complex() { complex(re, im) } else { im }
}

/// Every bit of some elements.
pub fn bits<T: Element>(elements: &[T]) -> Vec<Vec<u8>> {
    elements.iter().map(|&x| ScalarValue::new(x).bytes().to_vec()).collect()
}

/// Fails with the place of the first difference.
pub fn assert_bits<T: Element>(got: &[T], expected: &[T], what: impl std::fmt::Display) {
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let (got, expected) = (ScalarValue::new(*got), ScalarValue::new(*expected));
        assert!(got.bytes() == expected.bytes(), "element {i} is {got:?}, not {expected:?}: {what}");
    }
}

/// A matrix, or a batch of them, in an array that is poisoned elsewhere.
pub struct Matrix<T: Element> {
    pub array: Array<T>,
    pub rows: usize,
    pub cols: usize,
    pub ld: usize,
    pub layout: Layout,
    pub first: usize,
    pub stride: usize,
    pub old: Vec<T>,
}

impl<T: GemmArithmetic> Matrix<T> {
    /// `batch` matrices with `pad` elements beside each run, `first` before the first.
    pub fn new(
        numbers: &mut Numbers,
        rows: usize,
        cols: usize,
        layout: Layout,
        [pad, first, batch]: [usize; 3],
    ) -> Self {
        let (run, runs) = if layout == Layout::ColumnMajor { (rows, cols) } else { (cols, rows) };
        let ld = run.max(1) + pad;
        let stride = ld * runs + pad;
        let array = Array::poisoned(first + stride * batch);
        let mut matrix = Matrix { old: array.to_vec(), array, rows, cols, ld, layout, first, stride };
        for z in 0..batch {
            for i in 0..rows {
                for j in 0..cols {
                    let at = matrix.at(z, i, j);
                    matrix.old[at] = numbers.element();
                }
            }
        }
        matrix.array.set(&matrix.old);
        matrix
    }

    pub fn at(&self, z: usize, i: usize, j: usize) -> usize {
        let in_matrix = if self.layout == Layout::ColumnMajor { i + j * self.ld } else { i * self.ld + j };
        self.first + z * self.stride + in_matrix
    }

    pub fn get(&self, z: usize, i: usize, j: usize) -> T {
        assert!(i < self.rows && j < self.cols);
        self.old[self.at(z, i, j)]
    }

    /// Poisons the elements that `which` names.
    pub fn poison(&mut self, which: impl Fn(usize, usize) -> bool) {
        let poison = Array::<T>::poisoned(1).to_vec()[0];
        let batch = (self.old.len() - self.first) / self.stride.max(1);
        for z in 0..batch {
            for i in 0..self.rows {
                for j in 0..self.cols {
                    if which(i, j) {
                        let at = self.at(z, i, j);
                        self.old[at] = poison;
                    }
                }
            }
        }
        self.array.set(&self.old);
    }

    pub fn operand(&self) -> MatrixOperand {
        self.array.matrix(self.first, self.rows, self.cols, self.ld, self.layout)
    }

    pub fn reset(&self) {
        self.array.set(&self.old);
    }
}

/// A vector in an array that is poisoned elsewhere.
pub struct Vector<T: Element> {
    pub array: Array<T>,
    pub len: usize,
    pub inc: isize,
    pub first: usize,
    pub old: Vec<T>,
}

impl<T: GemmArithmetic> Vector<T> {
    pub fn new(numbers: &mut Numbers, len: usize, inc: isize, first: usize) -> Self {
        let last = if len == 0 { 0 } else { (len - 1) * inc.unsigned_abs() + 1 };
        let array = Array::poisoned(first + last);
        let mut vector = Vector { old: array.to_vec(), array, len, inc, first };
        for i in 0..len {
            let at = vector.at(i);
            vector.old[at] = numbers.element();
        }
        vector.array.set(&vector.old);
        vector
    }

    pub fn at(&self, i: usize) -> usize {
        self.first + offset(i, self.len, self.inc)
    }

    pub fn get(&self, i: usize) -> T {
        self.old[self.at(i)]
    }

    pub fn operand(&self) -> Strided {
        let base = self.array.ptr().byte_add(self.first * size_of::<T>());
        Strided { base, dtype: T::DTYPE, len: self.len, inc: self.inc }
    }

    pub fn poison(&mut self) {
        self.old = Array::<T>::poisoned(self.old.len()).to_vec();
        self.array.set(&self.old);
    }

    pub fn set(&mut self, i: usize, value: T) {
        let at = self.at(i);
        self.old[at] = value;
        self.array.set(&self.old);
    }

    pub fn reset(&self) {
        self.array.set(&self.old);
    }
}

/// Runs an operation.
pub fn run(host: &Host, operation: &Operation, seed: u64) {
    let plan = plan(operation, &host.properties()).unwrap();
    host.run(&plan, seed).unwrap_or_else(|e| panic!("{e}: {operation:?}"));
}
