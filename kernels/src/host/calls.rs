//! What a kernel calls: its barriers, warps and shared memory.
//!
//! A call saves the thread's registers on its own stack, and goes on on the worker's, below what that has put aside to run the block: so
//! threads share the lines of the cache that all this needs, and a step may hold a reference to the worker, as no kernel runs
//! meanwhile. A step gives the place to go on at: the caller's own, another thread's, or the worker's end of the block.

use super::abi;
use super::access;
use super::schedule::Wait;
use super::worker::Worker;
use std::ffi::c_void;

pub(super) static CALLS: abi::Calls =
    abi::Calls { barrier, warp_barrier, ballot, shuffle, spin, shared, access, fence };

/// A call of three arguments at most; its step has them, and as its fifth the place where the thread is put aside.
macro_rules! call {
    ($name:ident($($argument:ty),*) => $step:ident) => {
        /// # Safety
        /// Called by a kernel on the stack of its running thread, with what identifies that.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut abi::Thread, $(_: $argument),*) {
            std::arch::naked_asm!(
                // As `switch` does.
                "push rbp",
                "push rbx",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                "mov r8, rsp",
                "mov rax, [rdi]",
                "mov rsp, [rax + {main}]",
                // The worker was put aside in a call, with its registers on the stack.
                "and rsp, -16",
                "call {step}",
                "mov rsp, rax",
                "pop r15",
                "pop r14",
                "pop r13",
                "pop r12",
                "pop rbx",
                "pop rbp",
                "ret",
                main = const std::mem::offset_of!(Worker, main),
                step = sym $step,
            )
        }

        /// # Safety
        /// As for x86-64.
        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut abi::Thread, $(_: $argument),*) {
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
                "mov x4, sp",
                "ldr x9, [x0]",
                "ldr x9, [x9, #{main}]",
                "mov sp, x9",
                "bl {step}",
                "mov sp, x0",
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
                main = const std::mem::offset_of!(Worker, main),
                step = sym $step,
            )
        }

        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe extern "C" fn $name(_: *mut abi::Thread, $(_: $argument),*) {
            // Never reached: a launch is refused where this is not supported.
            std::process::abort()
        }
    };
}

call!(barrier() => barrier_step);
call!(warp_barrier() => warp_barrier_step);
call!(ballot(u64, *mut u64) => ballot_step);
call!(shuffle(*const c_void, *mut c_void, u64) => shuffle_step);
call!(spin() => spin_step);
call!(shared(*const c_void, *mut *mut c_void, u64) => shared_step);
call!(access(*const c_void, u64) => access_step);

/// The worker whose thread this is.
///
/// # Safety
/// In a step, once.
unsafe fn worker_of<'a>(thread: *mut abi::Thread) -> &'a mut Worker {
    // SAFETY: the head of a worker is its first field. Its threads are put aside, and its own code waits in `Worker::run`.
    unsafe { &mut *(*thread).block.cast::<Worker>() }
}

unsafe extern "C" fn barrier_step(thread: *mut abi::Thread, _: u64, _: u64, _: u64, sp: *mut u8) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    worker.progress();
    worker.arrived += 1;
    let number = worker.current;
    if worker.arrived < worker.threads.len() {
        worker.threads[number].wait = Wait::Barrier;
        return worker.suspend(sp, false);
    }
    worker.arrived = 0;
    for warp in &mut worker.warps {
        warp.ready = warp.live;
    }
    go_on(worker, sp)
}

/// The running thread, which has been made ready with others, goes on itself, or in an order of its own another one.
#[inline(always)]
fn go_on(worker: &mut Worker, sp: *mut u8) -> *mut u8 {
    if worker.seeded && worker.random() & 1 == 0 {
        return worker.give_way(sp);
    }
    let (warp, lane) = worker.split(worker.current);
    worker.warps[warp].ready &= !(1 << lane);
    sp
}

/// The running thread comes to where the lanes of its warp meet.
#[inline(always)]
fn meet(worker: &mut Worker, wait: Wait, sp: *mut u8) -> *mut u8 {
    worker.progress();
    let number = worker.current;
    let (index, lane) = worker.split(number);
    worker.threads[number].wait = wait;
    let warp = &mut worker.warps[index];
    if warp.met != 0 && warp.wait != wait {
        let what = worker.deadlock();
        return worker.fail(what);
    }
    warp.wait = wait;
    warp.met |= 1 << lane;
    if warp.met != warp.live {
        return worker.suspend(sp, true);
    }
    complete(worker, index);
    go_on(worker, sp)
}

