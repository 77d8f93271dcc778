//! Where `--json` writes: files keep what belongs to them, pipes and devices are written as they are, and a run that is stopped has
//! destroyed nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{FEW, finished, folder, run, warpwave};
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Runs few checks with `--json path`, and expects that all is well.
fn write_to(path: &Path) {
    let (code, out, err) = run(&["conformance", "--filter", FEW, "--json", path.to_str().unwrap()]);
    assert_eq!((code, err.as_str()), (0, ""), "{}: {out}", path.display());
}

fn assert_report(text: &str) {
    let report: serde_json::Value = serde_json::from_str(text).expect("the report is whole");
    assert_eq!(report["tool"], "warpwave");
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The pipe is opened once: a second opening would wait for a reader that has already seen the end.
#[test]
fn a_named_pipe_gets_the_report() {
    let folder = folder("pipe");
    let path = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let arguments = ["conformance", "--filter", FEW, "--json", path.to_str().unwrap()];
    let mut child = warpwave(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, receiver) = mpsc::channel();
    let reader = path.clone();
    let waiter = thread::spawn(move || sender.send(fs::read_to_string(reader).unwrap()).unwrap());
    let text = receiver.recv_timeout(Duration::from_secs(120));
    if text.is_err() {
        child.kill().unwrap();
    }
    assert_report(&text.expect("the report came within two minutes"));
    waiter.join().unwrap();
    // A second opening would be stuck here, without a reader.
    for _ in 0..1200 {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    assert_eq!(finished(child.wait_with_output().unwrap()), (0, String::new(), String::new()));
    assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    assert_eq!(names(&folder), ["pipe"]);
}

#[test]
fn a_device_is_written_and_stays_one() {
    write_to(Path::new("/dev/null"));
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn a_file_keeps_its_permissions() {
    let folder = folder("permissions");
    let path = folder.join("report.json");
    for mode in [0o600, 0o664, 0o777] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        write_to(&path);
        assert_report(&fs::read_to_string(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode, "{mode:o}");
        assert_eq!(names(&folder), ["report.json"]);
    }
}

/// A link stays one, and its end is written: one that is there, also through a second link, and one that is not there yet.
#[test]
fn a_link_is_followed() {
    let folder = folder("link");
    let (target, link) = (folder.join("target.json"), folder.join("link.json"));
    fs::write(&target, "old, and longer than nothing").unwrap();
    symlink("target.json", folder.join("middle.json")).unwrap();
    symlink("middle.json", &link).unwrap();
    write_to(&link);
    assert_report(&fs::read_to_string(&target).unwrap());

    let dangling = folder.join("dangling.json");
    symlink("made.json", &dangling).unwrap();
    write_to(&dangling);
    assert_report(&fs::read_to_string(folder.join("made.json")).unwrap());

    for link in [link, dangling] {
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{}", link.display());
    }
    assert_eq!(names(&folder), ["dangling.json", "link.json", "made.json", "middle.json", "target.json"]);
}

/// A file with two names has one content, under both.
#[test]
fn a_second_name_stays_a_name_of_the_same_file() {
    let folder = folder("names");
    let (first, second) = (folder.join("first.json"), folder.join("second.json"));
    fs::write(&first, "x".repeat(1 << 20)).unwrap();
    fs::hard_link(&first, &second).unwrap();
    write_to(&first);
    assert_report(&fs::read_to_string(&second).unwrap());
    assert_eq!(fs::metadata(&first).unwrap().ino(), fs::metadata(&second).unwrap().ino());
}

/// Nothing is truncated before there is something to write.
#[test]
fn a_run_that_is_stopped_leaves_what_was_there() {
    let folder = folder("stopped");
    let (file, link) = (folder.join("file.json"), folder.join("link.json"));
    fs::write(&file, "old").unwrap();
    symlink("file.json", &link).unwrap();
    for path in [&file, &link] {
        let arguments = ["conformance", "--level", "full", "--json", path.to_str().unwrap()];
        let mut child = warpwave(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().unwrap().is_none(), "a full run takes minutes");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{}", path.display());
        assert_eq!(names(&folder), ["file.json", "link.json"]);
    }
}

/// The table and the report would overwrite each other.
#[test]
fn a_file_that_has_the_output_is_refused() {
    let folder = folder("both");
    let file = folder.join("out.txt");
    let link = folder.join("link.json");
    symlink("out.txt", &link).unwrap();
    let itself = file.to_str().unwrap();
    for (json, stream) in
        [("/dev/stdout", "output"), (itself, "output"), (link.to_str().unwrap(), "output"), ("/dev/stderr", "error")]
    {
        let open = || fs::OpenOptions::new().create(true).append(true).open(&file).unwrap();
        let mut command = warpwave(&["conformance", "--filter", FEW, "--json", json]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if stream == "output" {
            command.stdout(open())
        } else {
            command.stderr(open())
        };
        let (code, out, mut err) = finished(command.output().unwrap());
        if stream == "error" {
            err = fs::read_to_string(&file).unwrap();
        }
        assert_eq!((code, out.as_str()), (2, ""), "{json}");
        assert!(err.contains(&format!("standard {stream} goes to the same file")), "{json}: {err}");
    }
    // A pipe takes one after the other.
    let (code, out, err) = run(&["conformance", "--filter", FEW, "--json", "/dev/stdout"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (report, table) = out.split_once("\n}\n").unwrap();
    assert_report(&format!("{report}\n}}"));
    assert!(table.contains("30 passed"), "{table}");
}

/// As long as names can be; and one that is longer is refused before anything runs.
#[test]
fn a_long_name_is_a_name() {
    let folder = folder("long");
    let path = folder.join("x".repeat(250) + ".json");
    for _ in 0..2 {
        write_to(&path);
        assert_report(&fs::read_to_string(&path).unwrap());
    }
    assert_eq!(names(&folder), ["x".repeat(250) + ".json"]);
    let longer = folder.join("x".repeat(256));
    let (code, out, err) = run(&["conformance", "--filter", FEW, "--json", longer.to_str().unwrap()]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("cannot write"), "{err}");
}
