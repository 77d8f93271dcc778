//! Host functions: what they may not do, and what becomes of their panics.

use super::lifecycle::{CLASS, LEN, check, is_invalid, open};
use super::program::SimDevice;
use super::sim::{Inline, Options, Sim};
use crate::device::Device;
use crate::error::{Context, ErrorKind};
use crate::stream::Stream;
use crate::sync::Arc;
use std::sync::mpsc;

#[test]
fn calls_from_inside_a_host_function_are_refused_and_change_nothing() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut buffer = stream.from_slice(&[1u8; LEN]).unwrap();
    let pinned = stream.pinned::<u8>(LEN).unwrap();
    let event = stream.record().unwrap();
    let (send, receive) = mpsc::channel();
    let (inner, on, mut pinned) = (device.clone(), stream.clone(), pinned);
    let other = stream.zeros::<u8>(LEN).unwrap();
    let mut graph = stream.record_graph(|_| Ok(())).unwrap();
    stream
        .host_fn(move || {
            // Each with the call that it names, and whether that is on a stream.
            let errors = [
                ("alloc", true, on.alloc::<u8>(1).unwrap_err()),
                ("pinned", true, on.pinned::<u8>(1).unwrap_err()),
                ("write", true, on.write(&mut buffer, &[0; LEN]).unwrap_err()),
                ("fill", true, on.fill(&mut buffer, 2).unwrap_err()),
                ("read", true, on.to_vec(&buffer).unwrap_err()),
                ("download", true, on.download(&buffer, &mut pinned).unwrap_err()),
                ("copy_from_peer", true, on.copy_from_peer(&other, &mut buffer).unwrap_err()),
                ("record", true, on.record().unwrap_err()),
                ("wait", true, on.wait(&event).unwrap_err()),
                ("synchronize", true, on.synchronize().unwrap_err()),
                ("host_fn", true, on.host_fn(|| {}).unwrap_err()),
                ("record_graph", true, on.record_graph(|_| Ok(())).unwrap_err()),
                ("launch", true, graph.launch(&on).unwrap_err()),
                ("query", true, event.query().unwrap_err()),
                ("Event::synchronize", true, event.synchronize().unwrap_err()),
                ("elapsed_since", true, event.elapsed_since(&event).unwrap_err()),
                ("Pinned::read", false, pinned.read().map(drop).unwrap_err()),
                ("Pinned::write", false, pinned.write().map(drop).unwrap_err()),
                ("new_stream", false, inner.new_stream().unwrap_err()),
                ("trim", false, inner.trim().unwrap_err()),
            ];
            send.send((buffer, errors)).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    let (buffer, errors) = receive.recv().unwrap();
    for (name, on_stream, error) in errors {
        assert!(is_invalid(&error), "{error}");
        let Context { operation, stream: id, device, .. } = error.context();
        assert_eq!(operation.as_deref(), Some(name));
        assert_eq!((*id, device.as_deref()), (on_stream.then_some(stream.id()), Some("sim")), "{error}");
    }
    assert_eq!(stream.to_vec(&buffer).unwrap(), [1; LEN]);
    drop((buffer, stream, device));
    check(&world);
}

/// Nor do they reach a backend that is yet to be opened: the simulated one would say that there is no such device.
#[test]
fn a_host_function_opens_no_device() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let (send, receive) = mpsc::channel();
    let other = Sim::open(&world);
    stream
        .host_fn(move || {
            let errors = [
                ("enumerate", SimDevice::enumerate().unwrap_err()),
                ("open", SimDevice::open(0).unwrap_err()),
                ("open", SimDevice::new(other).unwrap_err()),
            ];
            send.send(errors).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    for (name, error) in receive.recv().unwrap() {
        assert!(is_invalid(&error), "{error}");
        assert_eq!(error.context().operation.as_deref(), Some(name));
    }
    drop((stream, device));
    check(&world);
}

#[test]
fn a_panic_in_a_host_function_is_reported_once_by_the_next_call_that_synchronizes() {
    for inline in [Inline::None, Inline::All] {
        let (world, device) = open(Options { inline, ..Options::default() });
        let stream = device.default_stream();
        let buffer = stream.from_slice(&[1u8; LEN]).unwrap();
        stream.host_fn(|| std::panic::resume_unwind(Box::new("on purpose"))).unwrap();
        world.run_all();
        // Neither calls that do not synchronize nor calls that fail take the report away.
        stream.alloc::<u8>(LEN).unwrap();
        stream.read(&buffer, &mut [0; 1]).unwrap_err();
        device.new_stream().unwrap().synchronize().unwrap();
        world.lock().refuse.full = 1;
        assert!(matches!(stream.to_vec(&buffer).unwrap_err().kind(), ErrorKind::Driver { .. }));
        let error = stream.synchronize().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DeviceFault { what } if what.contains("on purpose")), "{error}");
        stream.synchronize().unwrap();
        assert_eq!(stream.to_vec(&buffer).unwrap(), [1; LEN]);
        drop((buffer, stream, device));
        check(&world);
    }
}