/// Gives the lanes of a warp, all of which have come, what they have come for, and makes them ready.
pub(super) fn complete(worker: &mut Worker, index: usize) {
    let lanes = worker.warp as usize;
    let warp = &mut worker.warps[index];
    let (met, wait) = (warp.met, warp.wait);
    (warp.met, warp.ready) = (0, warp.ready | met);
    let first = index * lanes;
    let last = (first + lanes).min(worker.threads.len());
    let threads = &mut worker.threads[first..last];
    match wait {
        Wait::Ballot => {
            let votes = bits(met).fold(0, |votes, lane| votes | threads[lane].value << lane);
            for lane in bits(met) {
                // SAFETY: a variable of a call of `ballot` that has not returned.
                unsafe { threads[lane].out.cast::<u64>().write(votes) };
            }
        }
        Wait::Shuffle { bytes } => {
            for lane in bits(met) {
                let from = threads[lane].from as usize & (lanes - 1);
                let (out, bytes) = (threads[lane].out, bytes as usize);
                // SAFETY: variables of that size, in calls of `shuffle` that have not returned. No `out` is a value.
                unsafe {
                    if met >> from & 1 == 0 {
                        // Not defined, so nobody may use it.
                        out.write_bytes(access::POISON, bytes);
                        continue;
                    }
                    let value = threads[from].value as *const u8;
                    // Sizes that are known are moves.
                    match bytes {
                        4 => out.cast::<u32>().write_unaligned(value.cast::<u32>().read_unaligned()),
                        8 => out.cast::<u64>().write_unaligned(value.cast::<u64>().read_unaligned()),
                        _ => out.copy_from_nonoverlapping(value, bytes),
                    }
                }
            }
        }
        _ => {}
    }
}

/// The bits of a mask, from the lowest.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = mask.trailing_zeros() as usize;
        let any = mask != 0;
        mask &= mask.wrapping_sub(1);
        any.then_some(lowest)
    })
}

unsafe extern "C" fn warp_barrier_step(thread: *mut abi::Thread, _: u64, _: u64, _: u64, sp: *mut u8) -> *mut u8 {
    // SAFETY: a step.
    meet(unsafe { worker_of(thread) }, Wait::WarpBarrier, sp)
}

unsafe extern "C" fn ballot_step(thread: *mut abi::Thread, condition: u64, out: u64, _: u64, sp: *mut u8) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    let state = &mut worker.threads[worker.current];
    (state.value, state.out) = (u64::from(condition as u32 != 0), out as *mut u8);
    meet(worker, Wait::Ballot, sp)
}

unsafe extern "C" fn shuffle_step(
    thread: *mut abi::Thread,
    value: u64,
    out: u64,
    bytes_and_lane: u64,
    sp: *mut u8,
) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    let state = &mut worker.threads[worker.current];
    (state.value, state.out, state.from) = (value, out as *mut u8, bytes_and_lane as u32);
    meet(worker, Wait::Shuffle { bytes: (bytes_and_lane >> 32) as u32 }, sp)
}

unsafe extern "C" fn spin_step(thread: *mut abi::Thread, _: u64, _: u64, _: u64, sp: *mut u8) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    match worker.may_spin() {
        Ok(()) => worker.give_way(sp),
        Err(what) => worker.fail(what),
    }
}

unsafe extern "C" fn shared_step(
    thread: *mut abi::Thread,
    site: u64,
    out: u64,
    bytes_and_align: u64,
    sp: *mut u8,
) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    let (bytes, align) = ((bytes_and_align >> 32) as usize, (bytes_and_align & 0xffff_ffff) as usize);
    match worker.shared.array(site as usize, bytes, align) {
        Ok(array) => {
            // SAFETY: a variable of the call.
            unsafe { (out as *mut *mut u8).write(array) };
            sp
        }
        Err(what) => {
            let what = format!("{}: {what}", worker.place());
            worker.fail(what)
        }
    }
}

unsafe extern "C" fn access_step(
    thread: *mut abi::Thread,
    at: u64,
    bytes_and_flags: u64,
    _: u64,
    sp: *mut u8,
) -> *mut u8 {
    // SAFETY: a step.
    let worker = unsafe { worker_of(thread) };
    let (write, atomic) = (bytes_and_flags >> 63 != 0, bytes_and_flags >> 62 & 1 != 0);
    let (at, bytes) = (at as usize, (bytes_and_flags & (u64::MAX >> 2)) as usize);
    if let Err(what) = access::find(worker, at, bytes, write, atomic) {
        let what = format!("{}: {what}", worker.place());
        return worker.fail(what);
    }
    if write {
        // Those that only wait for another block write nothing.
        worker.progress();
    }
    if !worker.seeded {
        worker.head.quiet = u64::MAX;
        return sp;
    }
    if atomic && worker.pauses > 0 && worker.random() & 7 == 0 {
        // After the access: it happens when this returns.
        worker.pauses -= 1;
        worker.pause = true;
        worker.head.quiet = 0;
    }
    // Whoever relies on the order of two threads without waiting finds out here.
    if worker.head.quiet == u64::MAX || worker.random() & 31 == 0 {
        worker.head.quiet = worker.random() & 127;
        return worker.give_way(sp);
    }
    sp
}

unsafe extern "C" fn fence(thread: *mut abi::Thread) {
    // SAFETY: called by a kernel, so this is a thread of a worker. No step is under way, and none begins before this returns.
    let worker = unsafe { worker_of(thread) };
    if let Some(published) = &worker.work().published {
        published.fence(worker.block_number());
    }
}
