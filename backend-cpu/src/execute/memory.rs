//! Operands as slices, for loops that the compiler can vectorise.
//!
//! An element-wise operation may write one of its inputs, and may take one value for all elements. A loop over slices can do
//! neither: `&[T]` and `&mut [T]` must not overlap. [`Feed`] brings both to that form: it goes through the operand in blocks that
//! stay in the first-level cache, copying a block that is about to be overwritten, and repeating a value. So there is one loop
//! for each operation and type, and no case where it runs at the speed of one element at a time.

use super::stream;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::mem::MaybeUninit;
use std::ops::Range;
use warpwave_core::operation::{Ptr, Source, Span};
use warpwave_core::{Element, ScalarValue};

/// Bytes of operands from which on it pays to hand part of the work to another thread: some 10 µs of it.
pub(super) const GRAIN_BYTES: usize = 128 << 10;

/// Elements in a block.
const BLOCK: usize = 512;

/// Elements for [`Workers::split`](crate::workers::Workers::split): [`GRAIN_BYTES`] of a type.
pub(super) const fn grain<T>() -> usize {
    GRAIN_BYTES / size_of::<T>()
}

/// `len` elements from element `start` on.
///
/// # Safety
/// They are there, aligned, initialised, and not written while the slice lives.
#[inline(always)]
pub(super) unsafe fn elements<'a, T>(ptr: Ptr, start: usize, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise; every element type is valid for any bits.
    unsafe { std::slice::from_raw_parts(ptr.as_ptr().cast::<T>().add(start), len) }
}

/// `len` elements from element `start` on, to write.
///
/// # Safety
/// As for [`elements`], and nothing else reads or writes them while the slice lives.
#[inline(always)]
pub(super) unsafe fn elements_mut<'a, T>(ptr: Ptr, start: usize, len: usize) -> &'a mut [T] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise; device memory is always initialised.
    unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr().cast::<T>().add(start), len) }
}

/// Asks the processor to fetch `len` elements from element `start` on. They need not be there: the address may wrap around.
#[inline(always)]
pub(super) fn prefetch<T>(ptr: Ptr, start: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..len * size_of::<T>()).step_by(64) {
        let line = ptr.byte_add(start.wrapping_mul(size_of::<T>()).wrapping_add(byte));
        // SAFETY: a hint, which has no effect but on time, whatever the address; every x86-64 processor has SSE.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (ptr, start, len);
}

/// [`prefetch`] of the elements of `range`, counted from the start of `slice`; it may lie outside.
#[inline(always)]
pub(super) fn prefetch_of<T>(slice: &[T], range: Range<usize>) {
    prefetch::<T>(Ptr::new(slice.as_ptr().cast::<u8>().cast_mut()), range.start, range.len());
}

/// An input of an element-wise operation.
#[derive(Clone, Copy)]
pub(super) enum Operand<T> {
    /// An element for each.
    Elements(Ptr),
    /// The same value each time.
    Value(T),
}

impl<T: Element> Operand<T> {
    /// `None` if `source` is of another type.
    pub(super) fn new(source: Source) -> Option<Self> {
        match source {
            Source::Span(span) => (span.dtype == T::DTYPE).then_some(Operand::Elements(span.ptr)),
            Source::Scalar(value) => value.get().map(Operand::Value),
        }
    }
}

impl<T: bytemuck::Pod> Operand<T> {
    /// The operand with its elements as plain `T`s of the same size; `None` if the size differs.
    pub(super) fn bits(source: Source) -> Option<Self> {
        if source.dtype().size() != size_of::<T>() {
            return None;
        }
        Some(match source {
            Source::Span(span) => Operand::Elements(span.ptr),
            Source::Scalar(value) => Operand::Value(bits(value)),
        })
    }
}

/// The bits of `value` as a plain `T` of the same size.
pub(super) fn bits<T: bytemuck::Pod>(value: ScalarValue) -> T {
    bytemuck::pod_read_unaligned(value.bytes())
}

/// Room for a block. It is a variable of its own because a [`Feed`] that had it inside would be copied with it.
pub(super) type Block<T> = [MaybeUninit<T>; BLOCK];

