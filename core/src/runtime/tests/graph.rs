//! Graphs: what a launch does, costs and waits for, and where graphs end.

use super::lifecycle::{CLASS, LEN, check, is_invalid, open};
use super::program::{SimBuffer, SimDevice};
use super::sim::{Inline, Options, Order, Refusals};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ErrorKind};
use crate::graph::{Argument, Graph};
use crate::info::MemoryInfo;
use crate::stream::Stream;
use std::any::Any;
use std::mem;
use std::sync::mpsc;

type SimGraph = Graph<SimDevice>;

/// A graph of a fill on the device's default stream.
pub(super) fn filling(device: &SimDevice, buffer: &mut SimBuffer, value: u8) -> SimGraph {
    device.default_stream().record_graph(|r| r.fill(buffer, value)).unwrap()
}

#[test]
fn recording_executes_nothing_and_a_launch_everything_in_order() {
    for inline in [Inline::None, Inline::All] {
        let (world, device) = open(Options { inline, ..Options::default() });
        let stream = device.default_stream();
        let (mut x, mut y) = (stream.from_slice(&[1u8; LEN]).unwrap(), stream.from_slice(&[2u8; LEN]).unwrap());
        let mut pinned = stream.pinned::<u8>(LEN).unwrap();
        let mut graph = stream
            .record_graph(|r| {
                r.fill(&mut x, 3)?;
                r.copy(&x, &mut y)?;
                r.download(&y, &mut pinned)?;
                r.fill(&mut x.slice_mut(..LEN / 2)?, 4)
            })
            .unwrap();
        assert_eq!(graph.len(), 4);
        assert_eq!((stream.to_vec(&x).unwrap(), stream.to_vec(&y).unwrap()), (vec![1; LEN], vec![2; LEN]));
        for _ in 0..3 {
            stream.fill(&mut x, 9).unwrap();
            stream.fill(&mut y, 9).unwrap();
            graph.launch(&stream).unwrap();
            let want = [[4; LEN / 2], [3; LEN / 2]].concat();
            assert_eq!((stream.to_vec(&x).unwrap(), stream.to_vec(&y).unwrap()), (want, vec![3; LEN]));
            assert_eq!(*pinned.read().unwrap(), [3; LEN]);
        }
        drop((x, y, pinned, graph, stream, device));
        check(&world);
    }
}

/// On the stream where everything happens a launch neither records nor waits; on another it waits once, whatever the number of nodes.
#[test]
fn a_launch_costs_what_a_call_costs() {
    let (world, device) = open(Options::default());
    let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
    let mut buffers: Vec<SimBuffer> = (0..10).map(|_| stream.alloc(LEN).unwrap()).collect();
    buffers.iter_mut().for_each(|buffer| stream.fill(buffer, 1).unwrap());
    let mut graph = stream
        .record_graph(|r| {
            for at in 1..10 {
                let [x, y] = buffers.get_disjoint_mut([at - 1, at]).unwrap();
                r.copy(x, y)?;
            }
            Ok(())
        })
        .unwrap();
    for _ in 0..3 {
        graph.launch(&stream).unwrap();
    }
    world.expect_waits(0);
    graph.launch(&other).unwrap();
    world.expect_waits(1);
    drop((buffers, graph, stream, other, device));
    check(&world);
}