/// What a panic carries is dropped inside the host function too: its destructor cannot call the device, and may itself panic.
#[test]
fn what_a_panic_carries_cannot_call_the_device_or_unwind() {
    struct Bomb(Option<mpsc::Sender<bool>>, <SimDevice as Device>::Stream);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if let Some(sender) = self.0.take() {
                let _ = sender.send(self.1.synchronize().is_err());
                std::panic::resume_unwind(Box::new(Bomb(None, self.1.clone())));
            }
            std::panic::resume_unwind(Box::new("once more"));
        }
    }
    for inline in [Inline::None, Inline::All] {
        let (world, device) = open(Options { inline, ..Options::default() });
        let stream = device.default_stream();
        let (sender, refused) = mpsc::channel();
        let bomb = Bomb(Some(sender), stream.clone());
        stream.host_fn(move || std::panic::resume_unwind(Box::new(bomb))).unwrap();
        assert!(stream.synchronize().unwrap_err().to_string().contains("no message"));
        assert!(refused.recv().unwrap());
        stream.synchronize().unwrap();
        // The second payload is leaked, and a handle of the stream with it.
        drop((stream, device));
        assert_eq!(world.violations(), Vec::<String>::new());
    }
}

#[test]
fn a_host_function_that_is_refused_is_dropped_and_holds_nothing_up() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let owned = Arc::new(());
    let clone = owned.clone();
    world.lock().refuse.full = 1;
    assert!(matches!(stream.host_fn(move || drop(clone)).unwrap_err().kind(), ErrorKind::Driver { .. }));
    assert_eq!(Arc::strong_count(&owned), 1);
    // It counts as outstanding no longer: memory can be freed.
    drop(stream.alloc::<u8>(LEN).unwrap());
    assert_eq!(device.trim().unwrap(), CLASS);
    drop((stream, device));
    check(&world);
}

/// Only the first of several faults is kept and reported: the others tend to be its consequences.
#[test]
fn the_first_of_several_faults_is_reported_once() {
    for inline in [Inline::None, Inline::All] {
        let (world, device) = open(Options { inline, ..Options::default() });
        let stream = device.default_stream();
        let panics = |text: &'static str| stream.host_fn(move || std::panic::resume_unwind(Box::new(text))).unwrap();
        for text in ["first", "second", "third"] {
            panics(text);
        }
        let error = stream.synchronize().unwrap_err().to_string();
        assert!(error.contains("first") && !error.contains("second") && !error.contains("third"), "{error}");
        stream.synchronize().unwrap();
        panics("fourth");
        assert!(stream.synchronize().unwrap_err().to_string().contains("fourth"));
        stream.synchronize().unwrap();
        drop((stream, device));
        check(&world);
    }
}
