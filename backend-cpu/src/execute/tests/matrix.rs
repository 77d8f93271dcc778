use super::{Memory, Random, SIZES, moderate, patterns, run};
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::numerics::{CastFrom, Numeric, RealNumeric, Reducible, contract, reduction};
use warpwave_core::operation::MatrixOperand;
use warpwave_core::{
    ArgOp, Axis, DType, Element, Layout, Operation, OperationKind, ReduceOp, Scalar, f16, match_dtype,
};

/// A matrix in a larger piece of memory: `ld` is `gap` more than it has to be.
pub(super) struct Matrix<T> {
    pub(super) memory: Memory<T>,
    pub(super) values: Vec<T>,
    shape: (usize, usize),
    ld: usize,
    layout: Layout,
}

impl<T: Element> Matrix<T> {
    pub(super) fn new(
        values: impl Fn(usize, u64) -> Vec<T>,
        rows: usize,
        cols: usize,
        gap: usize,
        layout: Layout,
    ) -> Self {
        let (len, runs) = if layout == Layout::ColumnMajor { (rows, cols) } else { (cols, rows) };
        let ld = len + gap;
        let values = values(ld * runs, 21 + rows as u64);
        Matrix { memory: Memory::new(&values), values, shape: (rows, cols), ld, layout }
    }

    pub(super) fn operand(&mut self) -> MatrixOperand {
        let (rows, cols) = self.shape;
        MatrixOperand { ptr: self.memory.ptr(), dtype: T::DTYPE, rows, cols, ld: self.ld, layout: self.layout }
    }

    pub(super) fn index(&self, i: usize, j: usize) -> usize {
        if self.layout == Layout::ColumnMajor { i + j * self.ld } else { i * self.ld + j }
    }

    pub(super) fn at(&self, i: usize, j: usize) -> T {
        self.values[self.index(i, j)]
    }
}

/// The definition, from the values of a line.
fn sums<T: Reducible>(op: ReduceOp, len: usize, at: impl FnMut(usize) -> T) -> T {
    if op == ReduceOp::Sum { reduction::sum(len, at) } else { reduction::prod(len, at) }
}

fn extremes<T: Reducible<Acc: RealNumeric> + RealNumeric>(op: ReduceOp, len: usize, at: impl FnMut(usize) -> T) -> T {
    if op == ReduceOp::Min { reduction::min(len, at) } else { reduction::max(len, at) }
}

fn check_whole<T: Element>(values: &[T], op: ReduceOp, expected: T) {
    let mut x = Memory::new(values);
    let mut out = Memory::new(&[T::default()]);
    let len = values.len();
    let operand = MatrixOperand {
        ptr: x.ptr(),
        dtype: T::DTYPE,
        rows: len,
        cols: 1,
        ld: len.max(1),
        layout: Layout::ColumnMajor,
    };
    run(Operation::Reduce { op, axis: Axis::Whole, x: operand, out: out.span() });
    out.assert_is(&[expected], format_args!("{op} of {len}"));
}

#[test]
fn whole_reductions() {
    for len in SIZES.into_iter().chain([63, 64, 65, 3 * 8192 + 1025]) {
        for dtype in DType::ALL {
            for op in [ReduceOp::Sum, ReduceOp::Prod] {
                match_dtype!(dtype, any T => for values in [moderate::<T>(len, 22), patterns::<T>(len, 23)] {
                    check_whole(&values, op, sums(op, len, |i| values[i]));
                }, _ => unreachable!());
            }
            for op in [ReduceOp::Min, ReduceOp::Max] {
                match_dtype!(dtype, real T => for values in [moderate::<T>(len, 24), patterns::<T>(len, 25)] {
                    check_whole(&values, op, extremes(op, len, |i| values[i]));
                }, _ => ());
            }
        }
    }
}

/// Results of more than 8,192 chunks are reduced once more.
#[test]
fn a_third_level_of_chunks() {
    let len = 8192 * 8192 + 12_345;
    let mut random = Random(26);
    let values: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
    let sum = values.iter().fold(0u8, |sum, &x| sum.wrapping_add(x));
    check_whole(&values, ReduceOp::Sum, sum);
    check_whole(&values, ReduceOp::Max, 255);
    let halves: Vec<f16> = (0..len).map(|i| f16::from_f32_const((i % 7) as f32 * 0.125 - 0.3)).collect();
    check_whole(&halves, ReduceOp::Sum, reduction::sum(len, |i| halves[i]));
}

