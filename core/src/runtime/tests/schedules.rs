//! Graphs, copies between devices, guards and drops on several threads at once, in many schedules.

use super::interleavings::{Thread, concurrently, explore};
use super::lifecycle::{LEN, is_invalid};
use super::program::{SimDevice, device, peer};
use super::sim::World;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::stream::Stream;
use crate::sync::Arc;
use shuttle::scheduler::PctScheduler;
use std::sync::mpsc;

/// Nothing goes wrong in any of so many schedules.
fn survives(schedules: usize, body: impl Fn(&Arc<World>) + Send + Sync + 'static) {
    let found = explore(PctScheduler::new_from_seed(1, 3, schedules), body);
    assert!(found.is_empty(), "{found:#?}");
}

fn two(world: &Arc<World>) -> (SimDevice, SimDevice) {
    (device(world, None), peer(world, None))
}

/// Copies between two devices both ways, launches on both, drops, and memory that is given back.
#[test]
fn copies_both_ways_beside_launches() {
    survives(1000, |world| {
        let (d1, d2) = two(world);
        let (s, t) = (d1.default_stream(), d2.default_stream());
        let [mut x, mut x2] = [(); 2].map(|()| s.from_slice(&[1u8; LEN]).unwrap());
        let [mut y, mut y2] = [(); 2].map(|()| t.from_slice(&[1u8; LEN]).unwrap());
        let record = s.record_graph(|r| {
            r.fill(&mut x, 2)?;
            r.fill(&mut x2, 3)
        });
        let mut g = record.unwrap();
        let record = t.record_graph(|r| {
            r.fill(&mut y, 2)?;
            r.copy(&y, &mut y2)
        });
        let mut h = record.unwrap();
        // So that there is something to give back.
        drop(s.alloc::<u8>(300).unwrap());
        let (x, y) = (Arc::new(x), Arc::new(y));
        let mut threads: Vec<Thread> = Vec::new();
        let (on, from) = (t.clone(), x.clone());
        threads.push(Box::new(move || on.copy_from_peer(&*from, &mut y2).unwrap()));
        let (on, from) = (s.clone(), y.clone());
        threads.push(Box::new(move || on.copy_from_peer(&*from, &mut x2).unwrap()));
        let (on, device) = (s.clone(), d1.clone());
        threads.push(Box::new(move || {
            g.launch(&on).unwrap();
            drop((g, on));
            device.trim().unwrap();
        }));
        let (on, device) = (t.clone(), d2.clone());
        threads.push(Box::new(move || {
            h.launch(&on).unwrap();
            on.host_fn(move || drop(h)).unwrap();
            device.trim().unwrap();
        }));
        drop((x, y));
        concurrently(world, threads);
        drop((d1, d2, s, t));
        world.run_all();
    });
}

/// Two copies from one device at the same time, of which one is behind a host function: who writes the other's source does not wait
/// for that function.
#[test]
fn two_copies_from_one_device_do_not_wait_for_each_other() {
    survives(2000, |world| {
        let (d1, d2) = two(world);
        let s = d1.default_stream();
        let (blocked, free) = (d2.default_stream(), d2.new_stream().unwrap());
        let (x, mut y) = (s.from_slice(&[1u8; LEN]).unwrap(), s.from_slice(&[2u8; LEN]).unwrap());
        let [mut a, mut b] = [(); 2].map(|()| free.alloc::<u8>(LEN).unwrap());
        // So that there is a stream that either could take.
        free.copy_from_peer(&x, &mut b).unwrap();
        free.synchronize().unwrap();
        let hold = world.hold();
        // The device's streams come after the other's, and the simulation counts them all.
        world.hold_next(blocked.id() + 1, hold);
        blocked.host_fn(|| {}).unwrap();
        let (send, receive) = mpsc::channel();
        let (on, other) = (blocked.clone(), free.clone());
        let threads: Vec<Thread> = vec![
            Box::new(move || on.copy_from_peer(&x, &mut a).unwrap()),
            Box::new(move || {
                other.copy_from_peer(&y, &mut b).unwrap();
                send.send(y).unwrap();
            }),
        ];
        concurrently(world, threads);
        y = receive.recv().unwrap();
        s.fill(&mut y, 3).unwrap();
        assert_eq!(s.to_vec(&y).unwrap(), [3; LEN]);
        world.open(hold);
        drop((y, s, blocked, free, d1, d2));
        world.run_all();
    });
}

