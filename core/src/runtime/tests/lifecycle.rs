//! Where things end: drops in any order, exhausted memory, loss of the device; and what a single stream costs.

use super::program::{SimDevice, device};
use super::sim::{Inline, Options, Order, World};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Context, Error, ErrorKind};
use crate::info::MemoryInfo;
use crate::runtime::Opening;
use crate::stream::Stream;
use crate::sync::Arc;
use crate::view::{AsView, View};
use std::any::Any;
use std::mem;

pub(super) const LEN: usize = 200;
/// The class of [`LEN`] bytes.
pub(super) const CLASS: usize = 256;

pub(super) fn open(options: Options) -> (Arc<World>, SimDevice) {
    let world = World::new(options);
    let device = device(&world, None);
    (world, device)
}

/// Everything has been released, and nothing went wrong.
pub(super) fn check(world: &Arc<World>) {
    world.wait_closed();
    world.check_released();
    let violations = world.violations();
    assert!(violations.is_empty(), "{violations:#?}");
}

pub(super) fn is_invalid(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidArgument { .. })
}

#[test]
fn a_single_stream_neither_records_nor_waits() {
    for order in [Order::Eager, Order::Lazy] {
        let (world, device) = open(Options { order, ..Options::default() });
        let stream = device.default_stream();
        for round in 0..50u8 {
            let mut a = stream.alloc::<u8>(LEN).unwrap();
            let mut b = stream.from_slice(&[round; LEN]).unwrap();
            stream.copy(&b, &mut a).unwrap();
            let (mut low, mut high) = b.split_at_mut(LEN / 2).unwrap();
            stream.fill(&mut low, 1).unwrap();
            stream.clone().copy(&low, &mut high).unwrap();
            let mut pinned = stream.pinned::<u8>(LEN).unwrap();
            stream.download(&a, &mut pinned).unwrap();
            stream.upload(&mut b, &pinned).unwrap();
            assert_eq!(stream.to_vec(&b).unwrap(), [round; LEN]);
        }
        stream.synchronize().unwrap();
        world.expect_waits(0);
        // Memory was reused without a question to the driver.
        assert_eq!(world.counts().allocates, 3);
        drop((stream, device));
        check(&world);
    }
}

#[test]
fn a_million_small_allocations_need_few_from_the_driver() {
    let (world, device) = open(Options { order: Order::Eager, ..Options::default() });
    let stream = device.default_stream();
    for i in 0..1_000_000usize {
        let a = stream.alloc::<u8>(1 + i % LEN).unwrap();
        let _b = stream.alloc::<u8>(LEN).unwrap();
        drop(a);
    }
    assert_eq!(device.memory().in_use, 0);
    assert!(world.counts().allocates <= 4, "{:?}", world.counts());
    drop((stream, device));
    check(&world);
}

#[test]
fn memory_in_use_falls_with_the_drop_and_not_with_the_next_call() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut a = stream.alloc::<u8>(LEN).unwrap();
    stream.fill(&mut a, 1).unwrap();
    assert_eq!(device.memory(), MemoryInfo { in_use: CLASS, cached: 0 });
    drop(a);
    assert_eq!(device.memory(), MemoryInfo { in_use: 0, cached: CLASS });
    assert_eq!(device.trim().unwrap(), CLASS);
    assert_eq!(device.memory(), MemoryInfo::default());
    drop((stream, device));
    check(&world);
}

/// Memory is counted where it was handed out, also when the stream is gone and nothing else remembers it.
#[test]
fn memory_of_forgotten_streams_is_counted() {
    let (world, device) = open(Options { order: Order::Eager, ..Options::default() });
    let stream = device.new_stream().unwrap();
    let (kept, dropped) = (stream.alloc::<u8>(LEN).unwrap(), stream.alloc::<u8>(LEN).unwrap());
    drop((stream, dropped));
    // The first call closes the stream; later ones find that its work has ended.
    for _ in 0..3 {
        device.new_stream().unwrap();
    }
    assert!(device.shared.known_streams() <= 3, "{} streams", device.shared.known_streams());
    assert_eq!(device.memory(), MemoryInfo { in_use: CLASS, cached: CLASS });
    drop(kept);
    assert_eq!(device.memory(), MemoryInfo { in_use: 0, cached: 2 * CLASS });
    // Neither block belongs to a stream any more, so any can have them.
    let both = [device.default_stream(), device.new_stream().unwrap()].map(|s| s.alloc::<u8>(LEN).unwrap());
    assert_eq!(device.memory(), MemoryInfo { in_use: 2 * CLASS, cached: 0 });
    assert_eq!(world.counts().allocates, 2);
    drop((both, device));
    check(&world);
}