#[test]
fn scalars_change_for_later_launches_alone() {
    for inline in [Inline::None, Inline::All] {
        let (world, device) = open(Options { inline, ..Options::default() });
        let stream = device.default_stream();
        let (mut x, mut y) = (stream.alloc::<u8>(LEN).unwrap(), stream.alloc::<u8>(LEN).unwrap());
        let mut pinned = [(); 3].map(|()| stream.pinned::<u8>(LEN).unwrap());
        let mut nodes = Vec::new();
        let mut graph = stream
            .record_graph(|r| {
                r.fill(&mut x, 1)?;
                nodes.extend(r.last());
                r.copy(&x, &mut y)?;
                nodes.extend(r.last());
                r.fill(&mut y.slice_mut(..0)?, 5)?;
                nodes.extend(r.last());
                r.fill(&mut y.slice_mut(..1)?, 6)?;
                nodes.extend(r.last());
                Ok(())
            })
            .unwrap();
        let [fill, copy, empty, first] = nodes[..] else { panic!("{nodes:?}") };
        for (i, pinned) in pinned.iter_mut().enumerate() {
            graph.launch(&stream).unwrap();
            stream.download(&y, pinned).unwrap();
            graph.set_scalar(fill, Argument::Value, 10 + i as u8).unwrap();
            graph.set_scalar(empty, Argument::Value, 0u8).unwrap();
        }
        graph.set_scalar(first, Argument::Value, 99u8).unwrap();
        // Nothing has run yet, or everything; either way each launch has the scalars of its time.
        for (pinned, value) in pinned.iter().zip([1, 10, 11]) {
            let data = pinned.read().unwrap();
            assert_eq!((data[0], &data[1..]), (6, &[value; LEN - 1][..]));
        }
        let refused = |error: Error, text: &str| {
            assert!(is_invalid(&error) && error.to_string().starts_with("set_scalar: "), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        };
        refused(graph.set_scalar(copy, Argument::Value, 1u8).unwrap_err(), "a copy has no scalars");
        refused(graph.set_scalar(fill, Argument::Alpha, 1u8).unwrap_err(), "argument: expected");
        refused(graph.set_scalar(fill, Argument::Value, 1i8).unwrap_err(), "value of fill as u8");
        refused(graph.set_scalar(empty, Argument::Value, 1.0).unwrap_err(), "value of fill as u8");
        let mut other = filling(&device, &mut x, 1);
        refused(other.set_scalar(fill, Argument::Value, 1u8).unwrap_err(), "recorded in another");
        drop((x, y, pinned, graph, other, stream, device));
        check(&world);
    }
}

/// What the backend refuses of an update, or of making the graph, leaves everything as it was; the next launch tries again.
#[test]
fn refused_calls_of_the_backend_are_errors_and_can_be_repeated() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    world.lock().refuse.instantiate = 1;
    let error = stream.record_graph(|r| r.fill(&mut x, 2)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Driver { .. }), "{error}");
    assert_eq!(error.context().operation.as_deref(), Some("record_graph"));
    let mut node = None;
    let record = stream.record_graph(|r| {
        r.fill(&mut x, 2)?;
        node = r.last();
        Ok(())
    });
    let mut graph = record.unwrap();
    graph.set_scalar(node.unwrap(), Argument::Value, 3u8).unwrap();
    world.lock().refuse.update = 1;
    assert!(matches!(graph.launch(&stream).unwrap_err().kind(), ErrorKind::Driver { .. }));
    assert_eq!(stream.to_vec(&x).unwrap(), [1; LEN]);
    world.lock().refuse.full = 1;
    assert!(matches!(graph.launch(&stream).unwrap_err().kind(), ErrorKind::Driver { .. }));
    assert_eq!(stream.to_vec(&x).unwrap(), [1; LEN]);
    graph.launch(&stream).unwrap();
    assert_eq!(stream.to_vec(&x).unwrap(), [3; LEN]);
    // A launch that fails may have left work behind: whoever comes next waits for it.
    world.lock().refuse.late = 1;
    graph.launch(&device.new_stream().unwrap()).unwrap_err();
    stream.fill(&mut x, 4).unwrap();
    assert_eq!(stream.to_vec(&x).unwrap(), [4; LEN]);
    drop((x, graph, stream, device));
    check(&world);
}

