//! The host's C++ compiler.

use super::elf::runs_by_itself;
use super::stack::LARGEST_FRAME;
use super::text::{communicates, included, waits};
use crate::prelude::{HOST, PRELUDE};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use warpwave_compile::HostCompiler;
use warpwave_core::{Error, ErrorKind, KernelSource, Result};

/// The variable that names the compiler.
pub const COMPILER_VARIABLE: &str = warpwave_compile::CXX_VARIABLE;

/// Whether the system's modules are ELF files: a linker's options, and what is looked at in a module, are for those.
const HAS_ELF: bool = cfg!(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "dragonfly",
    target_os = "netbsd",
    target_os = "openbsd"
));

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
    host: HostCompiler,
}

impl Compiler {
    /// The compiler that `WARPWAVE_CXX` names, else that of `CXX`, else `c++`, `g++` or `clang++` in `PATH`. It has to be g++ 8, clang 11, or
    /// a later one.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) with what was tried, [`Unsupported`](ErrorKind::Unsupported) on a system whose modules are
    /// not ELF files.
    pub fn find() -> Result<Self> {
        Self::find_with(|name| std::env::var_os(name))
    }

    /// As [`find`](Self::find), with another environment.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn find_with(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        if !HAS_ELF {
            return Err(Error::unsupported(
                "kernels of one's own on the CPU of this system, whose modules are not ELF files",
            ));
        }
        match HostCompiler::find_with(variable) {
            Ok(host) => Ok(Compiler { host }),
            Err(warpwave_compile::Error::NoHostCompiler { tried, remedy }) => {
                Err(ErrorKind::Unavailable { library: "a host C++ compiler".into(), tried, remedy }.into())
            }
            Err(other) => Err(ErrorKind::Unavailable {
                library: "a host C++ compiler".into(),
                tried: vec![other.to_string()],
                remedy: format!("name one in {COMPILER_VARIABLE}"),
            }
            .into()),
        }
    }

    /// What decides, beside the text, what comes of compiling it: a key for a cache.
    pub fn key(&self, options: Options) -> String {
        let flags = [true, false].map(|plain| self.flags(options, plain));
        format!("{} {} {options:?} {flags:?}", self.host, self.host.version())
    }

    fn flags(&self, options: Options, plain: bool) -> Vec<OsString> {
        // Without the C runtime's own start files a module has no code that runs when it is loaded, if the text has none.
        let mut flags = "-std=c++17 -fPIC -shared -nostartfiles -fvisibility=hidden -ffp-contract=off -fno-math-errno \
                         -fno-strict-aliasing -fno-exceptions -fno-rtti -Wl,-z,defs -Wl,-Bsymbolic"
            .split_whitespace()
            .map(OsString::from)
            .collect::<Vec<_>>();
        let mut add = |text: &str| flags.extend(text.split_whitespace().map(OsString::from));
        // The one warning that is asked for is an error. Others are seen only beside an error.
        if self.host.is_clang() {
            add(&format!("-Wframe-larger-than={LARGEST_FRAME} -Werror=frame-larger-than= -Wno-pass-failed"));
        } else {
            add(&format!("-Werror=frame-larger-than={LARGEST_FRAME} -Wno-psabi"));
            // What is the same in two modules is not to be shared by them.
            add("-fno-gnu-unique");
            if cfg!(target_arch = "x86_64") {
                // Where the running thread is comes without a call. The first time it may cost vector registers, in glibc before 2.40: so the
                // worker looks it up before any kernel runs.
                add("-mtls-dialect=gnu2");
            }
        }
        if cfg!(target_os = "linux") {
            // Whatever is put on a stack touches each of its pages in their order, so that it comes to the guard.
            add("-fstack-clash-protection");
        }
        if cfg!(target_arch = "aarch64") && knows_outline_atomics(self.host.version(), self.host.is_clang()) {
            // Else an atomic operation may be a call of the compiler's library, where a constructor finds out what the processor can do: it
            // would run when the module is loaded.
            add("-mno-outline-atomics");
        }
        for flag in processor() {
            add(flag);
        }
        // A checked kernel waits for its checks whatever the compiler makes of it, and g++ takes five times as long to make more of it.
        add(if options.check { "-Og" } else { "-O2 -ftree-vectorize" });
        if !options.check && !self.host.is_clang() {
            add("-fvect-cost-model=dynamic");
        }
        if options.check {
            add("-fsanitize=kernel-address");
            let prefix = if self.host.is_clang() { "-mllvm -asan" } else { "--param asan" };
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
        if let Some((line, word)) = included(source.text) {
            return Err(failed(format!(
                "{}:{line}: {word}: a kernel's text includes nothing: no compiler at run time has headers, and what a file had held would \
                 not be seen to change",
                source.name
            )));
        }
        let plain = !options.check && !waits(source.text);
        let mut command = self.host.command();
        command.args(self.flags(options, plain)).args(["-x", "c++", "-", "-o"]).arg(out).arg("-lm");
        let output = feed(&mut command, &unit(source, options));
        let output = output.map_err(|e| failed(format!("{}: {e}", self.host)))?;
        if !output.status.success() {
            let mut log = String::from_utf8_lossy(&output.stderr).into_owned();
            if log.trim().is_empty() {
                log = format!("{} ended with {}", self.host, output.status);
            }
            return Err(failed(log));
        }
        // What a kernel may do is for whoever launches it to know; loading it does nothing.
        let found = std::fs::read(out).map_err(|e| e.to_string()).and_then(|file| runs_by_itself(&file));
        match found {
            Ok(None) => Ok(()),
            Ok(Some(what)) => Err(failed(format!(
                "{}: it has {what}, which would run when the module is loaded; global objects with constructors or destructors are not \
                 allowed in a kernel's text, as no GPU has them",
                source.name
            ))),
            Err(e) => Err(failed(format!("{}: {}: {e}", self.host, out.display()))),
        }
    }
}

