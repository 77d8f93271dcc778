//! Reductions: what the [tree] combines, and with what.

use super::arithmetic::{Numeric, RealNumeric};
use super::blas::{GemmArithmetic, ScalarArithmetic};
use super::cast::{CastFrom, cast};
use super::order::SortKey;
use super::tree;
use crate::element::{Complex32, Complex64, bf16, f16};

/// What can be summed and multiplied up: every type.
pub trait Reducible: Numeric {
    /// The type in which partial results are kept: `f32` for `f16` and `bf16`, else the type itself.
    type Acc: Numeric;
    /// An element as a partial result; exact.
    fn widen(self) -> Self::Acc;
    /// The result from the last partial result; rounds once, and makes a NaN canonical.
    fn narrow(acc: Self::Acc) -> Self;
}

macro_rules! reducible {
    ($acc:ty: $($t:ty),*) => { $(
        impl Reducible for $t {
            type Acc = $acc;
            #[inline(always)]
            fn widen(self) -> $acc { cast::<$t, $acc>(self) }
            #[inline(always)]
            fn narrow(acc: $acc) -> Self { super::nan::Canonical::canonical(cast::<$acc, $t>(acc)) }
        }
    )* };
}
reducible!(f32: f16, bf16);
macro_rules! own { ($($t:ty),*) => { $( reducible!($t: $t); )* }; }
own!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, Complex32, Complex64);

/// A reduction of `len` elements by `combine`; `None` of nothing. `at(i)` is element `i`, and is called once for each.
fn reduce<T: Reducible>(
    len: usize,
    mut at: impl FnMut(usize) -> T,
    combine: impl Fn(T::Acc, T::Acc) -> T::Acc,
) -> Option<T> {
    let lane = |acc: Option<T::Acc>, i: usize| match acc {
        None => at(i).widen(),
        Some(acc) => combine(acc, at(i).widen()),
    };
    tree::reduce(len, lane, &combine).map(T::narrow)
}

/// The sum of `at(0), …, at(len − 1)`; +0 of nothing.
pub fn sum<T: Reducible>(len: usize, at: impl FnMut(usize) -> T) -> T {
    reduce(len, at, T::Acc::add).unwrap_or(T::ZERO)
}

/// The product; 1 of nothing.
pub fn prod<T: Reducible>(len: usize, at: impl FnMut(usize) -> T) -> T {
    reduce(len, at, T::Acc::mul).unwrap_or(T::ONE)
}

/// The smallest, by [`RealNumeric::min_nan`]; +∞ or the largest integer of nothing.
pub fn min<T: Reducible<Acc: RealNumeric> + RealNumeric>(len: usize, at: impl FnMut(usize) -> T) -> T {
    reduce(len, at, T::Acc::min_nan).unwrap_or(T::GREATEST)
}

/// The largest, by [`RealNumeric::max_nan`]; −∞ or the smallest integer of nothing.
pub fn max<T: Reducible<Acc: RealNumeric> + RealNumeric>(len: usize, at: impl FnMut(usize) -> T) -> T {
    reduce(len, at, T::Acc::max_nan).unwrap_or(T::LEAST)
}

/// The arithmetic mean: the sum, as [`sum`] keeps it before its last rounding, divided by `len`, converted to the type of the sum's
/// components, and rounded there; then rounded to the type, and made canonical. NaN of nothing.
pub fn mean<T: GemmArithmetic>(len: usize, mut at: impl FnMut(usize) -> T) -> T
where
    <T::Compute as crate::Scalar>::Magnitude: CastFrom<u64>,
{
    let lane = |acc: Option<T::Compute>, i: usize| match acc {
        None => at(i).widen(),
        Some(acc) => <T::Compute as Numeric>::add(acc, at(i).widen()),
    };
    let sum = tree::reduce(len, lane, <T::Compute as Numeric>::add).unwrap_or(T::Compute::ZERO);
    T::narrow(T::Compute::divide_real(sum, cast(len as u64)))
}

/// The index of the first NaN, else of the first smallest, −0 being smaller than +0; `None` of nothing.
pub fn argmin<T: SortKey + Numeric>(len: usize, at: impl FnMut(usize) -> T) -> Option<usize> {
    arg(len, at, |x, best| x < best)
}

/// The index of the first NaN, else of the first largest, −0 being smaller than +0; `None` of nothing.
pub fn argmax<T: SortKey + Numeric>(len: usize, at: impl FnMut(usize) -> T) -> Option<usize> {
    arg(len, at, |x, best| x > best)
}

fn arg<T: SortKey + Numeric>(
    len: usize,
    mut at: impl FnMut(usize) -> T,
    beats: impl Fn(T::Key, T::Key) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, T::Key)> = None;
    for i in 0..len {
        let x = at(i);
        if !T::equal(x, x) {
            return Some(i);
        }
        let key = x.key();
        if best.is_none_or(|(_, extreme)| beats(key, extreme)) {
            best = Some((i, key));
        }
    }
    best.map(|(i, _)| i)
}

/// How many of `mask(0), …, mask(len − 1)` are not 0.
pub fn count(len: usize, mut mask: impl FnMut(usize) -> u8) -> u64 {
    (0..len).map(|i| u64::from(mask(i) != 0)).sum()
}
