//! Lists the texts in `device/`, and compiles them for the architectures that `WARPWAVE_BUILD_ARCHS` names, as in `sm_90,gfx90a`. Tells
//! the tests whether there is a C++ compiler: without one those that need it are ignored.

use std::env;
use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use warpwave_compile::Build;

fn main() -> Result<(), Box<dyn Error>> {
    for variable in ["WARPWAVE_CXX", "CXX"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rustc-check-cfg=cfg(cxx)");
    if has_cxx() {
        println!("cargo::rustc-cfg=cxx");
    }
    println!("cargo::rerun-if-changed=device");
    let mut texts = Vec::new();
    for entry in fs::read_dir("device")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "hip") {
            texts.push(path);
        }
    }
    texts.sort();
    texts.into_iter().fold(Build::new().krate("::warpwave_core"), Build::text).run()?;
    Ok(())
}

/// Whether there is a C++ compiler where `host::Compiler` looks for one.
fn has_cxx() -> bool {
    let named =
        ["WARPWAVE_CXX", "CXX"].iter().filter_map(|name| env::var(name).ok()).find(|words| !words.trim().is_empty());
    let commands = named.map_or(vec!["c++".to_owned(), "g++".to_owned(), "clang++".to_owned()], |words| vec![words]);
    commands.iter().any(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let output = Command::new(program).args(words).arg("--version").stdin(Stdio::null()).output();
        output.is_ok_and(|output| output.status.success())
    })
}
