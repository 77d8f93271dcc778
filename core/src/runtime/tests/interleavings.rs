//! Small programs of several threads that share streams, each of which needs one protective step; run under `shuttle`, which
//! decides after every use of an atomic or a lock which thread goes on.

use super::lifecycle::is_invalid;
use super::program::{Run, SimBuffer, SimDevice, action, device, peer, shared_buffers, shared_graph, write_shared};
use super::sim::{Options, Sim, World};
use crate::device::Device;
use crate::runtime::Step;
use crate::stream::{ManagedStream, Stream};
use crate::sync::Arc;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

pub(crate) type Thread = Box<dyn FnOnce() + Send>;

/// Runs threads to their end, under shuttle if this is run under shuttle.
pub(crate) fn concurrently(world: &Arc<World>, threads: Vec<Thread>) {
    world.set_threads(threads.len());
    let counted = |thread: Thread| {
        let world = world.clone();
        move || {
            world.enter_thread();
            thread();
            world.leave_thread();
        }
    };
    if shuttle::current::try_get_current_task().is_some() {
        let handles: Vec<_> = threads.into_iter().map(|thread| shuttle::thread::spawn(counted(thread))).collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    } else {
        let handles: Vec<_> = threads.into_iter().map(|thread| std::thread::spawn(counted(thread))).collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    }
    world.set_threads(1);
}

/// Runs `body` under a scheduler, as often as that says; returns what went wrong first.
pub(super) fn explore(
    scheduler: impl Scheduler + 'static,
    body: impl Fn(&Arc<World>) + Send + Sync + 'static,
) -> Vec<String> {
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 18;
    config.silence_warnings = true;
    config.failure_persistence = shuttle::FailurePersistence::None;
    let found: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let log = found.clone();
    let once = move || {
        if log.lock().unwrap().is_empty() {
            let world = World::new(Options::default());
            body(&world);
            world.wait_closed();
            world.check_released();
            log.lock().unwrap().extend(world.violations());
        }
    };
    let runner = shuttle::Runner::new(scheduler, config);
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runner.run(once)));
    let mut found = found.lock().unwrap().clone();
    if run.is_err() {
        found.push("a thread panicked, or all were blocked".into());
    }
    found
}

/// A device with three streams, and buffers of the first: `x` was written there.
struct Scene {
    world: Arc<World>,
    device: SimDevice,
    s: ManagedStream<Sim>,
    t: ManagedStream<Sim>,
    w: ManagedStream<Sim>,
    x: SimBuffer,
}

const LEN: usize = 200;