/// The results of many chunks combine by the tree, and not in some other order: on data that cancels, where orders differ.
#[test]
fn sums_of_many_chunks_keep_the_order_of_the_tree() {
    for chunks in [65, 129, 1025] {
        let len = chunks * 8192 + 5;
        let mut random = Random(28);
        let values: Vec<f32> = (0..len)
            .map(|_| {
                let bits = random.next();
                (bits % 2001) as f32 - 1000.0 + (bits >> 40) as f32 / 16_777_216.0
            })
            .collect();
        let sum = reduction::sum(len, |i| values[i]);
        check_whole(&values, ReduceOp::Sum, sum);
        assert_ne!(sum, values.iter().sum(), "{chunks} chunks do not tell orders apart");
    }
}

fn check_lines<T: Element>(
    op: ReduceOp,
    axis: Axis,
    matrix: &mut Matrix<T>,
    expected: impl Fn(&dyn Fn(usize) -> T, usize) -> T,
) {
    let (rows, cols) = matrix.shape;
    let (count, len) = if axis == Axis::Rows { (rows, cols) } else { (cols, rows) };
    let mut out = Memory::new(&patterns::<T>(count, 27));
    run(Operation::Reduce { op, axis, x: matrix.operand(), out: out.span() });
    let line = |n: usize| expected(&|k| if axis == Axis::Rows { matrix.at(n, k) } else { matrix.at(k, n) }, len);
    let what = format_args!("{op} {axis} of {rows} × {cols}, {:?}, ld {}", matrix.layout, matrix.ld).to_string();
    out.assert_is(&(0..count).map(line).collect::<Vec<T>>(), what);
}

#[test]
fn rows_and_columns_in_both_layouts() {
    const SHAPES: [(usize, usize); 14] = [
        (0, 3),
        (3, 0),
        (1, 1),
        (1, 9),
        (9, 1),
        (5, 7),
        (33, 31),
        (17, 259),
        (1024, 2),
        (3, 1025),
        (1500, 40),
        (8193, 3),
        (2, 20_000),
        (20_000, 2),
    ];
    for (rows, cols) in SHAPES {
        for (gap, layout) in
            [(0, Layout::ColumnMajor), (3, Layout::ColumnMajor), (0, Layout::RowMajor), (5, Layout::RowMajor)]
        {
            for (axis, dtype) in [Axis::Rows, Axis::Cols].into_iter().flat_map(|axis| DType::ALL.map(|d| (axis, d))) {
                match_dtype!(dtype, any T => {
                    let mut matrix = Matrix::<T>::new(moderate, rows, cols, gap, layout);
                    for op in [ReduceOp::Sum, ReduceOp::Prod] {
                        check_lines(op, axis, &mut matrix, |at, len| sums(op, len, at));
                    }
                }, _ => unreachable!());
                match_dtype!(dtype, real T => {
                    let mut matrix = Matrix::<T>::new(patterns, rows, cols, gap, layout);
                    for op in [ReduceOp::Min, ReduceOp::Max] {
                        check_lines(op, axis, &mut matrix, |at, len| extremes(op, len, at));
                    }
                }, _ => ());
            }
        }
    }
}

/// The values of the empty reductions and of −0, said outright.
#[test]
fn edges_of_reductions() {
    check_whole::<f32>(&[], ReduceOp::Sum, 0.0);
    check_whole::<f32>(&[], ReduceOp::Prod, 1.0);
    check_whole::<f32>(&[], ReduceOp::Min, f32::INFINITY);
    check_whole::<f32>(&[], ReduceOp::Max, f32::NEG_INFINITY);
    check_whole::<i8>(&[], ReduceOp::Min, 127);
    check_whole::<i8>(&[], ReduceOp::Max, -128);
    check_whole(&[-0.0, -0.0], ReduceOp::Sum, -0.0);
    check_whole(&[0.0, -0.0], ReduceOp::Min, -0.0);
    check_whole(&[-0.0, 0.0], ReduceOp::Max, 0.0);
    check_whole(&[1.0, -f64::NAN, 3.0], ReduceOp::Max, f64::from_bits(0x7ff8_0000_0000_0000));
    check_whole(&[f32::from_bits(0xff80_0001)], ReduceOp::Min, f32::from_bits(0x7fc0_0000));
    // 4,096 ones past the largest odd f16: only a sum kept in f32 counts them.
    check_whole(&vec![f16::ONE; 4096], ReduceOp::Sum, f16::from_f32_const(4096.0));
}