/// The simulated device notices a call that is made while a lock of this crate is held: no program has made it do so.
#[test]
fn a_call_under_a_lock_would_be_noticed() {
    let (world, device) = open(Options::default());
    let guard = device.shared.default.lock();
    device.default_stream().synchronize().unwrap();
    drop(guard);
    assert_eq!(world.violations(), ["synchronize while a lock is held"]);
    drop(device);
    world.wait_closed();
}

/// Every permutation of `0..n`.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
    let insert = |shorter: Vec<usize>| (0..n).map(move |at| [&shorter[..at], &[last], &shorter[at..]].concat());
    permutations(last).into_iter().flat_map(insert).collect()
}

/// Device, streams, a buffer used on both streams, pinned memory under way and an event, dropped in every order while the work
/// is still pending: by the program, or by a host function.
#[test]
fn things_can_be_dropped_in_any_order_anywhere() {
    for inline in [Inline::None, Inline::All] {
        for order in permutations(6) {
            for in_host_fn in [false, true] {
                let (world, device) = open(Options { inline, ..Options::default() });
                let (s1, s2) = (device.default_stream(), device.new_stream().unwrap());
                let mut buffer = s1.alloc::<u8>(LEN).unwrap();
                let mut pinned = s1.pinned::<u8>(LEN).unwrap();
                s1.fill(&mut buffer, 1).unwrap();
                s2.download(&buffer, &mut pinned).unwrap();
                let event = s2.record().unwrap();
                let mut things: Vec<Option<Box<dyn Any + Send>>> = vec![
                    Some(Box::new(device)),
                    Some(Box::new(s1.clone())),
                    Some(Box::new(s2)),
                    Some(Box::new(buffer)),
                    Some(Box::new(pinned)),
                    Some(Box::new(event)),
                ];
                let order = order.clone();
                let mut drop_all = move || order.iter().for_each(|&at| drop(things[at].take()));
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

#[test]
fn a_stream_outlives_its_device_and_gives_it_back() {
    let (world, device) = open(Options::default());
    let stream = device.new_stream().unwrap();
    drop(device);
    let again = stream.device();
    assert_eq!(stream.to_vec(&again.default_stream().from_slice(&[3u8; LEN]).unwrap()).unwrap(), [3; LEN]);
    drop((stream, again));
    check(&world);
}

#[test]
fn exhausted_memory_is_freed_and_tried_again_then_a_typed_error_and_usable() {
    let (world, device) = open(Options { memory: 4 * CLASS, ..Options::default() });
    let stream = device.default_stream();
    let mut small: Vec<_> = (0..4).map(|_| stream.alloc::<u8>(LEN).unwrap()).collect();
    small.iter_mut().for_each(|buffer| stream.fill(buffer, 1).unwrap());
    let error = stream.alloc::<u8>(2 * CLASS).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { requested: 512, free: 0 }), "{error}");
    assert_eq!(stream.to_vec(&small[3]).unwrap(), [1; LEN]);
    // Two blocks are dropped with work pending: they are waited for, freed, and the larger one fits.
    small.truncate(2);
    let large = stream.alloc::<u8>(2 * CLASS).unwrap();
    assert_eq!(device.memory(), MemoryInfo { in_use: 4 * CLASS, cached: 0 });
    assert_eq!(world.counts().frees, 2);
    drop((small, large, stream, device));
    check(&world);
}

/// Nobody has as much memory; the device is not even asked for what would not fit.
#[test]
fn elements_that_the_host_has_no_room_for_are_an_error() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let buffer = stream.from_slice(&[1u64; 4]).unwrap();
    let before = world.counts();
    for len in [1 << 58, isize::MAX as usize / 8, usize::MAX / 8] {
        let view = View::<u64, SimDevice>::whole(buffer.view().part.block, len);
        let error = stream.to_vec(&view).unwrap_err();
        let ErrorKind::OutOfMemory { requested, free: 0 } = *error.kind() else { panic!("{error}") };
        assert_eq!(requested, 8 * len);
        let Context { operation, stream: id, device, .. } = error.context();
        assert_eq!((operation.as_deref(), *id, device.as_deref()), (Some("to_vec"), Some(stream.id()), Some("sim")));
    }
    assert_eq!(world.counts(), before);
    assert_eq!(stream.to_vec(&buffer).unwrap(), [1; 4]);
    drop((buffer, stream, device));
    check(&world);
}

/// Sizes that cannot be are named like every other refusal.
#[test]
fn sizes_past_the_address_space_are_refused_by_name() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    for len in [usize::MAX, isize::MAX as usize, 1 << 61] {
        for (name, error) in
            [("alloc", stream.alloc::<u64>(len).unwrap_err()), ("pinned", stream.pinned::<u64>(len).unwrap_err())]
        {
            assert!(is_invalid(&error) && error.to_string().starts_with(&format!("{name}: len: ")), "{error}");
            let Context { stream: id, device, .. } = error.context();
            assert_eq!((*id, device.as_deref()), (Some(stream.id()), Some("sim")), "{error}");
        }
    }
    drop((stream, device));
    check(&world);
}