/// A buffer's memory goes back to the pool when neither its handle nor a graph has it, in whatever order those go.
#[test]
fn memory_is_freed_by_whoever_has_it_last() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (in_host_fn, order) in [false, true].into_iter().flat_map(|h| orders.map(|order| (h, order))) {
        let (world, device) = open(Options::default());
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let mut x = stream.alloc::<u8>(LEN).unwrap();
        let (mut a, mut b) = (filling(&device, &mut x, 1), filling(&device, &mut x, 2));
        a.launch(&stream).unwrap();
        b.launch(&other).unwrap();
        let mut things: [Option<Box<dyn Any + Send>>; 3] = [Some(Box::new(x)), Some(Box::new(a)), Some(Box::new(b))];
        for at in order {
            assert_eq!(device.memory(), MemoryInfo { in_use: CLASS, cached: 0 });
            let thing = mem::take(&mut things[at]);
            if in_host_fn {
                stream.host_fn(move || drop(thing)).unwrap();
                stream.synchronize().unwrap();
            } else {
                drop(thing);
            }
        }
        assert_eq!(device.memory(), MemoryInfo { in_use: 0, cached: CLASS });
        // The block is whole: it is reused once what was launched has ended, and no graph holds it up.
        stream.synchronize().unwrap();
        other.synchronize().unwrap();
        let mut again = stream.alloc::<u8>(LEN).unwrap();
        stream.fill(&mut again, 3).unwrap();
        assert_eq!(other.to_vec(&again).unwrap(), [3; LEN]);
        assert_eq!(world.counts().allocates, 1);
        drop((again, stream, other, device));
        check(&world);
    }
}

/// What comes before a launch and what comes after it is ordered by each of the parts of a block that the graph touches.
#[test]
fn a_launch_is_ordered_by_all_that_it_touches() {
    for (at, write) in [(0, true), (60, true), (120, false)] {
        let (world, device) = open(Options::default());
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let (mut x, mut y) = (stream.from_slice(&[1u8; LEN]).unwrap(), stream.alloc::<u8>(40).unwrap());
        let mut graph = stream
            .record_graph(|r| {
                r.fill(&mut x.slice_mut(..40)?, 2)?;
                r.fill(&mut x.slice_mut(60..100)?, 3)?;
                r.copy(&x.slice(120..160)?, &mut y)
            })
            .unwrap();
        stream.synchronize().unwrap();
        other.fill(&mut x.slice_mut(at..at + 40).unwrap(), 4).unwrap();
        graph.launch(&stream).unwrap();
        let launched = if write { 2 + at as u8 / 60 } else { 4 };
        assert_eq!(stream.to_vec(&x.slice(at..at + 40).unwrap()).unwrap(), [launched; 40]);
        graph.launch(&stream).unwrap();
        other.fill(&mut x.slice_mut(at..at + 40).unwrap(), 5).unwrap();
        assert_eq!(other.to_vec(&x.slice(at..at + 40).unwrap()).unwrap(), [5; 40]);
        assert_eq!(stream.to_vec(&y).unwrap(), if write { [1; 40] } else { [4; 40] });
        drop((x, y, graph, stream, other, device));
        check(&world);
    }
}

/// A launch that is refused before anything is enqueued leaves the one before it pending: the graph is not destroyed while that runs.
#[test]
fn a_refused_launch_hides_no_pending_one() {
    let refusals: [fn(&mut Refusals); 3] =
        [|refuse| refuse.record = 1, |refuse| refuse.wait = 1, |refuse| refuse.update = 1];
    for refuse in refusals {
        let (world, device) = open(Options::default());
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let mut x = stream.alloc::<u8>(LEN).unwrap();
        let mut node = None;
        let record = stream.record_graph(|r| {
            r.fill(&mut x, 1)?;
            node = r.last();
            Ok(())
        });
        let mut graph = record.unwrap();
        graph.launch(&stream).unwrap();
        graph.set_scalar(node.unwrap(), Argument::Value, 2u8).unwrap();
        refuse(&mut world.lock().refuse);
        assert!(matches!(graph.launch(&other).unwrap_err().kind(), ErrorKind::Driver { .. }));
        drop(graph);
        other.synchronize().unwrap();
        assert_eq!(stream.to_vec(&x).unwrap(), [1; LEN]);
        drop((x, stream, other, device));
        check(&world);
    }
}

