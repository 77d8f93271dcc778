//! Stable sorting, by digits of the keys.
//!
//! What fits into a processor's own caches one thread sorts from the lowest digit to the highest, each digit in one
//! pass over the elements. More than that all threads together part by the highest digit, and what has one value of it
//! is sorted by itself. Before each step one look at the keys tells which bits differ at all: the others are no part of
//! any digit.
//!
//! Digits have up to 8 bits: as many streams of elements as there are values can be kept going at a time. Elements go
//! from the user's memory to our own and back; a NaN keeps its bits, since keys are made of elements anew each time.

mod keys;
mod local;
mod place;

use super::memory::{GRAIN_BYTES, elements, elements_mut};
use super::scratch::room;
use crate::transfer::copy_bytes;
use crate::workers::Workers;
use keys::{Keys, Survey, Window};
use place::{Array, Lines, Places, VALUES};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use warpwave_core::Result;
use warpwave_core::operation::{Ptr, Sort as Arguments};

/// Bytes of elements that one thread sorts by itself: about a second-level cache, and as much again where they go to.
const LOCAL_BYTES: usize = 1 << 20;
/// Elements that a thread looks at, or parts, at least.
const CHUNK: usize = 1 << 13;
/// Chunks for each thread: enough that a thread the system holds up does not hold up the whole.
const CHUNKS: usize = 4;
/// Elements whose digits are made at a time.
const BATCH: usize = 1 << 10;

/// [`Operation::Sort`](warpwave_core::Operation::Sort); `None` if the keys have no order.
///
/// # Safety
/// The operands are as the operation says.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory): as much memory is needed as the operands have.
pub(super) unsafe fn sort(workers: &Workers, arguments: &Arguments) -> Result<Option<()>> {
    let Arguments { keys: operand, values, descending, first_bit, end_bit } = *arguments;
    let Some(keys) = Keys::of(operand.dtype) else { return Ok(None) };
    let len = operand.len;
    let window = Window { first: first_bit, end: end_bit, descending };
    if len < 2 || window.width() == 0 {
        return Ok(Some(()));
    }
    let mut own_memory = Vec::new();
    let mut array = |ptr: Ptr, size: usize| -> Result<Array> {
        // A handful of elements needs no place to go to.
        let bytes = if len <= local::SMALL { 0 } else { len * size };
        let mut own = room::<u128>(bytes.div_ceil(size_of::<u128>()))?;
        let sides = [ptr, Ptr::new(own.as_mut_ptr().cast())];
        own_memory.push(own);
        Ok(Array { size, sides })
    };
    let key = array(operand.ptr, operand.dtype.size())?;
    let value = values.map(|values| array(values.ptr, values.dtype.size())).transpose()?;
    let arrays = Arrays { keys, key, value };
    let bytes = len * arrays.element_bytes();
    // SAFETY: the caller's promise, and our own memory is as large as the operands.
    unsafe {
        if bytes <= GRAIN_BYTES || (workers.threads() == 1 && bytes <= LOCAL_BYTES) {
            arrays.sort_locally(0, 0..len, window);
        } else {
            let chunks = workers.threads() * CHUNKS;
            let mut table = room::<Places>(chunks)?;
            table.resize(chunks, [0; VALUES]);
            let counts = Ptr::new(table.as_mut_ptr().cast());
            Parting { workers, arrays: &arrays, chunks, counts }.part(0, 0..len, window);
        }
    }
    Ok(Some(()))
}

/// What is sorted.
struct Arrays {
    keys: Keys,
    key: Array,
    value: Option<Array>,
}

impl Arrays {
    fn all(&self) -> impl Iterator<Item = &Array> {
        std::iter::once(&self.key).chain(&self.value)
    }

    /// Bytes of a key and its value.
    fn element_bytes(&self) -> usize {
        self.all().map(|array| array.size).sum()
    }

    /// Calls `body` with the digits of the elements `range` of `side`, batch by batch, and where each batch starts.
    ///
    /// # Safety
    /// The elements are there, and nothing but `body` writes them.
    unsafe fn each_batch(&self, side: usize, range: Range<usize>, digit: Window, mut body: impl FnMut(usize, &[u8])) {
        let mut digits = [0; BATCH];
        for start in range.clone().step_by(BATCH) {
            let digits = &mut digits[..BATCH.min(range.end - start)];
            // SAFETY: the caller's promise.
            unsafe { (self.keys.digits)(self.key.sides[side], start, digit, digits) };
            body(start, digits);
        }
    }
}

/// Sorting by all threads.
struct Parting<'a> {
    workers: &'a Workers,
    arrays: &'a Arrays,
    /// How many chunks there are at most.
    chunks: usize,
    /// [`Places`] for each chunk.
    counts: Ptr,
}

