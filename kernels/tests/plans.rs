//! Plans of operations past 2³² elements and bytes, looked at without a device: grids within what both vendors take, and sizes and strides
//! that have kept all of their bits.
#![allow(clippy::unwrap_used)]

use warpwave_core::operation::{
    ArgOp, Axis, Gemm, Gemv, LayerNorm, Layout, MatrixOperand, PermuteShape, Ptr, Sort, Source, Span, Strided,
};
use warpwave_core::{
    BinaryOp, CompareOp, DType, Grid, Op, Operation, Parameter, Precision, ReduceOp, Result, ScalarValue, UnaryOp,
    match_dtype,
};
use warpwave_kernels::launch::{Arg, Entry, Launch, Plan, Properties, plan, run};

/// More than 2³² of anything, and odd.
const LEN: usize = (1 << 33) + 5;
/// So many that lie 2³³ apart are within the bytes that there can be.
const SHORT: usize = (1 << 20) + 5;
/// Rows of a matrix that is larger than that.
const ROWS: usize = (1 << 20) + 3;
const COLS: usize = (1 << 13) + 1;
/// Between runs of it.
const LD: usize = ROWS + 13;

/// A device that takes what `run` lets through, and does nothing.
struct Paper(Properties);

impl Launch for Paper {
    type Kernel = Entry;

    fn properties(&self) -> Properties {
        self.0
    }

    fn kernel(&mut self, entry: Entry) -> Result<Entry> {
        Ok(entry)
    }

    fn parameters<'a>(&self, _: &'a Entry) -> Option<&'a [Parameter]> {
        None
    }

    fn max_threads(&self, _: &Entry) -> u32 {
        1024
    }

    fn scratch(&mut self, _: usize) -> Result<Ptr> {
        Ok(address())
    }

    unsafe fn zero(&mut self, _: Ptr, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn launch(&mut self, _: &Entry, _: Grid, _: &[&[u8]]) -> Result<()> {
        Ok(())
    }

    unsafe fn fault(&mut self, _: Ptr) -> Result<()> {
        Ok(())
    }
}

fn address() -> Ptr {
    Ptr::new(std::ptr::without_provenance_mut(1 << 40))
}

fn span(dtype: DType, len: usize) -> Span {
    Span { ptr: address(), dtype, len }
}

fn vector(dtype: DType, inc: isize) -> Strided {
    Strided { base: address(), dtype, len: SHORT, inc }
}

fn matrix(dtype: DType, layout: Layout) -> MatrixOperand {
    let ld = if layout == Layout::ColumnMajor { LD } else { COLS + 13 };
    MatrixOperand { ptr: address(), dtype, rows: ROWS, cols: COLS, ld, layout }
}

fn column(dtype: DType) -> MatrixOperand {
    MatrixOperand { ptr: address(), dtype, rows: LEN, cols: 1, ld: LEN, layout: Layout::ColumnMajor }
}

fn zero_of(dtype: DType) -> ScalarValue {
    match_dtype!(dtype, any T => ScalarValue::new(T::default()), _ => panic!("{dtype}"))
}

/// What devices are like: small and large, with warps of either size.
fn devices() -> [Properties; 3] {
    [
        Properties::new(32, 132, 2048, 227 << 10),
        Properties::new(64, 304, 2048, 64 << 10),
        Properties::new(32, 1, 1024, 48 << 10),
    ]
}

/// The plan of an operation for each device, which `run` accepts.
fn plans(operation: &Operation) -> Vec<Plan> {
    let accepted = |properties: Properties| {
        let made = plan(operation, &properties).unwrap_or_else(|error| panic!("{operation:?}: {error}"));
        // SAFETY: paper touches nothing.
        unsafe { run(&made, &mut Paper(properties)) }.unwrap_or_else(|error| panic!("{operation:?}: {error}"));
        assert!(!made.steps.is_empty(), "{operation:?}");
        made
    };
    devices().map(accepted).into()
}

/// Whether some launch is told `value`, in whole.
fn says(plan: &Plan, value: usize) -> bool {
    let mut args = plan.steps.iter().flat_map(|step| &step.args);
    args.any(|arg| matches!(arg, Arg::U64(n) if *n == value as u64) || matches!(arg, Arg::I64(n) if *n == value as i64))
}

fn check(operation: &Operation, sizes: &[usize]) {
    for plan in plans(operation) {
        for &size in sizes {
            assert!(says(&plan, size), "{size} is not among the arguments of {operation:?}: {plan:?}");
        }
    }
}

fn source(dtype: DType) -> Source {
    Source::Span(span(dtype, LEN))
}