/// The device, streams, a graph in flight and its buffer, dropped in every order, by the program or by a host function.
#[test]
fn a_graph_in_flight_can_be_dropped_in_any_order_anywhere() {
    for inline in [Inline::None, Inline::All] {
        for seed in 0..24 {
            for in_host_fn in [false, true] {
                let (world, device) = open(Options { inline, ..Options::default() });
                let (s1, s2) = (device.default_stream(), device.new_stream().unwrap());
                let mut buffer = s1.alloc::<u8>(LEN).unwrap();
                let mut graph = filling(&device, &mut buffer, 1);
                graph.launch(&s2).unwrap();
                graph.launch(&s1).unwrap();
                let mut things: Vec<Box<dyn Any + Send>> =
                    vec![Box::new(device), Box::new(graph), Box::new(s2), Box::new(buffer)];
                let mut order = seed;
                let mut drop_all = move || {
                    while !things.is_empty() {
                        drop(things.remove(order % things.len()));
                        order /= things.len() + 1;
                    }
                };
                if in_host_fn {
                    s1.host_fn(drop_all).unwrap();
                } else {
                    drop_all();
                }
                drop(s1);
                world.run_all();
                check(&world);
            }
        }
    }
}

/// Graphs that were dropped in flight are destroyed when their launches have ended, by whichever call comes then.
#[test]
fn graphs_are_destroyed_when_their_launches_have_ended() {
    let (world, device) = open(Options::default());
    let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
    let mut x = stream.alloc::<u8>(LEN).unwrap();
    let alive = || world.lock().graphs.iter().filter(|graph| graph.alive).count();
    for value in 0..10 {
        let mut graph = filling(&device, &mut x, value);
        graph.launch(&stream).unwrap();
        graph.launch(&other).unwrap();
    }
    // Nothing has run yet. A refusal leaves them to the next call.
    world.lock().refuse.record = 1;
    stream.synchronize().unwrap();
    assert_eq!(alive(), 10);
    other.synchronize().unwrap();
    device.trim().unwrap();
    assert_eq!(alive(), 0);
    // One that was never launched, or on inline streams only, goes with the next call.
    drop(filling(&device, &mut x, 1));
    stream.synchronize().unwrap();
    assert_eq!(alive(), 0);
    drop((x, stream, other, device));
    check(&world);
}

#[test]
fn a_graph_outlives_its_device() {
    let (world, device) = open(Options { order: Order::Eager, ..Options::default() });
    let stream = device.new_stream().unwrap();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut graph = filling(&device, &mut x, 2);
    drop(device);
    graph.launch(&stream).unwrap();
    assert_eq!(stream.to_vec(&x).unwrap(), [2; LEN]);
    drop((x, stream));
    assert!(world.lock().open > 0, "a graph keeps its device open");
    drop(graph);
    check(&world);
}