impl Scene {
    fn new(world: &Arc<World>, knocked: Option<Step>) -> Scene {
        let device = device(world, knocked);
        let (s, t, w) = (device.default_stream(), device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut x = s.alloc(LEN).unwrap();
        s.fill(&mut x, 1).unwrap();
        Scene { world: world.clone(), device, s, t, w, x }
    }

    fn buffer(&self) -> SimBuffer {
        self.s.alloc(LEN).unwrap()
    }

    fn held(&self) -> usize {
        let hold = self.world.hold();
        self.world.hold_next(self.s.id(), hold);
        hold
    }
}

/// A program of several threads that breaks without `step`.
pub(crate) struct Interleaving {
    pub(crate) step: Step,
    body: fn(Scene),
}

impl Interleaving {
    /// Runs it in `schedules` schedules; returns what went wrong first.
    pub(crate) fn run(&self, knocked: Option<Step>, schedules: usize) -> Vec<String> {
        let body = self.body;
        explore(PctScheduler::new_from_seed(1, 3, schedules), move |world| body(Scene::new(world, knocked)))
    }
}

/// One thread writes `a` on a stream, another makes a third stream wait for that stream, which then needs the wait for `a`, too.
fn write_beside_a_wait(at: Scene) {
    let (mut a, mut b, mut y, mut z) = (at.buffer(), at.buffer(), at.buffer(), at.buffer());
    let (s, s2, w, x) = (at.s.clone(), at.s.clone(), at.w.clone(), at.x);
    let (send, receive) = std::sync::mpsc::channel();
    let written = send.clone();
    let write = Box::new(move || {
        s.fill(&mut a, 2).unwrap();
        written.send(a).unwrap();
    });
    let wait = Box::new(move || {
        s2.fill(&mut b, 3).unwrap();
        w.copy(&x, &mut y).unwrap();
    });
    concurrently(&at.world, vec![write, wait]);
    at.w.copy(&receive.recv().unwrap(), &mut z).unwrap();
}

/// Two threads read `a` on one stream while a third makes another stream wait for that, which then writes `a`.
fn two_reads_beside_a_wait(at: Scene) {
    let a = Arc::new(at.buffer());
    let reader = || -> Thread {
        let (s, a, mut to) = (at.s.clone(), a.clone(), at.buffer());
        Box::new(move || s.copy(&*a, &mut to).unwrap())
    };
    let (w, mut y) = (at.w.clone(), at.buffer());
    let threads = vec![reader(), reader(), Box::new(move || w.copy(&at.x, &mut y).unwrap())];
    concurrently(&at.world, threads);
    at.w.fill(&mut Arc::into_inner(a).unwrap(), 4).unwrap();
}

/// A read on a stream that another thread makes wait for an earlier reader, but only afterwards.
fn read_before_the_wait_of_another(at: Scene) {
    let (a, mut b) = (Arc::new(at.buffer()), at.buffer());
    at.t.copy(&*a, &mut b).unwrap();
    let read = {
        let (s, a, mut to) = (at.s.clone(), a.clone(), at.buffer());
        Box::new(move || s.copy(&*a, &mut to).unwrap())
    };
    let wait = {
        let (s, w, mut y, mut to) = (at.s.clone(), at.w.clone(), at.buffer(), at.buffer());
        Box::new(move || {
            w.copy(&at.x, &mut y).unwrap();
            s.copy(&b, &mut to).unwrap();
        })
    };
    concurrently(&at.world, vec![read, wait]);
    at.w.fill(&mut Arc::into_inner(a).unwrap(), 4).unwrap();
}

/// Two threads enqueue host functions on one stream; what was before both does not wait for either.
fn two_seals(at: Scene) {
    let holds = [at.held(), at.held()];
    let (s1, s2, mut b) = (at.s.clone(), at.s.clone(), at.buffer());
    let one = Box::new(move || s1.host_fn(|| {}).unwrap());
    let two = Box::new(move || {
        s2.fill(&mut b, 2).unwrap();
        s2.host_fn(|| {}).unwrap();
    });
    concurrently(&at.world, vec![one, two]);
    assert_eq!(at.w.to_vec(&at.x).unwrap(), [1; LEN]);
    holds.iter().for_each(|&hold| at.world.open(hold));
    at.world.run_all();
}

/// One thread enqueues a host function while another waits for older work.
fn seal_beside_a_wait(at: Scene) {
    let hold = at.held();
    let (s, w) = (at.s.clone(), at.w.clone());
    let seal = Box::new(move || s.host_fn(|| {}).unwrap());
    let x = at.x;
    let wait = Box::new(move || assert_eq!(w.to_vec(&x).unwrap(), [1; LEN]));
    concurrently(&at.world, vec![seal, wait]);
    at.world.open(hold);
    at.world.run_all();
}

/// One thread enqueues a host function, another has a point recorded behind it, and a third waits for older work.
fn seal_beside_a_recent_point(at: Scene) {
    let hold = at.held();
    let (s1, s2, t, w) = (at.s.clone(), at.s.clone(), at.t.clone(), at.w.clone());
    let (x, mut b, mut y) = (at.x, at.s.alloc::<u8>(LEN).unwrap(), at.s.alloc::<u8>(LEN).unwrap());
    let seal = Box::new(move || s1.host_fn(|| {}).unwrap());
    let record = Box::new(move || {
        s2.fill(&mut b, 2).unwrap();
        t.copy(&b, &mut y).unwrap();
    });
    let wait = Box::new(move || assert_eq!(w.to_vec(&x).unwrap(), [1; LEN]));
    concurrently(&at.world, vec![seal, record, wait]);
    at.world.open(hold);
    at.world.run_all();
}

/// One thread writes a buffer on a stream, another launches a graph on another stream that writes it as well.
fn write_beside_a_launch(at: Scene) {
    let mut x = at.x;
    let mut graph = at.s.record_graph(|r| r.fill(&mut x, 2)).unwrap();
    let (s, t) = (at.s.clone(), at.t.clone());
    let write = Box::new(move || s.fill(&mut x, 3).unwrap());
    let launch = Box::new(move || graph.launch(&t).unwrap());
    concurrently(&at.world, vec![write, launch]);
}

/// Two threads launch graphs that write one buffer on two streams.
fn two_launches(at: Scene) {
    let mut x = at.x;
    let mut launch = |stream: &ManagedStream<Sim>, value: u8| -> Thread {
        let mut graph = stream.record_graph(|r| r.fill(&mut x, value)).unwrap();
        let stream = stream.clone();
        Box::new(move || graph.launch(&stream).unwrap())
    };
    let threads = vec![launch(&at.s, 2), launch(&at.t, 3)];
    concurrently(&at.world, threads);
}

/// Two threads launch graphs that touch two buffers, one graph the first first, the other the second.
fn two_launches_of_opposite_order(at: Scene) {
    let (mut x, mut y) = (at.x, at.s.alloc::<u8>(LEN).unwrap());
    let mut forth = at.s.record_graph(|r| r.copy(&x, &mut y)).unwrap();
    let mut back = at.s.record_graph(|r| r.copy(&y, &mut x)).unwrap();
    let (s, t) = (at.s.clone(), at.t.clone());
    let threads: Vec<Thread> =
        vec![Box::new(move || forth.launch(&s).unwrap()), Box::new(move || back.launch(&t).unwrap())];
    concurrently(&at.world, threads);
}

/// One thread writes pinned memory, another launches a graph that reads it: whoever is first keeps the other away.
fn guard_beside_a_launch(at: Scene) {
    let (mut x, mut pinned) = (at.x, at.s.pinned::<u8>(LEN).unwrap());
    let mut graph = at.s.record_graph(|r| r.upload(&mut x, &pinned)).unwrap();
    let (world, t) = (at.world.clone(), at.t.clone());
    let host = Box::new(move || {
        let guard = pinned.write().unwrap();
        world.host_touch(guard.as_ptr().addr(), LEN, true);
    });
    let launch = Box::new(move || {
        let _ = graph.launch(&t).map_err(|error| assert!(is_invalid(&error), "{error}"));
    });
    concurrently(&at.world, vec![host, launch]);
}

/// One thread copies from another device, and two launch graphs that write the source and the target.
fn copy_from_a_peer_beside_launches(at: Scene) {
    let other = peer(&at.world, at.device.shared.knocked);
    let (copies, launches) = (other.default_stream(), other.new_stream().unwrap());
    let (mut x, mut y) = (at.x, copies.alloc::<u8>(LEN).unwrap());
    let mut source = at.s.record_graph(|r| r.fill(&mut x, 2)).unwrap();
    let mut target = copies.record_graph(|r| r.fill(&mut y, 3)).unwrap();
    let t = at.t.clone();
    let threads: Vec<Thread> = vec![
        Box::new(move || copies.copy_from_peer(&x, &mut y).unwrap()),
        Box::new(move || source.launch(&t).unwrap()),
        Box::new(move || target.launch(&launches).unwrap()),
    ];
    concurrently(&at.world, threads);
}

/// One thread frees memory, and then does what a host function that another thread enqueues waits for.
fn free_beside_a_host_fn(at: Scene) {
    drop(at.buffer());
    let hold = at.held();
    let (world, device, s) = (at.world.clone(), at.device.clone(), at.s.clone());
    let free = Box::new(move || {
        device.trim().unwrap();
        world.open(hold);
    });
    concurrently(&at.world, vec![free, Box::new(move || s.host_fn(|| {}).unwrap())]);
    at.world.run_all();
}

/// One thread frees what another stream has cached, while a second closes that stream.
fn free_beside_a_close(at: Scene) {
    let t = at.t;
    t.fill(&mut t.alloc::<u8>(LEN).unwrap(), 1).unwrap();
    // What was dropped goes to where its stream can reuse it.
    at.s.synchronize().unwrap();
    let (device, s) = (at.device.clone(), at.s.clone());
    let close = Box::new(move || {
        drop(t);
        s.synchronize().unwrap();
    });
    let free = Box::new(move || assert!(device.trim().is_ok()));
    concurrently(&at.world, vec![free, close]);
}

pub(crate) fn all() -> Vec<Interleaving> {
    vec![
        Interleaving { step: Step::EntryAfterEnqueue, body: write_beside_a_wait },
        Interleaving { step: Step::TicketAfterEnqueue, body: write_beside_a_wait },
        Interleaving { step: Step::TailBeforeRecord, body: write_beside_a_wait },
        Interleaving { step: Step::NewestEntry, body: two_reads_beside_a_wait },
        Interleaving { step: Step::ClockBeforeEnqueue, body: read_before_the_wait_of_another },
        Interleaving { step: Step::SealOrder, body: two_seals },
        Interleaving { step: Step::SealAgain, body: seal_beside_a_wait },
        Interleaving { step: Step::RecentBeforeSeal, body: seal_beside_a_recent_point },
        Interleaving { step: Step::HostFnAfterFree, body: free_beside_a_host_fn },
        Interleaving { step: Step::TrimWaitsForClosed, body: free_beside_a_close },
        Interleaving { step: Step::MarkShared, body: write_beside_a_launch },
        Interleaving { step: Step::LaunchClaims, body: two_launches },
        Interleaving { step: Step::AccessClaims, body: write_beside_a_launch },
        Interleaving { step: Step::ClaimUntilEntry, body: two_launches },
        Interleaving { step: Step::ClaimOrder, body: two_launches_of_opposite_order },
        Interleaving { step: Step::GuardClaims, body: guard_beside_a_launch },
        Interleaving { step: Step::GuardAfterClaim, body: guard_beside_a_launch },
        Interleaving { step: Step::PeerClaims, body: copy_from_a_peer_beside_launches },
    ]
}

/// Random programs on two threads that share all their streams, in random schedules.
#[test]
fn random_programs_survive_every_schedule_tried() {
    let mut runner = TestRunner::deterministic();
    let programs = (proptest::collection::vec(action(), 10..25), proptest::collection::vec(action(), 10..25));
    for _ in 0..40 {
        let (one, two) = programs.new_tree(&mut runner).unwrap().current();
        let body = move |world: &Arc<World>| {
            let device = device(world, None);
            let mut shared = shared_buffers(&device);
            let graphs = [(); 2].map(|()| shared_graph(&device, &mut shared));
            let streams = [0, 1, 2, 3].map(|_| Some(device.new_stream().unwrap()));
            let thread = |actions: &Vec<_>, graph| -> Thread {
                let (actions, mut run) =
                    (actions.clone(), Run::beside_others(device.clone(), streams.clone(), (shared.clone(), graph)));
                Box::new(move || {
                    run.run(&actions);
                    run.end();
                })
            };
            let [first, second] = graphs;
            concurrently(world, vec![thread(&one, first), thread(&two, second)]);
            write_shared(&device, shared);
        };
        let found = explore(RandomScheduler::new_from_seed(1, 5), body);
        assert!(found.is_empty(), "{found:#?}");
    }
}
