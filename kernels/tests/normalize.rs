//! Softmax and layer normalization, of all elements and along both axes.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Sample, bits, sample, specials};
use warpwave_core::numerics::layer_norm::layer_norm;
use warpwave_core::numerics::softmax::softmax;
use warpwave_core::numerics::{CastFrom, WideFloat, cast};
use warpwave_core::operation::{Axis, LayerNorm, Layout, MatrixOperand};
use warpwave_core::{DType, Operation, ScalarValue, match_dtype};
use warpwave_kernels::launch::plan;

/// Lines and elements of each: registers that are full and that are not, groups of threads smaller and larger than a warp, and chunks.
const SHAPES: [(usize, usize); 9] =
    [(1, 1), (37, 5), (9, 36), (5, 130), (2, 1024), (3, 1025), (1, 8192), (2, 8193), (3, 9000)];

/// Layouts of input and output as their lines have them, what leading dimensions exceed the least by, and where views begin.
const PLACES: [(bool, usize, bool, usize, usize); 5] = [
    (true, 0, true, 0, 0),
    (true, 3, true, 4, 1),
    (false, 0, false, 1, 0),
    (true, 4, false, 0, 4),
    (false, 2, true, 1, 3),
];

/// Compares what an operation makes of each line with `f` of it, on an output and in place. `turn` chooses axis and place.
fn check<T: Sample>(
    what: &str,
    (lines, len): (usize, usize),
    turn: usize,
    x: &[T],
    operation: impl Fn(Axis, MatrixOperand, MatrixOperand) -> Operation,
    f: impl Fn(&dyn Fn(usize) -> T) -> Vec<T>,
) {
    let (contiguous, gap, out_contiguous, out_gap, at) = PLACES[turn % PLACES.len()];
    let axis = if turn.is_multiple_of(2) { Axis::Rows } else { Axis::Cols };
    let (rows, cols) = if axis == Axis::Rows { (lines, len) } else { (len, lines) };
    let place = |contiguous: bool, gap: usize, array: &Array<T>| {
        let layout = if contiguous == (axis == Axis::Rows) { Layout::RowMajor } else { Layout::ColumnMajor };
        array.matrix(at, rows, cols, if contiguous { len } else { lines } + gap, layout)
    };
    let size = |contiguous: bool, gap: usize| {
        let (run, runs) = if contiguous { (len, lines) } else { (lines, len) };
        at + (run + gap) * runs
    };
    let index = |matrix: &MatrixOperand, line: usize, i: usize| {
        let (row, col) = if axis == Axis::Rows { (line, i) } else { (i, line) };
        at + row * matrix.row_stride() + col * matrix.col_stride()
    };
    let x = &x[..size(contiguous, gap)];
    let before = specials::<T>(size(out_contiguous, out_gap), 9);
    for host in Host::both() {
        let (input, output) = (Array::from(x), Array::from(&before));
        let (from, to) = (place(contiguous, gap, &input), place(out_contiguous, out_gap, &output));
        let (mut expected, mut in_place) = (before.clone(), x.to_vec());
        for line in 0..lines {
            for (i, value) in f(&|i| x[index(&from, line, i)]).into_iter().enumerate() {
                expected[index(&to, line, i)] = value;
                in_place[index(&from, line, i)] = value;
            }
        }
        let run = |from, to| host.run(&plan(&operation(axis, from, to), &host.properties()).unwrap(), 3).unwrap();
        let what = format!("{what} {} of {lines} x {len}, place {turn}, warp {}", T::DTYPE, host.warp);
        run(from, to);
        assert!(bits(&output.to_vec()) == bits(&expected), "{what}");
        run(from, from);
        assert!(bits(&input.to_vec()) == bits(&in_place), "{what} in place");
    }
}

fn softmaxes<T: WideFloat + Sample>(mut turn: usize) {
    let (ordinary, special) = (sample::<T>(80_000, 3), specials::<T>(80_000, 4));
    for shape in SHAPES {
        let (x, log) = (if turn.is_multiple_of(7) { &special } else { &ordinary }, turn % 3 == 1);
        let operation = |axis, x, out| Operation::Softmax { log, axis, x, out };
        check("softmax", shape, turn, x, operation, |at| softmax(log, shape.1, at));
        turn += 1;
    }
}

fn layer_norms<T: WideFloat<Acc: CastFrom<f32>> + Sample>(mut turn: usize) {
    let x = sample::<T>(80_000, 5);
    for shape in SHAPES {
        let (gammas, betas) = (sample::<T>(shape.1 + 1, 6), sample::<T>(shape.1 + 1, 7));
        let (of_gamma, of_beta) = (Array::from(&gammas), Array::from(&betas));
        let gamma = (!turn.is_multiple_of(3)).then(|| of_gamma.sub(1, shape.1));
        let beta = (turn % 4 > 1).then(|| of_beta.sub(1, shape.1));
        let value: T::Acc = cast([1e-5_f32, 0.0][turn % 2]);
        let epsilon = ScalarValue::new(value);
        let operation = |axis, x, out| Operation::LayerNorm(LayerNorm { axis, x, gamma, beta, epsilon, out });
        let line = |at: &dyn Fn(usize) -> T| {
            layer_norm(shape.1, value, at, |i| gamma.map(|_| gammas[i + 1]), |i| beta.map(|_| betas[i + 1]))
        };
        check("layer_norm", shape, turn, &x, operation, line);
        turn += 1;
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn softmax_of_lines() {
    for (turn, dtype) in [DType::F32, DType::F64, DType::F16, DType::Bf16].into_iter().enumerate() {
        match_dtype!(dtype, float T => softmaxes::<T>(turn), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn layer_normalization_of_lines() {
    for (turn, dtype) in [DType::F32, DType::F64, DType::F16, DType::Bf16].into_iter().enumerate() {
        match_dtype!(dtype, float T => layer_norms::<T>(turn), _ => panic!());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn whole_vectors() {
    for len in [1, 1000, 8200] {
        let x = sample::<f32>(len, 8);
        for host in Host::both() {
            let array = Array::from(&x);
            let operation =
                Operation::Softmax { log: false, axis: Axis::Whole, x: array.column(), out: array.column() };
            host.run(&plan(&operation, &host.properties()).unwrap(), 5).unwrap();
            assert!(bits(&array.to_vec()) == bits(&softmax(false, len, |i| x[i])), "softmax of {len}");
        }
    }
}
