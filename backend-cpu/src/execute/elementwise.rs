//! Unary and binary operations, comparisons, and selection.
//!
//! The functions return `None`, having written nothing, where there is no definition.

use super::math;
use super::memory::{Feed, Operand, Sink, block, elements_mut, grain};
use crate::simd::vectorize;
use crate::workers::Workers;
use warpwave_core::numerics::{Absolute, ComplexNumeric, FloatNumeric, IntegerNumeric, Negate, Numeric, RealNumeric};
use warpwave_core::operation::{Source, Span};
use warpwave_core::{BinaryOp, CompareOp, DType, Element, UnaryOp, match_dtype};

/// `out[i] = f(x[i])`.
///
/// # Safety
/// `x` and `out` are spans of `S` and `D` as the operations of [`warpwave_core::operation`] take them.
pub(super) unsafe fn map<S: Element, D: Element>(
    workers: &Workers,
    x: Span,
    out: Span,
    f: impl Fn(S) -> D + Copy + Sync,
) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe { map_pieces(workers, x, out, &|x, out| map_slice(x, out, f)) }
}

/// The part of [`map`] that is the same for all functions of a type, and compiled once for it.
///
/// # Safety
/// As for [`map`].
pub(super) unsafe fn map_pieces<S: Element, D: Element>(
    workers: &Workers,
    x: Span,
    out: Span,
    f: &(dyn Fn(&[S], &mut [D]) + Sync),
) -> Option<()> {
    let source = Source::Span(x);
    let operand = Operand::<S>::new(source)?;
    if D::DTYPE != out.dtype {
        return None;
    }
    workers.split(out.len, grain::<S>(), |range| {
        let (mut room, mut room_out) = (block(), block());
        let mut x = Feed::new(operand, out.ptr, range.len(), &mut room);
        let mut sink = Sink::new(out, &[source], &mut room_out);
        let step = x.longest(range.len()).min(sink.longest(range.len()));
        for start in range.clone().step_by(step) {
            let len = step.min(range.end - start);
            // SAFETY: the range is inside both spans, no other part has it, and `Feed` keeps input and output apart.
            unsafe { sink.write(start, len, |out| f(x.next(start, len), out)) };
        }
    });
    Some(())
}

pub(super) fn map_slice<S: Element, D: Element>(x: &[S], out: &mut [D], f: impl Fn(S) -> D) {
    vectorize(
        #[inline(always)]
        || {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = f(x);
            }
        },
    );
}

/// `out[i] = f(a[i], b[i])`.
///
/// # Safety
/// As for [`map`].
unsafe fn map2<T: Element, D: Element>(
    workers: &Workers,
    a: Source,
    b: Source,
    out: Span,
    f: impl Fn(T, T) -> D + Copy + Sync,
) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe { map2_pieces(workers, a, b, out, &|a, b, out| map2_slice(a, b, out, f)) }
}

/// A loop over two inputs.
pub(super) type Loop2<'a, T, D> = dyn Fn(&[T], &[T], &mut [D]) + Sync + 'a;

/// The part of [`map2`] that is the same for all functions of a type, and compiled once for it.
///
/// # Safety
/// As for [`map`].
pub(super) unsafe fn map2_pieces<T: Element, D: Element>(
    workers: &Workers,
    a: Source,
    b: Source,
    out: Span,
    f: &Loop2<'_, T, D>,
) -> Option<()> {
    let sources = [a, b];
    let (a, b) = (Operand::<T>::new(a)?, Operand::<T>::new(b)?);
    if D::DTYPE != out.dtype {
        return None;
    }
    workers.split(out.len, grain::<T>(), |range| {
        let (mut room_a, mut room_b, mut room_out) = (block(), block(), block());
        let mut a = Feed::new(a, out.ptr, range.len(), &mut room_a);
        let mut b = Feed::new(b, out.ptr, range.len(), &mut room_b);
        let mut sink = Sink::new(out, &sources, &mut room_out);
        let step = a.longest(range.len()).min(b.longest(range.len())).min(sink.longest(range.len()));
        for start in range.clone().step_by(step) {
            let len = step.min(range.end - start);
            // SAFETY: the range is inside all spans, no other part has it, and `Feed` keeps inputs and output apart.
            unsafe { sink.write(start, len, |out| f(a.next(start, len), b.next(start, len), out)) };
        }
    });
    Some(())
}

pub(super) fn map2_slice<T: Element, D: Element>(a: &[T], b: &[T], out: &mut [D], f: impl Fn(T, T) -> D) {
    vectorize(
        #[inline(always)]
        || {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(a, b);
            }
        },
    );
}

/// [`Operation::Unary`](warpwave_core::Operation::Unary).
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn unary(workers: &Workers, op: UnaryOp, x: Span, out: Span) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            UnaryOp::Neg => match_dtype!(x.dtype, negate T => map(workers, x, out, T::negate), _ => None),
            UnaryOp::Abs => match_dtype!(x.dtype, absolute T => map(workers, x, out, T::absolute), _ => None),
            UnaryOp::Sqrt => match_dtype!(x.dtype, float T => map(workers, x, out, T::square_root), _ => None),
            UnaryOp::Conj => match_dtype!(x.dtype, complex T => map(workers, x, out, T::conjugate), _ => None),
            UnaryOp::Not => match_dtype!(x.dtype, integer T => map(workers, x, out, T::bit_not), _ => None),
            _ => math::unary(workers, op, x, out),
        }
    }
}

