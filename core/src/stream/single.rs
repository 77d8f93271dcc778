//! Results of one element: in memory, and brought to the host.

use super::{BufferOf, Stream};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::runtime::Checked;
use crate::view::{AsViewMut, View};

/// The first element of `out`.
pub(crate) fn first<'a, T: Element, D: Device>(
    operation: &'static str,
    out: &'a mut impl AsViewMut<T, D>,
) -> Result<View<'a, T, D>> {
    first_of(operation, "out", out)
}

/// The first element of the argument `what`.
pub(crate) fn first_of<'a, T: Element, D: Device>(
    operation: &'static str,
    what: &str,
    out: &'a mut impl AsViewMut<T, D>,
) -> Result<View<'a, T, D>> {
    let out = out.view_mut().into_view();
    if out.is_empty() {
        return Err(Error::invalid(what, "at least 1 element", "0 elements").in_operation(operation));
    }
    Ok(out.sub(0, 1))
}

/// Computes one element on the device and brings it to the host.
pub(crate) fn one<S: Stream, T: Element>(
    stream: &S,
    operation: &'static str,
    compute: impl FnOnce(&mut BufferOf<S, T>) -> Result<()>,
) -> Result<T> {
    let instead = "the method of the same name with `_into` leaves its result on the device";
    stream.waits(Checked::TYPED, instead).map_err(|error| error.in_operation(operation))?;
    let mut out = stream.alloc::<T>(1)?;
    compute(&mut out)?;
    let mut value = [T::default()];
    stream.read(&out, &mut value)?;
    Ok(value[0])
}
