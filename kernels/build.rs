//! Lists the texts in `device/`, and compiles them for the architectures that `WARPWAVE_BUILD_ARCHS` names, as in `sm_90,gfx90a`. Tells
//! the tests whether there is a C++ compiler: without one those that need it are ignored.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwave_compile::{Arch, HostCompiler, Options, Tool, Tools};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    for variable in ["WARPWAVE_BUILD_ARCHS", "WARPWAVE_NVCC", "WARPWAVE_HIPCC", "WARPWAVE_CLANG", "WARPWAVE_CXX", "CXX"]
    {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for folder in ["device", "include"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    println!("cargo::rustc-check-cfg=cfg(cxx)");
    if HostCompiler::find().is_ok() {
        println!("cargo::rustc-cfg=cxx");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let mut texts = Vec::new();
    for entry in fs::read_dir(root.join("device"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "hip")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            texts.push((name.to_owned(), path));
        }
    }
    texts.sort();
    let archs = env::var("WARPWAVE_BUILD_ARCHS").unwrap_or_default();
    let archs: Vec<Arch> = archs
        .split([',', ' '])
        .filter(|name| !name.is_empty())
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    build(&texts, &archs, &out)?;

    let mut list = String::from("&[\n");
    for (name, path) in &texts {
        write!(list, "Text {{ name: {name:?}, text: include_str!({path:?}), images: &[")?;
        for arch in &archs {
            write!(list, "({:?}, include_bytes!({:?})), ", arch.name(), image(&out, name, arch))?;
        }
        list.push_str("] },\n");
    }
    list.push(']');
    fs::write(out.join("texts.rs"), list)?;
    Ok(())
}

fn image(out: &Path, name: &str, arch: &Arch) -> PathBuf {
    out.join(format!("{name}.{}", arch.name().replace(':', "_")))
}

/// Compiles every text for every architecture, on all processors.
fn build(texts: &[(String, PathBuf)], archs: &[Arch], out: &Path) -> Result<()> {
    if archs.is_empty() {
        return Ok(());
    }
    let tools = Tools::find();
    let compilers: Vec<(&Arch, &Tool)> =
        archs.iter().map(|arch| Ok((arch, tools.for_arch(arch)?))).collect::<Result<_>>()?;
    let jobs: Vec<_> = texts.iter().flat_map(|text| compilers.iter().map(move |compiler| (text, compiler))).collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(((name, path), (arch, tool))) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compile = || -> Result<()> {
                        let text = fs::read_to_string(path)?;
                        let compiled = tool.compile(&format!("{name}.hip"), &text, arch, &Options::default())?;
                        Ok(fs::write(image(out, name, arch), compiled.bytes)?)
                    };
                    if let Err(error) = compile() {
                        let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        failed.get_or_insert(error);
                        next.store(jobs.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
