//! Stacks of their own for threads that wait, and the switch between them.
//!
//! Stacks lie side by side, many in one mapping: a page between two that faults would make each two mappings more, of which the system
//! gives a process some 65,000, and a launch on many processors has that many stacks. In front of each stack is a *canary*, words that
//! nobody writes, and whenever its thread comes to wait or ends they are looked at: a stack that has overflowed has written over them, and
//! over nothing of a thread that has run since. Below the lowest stack of a mapping there is room for one more, and below that a page that
//! faults.

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use rustix::param::page_size;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Bytes of a stack. Untouched pages cost address space only. A multiple of every page's size.
pub(super) const SIZE: usize = 128 << 10;
/// Stacks that are obtained at once.
const CHUNK: usize = 32;
/// No sensible address, number or index.
const CANARY: Canary = [
    0xc3a5_9d17_e86b_f249,
    0x9e6f_41d8_b7c2_350b,
    0xf1b4_6c2e_97d3_a85d,
    0xd72c_95e1_3fa8_64b7,
    0xa86d_3f92_c5e4_1b71,
    0xbe57_d1a4_69f3_8c25,
    0xe49a_72c6_1db8_f053,
    0x8fd1_b63a_e752_9c4e,
];

/// The architectures that [`switch`] is written for.
pub(super) const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Stacks, each with a number.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// Where the lowest stack of each mapping starts.
    chunks: Vec<*mut u8>,
    /// Where the canary of each stack is: right above where the first frame of the stack below lies, so that it shares lines of the cache,
    /// and mostly the page, with what the thread there has just used.
    canaries: Vec<*mut Canary>,
    free: Vec<u32>,
}

type Canary = [u64; 8];

impl Stacks {
    /// The number of a stack that nobody uses, or `None` if the system gives no memory.
    pub(super) fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        let number = self.canaries.len() as u32;
        if self.canaries.len() == self.chunks.len() * CHUNK {
            self.chunks.push(map_chunk()?);
        }
        self.canaries.push((self.bounds(number).0 - colour(number.wrapping_sub(1))) as *mut Canary);
        Some(number)
    }

    /// A stack is free again.
    pub(super) fn give(&mut self, number: u32) {
        self.free.push(number);
    }

    /// All stacks are free again, whatever is on them.
    pub(super) fn give_all(&mut self) {
        self.free.clear();
        self.free.extend((0..self.canaries.len() as u32).rev());
    }

    /// The bytes of a stack, from the lowest.
    pub(super) fn bounds(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        let low = self.chunks[number / CHUNK] as usize + number % CHUNK * SIZE;
        (low, low + SIZE)
    }

    /// Whether this is a place of some stack, or below the lowest.
    pub(super) fn hold(&self, at: usize) -> bool {
        let (below, len) = chunk_sizes();
        self.chunks.iter().any(|&chunk| (chunk as usize - below..chunk as usize - below + len).contains(&at))
    }

    /// Whether a thread that comes to wait at `sp`, or has left, has kept to its stack. Between its lowest place and the canary is nothing.
    #[inline(always)]
    pub(super) fn is_intact(&self, number: u32, sp: *mut u8) -> bool {
        let canary = self.canaries[number as usize];
        // Those at the ends: all eight take longer than they are worth, on every turn of every thread.
        // SAFETY: below the stack in the same mapping, where `prepare` has written it.
        let ends = unsafe { [(&raw const (*canary)[0]).read(), (&raw const (*canary)[7]).read()] };
        sp > canary.cast() && ends[0] == CANARY[0] && ends[1] == CANARY[7]
    }

    /// Makes a stack on which [`switch`] calls `entry(argument)`; gives what to switch to.
    ///
    /// # Safety
    /// Nothing runs on the stack of this number, and nothing that is on it is used again.
    pub(super) unsafe fn prepare(&self, number: u32, entry: Entry, argument: *mut c_void) -> *mut u8 {
        // SAFETY: 64 bytes above the first frame of the stack below, or of the room below the lowest, and below this one: nobody's.
        unsafe { self.canaries[number as usize].write(CANARY) };
        let top = (self.bounds(number).1 - colour(number)) as *mut u8;
        // SAFETY: the top of a stack that is the caller's, far larger than a frame.
        unsafe { first_frame(top, entry, argument) }
    }
}

/// Bytes between a stack's first frame and its highest place; the lowest of them are the next stack's canary. Stacks lie whole pages apart, so that their tops would all fall into the same
/// lines of a cache. Room for a canary at least, and less than a page.
#[inline(always)]
fn colour(number: u32) -> usize {
    64 + (number as usize).wrapping_mul(320) % 3968 / 64 * 64
}

impl Drop for Stacks {
    fn drop(&mut self) {
        let (below, len) = chunk_sizes();
        for &chunk in &self.chunks {
            // SAFETY: mapped in `map_chunk` so; nothing runs on any stack when its owner is dropped. An error leaks it.
            let _ = unsafe { munmap(chunk.sub(below).cast(), len) };
        }
    }
}

/// Bytes of a mapping below its lowest stack, and in all.
fn chunk_sizes() -> (usize, usize) {
    // As many bytes as the system can protect, which is 64 KiB on some.
    let below = page_size().max(4096) + SIZE;
    (below, below + CHUNK * SIZE)
}

/// Maps stacks; gives where the lowest starts.
fn map_chunk() -> Option<*mut u8> {
    let (below, len) = chunk_sizes();
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new private mapping touches no memory that exists.
    let start = unsafe { mmap_anonymous(null_mut(), len, access, MapFlags::PRIVATE | MapFlags::NORESERVE) }.ok()?;
    // SAFETY: the lowest bytes of the mapping, of which nobody knows yet.
    if unsafe { mprotect(start, below - SIZE, MprotectFlags::empty()) }.is_err() {
        // SAFETY: mapped above. An error leaks it.
        let _ = unsafe { munmap(start, len) };
        return None;
    }
    // SAFETY: inside the mapping.
    Some(unsafe { start.cast::<u8>().add(below) })
}

