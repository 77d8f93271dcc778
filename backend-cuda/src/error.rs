//! The vendor's numbers as errors.

use crate::driver::Driver;
use std::ffi::CStr;
use std::ptr::null;
use warpwave_core::{Error, ErrorKind, Result};

/// A library whose functions return a status.
pub(crate) trait Api {
    /// The name of a status other than 0.
    fn name(&self, status: u32) -> String;

    /// What a status other than 0 is.
    fn error(&self, api: &'static str, status: u32) -> Error {
        ErrorKind::Driver { api: api.to_owned(), code: i64::from(status), name: self.name(status) }.into()
    }

    /// Nothing, or what the status says.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`], and what the library has its own kinds of error for.
    fn check(&self, api: &'static str, status: u32) -> Result<()> {
        if status == 0 { Ok(()) } else { Err(self.error(api, status)) }
    }
}

/// The status that says there is not enough memory.
pub(crate) const OUT_OF_MEMORY: u32 = 2;

impl Api for Driver {
    fn name(&self, status: u32) -> String {
        let mut name = null();
        // SAFETY: the text's place is there to be written; of a number that it does not know the driver says so.
        let known = unsafe { (self.cuGetErrorName)(status, &raw mut name) } == 0;
        if known && !name.is_null() {
            // SAFETY: a text of the driver's, which ends with a zero and stays.
            return unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        }
        "an unknown status".to_owned()
    }

    fn error(&self, api: &'static str, status: u32) -> Error {
        let name = self.name(status);
        if is_loss(status) {
            return ErrorKind::DeviceLost { what: format!("{api} returned {name} ({status})") }.into();
        }
        if status == OUT_OF_MEMORY {
            return ErrorKind::OutOfMemory { requested: 0, free: 0 }.into();
        }
        ErrorKind::Driver { api: api.to_owned(), code: i64::from(status), name }.into()
    }
}

/// Whether a status says that the context can no longer be used: every later call would return the same. (CUDA Driver API, `CUresult`:
/// "the process must be terminated and relaunched".)
fn is_loss(status: u32) -> bool {
    matches!(status, 4 | 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 911)
}
