//! What `conformance_tests!` shows of a device that does not offer everything.
//!
//! The suite's own `main` runs in another process, which is this program with a variable set: what it prints and the code
//! that it ends with are what the test looks at.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod partial;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, ExitCode, Output};

/// Set in the process that runs the suite.
const SUITE: &str = "WARPWAVE_TEST_SUITE_OF_A_PARTIAL_DEVICE";

mod suite {
    use super::partial::PartialDevice;
    use warpwave_core::Device;

    warpwave_conformance::conformance_tests!(PartialDevice::open(0), PartialDevice::open(1));

    pub(crate) fn run() -> std::process::ExitCode {
        main()
    }
}

fn suite(arguments: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap()).args(arguments).env(SUITE, "1").output().unwrap()
}

fn main() -> ExitCode {
    if std::env::var_os(SUITE).is_some() {
        return suite::run();
    }
    let test = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok::<(), Failed>(())
        })
    };
    let trials = vec![
        test("what_is_not_offered_is_ignored_with_the_reason", what_is_not_offered_is_ignored_with_the_reason),
        test("what_is_ignored_does_not_pass_when_it_is_asked_for", what_is_ignored_does_not_pass_when_it_is_asked_for),
        test("a_device_that_is_not_there_fails", a_device_that_is_not_there_fails),
        test("all_tests_are_listed_and_none_is_run", all_tests_are_listed_and_none_is_run),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The line of the test with this name.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let named = |line: &&str| line.split_whitespace().any(|word| word == name);
    text.lines().find(named).unwrap_or_else(|| panic!("no line of {name}:\n{text}"))
}

fn what_is_not_offered_is_ignored_with_the_reason() {
    let output = suite(&["elementwise.minimum", "--color", "never"]);
    let text = text(&output);
    for (name, reason) in [
        ("cpu.inline.elementwise.minimum.f32", "[not offered: minimum of f32]"),
        ("cpu.inline.elementwise.minimum.i16", "[not offered: minimum of i16]"),
        ("cpu.inline.elementwise.minimum.u16", "[not offered: minimum of u16]"),
    ] {
        let line = line(&text, name);
        assert!(line.contains(reason) && line.ends_with("ignored"), "{line}");
    }
    for name in ["cpu.inline.elementwise.minimum.f64", "cpu.inline.elementwise.minimum.i32"] {
        let line = line(&text, name);
        assert!(!line.contains("not offered") && line.ends_with("ok"), "{line}");
    }
    // minimum and minimum_number of 12 types.
    assert!(text.contains("19 passed; 0 failed; 5 ignored"), "{text}");
    assert!(output.status.success(), "{text}");
}

fn what_is_ignored_does_not_pass_when_it_is_asked_for() {
    let output = suite(&["elementwise.minimum.f32", "--ignored", "--color", "never"]);
    let text = text(&output);
    assert!(line(&text, "cpu.inline.elementwise.minimum.f32").ends_with("FAILED"), "{text}");
    assert!(text.contains("the device does not offer minimum of f32"), "{text}");
    assert!(!output.status.success(), "{text}");
}

fn a_device_that_is_not_there_fails() {
    let output = suite(&["open.", "--color", "never"]);
    let text = text(&output);
    assert!(text.contains("1 failed") && !output.status.success(), "{text}");
}

fn all_tests_are_listed_and_none_is_run() {
    let output = suite(&["--list", "--color", "never"]);
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    // The suite, and the device that could not be opened.
    assert_eq!(text.lines().filter(|line| line.ends_with(": test")).count(), warpwave_conformance::suite().len() + 1);
    assert!(line(&text, "[not").contains("cpu.inline"), "{text}");
}
