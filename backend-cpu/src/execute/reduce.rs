//! Reductions of vectors and of the rows and columns of matrices.

use super::halves;
use super::memory::{GRAIN_BYTES, elements, elements_mut, prefetch, prefetch_of};
use super::tree::{self, Fold, Lanes, Rows};
use crate::simd::vectorize;
use crate::workers::Workers;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Add, Mul, Range};
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::tree::CHUNK;
use warpwave_core::numerics::{Numeric, RealNumeric, Reducible, cast, reduction};
use warpwave_core::operation::{MatrixOperand, Ptr, Span};
use warpwave_core::{Axis, Complex32, Complex64, ReduceOp, Result, Scalar, bf16, f16, match_dtype};

/// [`Operation::Reduce`](warpwave_core::Operation::Reduce); `None` if there is no such reduction for the type.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn reduce(
    workers: &Workers,
    op: ReduceOp,
    axis: Axis,
    x: MatrixOperand,
    out: Span,
) -> Option<Result<()>> {
    let lines = Lines::new(axis, x)?;
    if out.dtype != x.dtype {
        return None;
    }
    macro_rules! each {
        ($family:ident, $empty:ident, $join:expr) => {
            match_dtype!(
                x.dtype,
                $family T => Some(lines.reduce::<T>(workers, out, T::$empty, $join, T::narrow)),
                _ => None
            )
        };
    }
    // SAFETY: the caller's promise; `lines` are those of `x`.
    unsafe {
        match op {
            ReduceOp::Sum => each!(any, ZERO, Chain::plus),
            ReduceOp::Prod => each!(any, ONE, Chain::times),
            ReduceOp::Min => each!(real, GREATEST, RealNumeric::min_nan),
            ReduceOp::Max => each!(real, LEAST, RealNumeric::max_nan),
            _ => None,
        }
    }
}

/// [`Operation::Mean`](warpwave_core::Operation::Mean): a sum with another ending. `None` if there is no mean for the type.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn mean(workers: &Workers, axis: Axis, x: MatrixOperand, out: Span) -> Option<Result<()>> {
    let lines = Lines::new(axis, x)?;
    if out.dtype != x.dtype {
        return None;
    }
    macro_rules! run {
        ($t:ident) => {{
            type Sum = <$t as Reducible>::Acc;
            let empty = reduction::mean(0, |_| $t::ZERO);
            let len: <Sum as Scalar>::Magnitude = cast(lines.len as u64);
            let end = move |sum: Sum| $t::narrow(Sum::divide_real(sum, len));
            Some(lines.reduce::<$t>(workers, out, empty, Chain::plus, end))
        }};
    }
    // SAFETY: the caller's promise; `lines` are those of `x`.
    unsafe {
        match_dtype!(
            x.dtype,
            float T => run!(T),
            _ => match_dtype!(x.dtype, complex T => run!(T), _ => None),
        )
    }
}

/// Sums and products as steps of a chain. The NaN they give is not the canonical one, which makes no difference to the next
/// step; the end of the chain is canonical.
trait Chain: Numeric {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! chain {
    ($($t:ty: $plus:expr, $times:expr);*) => { $(
        impl Chain for $t {
            #[inline(always)]
            fn plus(self, other: Self) -> Self { $plus(self, other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { $times(self, other) }
        }
    )* };
}
chain! {
    f32: Add::add, Mul::mul; f64: Add::add, Mul::mul;
    Complex32: Add::add, Numeric::mul; Complex64: Add::add, Numeric::mul;
    i8: Numeric::add, Numeric::mul; i16: Numeric::add, Numeric::mul;
    i32: Numeric::add, Numeric::mul; i64: Numeric::add, Numeric::mul;
    u8: Numeric::add, Numeric::mul; u16: Numeric::add, Numeric::mul;
    u32: Numeric::add, Numeric::mul; u64: Numeric::add, Numeric::mul
}

/// How elements become partial results.
trait Widen: Reducible<Acc: Reducible<Acc = Self::Acc>> {
    /// Whether it is better to convert all elements of a chunk before they are combined than each when it is.
    const AT_ONCE: bool = false;

    /// Converts all, in the first elements of `room`, which has as many at least.
    fn widen_all<'a>(_: &[Self], _: &'a mut [MaybeUninit<Self::Acc>]) -> &'a [Self::Acc] {
        &[]
    }
}

impl Widen for f16 {
    const AT_ONCE: bool = true;

