//! Copies between devices.

use super::lifecycle::{LEN, check, is_invalid, open};
use super::program::{SimBuffer, SimDevice, device, peer};
use super::random::options;
use super::sim::{Inline, Options, Sim, World};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ErrorKind};
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::mpsc;

fn two(options: Options) -> (Arc<World>, SimDevice, SimDevice) {
    let world = World::new(options);
    let (one, two) = (device(&world, None), peer(&world, None));
    (world, one, two)
}

#[test]
fn bytes_arrive_and_lengths_are_checked() {
    let (world, d1, d2) = two(Options::default());
    let (s1, s2) = (d1.default_stream(), d2.default_stream());
    let data: Vec<u8> = (0..LEN).map(|i| i as u8).collect();
    let x = s1.from_slice(&data).unwrap();
    let mut y = s2.from_slice(&[9u8; LEN]).unwrap();
    s2.copy_from_peer(&x.slice(10..60).unwrap(), &mut y.slice_mut(3..53).unwrap()).unwrap();
    let want = [&[9; 3][..], &data[10..60], &[9; LEN - 53]].concat();
    assert_eq!(s2.to_vec(&y).unwrap(), want);
    // From the same device, too.
    let mut z = s1.alloc::<u8>(LEN).unwrap();
    s1.copy_from_peer(&x, &mut z).unwrap();
    assert_eq!(s1.to_vec(&z).unwrap(), data);
    let refused = |error: Error, what: &str| {
        assert!(is_invalid(&error) && error.to_string().starts_with(&format!("copy_from_peer: {what}: ")), "{error}");
    };
    refused(s2.copy_from_peer(&x, &mut y.slice_mut(1..).unwrap()).unwrap_err(), "y");
    refused(s1.copy_from_peer(&x, &mut z.slice_mut(1..).unwrap()).unwrap_err(), "y");
    refused(s1.copy_from_peer(&x, &mut y).unwrap_err(), "y");
    s2.copy_from_peer(&x.slice(..0).unwrap(), &mut y.slice_mut(..0).unwrap()).unwrap();
    drop((x, y, z, s1, s2, d1, d2));
    check(&world);
}

/// Devices of two worlds cannot reach each other, as those of two vendors cannot.
#[test]
fn devices_that_are_no_peers_are_told_what_to_do() {
    let ((w1, d1), (w2, d2)) = (open(Options::default()), open(Options::default()));
    let (s1, s2) = (d1.default_stream(), d2.default_stream());
    let (x, mut y) = (s1.from_slice(&[1u8; LEN]).unwrap(), s2.from_slice(&[2u8; LEN]).unwrap());
    let error = s2.copy_from_peer(&x, &mut y).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { what } if what.contains("through the host")), "{error}");
    assert_eq!(s2.to_vec(&y).unwrap(), [2; LEN]);
    drop((x, y, s1, s2, d1, d2));
    check(&w1);
    check(&w2);
}

#[test]
fn they_are_refused_in_host_functions_and_if_either_device_is_lost() {
    let (world, d1, d2) = two(Options::default());
    let (s1, s2) = (d1.default_stream(), d2.default_stream());
    let (x, mut y) = (s1.from_slice(&[1u8; LEN]).unwrap(), s2.alloc::<u8>(LEN).unwrap());
    let (send, receive) = mpsc::channel();
    let on = s2.clone();
    s1.host_fn(move || {
        let error = on.copy_from_peer(&x, &mut y).unwrap_err();
        send.send((x, y, error)).unwrap();
    })
    .unwrap();
    s1.synchronize().unwrap();
    let (x, mut y, error) = receive.recv().unwrap();
    assert!(is_invalid(&error) && error.to_string().contains("inside"), "{error}");
    // One device is lost; the other is not.
    world.lock().refuse.lost = true;
    s1.synchronize().unwrap_err();
    world.lock().refuse.lost = false;
    assert!(matches!(s2.copy_from_peer(&x, &mut y).unwrap_err().kind(), ErrorKind::DeviceLost { .. }));
    s2.fill(&mut y, 1).unwrap();
    assert_eq!(s2.to_vec(&y).unwrap(), [1; LEN]);
    drop((x, y, s1, s2, d1, d2));
    world.wait_closed();
    assert!(world.violations().is_empty(), "{:?}", world.violations());
}

