//! Graphs: what is recorded, what is refused, how a recording ends, and the memory that belongs to it.

use super::graph::filling;
use super::lifecycle::{CLASS, LEN, check, is_invalid, open};
use super::program::SimBuffer;
use super::sim::Options;
use crate::blas::Blas;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ErrorKind};
use crate::info::MemoryInfo;
use crate::ops::{Ops, Reduce};
use crate::stream::Stream;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

#[test]
fn what_waits_or_cannot_be_repeated_is_refused_and_records_nothing() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let f = stream.from_slice(&[1f32; 8]).unwrap();
    let (event, mut other) = (stream.record().unwrap(), filling(&device, &mut x, 5));
    let mut refused = Vec::new();
    let graph = stream
        .record_graph(|r| {
            let mut y = r.alloc::<u8>(LEN)?;
            refused = vec![
                ("read", "download", r.read(&x, &mut [0; LEN]).unwrap_err()),
                ("read", "download", r.to_vec(&x).unwrap_err()),
                ("write", "upload", r.write(&mut y, &[0; LEN]).unwrap_err()),
                ("write", "upload", r.from_slice(&[0u8; LEN]).unwrap_err()),
                ("synchronize", "after", r.synchronize().unwrap_err()),
                ("record", "after", r.record().unwrap_err()),
                ("wait", "before", r.wait(&event).unwrap_err()),
                ("host_fn", "after", r.host_fn(|| panic!("called")).unwrap_err()),
                ("record_graph", "by itself", r.record_graph(|_| Ok(())).unwrap_err()),
                ("copy_from_peer", "after", r.copy_from_peer(&x, &mut y).unwrap_err()),
                ("launch", "by itself", other.launch(r).unwrap_err()),
            ];
            for (name, error) in [
                ("dot", r.dot(&f, &f).unwrap_err()),
                ("nrm2", r.nrm2(&f).unwrap_err()),
                ("iamax", r.iamax(&f).unwrap_err()),
                ("sum", r.sum(&f).unwrap_err()),
                ("mean", r.mean(&f).unwrap_err()),
                ("argmin", r.argmin(&f).unwrap_err()),
                ("count", r.count(&x).unwrap_err()),
            ] {
                assert!(is_invalid(&error) && error.to_string().contains("`_into`"), "{error}");
                assert_eq!(error.context().operation.as_deref(), Some(name), "{error}");
            }
            // Checked as always.
            assert!(is_invalid(&r.copy(&x, &mut y.slice_mut(1..)?).unwrap_err()));
            assert!(matches!(r.add(&f, &f, &mut r.alloc(8)?).unwrap_err().kind(), ErrorKind::Unsupported { .. }));
            assert_eq!(r.last(), None);
            Ok(())
        })
        .unwrap();
    for (name, instead, error) in refused {
        assert_eq!(error.context().operation.as_deref(), Some(name), "{error}");
        assert!(is_invalid(&error) && error.to_string().contains("a recorder"), "{error}");
        assert!(error.to_string().contains(instead), "{error}");
        let argument = if name == "launch" { "stream" } else { "self" };
        assert!(
            error.to_string().starts_with(&format!("{name}: {argument}: expected a stream that executes")),
            "{error}"
        );
    }
    assert!(graph.is_empty());
    // Calls on the stream itself are calls.
    let mut z = stream.alloc::<u8>(LEN).unwrap();
    let empty = stream.record_graph(|_| stream.fill(&mut z, 7)).unwrap();
    assert_eq!((empty.len(), stream.to_vec(&z).unwrap()), (0, vec![7; LEN]));
    drop((x, z, f, event, other, graph, empty, stream, device));
    check(&world);
}

/// A handle of the recorder that outlives the closure is refused.
#[test]
fn a_recording_ends_with_its_closure() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut escaped = None;
    let mut graph = stream
        .record_graph(|r| {
            escaped = Some((**r).clone());
            r.fill(&mut x, 3)
        })
        .unwrap();
    let escaped = escaped.unwrap();
    let errors = [
        escaped.fill(&mut x, 4).unwrap_err(),
        escaped.copy(&x, &mut stream.alloc(LEN).unwrap()).unwrap_err(),
        escaped.alloc::<u8>(LEN).unwrap_err(),
        escaped.to_vec(&x).unwrap_err(),
    ];
    assert!(errors.iter().all(is_invalid), "{errors:?}");
    assert!(errors[0].to_string().contains("has ended"), "{}", errors[0]);
    graph.launch(&stream).unwrap();
    assert_eq!(stream.to_vec(&x).unwrap(), [3; LEN]);
    drop((x, escaped, graph, stream, device));
    check(&world);
}

