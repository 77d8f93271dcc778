//! Faults in the arguments: another operation is executed than was asked for.

use super::indexing::axes_inverted;
use super::{Fault, large, triangles};
use warpwave_core::operation::{Gemm, Gemv, MatrixOperand, Sort, Source, Span, Strided};
use warpwave_core::{BinaryOp, DType, Layout, Op, Operation, ScalarValue};

/// The operation that a backend with the fault executes. It touches elements of the original's operands and nothing else,
/// but for three faults: [`Fault::LdIgnored`] reads what lies between the runs of a matrix, [`Fault::FillOverPadding`] writes
/// it, and [`Fault::OddByteFill`] writes up to three bytes behind its output, inside the allocation, which ends at a multiple
/// of 256 bytes.
pub(super) fn alter(fault: Fault, operation: &Operation) -> Operation {
    match fault {
        Fault::LdIgnored => with_matrix(operation, |a| MatrixOperand { ld: a.runs().0, ..a }),
        Fault::RowsForColumns => with_matrix(operation, turned),
        Fault::TransposeForConjugate => unconjugated(operation),
        Fault::NegativeIncrement => with_vectors(operation, |x| Strided { inc: x.inc.abs(), ..x }),
        Fault::DroppedColumn => without_last_column(operation),
        Fault::DroppedTail => shortened(operation),
        Fault::LargeTailDropped if large::is_large(operation) => shortened(operation),
        _ => match (fault, *operation) {
            (Fault::BatchStrideIgnored, Operation::Gemm(gemm)) => {
                Operation::Gemm(Gemm { strides: [gemm.strides[0], 0, gemm.strides[2]], ..gemm })
            }
            (Fault::NanDroppedInMax, Operation::Binary { op: BinaryOp::Maximum, a, b, out }) => {
                Operation::Binary { op: BinaryOp::MaximumNumber, a, b, out }
            }
            (Fault::NanDroppedInMax, Operation::Binary { op: BinaryOp::Minimum, a, b, out }) => {
                Operation::Binary { op: BinaryOp::MinimumNumber, a, b, out }
            }
            (Fault::UnsignedShift, Operation::Binary { op: BinaryOp::Shr, a, b, out }) => {
                let out = Span { dtype: unsigned(out.dtype), ..out };
                Operation::Binary { op: BinaryOp::Shr, a: unsigned_source(a), b: unsigned_source(b), out }
            }
            (Fault::OddByteFill, Operation::Fill { value, out }) if out.cols == 1 && out.dtype.size() < 4 => {
                let size = out.dtype.size();
                let end = (out.ptr.addr() + out.rows * size).next_multiple_of(4);
                let rows = (end - out.ptr.addr()) / size;
                Operation::Fill { value, out: MatrixOperand { rows, ld: rows, ..out } }
            }
            (Fault::FillOverPadding, Operation::Fill { value, out }) if !out.is_empty() => {
                let (run, runs) = out.runs();
                let rows = if runs == 1 { run } else { (runs - 1) * out.ld + run };
                Operation::Fill {
                    value,
                    out: MatrixOperand { rows, cols: 1, ld: rows, layout: Layout::ColumnMajor, ..out },
                }
            }
            (Fault::CountMissesLast, Operation::Count { mask, out }) => {
                Operation::Count { mask: Span { len: mask.len.saturating_sub(1), ..mask }, out }
            }
            (Fault::LargeTilesCut, Operation::Transpose { x, out }) => large::whole_tiles(x, out),
            (Fault::LargeBetaIgnored, Operation::Gemm(gemm)) => Operation::Gemm(large::without_beta(gemm)),
            (Fault::FirstRangeAlone, Operation::Axpy { alpha, x, y }) if x.inc > 0 && y.inc > 0 => {
                Operation::Axpy { alpha, x: large::first_range(x), y: large::first_range(y) }
            }
            (Fault::FirstKeysAlone, Operation::Sort(sort)) => Operation::Sort(large::first_keys(sort)),
            (Fault::InclusiveForExclusive, Operation::Scan { op, x, out, .. }) => {
                Operation::Scan { op, exclusive: false, x, out }
            }
            (Fault::SignBitInKeys, Operation::Sort(sort)) => {
                let keys = Span { dtype: unsigned(sort.keys.dtype), ..sort.keys };
                Operation::Sort(Sort { keys, ..sort })
            }
            (Fault::BitRangeIgnored, Operation::Sort(sort)) => {
                Operation::Sort(Sort { first_bit: 0, end_bit: 8 * sort.keys.dtype.size() as u32, ..sort })
            }
            (Fault::ValuesNotMoved, Operation::Sort(sort)) => Operation::Sort(Sort { values: None, ..sort }),
            (Fault::SkipToBlock, Operation::Random { seed, subsequence, offset, out }) => {
                Operation::Random { seed, subsequence, offset: offset - offset % 4, out }
            }
            (Fault::AxesInverted, Operation::Permute { x, out, shape }) => {
                Operation::Permute { x, out, shape: axes_inverted(shape) }
            }
            (fault, operation) => triangles::alter(fault, &operation),
        },
    }
}

