//! The host's C++ compiler.

use super::text::{communicates, waits};
use crate::prelude::{HOST, PRELUDE};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use warpwave_core::{Error, ErrorKind, KernelSource, Result};

/// The variable that names the compiler.
pub const COMPILER_VARIABLE: &str = "WARPWAVE_CXX";

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Lanes of a warp: 32 or 64.
    pub warp: u32,
    /// Whether accesses to memory are looked at, and threads can be run in any order.
    pub check: bool,
}

/// A host compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program, and arguments that come first.
    command: Vec<String>,
    is_clang: bool,
    /// The first line that it says of itself.
    version: String,
}

impl Compiler {
    /// The compiler that `WARPWAVE_CXX` names, else that of `CXX`, else `c++`, `g++` or `clang++`.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) with what was tried.
    pub fn find() -> Result<Self> {
        Self::find_with(|name| std::env::var(name).ok())
    }

    /// As [`find`](Self::find), with another environment.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn find_with(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let named = [COMPILER_VARIABLE, "CXX"].into_iter().find_map(|name| {
            let words: Vec<_> = variable(name)?.split_whitespace().map(str::to_owned).collect();
            (!words.is_empty()).then_some((name, words))
        });
        let mut tried = Vec::new();
        match named {
            // A compiler that was asked for is not replaced by another.
            Some((name, words)) => match Self::ask(words.clone()) {
                Ok(compiler) => return Ok(compiler),
                Err(found) => tried.push(format!("{name}={}: {found}", words.join(" "))),
            },
            None => {
                for name in ["c++", "g++", "clang++"] {
                    match Self::ask(vec![name.to_owned()]) {
                        Ok(compiler) => return Ok(compiler),
                        Err(found) => tried.push(format!("{name}: {found}")),
                    }
                }
            }
        }
        Err(ErrorKind::Unavailable {
            library: "a host C++ compiler".into(),
            tried,
            remedy: format!("install g++ or clang++, or name one in {COMPILER_VARIABLE}"),
        }
        .into())
    }

    fn ask(command: Vec<String>) -> Result<Self, String> {
        let output = Command::new(&command[0])
            .args(&command[1..])
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("`--version` ended with {}", output.status));
        }
        let version = text.lines().next().unwrap_or_default().to_owned();
        Ok(Compiler { command, is_clang: text.contains("clang"), version })
    }

    /// What decides, beside the text, what comes of compiling it: a key for a cache.
    pub fn key(&self, options: Options) -> String {
        format!("{} {} {:?} {:?}", self.command.join(" "), self.version, options, self.flags(options, true))
    }

    fn flags(&self, options: Options, plain: bool) -> Vec<OsString> {
        let mut flags = "-std=c++17 -fPIC -shared -fvisibility=hidden -ffp-contract=off -fno-math-errno \
                         -fno-strict-aliasing -fno-exceptions -fno-rtti -w -Wl,-z,defs -Wl,-Bsymbolic"
            .split_whitespace()
            .map(OsString::from)
            .collect::<Vec<_>>();
        let mut add = |text: &str| flags.extend(text.split_whitespace().map(OsString::from));
        if !self.is_clang {
            // What is the same in two modules is not to be shared by them.
            add("-fno-gnu-unique");
            if cfg!(target_arch = "x86_64") {
                // Where the running thread is comes without a call.
                add("-mtls-dialect=gnu2");
            }
        }
        for flag in processor() {
            add(flag);
        }
        // A checked kernel waits for its checks whatever the compiler makes of it, and g++ takes five times as long to make more of it.
        add(if options.check { "-Og" } else { "-O2 -ftree-vectorize" });
        if !options.check && !self.is_clang {
            add("-fvect-cost-model=dynamic");
        }
        if options.check {
            add("-fsanitize=kernel-address");
            let prefix = if self.is_clang { "-mllvm -asan" } else { "--param asan" };
            for (name, value) in [("instrumentation-with-call-threshold", 0), ("stack", 0), ("globals", 0)] {
                add(&format!("{prefix}-{name}={value}"));
            }
        } else if plain {
            add("-DWW_HOST_PLAIN");
        }
        flags
    }

    /// Compiles a text to a shared object at `out`.
    ///
    /// # Errors
    /// [`Compile`](ErrorKind::Compile) with what the compiler says.
    pub fn compile(&self, source: KernelSource<'_>, options: Options, out: &Path) -> Result<()> {
        let failed = |log: String| Error::from(ErrorKind::Compile { log });
        let plain = !options.check && !waits(source.text);
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .args(self.flags(options, plain))
            .args(["-x", "c++", "-", "-o"])
            .arg(out)
            .arg("-lm")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(format!("{}: {e}", self.command[0])))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A compiler that does not read to the end says why itself.
            let _ = stdin.write_all(unit(source, options).as_bytes());
        }
        let output = child.wait_with_output().map_err(|e| failed(format!("{}: {e}", self.command[0])))?;
        if output.status.success() {
            return Ok(());
        }
        let mut log = String::from_utf8_lossy(&output.stderr).into_owned();
        if log.trim().is_empty() {
            log = format!("{} ended with {}", self.command[0], output.status);
        }
        Err(failed(log))
    }
}

/// The translation unit: all of the prelude, and the text under its own name.
pub(crate) fn unit(source: KernelSource<'_>, options: Options) -> String {
    let mut unit = format!("#define WW_HOST 1\n#define WW_WARP {}\n", options.warp);
    if options.check {
        unit.push_str("#define WW_HOST_CHECK 1\n");
        if communicates(source.text) {
            unit.push_str("#define WW_HOST_COMMUNICATES 1\n");
        }
    }
    for (name, text) in [HOST].into_iter().chain(PRELUDE.iter().copied()).chain([(source.name, source.text)]) {
        let _ = writeln!(unit, "#line 1 \"{}\"\n{text}", name.replace(['\\', '"', '\n'], "_"));
    }
    unit
}

/// What this processor can do that not all can.
#[cfg(target_arch = "x86_64")]
pub(crate) fn processor() -> Vec<&'static str> {
    let mut flags = Vec::new();
    macro_rules! if_there { ($($name:tt => $flag:literal),*) => { $(
        if std::arch::is_x86_feature_detected!($name) { flags.push($flag); }
    )* } }
    if_there!(
        "sse4.2" => "-msse4.2", "popcnt" => "-mpopcnt", "bmi1" => "-mbmi", "bmi2" => "-mbmi2", "lzcnt" => "-mlzcnt",
        "avx" => "-mavx", "avx2" => "-mavx2", "fma" => "-mfma"
    );
    let wide = [
        std::arch::is_x86_feature_detected!("avx512f"),
        std::arch::is_x86_feature_detected!("avx512bw"),
        std::arch::is_x86_feature_detected!("avx512dq"),
        std::arch::is_x86_feature_detected!("avx512vl"),
    ];
    if wide == [true; 4] {
        flags.push("-mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=256");
    }
    flags
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn processor() -> Vec<&'static str> {
    Vec::new()
}
