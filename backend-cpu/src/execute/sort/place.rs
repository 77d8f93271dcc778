//! Moving elements to the places that their digits say, by the size of elements alone.

use super::super::memory::elements;
use bytemuck::Pod;
use warpwave_core::operation::Ptr;

/// Values of a digit.
pub(super) const VALUES: usize = 256;
/// Bytes of a cache line, and of elements that are written together.
const LINE: usize = 64;

/// For each value of a digit a place, counted in elements.
pub(super) type Places = [usize; VALUES];

/// Runs code for the type that elements of `$size` bytes are moved as: one of their size and of no greater alignment.
macro_rules! by_size {
    ($size:expr, $t:ident => $body:expr) => {
        match $size {
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            8 => {
                type $t = [u32; 2];
                $body
            }
            _ => {
                type $t = [u64; 2];
                $body
            }
        }
    };
}
pub(super) use by_size;

/// An array of elements of 1, 2, 4, 8 or 16 bytes, in two places: sorting moves them from one to the other and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) size: usize,
    /// The user's memory, and as much of our own.
    pub(super) sides: [Ptr; 2],
}

impl Array {
    /// Moves elements from place `start` of `side` on, one for each digit, to the other side: to the next place of
    /// their digit.
    ///
    /// # Safety
    /// The elements are there, the places are inside the other side, and nothing else touches what is read and written.
    pub(super) unsafe fn place(&self, side: usize, start: usize, digits: &[u8], next: &mut Places) {
        // SAFETY: the caller's promise.
        unsafe { by_size!(self.size, T => place::<T>(self.sides[side], start, digits, self.sides[1 - side], next)) }
    }

    /// [`place`](Self::place) by way of lines. They have to be [flushed](Lines::flush) in the end.
    ///
    /// # Safety
    /// As for [`place`](Self::place), and `lines` is used for this array and side alone.
    pub(super) unsafe fn place_by_lines(&self, side: usize, start: usize, digits: &[u8], lines: &mut Lines) {
        // SAFETY: the caller's promise.
        unsafe { by_size!(self.size, T => lines.place::<T>(self.sides[side], start, digits)) }
    }
}

/// # Safety
/// As for [`Array::place`].
unsafe fn place<T: Pod>(from: Ptr, start: usize, digits: &[u8], to: Ptr, next: &mut Places) {
    // SAFETY: the caller's promise.
    let x = unsafe { elements::<T>(from, start, digits.len()) };
    let to = to.as_ptr().cast::<T>();
    for (&digit, &x) in digits.iter().zip(x) {
        let place = &mut next[usize::from(digit)];
        // SAFETY: the caller's promise.
        unsafe { to.add(*place).write(x) };
        *place += 1;
    }
}

/// Elements on their way, a cache line of them for each digit.
///
/// Writing each element where it belongs would touch as many pages of memory in turn as there are digits, more than the
/// processor keeps the addresses of. So elements are gathered in the first-level cache, and written a whole line at a
/// time.
#[repr(align(64))]
pub(super) struct Lines {
    lines: [[u8; LINE]; VALUES],
    /// Where the next element goes, counted from `base`.
    next: Places,
    /// Where the first one went.
    first: Places,
    /// The address that places are counted from: at the start of a line.
    base: *mut u8,
}

impl Lines {
    /// For elements that go to the places `next` and those that follow, in the other side of `array`.
    pub(super) fn new(array: &Array, side: usize, next: &Places) -> Self {
        let to = array.sides[1 - side].as_ptr();
        // Elements that are not aligned to their size never fill a line exactly; they go by lines of memory that
        // straddle two.
        let lead = to.addr() % LINE / array.size;
        let next = next.map(|place| place + lead);
        Lines { lines: [[0; LINE]; VALUES], next, first: next, base: to.wrapping_sub(lead * array.size) }
    }

    /// # Safety
    /// As for [`Array::place`].
    unsafe fn place<T: Pod>(&mut self, from: Ptr, start: usize, digits: &[u8]) {
        let whole = LINE / size_of::<T>();
        // SAFETY: the caller's promise.
        let x = unsafe { elements::<T>(from, start, digits.len()) };
        for (&digit, &x) in digits.iter().zip(x) {
            let digit = usize::from(digit);
            let place = self.next[digit];
            let slot = place % whole;
            self.next[digit] = place + 1;
            // SAFETY: the slot is inside the line, which is aligned to 64 bytes.
            unsafe { self.lines[digit].as_mut_ptr().cast::<T>().add(slot).write(x) };
            if slot == whole - 1 {
                // SAFETY: the caller's promise: all elements of the line from the first on have places of their own.
                unsafe { self.write::<T>(digit, place + 1 - whole) };
            }
        }
    }

    /// Writes what is in a line, from place `start` up to the next.
    ///
    /// # Safety
    /// As for [`Array::place`].
    #[inline(always)]
    unsafe fn write<T: Pod>(&self, digit: usize, start: usize) {
        let end = self.next[digit];
        let from = start.max(self.first[digit]);
        let line = self.lines[digit].as_ptr();
        // SAFETY: the elements from `from` to `end` are in the line, which holds those from `start` on, and belong
        // there.
        unsafe {
            let line = line.add((from - start) * size_of::<T>());
            let to = self.base.wrapping_add(from * size_of::<T>());
            if end - from == LINE / size_of::<T>() {
                to.copy_from_nonoverlapping(line, LINE);
            } else {
                to.copy_from_nonoverlapping(line, (end - from) * size_of::<T>());
            }
        }
    }

    /// Writes what has not been written.
    ///
    /// # Safety
    /// As for [`Array::place_by_lines`], and `array` is that of [`new`](Self::new).
    pub(super) unsafe fn flush(self, array: &Array) {
        let whole = LINE / array.size;
        for digit in 0..VALUES {
            // SAFETY: the caller's promise.
            unsafe { by_size!(array.size, T => self.write::<T>(digit, self.next[digit] / whole * whole)) };
        }
    }
}
