//! Element-wise operations: the methods that a table makes, and what all of them come down to.

use super::operand::AsOperand;
use crate::element::{Element, Real, ScalarValue};
use crate::error::Result;
use crate::numerics::CastFrom;
use crate::operation::{BinaryOp, CompareOp, Operation, OperationKind, Source, UnaryOp};
use crate::runtime::{Access, Checked};
use crate::stream::{Stream, same_len};
use crate::view::{AsView, AsViewMut};

/// Methods `name(x, out)` and `name_assign(x)`.
macro_rules! unary_methods {
    ($($(#[$doc:meta])* $name:ident, $assign:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.unary(UnaryOp::$op, x, out)
        }

        #[doc = concat!("[`", stringify!($name), "`](Ops::", stringify!($name), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $assign<T: $bound>(&self, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
            self.unary_assign(UnaryOp::$op, x)
        }
    )* };
}

/// Methods `name(a, b, out)` and `name_assign(x, b)`.
macro_rules! binary_methods {
    ($($(#[$doc:meta])* $name:ident, $assign:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            a: &impl AsOperand<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            self.binary(BinaryOp::$op, a, b, out)
        }

        #[doc = concat!("[`", stringify!($name), "`](Ops::", stringify!($name), ") with `x` for `a` and for `out`.")]
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $assign<T: $bound>(
            &self,
            x: &mut impl AsViewMut<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
        ) -> Result<()> {
            self.binary_assign(BinaryOp::$op, x, b)
        }
    )* };
}

/// Methods `name(a, b, out)` with truth values in `out`.
macro_rules! compare_methods {
    ($($(#[$doc:meta])* $name:ident, $op:ident, $bound:path;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// As said [above](Ops).
        fn $name<T: $bound>(
            &self,
            a: &impl AsOperand<T, Self::Device>,
            b: &impl AsOperand<T, Self::Device>,
            out: &mut impl AsViewMut<u8, Self::Device>,
        ) -> Result<()> {
            self.compare(CompareOp::$op, a, b, out)
        }
    )* };
}

pub(super) use {binary_methods, compare_methods, unary_methods};

pub(super) fn iota<S: Stream, T: Real>(
    stream: &S,
    start: T,
    step: T,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let out = out.view_mut().into_view();
    let (start, step) = (ScalarValue::new(start), ScalarValue::new(step));
    stream.submit(Checked::TYPED, Operation::Iota { start, step, out: out.span() }, &[out.writes("out")])
}

pub(super) fn cast<S: Stream, From: Element, To: CastFrom<From>>(
    stream: &S,
    x: &impl AsView<From, S::Device>,
    out: &mut impl AsViewMut<To, S::Device>,
) -> Result<()> {
    let (x, out) = (x.view(), out.view_mut().into_view());
    same_len("cast", "out", x.len(), out.len())?;
    let operation = Operation::Cast { x: x.span(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

pub(super) fn unary<S: Stream, T: Element>(
    stream: &S,
    op: UnaryOp,
    x: &impl AsView<T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let (x, out) = (x.view(), out.view_mut().into_view());
    same_len(op.name(), "out", x.len(), out.len())?;
    let operation = Operation::Unary { op, x: x.span(), out: out.span() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}

pub(super) fn unary_assign<S: Stream, T: Element>(
    stream: &S,
    op: UnaryOp,
    x: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let x = x.view_mut().into_view();
    stream.submit(Checked::TYPED, Operation::Unary { op, x: x.span(), out: x.span() }, &[x.writes("x")])
}

pub(super) fn binary<S: Stream, T: Element>(
    stream: &S,
    op: BinaryOp,
    a: &impl AsOperand<T, S::Device>,
    b: &impl AsOperand<T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let (a, b, out) = (a.operand(), b.operand(), out.view_mut().into_view());
    a.check(op.into(), "a", out.len())?;
    b.check(op.into(), "b", out.len())?;
    let operation = Operation::Binary { op, a: a.source(), b: b.source(), out: out.span() };
    submit(stream, operation, [a.reads("a"), b.reads("b"), None], out.writes("out"))
}

pub(super) fn binary_assign<S: Stream, T: Element>(
    stream: &S,
    op: BinaryOp,
    x: &mut impl AsViewMut<T, S::Device>,
    b: &impl AsOperand<T, S::Device>,
) -> Result<()> {
    let (x, b) = (x.view_mut().into_view(), b.operand());
    b.check(op.into(), "b", x.len())?;
    let operation = Operation::Binary { op, a: Source::Span(x.span()), b: b.source(), out: x.span() };
    submit(stream, operation, [b.reads("b"), None, None], x.writes("x"))
}

pub(super) fn compare<S: Stream, T: Element>(
    stream: &S,
    op: CompareOp,
    a: &impl AsOperand<T, S::Device>,
    b: &impl AsOperand<T, S::Device>,
    out: &mut impl AsViewMut<u8, S::Device>,
) -> Result<()> {
    let (a, b, out) = (a.operand(), b.operand(), out.view_mut().into_view());
    a.check(op.into(), "a", out.len())?;
    b.check(op.into(), "b", out.len())?;
    let operation = Operation::Compare { op, a: a.source(), b: b.source(), out: out.span() };
    submit(stream, operation, [a.reads("a"), b.reads("b"), None], out.writes("out"))
}

pub(super) fn select<S: Stream, T: Element>(
    stream: &S,
    mask: &impl AsView<u8, S::Device>,
    a: &impl AsOperand<T, S::Device>,
    b: &impl AsOperand<T, S::Device>,
    out: &mut impl AsViewMut<T, S::Device>,
) -> Result<()> {
    let (mask, a, b, out) = (mask.view(), a.operand(), b.operand(), out.view_mut().into_view());
    same_len("select", "mask", out.len(), mask.len())?;
    a.check(OperationKind::Select, "a", out.len())?;
    b.check(OperationKind::Select, "b", out.len())?;
    let operation = Operation::Select { mask: mask.span(), a: a.source(), b: b.source(), out: out.span() };
    submit(stream, operation, [Some(mask.reads("mask")), a.reads("a"), b.reads("b")], out.writes("out"))
}

pub(super) fn select_assign<S: Stream, T: Element>(
    stream: &S,
    x: &mut impl AsViewMut<T, S::Device>,
    mask: &impl AsView<u8, S::Device>,
    a: &impl AsOperand<T, S::Device>,
) -> Result<()> {
    let (x, mask, a) = (x.view_mut().into_view(), mask.view(), a.operand());
    same_len("select", "mask", x.len(), mask.len())?;
    a.check(OperationKind::Select, "a", x.len())?;
    let b = Source::Span(x.span());
    let operation = Operation::Select { mask: mask.span(), a: a.source(), b, out: x.span() };
    submit(stream, operation, [Some(mask.reads("mask")), a.reads("a"), None], x.writes("x"))
}

/// Submits an operation that reads some of `inputs` and writes `output`.
fn submit<'a, S: Stream>(
    stream: &S,
    operation: Operation,
    inputs: [Option<Access<'a>>; 3],
    output: Access<'a>,
) -> Result<()> {
    let mut accesses = [output; 4];
    let mut count = 1;
    for access in inputs.into_iter().flatten() {
        accesses[count] = access;
        count += 1;
    }
    stream.submit(Checked::TYPED, operation, &accesses[..count])
}