/// Whatever call of the backend is refused, later writes of the source come after a copy that may be under way.
#[test]
fn refusals_on_the_way_leave_the_source_protected() {
    let refuse: [fn(&mut super::sim::Refusals); 6] = [
        |refuse| refuse.full = 1,
        |refuse| refuse.late = 1,
        |refuse| refuse.record = 1,
        |refuse| refuse.record = 2,
        |refuse| refuse.wait = 1,
        |refuse| refuse.wait = 2,
    ];
    for written in [false, true] {
        for refuse in refuse {
            let (world, d1, d2) = two(Options::default());
            let (s1, s2) = (d1.default_stream(), d2.default_stream());
            let (mut x, mut y) = (s1.alloc::<u8>(LEN).unwrap(), s2.alloc::<u8>(LEN).unwrap());
            if written {
                s1.fill(&mut x, 1).unwrap();
            }
            refuse(&mut world.lock().refuse);
            let _ = s2.copy_from_peer(&x, &mut y);
            world.lock().refuse = Default::default();
            s1.fill(&mut x, 2).unwrap();
            s2.fill(&mut y, 3).unwrap();
            assert_eq!((s1.to_vec(&x).unwrap(), s2.to_vec(&y).unwrap()), (vec![2; LEN], vec![3; LEN]));
            // The source's stream for copies serves the next one too.
            s2.copy_from_peer(&x, &mut y).unwrap();
            assert!(d1.shared.known_streams() <= 2, "{}", d1.shared.known_streams());
            drop((x, y, s1, s2, d1, d2));
            check(&world);
        }
    }
}

/// Work that has nothing to do with a copy behind a host function does not come to depend on that function by way of the source.
#[test]
fn copies_beside_a_blocked_copy_go_on() {
    let (world, d1, d2) = two(Options::default());
    let s1 = d1.default_stream();
    let (blocked, free) = (d2.default_stream(), d2.new_stream().unwrap());
    let (mut x, mut y) = (s1.from_slice(&[1u8; LEN]).unwrap(), s1.from_slice(&[2u8; LEN]).unwrap());
    let [mut a, mut b] = [(); 2].map(|()| free.alloc::<u8>(LEN).unwrap());
    let hold = world.hold();
    // The device's streams come after the other's, and the simulation counts them all.
    world.hold_next(blocked.id() + 1, hold);
    blocked.host_fn(|| {}).unwrap();
    blocked.copy_from_peer(&x, &mut a).unwrap();
    free.copy_from_peer(&y, &mut b).unwrap();
    assert_eq!(free.to_vec(&b).unwrap(), [2; LEN]);
    s1.fill(&mut y, 3).unwrap();
    assert_eq!(s1.to_vec(&y).unwrap(), [3; LEN]);
    // The source of the blocked copy is another matter.
    world.open(hold);
    s1.fill(&mut x, 4).unwrap();
    assert_eq!(s1.to_vec(&x).unwrap(), [4; LEN]);
    assert_eq!(blocked.to_vec(&a).unwrap(), [1; LEN]);
    drop((x, y, a, b, s1, blocked, free, d1, d2));
    check(&world);
}

/// An inline device has no stream that could wait for a copy to an asynchronous one, so the calling thread does. The other way round
/// the copy has ended because the target's stream is inline.
#[test]
fn copies_between_inline_and_asynchronous_devices_have_ended_with_the_call() {
    for card in [0, 1] {
        let (world, d1, d2) = two(Options { inline: Inline::OfCard(card), ..Options::default() });
        let (s1, s2) = (d1.default_stream(), d2.default_stream());
        let (mut x, mut y) = (s1.from_slice(&[1u8; LEN]).unwrap(), s2.alloc::<u8>(LEN).unwrap());
        s2.fill(&mut y, 9).unwrap();
        s2.copy_from_peer(&x, &mut y).unwrap();
        let pending = |world: &World| world.lock().streams.iter().any(|stream| stream.done < stream.enqueued);
        assert!(!pending(&world), "{card}");
        s1.fill(&mut x, 2).unwrap();
        assert_eq!(s2.to_vec(&y).unwrap(), [1; LEN]);
        drop((x, y, s1, s2, d1, d2));
        check(&world);
    }
}

