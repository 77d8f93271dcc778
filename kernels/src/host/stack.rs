//! Stacks of their own for threads that wait, and the switch between them.
//!
//! Many stacks lie in one mapping. Below each is *room* that belongs to nobody, and below that a *guard*, pages that fault. A thread that
//! overflows its stack writes into its room, where it harms no other:
//!
//! - Whether a thread that comes to wait is below its stack is seen by its place, and is a fault.
//! - One that has been there and has come back has mostly written over the *canary*, words at the upper end of the room that are 0 otherwise.
//!   They are looked at when it leaves the kernel. Frames of which it has written little may have left them as they were; then it has had
//!   more stack than it was promised, and nobody knows.
//! - One that needs all of its room too comes to the guard, which ends the process. It does not step over that: a function with a frame as
//!   large as a guard is not compiled, and each that calls another writes where that is to return to. What `alloca` takes touches each
//!   of its pages, where compilers know `-fstack-clash-protection`.
//!
//! A guard makes two mappings of one, of which the system gives a process some 65,000. So there are [`MOST_GUARDS`] in a process at most.
//! Stacks that are obtained when there are as many share a guard, below the lowest of every [`CHUNK`]: there, a thread that needs more than
//! its stack and its room may write into the stack of another.

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use rustix::param::page_size;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a stack. Untouched pages cost address space only. A multiple of every page's size.
pub(super) const SIZE: usize = 128 << 10;
/// Bytes of a guard: a multiple of every page's size, which is 64 KiB on some systems.
const GUARD: usize = 64 << 10;
const ROOM: usize = 64 << 10;
/// Bytes of the largest frame that is compiled. Smaller than a guard by a page, for what is not counted: where it returns to, registers,
/// and what is used below it.
pub(super) const LARGEST_FRAME: usize = GUARD - 4096;
/// Stacks that are obtained at once.
const CHUNK: usize = 32;
/// Guards in this process at most: with the stacks between them, half of the mappings that Linux gives it.
const MOST_GUARDS: usize = 16 << 10;
/// How many there are, but for those that every chunk has.
static GUARDS: AtomicUsize = AtomicUsize::new(0);

/// The architectures that [`switch`] is written for.
pub(super) const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Stacks, each with a number.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    chunks: Vec<Chunk>,
    /// The lowest byte of each stack.
    lows: Vec<usize>,
    free: Vec<u32>,
}

/// A mapping.
#[derive(Debug)]
struct Chunk {
    start: *mut u8,
    /// Whether there is a guard below each of its stacks, and not the lowest alone.
    guarded: bool,
}

/// Bytes from one stack to the next: a guard, room, the stack, and a page. With a power of two, what a processor keeps of the page table for
/// all of the stacks would fall into the same few places.
fn stride() -> usize {
    GUARD + ROOM + SIZE + page_size().max(4096)
}

/// A line of the cache.
type Canary = [u64; 8];

