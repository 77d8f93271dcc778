//! What element-wise operations read: views and numbers.

use crate::device::Device;
use crate::element::{Element, ScalarValue};
use crate::error::Result;
use crate::operation::{OperationKind, Source};
use crate::runtime::Access;
use crate::stream::same_len;
use crate::view::{AsView, View, ViewMut};

/// An input of an element-wise operation: a buffer or a view, one element each; or a number, the same each time.
pub trait AsOperand<T: Element, D: Device> {
    /// What it is.
    fn operand(&self) -> Operand<'_, T, D>;
}

/// An input of an element-wise operation.
#[derive(Debug)]
pub enum Operand<'a, T: Element, D: Device> {
    /// One element each.
    View(View<'a, T, D>),
    /// The same value each time.
    Scalar(T),
}

impl<T: Element, D: Device> Clone for Operand<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, D: Device> Copy for Operand<'_, T, D> {}

impl<T: Element, D: Device> AsOperand<T, D> for T {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::Scalar(*self)
    }
}

impl<T: Element, D: Device> AsOperand<T, D> for View<'_, T, D> {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::View(*self)
    }
}

impl<T: Element, D: Device> AsOperand<T, D> for ViewMut<'_, T, D> {
    fn operand(&self) -> Operand<'_, T, D> {
        Operand::View(self.view())
    }
}

impl<'a, T: Element, D: Device> Operand<'a, T, D> {
    /// Refuses a view that is not `len` elements long.
    pub(super) fn check(&self, operation: OperationKind, what: &str, len: usize) -> Result<()> {
        match self {
            Operand::View(view) => same_len(operation.name(), what, len, view.len()),
            Operand::Scalar(_) => Ok(()),
        }
    }

    pub(super) fn source(&self) -> Source {
        match self {
            Operand::View(view) => Source::Span(view.span()),
            Operand::Scalar(value) => Source::Scalar(ScalarValue::new(*value)),
        }
    }

    /// Reading it; a number takes no access. `argument` is the name that the public method gives it.
    pub(super) fn reads(&self, argument: &'static str) -> Option<Access<'a>> {
        match self {
            Operand::View(view) => Some(view.reads(argument)),
            Operand::Scalar(_) => None,
        }
    }
}
