//! Running an element-wise operation with its operands in every form that the interface has.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Image, Sample, Vector, fronts, lengths, seeds, tails};
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::{BinaryOp, Buffer, Device, Ops, Stream, UnaryOp};

/// How the operands of an operation are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Views, and another as output.
    Views,
    /// One number and a view.
    ScalarLeft,
    /// A view and one number.
    ScalarRight,
    /// The first operand is the output.
    Assign,
    /// The first operand is the output, the second a number.
    AssignScalar,
}

/// One call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) len: usize,
    /// Elements in front of the output, and of the operands.
    pub(super) fronts: [usize; 3],
    pub(super) form: Form,
    pub(super) seed: u64,
}

pub(super) fn calls(level: Level) -> impl Strategy<Value = Call> {
    use Form::{Assign, AssignScalar, ScalarLeft, ScalarRight, Views};
    let forms = select(&[Views, ScalarLeft, ScalarRight, Assign, AssignScalar][..]);
    (lengths(level), [fronts(), fronts(), fronts()], forms, seeds()).prop_map(|(len, fronts, form, seed)| Call {
        len,
        fronts,
        form,
        seed,
    })
}

/// Every length of a tail, with operands at every distance from an aligned address, and one that several threads or
/// blocks share; out of place and in place.
pub(super) fn every_tail<T: Sample>() -> impl Iterator<Item = Call> {
    let call = |len: usize| Call {
        len,
        fronts: [len % 3, len % 5, len % 7],
        form: if len % 4 == 3 { Form::Assign } else { Form::Views },
        seed: len as u64,
    };
    tails::<T>().map(call)
}

impl Call {
    /// A call with views, of `len` elements.
    pub(super) fn of_views(len: usize) -> Self {
        Call { len, fronts: [1, 2, 3], form: Form::Views, seed: 0 }
    }

    /// Where operand `i` lies in its image; 0 is the output.
    fn place(&self, i: usize) -> Vector {
        Vector::dense(self.fronts[i], self.len)
    }

    /// The operands as the operation sees them: a number is the first element each time.
    pub(super) fn seen<T: Sample>(&self, a: &mut [T], b: &mut [T]) {
        let scalar = match self.form {
            Form::ScalarLeft => a,
            Form::ScalarRight | Form::AssignScalar => b,
            Form::Views | Form::Assign => return,
        };
        if let Some(&first) = scalar.first() {
            scalar.fill(first);
        }
    }

    /// `a op b`; `a` and `b` are as [`seen`](Call::seen). Compares everything around the output, and the inputs, with
    /// what was there, and returns the output.
    pub(super) fn binary<T: Sample, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        op: BinaryOp,
        a: &[T],
        b: &[T],
    ) -> Verdict<Vec<T>> {
        let stream = case.stream();
        let [out_at, a_at, b_at] = [0, 1, 2].map(|i| self.place(i));
        let (a_image, b_image) = (Image::of_vector(&a_at, a), Image::of_vector(&b_at, b));
        let in_place = matches!(self.form, Form::Assign | Form::AssignScalar);
        let out_image = if in_place { Image::of_vector(&out_at, a) } else { Image::around(&out_at) };
        let a_buffer = stream.from_slice(&a_image.elements)?;
        let b_buffer = stream.from_slice(&b_image.elements)?;
        let mut out_buffer = stream.from_slice(&out_image.elements)?;
        let (a_view, b_view) = (a_buffer.slice(a_at.range())?, b_buffer.slice(b_at.range())?);
        let mut out = out_buffer.slice_mut(out_at.range())?;
        // Where there is no element there is no number either: any will do.
        let number = |x: &[T]| x.first().copied().unwrap_or_default();
        match self.form {
            Form::Views => stream.binary(op, &a_view, &b_view, &mut out)?,
            Form::ScalarLeft => stream.binary(op, &number(a), &b_view, &mut out)?,
            Form::ScalarRight => stream.binary(op, &a_view, &number(b), &mut out)?,
            Form::Assign => stream.binary_assign(op, &mut out, &b_view)?,
            Form::AssignScalar => stream.binary_assign(op, &mut out, &number(b))?,
        }
        unchanged(case, "a", &a_buffer, &a_image)?;
        unchanged(case, "b", &b_buffer, &b_image)?;
        inside(case, &out_buffer, &out_image, &out_at)
    }

    /// `op x`, in place if the form says so; otherwise as [`binary`](Call::binary).
    pub(super) fn unary<T: Sample, D: Device>(&self, case: &mut Case<'_, D>, op: UnaryOp, x: &[T]) -> Verdict<Vec<T>> {
        let stream = case.stream();
        let [out_at, x_at] = [0, 1].map(|i| self.place(i));
        let x_image = Image::of_vector(&x_at, x);
        let in_place = matches!(self.form, Form::Assign | Form::AssignScalar);
        let out_image = if in_place { Image::of_vector(&out_at, x) } else { Image::around(&out_at) };
        let x_buffer = stream.from_slice(&x_image.elements)?;
        let mut out_buffer = stream.from_slice(&out_image.elements)?;
        let mut out = out_buffer.slice_mut(out_at.range())?;
        if in_place {
            stream.unary_assign(op, &mut out)?;
        } else {
            stream.unary(op, &x_buffer.slice(x_at.range())?, &mut out)?;
        }
        unchanged(case, "x", &x_buffer, &x_image)?;
        inside(case, &out_buffer, &out_image, &out_at)
    }
}

/// Compares an input with what it was.
pub(super) fn unchanged<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    name: &str,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
) -> Verdict {
    let got = case.read(buffer)?;
    case.bits(format_args!("{name}, which is only read,"), &got, &image.elements)
}

/// The elements of the vector `at`, after all others of the buffer were compared with what they were. `at` has
/// increment 1.
pub(crate) fn inside<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    buffer: &D::Buffer<T>,
    image: &Image<T>,
    at: &Vector,
) -> Verdict<Vec<T>> {
    let got = case.read(buffer)?;
    let range = at.range();
    case.bits("what lies in front of the output,", &got[..range.start], &image.elements[..range.start])?;
    case.bits("what lies behind the output,", &got[range.end..], &image.elements[range.end..])?;
    Ok(got[range].to_vec())
}
