//! Stacks of their own for threads that wait, and the switch between them.

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Bytes of a stack. Untouched pages cost address space only.
const SIZE: usize = 128 << 10;
/// Bytes below a stack that fault when they are touched.
const GUARD: usize = 16 << 10;
/// Stacks that are obtained at once.
const CHUNK: usize = 32;

/// The architectures that [`switch`] is written for.
pub(super) const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Stacks, each with a number.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    chunks: Vec<*mut u8>,
    count: usize,
    free: Vec<u32>,
}

impl Stacks {
    /// The number of a stack that nobody uses, or `None` if the system gives no memory.
    pub(super) fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        if self.count == self.chunks.len() * CHUNK {
            self.chunks.push(map_chunk()?);
        }
        self.count += 1;
        Some((self.count - 1) as u32)
    }

    /// A stack is free again.
    pub(super) fn give(&mut self, number: u32) {
        self.free.push(number);
    }

    /// All stacks are free again, whatever is on them.
    pub(super) fn give_all(&mut self) {
        self.free.clear();
        self.free.extend((0..self.count as u32).rev());
    }

    /// The bytes of a stack, from the lowest.
    pub(super) fn bounds(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        let low = self.chunks[number / CHUNK] as usize + number % CHUNK * (SIZE + GUARD) + GUARD;
        (low, low + SIZE)
    }

    /// Makes a stack on which [`switch`] calls `entry(argument)`; gives what to switch to.
    ///
    /// # Safety
    /// Nothing runs on the stack of this number, and nothing that is on it is used again.
    pub(super) unsafe fn prepare(&self, number: u32, entry: Entry, argument: *mut c_void) -> *mut u8 {
        // Stacks lie whole pages apart, so that their tops would all fall into the same lines of a cache.
        let colour = number as usize * 320 % 4096;
        let top = (self.bounds(number).1 - colour) as *mut u8;
        // SAFETY: the top of a stack that is the caller's, far larger than a frame.
        unsafe { first_frame(top, entry, argument) }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        for &chunk in &self.chunks {
            // SAFETY: mapped in `map_chunk` with this size; nothing runs on any stack when its owner is dropped. An error leaks it.
            let _ = unsafe { munmap(chunk.cast(), CHUNK * (SIZE + GUARD)) };
        }
    }
}

fn map_chunk() -> Option<*mut u8> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new private mapping touches no memory that exists.
    let chunk =
        unsafe { mmap_anonymous(null_mut(), CHUNK * (SIZE + GUARD), access, MapFlags::PRIVATE | MapFlags::NORESERVE) };
    let chunk = chunk.ok()?.cast::<u8>();
    for i in 0..CHUNK {
        // SAFETY: inside the mapping, of which nobody knows yet.
        unsafe { mprotect(chunk.add(i * (SIZE + GUARD)).cast(), GUARD, MprotectFlags::empty()) }.ok()?;
    }
    Some(chunk)
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
