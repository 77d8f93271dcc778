//! Small programs of one thread, each of which needs one protective step.

use super::program::{SimBuffer, SimDevice, device, peer};
use super::sim::{Options, Sim, World};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::runtime::Step;
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;

type SimStream = ManagedStream<Sim>;

/// A device whose streams run only when somebody waits, and three streams of it.
struct Scene {
    world: Arc<World>,
    device: SimDevice,
    s1: SimStream,
    s2: SimStream,
    s3: SimStream,
}

const LEN: usize = 200;

impl Scene {
    fn new(options: Options, knocked: Option<Step>) -> Scene {
        let world = World::new(options);
        let device = device(&world, knocked);
        let (s2, s3) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        Scene { s1: device.default_stream(), world, device, s2, s3 }
    }

    /// A buffer of stream 1.
    fn buffer(&self) -> SimBuffer {
        self.s1.alloc(LEN).unwrap()
    }

    /// A host function on `stream` that waits for what the scene's end does.
    fn held(&self, stream: &SimStream) {
        self.world.hold_next(stream.id(), self.world.hold());
        stream.host_fn(|| {}).unwrap();
    }

    /// Another physical device, with the step left out there as well.
    fn peer(&self) -> SimDevice {
        peer(&self.world, self.device.shared.knocked)
    }
}

/// A scenario: needs `step`, as it breaks without it.
pub(crate) struct Scenario {
    pub(crate) step: Step,
    options: Options,
    body: fn(&Scene),
}

impl Scenario {
    /// Runs it; returns what went wrong.
    pub(crate) fn run(&self, knocked: Option<Step>) -> Vec<String> {
        let scene = Scene::new(self.options, knocked);
        (self.body)(&scene);
        let Scene { world, device, s1, s2, s3 } = scene;
        world.open_all();
        drop((device, s1, s2, s3));
        world.run_all();
        world.wait_closed();
        world.check_released();
        world.violations()
    }
}

