//! Sorting by one thread.

use super::Arrays;
use super::keys::Window;
use super::place::{Places, VALUES, by_size};
use crate::execute::memory::{elements, elements_mut};
use std::ops::Range;

/// Elements up to which keys are compared with each other: fewer than a digit has values.
pub(super) const SMALL: usize = 64;
/// Digits of the widest key.
const DIGITS: usize = 8;

impl Arrays {
    /// Sorts the elements `range` of `side` into the user's memory.
    ///
    /// # Safety
    /// The elements are there on that side, and nothing else touches the range on either.
    pub(super) unsafe fn sort_locally(&self, side: usize, range: Range<usize>, window: Window) {
        // SAFETY: the caller's promise.
        unsafe {
            match range.len() {
                0 | 1 => self.leave(side, range),
                2..=SMALL => self.sort_small(side, range, window),
                _ => self.sort_by_digits(side, range, window),
            }
        }
    }

    /// Moves sorted elements to the user's memory, if they are not there.
    ///
    /// # Safety
    /// As for [`sort_locally`](Self::sort_locally).
    unsafe fn leave(&self, side: usize, range: Range<usize>) {
        if side == 0 {
            return;
        }
        for array in self.all() {
            let [to, from] = array.sides.map(|side| side.byte_add(range.start * array.size));
            // SAFETY: the caller's promise; the sides do not overlap.
            unsafe { to.as_ptr().copy_from_nonoverlapping(from.as_ptr(), range.len() * array.size) };
        }
    }

    /// # Safety
    /// As for [`sort_locally`](Self::sort_locally), and there are at most [`SMALL`] elements.
    unsafe fn sort_small(&self, side: usize, range: Range<usize>, window: Window) {
        let len = range.len();
        let mut values = [0; SMALL];
        // SAFETY: the caller's promise.
        unsafe { (self.keys.values)(self.key.sides[side], range.start, window, &mut values[..len]) };
        // With its number behind the key no element is equal to another, and any sort is stable.
        let mut order = [0_u128; SMALL];
        for (i, (order, &value)) in order[..len].iter_mut().zip(&values).enumerate() {
            *order = u128::from(value) << 64 | i as u128;
        }
        order[..len].sort_unstable();
        for array in self.all() {
            by_size!(array.size, T => {
                // SAFETY: the caller's promise. The elements are copied before they are written over.
                unsafe {
                    let mut copy: [T; SMALL] = bytemuck::Zeroable::zeroed();
                    copy[..len].copy_from_slice(elements::<T>(array.sides[side], range.start, len));
                    let out = elements_mut::<T>(array.sides[0], range.start, len);
                    for (out, &order) in out.iter_mut().zip(&order) {
                        *out = copy[order as u64 as usize];
                    }
                }
            });
        }
    }

    /// # Safety
    /// As for [`sort_locally`](Self::sort_locally), and there is an element.
    unsafe fn sort_by_digits(&self, side: usize, range: Range<usize>, window: Window) {
        // SAFETY: the caller's promise.
        let survey = unsafe { (self.keys.survey)(self.key.sides[side], range.clone(), range.start, window) };
        if survey.sorted {
            // SAFETY: the caller's promise.
            return unsafe { self.leave(side, range) };
        }
        let mut digits = [window; DIGITS];
        let digits = lowest_first(window.around(survey.varying), survey.varying, &mut digits);
        let mut counts = [[0; VALUES]; DIGITS];
        // SAFETY: the caller's promise.
        unsafe { self.count(side, range.clone(), digits, &mut counts) };
        let mut side = side;
        for (&digit, counts) in digits.iter().zip(&mut counts) {
            let mut next = starts(counts, range.start);
            let mut value_next = next;
            // SAFETY: the caller's promise; the places are those of the range, each once.
            unsafe {
                self.each_batch(side, range.clone(), digit, |start, digits| {
                    self.key.place(side, start, digits, &mut next);
                    if let Some(value) = &self.value {
                        value.place(side, start, digits, &mut value_next);
                    }
                });
            }
            side = 1 - side;
        }
        // SAFETY: the caller's promise.
        unsafe { self.leave(side, range) };
    }

    /// Adds to `counts` how many elements there are of each value of each digit.
    ///
    /// # Safety
    /// The elements are there on that side, and nothing writes them.
    pub(super) unsafe fn count(&self, side: usize, range: Range<usize>, digits: &[Window], counts: &mut [Places]) {
        for (&digit, counts) in digits.iter().zip(counts) {
            // Two tables by turns: a count need not wait for the one before it.
            let mut odd = [0; VALUES];
            // SAFETY: the caller's promise.
            unsafe {
                self.each_batch(side, range.clone(), digit, |_, digits| {
                    let (pairs, rest) = digits.as_chunks::<2>();
                    for &[first, second] in pairs {
                        counts[usize::from(first)] += 1;
                        odd[usize::from(second)] += 1;
                    }
                    rest.iter().for_each(|&digit| counts[usize::from(digit)] += 1);
                });
            }
            counts.iter_mut().zip(odd).for_each(|(count, odd)| *count += odd);
        }
    }
}

/// The digits of a window, the lowest first, as few and as even as can be, without those in which no bit varies.
fn lowest_first(window: Window, varying: u64, digits: &mut [Window; DIGITS]) -> &[Window] {
    let mut left = window;
    let mut count = 0;
    let mut passes = window.width().div_ceil(8);
    while passes > 0 {
        // The uppermost digits take what does not divide evenly.
        let (above, digit) = left.split(left.width() - left.width() / passes);
        if varying & digit.mask() != 0 {
            digits[count] = digit;
            count += 1;
        }
        left = above;
        passes -= 1;
    }
    &digits[..count]
}

/// The places of the first elements of each value of a digit.
fn starts(counts: &Places, start: usize) -> Places {
    let mut next = start;
    counts.map(|count| {
        next += count;
        next - count
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digits make up the window, but for those in which nothing varies, and none is wider than a byte.
    #[test]
    fn digits_cover_what_varies() {
        for (first, end) in [(0, 1), (3, 11), (0, 32), (5, 64), (0, 64), (7, 24), (60, 64)] {
            for descending in [false, true] {
                let window = Window { first, end, descending };
                for varying in [window.mask(), 1 << first | 1 << (end - 1), window.mask() & 0xff00_00ff_0f0f_1001] {
                    let mut digits = [window; DIGITS];
                    let digits = lowest_first(window, varying, &mut digits);
                    let covered = digits.iter().fold(0, |covered, digit| {
                        assert!(digit.width() <= 8 && digit.descending == descending);
                        assert!(covered < digit.mask(), "the lowest first, and none twice");
                        covered | digit.mask()
                    });
                    assert_eq!(covered & varying, varying);
                    assert_eq!(covered & !window.mask(), 0);
                }
            }
        }
        let window = Window { first: 0, end: 24, descending: false };
        assert_eq!(lowest_first(window, 0xff_00ff, &mut [window; DIGITS]).len(), 2);
    }

    #[test]
    fn places_follow_each_other() {
        let mut counts = [0; VALUES];
        (counts[0], counts[2], counts[255]) = (3, 1, 2);
        let places = starts(&counts, 10);
        assert_eq!([places[0], places[1], places[2], places[3], places[255]], [10, 13, 13, 14, 14]);
    }
}
