//! The texts and the prelude against every compiler at hand, and against the rules that keep them one text.
//!
//! Tests of a compiler that is not there are ignored, with the reason; a tool's name in `WARPWAVE_REQUIRE` makes them fail instead.

#[path = "compilers/rtc.rs"]
mod rtc;
#[path = "compilers/spelling.rs"]
mod spelling;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use warpwave_compile::{Arch, Error, Options, Tools};
use warpwave_kernels::TEXTS;

/// One architecture for each way in which the prelude differs: both vendors, both warp sizes, both generations of a vendor's atomics.
const ARCHS: &[&str] = &["sm_80", "sm_90", "gfx90a", "gfx1030", "gfx1100"];

fn main() -> ExitCode {
    let mut trials = vec![
        Trial::test("spelling.texts", || spelling::texts().map_err(Failed::from)),
        Trial::test("spelling.finds", || spelling::finds().map_err(Failed::from)),
        Trial::test("texts.listed", listed),
    ];
    preludes(&mut trials);
    #[cfg(unix)]
    host(&mut trials);
    for (tool, library) in [("nvrtc", rtc::Library::nvrtc()), ("hiprtc", rtc::Library::hiprtc())] {
        run_time(&mut trials, tool, library);
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial that needs a tool. Without it the trial is ignored, or fails if the tool is required.
fn needs<T: Clone + Send + 'static>(
    trials: &mut Vec<Trial>,
    (tool, present): (&str, &Result<T, String>),
    name: String,
    test: impl FnOnce(T) -> Result<(), Failed> + Send + 'static,
) {
    let required = std::env::var("WARPWAVE_REQUIRE").unwrap_or_default().split(',').any(|name| name.trim() == tool);
    trials.push(match present.clone() {
        Ok(present) => Trial::test(name, move || test(present)),
        Err(why) if required => Trial::test(name, move || Err(Failed::from(why))),
        Err(why) => Trial::test(name, || Ok(())).with_kind(why).with_ignored_flag(true),
    });
}

/// The list of texts is that of the folder.
fn listed() -> Result<(), Failed> {
    let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/device"))?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".hip").map(str::to_owned))
        .collect();
    files.sort();
    let listed: Vec<&str> = TEXTS.iter().map(|text| text.name).collect();
    if files.is_empty() || files != listed {
        return Err(format!("in the folder {files:?}, in the list {listed:?}").into());
    }
    Ok(())
}

/// The prelude by itself compiles everywhere, and a text that is wrong fails at its own line.
fn preludes(trials: &mut Vec<Trial>) {
    let tools = Arc::new(Tools::find());
    for &name in ARCHS {
        let found = name.parse::<Arch>().and_then(|arch| Ok((tools.for_arch(&arch)?.clone(), arch)));
        let compiler = match found {
            Ok(compiler) => Ok(compiler),
            Err(error @ Error::Missing { .. }) => Err(error.to_string()),
            // One that does not work is no reason to ignore anything.
            Err(error) => {
                trials.push(Trial::test(format!("prelude.{name}"), move || Err(Failed::from(error.to_string()))));
                continue;
            }
        };
        let tool = if name.starts_with("sm_") { "nvcc" } else { "llvm" };
        needs(trials, (tool, &compiler), format!("prelude.{name}"), |(tool, arch)| {
            tool.compile("empty.hip", "", &arch, &Options::default())?;
            let wrong = "WW_KERNEL(wrong, 32, float* x) {\n    x[0] = nothing;\n}\n";
            let error =
                tool.compile("wrong.hip", wrong, &arch, &Options::default()).err().ok_or("it compiles")?.to_string();
            if !error.contains("wrong.hip") || !error.contains('2') || !error.contains("nothing") {
                return Err(format!("not the compiler's own line: {error}").into());
            }
            Ok(())
        });
    }
}

/// The same for the host's compiler, in both warp sizes. Where it has to be there, this is the test that fails without it.
#[cfg(unix)]
fn host(trials: &mut Vec<Trial>) {
    use warpwave_core::KernelSource;
    use warpwave_kernels::host::{Compiler, Options};
    let compiler = Compiler::find().map_err(|error| error.to_string());
    for warp in [32, 64] {
        needs(trials, ("cxx", &compiler), format!("prelude.host{warp}"), move |compiler| {
            let out = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("prelude-{warp}-{}.so", std::process::id()));
            for check in [false, true] {
                compiler.compile(KernelSource::new("empty.hip", ""), Options { warp, check }, &out)?;
                std::fs::remove_file(&out)?;
            }
            Ok(())
        });
    }
}

/// Every text through a run-time compiler, which has no header and no folder to look for one.
fn run_time(trials: &mut Vec<Trial>, tool: &'static str, library: Result<Arc<rtc::Library>, String>) {
    for text in TEXTS {
        needs(trials, (tool, &library), format!("{tool}.{}", text.name), move |library| {
            for arch in library.archs() {
                let image = library.compile(&format!("{}.hip", text.name), text.text, arch).map_err(Failed::from)?;
                if !image.starts_with(b"\x7fELF") {
                    return Err(format!("{arch}: no ELF file").into());
                }
            }
            Ok(())
        });
    }
}
