//! Transposition.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::Operation;
use crate::runtime::Checked;
use crate::stream::Stream;

pub(super) fn transpose<S: Stream, T: Element>(
    stream: &S,
    x: &MatrixView<'_, T, S::Device>,
    out: &mut MatrixViewMut<'_, T, S::Device>,
) -> Result<()> {
    let out = out.as_matrix();
    if (x.rows(), x.cols()) != (out.cols(), out.rows()) {
        let expected = format!("{} × {}", x.cols(), x.rows());
        let error = Error::invalid("out", expected, format_args!("{} × {}", out.rows(), out.cols()));
        return Err(error.in_operation("transpose"));
    }
    let operation = Operation::Transpose { x: x.operand(), out: out.operand() };
    stream.submit(Checked::TYPED, operation, &[x.reads("x"), out.writes("out")])
}