#[test]
fn launches_are_refused_where_calls_are() {
    let ((world, device), (w2, d2)) = (open(Options::default()), open(Options::default()));
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut graph = filling(&device, &mut x, 2);
    let error = graph.launch(&d2.default_stream()).unwrap_err();
    assert!(is_invalid(&error), "{error}");
    assert!(error.to_string().starts_with("launch: stream: expected a stream of this device"), "{error}");
    // Inside a host function.
    let (send, receive) = mpsc::channel();
    let on = stream.clone();
    stream
        .host_fn(move || {
            let errors = [graph.launch(&on).unwrap_err(), on.record_graph(|_| Ok(())).unwrap_err()];
            send.send((graph, errors)).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    let (mut graph, errors) = receive.recv().unwrap();
    assert!(errors.iter().all(|e| is_invalid(e) && e.to_string().contains("inside")), "{errors:?}");
    assert_eq!(stream.to_vec(&x).unwrap(), [1; LEN]);
    // On a lost device.
    world.lock().refuse.lost = true;
    let lost = |error: Error| assert!(matches!(error.kind(), ErrorKind::DeviceLost { .. }), "{error}");
    lost(graph.launch(&stream).unwrap_err());
    world.lock().refuse.lost = false;
    lost(graph.launch(&stream).unwrap_err());
    lost(stream.record_graph(|_| Ok(())).unwrap_err());
    drop((x, graph, stream, device, d2));
    world.wait_closed();
    assert!(world.violations().is_empty(), "{:?}", world.violations());
    check(&w2);
}

/// While the host has pinned memory no graph that would race it is launched; a guard that was forgotten goes with its owner.
#[test]
fn pinned_memory_that_the_host_has_is_not_touched() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut pinned = stream.pinned::<u8>(LEN).unwrap();
    let mut reads = stream.record_graph(|r| r.upload(&mut x, &pinned)).unwrap();
    let mut writes = stream.record_graph(|r| r.download(&x, &mut pinned)).unwrap();
    {
        let mut guard = pinned.write().unwrap();
        for graph in [&mut reads, &mut writes] {
            let error = graph.launch(&stream).unwrap_err();
            assert!(is_invalid(&error) && error.to_string().contains("guard"), "{error}");
        }
        guard.fill(5);
    }
    {
        let guard = pinned.read().unwrap();
        reads.launch(&stream).unwrap();
        assert!(is_invalid(&writes.launch(&stream).unwrap_err()));
        assert_eq!(*guard, [5; LEN]);
    }
    assert_eq!(stream.to_vec(&x).unwrap(), [5; LEN]);
    stream.fill(&mut x, 6).unwrap();
    writes.launch(&device.new_stream().unwrap()).unwrap();
    // The guard waits for the launch.
    let guard = pinned.read().unwrap();
    world.host_touch(guard.as_ptr().addr(), LEN, false);
    assert_eq!(*guard, [6; LEN]);
    drop(guard);
    mem::forget(pinned.write().unwrap());
    assert!(is_invalid(&reads.launch(&stream).unwrap_err()));
    drop(pinned);
    writes.launch(&stream).unwrap();
    reads.launch(&stream).unwrap();
    drop((x, reads, writes, stream, device));
    check(&world);
}

/// A graph without work, or of empty calls only, is a graph all the same.
#[test]
fn nothing_can_be_recorded_and_launched() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut none = stream.alloc::<u8>(0).unwrap();
    let mut graph = stream.record_graph(|r| r.fill(&mut none, 1)).unwrap();
    assert!(graph.is_empty());
    // Were something enqueued, it would be refused.
    world.lock().refuse.full = 1;
    graph.launch(&stream).unwrap();
    world.lock().refuse.full = 0;
    assert!(is_invalid(&graph.launch(&open(Options::default()).1.default_stream()).unwrap_err()));
    drop((none, graph, stream, device));
    check(&world);
}

/// A histogram without counters writes nothing, so no conflict orders its launches. The backend counts on their order all the same.
#[test]
fn launches_that_write_nothing_come_in_order() {
    use crate::ops::Indexing;
    let (world, device) = open(Options { order: Order::Lazy, ..Options::default() });
    let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
    let x = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut counts = stream.alloc::<u64>(0).unwrap();
    other.synchronize().unwrap();
    stream.synchronize().unwrap();
    let mut graph = stream.record_graph(|r| r.histogram(&x, &mut counts)).unwrap();
    assert_eq!(graph.len(), 1);
    graph.launch(&other).unwrap();
    graph.launch(&stream).unwrap();
    drop(graph);
    stream.synchronize().unwrap();
    // Whichever call comes then destroys it.
    drop(stream.alloc::<u8>(1).unwrap());
    drop((x, counts, stream, other, device));
    check(&world);
}