#[test]
fn vectors() {
    for dtype in [DType::U8, DType::F16, DType::F32, DType::F64, DType::C64] {
        let [x, out] = [span(dtype, LEN); 2];
        let mask = span(DType::U8, LEN);
        let value = zero_of(dtype);
        check(&Operation::Cast { x: span(DType::F32, LEN), out: span(DType::F64, LEN) }, &[LEN]);
        check(&Operation::Binary { op: BinaryOp::Add, a: source(dtype), b: source(dtype), out }, &[LEN]);
        check(&Operation::Compare { op: CompareOp::Eq, a: source(dtype), b: source(dtype), out: mask }, &[LEN]);
        check(&Operation::Select { mask, a: source(dtype), b: source(dtype), out }, &[LEN]);
        check(&Operation::Gather { x, index: span(DType::U64, LEN), out }, &[LEN]);
        check(&Operation::Scatter { x, index: span(DType::U64, LEN), out }, &[LEN]);
        check(&Operation::Compact { x, mask, out, count: span(DType::U64, 1) }, &[LEN]);
        check(&Operation::Scan { op: ReduceOp::Sum, exclusive: false, x, out }, &[LEN]);
        let out = span(dtype, 1);
        check(&Operation::Reduce { op: ReduceOp::Sum, axis: Axis::Whole, x: column(dtype), out }, &[LEN]);
        plans(&Operation::Fill { value, out: column(dtype) });
    }
    let [x, out] = [span(DType::F32, LEN); 2];
    check(&Operation::Unary { op: UnaryOp::Sqrt, x, out }, &[LEN]);
    check(&Operation::Unary { op: UnaryOp::Exp, x, out }, &[LEN]);
    check(&Operation::Count { mask: span(DType::U8, LEN), out: span(DType::U64, 1) }, &[LEN]);
    check(&Operation::Histogram { x: span(DType::U32, LEN), out: span(DType::U64, LEN) }, &[LEN]);
    check(&Operation::Random { seed: 1, subsequence: 2, offset: 1 << 40, out }, &[LEN, 1 << 40]);
    let zero = zero_of(DType::F32);
    check(&Operation::Iota { start: zero, step: zero, out }, &[LEN]);
    let (mean, deviation) = (zero, zero);
    check(&Operation::Normal { seed: 1, subsequence: 2, offset: 1 << 40, mean, deviation, out }, &[LEN, 1 << 40]);
    let keys = span(DType::U32, LEN);
    let sort = Sort { keys, values: Some(span(DType::U64, LEN)), descending: false, first_bit: 0, end_bit: 32 };
    check(&Operation::Sort(sort), &[LEN]);
    let extreme =
        Operation::ArgReduce { op: ArgOp::Max, axis: Axis::Whole, x: column(DType::F32), out: span(DType::U64, 1) };
    check(&extreme, &[LEN]);
}

#[test]
fn strides() {
    let inc = (1_isize << 33) + 1;
    let (x, y) = (vector(DType::F64, inc), vector(DType::F64, -inc));
    let alpha = ScalarValue::new(2.0_f64);
    let out = span(DType::F64, 1);
    let sizes = [SHORT, inc as usize];
    check(&Operation::Axpy { alpha, x, y }, &sizes);
    check(&Operation::Copy { x, y }, &sizes);
    check(&Operation::Swap { x, y }, &sizes);
    check(&Operation::Scal { alpha, x }, &sizes);
    check(&Operation::Dot { conj: false, x, y, out }, &sizes);
    check(&Operation::Nrm2 { x, out }, &sizes);
    check(&Operation::Asum { x, out }, &sizes);
    check(&Operation::Iamax { x, out: span(DType::U64, 1) }, &sizes);
    check(&Operation::Rot { c: alpha, s: alpha, x, y }, &sizes);
}

#[test]
fn matrices() {
    for (layout, ld) in [(Layout::ColumnMajor, LD), (Layout::RowMajor, COLS + 13)] {
        let a = matrix(DType::F32, layout);
        let sizes = [ROWS, COLS, ld];
        for (axis, count) in [(Axis::Rows, ROWS), (Axis::Cols, COLS)] {
            let out = span(DType::F32, count);
            check(&Operation::Reduce { op: ReduceOp::Sum, axis, x: a, out }, &sizes);
            check(&Operation::Mean { axis, x: a, out }, &sizes);
            check(&Operation::Softmax { log: false, axis, x: a, out: a }, &sizes);
            let epsilon = zero_of(DType::F32);
            let norm = LayerNorm { axis, x: a, gamma: None, beta: None, epsilon, out: a };
            check(&Operation::LayerNorm(norm), &sizes);
        }
        let one = ScalarValue::new(1.0_f32);
        let short = |len: usize| Strided { base: address(), dtype: DType::F32, len, inc: 1 };
        let precision = Precision::Reproducible;
        let gemv = Gemv { op: Op::N, alpha: one, a, x: short(COLS), beta: one, y: short(ROWS), precision };
        check(&Operation::Gemv(gemv), &sizes);
        check(&Operation::Ger { conj: false, alpha: one, x: short(ROWS), y: short(COLS), a }, &sizes);
        let out = MatrixOperand { rows: COLS, cols: ROWS, ld: ROWS + COLS, ..a };
        check(&Operation::Transpose { x: a, out }, &[ld, ROWS + COLS]);
        let square = MatrixOperand { rows: COLS, cols: COLS, ..a };
        let strides = [0, 0, 1 << 34];
        let gemm =
            Gemm { op_a: Op::N, op_b: Op::N, alpha: one, a, b: square, beta: one, c: a, batch: 3, strides, precision };
        check(&Operation::Gemm(gemm), &[ROWS, COLS, ld, 1 << 34]);
    }
    let sizes = [(1 << 16) + 1, 3, (1 << 16) + 7];
    let x = span(DType::F32, sizes.iter().product());
    let shape = PermuteShape::new(&sizes, &[2, 0, 1]).unwrap();
    plans(&Operation::Permute { x, out: x, shape });
}
