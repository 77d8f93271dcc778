//! Memory of others as buffers, and work of others on our streams.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use warpwave_core::operation::Ptr;
use warpwave_core::{Device, ErrorKind, LaunchArg, Ops, Reduce, Stream, args};
use warpwave_cpu::{CpuBackend, CpuDevice};

/// Memory of a vector, which says when it goes.
struct Keeper {
    elements: Box<[f32]>,
    dropped: Arc<AtomicBool>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Release);
    }
}

fn keeper(n: usize) -> (Keeper, Ptr, Arc<AtomicBool>) {
    let dropped = Arc::new(AtomicBool::new(false));
    let mut keeper = Keeper { elements: vec![1.0; n].into(), dropped: dropped.clone() };
    let ptr = Ptr::new(keeper.elements.as_mut_ptr().cast());
    (keeper, ptr, dropped)
}

/// It is a buffer like any other, and is its owner's again when the last handle is gone and the work on it has ended, not before.
#[test]
fn memory_of_others() {
    for device in [CpuDevice::new(CpuBackend::inline()).unwrap(), CpuDevice::new(CpuBackend::asynchronous()).unwrap()] {
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let inline = device.info().mode == "inline";
        let (owner, ptr, dropped) = keeper(1000);
        // SAFETY: the keeper has that memory, and nobody else touches it.
        let mut x = unsafe { device.import_buffer::<f32>(ptr, 1000, owner) }.unwrap();
        stream.add_assign(&mut x, &1.0).unwrap();
        assert_eq!(other.sum(&x).unwrap(), 2000.0);
        let (go, wait) = channel::<()>();
        if !inline {
            // The device works on it for as long as the test says.
            other
                .host_fn(move || {
                    let _ = wait.recv();
                })
                .unwrap();
        }
        other.add_assign(&mut x, &1.0).unwrap();
        drop(x);
        let look = || stream.fill(&mut stream.alloc::<u8>(8).unwrap(), 1).unwrap();
        look();
        assert_eq!(dropped.load(Ordering::Acquire), inline, "before the work has ended");
        drop(go);
        other.synchronize().unwrap();
        look();
        assert!(dropped.load(Ordering::Acquire), "after the work has ended");
        // Of nothing, it is given back at once.
        let (owner, ptr, dropped) = keeper(1);
        // SAFETY: as above.
        assert_eq!(other.to_vec(&unsafe { device.import_buffer::<f32>(ptr, 0, owner) }.unwrap()).unwrap(), []);
        assert!(dropped.load(Ordering::Acquire));
        assert_eq!(device.memory().in_use, 0);
    }
}

/// Closing a device gives back what is still out.
#[test]
fn a_closed_device_gives_back() {
    let device = CpuDevice::new(CpuBackend::asynchronous()).unwrap();
    let (owner, ptr, dropped) = keeper(1000);
    // SAFETY: as above.
    let mut x = unsafe { device.import_buffer::<f32>(ptr, 1000, owner) }.unwrap();
    device.default_stream().add_assign(&mut x, &1.0).unwrap();
    drop((x, device));
    for _ in 0..1000 {
        if dropped.load(Ordering::Acquire) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the memory is not given back");
}

#[test]
fn what_is_no_memory_is_refused() {
    let device = CpuDevice::new(CpuBackend::inline()).unwrap();
    for address in [0, 2] {
        let ptr = Ptr::new(std::ptr::without_provenance_mut(address));
        // SAFETY: it is refused.
        let error = unsafe { device.import_buffer::<f32>(ptr, 4, ()) }.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidArgument { what, .. } if what == "ptr"), "{error}");
    }
}

/// Work that others enqueue is in the order of all work on what they say they touch.
#[test]
fn work_of_others() {
    for device in [CpuDevice::new(CpuBackend::inline()).unwrap(), CpuDevice::new(CpuBackend::asynchronous()).unwrap()] {
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let mut x = stream.alloc::<u8>(1000).unwrap();
        stream.fill(&mut x, 1).unwrap();
        let enqueue = |_: &_, args: &[LaunchArg]| {
            let [LaunchArg::Memory { ptr, bytes, write: true }, LaunchArg::Value(number)] = args else {
                return Err(warpwave_core::Error::unsupported("these arguments"));
            };
            assert_eq!((*bytes, &number[..]), (1000, &7_u32.to_ne_bytes()[..]));
            // Others' work is done at once here, so what comes before is waited for.
            stream.synchronize()?;
            // SAFETY: the buffer's memory, on which no work is pending.
            unsafe { ptr.as_ptr().write_bytes(5, 500) };
            Ok(())
        };
        // SAFETY: it writes `x` alone, and has ended when it returns.
        unsafe { other.enqueue_with(args![&mut x, 7_u32], enqueue) }.unwrap();
        let got = stream.to_vec(&x).unwrap();
        assert!(got[..500].iter().all(|&x| x == 5) && got[500..].iter().all(|&x| x == 1));
        // An error is the caller's own.
        // SAFETY: it enqueues nothing.
        let error = unsafe { other.enqueue_with(args![&x], |_, _| Err(warpwave_core::Error::unsupported("this"))) };
        assert!(error.unwrap_err().to_string().contains("enqueue_with"));
    }
}