    fn widen_all<'a>(x: &[f16], room: &'a mut [MaybeUninit<f32>]) -> &'a [f32] {
        halves::widen(x, room)
    }
}

macro_rules! each_when_needed { ($($t:ty),*) => { $( impl Widen for $t {} )* }; }
each_when_needed!(f32, f64, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex32, Complex64);

/// What is reduced: `count` lines of `len` elements each, one result a line.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) ptr: Ptr,
    pub(super) count: usize,
    pub(super) len: usize,
    /// From one element of a line to the next, in elements.
    pub(super) step: usize,
    /// From one line to the next, in elements. This or `step` is 1.
    pub(super) pitch: usize,
}

impl Lines {
    pub(super) fn new(axis: Axis, x: MatrixOperand) -> Option<Lines> {
        let (rows, cols) = (x.row_stride(), x.col_stride());
        Some(match axis {
            Axis::Whole => Lines { ptr: x.ptr, count: 1, len: x.rows * x.cols, step: 1, pitch: 1 },
            Axis::Rows => Lines { ptr: x.ptr, count: x.rows, len: x.cols, step: cols, pitch: rows },
            Axis::Cols => Lines { ptr: x.ptr, count: x.cols, len: x.rows, step: rows, pitch: cols },
            _ => return None,
        })
    }

    /// # Safety
    /// The elements are there, and are `T`s; `out` has an element for each line.
    ///
    /// # Errors
    /// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
    unsafe fn reduce<T: Widen>(
        self,
        workers: &Workers,
        out: Span,
        empty: T,
        join: impl Fn(T::Acc, T::Acc) -> T::Acc + Copy + Sync,
        end: impl Fn(T::Acc) -> T + Sync,
    ) -> Result<()> {
        if self.len == 0 {
            // SAFETY: the caller's promise, and nothing else writes the output.
            unsafe { elements_mut::<T>(out.ptr, 0, self.count) }.fill(empty);
        }
        let finish = |line: usize, acc: T::Acc| {
            // SAFETY: the caller's promise; each line is finished once.
            let out = unsafe { elements_mut::<T>(out.ptr, line, 1) };
            out[0] = end(acc);
        };
        let fold = Combine { join, item: PhantomData::<T> };
        let size = (self.count, self.len);
        if self.step == 1 && self.len <= SHORT {
            // SAFETY: the caller's promise.
            unsafe { self.reduce_short::<T, _>(workers, fold, finish) };
            Ok(())
        } else if self.step == 1 {
            let chunk = |line: usize, range: Range<usize>, lanes: &mut Lanes<T::Acc>| {
                // SAFETY: the chunk is inside the line.
                let x = unsafe { elements::<T>(self.ptr, line * self.pitch + range.start, range.len()) };
                if T::AT_ONCE {
                    let mut room = [const { MaybeUninit::uninit() }; CHUNK];
                    // Widening reads the elements in one place.
                    let x = T::widen_all(x, &mut room);
                    let fold = Combine { join, item: PhantomData::<T::Acc> };
                    return vectorize(
                        #[inline(always)]
                        // SAFETY: a slice has as many elements as it is long.
                        || unsafe { tree::chunk(fold, x.len(), |range| x[range].iter().copied(), |_| {}, lanes) },
                    );
                }
                vectorize(
                    #[inline(always)]
                    // SAFETY: as above.
                    || unsafe {
                        tree::chunk(
                            fold,
                            x.len(),
                            #[inline(always)]
                            |part| x[part].iter().copied(),
                            #[inline(always)]
                            |part| prefetch_of(x, part),
                            lanes,
                        )
                    },
                )
            };
            tree::along(workers, size, size_of::<T>(), fold, chunk, finish)
        } else {
            let rows = Interleaved { ptr: self.ptr, step: self.step, item: PhantomData::<T> };
            // SAFETY: the caller's promise.
            unsafe { tree::across(workers, size, size_of::<T>(), fold, rows, finish) }
        }
    }
}