impl Stacks {
    /// The number of a stack that nobody uses, or `None` if the system gives no memory.
    pub(super) fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        let number = self.lows.len();
        if number == self.chunks.len() * CHUNK {
            self.chunks.push(Chunk::new()?);
        }
        self.lows.push(self.chunks[number / CHUNK].start as usize + number % CHUNK * stride() + GUARD + ROOM);
        Some(number as u32)
    }

    /// A stack is free again.
    pub(super) fn give(&mut self, number: u32) {
        self.free.push(number);
    }

    /// All stacks are free again, whatever is on them.
    pub(super) fn give_all(&mut self) {
        self.free.clear();
        self.free.extend((0..self.lows.len() as u32).rev());
    }

    /// The same after a fault: threads that have not left may have written below their stacks.
    pub(super) fn mend_all(&mut self) {
        for number in 0..self.lows.len() as u32 {
            let canary = self.canary(number);
            // SAFETY: in the room of the stack; no thread runs.
            if unsafe { canary.read() } != [0; 8] {
                // SAFETY: as above.
                unsafe { canary.write([0; 8]) };
            }
        }
        self.give_all();
    }

    /// The bytes of a stack, from the lowest.
    #[inline(always)]
    pub(super) fn bounds(&self, number: u32) -> (usize, usize) {
        let low = self.lows[number as usize];
        (low, low + SIZE)
    }

    /// Whether this is a place of some stack, or below one.
    pub(super) fn hold(&self, at: usize) -> bool {
        self.chunks.iter().any(|chunk| (chunk.start as usize..chunk.start as usize + Chunk::bytes()).contains(&at))
    }

    /// Whether a thread that comes to wait at `sp` is on its stack.
    #[inline(always)]
    pub(super) fn holds(&self, number: u32, sp: *mut u8) -> bool {
        sp as usize >= self.lows[number as usize]
    }

    /// Whether nobody has written over the canary of a stack since [`mend_all`](Self::mend_all).
    #[inline(always)]
    pub(super) fn is_intact(&self, number: u32) -> bool {
        // SAFETY: in the room of the stack, whose thread is not there any more.
        let canary = unsafe { self.canary(number).read() };
        canary.iter().fold(0, |all, word| all | word) == 0
    }

    /// Looks at the canary of a stack soon: it lies in a page that nobody else has touched, so that it takes long to come.
    #[inline(always)]
    pub(super) fn prefetch_canary(&self, number: u32) {
        if (number as usize) < self.lows.len() {
            prefetch(self.canary(number).cast());
        }
    }

    /// As high in the room as the lines of the cache allow, of which each stack's is another.
    #[inline(always)]
    fn canary(&self, number: u32) -> *mut Canary {
        (self.lows[number as usize] - colour(number)) as *mut Canary
    }

    /// Makes a stack on which [`switch`] calls `entry(argument)`; gives what to switch to.
    ///
    /// # Safety
    /// Nothing runs on the stack of this number, and nothing that is on it is used again.
    pub(super) unsafe fn prepare(&self, number: u32, entry: Entry, argument: *mut c_void) -> *mut u8 {
        let top = (self.bounds(number).1 - colour(number)) as *mut u8;
        // SAFETY: the top of a stack that is the caller's, far larger than a frame.
        unsafe { first_frame(top, entry, argument) }
    }
}

/// Bytes between a stack's first frame and its highest place. Stacks lie whole pages apart, so that their tops would all fall into the same
/// lines of a cache. A line at least, and less than a page.
#[inline(always)]
fn colour(number: u32) -> usize {
    64 + (number as usize).wrapping_mul(320) % 3968 / 64 * 64
}

impl Chunk {
    fn bytes() -> usize {
        CHUNK * stride()
    }

