//! What happens with a driver that is missing, broken, too old or does not start: a typed error, and nothing else. The drivers are libraries
//! that the tests build; a child process looks for them, so that whatever a library does to it is seen.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use warpwave_core::{Device, ErrorKind, Result};
use warpwave_cuda::CudaDevice;

/// The variable that has a child look at the driver.
const CHILD: &str = "WARPWAVE_TEST_CHILD";

/// A folder with a library in it, which goes when this does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("warpwave-cuda-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn library(&self) -> PathBuf {
        self.0.join("libcuda.so.1")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The functions that the backend needs of the driver: those in its list, read from its source.
fn functions() -> Vec<String> {
    let text = include_str!("../src/driver.rs");
    let list = &text[text.find("required {").unwrap()..text.find("/// What helps without").unwrap()];
    list.lines().filter_map(|line| Some(line.trim().strip_prefix("fn ")?.split('(').next()?.to_owned())).collect()
}

/// A driver in which every function does nothing and returns 0, but for what `special` defines; without the function of a name.
fn driver(folder: &Folder, special: &str, without: Option<&str>) {
    let defined = |name: &str| special.contains(&format!(" {name}("));
    let plain = functions().into_iter().filter(|name| without != Some(name) && !defined(name));
    let mut text: String = plain.map(|name| format!("int {name}() {{ return 0; }}\n")).collect();
    text += special;
    let source = folder.0.join("cuda.c");
    std::fs::write(&source, text).unwrap();
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-Wl,-soname,libcuda.so.1", "-o"])
        .args([folder.library(), source])
        .status();
    assert!(status.unwrap().success());
}

/// A driver whose `cuInit` returns a number.
fn starting_with(status: u32) -> String {
    format!(
        "int cuInit(unsigned f) {{ return {status}; }}
         int cuDriverGetVersion(int* v) {{ *v = 13000; return 0; }}
         int cuGetErrorName(int e, const char** n) {{ *n = \"CUDA_ERROR_SOME\"; return 0; }}
         int cuDeviceGetCount(int* n) {{ return {}; }}\n",
        if status == 0 { 0 } else { 3 }
    )
}

/// What a child says of the driver in a folder: of the list of devices, and of device 0.
fn said(folder: &Path) -> [String; 2] {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, "1")
        .env("WARPWAVE_CUDA_LIBRARY_PATH", folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = |name: &str| text.lines().find_map(|line| Some(line.split_once(name)?.1.to_owned())).unwrap();
    [line("enumerate: "), line("open: ")]
}

/// Not a test by itself: what the others have run in a process of its own.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    fn kind<T>(result: Result<T>, good: impl Fn(T) -> String) -> String {
        match result {
            Ok(value) => good(value),
            Err(error) => match error.kind() {
                ErrorKind::Unavailable { library, tried, remedy } => {
                    format!("Unavailable {library} {tried:?} {remedy}")
                }
                ErrorKind::NoDevice { device, remedy } => format!("NoDevice {device} {remedy}"),
                other => format!("other: {other:?}"),
            }
            .replace('\n', " "),
        }
    }
    // Twice: the first failure leaves nothing behind.
    for _ in 0..2 {
        let devices = CudaDevice::enumerate();
        println!("enumerate: {}", kind(devices, |devices| format!("{} devices", devices.len())));
        println!("open: {}", kind(CudaDevice::open(0), |device| format!("{device:?}")));
    }
}

fn assert_unavailable(said: &[String; 2], parts: &[&str]) {
    for said in said {
        assert!(said.starts_with("Unavailable the CUDA driver"), "{said}");
        for part in parts {
            assert!(said.contains(part), "{said} has no {part}");
        }
    }
}

#[test]
fn without_a_driver() {
    let folder = Folder::new("none");
    let path = folder.library().display().to_string();
    assert_unavailable(
        &said(&folder.0),
        &[&path, "libcuda.so", "install NVIDIA's driver", "WARPWAVE_CUDA_LIBRARY_PATH"],
    );
}

#[test]
fn with_an_empty_file() {
    let folder = Folder::new("empty");
    std::fs::write(folder.library(), "").unwrap();
    assert_unavailable(&said(&folder.0), &["libcuda.so.1: file too short"]);
}

/// Each function, wherever it is in the list.
#[test]
fn without_a_function() {
    let names = functions();
    assert!(names.len() > 50, "{names:?}");
    for name in &names {
        let folder = Folder::new(&format!("lacks-{name}"));
        let special = starting_with(0);
        // A function that has something to do is left out of that too.
        let special: String = special
            .lines()
            .filter(|line| !line.contains(&format!(" {name}(")))
            .map(|line| format!("{line}\n"))
            .collect();
        driver(&folder, &special, Some(name));
        assert_unavailable(&said(&folder.0), &[&format!("libcuda.so.1 has no {name}")]);
    }
}

#[test]
fn with_a_driver_that_does_not_start() {
    for status in [3, 101, 803, 999, 4242] {
        let folder = Folder::new(&format!("status-{status}"));
        driver(&folder, &starting_with(status), None);
        assert_unavailable(&said(&folder.0), &[&format!("cuInit returned CUDA_ERROR_SOME ({status})")]);
    }
}

#[test]
fn without_a_device() {
    for (name, special) in [
        // `cuInit` says so, and what is asked after that says it has not been started.
        ("init", starting_with(100)),
        ("count", starting_with(0)),
    ] {
        let folder = Folder::new(&format!("no-device-{name}"));
        driver(&folder, &special, None);
        let [devices, opened] = said(&folder.0);
        assert_eq!(devices, "0 devices", "{name}");
        assert!(opened.starts_with("NoDevice cuda:0") && opened.contains("finds no GPU"), "{name}: {opened}");
    }
}

#[test]
fn with_an_old_driver() {
    let folder = Folder::new("old");
    driver(&folder, &starting_with(0).replace("13000", "11080"), None);
    assert_unavailable(&said(&folder.0), &["CUDA 11.8", "CUDA 12.0 or later"]);
}
