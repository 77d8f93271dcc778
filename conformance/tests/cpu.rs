//! The suite on the CPU device, in both of its modes.

use warpwave_core::Device;
use warpwave_cpu::{CpuBackend, CpuDevice};

warpwave_conformance::conformance_tests!(CpuDevice::open(0), CpuDevice::new(CpuBackend::asynchronous()));
