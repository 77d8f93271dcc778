//! Conversions, and operations of one, two and three operands.

use super::bits;
use super::copy;
use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::numerics::contract;
use warpwave_core::operation::{Ptr, Source, Span};
use warpwave_core::{BinaryOp, CompareOp, DType, OperationKind, UnaryOp};

/// Threads of a block of every map.
pub(super) const THREADS: u32 = 256;

/// The launch of a map over `len` elements, of which `pack` go at once.
pub(super) fn map(entry: Entry, len: usize, pack: usize, properties: &Properties, operands: &[Arg]) -> Plan {
    let blocks = properties.blocks(len.div_ceil(pack.max(1)), THREADS, 2, 8);
    let args = [Arg::U64(len as u64)].iter().chain(operands).copied().collect();
    Plan::one(Step::new(entry, blocks, THREADS, args))
}

/// Elements of which one pack each, of every type, fits into 16 bytes.
fn pack(types: &[DType]) -> usize {
    16 / types.iter().map(|dtype| dtype.size()).max().unwrap_or(16)
}

/// `out[i] = x[i]`, converted.
pub(super) fn cast(x: Span, out: Span, properties: &Properties) -> Plan {
    let (from, to) = (x.dtype, out.dtype);
    let integers = from.is_integer() && to.is_integer();
    if from == to || (integers && from.size() == to.size()) {
        return copy::contiguous(x, out, properties);
    }
    // Between integers the sign of the target makes no difference.
    let named = if integers { bits::width(to.size()) } else { to };
    let operands = [Arg::Ptr(x.ptr), Arg::Ptr(out.ptr)];
    map(Entry::of_two("cast", "cast", from, named), out.len, pack(&[from, to]), properties, &operands)
}

/// The text with an operation's kernels, and how many elements go at once there: elementary functions have a text of their own.
fn text(file: &'static str, kind: OperationKind, dtype: DType) -> (&'static str, usize) {
    match contract::max_ulp(kind, dtype) {
        Some(_) => ("math", 4_usize.div_ceil(dtype.size())),
        None => (file, pack(&[dtype])),
    }
}

/// `out[i] = op x[i]`.
pub(super) fn unary(op: UnaryOp, x: Span, out: Span, properties: &Properties) -> Plan {
    let operands = [Arg::Ptr(x.ptr), Arg::Ptr(out.ptr)];
    let (file, pack) = text("unary", op.into(), x.dtype);
    map(Entry::of(file, op.name(), x.dtype), out.len, pack, properties, &operands)
}

/// `out[i] = a[i] op b[i]`.
pub(super) fn binary(op: BinaryOp, a: Source, b: Source, out: Span, properties: &Properties) -> Plan {
    let dtype = out.dtype;
    let (name, dtype) = match op {
        BinaryOp::MinimumNumber if dtype.is_integer() => (BinaryOp::Minimum.name(), dtype),
        BinaryOp::MaximumNumber if dtype.is_integer() => (BinaryOp::Maximum.name(), dtype),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl => (op.name(), bits::width(dtype.size())),
        _ => (op.name(), dtype),
    };
    let [a, b] = [a, b].map(|operand| {
        let (at, value) = bits::source(operand);
        (at, if dtype == out.dtype { value } else { bits::value(value) })
    });
    let (file, pack) = text("binary", op.into(), dtype);
    map(Entry::of(file, name, dtype), out.len, pack, properties, &sources(a, b, out.ptr))
}

/// `out[i] = a[i] op b[i]`, as 1 or 0.
pub(super) fn compare(op: CompareOp, a: Source, b: Source, out: Span, properties: &Properties) -> Plan {
    let (name, a, b) = match op {
        CompareOp::Gt => (CompareOp::Lt.name(), b, a),
        CompareOp::Ge => (CompareOp::Le.name(), b, a),
        _ => (op.name(), a, b),
    };
    let dtype = a.dtype();
    let operands = sources(bits::source(a), bits::source(b), out.ptr);
    map(Entry::of("compare", name, dtype), out.len, pack(&[dtype]), properties, &operands)
}

/// `out[i] = mask[i] ≠ 0 ? a[i] : b[i]`.
pub(super) fn select(mask: Span, a: Source, b: Source, out: Span, properties: &Properties) -> Plan {
    let dtype = bits::width(out.dtype.size());
    let [a, b] = [a, b].map(|operand| {
        let (at, value) = bits::source(operand);
        (at, bits::value(value))
    });
    let operands: Vec<Arg> = [Arg::Ptr(mask.ptr)].into_iter().chain(sources(a, b, out.ptr)).collect();
    map(Entry::of("select", "select", dtype), out.len, pack(&[dtype]), properties, &operands)
}

type Operand = (Ptr, warpwave_core::ScalarValue);

fn sources(a: Operand, b: Operand, out: Ptr) -> [Arg; 5] {
    [Arg::Ptr(a.0), Arg::Scalar(a.1), Arg::Ptr(b.0), Arg::Scalar(b.1), Arg::Ptr(out)]
}
