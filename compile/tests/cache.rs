//! The cache between processes.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use warpwave_compile::{Cache, Key};

/// Set in the processes that this test starts: the folder that they share.
const FOLDER: &str = "WARPWAVE_TEST_CACHE_FOLDER";
const TEXTS: u32 = 5;

fn key(text: u32) -> Key {
    Key::new(&text.to_string(), "sm_90", "nvcc 13")
}

fn image(text: u32) -> Vec<u8> {
    text.to_string().repeat(200_000).into_bytes()
}

/// Processes that put and get the same entries at once, one of which damages them meanwhile, get whole images or none.
#[test]
fn processes_share_a_folder() {
    if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
        let cache = Cache::in_folder(&folder);
        for round in 0..40 {
            let text = round % TEXTS;
            if let Some(found) = cache.get(&key(text)) {
                assert!(found == image(text), "an image that is not whole");
            }
            cache.put(&key(text), &image(text)).unwrap();
            let made = cache.get_or(&key(text), || Ok::<_, ()>(image(text)));
            assert!(made == Ok(image(text)));
            if round % 8 == 7 {
                // Whatever is there is cut short.
                for entry in fs::read_dir(&folder).unwrap().flatten() {
                    let _ = fs::OpenOptions::new().write(true).open(entry.path()).and_then(|file| file.set_len(1000));
                }
            }
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("warpwave-test-cache-{}", std::process::id()));
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["processes_share_a_folder", "--exact"])
                .env(FOLDER, &folder)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    // Parts that were being written are gone, unless one was cut short under its writer's hands, which does not notice.
    let left = fs::read_dir(&folder).unwrap().count();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(left, TEXTS as usize);
}
