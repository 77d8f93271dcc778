//! What the executor and a compiled module share: `warpwave_host.h` has the same.

use std::ffi::{c_char, c_void};

/// The version of all this.
pub(super) const VERSION: u32 = 3;

#[repr(C)]
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) barrier: unsafe extern "C" fn(*mut Thread),
    pub(super) warp_barrier: unsafe extern "C" fn(*mut Thread),
    pub(super) ballot: unsafe extern "C" fn(*mut Thread, u64, *mut u64),
    pub(super) shuffle: unsafe extern "C" fn(*mut Thread, *const c_void, *mut c_void, u64),
    pub(super) spin: unsafe extern "C" fn(*mut Thread),
    pub(super) shared: unsafe extern "C" fn(*mut Thread, *const c_void, *mut *mut c_void, u64),
    pub(super) access: unsafe extern "C" fn(*mut Thread, *const c_void, u64),
    pub(super) fence: unsafe extern "C" fn(*mut Thread),
}

/// Where a block is.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Block {
    pub(super) calls: *const Calls,
    pub(super) dynamic_shared: *mut c_void,
    pub(super) known: [[u64; 2]; 4],
    pub(super) quiet: u64,
    pub(super) block: [u32; 3],
    pub(super) blocks: [u32; 3],
    pub(super) threads: [u32; 3],
}

/// Where a thread is.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) block: *mut Block,
    pub(super) index: [u32; 3],
    pub(super) lane: u32,
}

/// A parameter of a kernel, as its text declares it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) size: u32,
    pub(super) kind: u32,
    pub(super) to_size: u32,
    pub(super) to_kind: u32,
}

/// What runs a thread, or with `plain` a block.
pub(super) type Run = unsafe extern "C" fn(*const Block, *const *const c_void);

#[repr(C)]
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) name: *const c_char,
    pub(super) run: Run,
    pub(super) parameters: *const Parameter,
    pub(super) count: u32,
    pub(super) threads: u32,
}

#[repr(C)]
#[derive(Debug)]
pub(super) struct Description {
    pub(super) version: u32,
    pub(super) warp: u32,
    pub(super) plain: u32,
    pub(super) check: u32,
    pub(super) communicates: u32,
    pub(super) first: *const *const Kernel,
    pub(super) last: *const *const Kernel,
    pub(super) current: unsafe extern "C" fn() -> *mut *mut Thread,
    pub(super) start: *const c_void,
    pub(super) end: *const c_void,
}