impl Parting<'_> {
    /// Sorts the elements `range` of `side` into the user's memory.
    ///
    /// # Safety
    /// The elements are there on that side, there is more than one, and nothing else touches the range on
    /// either, or the counts.
    unsafe fn part(&self, side: usize, range: Range<usize>, window: Window) {
        let Parting { workers, arrays, .. } = *self;
        // SAFETY: the caller's promise.
        let survey = unsafe { self.survey(side, range.clone(), window) };
        if survey.sorted {
            for array in arrays.all().filter(|_| side == 1) {
                let [to, from] = array.sides.map(|side| side.byte_add(range.start * array.size));
                // SAFETY: the caller's promise; the sides do not overlap.
                unsafe { copy_bytes(workers, from, to, range.len() * array.size) };
            }
            return;
        }
        // Fewer values of a digit for fewer elements, lest there are only a few of each.
        let width = range.len().ilog2().saturating_sub(12).clamp(4, 8);
        let (digit, below) = window.around(survey.varying).split(width);
        // SAFETY: the caller's promise.
        let ends = unsafe { self.place(side, range.clone(), digit) };
        let bytes = arrays.element_bytes();
        // What is a large part of the whole is shared as well, if that pays.
        let share = (range.len() * bytes / (2 * workers.threads())).clamp(GRAIN_BYTES, LOCAL_BYTES);
        let part_of = |value: usize| if value == 0 { range.start } else { ends[value - 1] }..ends[value];
        let is_local = |part: &Range<usize>| part.len() * bytes <= share;
        let next = AtomicUsize::new(0);
        workers.split(workers.threads(), 1, |threads| {
            for _ in threads {
                while let value = next.fetch_add(1, Ordering::Relaxed)
                    && value < VALUES
                {
                    let part = part_of(value);
                    if is_local(&part) {
                        // SAFETY: the caller's promise; parts do not overlap, and each is taken once.
                        unsafe { arrays.sort_locally(1 - side, part, below) };
                    }
                }
            }
        });
        for part in (0..VALUES).map(part_of).filter(|part| !is_local(part)) {
            // SAFETY: the caller's promise. The digits get fewer each time: this ends.
            unsafe { self.part(1 - side, part, below) };
        }
    }

    /// Looks at all keys of a range of `side`.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    unsafe fn survey(&self, side: usize, range: Range<usize>, window: Window) -> Survey {
        let arrays = self.arrays;
        let (varying, unsorted) = (AtomicU64::new(0), AtomicBool::new(false));
        self.workers.split(range.len(), GRAIN_BYTES / arrays.key.size, |part| {
            // With the element in front, to which the first one has its order too.
            let start = range.start + part.start.saturating_sub(1);
            let part = start..range.start + part.end;
            // SAFETY: the caller's promise.
            let survey = unsafe { (arrays.keys.survey)(arrays.key.sides[side], part, range.start, window) };
            varying.fetch_or(survey.varying, Ordering::Relaxed);
            unsorted.fetch_or(!survey.sorted, Ordering::Relaxed);
        });
        Survey { varying: varying.into_inner(), sorted: !unsorted.into_inner() }
    }

    /// Moves the elements `range` of `side` to the other side, in the order of a digit. Returns where the elements of
    /// each value end.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    unsafe fn place(&self, side: usize, range: Range<usize>, digit: Window) -> Places {
        let arrays = self.arrays;
        let chunks = range.len().div_ceil(CHUNK).min(self.chunks);
        let chunk = range.len().div_ceil(chunks);
        let chunk_of =
            |i: usize| (range.start + i * chunk).min(range.end)..(range.start + (i + 1) * chunk).min(range.end);
        self.workers.split(chunks, 1, |part| {
            for i in part {
                // SAFETY: the caller's promise; there are counts for each chunk, and no other part has them.
                unsafe {
                    let counts = elements_mut::<Places>(self.counts, i, 1);
                    counts.fill([0; VALUES]);
                    arrays.count(side, chunk_of(i), &[digit], counts);
                }
            }
        });
        // SAFETY: the caller's promise.
        let counts = unsafe { elements_mut::<Places>(self.counts, 0, chunks) };
        let mut next = range.start;
        let mut ends = [0; VALUES];
        for (value, end) in ends.iter_mut().enumerate() {
            for counts in &mut *counts {
                next += std::mem::replace(&mut counts[value], next);
            }
            *end = next;
        }
        self.workers.split(chunks, 1, |part| {
            for i in part {
                // SAFETY: the caller's promise. The places that follow those of a chunk are for its own elements alone.
                unsafe {
                    let places = &elements::<Places>(self.counts, i, 1)[0];
                    let mut lines = Lines::new(&arrays.key, side, places);
                    let mut value = arrays.value.as_ref().map(|value| (value, Lines::new(value, side, places)));
                    arrays.each_batch(side, chunk_of(i), digit, |start, digits| {
                        arrays.key.place_by_lines(side, start, digits, &mut lines);
                        if let Some((value, lines)) = &mut value {
                            value.place_by_lines(side, start, digits, lines);
                        }
                    });
                    lines.flush(&arrays.key);
                    if let Some((value, lines)) = value {
                        lines.flush(value);
                    }
                }
            }
        });
        ends
    }
}