/// A contiguous column, as whole reductions take it.
fn column<T: Element>(x: &mut Memory<T>, len: usize) -> MatrixOperand {
    MatrixOperand { ptr: x.ptr(), dtype: T::DTYPE, rows: len, cols: 1, ld: len.max(1), layout: Layout::ColumnMajor }
}

/// Few and many lines, short ones, and some that are gone through in more than one piece.
const LINES: [(usize, usize); 12] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 9),
    (9, 1),
    (33, 31),
    (17, 259),
    (3, 1025),
    (300, 40),
    (8193, 3),
    (2, 70_000),
    (70_000, 2),
];

/// Each layout, with and without padding, each axis, and each type.
fn every_matrix(mut body: impl FnMut((usize, usize), usize, Layout, Axis, DType)) {
    for shape in LINES {
        for (gap, layout) in [(0, Layout::ColumnMajor), (3, Layout::RowMajor), (5, Layout::ColumnMajor)] {
            for axis in [Axis::Rows, Axis::Cols] {
                DType::ALL.iter().for_each(|&dtype| body(shape, gap, layout, axis, dtype));
            }
        }
    }
}

#[test]
fn means() {
    fn whole<T: GemmArithmetic>(values: &[T])
    where
        <T::Compute as Scalar>::Magnitude: CastFrom<u64>,
    {
        let len = values.len();
        let (mut x, mut out) = (Memory::new(values), Memory::new(&[T::ONE]));
        run(Operation::Mean { axis: Axis::Whole, x: column(&mut x, len), out: out.span() });
        out.assert_is(&[reduction::mean(len, |i| values[i])], format_args!("mean of {len}"));
    }
    fn lines<T: GemmArithmetic>((rows, cols): (usize, usize), gap: usize, layout: Layout, axis: Axis)
    where
        <T::Compute as Scalar>::Magnitude: CastFrom<u64>,
    {
        let mut x = Matrix::<T>::new(moderate, rows, cols, gap, layout);
        let (count, len) = if axis == Axis::Rows { (rows, cols) } else { (cols, rows) };
        let mut out = Memory::new(&patterns::<T>(count, 29));
        run(Operation::Mean { axis, x: x.operand(), out: out.span() });
        let at = |line: usize, i: usize| if axis == Axis::Rows { x.at(line, i) } else { x.at(i, line) };
        let expected: Vec<T> = (0..count).map(|line| reduction::mean(len, |i| at(line, i))).collect();
        out.assert_is(&expected, format_args!("mean of {axis} of {rows} × {cols}, {layout:?}"));
    }
    for len in SIZES.into_iter().chain([63, 64, 65, 3 * 8192 + 1025]) {
        for dtype in [DType::F16, DType::Bf16, DType::F32, DType::F64] {
            match_dtype!(dtype, float T => [moderate::<T>, patterns::<T>].iter().for_each(|v| whole(&v(len, 30))), _ => unreachable!());
        }
        for dtype in [DType::C32, DType::C64] {
            match_dtype!(dtype, complex T => [moderate::<T>, patterns::<T>].iter().for_each(|v| whole(&v(len, 31))), _ => unreachable!());
        }
    }
    every_matrix(|shape, gap, layout, axis, dtype| {
        match_dtype!(
            dtype,
            float T => lines::<T>(shape, gap, layout, axis),
            _ => match_dtype!(dtype, complex T => lines::<T>(shape, gap, layout, axis), _ => ())
        );
    });
    // More ones than f16 can count: only a sum that is kept in f32 has the mean 1.
    whole(&vec![f16::ONE; 4097]);
    let mut out = Memory::new(&[0_f32]);
    run(Operation::Mean { axis: Axis::Whole, x: column(&mut Memory::<f32>::new(&[]), 0), out: out.span() });
    out.assert_is(&[f32::from_bits(0x7fc0_0000)], "mean of nothing");
}