/// Launches, guards of the host and a new stream, each of whose owners drops what it has.
#[test]
fn drops_beside_launches() {
    survives(1000, |world| {
        let device = device(world, None);
        let (s, t) = (device.default_stream(), device.new_stream().unwrap());
        let (mut x, mut pinned) = (s.alloc::<u8>(LEN).unwrap(), s.pinned::<u8>(LEN).unwrap());
        let record = s.record_graph(|r| {
            let mut temporary = r.alloc::<u8>(LEN)?;
            r.fill(&mut temporary, 1)?;
            r.copy(&temporary, &mut x)?;
            r.download(&x, &mut pinned)
        });
        let mut g = record.unwrap();
        let mut h = t.record_graph(|r| r.upload(&mut x, &pinned)).unwrap();
        let (s2, t2, w, d) = (s.clone(), t.clone(), world.clone(), device.clone());
        let threads: Vec<Thread> = vec![
            Box::new(move || {
                let _ = g.launch(&t2).map_err(|error| assert!(is_invalid(&error), "{error}"));
                drop((g, t2));
            }),
            Box::new(move || {
                h.launch(&s2).unwrap();
                drop((h, s2));
            }),
            Box::new(move || {
                let guard = pinned.read().unwrap();
                w.host_touch(guard.as_ptr().addr(), LEN, false);
                drop(guard);
                drop((pinned, x));
            }),
            Box::new(move || {
                let stream = d.new_stream().unwrap();
                let mut other = stream.alloc::<u8>(LEN).unwrap();
                stream.fill(&mut other, 9).unwrap();
                drop(stream);
                d.trim().unwrap();
            }),
        ];
        concurrently(world, threads);
        drop((device, s, t));
    });
}

/// The host reads pinned memory that another thread launches a graph to write: whoever is first keeps the other away.
#[test]
fn a_read_guard_beside_a_launch_that_writes() {
    survives(1000, |world| {
        let device = device(world, None);
        let (s, t) = (device.default_stream(), device.new_stream().unwrap());
        let (x, mut pinned) = (s.from_slice(&[1u8; LEN]).unwrap(), s.pinned::<u8>(LEN).unwrap());
        let mut graph = s.record_graph(|r| r.download(&x, &mut pinned)).unwrap();
        let w = world.clone();
        let threads: Vec<Thread> = vec![
            Box::new(move || {
                let guard = pinned.read().unwrap();
                w.host_touch(guard.as_ptr().addr(), LEN, false);
            }),
            Box::new(move || {
                let _ = graph.launch(&t).map_err(|error| assert!(is_invalid(&error), "{error}"));
            }),
        ];
        concurrently(world, threads);
        drop((device, s, x));
        world.run_all();
    });
}

/// A launch claims each of the parts of a block that it touches.
#[test]
fn a_write_of_each_part_beside_a_launch() {
    for (start, end) in [(0, 40), (60, 100), (120, 160)] {
        survives(300, move |world| {
            let device = device(world, None);
            let (s, t) = (device.default_stream(), device.new_stream().unwrap());
            let (mut x, mut y) = (s.from_slice(&[1u8; LEN]).unwrap(), s.alloc::<u8>(40).unwrap());
            let record = s.record_graph(|r| {
                r.fill(&mut x.slice_mut(..40)?, 2)?;
                r.fill(&mut x.slice_mut(60..100)?, 3)?;
                r.copy(&x.slice(120..160)?, &mut y)
            });
            let mut graph = record.unwrap();
            let on = s.clone();
            let threads: Vec<Thread> = vec![
                Box::new(move || on.fill(&mut x.slice_mut(start..end).unwrap(), 4).unwrap()),
                Box::new(move || graph.launch(&t).unwrap()),
            ];
            concurrently(world, threads);
            drop((device, s, y));
            world.run_all();
        });
    }
}
