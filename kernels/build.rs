//! Lists the texts in `device/`, and compiles them for the architectures that `WARPWAVE_BUILD_ARCHS` names, as in `sm_90,gfx90a`. Tells
//! the tests whether there is a C++ compiler: without one those that need it are ignored.

use std::error::Error;
use std::fs;
use warpwave_compile::{Build, HostCompiler};

fn main() -> Result<(), Box<dyn Error>> {
    for variable in ["WARPWAVE_CXX", "CXX"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rustc-check-cfg=cfg(cxx)");
    if HostCompiler::find().is_ok() {
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