/// An empty block.
#[inline(always)]
pub(super) const fn block<T>() -> Block<T> {
    [const { MaybeUninit::uninit() }; BLOCK]
}

/// Bytes of an output that are made before they are written past the caches: so few that the stores are on their way while the
/// inputs of the next piece arrive.
const PIECE: usize = 512;

/// An output in pieces.
pub(super) struct Sink<'a, D> {
    out: Ptr,
    /// Where pieces are made which are then written past the caches; `None` if they are not.
    block: Option<&'a mut [D]>,
}

impl<'a, D: Element> Sink<'a, D> {
    /// For `out`. What is an input too is written through the caches: it is there by then.
    pub(super) fn new(out: Span, inputs: &[Source], block: &'a mut Block<D>) -> Self {
        let apart = inputs.iter().all(|input| !matches!(input, Source::Span(span) if span.ptr == out.ptr));
        let past = apart && stream::is_large(out.len * size_of::<D>());
        Sink { out: out.ptr, block: past.then(|| initialised(block)) }
    }

    /// The longest piece there can be of `len` elements.
    pub(super) fn longest(&self, len: usize) -> usize {
        if self.block.is_some() { PIECE / size_of::<D>() } else { len.max(1) }
    }

    /// Has `make` write the elements `start..start + len`, `len` being no more than [`longest`](Self::longest).
    ///
    /// # Safety
    /// The elements are there, and nobody else touches them during the call.
    #[inline(always)]
    pub(super) unsafe fn write(&mut self, start: usize, len: usize, make: impl FnOnce(&mut [D])) {
        // SAFETY: the caller's promise.
        let out = unsafe { elements_mut(self.out, start, len) };
        match &mut self.block {
            Some(block) => {
                make(&mut block[..len]);
                stream::copy(&block[..len], out);
            }
            None => make(out),
        }
    }
}

impl<D> Drop for Sink<'_, D> {
    fn drop(&mut self) {
        if self.block.is_some() {
            stream::fence();
        }
    }
}

/// A block of default values.
fn initialised<D: Element>(block: &mut Block<D>) -> &mut [D] {
    block.fill(MaybeUninit::new(D::default()));
    // SAFETY: each element has been written.
    unsafe { &mut *(std::ptr::from_mut(block) as *mut [D; BLOCK]) }
}

/// An operand in pieces, as slices that do not overlap the output.
pub(super) struct Feed<'a, T> {
    operand: Operand<T>,
    /// Whether pieces are made in `block`.
    through_block: bool,
    block: &'a mut Block<T>,
}

impl<'a, T: Copy> Feed<'a, T> {
    /// For up to `len` elements, on their way to `out`.
    pub(super) fn new(operand: Operand<T>, out: Ptr, len: usize, block: &'a mut Block<T>) -> Self {
        let through_block = match operand {
            Operand::Elements(ptr) => ptr == out,
            Operand::Value(value) => {
                block[..len.min(BLOCK)].fill(MaybeUninit::new(value));
                true
            }
        };
        Feed { operand, through_block, block }
    }

    /// The longest piece there can be of `len` elements.
    pub(super) fn longest(&self, len: usize) -> usize {
        if self.through_block { BLOCK } else { len.max(1) }
    }

    /// The elements `start..start + len`, `len` being no more than [`longest`](Self::longest) and what [`new`](Self::new) was told.
    ///
    /// # Safety
    /// The elements are there, and none of them is written while the slice lives, unless they are the output itself.
    pub(super) unsafe fn next(&mut self, start: usize, len: usize) -> &[T] {
        match self.operand {
            // SAFETY: the caller's promise.
            Operand::Elements(ptr) if !self.through_block => return unsafe { elements(ptr, start, len) },
            Operand::Elements(ptr) => {
                // SAFETY: the elements are there, and nothing writes them before the slice that is borrowed here is gone.
                let source = unsafe { elements::<MaybeUninit<T>>(ptr, start, len) };
                self.block[..len].copy_from_slice(source);
            }
            Operand::Value(_) => {}
        }
        let block = &self.block[..len];
        // SAFETY: these elements have been written, just now or in `new`.
        unsafe { std::slice::from_raw_parts(block.as_ptr().cast(), len) }
    }
}
