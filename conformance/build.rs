//! Tells the tests whether there is a C++ compiler: without one those that need it are ignored.

use warpwave_compile::HostCompiler;

fn main() {
    for variable in ["WARPWAVE_CXX", "CXX"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rustc-check-cfg=cfg(cxx)");
    if HostCompiler::find().is_ok() {
        println!("cargo::rustc-cfg=cxx");
    }
}