/// So it is if the closure fails, whose error is the call's, or panics; and what was recorded keeps no memory.
#[test]
fn a_recording_ends_when_its_closure_fails_or_panics() {
    for panics in [false, true] {
        let (world, device) = open(Options::default());
        let stream = device.default_stream();
        let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
        let mut escaped = None;
        let record = || {
            stream.record_graph(|r| {
                escaped = Some((**r).clone());
                r.fill(&mut x, 2)?;
                r.fill(&mut r.alloc::<u8>(LEN)?, 3)?;
                if panics { resume_unwind(Box::new(())) } else { Err(Error::unsupported("this")) }
            })
        };
        match catch_unwind(AssertUnwindSafe(record)) {
            Ok(result) => assert!(!panics && result.unwrap_err().to_string().contains("this")),
            Err(_) => assert!(panics),
        }
        let escaped = escaped.unwrap();
        assert_eq!(device.memory(), MemoryInfo { in_use: CLASS, cached: CLASS });
        for error in [escaped.fill(&mut x, 4).unwrap_err(), escaped.alloc::<u8>(LEN).map(drop).unwrap_err()] {
            assert!(is_invalid(&error) && error.to_string().contains("has ended"), "{error}");
        }
        assert_eq!(stream.to_vec(&x).unwrap(), [1; LEN]);
        drop(x);
        assert_eq!(device.memory().in_use, 0);
        drop((escaped, stream, device));
        check(&world);
    }
}

/// Temporaries are memory of the graph: in use while it lives, reused within it, and free afterwards.
#[test]
fn temporaries_live_as_long_as_the_graph() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let (x, mut y) = (stream.from_slice(&[1u8; LEN]).unwrap(), stream.alloc::<u8>(LEN).unwrap());
    let mut graph = stream
        .record_graph(|r| {
            for _ in 0..10 {
                // One after the other they are the same memory.
                let mut a = r.alloc::<u8>(LEN)?;
                r.copy(&x, &mut a)?;
                r.copy(&a, &mut y)?;
            }
            let (mut a, mut b) = (r.zeros::<u8>(LEN)?, r.alloc::<u8>(LEN)?);
            let unused = r.alloc::<u8>(4 * CLASS)?;
            r.copy(&y, &mut b)?;
            r.copy(&b, &mut a)?;
            drop(unused);
            r.copy(&a, &mut y)
        })
        .unwrap();
    assert_eq!(device.memory(), MemoryInfo { in_use: 4 * CLASS, cached: 4 * CLASS });
    // Nobody else gets that memory.
    let others: Vec<SimBuffer> = (0..4)
        .map(|_| {
            let mut buffer = stream.alloc(LEN).unwrap();
            stream.fill(&mut buffer, 7).unwrap();
            buffer
        })
        .collect();
    graph.launch(&device.new_stream().unwrap()).unwrap();
    assert_eq!(stream.to_vec(&y).unwrap(), [1; LEN]);
    assert!(others.iter().all(|buffer| stream.to_vec(buffer).unwrap() == [7; LEN]));
    drop((others, graph));
    assert_eq!(device.memory().in_use, 2 * CLASS);
    drop((x, y, stream, device));
    check(&world);
}

/// What the caller allocated is no temporary, though nobody but the graph has it any more.
#[test]
fn memory_of_the_caller_is_not_reused_in_the_graph() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let (x, mut y) = (stream.from_slice(&[1u8; LEN]).unwrap(), stream.alloc::<u8>(LEN).unwrap());
    let mut graph = stream
        .record_graph(|r| {
            r.copy(&x, &mut y)?;
            drop(x);
            r.fill(&mut r.alloc::<u8>(LEN)?, 9)
        })
        .unwrap();
    for _ in 0..2 {
        graph.launch(&stream).unwrap();
    }
    assert_eq!(stream.to_vec(&y).unwrap(), [1; LEN]);
    drop((y, graph, stream, device));
    check(&world);
}

/// A guard that was forgotten goes with its owner, also where the next one gets the memory from the recorder.
#[test]
fn forgotten_guards_do_not_pass_on_to_the_next_temporary() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut graph = stream
        .record_graph(|r| {
            let mut first = r.pinned::<u8>(LEN)?;
            mem::forget(first.write()?);
            drop(first);
            r.upload(&mut x, &r.pinned::<u8>(LEN)?)
        })
        .unwrap();
    assert_eq!(device.memory(), MemoryInfo { in_use: 2 * CLASS, cached: 0 });
    graph.launch(&stream).unwrap();
    drop((x, graph, stream, device));
    check(&world);
}
