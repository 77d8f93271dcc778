//! Softmax and layer normalization of all layouts, axes and types.

use super::matrix::Matrix;
use super::{Memory, moderate, patterns, run};
use warpwave_core::numerics::layer_norm::layer_norm;
use warpwave_core::numerics::softmax::softmax;
use warpwave_core::numerics::{CastFrom, WideFloat, cast};
use warpwave_core::operation::{LayerNorm, MatrixOperand};
use warpwave_core::{Axis, DType, Layout, Operation, ScalarValue, match_dtype};

const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::Bf16];

/// Few and many lines, blocks of them that are not full, lines of one chunk and of more.
const SHAPES: [(usize, usize); 13] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 9),
    (9, 1),
    (33, 31),
    (17, 259),
    (3, 1025),
    (300, 40),
    (8192, 2),
    (8193, 3),
    (2, 20_000),
    (18, 8200),
];

/// Layouts of input and output, and what their leading dimensions exceed the least by.
const LAYOUTS: [(Layout, usize, Layout, usize); 4] = [
    (Layout::RowMajor, 3, Layout::RowMajor, 0),
    (Layout::ColumnMajor, 0, Layout::ColumnMajor, 5),
    (Layout::RowMajor, 0, Layout::ColumnMajor, 1),
    (Layout::ColumnMajor, 2, Layout::RowMajor, 4),
];

/// Numbers of which some are masked, and now and then one that makes NaN of its line.
fn masked<T: WideFloat + CastFrom<f32>>(len: usize, seed: u64) -> Vec<T> {
    let mut values = moderate::<T>(len, seed);
    values.iter_mut().step_by(5).for_each(|x| *x = cast(f32::NEG_INFINITY));
    values.iter_mut().skip(7).step_by(1999).for_each(|x| *x = cast(f32::INFINITY));
    values
}

/// Runs an operation on an input and an output, and then in place, and compares each line with its definition.
fn check<T: WideFloat>(
    what: &str,
    axis: Axis,
    (rows, cols): (usize, usize),
    (x_layout, x_gap, out_layout, out_gap): (Layout, usize, Layout, usize),
    values: impl Fn(usize, u64) -> Vec<T>,
    operation: impl Fn(MatrixOperand, MatrixOperand) -> Operation,
    line: impl Fn(usize, &dyn Fn(usize) -> T) -> Vec<T>,
) {
    let mut x = Matrix::<T>::new(values, rows, cols, x_gap, x_layout);
    let mut out = Matrix::<T>::new(patterns, rows, cols, out_gap, out_layout);
    run(operation(x.operand(), out.operand()));
    let (count, len) = if axis == Axis::Rows { (rows, cols) } else { (cols, rows) };
    let place = |line: usize, i: usize| if axis == Axis::Rows { (line, i) } else { (i, line) };
    let (mut expected, mut in_place) = (out.values.clone(), x.values.clone());
    for number in 0..count {
        let results = line(len, &|i| {
            let (row, col) = place(number, i);
            x.at(row, col)
        });
        for (i, value) in results.into_iter().enumerate() {
            let (row, col) = place(number, i);
            expected[out.index(row, col)] = value;
            in_place[x.index(row, col)] = value;
        }
    }
    let what = format!("{what} {axis} of {rows} × {cols}, {x_layout:?} to {out_layout:?}");
    out.memory.assert_is(&expected, &what);
    let operand = x.operand();
    run(operation(operand, operand));
    x.memory.assert_is(&in_place, format_args!("{what}, in place"));
}

#[test]
fn softmax_of_lines() {
    fn each<T: WideFloat + CastFrom<f32>>(log: bool, axis: Axis, shape: (usize, usize), turn: usize) {
        let values = [masked::<T> as fn(usize, u64) -> Vec<T>, moderate::<T>, patterns::<T>][turn % 3];
        let operation = |x, out| Operation::Softmax { log, axis, x, out };
        check("softmax", axis, shape, LAYOUTS[turn % 4], values, operation, |len, at| softmax(log, len, at));
    }
    let mut turn = 0;
    for shape in SHAPES {
        for axis in [Axis::Rows, Axis::Cols] {
            for dtype in FLOATS {
                match_dtype!(dtype, float T => each::<T>(turn % 5 > 2, axis, shape, turn), _ => unreachable!());
                turn += 1;
            }
        }
    }
}

#[test]
fn layer_normalization_of_lines() {
    fn each<T: WideFloat>(axis: Axis, shape: (usize, usize), turn: usize)
    where
        T::Acc: CastFrom<f32>,
    {
        let len = if axis == Axis::Rows { shape.1 } else { shape.0 };
        let (gammas, betas) = (moderate::<T>(len, 41), moderate::<T>(len, 42));
        let (mut gamma, mut beta) = (Memory::new(&gammas), Memory::new(&betas));
        let gamma = (!turn.is_multiple_of(3)).then(|| gamma.span());
        let beta = (turn % 5 > 1).then(|| beta.span());
        let epsilon: T::Acc = cast([1e-5_f32, 0.0, 2.5][turn % 3]);
        let operation =
            |x, out| Operation::LayerNorm(LayerNorm { axis, x, gamma, beta, epsilon: ScalarValue::new(epsilon), out });
        let line = |len: usize, at: &dyn Fn(usize) -> T| {
            layer_norm(len, epsilon, at, |i| gamma.map(|_| gammas[i]), |i| beta.map(|_| betas[i]))
        };
        // Where most lines have a NaN there is little to compare.
        let values = if turn % 7 == 6 && len < 64 { patterns::<T> } else { moderate::<T> };
        check("layer_norm", axis, shape, LAYOUTS[turn % 4], values, operation, line);
    }
    let mut turn = 0;
    for shape in SHAPES {
        for axis in [Axis::Rows, Axis::Cols] {
            for dtype in FLOATS {
                match_dtype!(dtype, float T => each::<T>(axis, shape, turn), _ => unreachable!());
                turn += 1;
            }
        }
    }
}

/// Vectors, and one that is reduced in three levels less one: many chunks, in groups.
#[test]
fn whole_vectors_and_groups_of_long_lines() {
    let values = moderate::<f32>(100_003, 44);
    for len in [0, 1, 2, 1023, 8193, 100_003] {
        let (mut x, mut out) = (Memory::new(&values[..len]), Memory::new(&patterns::<f32>(len, 45)));
        run(Operation::Softmax { log: false, axis: Axis::Whole, x: x.column(), out: out.column() });
        out.assert_is(&softmax(false, len, |i| values[i]), "softmax");
        let epsilon = ScalarValue::new(1e-3_f32);
        let (gamma, beta) = (None, None);
        let arguments = LayerNorm { axis: Axis::Whole, x: x.column(), gamma, beta, epsilon, out: x.column() };
        run(Operation::LayerNorm(arguments));
        x.assert_is(&layer_norm(len, 1e-3, |i| values[i], |_| None, |_| None), "layer_norm");
    }
    // More than one group of long lines.
    let (rows, cols) = (70, 8200);
    let values = moderate::<f32>(rows * cols, 46);
    let mut x = Memory::new(&values);
    let operand = MatrixOperand { ptr: x.ptr(), dtype: DType::F32, rows, cols, ld: cols, layout: Layout::RowMajor };
    run(Operation::Softmax { log: true, axis: Axis::Rows, x: operand, out: operand });
    let expected: Vec<f32> = values.chunks(cols).flat_map(|line| softmax(true, cols, |i| line[i])).collect();
    x.assert_is(&expected, "log_softmax of 70 rows");
}