    fn new() -> Option<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new private mapping touches no memory that exists.
        let start = unsafe { mmap_anonymous(null_mut(), Self::bytes(), access, flags) }.ok()?.cast::<u8>();
        let guarded = GUARDS.fetch_add(CHUNK, Ordering::Relaxed) + CHUNK <= MOST_GUARDS;
        if !guarded {
            GUARDS.fetch_sub(CHUNK, Ordering::Relaxed);
        }
        let chunk = Chunk { start, guarded };
        for number in 0..if guarded { CHUNK } else { 1 } {
            // SAFETY: the lowest bytes of a stride, of which nobody knows yet.
            let made = unsafe { mprotect(start.add(number * stride()).cast(), GUARD, MprotectFlags::empty()) };
            match (made, number) {
                (Ok(()), _) => {}
                (Err(_), 0) => return None,
                // The system gives no more mappings: what there is has to do.
                (Err(_), _) => break,
            }
        }
        Some(chunk)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` so; nothing runs on any stack when its owner is dropped. An error leaks it.
        let _ = unsafe { munmap(self.start.cast(), Self::bytes()) };
        if self.guarded {
            GUARDS.fetch_sub(CHUNK, Ordering::Relaxed);
        }
    }
}

/// Asks for a line of the cache.
#[inline(always)]
pub(super) fn prefetch(at: *const u8) {
    // SAFETY: reads nothing, wherever it points to.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
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

/// Goes on with what was put aside at `to`, and never with what runs now. As the second half of [`switch`], but for a jump in place of the
/// return: the processor foresees a return to where the last call was, and this one never is; and then it is wrong about those that follow.
///
/// # Safety
/// As for [`switch`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn resume(to: *mut u8) -> ! {
    // SAFETY: the caller's.
    unsafe {
        std::arch::asm!(
            "mov rsp, {to}",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "pop rcx",
            "jmp rcx",
            to = in(reg) to,
            options(noreturn),
        )
    }
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
    // No call: the entry does not return, and the processor would expect it to.
    std::arch::naked_asm!("mov rdi, r12", "and rsp, -16", "xor ebp, ebp", "push rbp", "jmp r13")
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

/// As for x86-64.
///
/// # Safety
/// As for x86-64.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn resume(to: *mut u8) -> ! {
    let mut scrap = null_mut();
    // SAFETY: the caller's. Nobody goes on with what is put aside here.
    unsafe { switch(&raw mut scrap, to) };
    std::process::abort()
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
    std::arch::naked_asm!("mov x0, x19", "mov x29, xzr", "mov x30, xzr", "br x20")
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

    /// No part of a stack is another's, and its canary is in its room.
    #[test]
    fn stacks_and_rooms_are_apart() {
        let mut stacks = Stacks::default();
        let count = CHUNK as u32 * 2 + 3;
        assert!((0..count).all(|i| stacks.take() == Some(i)));
        let mut all: Vec<(usize, usize)> = (0..count).map(|number| stacks.bounds(number)).collect();
        for (number, &(low, high)) in all.iter().enumerate() {
            assert_eq!((high - low, low % 4096), (SIZE, 0));
            let canary = stacks.canary(number as u32) as usize;
            assert!(canary.is_multiple_of(64) && canary + size_of::<Canary>() <= low && low - canary < 4096);
        }
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[1].0 - pair[0].1 >= GUARD + ROOM));
    }

    /// A word of any canary that is written over is found, and not any more when stacks are mended.
    #[test]
    fn a_word_that_is_written_over_is_found() {
        let mut stacks = Stacks::default();
        let numbers: Vec<u32> = (0..CHUNK as u32 + 2).map(|_| stacks.take().unwrap()).collect();
        for &number in &numbers {
            let (low, _) = stacks.bounds(number);
            assert!(stacks.holds(number, low as *mut u8) && !stacks.holds(number, (low - 8) as *mut u8));
            assert!(stacks.is_intact(number));
            for word in 0..8 {
                // SAFETY: the canary's words; nothing runs.
                unsafe { (*stacks.canary(number))[word] = 1 << (word * 9) };
                assert!(!stacks.is_intact(number));
                stacks.mend_all();
            }
        }
        assert!(numbers.iter().all(|&number| stacks.is_intact(number)));
    }

    /// There is a guard below the room of every stack, until the system would have too many mappings.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_guard_is_below_every_stack() {
        let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap();
        let mut stacks = Stacks::default();
        for _ in 0..3 * CHUNK {
            stacks.take().unwrap();
        }
        let maps = mappings();
        for &low in &stacks.lows {
            let end = low - ROOM;
            let guard = maps.lines().find(|line| line.split(['-', ' ']).nth(1) == Some(&format!("{end:x}")));
            assert!(guard.is_some_and(|guard| guard.contains(" ---p ")), "{end:x}: {guard:?}");
        }
        for _ in 0..MOST_GUARDS + 3 * CHUNK {
            stacks.take().unwrap();
        }
        assert!(stacks.chunks.last().is_some_and(|chunk| !chunk.guarded));
        let count = mappings().lines().count();
        assert!(count < 2 * MOST_GUARDS + 1000, "{count}");
        drop(stacks);
        assert!(GUARDS.load(Ordering::Relaxed) <= MOST_GUARDS / 2);
    }
}
