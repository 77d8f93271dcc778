//! Faults planted in the kernels' texts: a barrier that is missing, a mask or a shuffle of half a warp, a warp taken to be 32.
//!
//! The places are read from the texts, so that a new one is tested by itself. A text is compiled once for each size of a warp, with a switch
//! at each place, and run with each switch thrown: in some order of blocks and threads the result has to have other bits, or the executor has
//! to find a fault. Where the compiler has to know the size of a warp, the text is compiled once more with 32 there.
//!
//! The default is some texts that have every kind of place; all of them take a minute or more: `cargo test --test faults -- --ignored`.
//!
//! What the prelude itself does with lanes is for the tests of the executor; of its parts for numbers none has such a place.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "faults/cases.rs"]
mod cases;
mod common;
mod samples;
#[path = "faults/sites.rs"]
mod sites;

use cases::{Case, cases};
use common::Host;
use sites::{Kind, Site, sites, with_switches};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use warpwave_kernels::launch::{Arg, Entry, Plan, Step};
use warpwave_kernels::{TEXTS, text};

/// Orders that are tried.
const SEEDS: u64 = 24;

/// A place that makes no difference when it is at fault.
struct Excuse {
    file: &'static str,
    line: &'static str,
    word: &'static str,
    nth: usize,
    /// Why it is as it is, and why the fault does no harm.
    reason: &'static str,
}

const fn excuse(
    file: &'static str,
    line: &'static str,
    word: &'static str,
    nth: usize,
    reason: &'static str,
) -> Excuse {
    Excuse { file, line, word, nth, reason }
}

const EXCUSED: &[Excuse] = &[
    excuse("arg", "if (group > WW_WARP) {", "WW_WARP", 0, "a group of one warp of 64 then joins itself with nobody"),
    excuse(
        "dot",
        "const ww_u32 warps = dot_lanes / MINE / WW_WARP;",
        "WW_WARP",
        0,
        "what is read for warps that are not there is not joined, by the number of lanes",
    ),
    excuse(
        "dot",
        "const A other = ww_shuffle_down(sum, half);",
        "ww_shuffle_down",
        1,
        "found where a warp is joined; \
        among the sums of warps, of which there are 8 at most, half a warp is enough",
    ),
    excuse("gemm", "if (WW_WARP == 64 && steps == S::depth) {", "WW_WARP", 0, "other code for the same sums"),
    excuse(
        "iamax",
        "if (thread % WW_WARP == 0) shared[thread / WW_WARP] = best;",
        "WW_WARP",
        0,
        "all lanes of a warp have its best",
    ),
    excuse(
        "iamax",
        "if (thread < WW_WARP) {",
        "WW_WARP",
        0,
        "thread 0 needs as many lanes as there are warps, 8 at most",
    ),
    excuse(
        "iamax",
        "WW_UNROLL for (ww_u32 half = 1; half < warps; half *= 2) best = iamax_better(best, ww_shuffle_xor(best, half));",
        "ww_shuffle_xor",
        0,
        "among the bests of warps, of which there are 8 at most, half a warp is enough",
    ),
    excuse(
        "iamax",
        "WW_SHARED(iamax_of<T>, shared, 256 / WW_WARP);",
        "WW_WARP",
        0,
        "an array that is larger than it has to be",
    ),
    excuse(
        "normalize",
        "if (group <= WW_WARP) return ww_shuffle(value, lane & ~(group - 1));",
        "WW_WARP",
        0,
        "a group of one warp of 64 then joins itself with nobody",
    ),
    excuse(
        "normalize",
        "const R other = ww_shuffle_down(value, d);",
        "ww_shuffle_down",
        1,
        "found where a warp is joined; \
        among the results of warps, of which there are 8 at most, half a warp is enough",
    ),
    excuse("normalize", "ww_warp_barrier();", "ww_warp_barrier", 0, "keeps the compiler from loading too much at once"),
    excuse("reduce", "if (group > WW_WARP) {", "WW_WARP", 0, "a group of one warp of 64 then joins itself with nobody"),
    excuse(
        "reduce",
        "const A other = ww_shuffle_down(value, d);",
        "ww_shuffle_down",
        1,
        "found where a warp is joined; \
        among the sums of warps, of which there are 8 at most, half a warp is enough",
    ),
    excuse("scan", "const A total = ww_shuffle(groups, first_lane + GROUPS - 1);", "ww_shuffle", 0, "within 8 lanes"),
    excuse(
        "scan",
        "const A before_group = ww_shuffle(groups, first_lane + (group == 0 ? 0 : group - 1));",
        "ww_shuffle",
        0,
        "within 8 lanes",
    ),
    excuse(
        "sort",
        "ww_u16 counts[threads_of<U, V> / WW_WARP][BINS];",
        "WW_WARP",
        0,
        "an array that is larger than it has to be",
    ),
    excuse(
        "sort",
        "ww_u64 base[BINS], wide[threads_of<U, V> / WW_WARP];",
        "WW_WARP",
        0,
        "an array that is larger than it has to be",
    ),
    excuse(
        "sort",
        "ww_u32 narrow[threads_of<U, V> / WW_WARP], tile;",
        "WW_WARP",
        0,
        "an array that is larger than it has to be",
    ),
    excuse(
        "iamax",
        "WW_SHARED(iamax_of<T>, shared, 256 / WW_WARP);",
        "WW_WARP",
        1,
        "an array that is larger than it has to be",
    ),
    excuse(
        "sort",
        "ww_warp_barrier();",
        "ww_warp_barrier",
        1,
        "the ballots that follow bring the lanes together here; on a GPU that does not say what of memory they see",
    ),
];