#[test]
fn places_of_extremes() {
    fn first<T: SortKey + Numeric>(op: ArgOp, len: usize, at: impl FnMut(usize) -> T) -> u64 {
        let index = if op == ArgOp::Min { reduction::argmin(len, at) } else { reduction::argmax(len, at) };
        index.map_or(u64::MAX, |index| index as u64)
    }
    fn whole<T: SortKey + Numeric>(values: &[T]) {
        let len = values.len();
        for op in [ArgOp::Min, ArgOp::Max] {
            let (mut x, mut out) = (Memory::new(values), Memory::new(&[7_u64]));
            run(Operation::ArgReduce { op, axis: Axis::Whole, x: column(&mut x, len), out: out.span() });
            out.assert_is(&[first(op, len, |i| values[i])], format_args!("{op} of {len} of {}", T::DTYPE));
        }
    }
    fn lines<T: SortKey + Numeric>((rows, cols): (usize, usize), gap: usize, layout: Layout, axis: Axis) {
        let (count, len) = if axis == Axis::Rows { (rows, cols) } else { (cols, rows) };
        for (op, values) in [(ArgOp::Min, moderate::<T> as fn(usize, u64) -> Vec<T>), (ArgOp::Max, patterns::<T>)] {
            let mut x = Matrix::<T>::new(values, rows, cols, gap, layout);
            let mut out = Memory::new(&patterns::<u64>(count, 32));
            run(Operation::ArgReduce { op, axis, x: x.operand(), out: out.span() });
            let at = |line: usize, i: usize| if axis == Axis::Rows { x.at(line, i) } else { x.at(i, line) };
            let expected: Vec<u64> = (0..count).map(|line| first(op, len, |i| at(line, i))).collect();
            out.assert_is(&expected, format_args!("{op} of {axis} of {rows} × {cols} of {}, {layout:?}", T::DTYPE));
        }
    }
    for len in SIZES.into_iter().chain([65_536, 65_537, 200_001]) {
        for dtype in DType::ALL {
            match_dtype!(dtype, real T => [moderate::<T>, patterns::<T>].iter().for_each(|v| whole(&v(len, 33))), _ => ());
        }
    }
    every_matrix(|shape, gap, layout, axis, dtype| {
        match_dtype!(dtype, real T => lines::<T>(shape, gap, layout, axis), _ => ());
    });
    // Equals in several blocks, and in pieces that different threads go through: the first counts. −0 is smaller than +0.
    whole(&vec![0_u8; 300_000]);
    whole(&vec![u64::MAX; 5000]);
    whole(&vec![i64::MIN; 5000]);
    let mut zeros = vec![0.0_f32; 150_000];
    (zeros[70_000], zeros[140_000]) = (-0.0, -0.0);
    whole(&zeros);
    // A NaN anywhere comes before the infinities, the first of two wins whatever its sign.
    let mut numbers = vec![1.0_f64; 200_000];
    (numbers[10], numbers[11]) = (f64::NEG_INFINITY, f64::INFINITY);
    (numbers[150_000], numbers[199_999]) = (-f64::NAN, f64::NAN);
    whole(&numbers);
}

#[test]
fn transposition() {
    fn check<T: Element>(rows: usize, cols: usize, x_layout: Layout, out_layout: Layout) {
        let mut x = Matrix::<T>::new(patterns, rows, cols, 3, x_layout);
        let mut out = Matrix::<T>::new(|len, _| patterns(len, 28), cols, rows, 2, out_layout);
        let operation = Operation::Transpose { x: x.operand(), out: out.operand() };
        run(operation);
        let mut expected = out.values.clone();
        for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
            expected[out.index(j, i)] = x.at(i, j);
        }
        out.memory.assert_is(&expected, format_args!("transpose of {rows} × {cols}, {x_layout:?} to {out_layout:?}"));
    }
    use Layout::{ColumnMajor, RowMajor};
    for (rows, cols) in [(0, 4), (4, 0), (1, 1), (1, 40), (40, 1), (32, 32), (31, 33), (64, 65), (257, 391)] {
        for (x, out) in
            [(ColumnMajor, ColumnMajor), (RowMajor, RowMajor), (ColumnMajor, RowMajor), (RowMajor, ColumnMajor)]
        {
            for dtype in DType::ALL {
                assert!(contract::supports(OperationKind::Transpose, dtype));
                match_dtype!(dtype, any T => check::<T>(rows, cols, x, out), _ => unreachable!());
            }
        }
    }
}
