//! Conversions.

mod truncate;

use super::elementwise::map;
use crate::workers::Workers;
use truncate::Truncate;
use warpwave_core::match_dtype;
use warpwave_core::numerics::cast as convert;
use warpwave_core::operation::Span;

/// [`Operation::Cast`](warpwave_core::Operation::Cast); `None` from complex to real.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn cast(workers: &Workers, x: Span, out: Span) -> Option<()> {
    macro_rules! to {
        ($target:ident, $source:ident) => {
            match_dtype!(
                out.dtype,
                $target D => match_dtype!(x.dtype, $source S => map(workers, x, out, convert::<S, D>), _ => None),
                _ => None
            )
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        if out.dtype.is_complex() {
            to!(complex, any)
        } else if out.dtype.is_integer() && x.dtype.is_float() {
            match_dtype!(
                out.dtype,
                integer D => match_dtype!(x.dtype, float S => map(workers, x, out, <S as Truncate<D>>::truncate), _ => None),
                _ => None
            )
        } else {
            to!(real, real)
        }
    }
}
