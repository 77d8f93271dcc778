//! NVRTC: the empty kernel for the raw driver, as no compiler is there when the benchmark is built.

use super::load::{Handle, functions, open};
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{null, null_mut};

functions! {
    /// Those of `nvrtc.h` that are called.
    Functions {
        fn nvrtcCreateProgram(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char,
        );
        fn nvrtcCompileProgram(Handle, c_int, *const *const c_char);
        fn nvrtcGetCUBINSize(Handle, *mut usize);
        fn nvrtcGetCUBIN(Handle, *mut c_char);
        fn nvrtcDestroyProgram(*mut Handle);
    }
}

/// The image of an empty kernel for one architecture.
pub(crate) struct Cubin(Vec<u8>);

impl Cubin {
    /// What the kernel is called.
    pub(crate) const KERNEL: &CStr = c"empty";

    /// What the prelude makes of `WW_KERNEL(empty, 32) {}`.
    const TEXT: &CStr = c"extern \"C\" __global__ void __launch_bounds__(32) empty() {}";

    /// Compiles it for an architecture, as in `sm_90`.
    pub(crate) fn compile(arch: &str) -> Result<Self, String> {
        let functions = Functions::of(open(&["libnvrtc.so.13", "libnvrtc.so.12"])?)?;
        let mut program = null_mut();
        // SAFETY: the handle is there to be written; both texts end with a zero, and there are no headers.
        let status = unsafe {
            (functions.nvrtcCreateProgram)(
                &raw mut program,
                Self::TEXT.as_ptr(),
                c"empty.cu".as_ptr(),
                0,
                null(),
                null(),
            )
        };
        check("nvrtcCreateProgram", status)?;
        let image = image(&functions, program, arch);
        // SAFETY: created above, and destroyed once.
        unsafe { (functions.nvrtcDestroyProgram)(&raw mut program) };
        image.map(Cubin)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn image(functions: &Functions, program: Handle, arch: &str) -> Result<Vec<u8>, String> {
    let option = CString::new(format!("--gpu-architecture={arch}")).map_err(|error| error.to_string())?;
    let options = [option.as_ptr()];
    // SAFETY: the program has been created; there is one option, which ends with a zero.
    let status = unsafe { (functions.nvrtcCompileProgram)(program, 1, options.as_ptr()) };
    check("nvrtcCompileProgram", status)?;
    let mut bytes = 0;
    // SAFETY: the number is there to be written, and the program has been compiled.
    check("nvrtcGetCUBINSize", unsafe { (functions.nvrtcGetCUBINSize)(program, &raw mut bytes) })?;
    let mut image = vec![0_u8; bytes];
    // SAFETY: there is as much room as the library has just said.
    check("nvrtcGetCUBIN", unsafe { (functions.nvrtcGetCUBIN)(program, image.as_mut_ptr().cast()) })?;
    if image.is_empty() { Err(format!("NVRTC has made no image for {arch}")) } else { Ok(image) }
}

fn check(api: &str, status: c_int) -> Result<(), String> {
    // The numbers are those of `nvrtcResult`; its texts would need the library.
    if status == 0 { Ok(()) } else { Err(format!("{api} returned {status}")) }
}