/// Whether a compiler for aarch64 that says this of itself has the option `-moutline-atomics`: g++ 10, clang 12, or a later one, or one that
/// does not say.
fn knows_outline_atomics(version: &str, is_clang: bool) -> bool {
    // `c++ (vendor, and its own version) 12.2.0`, `Debian clang version 19.1.7`.
    let (before, first) = if is_clang { ("version ", 12) } else { (") ", 10) };
    let number =
        version.split_once(before).and_then(|(_, number)| number.split(['.', ' ', '-']).next()?.parse::<u32>().ok());
    number.is_none_or(|number| number >= first)
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
    let (first, rest) = PRELUDE.split_at(1);
    for &(name, text) in first.iter().chain([&HOST]).chain(rest).chain([&(source.name, source.text)]) {
        let _ = writeln!(unit, "#line 1 \"{}\"\n{text}", name.replace(['\\', '"', '\n'], "_"));
    }
    unit
}

/// Runs a program that reads `input`, which may say more than a pipe holds before it has read all.
fn feed(command: &mut Command, input: &str) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        let write = move || {
            if let Some(mut stdin) = stdin {
                // A compiler that does not read to the end says why itself.
                let _ = stdin.write_all(input.as_bytes());
            }
        };
        match std::thread::Builder::new().spawn_scoped(scope, write) {
            Ok(_) => child.wait_with_output(),
            Err(error) => {
                // Its input has ended with the closure, so it ends too.
                let _ = child.wait();
                Err(error)
            }
        }
    })
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// A program that says a megabyte before it reads the first byte of another.
    #[test]
    fn a_program_may_say_much_before_it_reads() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "yes 0123456789abcde | head -n 65536 >&2; wc -c >&2"]);
        let output = feed(&mut command, &"x".repeat(1 << 20)).unwrap();
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((said.len() > 1 << 20, said.lines().last().map(str::trim)), (true, Some("1048576")));
        // One that reads nothing.
        let mut command = Command::new("/bin/sh");
        assert_eq!(feed(command.args(["-c", "exit 3"]), &"x".repeat(1 << 20)).unwrap().status.code(), Some(3));
    }

    #[test]
    fn options_are_for_compilers_that_know_them() {
        for (version, is_clang, knows) in [
            ("c++ (Debian 12.2.0-14+deb12u1) 12.2.0", false, true),
            ("g++ (GCC) 10.1.0", false, true),
            ("g++ (GCC) 8.5.0 20210514 (Red Hat 8.5.0-28)", false, false),
            ("g++-9 (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0", false, false),
            ("Debian clang version 19.1.7 (3+b1)", true, true),
            ("clang version 11.0.1-2", true, false),
            ("mine", false, true),
        ] {
            assert_eq!(knows_outline_atomics(version, is_clang), knows, "{version}");
        }
    }
}
