//! The command as its users meet it: exit codes, errors of one line, pipes that close, files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{FEW, finished, folder, run, warpwave};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn all_pass_is_0_and_both_modes_are_shown() {
    let (code, out, err) = run(&["conformance", "--filter", FEW]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("cpu (inline)") && out.contains("cpu (async)"), "{out}");
    assert_eq!(out.matches("runtime.memory.fill.bf16").count(), 2, "{out}");
    assert!(out.contains("30 passed, 0 failed, 0 unsupported, 0 skipped"), "{out}");
    assert!(out.contains("not run: cuda") && out.contains("not run: hip"), "{out}");
    assert!(out.contains("level smoke, seed 1\n"), "{out}");
}

#[test]
fn one_named_device_runs_alone() {
    let (code, out, _) = run(&["conformance", "--device", "cpu", "--filter", FEW]);
    assert_eq!(code, 0);
    assert!(!out.contains("not run"), "{out}");
}

#[test]
fn nothing_to_run_is_1_and_says_so() {
    for arguments in [["--filter", "no-such-check"], ["--case", "no.such.check/exact/0"]] {
        let (code, _, err) = run(&[&["conformance"], &arguments[..]].concat());
        assert_eq!(code, 1);
        assert!(err.contains("no check ran") && err.contains(arguments[1]), "{err}");
    }
}

#[test]
fn a_case_that_does_not_exist_is_1() {
    let (code, out, _) = run(&["conformance", "--case", "runtime.copy.odd/poison-7/0"]);
    assert_eq!(code, 1);
    assert!(out.contains("there is no case runtime.copy.odd/poison-7/0 at the level smoke"), "{out}");
}