/// Copies one after the other need one stream of the source, and devices that copied both ways are released.
#[test]
fn few_streams_are_made_and_all_are_released() {
    let (world, d1, d2) = two(Options::default());
    let (s1, s2) = (d1.default_stream(), d2.default_stream());
    let (mut x, mut y) = (s1.from_slice(&[1u8; LEN]).unwrap(), s2.alloc::<u8>(LEN).unwrap());
    for _ in 0..20 {
        s2.copy_from_peer(&x, &mut y).unwrap();
        s1.copy_from_peer(&y, &mut x).unwrap();
    }
    assert_eq!((d1.shared.known_streams(), d2.shared.known_streams()), (2, 2));
    drop((x, y, s1, s2, d1, d2));
    check(&world);
}

/// What a program on two devices does. Indices are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    /// (device, stream, buffer, value)
    Fill(usize, usize, usize, u8),
    /// (device, stream, from, to)
    Copy(usize, usize, usize, usize),
    /// (target device, stream, from, to)
    Peer(usize, usize, usize, usize),
    /// The buffer is dropped, and another takes its place: (device, stream, buffer, value)
    Replace(usize, usize, usize, u8),
    HostFn(usize, usize),
    Trim(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (d, s, b) = (0..2usize, 0..2usize, 0..3usize);
    let (d, s, b) = (move || d.clone(), move || s.clone(), move || b.clone());
    prop_oneof![
        3 => (d(), s(), b(), any::<u8>()).prop_map(|(d, s, b, v)| Step::Fill(d, s, b, v)),
        2 => (d(), s(), b(), b()).prop_map(|(d, s, x, y)| Step::Copy(d, s, x, y)),
        5 => (d(), s(), b(), b()).prop_map(|(d, s, x, y)| Step::Peer(d, s, x, y)),
        1 => (d(), s(), b(), any::<u8>()).prop_map(|(d, s, b, v)| Step::Replace(d, s, b, v)),
        1 => (d(), s()).prop_map(|(d, s)| Step::HostFn(d, s)),
        1 => d().prop_map(Step::Trim)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two devices compute what one stream would, in whatever order streams run.
    #[test]
    fn programs_on_two_devices_do_what_the_model_says(
        options in options(),
        inline in prop::option::of(0..2usize),
        steps in vec(step(), 1..40),
    ) {
        // One device of either kind, or streams of any.
        let inline = inline.map_or(options.inline, Inline::OfCard);
        let (world, d1, d2) = two(Options { memory: 1 << 20, inline, ..options });
        let devices = [d1, d2];
        let streams: [Vec<ManagedStream<Sim>>; 2] =
            devices.each_ref().map(|device| vec![device.default_stream(), device.new_stream().unwrap()]);
        let mut buffers: [Vec<(SimBuffer, u8)>; 2] = streams.each_ref().map(|streams| {
            (0..3).map(|value| (streams[0].from_slice(&[value; LEN]).unwrap(), value)).collect()
        });
        for step in steps {
            match step {
                Step::Fill(d, s, b, value) => {
                    streams[d][s].fill(&mut buffers[d][b].0, value).unwrap();
                    buffers[d][b].1 = value;
                }
                Step::Copy(d, s, x, y) if x != y => {
                    let [x, y] = buffers[d].get_disjoint_mut([x, y]).unwrap();
                    streams[d][s].copy(&x.0, &mut y.0).unwrap();
                    y.1 = x.1;
                }
                Step::Copy(..) => {}
                Step::Peer(d, s, x, y) => {
                    let [source, target] = buffers.get_disjoint_mut([1 - d, d]).unwrap();
                    streams[d][s].copy_from_peer(&source[x].0, &mut target[y].0).unwrap();
                    target[y].1 = source[x].1;
                }
                Step::Replace(d, s, b, value) => {
                    buffers[d][b] = (streams[d][s].alloc(LEN).unwrap(), value);
                    streams[d][s].fill(&mut buffers[d][b].0, value).unwrap();
                }
                Step::HostFn(d, s) => streams[d][s].host_fn(|| {}).unwrap(),
                Step::Trim(d) => drop(devices[d].trim().unwrap()),
            }
        }
        for d in 0..2 {
            for (buffer, value) in &buffers[d] {
                prop_assert_eq!(streams[d][1].to_vec(buffer).unwrap(), [*value; LEN]);
            }
        }
        drop((buffers, streams, devices));
        world.wait_closed();
        world.check_released();
        let violations = world.violations();
        prop_assert!(violations.is_empty(), "{violations:#?}");
    }
}