/// The cases of a text with what comes of them.
struct Expected {
    warp: u32,
    results: Vec<(Case, Vec<u8>)>,
}

/// What a text has shown.
#[derive(Default)]
struct Tally {
    caught: usize,
    survived: Vec<String>,
    excused: Vec<usize>,
}

fn text_of(name: &str) -> &'static str {
    text(name).unwrap_or_else(|| panic!("no text {name}")).text
}

/// The names of the files in `device/`, without `.hip`.
fn files() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().map(|text| text.name.strip_suffix(".hip").unwrap())
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A device with every text that has places of its kind, with switches.
fn host(warp: u32) -> Host {
    files().fold(Host::new(warp).checked(true), |host, file| {
        host.with_text(file, leak(with_switches(text_of(file), file, None)))
    })
}

/// Throws the switch of a place in a text; 0 is none.
fn choose(host: &Host, file: &'static str, number: usize) {
    let step = Step::new(Entry::plain(file, "ww_fault_choose"), 1, 1, vec![Arg::U32(number as u32)]);
    host.run(&Plan::one(step), 0).unwrap();
}

/// Whether some order of some case shows that something is at fault.
fn is_caught(host: &Host, expected: &Expected) -> bool {
    assert_eq!(host.warp, expected.warp);
    (0..SEEDS).any(|seed| {
        expected.results.iter().any(|(case, expected)| case(host, seed).ok().is_none_or(|got| got != *expected))
    })
}