#[test]
fn one_case_is_run_alone() {
    let (code, out, _) = run(&["conformance", "--seed", "77", "--case", "runtime.copy.odd/poison/13"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("2 passed") && out.contains("; 2 cases;"), "{out}");
}

#[test]
fn what_cannot_be_run_is_2_with_one_line() {
    let folder = folder("unwritable");
    let nowhere = folder.join("no/such/folder/report.json");
    let refused: &[(&[&str], &str)] = &[
        (&["conformance", "--device", "cuda:0"], "cuda backend is not compiled in"),
        (&["conformance", "--device", "hip:3"], "hip backend is not compiled in"),
        (&["conformance", "--device", "gpu"], "`gpu`"),
        (&["conformance", "--device", ""], "device"),
        (&["conformance", "--level", "quick"], "quick"),
        (&["conformance", "--filter", "("], "unclosed group"),
        (&["conformance", "--filter", ""], "not empty"),
        (
            &["conformance", "--filter", "x", "--case", "blas.axpy.f32/exact/17"],
            "--filter <RE>' cannot be used with '--case <ID>",
        ),
        (&["conformance", "--seed", "x"], "x"),
        (&["conformance", "--seed", "-1"], "-1"),
        (&["conformance", "--case", "axpy"], "blas.axpy.f32/exact/17"),
        (&["conformance", "--html", "x"], "--html"),
        (&["conformance", "--json", nowhere.to_str().unwrap()], "cannot write"),
        (&["conformance", "--json", folder.to_str().unwrap()], "directory"),
        (&["conformance", "--json", ""], "--json"),
        (&["conformance", "--json", "no-such-folder/"], "not the name of a file"),
        (&["conformance", "--json", "no-such-folder/."], "not the name of a file"),
        (&["conformance", "--json", ".."], "not the name of a file"),
        (&["conformance", "extra"], "extra"),
        (&["frobnicate"], "frobnicate"),
        (&["help", "frobnicate"], "frobnicate"),
        (&[], "no command"),
    ];
    for (arguments, expected) in refused {
        let (code, out, err) = run(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{arguments:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn a_required_backend_that_is_not_there_fails() {
    let with = |require: &str, arguments: &[&str]| {
        let mut command = warpwave(&[&["conformance", "--filter", FEW], arguments].concat());
        finished(command.env("WARPWAVE_REQUIRE", require).output().unwrap())
    };
    let (code, _, err) = with("cpu,cuda", &[]);
    assert_eq!(code, 1);
    assert!(err.contains("cuda") && !err.contains("cpu"), "{err}");
    assert_eq!(with(" cpu,", &[]).0, 0);
    // Whoever asks for one device does not ask for the others.
    assert_eq!(with("cuda", &["--device", "cpu"]).0, 0);
    // A tool is what tests need, not the suite.
    assert_eq!(with("cpu,nvcc", &[]).0, 0);
    // A mistyped name would require nothing and nobody would notice.
    for unknown in ["cdua", "cpu,ncvv"] {
        let (code, out, err) = with(unknown, &[]);
        assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
        assert!(err.contains(&unknown[unknown.len() - 4..]) && err.contains("are cpu, cuda, hip"), "{err}");
    }
}

#[test]
fn a_reader_that_stops_is_no_error() {
    for arguments in [&["conformance", "--filter", FEW][..], &["info"], &["help"], &["--help"], &["help", "env"]] {
        let mut child = warpwave(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        if arguments[0] == "conformance" {
            // One line is read, then the pipe closes; elsewhere it closes before anything is written.
            reader.read_line(&mut String::new()).unwrap();
        }
        drop(reader);
        let (code, _, err) = finished(child.wait_with_output().unwrap());
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
    }
}

/// A run that comes to nothing ends 1, whether or not somebody reads what it prints.
#[test]
fn a_reader_that_stops_does_not_hide_a_failure() {
    let run = |filter: &str, required: &str| {
        let mut command = warpwave(&["conformance", "--filter", filter]);
        let mut child =
            command.env("WARPWAVE_REQUIRE", required).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        finished(child.wait_with_output().unwrap()).0
    };
    assert_eq!(run(FEW, ""), 0);
    assert_eq!(run(FEW, "cuda"), 1);
    assert_eq!(run("nothing-matches", ""), 1);
}

/// The report without what differs from run to run.
fn report(name: &str, arguments: &[&str]) -> String {
    let path = folder(name).join("report.json");
    let all = [&["conformance", "--filter", FEW, "--json", path.to_str().unwrap()], arguments].concat();
    let (code, out, err) = run(&all);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let text = fs::read_to_string(&path).unwrap();
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    let (report, timing) = text.split_once("\n  \"timing\": ").expect("a report ends with its timing");
    assert!(timing.contains("\"total\""), "{timing}");
    report.to_owned()
}

#[test]
fn a_report_depends_on_the_seed_alone() {
    let first = report("first", &[]);
    assert_eq!(first, report("second", &[]));
    assert_eq!(first, report("third", &["--seed", "1"]));
    let other = report("other", &["--seed", "2"]);
    let hashes = |report: &str| {
        let lines = report.lines().filter(|line| line.contains("\"output_hash\": \""));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(hashes(&first).len(), 30);
    for (a, b) in hashes(&first).iter().zip(hashes(&other)) {
        assert_ne!(*a, b);
    }
    // Both modes give the same bits.
    let hashes = hashes(&first);
    assert_eq!(hashes[..15], hashes[15..]);
}

#[test]
fn a_report_has_the_documented_fields_and_replaces_the_file() {
    let folder = folder("fields");
    let path = folder.join("report.json");
    fs::write(&path, "old").unwrap();
    let arguments = ["conformance", "--seed", "9", "--filter", FEW, "--json", path.to_str().unwrap()];
    assert_eq!(run(&arguments).0, 0);
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut top = keys(&report);
    top.sort();
    let mut documented =
        ["schema", "tool", "version", "features", "seed", "level", "filter", "host", "runs", "not_run", "timing"];
    documented.sort_unstable();
    assert_eq!(top, documented);
    assert_eq!((report["schema"].as_u64(), report["tool"].as_str()), (Some(1), Some("warpwave")));
    assert_eq!(
        (report["seed"].as_u64(), report["level"].as_str(), report["filter"].as_str()),
        (Some(9), Some("smoke"), Some(FEW))
    );
    let runs = report["runs"].as_array().unwrap();
    let modes: Vec<_> = runs.iter().map(|run| run["device"]["mode"].as_str().unwrap()).collect();
    assert_eq!(modes, ["inline", "async"]);
    for run in runs {
        let summary = &run["summary"];
        assert_eq!((summary["passed"].as_u64(), summary["failed"].as_u64()), (Some(15), Some(0)));
        let cases: u64 = run["checks"].as_array().unwrap().iter().map(|check| check["cases"].as_u64().unwrap()).sum();
        assert_eq!(summary["cases"].as_u64(), Some(cases));
        let check = &run["checks"][0];
        assert_eq!(check["id"], "runtime.memory.fill.f32");
        assert_eq!((check["type"].as_str(), check["outcome"].as_str()), (Some("f32"), Some("pass")));
        for field in ["class", "reason", "cases", "elements", "worst", "ulp", "bound", "output_hash", "detail"] {
            assert!(check.get(field).is_some(), "{field}");
        }
    }
    assert_eq!(report["not_run"][0]["device"], "cuda");
}

#[test]
fn info_describes_the_cpu() {
    let (code, out, err) = run(&["info"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("cpu: ") && out.contains(std::env::consts::ARCH), "{out}");
    assert!(out.contains("inline, async") && out.contains("not there: the cuda backend"), "{out}");
    let (code, out, _) = run(&["info", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(info["devices"][0]["id"], "cpu");
    assert!(info["devices"][0]["units"].as_u64().unwrap() >= 1);
    assert_eq!(info["absent"].as_array().unwrap().len(), 2);
}

#[test]
fn help_is_there_and_fits_the_terminal() {
    let (code, env, _) = run(&["help", "env"]);
    assert_eq!(code, 0);
    for name in ["WARPWAVE_DEVICE", "WARPWAVE_REQUIRE", "WARPWAVE_NVCC", "RAYON_NUM_THREADS"] {
        assert!(env.contains(name), "{env}");
    }
    let (code, help, _) = run(&["help"]);
    assert_eq!((code, help.as_str()), (0, run(&["--help"]).1.as_str()));
    let (code, conformance, _) = run(&["help", "conformance"]);
    assert_eq!(code, 0);
    assert!(conformance.contains("--seed") && conformance.contains("warpwave conformance"), "{conformance}");
    let (_, table, _) = run(&["conformance", "--filter", FEW]);
    for text in [env, help, table] {
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{longest:?}: {text}");
    }
    assert_eq!(run(&["--version"]).1.trim(), format!("warpwave {}", env!("CARGO_PKG_VERSION")));
}
