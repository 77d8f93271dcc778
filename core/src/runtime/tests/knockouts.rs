//! Each protective step taken out by itself is noticed, and nothing is noticed when all are in place.

use super::super::Step;
use super::program::action;
use super::random::{options, run};
use super::{interleavings, scenarios};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Schedules in which a program of several threads is tried with all steps in place, and with one missing. The first that
/// fails ends the trial; most need a hundred, a few two thousand.
const SCHEDULES: (usize, usize) = (1500, 20_000);

#[test]
fn every_step_has_a_program_that_needs_it() {
    let mut steps: Vec<Step> = scenarios::all().iter().map(|scenario| scenario.step).collect();
    steps.extend(interleavings::all().iter().map(|interleaving| interleaving.step));
    for step in Step::ALL {
        assert_eq!(steps.iter().filter(|s| *s == step).count(), 1, "{step:?}");
    }
}

#[test]
fn scenarios_break_without_their_step_and_only_then() {
    for scenario in scenarios::all() {
        let violations = scenario.run(None);
        assert!(violations.is_empty(), "{:?} is in place: {violations:#?}", scenario.step);
        assert!(!scenario.run(Some(scenario.step)).is_empty(), "nothing noticed without {:?}", scenario.step);
    }
}

#[test]
fn interleavings_break_without_their_step_and_only_then() {
    for interleaving in interleavings::all() {
        let violations = interleaving.run(None, SCHEDULES.0);
        assert!(violations.is_empty(), "{:?} is in place: {violations:#?}", interleaving.step);
        let violations = interleaving.run(Some(interleaving.step), SCHEDULES.1);
        assert!(!violations.is_empty(), "nothing noticed without {:?}", interleaving.step);
    }
}

/// The random programs by themselves notice most missing steps too: so they are worth running.
#[test]
fn random_programs_notice_missing_steps() {
    let steps = [
        Step::ReaderSet,
        Step::WriterEntry,
        Step::EntryOfFailedCall,
        Step::ClockAfterWait,
        Step::Seal,
        Step::ReuseEvent,
        Step::ReuseEntry,
        Step::DeferredDrop,
        Step::FinalEvent,
        Step::NoFreeBesideHostFn,
        Step::TrimWaits,
        Step::GraphKeepsBlocks,
    ];
    for step in steps {
        let mut runner = TestRunner::deterministic();
        let programs = (options(), vec(action(), 1..60));
        let noticed = (0..10_000).any(|_| {
            let (options, actions) = programs.new_tree(&mut runner).unwrap().current();
            !run(options, &actions, Some(step)).is_empty()
        });
        assert!(noticed, "{step:?}");
    }
}
