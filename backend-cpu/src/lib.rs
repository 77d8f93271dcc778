//! The CPU device.
#![allow(dead_code)]
mod execute;
mod workers;
