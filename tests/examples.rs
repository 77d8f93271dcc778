//! Runs every example as its reader would. Each checks its own results and fails if they are wrong.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

/// An example as a program, built first: `cargo test --test examples` builds none, and those of another day may lie there.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    static BUILD: Once = Once::new();
    BUILD.call_once(|| build(profile));
    let path = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(path);
    command.env_remove("WARPWAVE_DEVICE");
    command
}

/// Builds the examples into the folder that this test was built into.
fn build(folder: &Path) {
    let profile = match folder.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "dev",
        name => name,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args([
        "build",
        // With the features that `cargo test --workspace` has, for which all is there already.
        "--workspace",
        "--examples",
        "--profile",
        profile,
        "--target-dir",
    ]);
    assert!(cargo.arg(folder.parent().unwrap()).status().unwrap().success(), "`cargo build --examples` failed");
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of this test's own, removed when it goes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The names of the files of `examples/` with a number.
fn numbered() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"))
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 6, "{names:?}");
    names
}

/// Every one of them runs, says something, and ends well.
#[test]
fn numbered_examples() {
    for name in numbered() {
        let output = example(&name).output().unwrap();
        assert!(output.status.success(), "{name}: {}\n{}", output.status, stderr(&output));
        assert!(!output.stdout.is_empty(), "{name} printed nothing");
        // Without a C++ compiler an example with a kernel of its own says so and ends, unless there has to be one.
        let required = std::env::var("WARPWAVE_REQUIRE").unwrap_or_default();
        let lacks = required.split(',').any(|name| name.trim() == "cxx") && stdout(&output).contains("no compiler");
        assert!(!lacks, "{name}: {}", stdout(&output));
    }
}

/// A reader that has gone is no error and no panic: the programs end as if all had been read.
#[test]
fn examples_whose_reader_has_gone() {
    let folder = Folder::new("gone");
    for name in numbered() {
        closed(&mut example(&name));
    }
    closed(example("digits_pca").current_dir(&folder.0));
    let svg = std::fs::read_to_string(folder.0.join("digits_pca.svg")).unwrap();
    assert!(svg.ends_with("</svg>\n"), "the picture is whole");
    closed(example("digits_pca").arg("--help"));
}

/// Runs a program whose standard output is a pipe that nobody reads.
fn closed(command: &mut Command) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{command:?}");
}

/// Output that cannot be written is an error.
#[test]
#[cfg(target_os = "linux")]
fn examples_on_a_full_disk() {
    let folder = Folder::new("full");
    for name in ["01_allocate_and_copy", "digits_pca"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = example(name).current_dir(&folder.0).stdout(full).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).lines().count()), (Some(1), 1), "{}", stderr(&output));
    }
}

/// A device that is named and not there is an error, not another device.
#[test]
fn named_device_is_not_replaced() {
    let output = example("06_choose_a_device").env("WARPWAVE_DEVICE", "no such device").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no such device"), "{}", stderr(&output));
}

/// The digits' known figures, as printed, and a picture where it was asked for.
#[test]
fn digits_pca_prints_known_figures() {
    let folder = Folder::new("figures");
    let output = example("digits_pca").current_dir(&folder.0).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for figure in ["0.148905936", "0.136187712", "0.117945938", "1202.147712"] {
        assert!(stdout(&output).contains(figure), "{figure} in\n{}", stdout(&output));
    }
    let svg = std::fs::read_to_string(folder.0.join("digits_pca.svg")).unwrap();
    assert_eq!(svg.matches("<circle").count(), 1797 + 10);
}

/// The file that is built in gives the same answer under its name, zipped and as text, and `--svg` says where the
/// picture goes.
#[test]
fn digits_pca_reads_files() {
    let folder = Folder::new("files");
    let zipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/digits.csv.gz");
    let mut text = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(std::fs::File::open(&zipped).unwrap()), &mut text).unwrap();
    let plain = folder.file("digits.csv", &text);
    let run = |file: Option<&Path>| {
        let svg = folder.0.join("here.svg");
        let output = example("digits_pca").arg("--svg").arg(&svg).args(file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::remove_file(svg).unwrap();
        stdout(&output)
    };
    let built_in = run(None);
    assert_eq!(run(Some(&zipped)), built_in);
    assert_eq!(run(Some(&plain)), built_in);
}

/// Bad data ends with 1 and says the file, the line, the column and what was expected; bad usage ends with 2. Nothing
/// panics.
#[test]
fn digits_pca_refuses() {
    let folder = Folder::new("refused");
    let zipped = include_bytes!("../examples/data/digits.csv.gz");
    let cases: [(&str, &[u8], &str); 7] = [
        ("ragged.csv", b"1,2,3\n4,5\n", "line 2, column 3: expected 3 columns"),
        ("word.csv", b"1,2,3\n4,five,6\n", "line 2, column 2: expected a finite number, got `five`"),
        ("class.csv", b"1,2,3\n4,5,60\n", "line 2, column 3: expected a digit from 0 to 9, got `60`"),
        ("empty.csv", b"", "line 1, column 1: expected at least two rows"),
        ("one-row.csv", b"1,2,3\n", "line 2, column 1: expected at least two rows"),
        ("same.csv", b"1,2,3\n1,2,3\n", "all rows are the same"),
        ("truncated.csv.gz", &zipped[..zipped.len() / 2], "expected undamaged gzip data"),
    ];
    for (name, content, message) in cases {
        let svg = folder.0.join("none.svg");
        let output = example("digits_pca").arg(folder.file(name, content)).arg("--svg").arg(&svg).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{name}: {}", stderr(&output));
        assert!(!svg.exists(), "{name}: a picture of nothing");
    }
    let missing = example("digits_pca").arg(folder.0.join("missing.csv")).output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("missing.csv"), "{}", stderr(&missing));
    for usage in [&["--svg"][..], &["--no-such-option"], &["a.csv", "b.csv"]] {
        let output = example("digits_pca").args(usage).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{usage:?}");
        assert!(stderr(&output).contains("usage: digits_pca"), "{}", stderr(&output));
    }
}