/// [`Operation::Binary`](warpwave_core::Operation::Binary).
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn binary(workers: &Workers, op: BinaryOp, a: Source, b: Source, out: Span) -> Option<()> {
    macro_rules! each {
        ($family:ident, $function:ident) => {
            match_dtype!(out.dtype, $family T => map2(workers, a, b, out, T::$function), _ => None)
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            BinaryOp::Add => each!(any, add),
            BinaryOp::Sub => each!(any, sub),
            BinaryOp::Mul => each!(any, mul),
            BinaryOp::Div => each!(real, div),
            BinaryOp::Rem => each!(integer, rem),
            BinaryOp::Minimum => each!(real, min_nan),
            BinaryOp::Maximum => each!(real, max_nan),
            BinaryOp::MinimumNumber => each!(real, min_num),
            BinaryOp::MaximumNumber => each!(real, max_num),
            BinaryOp::And => each!(integer, bit_and),
            BinaryOp::Or => each!(integer, bit_or),
            BinaryOp::Xor => each!(integer, bit_xor),
            BinaryOp::Shl => each!(integer, shift_left),
            BinaryOp::Shr => each!(integer, shift_right),
            _ => math::binary(workers, op, a, b, out),
        }
    }
}

/// [`Operation::Compare`](warpwave_core::Operation::Compare).
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn compare(workers: &Workers, op: CompareOp, a: Source, b: Source, out: Span) -> Option<()> {
    macro_rules! each {
        ($family:ident, $a:ident, $b:ident, $test:expr) => {
            match_dtype!(
                a.dtype(),
                $family T => map2(workers, a, b, out, #[inline(always)] |$a: T, $b: T| u8::from($test)),
                _ => None
            )
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            CompareOp::Eq => each!(any, x, y, T::equal(x, y)),
            CompareOp::Ne => each!(any, x, y, !T::equal(x, y)),
            CompareOp::Lt => each!(real, x, y, T::less(x, y)),
            CompareOp::Le => each!(real, x, y, T::less_equal(x, y)),
            CompareOp::Gt => each!(real, x, y, T::less(y, x)),
            CompareOp::Ge => each!(real, x, y, T::less_equal(y, x)),
            _ => None,
        }
    }
}

/// [`Operation::Select`](warpwave_core::Operation::Select): by the size of the elements alone, which are moved and not looked at.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn select(workers: &Workers, mask: Span, a: Source, b: Source, out: Span) -> Option<()> {
    if mask.dtype != DType::U8 || a.dtype() != out.dtype || b.dtype() != out.dtype {
        return None;
    }
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match out.dtype.size() {
            1 => select_bits::<u8>(workers, mask, a, b, out),
            2 => select_bits::<u16>(workers, mask, a, b, out),
            4 => select_bits::<u32>(workers, mask, a, b, out),
            // An element of two `f32` is aligned like one.
            8 if out.dtype.is_complex() => select_bits::<[u32; 2]>(workers, mask, a, b, out),
            8 => select_bits::<u64>(workers, mask, a, b, out),
            16 => select_bits::<[u64; 2]>(workers, mask, a, b, out),
            _ => None,
        }
    }
}

/// # Safety
/// As for [`select`], and `T` has the size of an element and no greater alignment.
unsafe fn select_bits<T: bytemuck::Pod + Sync>(
    workers: &Workers,
    mask: Span,
    a: Source,
    b: Source,
    out: Span,
) -> Option<()> {
    let (a, b) = (Operand::<T>::bits(a)?, Operand::<T>::bits(b)?);
    workers.split(out.len, grain::<T>(), |range| {
        let (mut room_a, mut room_b, mut room_mask) = (block(), block(), block());
        let mut a = Feed::new(a, out.ptr, range.len(), &mut room_a);
        let mut b = Feed::new(b, out.ptr, range.len(), &mut room_b);
        let mut mask = Feed::new(Operand::<u8>::Elements(mask.ptr), out.ptr, range.len(), &mut room_mask);
        let step = a.longest(range.len()).min(b.longest(range.len())).min(mask.longest(range.len()));
        for start in range.clone().step_by(step) {
            let len = step.min(range.end - start);
            // SAFETY: the range is inside all spans, no other part has it, and `Feed` keeps inputs and output apart.
            unsafe {
                let (mask, a, b) = (mask.next(start, len), a.next(start, len), b.next(start, len));
                select_slice(mask, a, b, elements_mut(out.ptr, start, len));
            }
        }
    });
    Some(())
}

fn select_slice<T: Copy>(mask: &[u8], a: &[T], b: &[T], out: &mut [T]) {
    vectorize(
        #[inline(always)]
        || {
            for (((out, &mask), &a), &b) in out.iter_mut().zip(mask).zip(a).zip(b) {
                *out = if mask == 0 { b } else { a };
            }
        },
    );
}
