//! `gemm`: with `Reproducible` against its definition, bit for bit; else against sums of twice the precision, within
//! the bound.

use super::ending::Update;
use super::microkernel::Microkernel;
use super::{Matrix, Places, Problem, reproducible};
use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, assert_bits, on_each_device};
use crate::simd::Level;
use crate::workers::Workers;
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::operation::{Gemm, Ptr, Span};
use warpwave_core::{
    Complex32, Complex64, DType, Element, GemmElement, Layout, Op, Operation, Precision, Scalar, ScalarValue, bf16, f16,
};

const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// What a product is asked for. The three `pads` and `layouts` are those of a, b and c.
#[derive(Clone, Copy, Debug)]
struct Case {
    m: usize,
    n: usize,
    k: usize,
    ops: [Op; 2],
    layouts: [Layout; 3],
    pad: usize,
    batch: usize,
    /// Whether all products have the same a, and the same b.
    shared: [bool; 2],
    alpha: (f64, f64),
    beta: (f64, f64),
}

const PLAIN: Case = Case {
    m: 0,
    n: 0,
    k: 0,
    ops: [Op::N; 2],
    layouts: [Layout::ColumnMajor; 3],
    pad: 0,
    batch: 1,
    shared: [false; 2],
    alpha: (0.7, -0.3),
    beta: (-1.3, 0.4),
};

impl Case {
    fn shapes(&self) -> [Shape; 3] {
        let shape = |(rows, cols), layout| Shape { rows, cols, layout, pad: self.pad };
        let turned = |op, rows, cols| if op == Op::N { (rows, cols) } else { (cols, rows) };
        [
            shape(turned(self.ops[0], self.m, self.k), self.layouts[0]),
            shape(turned(self.ops[1], self.k, self.n), self.layouts[1]),
            shape((self.m, self.n), self.layouts[2]),
        ]
    }

    fn scalars<T: Sample + GemmArithmetic<Compute: Sample>>(&self) -> (T::Compute, T::Compute) {
        (T::Compute::of(self.alpha.0, self.alpha.1), T::Compute::of(self.beta.0, self.beta.1))
    }

    /// How many matrices there are of a, b and c.
    fn counts(&self) -> [usize; 3] {
        let of = |shared| if shared { 1 } else { self.batch };
        [of(self.shared[0]), of(self.shared[1]), self.batch]
    }
}

/// The matrices of a case, each column by column.
struct Data<T> {
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
}

impl<T: Sample + GemmArithmetic<Compute: Sample>> Data<T> {
    fn new(case: &Case, random: &mut Random, make: fn(&mut Random) -> T) -> Self {
        let [a, b, c] = case.counts();
        let mut matrices = |len| random.vector(len, make);
        Data { a: matrices(a * case.m * case.k), b: matrices(b * case.k * case.n), c: matrices(c * case.m * case.n) }
    }

    /// Element (`i`, `k`) of op(a) and (`k`, `j`) of op(b) of product `p`, in the type of the accumulation.
    fn factors(&self, case: &Case, p: usize, i: usize, j: usize, k: usize) -> (T::Compute, T::Compute) {
        let element = |values: &[T], which: usize, row: usize, col: usize| {
            let shape = case.shapes()[which];
            let op = case.ops[which];
            let (row, col) = if op == Op::N { (row, col) } else { (col, row) };
            let first = if case.shared[which] { 0 } else { p * shape.rows * shape.cols };
            let value = values[first + row + col * shape.rows].widen();
            if op == Op::C { value.conj() } else { value }
        };
        (element(&self.a, 0, i, k), element(&self.b, 1, k, j))
    }

    /// What each device makes of it.
    fn results(&self, case: &Case, precision: Precision, check: impl Fn(&[T])) {
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        // Gaps between the matrices of the batch.
        let strides: Vec<usize> = shapes.iter().map(|shape| shape.extent() + 3).collect();
        let stride = |which: usize| if case.shared[which] { 0 } else { strides[which] };
        on_each_device(|run| {
            let mut a = Guarded::matrices(&self.a, shapes[0], strides[0]);
            let mut b = Guarded::matrices(&self.b, shapes[1], strides[1]);
            let mut c = Guarded::matrices(&self.c, shapes[2], strides[2]);
            run(Operation::Gemm(Gemm {
                op_a: case.ops[0],
                op_b: case.ops[1],
                alpha: ScalarValue::new(alpha),
                a: a.operand(shapes[0]),
                b: b.operand(shapes[1]),
                beta: ScalarValue::new(beta),
                c: c.operand(shapes[2]),
                batch: case.batch,
                strides: [stride(0), stride(1), strides[2]],
                precision,
            }));
            check(&c.values());
        });
    }
}