/// With another first matrix of a product.
fn with_matrix(operation: &Operation, change: impl Fn(MatrixOperand) -> MatrixOperand) -> Operation {
    match *operation {
        Operation::Gemv(gemv) => Operation::Gemv(Gemv { a: change(gemv.a), ..gemv }),
        Operation::Gemm(gemm) => Operation::Gemm(Gemm { a: change(gemm.a), ..gemm }),
        operation => operation,
    }
}

fn turned(a: MatrixOperand) -> MatrixOperand {
    let layout = match a.layout {
        Layout::ColumnMajor => Layout::RowMajor,
        Layout::RowMajor => Layout::ColumnMajor,
    };
    if a.rows == a.cols { MatrixOperand { layout, ..a } } else { a }
}

fn unconjugated(operation: &Operation) -> Operation {
    let plain = |op| if op == Op::C { Op::T } else { op };
    match *operation {
        Operation::Dot { x, y, out, .. } => Operation::Dot { conj: false, x, y, out },
        Operation::Gemv(gemv) => Operation::Gemv(Gemv { op: plain(gemv.op), ..gemv }),
        Operation::Gemm(gemm) => Operation::Gemm(Gemm { op_a: plain(gemm.op_a), op_b: plain(gemm.op_b), ..gemm }),
        operation => operation,
    }
}

fn with_vectors(operation: &Operation, change: impl Fn(Strided) -> Strided) -> Operation {
    match *operation {
        Operation::Copy { x, y } => Operation::Copy { x: change(x), y: change(y) },
        Operation::Swap { x, y } => Operation::Swap { x: change(x), y: change(y) },
        Operation::Scal { alpha, x } => Operation::Scal { alpha, x: change(x) },
        Operation::Axpy { alpha, x, y } => Operation::Axpy { alpha, x: change(x), y: change(y) },
        Operation::Dot { conj, x, y, out } => Operation::Dot { conj, x: change(x), y: change(y), out },
        Operation::Iamax { x, out } => Operation::Iamax { x: change(x), out },
        Operation::Ger { conj, alpha, x, y, a } => Operation::Ger { conj, alpha, x: change(x), y: change(y), a },
        Operation::Gemv(gemv) => Operation::Gemv(Gemv { x: change(gemv.x), y: change(gemv.y), ..gemv }),
        operation => operation,
    }
}

fn without_last_column(operation: &Operation) -> Operation {
    let Operation::Gemm(mut gemm) = *operation else { return *operation };
    let k = gemm.k();
    if k > 1 && k % 2 == 1 {
        match gemm.op_a {
            Op::N => gemm.a.cols -= 1,
            _ => gemm.a.rows -= 1,
        }
        match gemm.op_b {
            Op::N => gemm.b.rows -= 1,
            _ => gemm.b.cols -= 1,
        }
    }
    Operation::Gemm(gemm)
}

fn shortened(operation: &Operation) -> Operation {
    let span = |x: Span| Span { len: x.len - usize::from(x.len > 1), ..x };
    let source = |x: Source| match x {
        Source::Span(x) => Source::Span(span(x)),
        scalar => scalar,
    };
    match *operation {
        Operation::Cast { x, out } => Operation::Cast { x: span(x), out: span(out) },
        Operation::Unary { op, x, out } => Operation::Unary { op, x: span(x), out: span(out) },
        Operation::Binary { op, a, b, out } => Operation::Binary { op, a: source(a), b: source(b), out: span(out) },
        Operation::Compare { op, a, b, out } => Operation::Compare { op, a: source(a), b: source(b), out: span(out) },
        Operation::Select { mask, a, b, out } => {
            Operation::Select { mask: span(mask), a: source(a), b: source(b), out: span(out) }
        }
        operation => operation,
    }
}

fn unsigned(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        dtype => dtype,
    }
}

fn unsigned_source(source: Source) -> Source {
    match source {
        Source::Span(span) => Source::Span(Span { dtype: unsigned(span.dtype), ..span }),
        Source::Scalar(value) => Source::Scalar(match value.dtype() {
            DType::I8 => ScalarValue::new(value.get::<i8>().unwrap_or_default().cast_unsigned()),
            DType::I16 => ScalarValue::new(value.get::<i16>().unwrap_or_default().cast_unsigned()),
            DType::I32 => ScalarValue::new(value.get::<i32>().unwrap_or_default().cast_unsigned()),
            DType::I64 => ScalarValue::new(value.get::<i64>().unwrap_or_default().cast_unsigned()),
            _ => value,
        }),
    }
}
