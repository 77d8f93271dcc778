//! Random programs against the sequential model.

use super::interleavings::{Thread, concurrently};
use super::program::{Action, Run, STREAMS, action, device, shared_buffers, shared_graph, write_shared};
use super::sim::{Inline, Options, Order, World};
use crate::device::Device;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn options() -> impl Strategy<Value = Options> {
    let order = prop_oneof![1 => Just(Order::Eager), 3 => Just(Order::Lazy), 3 => Just(Order::Random)];
    let inline = prop_oneof![4 => Just(Inline::None), 1 => Just(Inline::All), 1 => Just(Inline::Alternate)];
    let memory = prop_oneof![4 => Just(1usize << 20), 1 => Just(1 << 10)];
    (any::<u64>(), order, inline, memory, any::<bool>(), any::<bool>()).prop_map(
        |(seed, order, inline, memory, free_waits, upload_waits)| Options {
            seed,
            order,
            inline,
            memory,
            free_waits,
            upload_waits,
            dawdle: false,
        },
    )
}

/// Runs a program; returns what went wrong.
pub(crate) fn run(options: Options, actions: &[Action], knocked: Option<super::super::Step>) -> Vec<String> {
    let world = World::new(options);
    let mut run = Run::new(device(&world, knocked), knocked.is_some());
    run.run(actions);
    run.finish();
    world.violations()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever one thread does, in whatever order streams run: nothing is lost, stale, freed early, deadlocked or leaked.
    #[test]
    fn programs_of_one_thread_do_what_the_model_says(options in options(), actions in vec(action(), 1..60)) {
        let violations = run(options, &actions, None);
        prop_assert!(violations.is_empty(), "{violations:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same for several real threads, each with buffers of its own, that share all streams and read two buffers together, one of
    /// which is touched by a graph of each thread's as well.
    #[test]
    fn programs_of_several_threads_do_what_the_model_says(
        options in options(),
        programs in vec(vec(action(), 30..60), 2..4),
    ) {
        let world = World::new(Options { dawdle: true, ..options });
        let device = device(&world, None);
        let mut shared = shared_buffers(&device);
        let graphs: Vec<_> = programs.iter().map(|_| shared_graph(&device, &mut shared)).collect();
        let streams: [_; STREAMS] = std::array::from_fn(|_| Some(device.new_stream().unwrap()));
        let threads = programs.into_iter().zip(graphs).map(|(actions, graph)| -> Thread {
            let mut run = Run::beside_others(device.clone(), streams.clone(), (shared.clone(), graph));
            Box::new(move || {
                run.run(&actions);
                run.end();
            })
        });
        let threads = threads.collect();
        drop(streams);
        concurrently(&world, threads);
        write_shared(&device, shared);
        drop(device);
        world.wait_closed();
        world.check_released();
        let violations = world.violations();
        prop_assert!(violations.is_empty(), "{violations:#?}");
    }
}