/// The definition, bit for bit.
fn definition<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case, data: &Data<T>) {
    let (alpha, beta) = case.scalars::<T>();
    let expected: Vec<T> = (0..data.c.len())
        .map(|e| {
            let (p, i, j) = (e / (case.m * case.n), e % case.m, e / case.m % case.n);
            if case.k == 0 || alpha == T::Compute::of(0.0, 0.0) {
                return blas::scale(beta, data.c[e]);
            }
            let chain = (0..case.k).fold(T::Compute::of(0.0, 0.0), |sum, k| {
                let (a, b) = data.factors(&case, p, i, j, k);
                ScalarArithmetic::mul_add(a, b, sum)
            });
            T::narrow(blas::update(alpha, chain, beta, data.c[e].widen()))
        })
        .collect();
    data.results(&case, Precision::Reproducible, |c| assert_bits(c, &expected, format!("{case:?}")));
}

/// An unevaluated sum of two numbers: about 106 bits (Dekker 1971).
#[derive(Clone, Copy, Default)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let high = a + b;
        let part = high - a;
        Double { high, low: (a - (high - part)) + (b - part) }
    }

    /// `self + a · b`.
    fn add_product(self, a: f64, b: f64) -> Double {
        let high = a * b;
        let sum = Double::sum(self.high, high);
        Double::sum(sum.high, sum.low + self.low + a.mul_add(b, -high))
    }
}

/// `sum + x · y`, for complex numbers.
fn complex_product(sum: [Double; 2], x: (f64, f64), y: (f64, f64)) -> [Double; 2] {
    [sum[0].add_product(x.0, y.0).add_product(-x.1, y.1), sum[1].add_product(x.0, y.1).add_product(x.1, y.0)]
}

/// The bound of the contract for each element: (k + 2) · u · (|α||A||B| + |β||C|), for complex numbers times 2√2, and
/// the rounding of the result where it is of a narrower type.
fn bounded<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case, data: &Data<T>, precisions: &[Precision]) {
    let modulus = |(re, im): (f64, f64)| re.hypot(im);
    let complex = T::DTYPE.is_complex();
    let single = T::Compute::DTYPE == DType::F32 || T::Compute::DTYPE == DType::C32;
    let u = if single { 2f64.powi(-24) } else { 2f64.powi(-53) } * if complex { 8f64.sqrt() } else { 1.0 };
    // Of the result: the relative error, and half the smallest denormal.
    let (u_out, underflow) = match T::DTYPE {
        DType::F16 => (2f64.powi(-11), 2f64.powi(-25)),
        DType::Bf16 => (2f64.powi(-8), 2f64.powi(-134)),
        _ => (0.0, 0.0),
    };
    let (alpha, beta) = case.scalars::<T>();
    let (alpha, beta) = (alpha.parts(), beta.parts());
    let exact: Vec<([Double; 2], f64)> = (0..data.c.len())
        .map(|e| {
            let (p, i, j) = (e / (case.m * case.n), e % case.m, e / case.m % case.n);
            let (mut sum, mut size) = ([Double::default(); 2], 0.0);
            if alpha != (0.0, 0.0) {
                for k in 0..case.k {
                    let (a, b) = data.factors(&case, p, i, j, k);
                    sum = complex_product(sum, a.parts(), b.parts());
                    size += modulus(a.parts()) * modulus(b.parts());
                }
            }
            let high = complex_product([Double::default(); 2], alpha, (sum[0].high, sum[1].high));
            let mut exact = complex_product(high, alpha, (sum[0].low, sum[1].low));
            size *= modulus(alpha);
            if beta != (0.0, 0.0) {
                exact = complex_product(exact, beta, data.c[e].parts());
                size += modulus(beta) * modulus(data.c[e].parts());
            }
            let rounding = u_out * modulus((exact[0].high, exact[1].high)) * (1.0 + 1e-3) + underflow;
            (exact, (case.k + 2) as f64 * u * size + rounding)
        })
        .collect();
    for &precision in precisions {
        data.results(&case, precision, |c| {
            for (e, (&got, ([re, im], bound))) in c.iter().zip(&exact).enumerate() {
                let (got_re, got_im) = got.parts();
                let error = ((re.high - got_re) + re.low).hypot((im.high - got_im) + im.low);
                let what = format_args!("{case:?}, {}, {precision}: element {e} is {got}", T::DTYPE);
                assert!(error <= *bound, "{what}, {error:e} > {bound:e}");
            }
        });
    }
}

