//! The suite as a test harness, on the asynchronous CPU device; `smoke.rs` has both modes in one process.

use warpwave_cpu::{CpuBackend, CpuDevice};

warpwave_conformance::conformance_tests!(CpuDevice::new(CpuBackend::asynchronous()));