/// Elements of a line that is reduced by itself, in registers.
const SHORT: usize = 8;

impl Lines {
    /// Reduces lines of at most [`SHORT`] elements that follow each other: every element is a lane, and neighbours
    /// combine.
    ///
    /// # Safety
    /// The elements are there, and are `T`s.
    unsafe fn reduce_short<T: Reducible, F: Fold<Item = T>>(
        self,
        workers: &Workers,
        fold: F,
        finish: impl Fn(usize, F::Acc) + Sync,
    ) {
        if self.len == 0 {
            return;
        }
        let bytes = self.len * size_of::<T>();
        workers.split(self.count, GRAIN_BYTES.div_ceil(bytes), |lines| {
            macro_rules! each {
                ($($len:literal),*) => { match self.len {
                    $( $len => vectorize(
                        #[inline(always)]
                        || {
                            for line in lines.clone() {
                                // SAFETY: the caller's promise.
                                let x = unsafe { elements::<T>(self.ptr, line * self.pitch, $len) };
                                finish(line, neighbours::<T, F, $len>(fold, x));
                            }
                        },
                    ), )*
                    _ => {}
                } };
            }
            each!(1, 2, 3, 4, 5, 6, 7, 8);
        });
    }
}

const _: () = assert!(SHORT == 8, "there are loops for lines of up to 8 elements");

/// The result of `LEN` elements: 2i with 2i + 1, until one is left.
#[inline(always)]
fn neighbours<T: Reducible, F: Fold<Item = T>, const LEN: usize>(fold: F, x: &[T]) -> F::Acc {
    let mut lanes: [F::Acc; LEN] = std::array::from_fn(|lane| fold.first(x[lane]));
    let mut count = LEN;
    while count > 1 {
        for pair in 0..count / 2 {
            lanes[pair] = fold.join(lanes[2 * pair], lanes[2 * pair + 1]);
        }
        // The last stays as it is if it has no neighbour.
        if !count.is_multiple_of(2) {
            lanes[count / 2] = lanes[count - 1];
        }
        count = count.div_ceil(2);
    }
    lanes[0]
}

/// Elements of type `T`, converted to partial results, which `join` combines.
#[derive(Clone, Copy)]
struct Combine<T, F> {
    join: F,
    item: PhantomData<T>,
}

impl<T: Reducible, F: Fn(T::Acc, T::Acc) -> T::Acc + Copy + Sync> Fold for Combine<T, F> {
    type Item = T;
    type Acc = T::Acc;

    #[inline(always)]
    fn first(self, item: T) -> T::Acc {
        item.widen()
    }

    #[inline(always)]
    fn next(self, acc: T::Acc, item: T) -> T::Acc {
        (self.join)(acc, item.widen())
    }

    #[inline(always)]
    fn join(self, low: T::Acc, high: T::Acc) -> T::Acc {
        (self.join)(low, high)
    }
}

/// Lines that lie side by side.
#[derive(Clone, Copy)]
struct Interleaved<T> {
    ptr: Ptr,
    /// From one element of a line to the next, in elements.
    step: usize,
    item: PhantomData<T>,
}

// SAFETY: a row is a slice of so many elements.
unsafe impl<T: Reducible> Rows for Interleaved<T> {
    type Item = T;

    #[inline(always)]
    unsafe fn row(self, index: usize, lines: Range<usize>) -> impl Iterator<Item = T> {
        // SAFETY: the caller's promise.
        unsafe { elements::<T>(self.ptr, index * self.step + lines.start, lines.len()) }.iter().copied()
    }

    #[inline(always)]
    fn prefetch(self, index: usize, lines: Range<usize>) {
        prefetch::<T>(self.ptr, index.wrapping_mul(self.step).wrapping_add(lines.start), lines.len());
    }
}