#[test]
fn exhausted_memory_frees_nothing_while_a_host_function_is_outstanding() {
    let (world, device) = open(Options { memory: 2 * CLASS, ..Options::default() });
    let stream = device.default_stream();
    drop((stream.alloc::<u8>(LEN).unwrap(), stream.alloc::<u8>(LEN).unwrap()));
    let hold = world.hold();
    world.hold_next(stream.id(), hold);
    stream.host_fn(|| {}).unwrap();
    assert!(matches!(stream.alloc::<u8>(2 * CLASS).unwrap_err().kind(), ErrorKind::OutOfMemory { .. }));
    assert_eq!(device.trim().unwrap(), 0);
    assert_eq!(world.counts().frees, 0);
    world.open(hold);
    world.run_all();
    drop(stream.alloc::<u8>(2 * CLASS).unwrap());
    drop((stream, device));
    check(&world);
}

#[test]
fn forgotten_guards_and_handles_are_sound() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut buffer = stream.from_slice(&[1u8; LEN]).unwrap();
    let mut pinned = stream.pinned::<u8>(LEN).unwrap();
    pinned.write().unwrap().fill(2);
    mem::forget(pinned.read().unwrap());
    // The device may still read what the host only reads; it may not write it any more.
    stream.upload(&mut buffer, &pinned).unwrap();
    assert!(is_invalid(&stream.download(&buffer, &mut pinned).unwrap_err()));
    mem::forget(pinned.write().unwrap());
    assert!(is_invalid(&stream.upload(&mut buffer, &pinned).unwrap_err()));
    assert_eq!(stream.to_vec(&buffer).unwrap(), [2; LEN]);
    // The mark goes with the memory's owner: whoever gets the memory next can use it.
    drop(pinned);
    let pinned = stream.pinned::<u8>(LEN).unwrap();
    stream.upload(&mut buffer, &pinned).unwrap();
    // Buffers and events that are forgotten keep what they refer to, and break nothing.
    mem::forget(stream.record().unwrap());
    stream.fill(&mut buffer, 3).unwrap();
    mem::forget(buffer);
    mem::forget(stream.clone());
    stream.synchronize().unwrap();
    drop((pinned, stream, device));
    world.run_all();
    assert!(world.violations().is_empty(), "{:?}", world.violations());
    assert!(world.lock().open > 0, "a forgotten buffer keeps its device open");
}

#[test]
fn after_the_loss_of_the_device_memory_is_leaked_and_every_call_says_so() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut buffer = stream.from_slice(&[1u8; LEN]).unwrap();
    let before = world.counts();
    world.lock().refuse.lost = true;
    let lost = |error: Error| assert!(matches!(error.kind(), ErrorKind::DeviceLost { .. }), "{error}");
    lost(stream.fill(&mut buffer, 1).unwrap_err());
    // The runtime remembers: the driver is not even asked again.
    world.lock().refuse.lost = false;
    lost(stream.synchronize().unwrap_err());
    lost(stream.alloc::<u8>(LEN).unwrap_err());
    lost(device.trim().unwrap_err());
    lost(device.new_stream().unwrap_err());
    drop((buffer, stream, device));
    world.wait_closed();
    assert_eq!(world.counts(), before, "nothing was touched");
    assert!(world.violations().is_empty(), "{:?}", world.violations());
}

#[test]
fn a_loss_that_trim_finds_is_remembered() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    drop(stream.alloc::<u8>(LEN).unwrap());
    stream.synchronize().unwrap();
    world.lock().refuse.lost = true;
    device.trim().unwrap_err();
    world.lock().refuse.lost = false;
    assert!(matches!(stream.synchronize().unwrap_err().kind(), ErrorKind::DeviceLost { .. }));
    drop((stream, device));
    world.wait_closed();
}

