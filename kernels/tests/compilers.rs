//! The texts and the prelude against every compiler at hand, and against the rules that keep them one text.
//!
//! Tests of a compiler that is not there are ignored, with the reason; a tool's name in `WARPWAVE_REQUIRE` makes them fail instead.

#[path = "compilers/rtc.rs"]
mod rtc;
#[path = "compilers/spelling.rs"]
mod spelling;

use libtest_mimic::{Arguments, Failed, Trial};
use rtc::RunTime;
use std::process::ExitCode;
use std::sync::Arc;
use warpwave_compile::{Arch, Cache, Error, Options, Scratch, Tools};
use warpwave_core::{ErrorKind, KernelInfo, KernelSource, NumberKind, Parameter, ParameterKind};
use warpwave_kernels::TEXTS;
use warpwave_kernels::image::{Compiler, ToolCompiler, image, kernels_of};

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
    tools(&mut trials);
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
    let listed: Vec<&str> = TEXTS.iter().filter_map(|text| text.name.strip_suffix(".hip")).collect();
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
            if !error.contains("nothing") || !(error.contains("wrong.hip:2") || error.contains("wrong.hip(2)")) {
                return Err(format!("not the compiler's own line: {error}").into());
            }
            Ok(())
        });
    }
}

/// The same for the host's compiler, in both warp sizes. Where it has to be there, this is the test that fails without it.
#[cfg(unix)]
fn host(trials: &mut Vec<Trial>) {
    use warpwave_kernels::host::{self, Options};
    let compiler = host::Compiler::find().map_err(|error| error.to_string());
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
    for &text in TEXTS {
        needs(trials, (tool, &library), format!("{tool}.{}", text.name), move |library| {
            for compiler in RunTime::all(&library) {
                let kernels = kernels_of(&compiler.compile(text)?)?;
                if kernels.is_empty() || kernels.iter().any(|kernel| kernel.parameters.is_none()) {
                    return Err(format!("{}: {kernels:?}", compiler.arch()).into());
                }
            }
            Ok(())
        });
    }
    needs(trials, (tool, &library), format!("{tool}.road"), |library| {
        for compiler in RunTime::all(&library) {
            road(&compiler)?;
        }
        Ok(())
    });
}

/// The same for nvcc, hipcc and clang, called when the program runs.
fn tools(trials: &mut Vec<Trial>) {
    for (tool, arch) in [("nvcc", "sm_90"), ("llvm", "gfx90a")] {
        let compiler = arch.parse().map(ToolCompiler::new).map_err(|error: warpwave_compile::Error| error.to_string());
        let compiler = compiler.and_then(|compiler| {
            compiler.identity().map_err(|error| error.to_string())?;
            Ok(Arc::new(compiler))
        });
        needs(trials, (tool, &compiler), format!("road.{arch}"), |compiler| road(&*compiler));
    }
}

/// From a text to an image, compiled once; a text that is wrong says so at its own line, each time.
fn road(compiler: &dyn Compiler) -> Result<(), Failed> {
    let folder = Scratch::new()?;
    let cache = Cache::in_folder(folder.path("cache"));
    let text = "struct pair { ww_u16 a, b, c; };\n\
                WW_KERNEL(good, WW_ONE_BLOCK(96), float* x, const ww_c64* y, const void* z, pair p, ww_i16 n, double d) { x[0] = 1; }\n\
                WW_KERNEL(bare, 32) {}\n";
    let good = KernelSource::new("good.hip", text);
    let first = image(good, &[compiler], &cache)?;
    let pointer = |written, size, to| Parameter { size: 8, kind: ParameterKind::Pointer { written, size, to } };
    let value = |size, number| Parameter { size, kind: ParameterKind::Value(number) };
    use NumberKind as N;
    let parameters = vec![
        pointer(true, 4, N::Float),
        pointer(false, 16, N::Structure),
        pointer(false, 0, N::Structure),
        value(6, N::Structure),
        value(2, N::Signed),
        value(8, N::Float),
    ];
    let expected = [KernelInfo::new("bare", 32, Some(vec![])), KernelInfo::new("good", 96, Some(parameters))];
    if kernels_of(&first)? != expected {
        return Err(format!("{:?}", kernels_of(&first)?).into());
    }
    let kept = cache.get_of_any_compiler(&compiler.unit(good), &compiler.arch());
    if !first.starts_with(b"\x7fELF") || kept.as_deref() != Some(&*first) || image(good, &[compiler], &cache)? != first
    {
        return Err("the cache has another image".into());
    }
    let wrong = KernelSource::new("wrong.hip", "WW_KERNEL(wrong, 32, float* x) {\n    x[0] = nothing;\n}\n");
    for _ in 0..2 {
        let error = image(wrong, &[compiler], &cache).err().ok_or("it compiles")?;
        let ErrorKind::Compile { log } = error.kind() else { return Err(error.to_string().into()) };
        if !log.contains("nothing") || !(log.contains("wrong.hip:2") || log.contains("wrong.hip(2)")) {
            return Err(format!("not the compiler's own line: {log}").into());
        }
    }
    Ok(())
}
