//! What a check makes its cases with.

use crate::case::{Case, Tally};
use crate::failure::{Failure, Verdict};
use crate::level::{Counts, Level};
use crate::origin::Origin;
use crate::seed::{CaseId, generator};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use warpwave_core::Device;
use warpwave_core::numerics::contract::{Class, Lane};

/// The longest description of an input that a failure gives.
const LONGEST_INPUT: usize = 2000;

/// One check on one device: makes cases, and keeps what came of them.
#[derive(Debug)]
pub struct Session<'a, D: Device> {
    pub(crate) device: &'a D,
    pub(crate) origin: &'a dyn Origin<D>,
    /// The check's own stream: what one leaves behind does not reach the next.
    pub(crate) stream: D::Stream,
    pub(crate) check: &'a str,
    pub(crate) class: Option<Class>,
    pub(crate) level: Level,
    pub(crate) seed: u64,
    /// The only case to run.
    pub(crate) only: Option<&'a CaseId>,
    /// Series begun, by lane.
    pub(crate) series: [u32; 3],
    pub(crate) tally: Tally,
}

impl<D: Device> Session<'_, D> {
    /// The device under test.
    pub fn device(&self) -> &D {
        self.device
    }

    /// A stream of this check's own.
    pub fn stream(&self) -> &D::Stream {
        &self.stream
    }

    /// How thorough the run is.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Cases with random inputs: as many as `counts` says for the level, each with a value of `strategy` that depends on the
    /// run's seed and the case's name alone.
    ///
    /// # Errors
    /// The first case that does not pass ends the check. Its input is made as small as proptest can. A case that compares
    /// nothing does not pass.
    pub fn cases<S: Strategy>(
        &mut self,
        lane: Lane,
        counts: Counts,
        strategy: S,
        body: impl Fn(&mut Case<'_, D>, S::Value) -> Verdict,
    ) -> Verdict {
        self.cases_of(lane, counts, &strategy, &body)
    }

    /// [`cases`](Session::cases), compiled once for each kind of inputs: the suite has thousands of bodies.
    fn cases_of<S: Strategy>(
        &mut self,
        lane: Lane,
        counts: Counts,
        strategy: &S,
        body: &dyn Fn(&mut Case<'_, D>, S::Value) -> Verdict,
    ) -> Verdict {
        let series = self.next_series(lane);
        let indices = match self.only {
            Some(only) if only.series != series => return Ok(()),
            Some(only) => only.index..only.index.saturating_add(1),
            None => 0..u64::from(counts.at(self.level)),
        };
        let config = Config {
            failure_persistence: None,
            max_shrink_iters: 512,
            max_shrink_time: 0,
            max_local_rejects: 65_536,
            max_flat_map_regens: 1_000_000,
            max_default_size_range: 100,
            verbose: 0,
            ..Config::default()
        };
        for index in indices {
            let id = self.case_id(&series, index);
            let mut runner = TestRunner::new_with_rng(config.clone(), generator(self.seed, &id));
            let tree = strategy
                .new_tree(&mut runner)
                .map_err(|reason| Failure::new(format_args!("case {id}: no input could be made: {reason}")))?;
            let passed: Cell<Option<Tally>> = Cell::new(None);
            // What is neither a pass nor a failure ends the case at once: there is nothing to make smaller.
            let other: RefCell<Option<Failure>> = RefCell::new(None);
            let result = runner.run_one(tree, |input| {
                let mut case = self.case(lane);
                match body(&mut case, input).and_then(|()| case.compared()) {
                    Ok(()) => passed.set(Some(case.tally)),
                    Err(Failure::Failed(message)) => return Err(TestCaseError::fail(message)),
                    Err(failure) => *other.borrow_mut() = Some(failure),
                }
                Ok(())
            });
            match result {
                Err(TestError::Fail(reason, input)) => {
                    return Err(self.describe(&id, reason.message(), &input, "smallest failing input"));
                }
                Err(TestError::Abort(reason)) => {
                    return Err(Failure::new(format_args!("case {id}: given up: {}", reason.message())));
                }
                Ok(_) => {}
            }
            if let Some(failure) = other.into_inner() {
                return Err(failure);
            }
            if let Some(tally) = passed.take() {
                self.tally.add(lane, tally);
            }
        }
        Ok(())
    }

    /// Cases with the inputs in `inputs`, one each.
    ///
    /// # Errors
    /// The first case that does not pass ends the check. A case that compares nothing does not pass.
    pub fn each<V: Debug + Clone>(
        &mut self,
        lane: Lane,
        inputs: impl IntoIterator<Item = V>,
        body: impl Fn(&mut Case<'_, D>, V) -> Verdict,
    ) -> Verdict {
        self.each_of(lane, &mut inputs.into_iter(), &body)
    }

    /// [`each`](Session::each), compiled once for each type of inputs.
    fn each_of<V: Debug + Clone>(
        &mut self,
        lane: Lane,
        inputs: &mut dyn Iterator<Item = V>,
        body: &dyn Fn(&mut Case<'_, D>, V) -> Verdict,
    ) -> Verdict {
        let series = self.next_series(lane);
        if self.only.is_some_and(|only| only.series != series) {
            return Ok(());
        }
        for (index, input) in (0..).zip(inputs) {
            if self.only.is_some_and(|only| only.index != index) {
                continue;
            }
            let mut case = self.case(lane);
            match body(&mut case, input.clone()).and_then(|()| case.compared()) {
                Ok(()) => {
                    let tally = case.tally;
                    self.tally.add(lane, tally);
                }
                Err(Failure::Failed(message)) => {
                    return Err(self.describe(&self.case_id(&series, index), &message, &input, "input"));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// One case that has no input.
    ///
    /// # Errors
    /// If it does not pass, or compares nothing.
    pub fn once(&mut self, lane: Lane, body: impl Fn(&mut Case<'_, D>) -> Verdict) -> Verdict {
        self.each(lane, [()], |case, ()| body(case))
    }

    fn next_series(&mut self, lane: Lane) -> String {
        let number = &mut self.series[lane as usize];
        *number += 1;
        let name = match lane {
            Lane::Exact => "exact",
            Lane::Bounded => "bounded",
            Lane::Poison => "poison",
        };
        if *number == 1 { name.to_owned() } else { format!("{name}-{number}") }
    }

    fn case_id(&self, series: &str, index: u64) -> CaseId {
        CaseId { check: self.check.to_owned(), series: series.to_owned(), index }
    }

    fn case(&self, lane: Lane) -> Case<'_, D> {
        // Only results of class R are the same bits everywhere.
        let hashed = matches!(self.class, None | Some(Class::Reproducible));
        Case {
            device: self.device,
            origin: self.origin,
            stream: &self.stream,
            level: self.level,
            lane,
            hashed,
            tally: Tally::default(),
        }
    }

    fn describe(&self, id: &CaseId, message: &str, input: &dyn Debug, which: &str) -> Failure {
        let mut input = format!("{input:?}");
        if let Some((end, _)) = input.char_indices().nth(LONGEST_INPUT) {
            input.truncate(end);
            input.push('…');
        }
        let input = if input == "()" { String::new() } else { format!("\n{which}: {input}") };
        let info = self.device.info();
        Failure::new(format_args!(
            "case {id}: {message}{input}\nreplay: --device {} --level {} --seed {} --case {id}",
            info.id, self.level, self.seed
        ))
    }
}