/// Seals of a stream that no other waits for, and streams that have come and gone, do not pile up.
#[test]
fn finished_things_are_forgotten() {
    let (world, device) = open(Options { order: Order::Eager, ..Options::default() });
    let stream = device.default_stream();
    let live_events = || world.lock().events.iter().filter(|event| event.alive).count();
    for _ in 0..200 {
        stream.host_fn(|| {}).unwrap();
        device.new_stream().unwrap().fill(&mut stream.alloc::<u8>(LEN).unwrap(), 1).unwrap();
    }
    // A buffer that outlives the streams that read it remembers only those whose work may still go on.
    let buffer = stream.zeros::<u8>(LEN).unwrap();
    for _ in 0..1000 {
        device.new_stream().unwrap().copy(&buffer, &mut stream.alloc::<u8>(LEN).unwrap()).unwrap();
    }
    let entries = buffer.view().part.block.tracker.lock().size();
    assert!(entries < 200, "{entries} entries");
    drop(buffer);
    assert!(live_events() < 10, "{} events", live_events());
    assert!(device.shared.known_streams() < 10, "{} streams", device.shared.known_streams());
    assert!(world.counts().allocates < 10, "{:?}", world.counts());
    drop((stream, device));
    check(&world);
}

/// A refusal that lasts while a block is released, or a stream closed, leaves it to the calls after that.
#[test]
fn a_refused_release_is_made_up_for() {
    for refusals in 1..6 {
        let (world, device) = open(Options::default());
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let mut buffer = stream.alloc::<u8>(LEN).unwrap();
        other.fill(&mut buffer, 1).unwrap();
        world.lock().refuse.record = refusals;
        drop((buffer, other));
        for _ in 0..refusals {
            stream.synchronize().unwrap();
        }
        world.lock().refuse.record = 0;
        drop((stream, device));
        check(&world);
    }
}

#[test]
fn buffers_and_events_of_another_device_are_refused() {
    let ((w1, d1), (w2, d2)) = (open(Options::default()), open(Options::default()));
    let (s1, s2) = (d1.default_stream(), d2.default_stream());
    let mut buffer = s1.from_slice(&[1u8; LEN]).unwrap();
    let separate = "of this device, `sim`, got {} of a device `sim` that was opened separately";
    let refused = |error: Error, start: &str, what: &str| {
        let text = format!("{start}: expected {what} {}", separate.replace("{}", what));
        assert!(is_invalid(&error) && error.to_string().starts_with(&text), "{error}\n{text}");
    };
    refused(s2.fill(&mut buffer, 2).unwrap_err(), "fill: x", "memory");
    let (mut pinned, other) = (s1.pinned::<u8>(LEN).unwrap(), s2.alloc::<u8>(LEN).unwrap());
    refused(s2.download(&other, &mut pinned).unwrap_err(), "download: data", "memory");
    refused(s2.wait(&s1.record().unwrap()).unwrap_err(), "wait: event", "an event");
    let elapsed = s2.record().unwrap().elapsed_since(&s1.record().unwrap());
    refused(elapsed.unwrap_err(), "elapsed_since: earlier", "an event");
    let elsewhere = Opening::new("sim:1");
    let error = d1.shared.check_opening(&elsewhere, "x", "memory").unwrap_err().to_string();
    assert_eq!(error, "x: expected memory of this device, `sim`, got memory of device `sim:1`");
    assert_eq!(s1.to_vec(&buffer).unwrap(), [1; LEN]);
    drop((buffer, pinned, other, s1, s2, d1, d2));
    check(&w1);
    check(&w2);
}

/// What an operation needs besides its operands is taken from what is cached, not refused.
#[test]
fn operations_find_cached_memory() {
    use crate::ops::Indexing;
    const LARGE: usize = 400 << 10;
    let (world, device) = open(Options { memory: 1 << 20, ..Options::default() });
    let stream = device.default_stream();
    let (x, mut none) = (stream.alloc::<u8>(LARGE).unwrap(), stream.alloc::<u64>(0).unwrap());
    let y = stream.alloc::<u8>(LARGE).unwrap();
    let error = stream.histogram(&x, &mut none).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
    drop(y);
    assert!(device.memory().cached >= LARGE);
    stream.histogram(&x, &mut none).unwrap();
    assert_eq!(device.memory().cached, 0);
    drop((x, none, stream, device));
    check(&world);
}