fn check<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case, random: &mut Random) {
    let data = Data::<T>::new(&case, random, T::ordinary);
    definition(case, &data);
    bounded(case, &data, &[Precision::Strict, Precision::Fast]);
}

/// Calls `check::<T>(arguments)` for the six types of `gemm`.
macro_rules! for_gemm_types {
    ($check:ident $arguments:tt) => {
        $check::<f32> $arguments;
        $check::<f64> $arguments;
        $check::<Complex32> $arguments;
        $check::<Complex64> $arguments;
        $check::<f16> $arguments;
        $check::<bf16> $arguments;
    };
}

#[test]
fn every_op_and_layout() {
    let mut random = Random(1);
    for (m, n, k) in [(5, 7, 3), (17, 18, 33)] {
        for op_a in OPS {
            for op_b in OPS {
                for layouts in 0..8 {
                    let layouts = [LAYOUTS[layouts & 1], LAYOUTS[layouts >> 1 & 1], LAYOUTS[layouts >> 2]];
                    let case = Case { m, n, k, ops: [op_a, op_b], layouts, pad: 2, ..PLAIN };
                    for_gemm_types!(check(case, &mut random));
                }
            }
        }
    }
}

#[test]
fn sizes_around_every_unit() {
    let sizes = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129];
    let mut random = Random(2);
    for size in sizes {
        let mut other = || sizes[random.below(sizes.len())];
        let (a, b) = (other(), other());
        for (m, n, k) in [(size, a, b), (b, size, a), (a, b, size), (size, size, 1), (size, 1, size), (1, size, size)] {
            let layouts = [0; 3].map(|_| LAYOUTS[random.below(2)]);
            let ops = [0; 2].map(|_| OPS[random.below(3)]);
            let case = Case { m, n, k, ops, layouts, pad: random.below(3), ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}

#[test]
fn several_blocks_and_threads() {
    let mut random = Random(3);
    for (m, n, k) in [(140, 250, 300), (1030, 3, 70), (5, 1100, 30), (20, 9, 1100), (300, 40, 1)] {
        for layout in LAYOUTS {
            let layouts = [Layout::RowMajor, layout, layout];
            let case = Case { m, n, k, layouts, ops: [Op::N, Op::C], pad: 1, ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}

#[test]
fn alpha_and_beta() {
    let mut random = Random(4);
    let scalars = [(0.0, 0.0), (-0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.7, -0.3)];
    for (m, n, k) in [(3, 4, 5), (40, 33, 20), (40, 33, 0)] {
        for alpha in scalars {
            for beta in scalars {
                let layouts = [Layout::ColumnMajor, Layout::ColumnMajor, LAYOUTS[random.below(2)]];
                let case = Case { m, n, k, alpha, beta, layouts, pad: 1, ..PLAIN };
                for_gemm_types!(check(case, &mut random));
            }
        }
    }
}

#[test]
fn batches() {
    let mut random = Random(5);
    for (m, n, k, batch) in [(3, 4, 5, 0), (3, 4, 5, 1), (3, 4, 5, 200), (20, 30, 40, 7), (70, 90, 80, 3)] {
        for shared in [[false, false], [true, false], [false, true], [true, true]] {
            let case = Case { m, n, k, batch, shared, pad: 1, ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}

/// NaN in what must not be read does not reach the result; the guards of every test above show that padding is not
/// written.
fn poisoned<T: Sample + GemmArithmetic<Compute: Sample>>(m: usize, n: usize, k: usize) {
    let mut random = Random(6);
    for layout in LAYOUTS {
        let case = Case { m, n, k, layouts: [LAYOUTS[0], LAYOUTS[0], layout], beta: (0.0, 0.0), pad: 3, ..PLAIN };
        let mut data = Data::<T>::new(&case, &mut random, T::ordinary);
        data.c.fill(T::poison());
        definition(case, &data);
        bounded(case, &data, &[Precision::Strict]);
        for (alpha, beta) in [((0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 0.0)), ((-0.0, 0.0), (0.5, 0.25))] {
            let case = Case { alpha, beta, ..case };
            let mut data = Data::<T>::new(&case, &mut random, T::any);
            data.a.fill(T::poison());
            data.b.fill(T::poison());
            // All are bit for bit: with `alpha` = 0 the precision makes no difference.
            definition(case, &data);
            let expected: Vec<T> = data.c.iter().map(|&c| blas::scale(case.scalars::<T>().1, c)).collect();
            data.results(&case, Precision::Strict, |c| assert_bits(c, &expected, format!("{case:?}")));
        }
    }
}

#[test]
fn what_must_not_be_read_is_not() {
    for (m, n, k) in [(1, 1, 1), (9, 1, 5), (1, 9, 5), (6, 5, 2), (15, 16, 17), (70, 80, 90), (130, 40, 600)] {
        for_gemm_types!(poisoned(m, n, k));
    }
}

/// Small integers: every precision gives the exact result, so equal bits.
fn integers<T: Sample + GemmArithmetic<Compute: Sample>>(m: usize, n: usize, k: usize) {
    let mut random = Random(7);
    let case = Case { m, n, k, ops: [Op::C, Op::T], alpha: (2.0, -1.0), beta: (-1.0, 1.0), ..PLAIN };
    let make = |random: &mut Random| T::of(random.below(3) as f64 - 1.0, random.below(3) as f64 - 1.0);
    let data = Data::<T>::new(&case, &mut random, make);
    let (alpha, beta) = case.scalars::<T>();
    let expected: Vec<T> = (0..m * n)
        .map(|e| {
            let mut sum = [Double::default(); 2];
            for l in 0..k {
                let (a, b) = data.factors(&case, 0, e % m, e / m, l);
                sum = complex_product(sum, a.parts(), b.parts());
            }
            let scaled = complex_product([Double::default(); 2], alpha.parts(), (sum[0].high, sum[1].high));
            let [re, im] = complex_product(scaled, beta.parts(), data.c[e].parts());
            T::of(re.high, im.high)
        })
        .collect();
    for precision in [Precision::Strict, Precision::Fast, Precision::Reproducible] {
        data.results(&case, precision, |c| {
            // A sum of integers that is zero may come with either sign.
            let (got, expected): (Vec<_>, Vec<_>) = (parts(c), parts(&expected));
            assert_eq!(got, expected, "{case:?}, {precision}");
        });
    }
}

fn parts<T: Sample>(values: &[T]) -> Vec<(f64, f64)> {
    values.iter().map(|value| value.parts()).collect()
}

#[test]
fn integers_are_exact() {
    for (m, n, k) in [(1, 1, 100), (33, 17, 100), (64, 130, 100)] {
        for_gemm_types!(integers(m, n, k));
    }
}

/// Chains that a wider or a narrower accumulation would get wrong: 2048 + 1 + 1 … is lost in `f16` from the first
/// step on.
#[test]
fn halves_accumulate_in_single_precision() {
    let case = Case { m: 1, n: 1, k: 3000, alpha: (1.0, 0.0), beta: (0.0, 0.0), ..PLAIN };
    let mut a = vec![f16::ONE; 3000];
    a[0] = f16::from_f32(2048.0);
    let data = Data { a, b: vec![f16::ONE; 3000], c: vec![f16::NAN] };
    let expected = [f16::from_f32(5048.0)];
    for precision in [Precision::Strict, Precision::Fast, Precision::Reproducible] {
        data.results(&case, precision, |c| assert_bits(c, &expected, precision));
    }
}

#[test]
fn a_nan_in_a_reproducible_result_is_the_canonical_one() {
    let case = Case { m: 20, n: 20, k: 20, ..PLAIN };
    fn nan<T: Sample + GemmArithmetic<Compute: Sample>>(case: Case) {
        definition(case, &Data::<T>::new(&case, &mut Random(8), T::any));
    }
    for_gemm_types!(nan(case));
}

/// The registers that this processor has and does not choose give the same bits as those it does.
fn registers<T: Sample + GemmArithmetic<Compute: Sample + Microkernel>>() {
    let workers = Workers::with_threads(1);
    let mut random = Random(9);
    for (m, n, k) in [(1, 1, 1), (37, 29, 300), (130, 250, 3)] {
        let case =
            Case { m, n, k, pad: 1, layouts: [LAYOUTS[0], LAYOUTS[1], LAYOUTS[1]], ops: [Op::C, Op::N], ..PLAIN };
        let data = Data::<T>::new(&case, &mut random, T::ordinary);
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        let results: Vec<Vec<T>> = Level::supported()
            .into_iter()
            .map(|level| {
                let mut a = Guarded::matrices(&data.a, shapes[0], 0);
                let mut b = Guarded::matrices(&data.b, shapes[1], 0);
                let mut c = Guarded::matrices(&data.c, shapes[2], 0);
                let problem = Problem::<T> {
                    alpha,
                    beta,
                    a: Matrix::new(&a.operand(shapes[0]), case.ops[0]),
                    b: Matrix::new(&b.operand(shapes[1]), case.ops[1]),
                    c: Matrix::new(&c.operand(shapes[2]), Op::N),
                    batch: 1,
                    places: Places::Strided([0; 3]),
                };
                // SAFETY: the operands are alive and as large as they say, and the level is supported.
                unsafe { reproducible::tiled(&workers, problem, Update { alpha, beta }, level) };
                c.values()
            })
            .collect();
        for result in &results {
            data.results(&case, Precision::Reproducible, |c| assert_bits(c, result, format!("{case:?}")));
        }
    }
}

#[test]
fn every_register_gives_the_same_bits() {
    for_gemm_types!(registers());
}

/// A table of addresses gives what equal distances do, in any order and from different allocations.
fn listed<T: Sample + GemmArithmetic<Compute: Sample + Microkernel>>(precision: Precision) {
    let mut random = Random(17);
    for (m, n, k) in [(1, 1, 1), (5, 7, 3), (40, 33, 20), (3, 2, 0)] {
        let case = Case { m, n, k, pad: 2, layouts: [LAYOUTS[0], LAYOUTS[1], LAYOUTS[0]], batch: 3, ..PLAIN };
        let data = Data::<T>::new(&case, &mut random, T::ordinary);
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        let strided = std::cell::RefCell::new(Vec::new());
        data.results(&case, precision, |c| *strided.borrow_mut() = c.to_vec());
        on_each_device(|run| {
            let parts = |values: &[T], shape: Shape| -> Vec<Guarded<T>> {
                let size = shape.rows * shape.cols;
                (0..3).map(|i| Guarded::matrices(&values[i * size..(i + 1) * size], shape, 0)).collect()
            };
            let (mut a, mut b, mut c) =
                (parts(&data.a, shapes[0]), parts(&data.b, shapes[1]), parts(&data.c, shapes[2]));
            let mut table: Vec<u64> =
                [&mut a, &mut b, &mut c].into_iter().flatten().map(|matrix| matrix.ptr().expose() as u64).collect();
            let pointers = Span { ptr: Ptr::new(table.as_mut_ptr().cast()), dtype: DType::U64, len: 9 };
            run(Operation::GemmBatched {
                gemm: Gemm {
                    op_a: case.ops[0],
                    op_b: case.ops[1],
                    alpha: ScalarValue::new(alpha),
                    a: a[0].operand(shapes[0]),
                    b: b[0].operand(shapes[1]),
                    beta: ScalarValue::new(beta),
                    c: c[0].operand(shapes[2]),
                    batch: 3,
                    strides: [0; 3],
                    precision,
                },
                pointers,
            });
            let got: Vec<T> = c.iter().flat_map(Guarded::values).collect();
            assert_bits(&got, &strided.borrow(), format!("{case:?} {precision}"));
        });
    }
}

#[test]
fn a_table_of_addresses_is_followed() {
    for precision in [Precision::Strict, Precision::Reproducible] {
        for_gemm_types!(listed(precision));
    }
}

#[test]
fn scalars_of_another_type_are_refused() {
    let workers = Workers::with_threads(1);
    let shape = Shape { rows: 1, cols: 1, layout: Layout::ColumnMajor, pad: 0 };
    let mut c = Guarded::matrices(&[1.0f64], shape, 0);
    let operand = c.operand(shape);
    let wrong = Gemm {
        op_a: Op::N,
        op_b: Op::N,
        alpha: ScalarValue::new(1.0f32),
        a: operand,
        b: operand,
        beta: ScalarValue::new(<f64 as GemmElement>::Compute::default()),
        c: operand,
        batch: 1,
        strides: [0; 3],
        precision: Precision::Strict,
    };
    // SAFETY: the call must end before it touches the operands, and they are alive.
    assert_eq!(unsafe { super::gemm(&workers, &wrong) }, None);
    assert_bits(&c.values(), &[1.0], "refused");
}
