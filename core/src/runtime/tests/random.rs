//! Random programs against the sequential model.

use super::program::{Action, Run, action, device};
use super::sim::{Inline, Options, Order, World};
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