/// What a new stack starts with. Never returns.
pub(super) type Entry = unsafe extern "C" fn(*mut c_void) -> !;

/// Puts what runs now aside, at `*save`, and goes on with what was put aside at `to`.
///
/// # Safety
/// `to` was saved by an earlier call and not gone on with since, or made by [`Stacks::prepare`]. The stack that it is on is not in use.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn switch(save: *mut *mut u8, to: *mut u8) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// A frame that the second half of [`switch`] leaves for [`start`].
#[cfg(target_arch = "x86_64")]
unsafe fn first_frame(top: *mut u8, entry: Entry, argument: *mut c_void) -> *mut u8 {
    // r15, r14, r13, r12, rbx, rbp, where to return to; above it a word, so that `start` begins with an aligned stack.
    let frame: [usize; 8] = [0, 0, entry as usize, argument as usize, 0, 0, start as *const () as usize, 0];
    let sp = (top as usize & !63) - 64;
    // SAFETY: 64 bytes below the top of the caller's stack.
    unsafe { (sp as *mut [usize; 8]).write(frame) };
    sp as *mut u8
}

/// The first instructions on a new stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn start() {
    std::arch::naked_asm!("mov rdi, r12", "and rsp, -16", "xor ebp, ebp", "call r13", "ud2")
}

/// As for x86-64.
///
/// # Safety
/// As for x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn switch(save: *mut *mut u8, to: *mut u8) {
    std::arch::naked_asm!(
        "sub sp, sp, #160",
        "stp x19, x20, [sp]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x9, sp",
        "str x9, [x0]",
        "mov sp, x1",
        "ldp x19, x20, [sp]",
        "ldp x21, x22, [sp, #16]",
        "ldp x23, x24, [sp, #32]",
        "ldp x25, x26, [sp, #48]",
        "ldp x27, x28, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "add sp, sp, #160",
        "ret",
    )
}

#[cfg(target_arch = "aarch64")]
unsafe fn first_frame(top: *mut u8, entry: Entry, argument: *mut c_void) -> *mut u8 {
    let mut frame = [0_usize; 20];
    (frame[0], frame[1], frame[11]) = (argument as usize, entry as usize, start as *const () as usize);
    let sp = (top as usize & !63) - 192;
    // SAFETY: 160 of 192 bytes below the top of the caller's stack.
    unsafe { (sp as *mut [usize; 20]).write(frame) };
    sp as *mut u8
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn start() {
    std::arch::naked_asm!("mov x0, x19", "mov x29, xzr", "mov x30, xzr", "blr x20", "brk #1")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) unsafe extern "C" fn switch(_: *mut *mut u8, _: *mut u8) {
    // Never reached: a launch is refused where this is not supported.
    std::process::abort()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn first_frame(top: *mut u8, _: Entry, _: *mut c_void) -> *mut u8 {
    top
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// No part of a stack is another's, and every canary lies between two.
    #[test]
    fn stacks_and_canaries_are_apart() {
        let mut stacks = Stacks::default();
        let count = CHUNK as u32 * 2 + 3;
        assert!((0..count).all(|i| stacks.take() == Some(i)));
        for number in 0..count {
            let (low, high) = stacks.bounds(number);
            assert_eq!(high - low, SIZE);
            let canary = stacks.canaries[number as usize] as usize;
            let size = size_of_val(&CANARY);
            assert!(canary.is_multiple_of(64) && canary + size <= low && low - canary <= 4096);
            // The first frame of the stack below starts under it.
            let top_below = low - colour(number.wrapping_sub(1));
            assert!(top_below <= canary && low - 4096 <= top_below);
        }
    }

    /// Every canary is there from the start, and a stack is told from one that has overflowed by a word.
    #[test]
    fn a_word_that_is_written_over_is_found() {
        unsafe extern "C" fn never(_: *mut c_void) -> ! {
            std::process::abort()
        }
        let mut stacks = Stacks::default();
        let numbers: Vec<u32> = (0..CHUNK as u32 + 2).map(|_| stacks.take().unwrap()).collect();
        let places: Vec<*mut u8> = numbers
            .iter()
            // SAFETY: nothing runs on any of them.
            .map(|&number| unsafe { stacks.prepare(number, never, null_mut()) })
            .collect();
        for (&number, &sp) in numbers.iter().zip(&places) {
            assert!(stacks.is_intact(number, sp));
            let canary = stacks.canaries[number as usize];
            assert!(!stacks.is_intact(number, canary.cast::<u8>().wrapping_sub(8)));
            for word in [0, 7] {
                for bit in 0..64 {
                    // SAFETY: the canary's words; nothing runs.
                    unsafe { (*canary)[word] ^= 1 << bit };
                    assert!(!stacks.is_intact(number, sp));
                    // SAFETY: as above.
                    unsafe { (*canary)[word] ^= 1 << bit };
                }
            }
        }
        assert!(numbers.iter().zip(&places).all(|(&number, &sp)| stacks.is_intact(number, sp)));
    }

    /// As many stacks as a large machine takes at once are few mappings for the system.
    #[cfg(target_os = "linux")]
    #[test]
    fn many_stacks_are_few_mappings() {
        let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
        let before = mappings();
        let mut stacks = Stacks::default();
        for _ in 0..16 * 1024 {
            stacks.take().unwrap();
        }
        let more = mappings().saturating_sub(before);
        assert!(more < 16 * 1024 / CHUNK * 2 + 100, "{more}");
    }
}