pub(crate) fn all() -> Vec<Scenario> {
    let scenario = |step, body| Scenario { step, options: Options::default(), body };
    let free_does_not_wait = Options { free_waits: false, ..Options::default() };
    vec![
        scenario(Step::ReaderSet, |at| {
            let (mut a, mut b) = (at.buffer(), at.buffer());
            at.s2.copy(&a, &mut b).unwrap();
            at.s1.fill(&mut a, 1).unwrap();
        }),
        scenario(Step::WriterEntry, |at| {
            let mut a = at.buffer();
            at.s1.fill(&mut a, 1).unwrap();
            assert_eq!(at.s2.to_vec(&a).unwrap().len(), LEN);
        }),
        scenario(Step::EntryOfFailedCall, |at| {
            let mut a = at.buffer();
            at.world.lock().refuse.late = 1;
            at.s1.fill(&mut a, 1).unwrap_err();
            at.s2.fill(&mut a, 2).unwrap();
        }),
        scenario(Step::ByteRange, |at| {
            let mut a = at.buffer();
            let (mut low, mut high) = a.split_at_mut(LEN / 2).unwrap();
            at.s1.fill(&mut low, 1).unwrap();
            at.s2.fill(&mut high, 2).unwrap();
            at.world.expect_waits(0);
        }),
        scenario(Step::WaitOnce, |at| {
            let (mut a, mut b) = (at.buffer(), at.buffer());
            at.s1.fill(&mut a, 1).unwrap();
            for _ in 0..3 {
                at.s2.copy(&a, &mut b).unwrap();
            }
            at.world.expect_waits(1);
        }),
        scenario(Step::ClockAfterWait, |at| {
            let mut a = at.buffer();
            at.s1.fill(&mut a, 1).unwrap();
            at.world.lock().refuse.wait = 1;
            at.s2.fill(&mut a, 2).unwrap_err();
            at.s2.fill(&mut a, 2).unwrap();
        }),
        scenario(Step::RemoveOnlyWaited, |at| {
            let (mut a, mut b, mut c) = (at.buffer(), at.buffer(), at.buffer());
            at.s2.copy(&a, &mut b).unwrap();
            at.s3.copy(&a, &mut c).unwrap();
            at.s1.fill(&mut a, 1).unwrap();
        }),
        scenario(Step::Seal, |at| {
            let mut a = at.buffer();
            at.s1.fill(&mut a, 1).unwrap();
            at.held(&at.s1);
            assert_eq!(at.s2.to_vec(&a).unwrap(), [1; LEN]);
        }),
        scenario(Step::SealTravels, |at| {
            let (mut a, mut b, mut c) = (at.buffer(), at.buffer(), at.buffer());
            at.held(&at.s1);
            at.s1.fill(&mut b, 1).unwrap();
            at.s2.fill(&mut a, 2).unwrap();
            // From here on stream 2 is behind the host function too, but what it did before is not.
            at.s2.copy(&b, &mut c).unwrap();
            assert_eq!(at.s3.to_vec(&a).unwrap(), [2; LEN]);
        }),
        scenario(Step::ReuseEvent, |at| {
            let mut a = at.buffer();
            at.s2.fill(&mut a, 1).unwrap();
            drop(a);
            at.s1.fill(&mut at.buffer(), 2).unwrap();
        }),
        scenario(Step::ReuseEntry, |at| {
            let mut a = at.buffer();
            at.s1.fill(&mut a, 1).unwrap();
            drop(a);
            at.s2.fill(&mut at.buffer(), 2).unwrap();
        }),
        scenario(Step::ReleaseAgain, |at| {
            let mut a = at.buffer();
            at.s2.fill(&mut a, 1).unwrap();
            drop(a);
            at.world.lock().refuse.record = 1;
            at.s1.fill(&mut at.buffer(), 2).unwrap();
        }),
        scenario(Step::DeferredDrop, |at| {
            let mut a = at.buffer();
            at.s2.fill(&mut a, 1).unwrap();
            at.s1.host_fn(move || drop(a)).unwrap();
            at.s1.synchronize().unwrap();
        }),
        scenario(Step::FinalEvent, |at| {
            let mut a = at.buffer();
            let stream = at.device.new_stream().unwrap();
            stream.fill(&mut a, 1).unwrap();
            drop(stream);
            assert_eq!(at.s1.to_vec(&a).unwrap().len(), LEN);
        }),
        scenario(Step::CachedAfterFinal, |at| {
            let stream = at.device.new_stream().unwrap();
            stream.fill(&mut stream.alloc::<u8>(LEN).unwrap(), 1).unwrap();
            at.s2.synchronize().unwrap();
            drop(stream);
            at.s1.fill(&mut at.buffer(), 2).unwrap();
        }),
        scenario(Step::NoFreeBesideHostFn, |at| {
            drop(at.buffer());
            at.held(&at.s2);
            at.device.trim().unwrap();
        }),
        scenario(Step::GateOfPhysicalDevice, |at| {
            // A free on the same physical device waits for the host function all the same.
            let twin = device(&at.world, at.device.shared.knocked);
            drop(twin.default_stream().alloc::<u8>(LEN).unwrap());
            at.held(&at.s2);
            twin.trim().unwrap();
        }),
        scenario(Step::RefuseInHostFn, |at| {
            let stream = at.s2.clone();
            at.s1.host_fn(move || drop(stream.alloc::<u8>(1).unwrap_err())).unwrap();
            at.s1.synchronize().unwrap();
        }),
        scenario(Step::CloseElsewhere, |at| {
            // A second device on the same world, whose only handle a host function of the first has.
            let world = World::new(Options::default());
            let other = device(&world, at.device.shared.knocked);
            at.s1.host_fn(move || drop(other)).unwrap();
            at.s1.synchronize().unwrap();
            world.wait_closed();
            world.violations().into_iter().for_each(|text| at.world.violation(text));
        }),
        Scenario {
            step: Step::TrimWaits,
            options: free_does_not_wait,
            body: |at| {
                at.s1.fill(&mut at.buffer(), 1).unwrap();
                at.device.trim().unwrap();
            },
        },
        scenario(Step::PinnedWaits, |at| {
            let (mut a, mut pinned) = (at.buffer(), at.s1.pinned::<u8>(LEN).unwrap());
            at.s1.fill(&mut a, 1).unwrap();
            at.s1.download(&a, &mut pinned).unwrap();
            let guard = pinned.read().unwrap();
            at.world.host_touch(guard.as_ptr().addr(), LEN, false);
        }),
        scenario(Step::GraphKeepsBlocks, |at| {
            let mut a = at.buffer();
            let mut graph = at.s1.record_graph(|r| r.fill(&mut a, 1)).unwrap();
            drop(a);
            graph.launch(&at.s2).unwrap();
            at.s1.fill(&mut at.buffer(), 2).unwrap();
        }),
        scenario(Step::GraphAfterLaunches, |at| {
            let mut a = at.buffer();
            let mut graph = at.s1.record_graph(|r| r.fill(&mut a, 1)).unwrap();
            graph.launch(&at.s2).unwrap();
            drop(graph);
            at.s1.synchronize().unwrap();
        }),
        scenario(Step::OwnerAfterWork, |at| {
            let mut a = at.buffer();
            at.s1.fill(&mut a, 1).unwrap();
            let mut pinned = at.s1.register(vec![0_u8; LEN]).unwrap();
            at.s1.download(&a, &mut pinned).unwrap();
            drop(pinned);
            at.s2.fill(&mut at.s2.alloc::<u8>(LEN).unwrap(), 2).unwrap();
        }),
        scenario(Step::PeerWaits, |at| {
            let mut a = at.buffer();
            let stream = at.peer().default_stream();
            at.s1.fill(&mut a, 1).unwrap();
            stream.copy_from_peer(&a, &mut stream.alloc(LEN).unwrap()).unwrap();
        }),
        scenario(Step::PeerEntry, |at| {
            let mut a = at.buffer();
            let stream = at.peer().default_stream();
            stream.copy_from_peer(&a, &mut stream.alloc(LEN).unwrap()).unwrap();
            at.s1.fill(&mut a, 1).unwrap();
        }),
        scenario(Step::PeerSeals, |at| {
            let mut b = at.buffer();
            let other = at.peer();
            let (stream, third) = (other.default_stream(), other.new_stream().unwrap());
            at.held(&at.s1);
            at.s1.fill(&mut b, 1).unwrap();
            let mut a = stream.alloc::<u8>(LEN).unwrap();
            stream.fill(&mut a, 2).unwrap();
            // From here on the stream is behind the host function of another device, but what it did before is not.
            stream.copy_from_peer(&b, &mut stream.alloc(LEN).unwrap()).unwrap();
            assert_eq!(third.to_vec(&a).unwrap(), [2; LEN]);
        }),
        scenario(Step::PeerGate, |at| {
            let mut b = at.buffer();
            let other = at.peer();
            let stream = other.default_stream();
            drop(stream.alloc::<u8>(2 * LEN).unwrap());
            at.held(&at.s1);
            at.s1.fill(&mut b, 1).unwrap();
            stream.copy_from_peer(&b, &mut stream.alloc(LEN).unwrap()).unwrap();
            other.trim().unwrap();
        }),
        scenario(Step::PinnedGuard, |at| {
            let (mut a, mut pinned) = (at.buffer(), at.s1.pinned::<u8>(LEN).unwrap());
            std::mem::forget(pinned.write().unwrap());
            if at.s1.upload(&mut a, &pinned).is_ok() {
                at.world.violation("an upload from memory that a guard gives the host");
            }
        }),
        scenario(Step::UndoGuard, |at| {
            let (a, mut pinned) = (at.buffer(), at.s1.pinned::<u8>(LEN).unwrap());
            at.s1.download(&a, &mut pinned).unwrap();
            at.world.lock().refuse.record = 1;
            pinned.write().map(drop).unwrap_err();
            if at.s1.download(&a, &mut pinned).is_err() {
                at.world.violation("a guard that there never was keeps the device away");
            }
        }),
    ]
}
