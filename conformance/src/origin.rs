//! Where a check gets further devices from.

use crate::erased::{Erased, Subject};
use std::fmt::Debug;
use warpwave_core::{Device, ManagedDevice, Result};

/// Where the device under test came from.
pub(crate) trait Origin<D: Device>: Debug + Sync {
    /// The same device a second time, with streams, memory and a pool of its own.
    fn again(&self, device: &D) -> Result<D>;
    /// How many devices of this kind there are.
    fn count(&self, device: &D) -> Result<usize>;
    /// Opens one of them.
    fn open(&self, device: &D, index: usize) -> Result<D>;
}

/// Devices that are opened by their type.
#[derive(Debug)]
pub(crate) struct Opened;

impl<D: Device> Origin<D> for Opened {
    fn again(&self, device: &D) -> Result<D> {
        let id = &device.info().id;
        D::open(id.split_once(':').and_then(|(_, index)| index.parse().ok()).unwrap_or(0))
    }

    fn count(&self, _device: &D) -> Result<usize> {
        Ok(D::enumerate()?.len())
    }

    fn open(&self, _device: &D, index: usize) -> Result<D> {
        D::open(index)
    }
}

/// Devices behind a [`Subject`].
#[derive(Debug)]
pub(crate) struct Behind;

impl Origin<Subject> for Behind {
    fn again(&self, device: &Subject) -> Result<Subject> {
        ManagedDevice::new(Erased::again(device.backend()))
    }

    fn count(&self, device: &Subject) -> Result<usize> {
        device.backend().count()
    }

    fn open(&self, device: &Subject, index: usize) -> Result<Subject> {
        ManagedDevice::new(device.backend().open_other(index)?)
    }
}