fn look_at(file: &'static str) -> Tally {
    let (text, cases) = (text_of(file), cases(file));
    let sites = sites(text);
    let mut tally = Tally::default();
    if sites.is_empty() {
        return tally;
    }
    assert!(!cases.is_empty(), "{file}.hip has barriers or shuffles, and no case here");
    let hosts = [32, 64].map(host);
    // Without a fault every order gives the same, at both sizes.
    let expected = hosts.each_ref().map(|host| {
        choose(host, file, 0);
        let results = cases.iter().map(|&case| (case, case(host, 1).unwrap())).collect();
        Expected { warp: host.warp, results }
    });
    for ((case, small), (_, large)) in expected[0].results.iter().zip(&expected[1].results) {
        assert!(small == large, "{file}.hip: warps of 32 and 64 differ");
        assert!(
            (2..4).all(|seed| case(&hosts[0], seed).unwrap() == *small && case(&hosts[1], seed).unwrap() == *small)
        );
    }
    for (i, site) in sites.iter().enumerate() {
        let number = i + 1;
        let caught = match site.kind {
            Kind::Constant => {
                let text = leak(with_switches(text, file, Some(number)));
                is_caught(&hosts[1].clone().with_text(file, text), &expected[1])
            }
            kind => hosts.iter().zip(&expected).filter(|(host, _)| kind != Kind::Warp || host.warp == 64).any(
                |(host, expected)| {
                    choose(host, file, number);
                    let caught = is_caught(host, expected);
                    choose(host, file, 0);
                    caught
                },
            ),
        };
        let Site { kind, word, line, text, nth, .. } = site;
        let excuse = EXCUSED.iter().position(|excuse| {
            (excuse.file, excuse.line, excuse.word, excuse.nth) == (file, text.as_str(), *word, *nth)
        });
        match (caught, excuse) {
            (true, None) => tally.caught += 1,
            (false, Some(excuse)) => tally.excused.push(excuse),
            (false, None) => tally.survived.push(format!("{file}.hip:{line}: {kind:?} {word}: {text}")),
            (true, Some(_)) => tally.survived.push(format!("{file}.hip:{line}: {word} is excused and found: {text}")),
        }
    }
    tally
}

/// Looks at texts; fails with all that was not found.
fn look_at_all(files: impl Iterator<Item = &'static str>) {
    // A module's switch is one for all tests of this process.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut survived = Vec::new();
    let mut lines = BTreeMap::new();
    for file in files {
        let start = Instant::now();
        let tally = look_at(file);
        let found = (tally.caught, tally.excused.len(), tally.survived.len());
        if found != (0, 0, 0) {
            lines.insert(file, (found, start.elapsed()));
        }
        survived.extend(tally.survived);
    }
    for (file, ((caught, excused, survived), time)) in &lines {
        println!("{file}: {caught} found, {excused} excused, {survived} not found, {:.1} s", time.as_secs_f64());
    }
    assert!(survived.is_empty(), "{} faults are not found:\n{}", survived.len(), survived.join("\n"));
}

/// Texts that have every kind of place.
const SOME: [&str; 5] = ["histogram", "dot", "compact", "arg", "trsv"];

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn planted_faults_are_found_in_some_texts() {
    let kinds: Vec<Kind> = SOME.iter().flat_map(|file| sites(text_of(file))).map(|site| site.kind).collect();
    for kind in [Kind::Barrier, Kind::Shuffle, Kind::Mask, Kind::Warp, Kind::Constant] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
    look_at_all(SOME.into_iter());
}

#[test]
#[ignore = "takes minutes; run with --ignored"]
fn planted_faults_are_found_in_every_text() {
    // One text after the other, for whoever looks for what has changed.
    let only = std::env::var("WARPWAVE_TEST_TEXT").ok();
    look_at_all(files().filter(|name| only.as_deref().is_none_or(|only| only == *name)));
}

/// The parts of the prelude that texts share have no such place: one there would be looked at by nobody.
#[test]
fn the_prelude_of_numbers_has_no_place() {
    for (name, text) in warpwave_kernels::prelude::PRELUDE.iter().filter(|(name, _)| *name != "warpwave.h") {
        let found: Vec<String> =
            sites(text).iter().map(|site| format!("{name}:{}: {}", site.line, site.text)).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// An excuse is for a line that is there.
#[test]
fn excuses_are_for_lines_that_are_there() {
    for Excuse { file, line, word, nth, reason } in EXCUSED {
        let there = sites(text_of(file)).iter().any(|site| (&*site.text, site.word, site.nth) == (*line, *word, *nth));
        assert!(there && !reason.is_empty(), "{file}.hip: {word}: {line}");
    }
}
